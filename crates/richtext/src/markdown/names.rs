//! The names of directives. A directive with any other name stays text.

/// The form of a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `:name[…]{…}` within text.
    Inline,
    /// `::name{…}` on a line of its own.
    Leaf,
    /// `:::name{…}`, then blocks, then a line with `:::`.
    Container,
}

/// Returns whether there is a directive of this name and form.
pub(super) fn is_known(name: &str, form: Form) -> bool {
    match form {
        Form::Inline => INLINE.contains(&name),
        Form::Leaf => LEAF.contains(&name),
        Form::Container => CONTAINER.contains(&name) || panel(name).is_some(),
    }
}

/// Returns the name of a directive of this form that an author may have meant by `name`; `None` if none is near.
pub(super) fn meant(name: &str, form: Form) -> Option<&'static str> {
    let names: &[&'static str] = match form {
        Form::Inline => &INLINE,
        Form::Leaf => &LEAF,
        Form::Container => &CONTAINER,
    };
    let name = name.to_ascii_lowercase();
    let distance = |it: &&&str| strsim::osa_distance(&name, it);
    names
        .iter()
        .min_by_key(distance)
        .filter(|it| distance(it) <= 2 && distance(it) < it.len() / 2 + 1)
        .copied()
}

/// Returns the letters and hyphens that `text` begins with, which an author may have meant as the name of a directive.
pub(super) fn word_at(text: &str) -> &str {
    let is_letter = |it: &u8| it.is_ascii_alphabetic() || *it == b'-';
    let end = text.bytes().take(MAX_WORD).take_while(is_letter).count();
    &text[..end]
}

/// The length of the longest word that may be a misspelled name, in bytes.
const MAX_WORD: usize = 40;

/// Returns whether `text`, the source after a colon, looks like an inline directive of an unknown name, with a label and
/// attributes.
pub(super) fn looks_misspelled(text: &str) -> bool {
    let name = word_at(text);
    let Some(label) = text[name.len()..].strip_prefix('[') else { return false };
    let line = label.bytes().take(MAX_LABEL).take_while(|it| *it != b'\n');
    let closes = line.clone().zip(line.skip(1)).any(|it| it == (b']', b'{'));
    closes && name.len() > 2 && !is_known(name, Form::Inline)
}

/// The length of the longest label, in bytes, of a directive that is taken for a misspelled one.
const MAX_LABEL: usize = 200;

/// The suffix that follows the name of a format in the info string of a fence, if every line of the fenced
/// text originally ended with CR LF.
pub(super) const CRLF: &str = " crlf";

const INLINE: [&str; 20] = [
    "status",
    "mention",
    "emoji",
    "date",
    "placeholder",
    "card",
    "media",
    "image",
    "macro",
    "ext",
    "raw",
    "color",
    "comment",
    "cite",
    "strong",
    "em",
    "strike",
    "code",
    "sub",
    "mark",
];

const LEAF: [&str; 6] = ["card", "embed", "ext", "macro", "media", "sync"];

/// Returns the type of the panel for which this name is a short one: `:::warning`, `> [!WARNING]`.
pub(super) fn panel(name: &str) -> Option<&'static str> {
    const PANELS: [(&str, &str); 6] = [
        ("info", "info"),
        ("note", "note"),
        ("tip", "success"),
        ("success", "success"),
        ("warning", "warning"),
        ("error", "error"),
    ];
    PANELS.iter().find(|it| it.0.eq_ignore_ascii_case(name)).map(|it| it.1)
}

const CONTAINER: [&str; 13] = [
    "panel",
    "expand",
    "layout",
    "column",
    "media",
    "media-group",
    "ext",
    "macro",
    "sync",
    "decisions",
    "group",
    "multi-ext",
    "frame",
];

/// The length of the longest directive name, in bytes.
pub(super) const LONGEST: usize = 11;

/// Returns the lowercase letters and hyphens that `text` begins with, which may be the name of a directive.
/// Returns at most [`LONGEST`] + 1 bytes, because a longer name is no directive's.
pub(super) fn name_at(text: &str) -> &str {
    let bytes = text.as_bytes();
    let end = bytes.iter().take(LONGEST + 1).take_while(|it| it.is_ascii_lowercase() || **it == b'-').count();
    &text[..end]
}

/// Returns whether `text`, the source after a colon, begins with the name of an inline directive and then `[`
/// or `{`.
pub(super) fn looks_inline(text: &str) -> bool {
    let name = name_at(text);
    matches!(text.as_bytes().get(name.len()), Some(b'[' | b'{')) && is_known(name, Form::Inline)
}
