//! Variables of URI templates.
//!
//! In: a URI. Out: the names of its variables, or an error. A server checks the same rules when it is built;
//! here a violation is a compile error.

/// Returns the names of a URI's variables, in order; none if the URI has no variables.
///
/// # Errors
/// A sentence that says what is wrong with the URI.
pub(crate) fn variables(uri: &str) -> Result<Vec<String>, String> {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
    };
    if !scheme.is_some_and(is_scheme) {
        return Err(format!("expected a URI that begins with a scheme, such as `file:`, but found `{uri}`"));
    }
    let mut found: Vec<String> = Vec::new();
    let mut side_by_side = false;
    for piece in uri.split('{').skip(1) {
        let Some((variable, tail)) = piece.split_once('}') else {
            return Err(format!("expected `}}` after `{{{piece}`"));
        };
        let name = variable.strip_prefix('+').unwrap_or(variable);
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(format!(
                "expected a variable of the form `{{name}}` or `{{+name}}`, but found `{{{variable}}}`"
            ));
        }
        if found.iter().any(|it| it == name) {
            return Err(format!("expected `{{{name}}}` once, but found it twice"));
        }
        if side_by_side {
            return Err(format!(
                "expected text before `{{{name}}}`: two variables side by side can't be told apart"
            ));
        }
        side_by_side = tail.is_empty();
        found.push(name.to_owned());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn finds_the_variables_of_a_uri() {
        assert_eq!(variables("a://b"), Ok(vec![]));
        assert_eq!(variables("a://{b}/{+c}"), Ok(vec!["b".to_owned(), "c".to_owned()]));
    }

    #[test]
    fn says_what_is_wrong_with_a_uri() {
        for uri in ["", "b", "1a:b", "a://{b", "a://{?q}", "a://{b}{c}", "a://{b}/{b}", "a://{}"] {
            assert!(variables(uri).is_err(), "{uri}");
        }
    }
}
