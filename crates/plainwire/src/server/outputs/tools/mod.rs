//! The tools that read outputs, and the resource behind their links.
//!
//! In: the id of an output, and which part of it is wanted. Out: that part, never more than [`MAX_ANSWER`] bytes of it.

use std::sync::Arc;

use plainwire_macros::data;
use plainwire_proto::base64;
use plainwire_proto::model::{BlobResource, ResourceContents, TextResource};

use super::keeper::{Keeper, SCHEME};
use super::store::{OutputState, Stat};
use crate::server::context::Context;
use crate::server::entry::{Entries, Provider, ResourceTemplate, Tool};
use crate::server::result::ToolError;

mod grep;
mod json;
mod lines;
mod page;

/// The names of the tools.
pub(super) const NAMES: [&str; 3] = ["output_page", "output_grep", "output_json"];

/// The largest number of bytes of an output in one answer.
const MAX_ANSWER: usize = 64 << 10;

/// The largest output that is read whole as a resource, in bytes.
const MAX_RESOURCE: u64 = 4 << 20;

/// The entries that read the outputs of a keeper.
pub(super) struct Tools(pub(super) Keeper);

impl Provider for Tools {
    fn entries(self: Arc<Self>) -> Entries {
        let keeper = || self.0.clone();
        let [page, grep, json, whole] = [keeper(), keeper(), keeper(), keeper()];
        let permits = Arc::new(tokio::sync::Semaphore::new(json::MAX_AT_ONCE));
        Entries::new()
            .tool(
                Tool::new(NAMES[0], move |it: page::Wanted, ctx: Context| page::page(page.clone(), it, ctx))
                    .title("Read a page of an output")
                    .description("Returns bytes of a kept output from an offset, as text or base64.")
                    .read_only()
                    .closed_world(),
            )
            .tool(
                Tool::new(NAMES[1], move |it: grep::Wanted, ctx: Context| grep::grep(grep.clone(), it, ctx))
                    .title("Search an output")
                    .description("Returns the lines of a kept output that match a regular expression.")
                    .read_only()
                    .closed_world(),
            )
            .tool(
                Tool::new(NAMES[2], move |it: json::Wanted, ctx: Context| {
                    json::json((json.clone(), Arc::clone(&permits)), it, ctx)
                })
                .title("Read a part of JSON")
                .description("Returns the value at a path in a kept output that is JSON.")
                .read_only()
                .closed_world(),
            )
            .resource_template(
                ResourceTemplate::new(format!("{SCHEME}{{id}}"), "output", move |it: Id, ctx: Context| {
                    read_whole(whole.clone(), it.id, ctx)
                })
                .title("Kept output")
                .description("A large result, whole. Only with its id."),
            )
    }
}

/// The id of an output, as the variable of its URI.
#[data]
struct Id {
    id: String,
}

async fn read_whole(keeper: Keeper, id: String, ctx: Context) -> Result<ResourceContents, ToolError> {
    let (id, stat) = keeper.find(&ctx, &id).await?;
    if stat.bytes > MAX_RESOURCE {
        let found = stat.bytes;
        let error = ToolError::invalid_input(format!(
            "expected an output of at most {MAX_RESOURCE} bytes, but found {found}"
        ));
        return Err(error.hint("read it by output_page"));
    }
    let bytes = keeper.read(&id, 0, MAX_RESOURCE as usize).await?;
    let (uri, mime_type) = (format!("{SCHEME}{}", id.as_str()), Some(stat.about.media_type));
    Ok(match String::from_utf8(bytes) {
        Ok(text) => ResourceContents::Text(TextResource { uri, mime_type, text, meta: None }),
        Err(error) => {
            let blob = base64::encode(error.as_bytes());
            ResourceContents::Blob(BlobResource { uri, mime_type, blob, meta: None })
        }
    })
}

/// Returns the offset that is asked for, 0 by default, if the output is so long.
fn offset(wanted: Option<u64>, stat: &Stat) -> Result<u64, ToolError> {
    let (offset, most) = (wanted.unwrap_or(0), stat.bytes);
    match offset <= most {
        true => Ok(offset),
        false => Err(ToolError::invalid_input(format!(
            "expected `offset` to be at most {most}, the number of bytes by now, but found {offset}"
        ))),
    }
}

/// Bytes as text, or as base64 where they are no UTF-8.
pub(super) fn as_text(bytes: &[u8]) -> (Option<String>, Option<String>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Some(text.to_owned()), None),
        Err(_) => (None, Some(base64::encode(bytes))),
    }
}

/// The answer whether an output has all its bytes.
#[data]
#[serde(rename_all = "camelCase")]
pub(crate) enum Completeness {
    /// It has all its bytes.
    Complete,
    /// It ended before it was complete.
    CutOff,
    /// More bytes may come: ask again later.
    Growing,
}

impl From<&Stat> for Completeness {
    fn from(it: &Stat) -> Self {
        match it.state {
            OutputState::Complete => Self::Complete,
            OutputState::CutOff => Self::CutOff,
            OutputState::Growing => Self::Growing,
        }
    }
}
