//! Files of issues: reading and adding them.
//!
//! In: the key of an issue, or a name and bytes. Out: a list of files, their bytes, a plan. No path of this machine is read or written.

use plainwire::ToolError;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::Jira;
use super::dialect::Files;
use super::key::Key;
use crate::rest::{Download, Form, Kind, Request, Upstream};
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step};

/// The largest file to add, in bytes: as base64 it just fits into the largest message that a server takes.
pub const MAX_UPLOAD: usize = 12 << 20;

/// The longest name of a file, in characters.
const MAX_NAME: usize = 255;

/// A file of an issue.
#[derive(Clone, Debug, Deserialize)]
pub struct Attachment {
    /// The id.
    #[serde(deserialize_with = "id")]
    pub id: String,
    /// The name.
    pub filename: String,
    /// The type that the site has for it.
    #[serde(default, rename = "mimeType")]
    pub media_type: String,
    /// Its bytes.
    #[serde(default)]
    pub size: u64,
    /// The address of its bytes.
    #[serde(default)]
    pub content: String,
}

/// Reads an id, which is text on a site and a number in samples of Atlassian's documents.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(de::Error::custom(format!("expected an id, but found {other}"))),
    }
}

/// A file to add.
#[derive(Debug)]
pub struct NewFile {
    /// The name, without folders.
    pub name: String,
    /// The type; nothing for that of the name.
    pub media_type: Option<String>,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Jira {
    /// Returns the files of an issue, in the order of the site.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn attachments(&self, key: &Key) -> Result<Vec<Attachment>, Upstream> {
        let issue = self.issue(key.as_str(), "attachment", &[]).await?;
        let all = issue.value("attachment").as_array().cloned().unwrap_or_default();
        // One that does not fit does not take the others with it.
        Ok(all.into_iter().filter_map(|it| serde_json::from_value(it).ok()).collect())
    }

    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// Those of the site; `TooLarge` for more than `most` bytes.
    ///
    /// Source: Cloud `GET /rest/api/3/attachment/content/{id}`, Data Center the address in `content`.
    pub async fn bytes_of(&self, file: &Attachment, most: usize) -> Result<Download, Upstream> {
        let request = match self.dialect().files {
            Files::Content => self.get(["attachment", "content", &file.id]),
            Files::Address => self.site().link(&file.content)?,
        };
        self.site().download(request.max_bytes(most)).await
    }

    /// Plans to add a file to an issue.
    ///
    /// # Errors
    /// A name that is a path; more bytes than a request may have.
    ///
    /// Source: `POST /rest/api/{v}/issue/{key}/attachments`.
    pub fn plan_upload(&self, key: &Key, file: NewFile) -> Result<Plan, ToolError> {
        let name = file.name.trim();
        let is_name = !name.is_empty() && name.chars().count() <= MAX_NAME && !matches!(name, "." | "..");
        if !is_name || name.contains(['/', '\\', ':']) || name.contains(char::is_control) {
            let message = format!(
                "expected `file_name` to be a name without folders, such as log.txt, but found {name:?}"
            );
            return Err(ToolError::invalid_input(message));
        }
        let size = file.bytes.len();
        if size > MAX_UPLOAD {
            return Err(ToolError::new(
                "too_large",
                format!("expected a file of at most {MAX_UPLOAD} bytes, but found {size}"),
            ));
        }
        let media_type = file.media_type.unwrap_or_else(|| media_type_of(name).to_owned());
        let form = Form::new().file("file", name, media_type, file.bytes);
        let request = Request::post(self.path(["issue", key.as_str(), "attachments"])).form(form);
        let made = Restore {
            path: self.path(["attachment", "{attachment}"]),
            how: How::Delete { query: Vec::new() },
        };
        Ok(Plan {
            tool: "jira_upload_attachment",
            target: key.as_str().to_owned(),
            summary: format!("attach {name:?} to {key}"),
            changes: vec![FieldChange::new("attachment", Value::Null, format!("{name} ({size} bytes)"))],
            steps: vec![Step::kept(request, "attachment")],
            inverse: Inverse::Steps(vec![made]),
            warnings: Vec::new(),
        })
    }

    /// Returns the largest file that the site takes, in bytes, if it tells.
    ///
    /// Source: `GET /rest/api/{v}/attachment/meta`.
    pub async fn upload_limit(&self) -> Option<u64> {
        let meta: Value = self.site().json(self.get(["attachment", "meta"])).await.ok()?;
        meta["uploadLimit"].as_u64()
    }
}

/// Returns the media type of a file by the end of its name.
pub fn media_type_of(name: &str) -> &'static str {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    match end.as_str() {
        "csv" => "text/csv",
        "gif" => "image/gif",
        "htm" | "html" => "text/html",
        "jpeg" | "jpg" => "image/jpeg",
        "json" => "application/json",
        "log" | "txt" => "text/plain",
        "md" => "text/markdown",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        "zip" => "application/zip",
        _ => "application/octet-stream",
    }
}

/// Returns the type of a picture that a model can look at, by its first bytes: names and types of files may be wrong.
pub fn picture_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Returns whether a file may be such a picture, by what the site says of it.
pub fn may_be_picture(file: &Attachment) -> bool {
    let is_vague = file.media_type.is_empty() || file.media_type == "application/octet-stream";
    let kind = if is_vague { media_type_of(&file.filename) } else { &file.media_type };
    matches!(kind, "image/png" | "image/jpeg" | "image/jpg" | "image/gif" | "image/webp")
}

/// Returns why a file that could not be read was left out.
pub fn why(error: &Upstream) -> String {
    match error.kind() {
        Kind::TooLarge => "it is larger than the site said".to_owned(),
        _ => error.message(),
    }
}
