//! Answers of success: JSON of the API, and files.
//!
//! In: a status, headers and a whole body. Out: values, or the error of a body that can't be read. The media
//! type is not asked for JSON: proxies change it, and the parser knows better.

use std::sync::Arc;

use bytes::Bytes;
use plainwire::proto::json::visible;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;

use super::prepare::Subject;
use super::request::Effect;
use super::upstream::{Kind, Upstream};

/// An answer with a status of success.
#[derive(Clone, Debug)]
pub struct Answer {
    subject: Arc<Subject>,
    status: u16,
    headers: HeaderMap,
    body: Bytes,
}

/// A file.
#[derive(Clone, Debug)]
pub struct Download {
    /// The bytes of the file.
    pub bytes: Bytes,
    /// The media type without its parameters, such as `image/png`; empty if the site names none.
    pub media_type: String,
    /// The name that the site gives the file: without folders and control characters, but with all other
    /// characters.
    pub file_name: Option<String>,
}

impl Answer {
    pub(super) fn new(subject: &Arc<Subject>, status: u16, headers: HeaderMap, body: Bytes) -> Self {
        Self { subject: Arc::clone(subject), status, headers, body }
    }

    /// Returns the status, such as 200.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// Reads the JSON of the body. An empty body is read as `null`.
    ///
    /// # Errors
    /// `Unreadable` for a value of another shape or a text that is not JSON, `Cut` for JSON that ends early;
    /// `OutcomeUnknown` in place of `Cut` for a change.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Upstream> {
        let body = if self.body.is_empty() { b"null" } else { &self.body[..] };
        serde_json::from_slice(body).map_err(|error| {
            let kind = match (error.is_eof(), self.subject.effect) {
                (true, Effect::Read) => Kind::Cut,
                (true, Effect::Write) => Kind::OutcomeUnknown,
                (false, _) => Kind::Unreadable,
            };
            self.error(kind).because(visible(&error.to_string(), 200))
        })
    }

    /// Begins an error about this answer.
    pub(super) fn error(&self, kind: Kind) -> Upstream {
        Upstream::new(kind, &self.subject).with_status(self.status)
    }

    pub(super) fn into_download(self) -> Download {
        let media_type = self.header("content-type").and_then(|it| it.split(';').next()).unwrap_or_default();
        Download {
            media_type: media_type.trim().to_ascii_lowercase(),
            file_name: self.header("content-disposition").and_then(file_name),
            bytes: self.body,
        }
    }
}

/// Returns whether a body is a web page.
pub(super) fn is_html(content_type: Option<&str>, body: &[u8]) -> bool {
    let media_type = content_type.unwrap_or_default().trim_start().to_ascii_lowercase();
    let start = body.trim_ascii_start();
    let begins = |with: &[u8]| start.get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with));
    media_type.starts_with("text/html") && !matches!(start.first(), Some(b'{' | b'['))
        || begins(b"<!doctype html")
        || begins(b"<html")
}

/// Returns the name of a file from `Content-Disposition` (RFC 6266): that in UTF-8 if there is one.
fn file_name(disposition: &str) -> Option<String> {
    let parameter = |name: &str| {
        let at = disposition.to_ascii_lowercase().find(&format!("{name}="))?;
        Some(&disposition[at + name.len() + 1..])
    };
    let encoded = parameter("filename*").and_then(|it| {
        let text =
            it.split(';').next()?.trim().strip_prefix("UTF-8''").or_else(|| it.strip_prefix("utf-8''"))?;
        Some(decoded(text))
    });
    let plain = || {
        let it = parameter("filename")?;
        let text = match it.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => it.split(';').next()?,
        };
        Some(text.trim().to_owned())
    };
    let name = encoded.or_else(plain)?;
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|it| !it.is_control()).collect();
    (!matches!(clean.trim(), "" | "." | "..")).then_some(clean)
}

/// Decodes percent-encoded UTF-8.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        match hex.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_has_no_folders() {
        for (disposition, expected) in [
            ("attachment; filename=\"a b.txt\"", Some("a b.txt")),
            ("attachment; filename=log.txt; size=1", Some("log.txt")),
            ("attachment; filename=\"x\"; filename*=UTF-8''%C3%BCber%20uns.pdf", Some("über uns.pdf")),
            ("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", Some("passwd")),
            ("attachment; filename=\"C:\\\\temp\\\\a.txt\"", Some("a.txt")),
            ("attachment; filename=\"..\"", None),
            ("attachment; filename=\"\"", None),
            ("attachment; filename*=UTF-8''%0d%0aX%", Some("X%")),
            ("inline", None),
        ] {
            assert_eq!(file_name(disposition).as_deref(), expected, "{disposition}");
        }
    }

    #[test]
    fn a_page_is_known_by_its_type_or_its_beginning() {
        assert!(is_html(Some("text/html;charset=UTF-8"), b"x") && is_html(None, b" \n<!DOCTYPE HTML>"));
        assert!(is_html(Some("application/json"), b"<html>") && !is_html(Some("application/json"), b"{}"));
        // A proxy may call everything HTML.
        assert!(!is_html(Some("text/html"), b" {\"a\":1}"));
    }
}
