//! Writes the values of the protocol in the shape of a revision.
//!
//! In: values of [`crate::model`] and a [`Revision`]. Out: JSON, mostly the value of `result`. Metadata that
//! a revision lacks is left out. A content block of a kind that the revision lacks is written as another kind
//! of block, so that no block of a result is lost. Reading needs no revision: older shapes are the newest
//! shape with members missing.

mod content;
mod entry;
mod input;
mod structured;
mod utility;

use std::sync::Arc;

use crate::cursor::List;
use crate::json::write::{self, Object};
use crate::model::{
    CacheHint, CacheScope, CallToolResult, Completion, GetPromptResult, Implementation, ReadResourceResult,
};
use crate::revision::{Feature, Revision};

pub use content::content;
pub use entry::{implementation, prompt, resource, resource_template, tool};
pub use input::{
    KeyedRequest, input_params, input_response, members, read_input_params, read_input_response, retry_params,
};
pub use utility::{complete_params, subscription_filter};

/// The key in the `_meta` of a result under which the server sends its `Implementation`.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// A writer for the results of one server in one revision.
#[derive(Clone, Debug)]
pub struct Encoder {
    revision: Revision,
    /// The server's `Implementation` as JSON; `None` if results must not carry it.
    server_info: Option<Arc<str>>,
}

impl Encoder {
    /// Creates the encoder of `revision`. If `server` is given, each result carries it in revisions with
    /// [`Feature::ServerInfoInResults`].
    pub fn new(revision: Revision, server: Option<&Implementation>) -> Self {
        let named = server.filter(|_| revision.has(Feature::ServerInfoInResults));
        let server_info = named.map(|server| {
            let mut out = Vec::new();
            implementation(&mut out, server, revision);
            String::from_utf8(out).unwrap_or_default().into()
        });
        Self { revision, server_info }
    }

    /// Returns the revision that this encoder writes.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Writes the result of `tools/call`. If it has no block of text, its structured content is written as
    /// the first block, as text. Where `structuredContent` has to be an object, any other value becomes the member `result`
    /// of an object.
    pub fn call_tool(&self, out: &mut Vec<u8>, result: &CallToolResult) {
        let mut object = self.open(out);
        let value = result.structured_content.as_deref().map(serde_json::value::RawValue::get);
        let has_text = result.content.iter().any(|it| it.as_text().is_some());
        if let (false, Some(json)) = (has_text, value) {
            let block = crate::model::Content::text(json);
            let blocks = std::iter::once(&block).chain(&result.content);
            object.array("content", blocks, |out, block| content(out, block, self.revision));
        } else {
            object.array("content", &result.content, |out, block| content(out, block, self.revision));
        }
        if let Some(json) = value {
            structured::content(&mut object, json, self.revision);
        }
        if result.is_error {
            object.bool("isError", true);
        }
        self.close(object, result.meta.as_deref().map(serde_json::value::RawValue::get));
    }

    /// Writes the result of `resources/read`.
    pub fn read_resource(&self, out: &mut Vec<u8>, result: &ReadResourceResult, hint: CacheHint) {
        let mut object = self.open(out);
        object.array("contents", &result.contents, |out, contents| {
            content::resource_contents(out, contents, self.revision);
        });
        self.cache_hint(&mut object, hint);
        self.close(object, result.meta.as_deref().map(serde_json::value::RawValue::get));
    }

    /// Writes the result of `prompts/get`.
    pub fn get_prompt(&self, out: &mut Vec<u8>, result: &GetPromptResult) {
        let mut object = self.open(out);
        object.maybe_string("description", result.description.as_deref());
        object.array("messages", &result.messages, |out, message| {
            let mut object = Object::open(out);
            object.string("role", message.role.as_str());
            content(object.name("content"), &message.content, self.revision);
            object.close();
        });
        self.close(object, result.meta.as_deref().map(serde_json::value::RawValue::get));
    }

    /// Writes the result of `completion/complete`.
    pub fn complete(&self, out: &mut Vec<u8>, completion: &Completion) {
        let mut object = self.open(out);
        let mut inner = Object::open(object.name("completion"));
        inner.array("values", &completion.values, |out, value| write::string(out, value));
        if let Some(total) = completion.total {
            write::display(inner.name("total"), total);
        }
        inner.bool("hasMore", completion.has_more);
        inner.close();
        self.close(object, None);
    }

    /// Writes one page of `list` as the result of the request for it. `each`, a function such as [`tool`] or
    /// [`prompt`], writes one of the `entries`.
    pub fn page<T>(
        &self,
        out: &mut Vec<u8>,
        list: List,
        entries: &[T],
        next_cursor: Option<&str>,
        hint: CacheHint,
        each: impl Fn(&mut Vec<u8>, &T, Revision),
    ) {
        let mut object = self.open(out);
        object.array(list.member(), entries, |out, entry| each(out, entry, self.revision));
        object.maybe_string("nextCursor", next_cursor);
        self.cache_hint(&mut object, hint);
        self.close(object, None);
    }

    /// Writes an empty result, which only reports success.
    pub fn empty(&self, out: &mut Vec<u8>) {
        let object = self.open(out);
        self.close(object, None);
    }

    /// Writes an empty result whose `_meta` has the members of `meta`, a JSON object.
    pub(crate) fn empty_with(&self, out: &mut Vec<u8>, meta: &str) {
        let object = self.open(out);
        self.close(object, Some(meta));
    }

    /// Begins a result: writes `{` and, in revisions with [`Feature::ResultType`], `"resultType":"complete"`.
    /// [`Self::close`] ends the result.
    pub(crate) fn open<'o>(&self, out: &'o mut Vec<u8>) -> Object<'o> {
        let mut object = Object::open(out);
        if self.revision.has(Feature::ResultType) {
            object.string("resultType", "complete");
        }
        object
    }

    /// Ends a result. Its `_meta` has the members of `meta`, a JSON object, and the server's `Implementation`
    /// if this encoder adds it to results.
    pub(crate) fn close(&self, mut object: Object<'_>, meta: Option<&str>) {
        match (meta, &self.server_info) {
            (None, None) => {}
            (Some(meta), None) => object.raw("_meta", meta),
            (meta, Some(server)) => {
                let out = object.name("_meta");
                out.push(b'{');
                write::string(out, SERVER_INFO);
                out.push(b':');
                out.extend_from_slice(server.as_bytes());
                let inner =
                    meta.and_then(|m| m.trim().strip_prefix('{')?.strip_suffix('}')).unwrap_or("").trim();
                if !inner.is_empty() {
                    out.push(b',');
                    write::raw(out, inner);
                }
                out.push(b'}');
            }
        }
        object.close();
    }

    /// Writes the cache hint, if the revision has cache hints.
    pub(crate) fn cache_hint(&self, object: &mut Object<'_>, hint: CacheHint) {
        if !self.revision.has(Feature::CacheHints) {
            return;
        }
        write::display(object.name("ttlMs"), hint.ttl.as_millis());
        object.string(
            "cacheScope",
            match hint.scope {
                CacheScope::Private => "private",
                CacheScope::Public => "public",
            },
        );
    }
}

#[cfg(test)]
mod tests;
