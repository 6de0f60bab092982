//! Files of issues: as embedded resources, as pictures, and adding one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plainwire::Entries;
use plainwire::handler::{WithBlocks, embed};
use plainwire::model::{BlobResource, ResourceContents, TextResource};
use plainwire::prelude::*;

use super::worklogs::given;
use crate::jira::Jira;
use crate::jira::attachments::{Attachment, NewFile, may_be_picture, media_type_of, picture_type, why};
use crate::jira::key::Key;
use crate::tools::args::Texts;
use crate::tools::write;
use crate::write::{Change, Journal};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_download_attachments).tool(jira_get_issue_images).tool(jira_upload_attachment)
}

/// The largest number of bytes of the files of an answer: as base64 they fit into the largest result.
const MAX_BYTES: u64 = 2_500_000;

/// The largest number of files of an answer.
const MAX_FILES: usize = 50;

/// Files of an issue. Their contents follow as blocks, in this order.
#[data(kind = "jiraAttachments:v1")]
struct Files {
    files: Vec<FileView>,
    /// Files that are not here, with the reason. Ask for them by id, or open their address.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
}

/// A file.
#[data]
struct FileView {
    id: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    bytes: u64,
}

/// A file that is not in the answer.
#[data]
struct LeftOut {
    id: String,
    name: String,
    bytes: u64,
    why: String,
    url: String,
}

/// Reads the files attached to an issue. Returns a list, and the contents as embedded resources: text as text, all else as base64. Files
/// beyond the limit of bytes are listed as left out.
#[tool(read_only, title = "Files of an issue")]
async fn jira_download_attachments(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Only these files, by id or name.")] attachments: Option<Texts>,
    #[argument("The largest number of bytes in all, at most 2500000.", default = 2_500_000)] max_bytes: u64,
    jira: State<Jira>,
    context: Context,
) -> Result<WithBlocks<Files>, ToolError> {
    let key = jira.key(&issue_key).await?;
    let wanted = wanted(&jira, &key, attachments.unwrap_or_default().all()).await?;
    let show = |file: &Attachment, bytes: &[u8]| Ok((media_type(file), resource(file, bytes)));
    read(&jira, &context, wanted, max_bytes, show).await
}

/// Shows the pictures attached to an issue. Returns a list, and the pictures as images: PNG, JPEG, GIF and WebP. Those beyond the limit
/// of bytes are listed as left out.
#[tool(read_only, title = "Pictures of an issue")]
async fn jira_get_issue_images(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("Only these pictures, by id or name.")] attachments: Option<Texts>,
    #[argument("The largest number of bytes in all, at most 2500000.", default = 2_500_000)] max_bytes: u64,
    jira: State<Jira>,
    context: Context,
) -> Result<WithBlocks<Files>, ToolError> {
    let key = jira.key(&issue_key).await?;
    let mut wanted = wanted(&jira, &key, attachments.unwrap_or_default().all()).await?;
    wanted.retain(may_be_picture);
    let show = |_: &Attachment, bytes: &[u8]| {
        let kind = picture_type(bytes).ok_or_else(|| "its bytes are no PNG, JPEG, GIF or WebP".to_owned())?;
        let image = Image { bytes: bytes.to_vec(), mime_type: kind.to_owned() };
        Ok((kind.to_owned(), Content::from(image)))
    };
    read(&jira, &context, wanted, max_bytes, show).await
}

/// Returns the files that a call asks for.
async fn wanted(jira: &Jira, key: &Key, names: &[String]) -> Result<Vec<Attachment>, ToolError> {
    let all = jira.attachments(key).await?;
    if names.is_empty() {
        return Ok(all);
    }
    let is_named = |it: &Attachment, name: &String| it.id == *name || it.filename == *name;
    if let Some(missing) = names.iter().find(|name| !all.iter().any(|it| is_named(it, name))) {
        let there: Vec<_> =
            all.iter().take(MAX_FILES).map(|it| format!("{} ({})", it.filename, it.id)).collect();
        let error = ToolError::not_found(format!("{key} has no file {missing:?}"));
        return Err(error.hint(format!("its files are {}", there.join(", "))));
    }
    Ok(all.into_iter().filter(|it| names.iter().any(|name| is_named(it, name))).collect())
}

