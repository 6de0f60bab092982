//! What a site says about an error: the bodies of five products, in one form.
//!
//! In: the beginning of a body. Out: its messages, and its complaints about fields, word for word: shortened,
//! on one line, without invisible characters, and without secrets. Web pages are not read here.

use std::collections::BTreeMap;

use plainwire::proto::json::visible;
use serde_json::{Map, Value};

/// The longest text that is shown, in characters. The reasons of Jira list the allowed values of a field.
const MAX_TEXT: usize = 500;

/// The largest number of messages, and of fields.
const MAX_TEXTS: usize = 30;

/// The messages of an error, and its complaints about fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) fields: BTreeMap<String, String>,
    pub(super) messages: Vec<String>,
}

/// Reads a body.
pub(super) fn read(body: &[u8], content_type: Option<&str>, secrets: &[&str]) -> Said {
    let mut reader = Reader { said: Said::default(), secrets };
    match serde_json::from_slice(body) {
        Ok(value) => reader.value(&value),
        Err(_) if content_type.is_some_and(|it| it.trim_start().starts_with("text/plain")) => {
            reader.message(&String::from_utf8_lossy(body));
        }
        Err(_) => {}
    }
    reader.said
}

struct Reader<'a> {
    said: Said,
    secrets: &'a [&'a str],
}

