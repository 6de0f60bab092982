//! URI templates: match URIs against a template and extract the variables.
//!
//! In: a template with `{name}` and `{+name}` (RFC 6570, levels 1 and 2), then URIs. Out: the variables as a
//! JSON object of strings. Expansion of templates is the task of clients and is not implemented here.

use plainwire_proto::json::write::Object;

/// A parsed template: the text before the first variable, then variables, each with the text behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Template {
    /// The text before the first variable.
    head: String,
    /// The variables, each with the text behind it.
    parts: Vec<Part>,
}

/// A variable, and the text behind it.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    name: String,
    /// Whether the variable's value may be any text, as for `{+name}`. The value of `{name}` is one segment of
    /// a path.
    reserved: bool,
    /// The text behind the variable, up to the next variable or the end.
    tail: String,
}

impl Template {
    /// Parses a URI template.
    ///
    /// # Errors
    /// A sentence that names the first mistake in the template.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = text.split('{');
        let head = pieces.next().unwrap_or_default().to_owned();
        let mut parts: Vec<Part> = Vec::new();
        for piece in pieces {
            let Some((variable, tail)) = piece.split_once('}') else {
                return Err(format!("expected `}}` after `{{{piece}`"));
            };
            let (reserved, name) = match variable.strip_prefix('+') {
                Some(name) => (true, name),
                None => (false, variable),
            };
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return Err(format!(
                    "expected a variable of the form `{{name}}` or `{{+name}}`, but found `{{{variable}}}`"
                ));
            }
            if parts.iter().any(|part| part.name == name) {
                return Err(format!("expected `{{{name}}}` once, but found it twice"));
            }
            if parts.last().is_some_and(|part| part.tail.is_empty()) {
                return Err(format!(
                    "expected text before `{{{name}}}`: two variables side by side can't be told apart"
                ));
            }
            parts.push(Part { name: name.to_owned(), reserved, tail: tail.to_owned() });
        }
        if parts.is_empty() {
            return Err(format!("expected `{text}` to have a variable such as `{{name}}`"));
        }
        Ok(Self { head, parts })
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| part.name.as_str())
    }

    /// Returns the variables of `uri` as a JSON object, or `None` if the template does not match it, or if a
    /// value is not allowed: that of `{name}` has to stay within one segment of a path.
    pub(crate) fn variables_of(&self, uri: &str) -> Option<String> {
        let values = self.values(uri)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        for (part, value) in self.parts.iter().zip(values) {
            if !part.reserved && !is_segment(&value) {
                return None;
            }
            object.string(&part.name, &value);
        }
        object.close();
        String::from_utf8(out).ok()
    }

    /// Returns whether the template matches `uri`. For templates of other servers, which may allow values that
    /// [`Self::variables_of`] does not.
    pub(crate) fn matches(&self, uri: &str) -> bool {
        self.values(uri).is_some()
    }

    /// Returns the values of the variables in `uri`, with percent escapes decoded; `None` if the template does
    /// not match it.
    fn values(&self, uri: &str) -> Option<Vec<String>> {
        let mut rest = uri.strip_prefix(self.head.as_str())?;
        let mut values = Vec::with_capacity(self.parts.len());
        for (n, part) in self.parts.iter().enumerate() {
            let last = n + 1 == self.parts.len();
            // The last variable of the template takes the text up to its tail at the end of the URI; other
            // variables take as little text as possible.
            let end = match (part.tail.as_str(), last) {
                ("", _) => rest.len(),
                (tail, true) => {
                    rest.len().checked_sub(tail.len()).filter(|&at| rest.get(at..) == Some(tail))?
                }
                (tail, false) => rest.find(tail)?,
            };
            let value = &rest[..end];
            if value.is_empty() || !part.reserved && value.contains('/') {
                return None;
            }
            values.push(decode(value)?);
            rest = &rest[end + part.tail.len()..];
        }
        Some(values)
    }
}

/// Returns whether a decoded value stays within one segment of a path, also of a Windows path, if a handler
/// puts it into one. For values of `{name}`: an escape such as `%2F` must not bring in a character that the
/// value may not have unescaped.
fn is_segment(value: &str) -> bool {
    !matches!(value, "." | "..") && !value.contains(['/', '\\', '\0'])
}

/// Decodes percent escapes. Returns `None` for an invalid escape, or for bytes that are not UTF-8.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(template: &str, uri: &str) -> Option<String> {
        Template::parse(template).expect(template).variables_of(uri)
    }

    #[test]
    fn finds_variables() {
        for (template, uri, variables) in [
            ("a://{x}", "a://1", Some(r#"{"x":"1"}"#)),
            ("a://{x}", "a://1/2", None),
            ("a://{x}", "a://", None),
            ("a://{x}", "b://1", None),
            ("a://{+x}", "a://1/2", Some(r#"{"x":"1/2"}"#)),
            ("a://{x}/b/{y}", "a://1/b/2", Some(r#"{"x":"1","y":"2"}"#)),
            ("a://{x}/data", "a://1/data", Some(r#"{"x":"1"}"#)),
            ("a://{x}/data", "a://1/date", None),
            ("a://{x}.txt", "a://a.txt.txt", Some(r#"{"x":"a.txt"}"#)),
            ("a://{x}", "a://%C3%A9%20%2E", Some(r#"{"x":"é ."}"#)),
            ("a://{+x}", "a://%C3%A9%20%2F", Some(r#"{"x":"é /"}"#)),
            ("a://{x}", "a://%zz", None),
            ("a://{x}", "a://%ff", None),
            ("a://{x}", "a://\"é", Some(r#"{"x":"\"é"}"#)),
        ] {
            assert_eq!(matched(template, uri).as_deref(), variables, "{template} {uri}");
        }
    }

    #[test]
    fn a_variable_without_a_plus_stays_within_one_segment_of_a_path() {
        for value in ["8%2F2", "..%2f..%2fetc", "..", ".", "%2e%2E", "%2e", "a%5Cb", "a\\b", "a%00b", "%2F"] {
            for (template, tail) in [("a://{x}", ""), ("a://{x}/b", "/b"), ("a://{x}/{y}", "/1")] {
                let uri = format!("a://{value}{tail}");
                assert_eq!(matched(template, &uri), None, "{template} {uri}");
            }
            let uri = format!("a://{value}");
            assert!(matched("a://{+x}", &uri).is_some(), "{uri}");
        }
        // Two dots within a name lead nowhere, and an escaped escape is text.
        assert_eq!(matched("a://{x}", "a://a..b").as_deref(), Some(r#"{"x":"a..b"}"#));
        assert_eq!(matched("a://{x}", "a://a%252Fb").as_deref(), Some(r#"{"x":"a%2Fb"}"#));
    }

    #[test]
    fn says_what_is_wrong_with_a_template() {
        for (template, message) in [
            ("a://b", "expected `a://b` to have a variable such as `{name}`"),
            ("a://{b", "expected `}` after `{b`"),
            ("a://{b}/{b}", "expected `{b}` once, but found it twice"),
            ("a://{b}{c}", "expected text before `{c}`: two variables side by side can't be told apart"),
            ("a://{?q}", "expected a variable of the form `{name}` or `{+name}`, but found `{?q}`"),
        ] {
            assert_eq!(Template::parse(template), Err(message.to_owned()), "{template}");
        }
    }
}
