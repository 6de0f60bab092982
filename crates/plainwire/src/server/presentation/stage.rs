//! The presentation of one tool, as the outermost layer of its calls.
//!
//! In: the call, whose argument `format` is taken out, and what the tool returned. Out: the result with its blocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use plainwire_proto::model::{
    Annotations, CallToolResult, Content, RawJson, ResourceContents, Role, TextContent,
};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use super::error::Known;
use super::markdown::markdown;
use super::tree::Tree;
use super::{FORMAT, Format, NeedsInput, Presentation, PresentedTool};
use crate::server::layer::{Layer, LayerFuture, Next, Request};
use crate::server::result::{Response, ToolError};

/// The layer that presents the results of one tool.
pub(super) struct Stage(Arc<Facts>);

struct Facts {
    has_limit: bool,
    /// Whether the tool has an argument `format` of its own, which the presentation leaves alone.
    has_own_format: bool,
    masks_errors: bool,
    name: String,
    presentation: Presentation,
    schema: Option<Value>,
}

impl Stage {
    pub(super) fn new(presentation: Presentation, tool: &PresentedTool<'_>) -> Self {
        Self(Arc::new(Facts {
            has_limit: tool.has_limit,
            has_own_format: tool.schema.has_property(FORMAT),
            masks_errors: tool.masks_errors,
            name: tool.name.to_owned(),
            presentation,
            schema: tool.output_schema.and_then(|it| serde_json::from_str(it.get()).ok()),
        }))
    }
}

impl Layer for Stage {
    fn call(&self, mut request: Request, next: Next) -> LayerFuture {
        let facts = Arc::clone(&self.0);
        Box::pin(async move {
            let format = facts.take_format(&mut request)?;
            request.context_mut().set_format(format);
            let mut returned = next.clone().run(request.clone()).await;
            if let Some(needs) = returned.as_ref().err().and_then(needs)
                && let Some(answer) = needs.ask(request.context()).await
            {
                // From the beginning, with the answer among the arguments. A second question is left to the model.
                add_arguments(&mut request, answer)?;
                returned = next.run(request).await;
            }
            match returned {
                Ok(Response::Tool(result)) => Ok(facts.present(result, format).into()),
                Ok(other) => Ok(other),
                // Such an error is answered by the protocol, and not by a result.
                Err(error)
                    if error.is_invalid_arguments()
                        || error.missing().is_some()
                        || error.page().is_some() =>
                {
                    Err(error)
                }
                Err(error) => Ok(match needs(&error) {
                    Some(needs) => facts.present_needs(&needs, format),
                    None => facts.present_error(error, format),
                }
                .into()),
            }
        })
    }
}

impl Facts {
    /// Takes the form of the result out of the arguments.
    fn take_format(&self, request: &mut Request) -> Result<Format, ToolError> {
        let default = self.presentation.default;
        if self.has_own_format || (default.is_none() && !self.presentation.accepts_format) {
            return Ok(default.unwrap_or(Format::Json));
        }
        // Most calls have no such argument, and are not parsed for it.
        if !request.arguments().contains(FORMAT) {
            return Ok(default.unwrap_or(Format::Json));
        }
        // What is no object is refused by the tool.
        let members = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(request.arguments());
        let mut members = members.unwrap_or_default();
        let Some(given) = members.remove(FORMAT) else { return Ok(default.unwrap_or(Format::Json)) };
        request.replace_arguments(&members)?;
        let Some(default) = default else {
            tracing::warn!("{} got `{FORMAT}`, which it ignores: its results are JSON", self.name);
            return Ok(Format::Json);
        };
        if given.get() == "null" {
            return Ok(default);
        }
        let word: Option<String> = serde_json::from_str(given.get()).ok();
        let format = word.as_deref().unwrap_or(given.get()).parse();
        format.map_err(|why: String| ToolError::invalid_arguments(format!("`{FORMAT}`: {why}")))
    }

    fn present(&self, mut result: CallToolResult, format: Format) -> CallToolResult {
        if result.is_error {
            return result;
        }
        result = match result.structured_content.take() {
            None => self.wrap_texts(result, format),
            Some(value) => {
                let mut content = std::mem::take(&mut result.content);
                if self.presentation.default.is_some() {
                    match format {
                        Format::Json => content.retain(|block| block.as_text().is_none()),
                        // Pictures beside a value are no text of it.
                        _ if !has_text(&content) => {
                            content.splice(0..0, self.read_as_markdown(&value)).for_each(drop)
                        }
                        _ => {}
                    }
                }
                self.verify(&value, &content);
                self.with_json(CallToolResult { content, structured_content: Some(value), ..result }, format)
            }
        };
        self.limited(result, format)
    }

    /// Adds the JSON of the structured content as the last block, if the form has it.
    fn with_json(&self, mut result: CallToolResult, format: Format) -> CallToolResult {
        let Some(value) = &result.structured_content else { return result };
        // Without a block, the JSON becomes one when the result is sent.
        let is_made_later = !has_text(&result.content) && !self.presentation.is_pretty;
        let has_own = self.presentation.default.is_none() && has_text(&result.content);
        if format != Format::Markdown && !is_made_later && !has_own {
            let text = if self.presentation.is_pretty { pretty(value) } else { value.get().to_owned() };
            let after_texts =
                result.content.iter().rposition(|it| it.as_text().is_some()).map_or(0, |at| at + 1);
            result.content.insert(after_texts, Content::text(text));
        }
        result
    }