impl Reader<'_> {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(object) => self.object(object),
            Value::Array(values) => values.iter().take(MAX_TEXTS).for_each(|it| self.value(it)),
            Value::String(text) => self.message(text),
            _ => {}
        }
    }

    fn object(&mut self, object: &Map<String, Value>) {
        // Jira; `errorMessage` is Jira Service Management.
        for name in ["errorMessages", "errorMessage", "warningMessages"] {
            self.texts(object.get(name));
        }
        match object.get("errors") {
            // Jira.
            Some(Value::Object(fields)) => fields.iter().for_each(|(name, it)| self.field(name, it)),
            // Confluence v2, Bitbucket Data Center.
            Some(Value::Array(errors)) => errors.iter().take(MAX_TEXTS).for_each(|it| self.entry(it)),
            _ => {}
        }
        // Confluence v1 and Data Center.
        if let Some(Value::Array(errors)) = object.get("data").and_then(|it| it.get("errors")) {
            errors.iter().take(MAX_TEXTS).for_each(|it| self.entry(it));
        }
        match object.get("error") {
            // Bitbucket Cloud.
            Some(Value::Object(error)) => {
                self.texts(error.get("message"));
                self.texts(error.get("detail"));
                if let Some(Value::Object(fields)) = error.get("fields") {
                    fields.iter().for_each(|(name, it)| self.field(name, it));
                }
            }
            // OAuth, and servers in between.
            other => self.texts(other),
        }
        for name in ["error_description", "message"] {
            self.texts(object.get(name));
        }
    }

    /// Reads an entry of a list of errors.
    fn entry(&mut self, entry: &Value) {
        let Value::Object(object) = entry else { return self.value(entry) };
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        // Bitbucket Data Center names a field by `context`.
        if let (Some(field), Some(reason)) = (text("context"), object.get("message")) {
            return self.field(field, reason);
        }
        match object.get("message") {
            // Confluence v1: a translation, or else the key of one.
            Some(Value::Object(message)) => self.texts(message.get("translation").or(message.get("key"))),
            message => self.texts(message),
        }
        match (text("title").or(text("code")), text("detail")) {
            (Some(title), Some(detail)) => self.message(&format!("{title}: {detail}")),
            (title, detail) => title.or(detail).into_iter().for_each(|it| self.message(it)),
        }
        if object.contains_key("errorMessages") || object.contains_key("elementErrors") {
            self.object(object.get("elementErrors").and_then(Value::as_object).unwrap_or(object));
        }
    }

    /// Reads a text, or a list of texts.
    fn texts(&mut self, value: Option<&Value>) {
        match value {
            Some(Value::String(text)) => self.message(text),
            Some(Value::Array(texts)) => {
                texts.iter().take(MAX_TEXTS).filter_map(Value::as_str).for_each(|it| self.message(it));
            }
            _ => {}
        }
    }

    fn message(&mut self, text: &str) {
        let text = self.clean(text);
        if !text.is_empty() && self.said.messages.len() < MAX_TEXTS && !self.said.messages.contains(&text) {
            self.said.messages.push(text);
        }
    }

    fn field(&mut self, name: &str, reason: &Value) {
        let reason = match reason {
            Value::String(text) => text.clone(),
            Value::Array(texts) if texts.iter().all(Value::is_string) => {
                texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
            }
            other => other.to_string(),
        };
        if self.said.fields.len() < MAX_TEXTS {
            let (name, reason) = (self.clean(name), self.clean(&reason));
            self.said.fields.insert(name, reason);
        }
    }

    fn clean(&self, text: &str) -> String {
        let hidden = self.secrets.iter().fold(text.to_owned(), |text, it| text.replace(it, "[secret]"));
        visible(&hidden.split_whitespace().collect::<Vec<_>>().join(" "), MAX_TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_product_is_understood() {
        for (body, messages, fields) in [
            (
                r#"{"errorMessages":["Issue does not exist"],"errors":{},"status":404}"#,
                &["Issue does not exist"][..],
                &[][..],
            ),
            (
                r#"{"errorMessages":[],"errors":
                    {"summary":"You must specify a summary of the issue.","x":{"a":1}}}"#,
                &[],
                &[("summary", "You must specify a summary of the issue."), ("x", r#"{"a":1}"#)],
            ),
            (
                r#"{"errorMessage":"No such request",
                    "i18nErrorMessage":{"i18nKey":"sd.no","parameters":[]}}"#,
                &["No such request"],
                &[],
            ),
            (
                r#"{"statusCode":400,"data":{"authorized":true,
                    "errors":[{"message":{"key":"title.taken","args":[]}},
                    {"message":{"translation":"Title too long"}}]},
                    "message":"Bad title","reason":"Bad Request"}"#,
                &["title.taken", "Title too long", "Bad title"],
                &[],
            ),
            (
                r#"{"errors":[{"status":404,"code":"NOT_FOUND","title":"Page not found","detail":null},
                    {"code":"A","title":"B","detail":"C"}]}"#,
                &["Page not found", "B: C"],
                &[],
            ),
            (
                r#"{"type":"error","error":{"message":"Bad request",
                    "detail":"no such branch","fields":{"name":["a","b"]}}}"#,
                &["Bad request", "no such branch"],
                &[("name", "a; b")],
            ),
            (
                r#"{"errors":[{"context":null,"message":"Pull request 101 does not exist.",
                    "exceptionName":"x.Y"},
                    {"context":"title","message":"Please enter a title"}]}"#,
                &["Pull request 101 does not exist."],
                &[("title", "Please enter a title")],
            ),
            (
                r#"{"code":401,"message":"Unauthorized; scope does not match"}"#,
                &["Unauthorized; scope does not match"],
                &[],
            ),
            (
                r#"{"error":"invalid_grant","error_description":"expired"}"#,
                &["invalid_grant", "expired"],
                &[],
            ),
            (
                r#"{"message":"null for uri: https://x/rest/api/9","status-code":404}"#,
                &["null for uri: https://x/rest/api/9"],
                &[],
            ),
            (r#""only a text""#, &["only a text"], &[]),
            ("<status><status-code>404</status-code></status>", &[], &[]),
            ("", &[], &[]),
            ("[1, null, {}]", &[], &[]),
        ] {
            let found = read(body.as_bytes(), Some("application/json"), &[]);
            assert_eq!(found.messages, messages, "{body}");
            let expected = fields.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
            assert_eq!(found.fields, expected, "{body}");
        }
    }

    #[test]
    fn texts_are_short_visible_and_without_secrets() {
        let body = serde_json::json!({
            "errorMessages": ["x".repeat(2_000), "line\nline\u{202e}\u{1b}[2J", "bad token s3cr3t-s3cr3t"],
            "errors": { "s3cr3t-s3cr3t": "s3cr3t-s3cr3t" },
        });
        let said = read(body.to_string().as_bytes(), None, &["s3cr3t-s3cr3t"]);
        assert_eq!(said.messages[0].chars().count(), MAX_TEXT + 1);
        assert_eq!(said.messages[1..], ["line line\\u{202e}\\u{1b}[2J", "bad token [secret]"]);
        assert_eq!(said.fields["[secret]"], "[secret]");
        let many =
            serde_json::json!({ "errorMessages": (0..1_000).map(|it| format!("{it}")).collect::<Vec<_>>() });
        assert_eq!(read(many.to_string().as_bytes(), None, &[]).messages.len(), MAX_TEXTS);
    }

    #[test]
    fn a_plain_text_is_a_message_and_other_types_are_not() {
        assert_eq!(read(b"XSRF check failed", Some("text/plain"), &[]).messages, ["XSRF check failed"]);
        assert_eq!(read(b"XSRF check failed", Some("application/xml"), &[]), Said::default());
    }
}
