//! Fills the placeholders of a text.

use std::fmt::Write as _;

/// The values of placeholders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// The next value of `{n}`.
    pub(crate) n: u64,
    /// Divides the number of zeros and of empty texts, unless it is 0.
    pub(crate) scale: u32,
    pub(crate) id: String,
    /// The id of a session of 2025-03-26.
    pub(crate) batches: String,
    pub(crate) session: String,
    pub(crate) taken: String,
    pub(crate) token: String,
}

impl Values {
    /// Returns `text` with its placeholders filled. Braces that begin no placeholder stay.
    pub(crate) fn fill(&mut self, text: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            out.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at..];
            let filled = rest.find('}').and_then(|end| Some((self.value(&rest[1..end])?, end + 1)));
            match filled {
                Some((value, end)) => {
                    out.extend(value);
                    rest = &rest[end..];
                }
                None => {
                    out.push(b'{');
                    rest = &rest[1..];
                }
            }
        }
        out.extend_from_slice(rest.as_bytes());
        out
    }

    fn value(&mut self, name: &str) -> Option<Vec<u8>> {
        if let Some((what, count)) = name.split_once(':') {
            let count = count.parse().ok()?;
            return match what {
                "a" | "9" | "[" => Some(what.repeat(count).into_bytes()),
                "0" => {
                    let count = count / self.scale.max(1) as usize;
                    Some("0,".repeat(count).trim_end_matches(',').into())
                }
                "texts" => {
                    let count = count / self.scale.max(1) as usize;
                    Some("\"\",".repeat(count).trim_end_matches(',').into())
                }
                "sleeps" => Some(self.sleeps(count).into_bytes()),
                "uris" => Some(self.uris(count).into_bytes()),
                _ => None,
            };
        }
        match name {
            "n" => {
                self.n += 1;
                Some(self.n.to_string().into_bytes())
            }
            "id" => Some(self.id.clone().into_bytes()),
            "batches" => Some(self.batches.clone().into_bytes()),
            "session" => Some(self.session.clone().into_bytes()),
            "taken" => Some(self.taken.clone().into_bytes()),
            "token" => Some(self.token.clone().into_bytes()),
            // Bytes that are not UTF-8.
            "bad" => Some(b"{\"a\":\"\xff\xc3\"}".to_vec()),
            _ => None,
        }
    }

    /// Returns so many sleeping calls, as elements of a JSON array.
    fn sleeps(&mut self, count: usize) -> String {
        let mut calls = String::new();
        for at in 0..count {
            self.n += 1;
            let (comma, n) = (if at == 0 { "" } else { "," }, self.n);
            let _ = write!(
                calls,
                r#"{comma}{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{{"name":"sleep","arguments":{{"ms":3000}}}}}}"#
            );
        }
        calls
    }

    /// Returns so many URIs of 8 KB, as elements of a JSON array.
    fn uris(&mut self, count: usize) -> String {
        let long = "a".repeat(8_000);
        let mut uris = String::with_capacity(count * 8_100);
        for at in 0..count {
            self.n += 1;
            let (comma, n) = (if at == 0 { "" } else { "," }, self.n);
            let _ = write!(uris, r#"{comma}"note://{n}{long}""#);
        }
        uris
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_what_it_knows_and_leaves_other_braces() {
        let mut values = Values { session: "s".into(), ..Values::default() };
        let filled = |values: &mut Values, text| String::from_utf8(values.fill(text)).expect("UTF-8");
        assert_eq!(filled(&mut values, r#"{"id":{n},"x":"{a:3}{session}"}"#), r#"{"id":1,"x":"aaas"}"#);
        assert_eq!(filled(&mut values, "{n} {[:2} {other} {"), "2 [[ {other} {");
        assert_eq!(filled(&mut values, r#"[{0:3}] {"#), "[0,0,0] {");
        assert!(filled(&mut values, "[{uris:2}]").starts_with("[\"note://3aaa"));
    }
}