    fn read_as_markdown(&self, value: &RawJson) -> Vec<Content> {
        let Ok(tree) = serde_json::from_str::<Tree>(value.get()) else {
            // Deeper than any reader can follow: the JSON is shown as it is.
            return vec![Content::text(value.get())];
        };
        #[cfg(feature = "templates")]
        match self.presentation.templates.render(&tree) {
            Some(Ok(blocks)) => {
                return blocks.into_iter().map(|(priority, text)| for_user(text, priority)).collect();
            }
            Some(Err(why)) => tracing::warn!("a template failed for a result of {}: {why}", self.name),
            None => {}
        }
        vec![for_user(markdown(&tree, self.schema.as_ref()), 1.0)]
    }

    fn verify(&self, value: &RawJson, content: &[Content]) {
        if let Some(verify) = self.presentation.verify
            && let Ok(value) = serde_json::from_str(value.get())
            && let Err(why) = verify(&value, content)
        {
            tracing::warn!("a result of {} is not as expected: {why}", self.name);
        }
    }

    /// Wraps the texts that the tool wrote itself, in the forms with JSON.
    fn wrap_texts(&self, mut result: CallToolResult, format: Format) -> CallToolResult {
        if self.presentation.default.is_none() || format == Format::Markdown {
            return result;
        }
        let wrap = |block: &Content| {
            let value = json!({ "kind": "text:v1", "text": block.as_text()? });
            Some(Content::text(if self.presentation.is_pretty {
                format!("{value:#}")
            } else {
                value.to_string()
            }))
        };
        let wrapped: Vec<Content> = result.content.iter().filter_map(wrap).collect();
        if format == Format::Json {
            result.content.retain(|block| block.as_text().is_none());
        }
        result.content.extend(wrapped);
        result
    }

    fn present_needs(&self, needs: &NeedsInput, format: Format) -> CallToolResult {
        let content = match (format, self.presentation.default) {
            (Format::Json, _) | (_, None) => Vec::new(),
            _ => vec![for_user(needs.markdown(), 1.0)],
        };
        // The schema of a list has no room for it, and strict clients refuse a result that does not fit.
        let is_error = self.schema.as_ref().is_some_and(|it| it["type"] != "object");
        let result = CallToolResult {
            content,
            is_error,
            structured_content: needs.value(),
            ..CallToolResult::default()
        };
        self.limited(self.with_json(result, format), format)
    }

    fn present_error(&self, error: ToolError, format: Format) -> CallToolResult {
        let error = if self.masks_errors { error.masked(&self.name) } else { error };
        let known = Known::of(&error);
        let value = known.as_ref().and_then(Known::value);
        let content = match (format, self.presentation.default) {
            (Format::Json, Some(_)) => Vec::new(),
            (_, None) => vec![Content::text(error.text())],
            _ => vec![for_user(known.map(|it| it.markdown()).unwrap_or_default(), 1.0)],
        };
        let meta = error.into_result().meta;
        let result = CallToolResult { content, is_error: true, meta, structured_content: value };
        match self.presentation.default {
            Some(_) => self.with_json(result, format),
            None => result,
        }
    }

    /// Returns the result, or an error in its place if it is too large.
    fn limited(&self, result: CallToolResult, format: Format) -> CallToolResult {
        let structured = result.structured_content.as_ref().map_or(0, |it| it.get().len());
        let size = result.content.iter().map(size).sum::<usize>() + structured;
        let limit = self.presentation.limit;
        if size <= limit || !self.has_limit {
            return result;
        }
        let text = format!("expected a result of at most {limit} bytes, but found {size}");
        self.present_error(ToolError::failed(text).hint("ask for less"), format)
    }
}

/// Returns the input that a call needs to go on, if `error` is about that.
fn needs(error: &ToolError) -> Option<NeedsInput> {
    (error.code() == NeedsInput::CODE).then(|| Known::of(error)?.needs())?
}

/// Adds the answer of the user to the arguments.
fn add_arguments(request: &mut Request, answer: Map<String, Value>) -> Result<(), ToolError> {
    let members = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(request.arguments());
    let mut members = members.unwrap_or_default();
    for (name, value) in answer {
        let value = to_raw_value(&value).map_err(|error| ToolError::displayed(error.to_string()))?;
        members.insert(name, value);
    }
    request.replace_arguments(&members)
}

/// Returns a block of Markdown, which is for the user first of all.
fn for_user(text: String, priority: f64) -> Content {
    let annotations =
        Annotations { audience: vec![Role::User], priority: Some(priority), ..Annotations::default() };
    Content::Text(TextContent { annotations: Some(annotations), text, ..TextContent::default() })
}

/// Returns the JSON of a value in lines, with its members in their order.
fn pretty(value: &RawJson) -> String {
    let tree = serde_json::from_str::<Tree>(value.get());
    tree.ok()
        .and_then(|tree| serde_json::to_string_pretty(&tree).ok())
        .unwrap_or_else(|| value.get().to_owned())
}

/// Returns about how many bytes a block takes.
fn size(block: &Content) -> usize {
    match block {
        Content::Text(it) => it.text.len(),
        Content::Image(it) | Content::Audio(it) => it.data.len(),
        Content::Resource(it) => match &it.resource {
            ResourceContents::Blob(it) => it.blob.len(),
            ResourceContents::Text(it) => it.text.len(),
        },
        Content::ResourceLink(it) => it.uri.len(),
        Content::Other(json) => json.get().len(),
    }
}
/// Returns whether there is a block of text.
fn has_text(content: &[Content]) -> bool {
    content.iter().any(|it| it.as_text().is_some())
}
