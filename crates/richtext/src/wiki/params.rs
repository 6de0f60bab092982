//! The parameters of a macro, as in `{code:java|title=Main.java}`.

/// Splits the text of the parameters, such as `java|title=Main.java`, into names and values. The name is `""`
/// for a parameter without a name.
pub(super) fn read(params: &str) -> Vec<(&str, &str)> {
    if params.is_empty() {
        return Vec::new();
    }
    params
        .split('|')
        .map(|it| it.split_once('=').map_or(("", it), |(name, value)| (name.trim(), value)))
        .collect()
}

/// Returns the text of the parameters, with a colon before them; empty without parameters. Returns `None` if
/// one of them cannot be written.
pub(super) fn write<'p>(params: impl IntoIterator<Item = (&'p str, &'p str)>) -> Option<String> {
    let mut text = String::new();
    for (name, value) in params {
        let legal = |it: &str| !it.contains(['|', '{', '}', '\n', '\r']);
        if !legal(name) || !legal(value) || name.contains('=') || name.trim() != name {
            return None;
        }
        if name.is_empty() && (value.contains('=') || value.is_empty()) {
            return None;
        }
        text.push(if text.is_empty() { ':' } else { '|' });
        if !name.is_empty() {
            text.push_str(name);
            text.push('=');
        }
        text.push_str(value);
    }
    Some(text)
}
