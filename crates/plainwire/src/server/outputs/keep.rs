//! Keeping large results: the original goes to the store, and a short form with links goes to the client.
//!
//! In: the outcome of a tool. Out: the same, or its short form. If the store fails, the result is sent as it is, so nothing is lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use plainwire_proto::model::{CallToolResult, Content, RawJson, ResourceContents, TextContent};
use plainwire_proto::revision::Revision;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::keeper::Keeper;
use super::store::OutputError;
use super::{short, tools};
use crate::schema::InputSchema;
use crate::server::handler::Running;
use crate::server::principal::Principal;
use crate::server::result::{Outcome, Response};

/// The member of `_meta` that names the outputs of a result.
const META: &str = "plainwire/outputs";

/// The smallest block that may become an output.
const MIN_BLOCK: usize = 512;

/// The largest number of blocks of a result that become outputs of their own.
const MAX_MOVED: usize = 16;

/// The media types of outputs.
const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// The part of the outputs that the catalog uses, for each tool.
///
/// A trait, so that a program without outputs does not contain their code.
pub(crate) trait Keep: Send + Sync {
    /// Returns the function that keeps the results of a tool; `None` for a tool that reads outputs.
    fn around(&self, name: &str, output_schema: Option<&RawJson>) -> Option<Around>;
}

/// A function around the future of a call.
pub(crate) type Around = Arc<dyn Fn(Running, Option<Arc<Principal>>) -> Running + Send + Sync>;

impl Keep for Keeper {
    fn around(&self, name: &str, output_schema: Option<&RawJson>) -> Option<Around> {
        // Those of a mounted server have a prefix.
        if tools::NAMES.contains(&name.rsplit("__").next().unwrap_or(name)) {
            return None;
        }
        let schema = output_schema.map(|it| InputSchema::by_hand(it.clone()));
        let tool = Arc::new(Tool { keeper: self.clone(), name: name.to_owned(), schema });
        Some(Arc::new(move |running, principal| {
            let tool = Arc::clone(&tool);
            Box::pin(async move {
                match running.await {
                    Outcome::Response(Response::Tool(result)) if tool.is_large(&result) => {
                        // On the heap, so that other calls do not carry the room for it.
                        Box::pin(tool.keep(result, principal)).await
                    }
                    other => other,
                }
            })
        }))
    }
}

struct Tool {
    keeper: Keeper,
    name: String,
    schema: Option<InputSchema>,
}

impl Tool {
    fn is_large(&self, result: &CallToolResult) -> bool {
        let threshold = self.keeper.threshold();
        let structured = result.structured_content.as_ref().map_or(0, |it| it.get().len());
        !result.is_error && (structured > threshold || size(&result.content) > threshold)
    }

    async fn keep(&self, result: CallToolResult, principal: Option<Arc<Principal>>) -> Outcome {
        let principal = principal.as_deref();
        let short = Short { content: Vec::new(), outputs: Vec::new(), principal, tool: self };
        let result = match short.of(&result).await {
            Ok(short) => short,
            Err(error) => {
                tracing::warn!(
                    "a large result of {} is sent as it is, since it can't be kept: {error}",
                    self.name
                );
                result
            }
        };
        Outcome::Response(Response::Tool(result))
    }
}

/// The short form of a result, as far as it is made.
struct Short<'t> {
    content: Vec<Content>,
    /// The outputs, for `_meta`.
    outputs: Vec<serde_json::Value>,
    principal: Option<&'t Principal>,
    tool: &'t Tool,
}

/// The structured content of a result, in its short form.
struct Value<'r> {
    /// The link to all of it, until it is placed beside the block that shows it.
    link: Option<Content>,
    short: Option<RawJson>,
    whole: &'r str,
}

