//! One word of the command line that gives an argument: `key=text`, `key=@file`, `key=-` or `key:=json`.
//!
//! In: the words. Out: keys and their values. Files and stdin are read here, before a server starts.

use std::fs::File;
use std::io::{self, Read};

use serde_json::Value;
use serde_json::value::RawValue;

use super::convert::shown;
use crate::exit::Failure;
use crate::quote;

/// The largest text that is read from a file or from stdin, in bytes. 16 MiB: servers of Plainwire take no larger
/// message.
const MAX_BYTES: u64 = 16 << 20;

/// A word that gives an argument.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) key: String,
    pub(super) given: Given,
}

/// The value that a word gives.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// `key:=json`.
    Json(Box<RawValue>),
    /// `key=text`, or the text of a file or of stdin.
    Text(String),
}

/// Parses the words, and reads the files that they name. Stdin can be named once.
pub(super) fn parse(texts: &[String]) -> Result<Vec<Word>, Failure> {
    let mut words: Vec<Word> = Vec::new();
    let mut stdin_of: Option<&str> = None;
    for (at, text) in texts.iter().enumerate() {
        let (key, given) = match (text.split_once(":="), text.split_once('=')) {
            // The first separator counts: in `a=b:=c` the value is `b:=c`.
            (Some((key, json)), Some((shorter, _))) if key.len() < shorter.len() => {
                (key, Given::Json(parsed(key, json)?))
            }
            (_, Some((key, "-"))) => {
                if let Some(first) = stdin_of {
                    return Err(Failure::usage(format!(
                        "expected one argument from stdin, but found `{first}=-` and `{key}=-`"
                    )));
                }
                stdin_of = Some(key);
                (key, Given::Text(read(key, "stdin", Ok(io::stdin().lock()))?))
            }
            (_, Some((key, text))) => (
                key,
                match text.strip_prefix('@') {
                    Some("") => return Err(no_file(key)),
                    Some(path) => Given::Text(read(key, path, File::open(path))?),
                    None => Given::Text(text.to_owned()),
                },
            ),
            (_, None) => return Err(no_word(text, &texts[..at])),
        };
        if key.is_empty() {
            let text = format!("expected the name of an argument before `=`, but found {text:?}");
            return Err(Failure::usage(text));
        }
        words.push(Word { key: key.to_owned(), given });
    }
    Ok(words)
}

/// Returns the word that sets `key` to `value`: `key=text`, or `key:=json` for a value with members, and for a text that
/// would name a file or stdin. Values come from servers: a word must not make the command send what is in a file.
/// `None` for a key that no word can have.
pub(crate) fn assignment(key: &str, value: &Value) -> Option<String> {
    // A key that begins with `-` would be an option.
    if key.is_empty() || key.starts_with('-') || key.contains('=') || key.contains(char::is_control) {
        return None;
    }
    let text = shown(value);
    let reads = text.starts_with('@') || text == "-" || text.contains(char::is_control);
    let is_json = reads || key.ends_with(':') || value.is_object() || value.is_array();
    Some(if is_json { format!("{key}:={value}") } else { format!("{key}={text}") })
}

/// Returns the error for `key=@`.
fn no_file(key: &str) -> Failure {
    Failure {
        hint: Some(format!("`{key}=@FILE` reads a file; `{key}:='\"@\"'` gives the text itself")),
        ..Failure::usage(format!("expected a file after `{key}=@`, but found nothing"))
    }
}

fn parsed(key: &str, json: &str) -> Result<Box<RawValue>, Failure> {
    let is_file = json.len() > 1 && json.starts_with('@');
    serde_json::from_str(json).map_err(|error| Failure {
        hint: Some(match is_file {
            true => format!("{} reads the file", quote::quoted(&format!("{key}={json}"))),
            false => match assignment(key, &json.into()).filter(|it| it.contains(":=")) {
                Some(word) => format!("{} gives the text", quote::quoted(&word)),
                None => format!("`{key}={json}` gives text, or the type that the tool's schema names"),
            },
        }),
        ..Failure::usage(format!("expected JSON after `{key}:=`, but found {json:?}: {error}"))
    })
}

/// Reads the text of the file `path`, or of stdin. Nothing is cut off: the line end of its last line stays.
fn read(key: &str, path: &str, from: io::Result<impl Read>) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = from.and_then(|from| from.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    let literal = Value::from(format!("@{path}")).to_string();
    read.map_err(|error| Failure {
        hint: Some(format!("`{key}=@FILE` reads a file; `{key}:='{literal}'` gives the text itself")),
        ..Failure::usage(format!("{path}: {error}"))
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::usage(format!("{path}: expected at most {MAX_BYTES} bytes, but found more")));
    }
    String::from_utf8(bytes).map_err(|error| {
        Failure::usage(format!("{path}: expected text in UTF-8, but found {}", error.utf8_error()))
    })
}

/// The hint for a word whose key is missing.
const KEYS: &str = "`plainwire list` shows the keys";