/// Reads files one after the other while they fit, and shows each.
async fn read(
    jira: &Jira,
    context: &Context,
    files: Vec<Attachment>,
    max_bytes: u64,
    show: impl Fn(&Attachment, &[u8]) -> Result<(String, Content), String>,
) -> Result<WithBlocks<Files>, ToolError> {
    let mut left = max_bytes.clamp(1, MAX_BYTES);
    let mut view = Files { files: Vec::new(), left_out: Vec::new() };
    let mut blocks: Vec<Content> = Vec::new();
    let count = files.len();
    for (at, file) in files.into_iter().enumerate() {
        context.progress(at as f64, Some(count as f64), Some(&file.filename));
        let shown = match () {
            () if view.files.len() == MAX_FILES => Err(format!("an answer has at most {MAX_FILES} files")),
            () if file.size > left => {
                Err(format!("only {left} bytes are left of those that an answer may have"))
            }
            () => match jira.bytes_of(&file, usize::try_from(left).unwrap_or(usize::MAX)).await {
                Ok(found) => show(&file, &found.bytes).map(|it| (it, found.bytes.len() as u64)),
                Err(error) => Err(why(&error)),
            },
        };
        match shown {
            Ok(((kind, block), bytes)) => {
                left = left.saturating_sub(bytes);
                blocks.push(block);
                view.files.push(FileView { id: file.id, name: file.filename, kind, bytes });
            }
            Err(why) => {
                view.left_out.push(LeftOut {
                    id: file.id,
                    name: file.filename,
                    bytes: file.size,
                    why,
                    url: file.content,
                });
            }
        }
    }
    Ok(WithBlocks::new(view, blocks))
}

/// Returns the type of a file: that of the site, or of its name if the site has none.
fn media_type(file: &Attachment) -> String {
    match file.media_type.as_str() {
        "" | "application/octet-stream" => media_type_of(&file.filename).to_owned(),
        known => known.to_owned(),
    }
}

/// Returns an embedded resource with the contents of a file.
fn resource(file: &Attachment, bytes: &[u8]) -> Content {
    let uri = format!("attachment:///{}/{}", file.id, crate::rest::quote(&file.filename));
    let mime_type = Some(media_type(file));
    let text = std::str::from_utf8(bytes).ok().filter(|it| !it.contains('\0'));
    embed(match text {
        Some(text) => ResourceContents::Text(TextResource {
            uri,
            mime_type,
            text: text.to_owned(),
            ..TextResource::default()
        }),
        None => ResourceContents::Blob(BlobResource {
            uri,
            mime_type,
            blob: STANDARD.encode(bytes),
            ..BlobResource::default()
        }),
    })
}

// A file to attach.
#[data]
struct Upload {
    /// Such as SHOP-1.
    issue_key: String,
    /// The name, without folders, such as log.txt.
    file_name: String,
    /// The bytes, as base64.
    content: Option<String>,
    /// The text of the file, in place of `content`.
    text: Option<String>,
    /// Such as image/png. By default that of the name.
    media_type: Option<String>,
    /// Only show it.
    #[default(false)]
    preview: bool,
}

/// Attaches a file to an issue, from base64 or text. Returns its id and an undo handle.
#[tool(additive, title = "Attach a file")]
async fn jira_upload_attachment(
    #[arguments] it: Upload,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&it.issue_key).await?;
    let bytes = match (it.content, it.text) {
        (Some(content), None) => decoded(&content)?,
        (None, Some(text)) => text.into_bytes(),
        _ => return Err(ToolError::invalid_input("expected one of `content` and `text`")),
    };
    let media_type = given(it.media_type.as_deref()).map(ToOwned::to_owned);
    let plan = jira.plan_upload(&key, NewFile { name: it.file_name, media_type, bytes })?;
    let mut change = match write(&jira, &journal, &context, plan, it.preview).await {
        Err(error) if error.code() == "too_large" => {
            let limit = jira.upload_limit().await;
            return Err(match limit {
                Some(limit) => error.hint(format!("this site takes files of up to {limit} bytes")),
                None => error,
            });
        }
        change => change?,
    };
    if let Some(id) = change.result.pointer("/attachment/0/id").cloned() {
        change.result = json!({ "attachment_id": id });
    }
    Ok(change)
}

/// Reads base64, with or without the beginning of a `data:` address.
fn decoded(text: &str) -> Result<Vec<u8>, ToolError> {
    let text = match text.trim().strip_prefix("data:").and_then(|it| it.split_once(";base64,")) {
        Some((_, content)) => content,
        None => text,
    };
    let text: String = text.chars().filter(|it| !it.is_ascii_whitespace()).collect();
    let wrong = |error| {
        ToolError::invalid_input(format!("expected `content` to be base64, but found other text: {error}"))
    };
    STANDARD.decode(text).map_err(wrong)
}