impl Short<'_> {
    async fn of(mut self, result: &CallToolResult) -> Result<CallToolResult, OutputError> {
        let threshold = self.tool.keeper.threshold();
        let whole = result.structured_content.as_ref().filter(|it| it.get().len() > threshold);
        let mut value = match whole {
            Some(whole) => Some(self.value(whole, threshold).await?),
            None => None,
        };
        match moved(&result.content, threshold) {
            Some(moved) => {
                let budget = threshold / 2 / moved.len().max(1);
                for (at, block) in result.content.iter().enumerate() {
                    match moved.contains(&at) {
                        true => self.block(block, (at, budget), value.as_mut()).await?,
                        false => self.content.push(block.clone()),
                    }
                }
            }
            None => self.all_blocks(&result.content).await?,
        }
        let structured_content = match value {
            Some(value) => {
                // Revisions without structured content have the value as text only.
                let text = value.short.as_ref().filter(|_| result.content.is_empty());
                self.content.extend(text.map(|it| Content::text(it.get())));
                self.content.extend(value.link);
                value.short
            }
            None => result.structured_content.clone(),
        };
        let meta = Some(with_outputs(result.meta.as_ref(), &self.outputs)?);
        Ok(CallToolResult { content: self.content, is_error: false, meta, structured_content })
    }

    /// Keeps structured content, and shortens it.
    async fn value<'r>(&mut self, whole: &'r RawJson, threshold: usize) -> Result<Value<'r>, OutputError> {
        let schema = self.tool.schema.as_ref();
        let found = short::json(whole.get(), threshold / 2, schema);
        let shown = found.as_ref().map_or("", |(_, shown)| shown);
        let link = self.store(whole.get().as_bytes(), (JSON, "structuredContent"), shown).await?;
        let short = match found {
            Some((short, _)) => Some(short),
            // A tool that promises a value keeps it whole if there is no short one that fits.
            None => schema.is_some().then(|| whole.clone()),
        };
        Ok(Value { link: Some(link), short, whole: whole.get() })
    }

    /// Keeps a block, and adds its short form and the link to it.
    async fn block(
        &mut self,
        block: &Content,
        (at, budget): (usize, usize),
        value: Option<&mut Value<'_>>,
    ) -> Result<(), OutputError> {
        let of = format!("content/{at}");
        match block {
            Content::Text(it) => {
                // The JSON of the value, which is kept already.
                if let Some(value) = value.filter(|value| value.whole == it.text && value.link.is_some()) {
                    let size = value.whole.len();
                    let text = value.short.as_ref();
                    let text =
                        text.map_or_else(|| format!("[{size} bytes of JSON]"), |it| it.get().to_owned());
                    self.content.push(Content::Text(TextContent { text, ..it.clone() }));
                    self.content.extend(value.link.take());
                    return Ok(());
                }
                let (text, link) = self.text(&it.text, (&of, budget)).await?;
                self.content.extend([Content::Text(TextContent { text, ..it.clone() }), link]);
            }
            Content::Resource(it) => match &it.resource {
                ResourceContents::Text(it) => {
                    let (text, link) = self.text(&it.text, (&of, budget)).await?;
                    self.content.extend([Content::text(text), link]);
                }
                ResourceContents::Blob(it) => {
                    let bytes = plainwire_proto::base64::decode(&it.blob);
                    let bytes = bytes.ok_or_else(|| OutputError::failed("a blob is no base64"))?;
                    let media_type = it.mime_type.as_deref().unwrap_or("application/octet-stream");
                    let link = self.store(&bytes, (media_type, &of), "").await?;
                    self.content.push(link);
                }
            },
            other => self.content.push(other.clone()),
        }
        Ok(())
    }

    /// Keeps the list of all blocks as one output, where they are too many.
    async fn all_blocks(&mut self, content: &[Content]) -> Result<(), OutputError> {
        let all = to_raw_value(&content.iter().map(as_json).collect::<Vec<_>>());
        let all = all.map_err(|error| OutputError::failed(error.to_string()))?;
        let count = content.len();
        let shown = format!(" It is the list of the {count} blocks of this result.");
        let link = self.store(all.get().as_bytes(), (JSON, "content"), &shown).await?;
        self.content.extend([Content::text(format!("[{count} blocks are in the output below]")), link]);
        // What is no text is shown as it is.
        let others = content.iter().filter(|it| block_size(it) == 0 && it.as_text().is_none());
        self.content.extend(others.cloned());
        Ok(())
    }

    /// Keeps a text, and returns its short form and the link to it.
    async fn text(
        &mut self,
        text: &str,
        (of, budget): (&str, usize),
    ) -> Result<(String, Content), OutputError> {
        let is_json =
            text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let form = if is_json { short::json(text, budget, None) } else { None };
        let shown = form.as_ref().map_or("", |(_, shown)| shown);
        let media_type = if is_json { JSON } else { TEXT };
        let link = self.store(text.as_bytes(), (media_type, of), shown).await?;
        let uri = self.outputs.last().and_then(|it| it["uri"].as_str()).unwrap_or_default();
        let form = match form {
            Some((value, _)) => value.get().to_owned(),
            // JSON is not cut.
            None if is_json => format!("[{} bytes of JSON: {uri}]", text.len()),
            None => short::text(text, budget, uri),
        };
        Ok((form, link))
    }

    async fn store(
        &mut self,
        bytes: &[u8],
        (media_type, of): (&str, &str),
        shown: &str,
    ) -> Result<Content, OutputError> {
        let mut writer = self.tool.keeper.begin(self.principal, &self.tool.name, media_type).await?;
        let uri = writer.uri();
        writer.append_all(bytes).await?;
        let link = writer.complete(shown).await?;
        self.outputs.push(json!({ "uri": uri, "of": of, "bytes": bytes.len() }));
        Ok(link)
    }
}