/// Returns the error for a word without `=` behind other words. The commonest slips get the line to type instead.
fn no_word(text: &str, before: &[String]) -> Failure {
    let url = text.starts_with("http://") || text.starts_with("https://");
    let hint = match text {
        _ if url => Some(format!("a URL follows `--url`, as in `--url {text}`")),
        _ if text.trim_start().starts_with('{') => {
            Some("a whole object follows `--json=`, without a blank, as in `--json='{\"key\":1}'`".to_owned())
        }
        _ if text.starts_with(['/', '.']) => {
            Some(format!("the command of a server follows `--`, as in `-- {text}`"))
        }
        // A text with blanks, of which only the first word came with its key.
        _ if before.last().is_some_and(|it| it.contains('=')) && !text.contains(':') => before
            .last()
            .map(|it| format!("quotes keep blanks together: {}", quote::quoted(&format!("{it} {text}")))),
        _ if text.starts_with('@') => Some(format!("as in `key={text}`, which reads a file")),
        _ => Some(match text.split_once(':') {
            Some((key, value)) if !key.is_empty() && !value.is_empty() => {
                quote::quoted(&format!("{key}={}", value.trim_start())).to_string()
            }
            Some((key, "")) if !key.is_empty() => format!("as in `{key}=…`"),
            _ if text.contains(|it: char| !it.is_alphanumeric() && !"_-.".contains(it)) => {
                format!("as in `key={}`; {KEYS}", quote::quoted(text))
            }
            _ if text.parse::<f64>().is_ok() => format!("as in `key={text}`; {KEYS}"),
            _ => format!("as in `{text}=…`; {KEYS}"),
        }),
    };
    Failure { hint, ..Failure::usage(format!("expected `key=text` or `key:=json`, but found {text:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_a_server_never_names_a_file() {
        for (key, value, expected) in [
            ("a", "moss".into(), Some("a=moss")),
            ("a", 7.into(), Some("a=7")),
            ("a", "@/etc/hostname".into(), Some("a:=\"@/etc/hostname\"")),
            ("a", "-".into(), Some("a:=\"-\"")),
            ("a", "-x".into(), Some("a=-x")),
            ("a:", "x".into(), Some("a::=\"x\"")),
            ("a", serde_json::json!(["@x"]), Some("a:=[\"@x\"]")),
            ("a", "x\0; y".into(), Some("a:=\"x\\u0000; y\"")),
            ("--out", ".bashrc".into(), None),
            ("k=v", "x".into(), None),
            ("", "x".into(), None),
        ] {
            let found = assignment(key, &value);
            assert_eq!(found.as_deref(), expected);
            let Some(word) = found else { continue };
            let parsed = words(&[&word]).expect("a word").remove(0);
            let sent = match parsed.given {
                Given::Json(json) => serde_json::from_str(json.get()).expect("JSON"),
                Given::Text(text) if value.is_string() => text.into(),
                Given::Text(text) => serde_json::from_str(&text).expect("JSON"),
            };
            assert_eq!((parsed.key.as_str(), sent), (key, value));
        }
    }

    fn words(texts: &[&str]) -> Result<Vec<Word>, Failure> {
        parse(&texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
    }

    /// Returns the key of a word and the JSON that it gives.
    fn given(word: &Word) -> (&str, String) {
        (
            &word.key,
            match &word.given {
                Given::Json(json) => json.get().to_owned(),
                Given::Text(text) => Value::from(text.as_str()).to_string(),
            },
        )
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let word = words(&[text]).expect("a word").remove(0);
        assert_eq!(given(&word).1, expected, "{text}");
    }

    #[test]
    fn the_first_separator_counts() {
        check("a=b:=c", r#""b:=c""#);
        check("a=1=2", r#""1=2""#);
        check(r#"a:="=""#, r#""=""#);
    }

    #[test]
    fn reads_the_text_of_a_file_as_it_is() {
        let path = std::env::temp_dir().join(format!("plainwire-word-{}", std::process::id()));
        std::fs::write(&path, "a\r\nb=@c\n").expect("a file of our own");
        let found = words(&[&format!("body=@{}", path.display())]).expect("a text");
        std::fs::remove_file(&path).expect("a file of our own");
        assert_eq!(given(&found[0]), ("body", r#""a\r\nb=@c\n""#.to_owned()));
    }

    #[test]
    fn reads_at_most_16_mib_from_a_file() {
        let text = |bytes: usize| read("a", "f", Ok(&vec![b'x'; bytes][..]));
        assert_eq!(text(16 << 20).expect("a text").len(), 16 << 20);
        let failure = text((16 << 20) + 1).expect_err("too much");
        assert_eq!(failure.text, "f: expected at most 16777216 bytes, but found more");
        let failure = read("a", "f", Ok(&b"\xff"[..])).expect_err("no text");
        assert!(failure.text.starts_with("f: expected text in UTF-8"), "{}", failure.text);
    }

    #[test]
    fn says_what_is_wrong() {
        let failed = |texts: &[&str]| words(texts).expect_err("no word");
        assert_eq!(failed(&["a"]).text, "expected `key=text` or `key:=json`, but found \"a\"");
        assert_eq!(
            failed(&["a:=x"]).text,
            "expected JSON after `a:=`, but found \"x\": expected value at line 1 column 1"
        );
        let missing = failed(&["to=@ada"]);
        assert!(missing.text.starts_with("ada: "), "{}", missing.text);
        assert_eq!(
            missing.hint.as_deref(),
            Some("`to=@FILE` reads a file; `to:='\"@ada\"'` gives the text itself")
        );
        for (slip, hint) in [
            ("http://a/mcp", "a URL follows `--url`, as in `--url http://a/mcp`"),
            ("title: two words", "'title=two words'"),
            ("@notes", "as in `key=@notes`, which reads a file"),
            ("two words", "as in `key='two words'`; `plainwire list` shows the keys"),
            ("2+2", "as in `key=2+2`; `plainwire list` shows the keys"),
            ("./server", "the command of a server follows `--`, as in `-- ./server`"),
            ("{\"a\":1}", "a whole object follows `--json=`, without a blank, as in `--json='{\"key\":1}'`"),
        ] {
            assert_eq!(failed(&[slip]).hint.as_deref(), Some(hint));
        }
    }

    #[test]
    fn json_is_taken_as_it_is() {
        check("b:=1", "1");
        check("c:= [true] ", "[true]");
        check("d:=18446744073709551617", "18446744073709551617");
        check("e=", r#""""#);
    }
}
