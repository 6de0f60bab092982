//! Forms with files: bodies of `multipart/form-data`.
//!
//! In: texts and files. Out: the bytes of the body, made once, so that it can be sent again without a copy;
//! the forms of `reqwest` can be sent once only.

use bytes::Bytes;

/// A form with texts and files, for attachments.
#[derive(Clone, Debug, Default)]
pub struct Form {
    parts: Vec<Part>,
}

#[derive(Clone)]
struct Part {
    name: String,
    /// The name and the media type of a file; `None` for a text.
    file: Option<(String, String)>,
    bytes: Bytes,
}

impl Form {
    /// Makes an empty form.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    #[must_use]
    pub fn text(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parts.push(Part { name: name.into(), file: None, bytes: Bytes::from(value.into()) });
        self
    }

    /// Adds a file, such as `form.file("file", "log.txt", "text/plain", bytes)`. A media type that is none
    /// becomes `application/octet-stream`.
    #[must_use]
    pub fn file(
        mut self,
        name: impl Into<String>,
        file_name: impl Into<String>,
        media_type: impl Into<String>,
        bytes: impl Into<Bytes>,
    ) -> Self {
        let file = Some((file_name.into(), media_type.into()));
        self.parts.push(Part { name: name.into(), file, bytes: bytes.into() });
        self
    }

    /// Returns the body, and its `Content-Type`.
    pub(super) fn written(&self) -> (Bytes, String) {
        // A file can't know it, so none ends its part early.
        let boundary = format!("plainwire-{:032x}", fastrand::u128(..));
        let size: usize = self.parts.iter().map(|it| it.bytes.len() + 300).sum();
        let mut body = Vec::with_capacity(size + 100);
        for part in &self.parts {
            body.extend_from_slice(part.head(&boundary).as_bytes());
            body.extend_from_slice(&part.bytes);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        (body.into(), format!("multipart/form-data; boundary={boundary}"))
    }
}

impl Part {
    fn head(&self, boundary: &str) -> String {
        let name = escaped(&self.name);
        let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        if let Some((file_name, media_type)) = &self.file {
            let is_plain = |it: char| it.is_ascii_graphic() || it == ' ';
            let is_known = media_type.contains('/') && media_type.chars().all(is_plain);
            let media_type = if is_known { media_type } else { "application/octet-stream" };
            head += &format!("; filename=\"{}\"\r\nContent-Type: {media_type}", escaped(file_name));
        }
        head + "\r\n\r\n"
    }
}

/// Writes a name between quotes, as browsers do (HTML, "multipart form data"): UTF-8, with three characters
/// encoded.
fn escaped(name: &str) -> String {
    name.replace('\r', "%0D").replace('\n', "%0A").replace('"', "%22")
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Part({}, {} bytes)", self.name, self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_can_not_add_a_header_or_a_part() {
        let form = Form::new().text("comment", "x").file(
            "file",
            "a\"\r\nX: y\r\n\r\n.txt",
            "text/plain\r\nX: y",
            &b"hello"[..],
        );
        let (body, content_type) = form.written();
        let boundary = content_type.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"comment\"\r\n\r\nx\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; \
             filename=\"a%22%0D%0AX: y%0D%0A%0D%0A.txt\"\r\n\
             Content-Type: application/octet-stream\r\n\r\nhello\r\n\
             --{boundary}--\r\n"
        );
        assert_eq!(String::from_utf8_lossy(&body), expected);
    }
}