/// Returns the blocks that become outputs, the largest first, so that the rest is half of the threshold at most; `None` if even
/// all larger blocks are not enough, or if they are too many.
fn moved(content: &[Content], threshold: usize) -> Option<Vec<usize>> {
    let mut total = size(content);
    if total <= threshold {
        return Some(Vec::new());
    }
    let mut sizes: Vec<(usize, usize)> =
        content.iter().map(block_size).enumerate().map(|(at, size)| (size, at)).collect();
    sizes.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut moved = Vec::new();
    for (size, at) in sizes.into_iter().take_while(|(size, _)| *size >= MIN_BLOCK.min(threshold / 2)) {
        if total <= threshold / 2 {
            break;
        }
        total -= size;
        moved.push(at);
    }
    (total <= threshold / 2 && moved.len() <= MAX_MOVED).then_some(moved)
}

fn size(content: &[Content]) -> usize {
    content.iter().map(block_size).sum()
}

/// Returns the number of bytes of a text or an embedded resource. Images and sounds are shown and heard whole, and count as none.
fn block_size(block: &Content) -> usize {
    match block {
        Content::Text(it) => it.text.len(),
        Content::Resource(it) => match &it.resource {
            ResourceContents::Blob(it) => it.blob.len(),
            ResourceContents::Text(it) => it.text.len(),
        },
        Content::Audio(_) | Content::Image(_) | Content::ResourceLink(_) | Content::Other(_) => 0,
    }
}

/// Returns the JSON of a block, in the newest revision.
fn as_json(block: &Content) -> Box<RawValue> {
    let mut out = Vec::new();
    plainwire_proto::codec::content(&mut out, block, Revision::NEWEST);
    String::from_utf8(out).ok().and_then(|it| RawValue::from_string(it).ok()).unwrap_or_default()
}

/// Returns `_meta` with the outputs of the result.
fn with_outputs(meta: Option<&RawJson>, outputs: &[serde_json::Value]) -> Result<RawJson, OutputError> {
    let failed = |error: serde_json::Error| OutputError::failed(format!("`_meta` can't be written: {error}"));
    let meta = meta.map(|it| serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(it.get()));
    let mut members = meta.transpose().map_err(failed)?.unwrap_or_default();
    members.insert(META.to_owned(), to_raw_value(outputs).map_err(failed)?);
    to_raw_value(&members).map_err(failed)
}
