//! Writes and reads the questions of servers and the clients' answers to them, in the shape of a revision. A
//! question is an elicitation, sampling or roots request.
//!
//! In: [`InputRequest`] and [`InputResponse`], or JSON from the other side. Out: JSON, or those values.
//! Nothing is sent here: [`crate::peer`] does that.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Encoder, content::content, entry};
use crate::error::{Error, ErrorKind};
use crate::form::Form;
use crate::json::write::{self, Object};
use crate::json::{MAX_VALUES, has_too_many_values, shorten};
use crate::model::{
    CreateMessage, CreateMessageResult, ElicitResult, Elicitation, InputMethod, InputRequest, InputRequired,
    InputResponse, ModelPreferences, RawJson, Root, SamplingContent, SamplingMessage, ToolResult,
};
use crate::revision::{Feature, Revision};

/// A question (an elicitation, sampling or roots request) in an `input_required` result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedRequest {
    /// The key of the question, unique within the call. Its answer in `inputResponses` has the same key.
    pub key: String,
    /// The method of the question.
    pub method: InputMethod,
    /// The parameters of the question as JSON, written by [`input_params`].
    pub params: String,
}

/// Writes the `params` of the question `request`.
///
/// # Errors
/// A text that names the part of the question that `revision` cannot express, such as a multiple choice
/// before 2025-11-25. Before 2025-11-25, a form's schema is also parsed, and a fault in it is an error.
pub fn input_params(out: &mut Vec<u8>, request: &InputRequest, revision: Revision) -> Result<(), String> {
    match request {
        InputRequest::Elicit(it) => elicit_params(out, it, revision)?,
        InputRequest::ListRoots => out.extend_from_slice(b"{}"),
        InputRequest::Sample(it) => {
            let blocks = it.messages.iter().flat_map(|message| &message.content);
            if let Some(found) = blocks.filter_map(|block| missing(block, revision)).next() {
                return Err(format!(
                    "expected messages of blocks that {revision} has in sampling, but found {found}"
                ));
            }
            sample_params(out, it, revision);
        }
    }
    Ok(())
}

/// Returns the type of `block` if sampling messages of `revision` cannot have such a block; else `None`.
fn missing(block: &SamplingContent, revision: Revision) -> Option<&'static str> {
    match block {
        SamplingContent::Audio(_) if !revision.has(Feature::Audio) => Some("`audio`"),
        SamplingContent::ToolResult(_) if !revision.has(Feature::SamplingTools) => Some("`tool_result`"),
        SamplingContent::ToolUse(_) if !revision.has(Feature::SamplingTools) => Some("`tool_use`"),
        _ => None,
    }
}

fn elicit_params(out: &mut Vec<u8>, it: &Elicitation, revision: Revision) -> Result<(), String> {
    match it {
        Elicitation::Form { message, schema } => {
            let mut written = Vec::new();
            if revision.has(Feature::RicherForms) {
                write::raw(&mut written, schema);
            } else {
                let form = Form::parse(schema)?;
                form.write(&mut written, revision).map_err(|error| error.to_string())?;
            }
            let mut object = Object::open(out);
            if revision.has(Feature::UrlElicitation) {
                object.string("mode", "form");
            }
            object.string("message", message);
            object.name("requestedSchema").append(&mut written);
            object.close();
        }
        Elicitation::Url { id, message, url } => {
            let mut object = Object::open(out);
            object.string("mode", "url");
            object.string("message", message);
            object.string("url", url);
            if revision.has(Feature::UrlElicitationId) {
                object.string("elicitationId", id);
            }
            object.close();
        }
    }
    Ok(())
}

fn sample_params(out: &mut Vec<u8>, it: &CreateMessage, revision: Revision) {
    let mut object = Object::open(out);
    let one_block_each = !revision.has(Feature::SamplingTools);
    let messages = it.messages.iter().flat_map(|message| {
        // Before 2025-11-25 a message has one block: a message of several blocks becomes several messages of
        // the same role.
        let size = if one_block_each { 1 } else { message.content.len().max(1) };
        message.content.chunks(size).map(move |content| (message, content))
    });
    object.array("messages", messages, |out, (message, content)| {
        sampling_message(out, message, content, revision)
    });
    write::display(object.name("maxTokens"), it.max_tokens);
    if let Some(preferences) = &it.model_preferences {
        model_preferences(object.name("modelPreferences"), preferences);
    }
    object.maybe_string("systemPrompt", it.system_prompt.as_deref());
    object.maybe_string("includeContext", it.include_context.as_deref());
    if let Some(temperature) = it.temperature {
        write::number(object.name("temperature"), temperature);
    }
    if !it.stop_sequences.is_empty() {
        object.array("stopSequences", &it.stop_sequences, |out, text| write::string(out, text));
    }
    if let Some(metadata) = &it.metadata {
        object.raw("metadata", metadata.get());
    }
    if revision.has(Feature::SamplingTools) {
        if !it.tools.is_empty() {
            object.array("tools", &it.tools, |out, tool| entry::tool(out, tool, revision));
        }
        if let Some(choice) = it.tool_choice {
            let mut inner = Object::open(object.name("toolChoice"));
            inner.string("mode", choice.as_str());
            inner.close();
        }
    }
    object.close();
}

fn sampling_message(out: &mut Vec<u8>, it: &SamplingMessage, blocks: &[SamplingContent], revision: Revision) {
    let mut object = Object::open(out);
    object.string("role", it.role.as_str());
    sampling_blocks(&mut object, blocks, revision);
    object.close();
}

/// Writes the member `content` of a sampling message, or of the answer to a sampling request: one block as an
/// object, which every revision reads; none or several blocks as an array.
fn sampling_blocks(object: &mut Object<'_>, blocks: &[SamplingContent], revision: Revision) {
    match blocks {
        [one] => sampling_content(object.name("content"), one, revision),
        many => object.array("content", many, |out, block| sampling_content(out, block, revision)),
    }
}

fn sampling_content(out: &mut Vec<u8>, block: &SamplingContent, revision: Revision) {
    use crate::model::Content;
    match block {
        SamplingContent::Audio(it) => content(out, &Content::Audio(it.clone()), revision),
        SamplingContent::Image(it) => content(out, &Content::Image(it.clone()), revision),
        SamplingContent::Text(it) => content(out, &Content::Text(it.clone()), revision),
        SamplingContent::ToolResult(it) => tool_result(out, it, revision),
        SamplingContent::ToolUse(it) => {
            let mut object = Object::open(out);
            object.string("type", "tool_use");
            object.string("id", &it.id);
            object.string("name", &it.name);
            object.raw("input", it.input.get());
            object.close();
        }
        SamplingContent::Other(raw) => write::raw(out, raw.get()),
    }
}

fn tool_result(out: &mut Vec<u8>, it: &ToolResult, revision: Revision) {
    let mut object = Object::open(out);
    object.string("type", "tool_result");
    object.string("toolUseId", &it.tool_use_id);
    object.array("content", &it.content, |out, block| content(out, block, revision));
    if let Some(structured) = &it.structured_content {
        object.raw("structuredContent", structured.get());
    }
    if it.is_error {
        object.bool("isError", true);
    }
    object.close();
}

fn model_preferences(out: &mut Vec<u8>, it: &ModelPreferences) {
    let mut object = Object::open(out);
    if !it.hints.is_empty() {
        object.array("hints", &it.hints, |out, hint| {
            let mut object = Object::open(out);
            object.maybe_string("name", hint.name.as_deref());
            object.close();
        });
    }
    for (name, priority) in [
        ("costPriority", it.cost_priority),
        ("speedPriority", it.speed_priority),
        ("intelligencePriority", it.intelligence_priority),
    ] {
        if let Some(priority) = priority {
            write::number(object.name(name), priority);
        }
    }
    object.close();
}

/// Writes the answer to a question: the `result` of a legacy request, or a value of `inputResponses` in a
/// modern one. Before 2025-11-25 only the first block of a sampled message is written.
pub fn input_response(out: &mut Vec<u8>, response: &InputResponse, revision: Revision) {
    let mut object = Object::open(out);
    match response {
        InputResponse::Elicit(it) => {
            object.string("action", it.action.as_str());
            if let Some(content) = &it.content {
                object.raw("content", &serde_json::to_string(content).unwrap_or_default());
            }
        }
        InputResponse::ListRoots(roots) => object.array("roots", roots, |out, root| {
            let mut object = Object::open(out);
            object.string("uri", &root.uri);
            object.maybe_string("name", root.name.as_deref());
            object.close();
        }),
        InputResponse::Sample(it) => {
            object.string("role", it.role.as_str());
            // Before 2025-11-25 an answer has one block: only the first is written.
            let all = it.content.len();
            let fitting = if revision.has(Feature::SamplingTools) { all } else { all.min(1) };
            sampling_blocks(&mut object, &it.content[..fitting], revision);
            object.string("model", &it.model);
            object.maybe_string("stopReason", it.stop_reason.as_deref());
        }
    }
    object.close();
}

/// Reads the `params` of a question with this `method`, in the shape of any revision.
///
/// # Errors
/// `InvalidParams` for parameters that do not fit the method, or have more than [`MAX_VALUES`] values.
pub fn read_input_params(method: InputMethod, params: &str) -> Result<InputRequest, Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Elicit {
        #[serde(default)]
        elicitation_id: String,
        message: String,
        #[serde(default)]
        mode: Option<String>,
        requested_schema: Option<RawJson>,
        url: Option<String>,
    }
    let invalid = |found: &dyn std::fmt::Display| {
        let text = format!("expected the parameters of `{}`, but found {found}", method.as_str());
        Error::new(ErrorKind::InvalidParams, text)
    };
    if has_too_many_values(params) {
        return Err(invalid(&format!("more than {MAX_VALUES} values (limit `MAX_VALUES`)")));
    }
    match method {
        InputMethod::ListRoots => Ok(InputRequest::ListRoots),
        InputMethod::Sample => match serde_json::from_str::<CreateMessage>(params) {
            Ok(it) if it.max_tokens > 0 => Ok(InputRequest::Sample(Box::new(it))),
            Ok(_) => Err(invalid(&"no `maxTokens`")),
            Err(error) => Err(invalid(&error)),
        },
        InputMethod::Elicit => {
            let it: Elicit = serde_json::from_str(params).map_err(|error| invalid(&error))?;
            let message = it.message;
            // Spec: a request without `mode` is a form.
            match (it.mode.as_deref().unwrap_or("form"), it.requested_schema, it.url) {
                ("form", Some(schema), _) => {
                    let schema = schema.get().to_owned();
                    Ok(InputRequest::Elicit(Elicitation::Form { message, schema }))
                }
                ("url", _, Some(url)) => {
                    Ok(InputRequest::Elicit(Elicitation::Url { id: it.elicitation_id, message, url }))
                }
                ("form", None, _) => Err(invalid(&"no `requestedSchema`")),
                ("url", _, None) => Err(invalid(&"no `url`")),
                (mode, ..) => Err(invalid(&format!("the mode {:?}", shorten(mode)))),
            }
        }
    }
}

/// Reads an answer to a question of `method`.
///
/// # Errors
/// `InvalidParams` for JSON that is not an answer to this method.
pub fn read_input_response(method: InputMethod, json: &str) -> Result<InputResponse, Error> {
    #[derive(Deserialize)]
    struct Roots {
        roots: Vec<Root>,
    }
    let read = match method {
        // Checked here because serde would also read a struct from an array.
        _ if !json.trim_start().starts_with('{') => {
            let text = format!("expected an answer to `{}`, but found {}", method.as_str(), shorten(json));
            return Err(Error::new(ErrorKind::InvalidParams, text));
        }
        InputMethod::Elicit => serde_json::from_str::<ElicitResult>(json).map(InputResponse::Elicit),
        InputMethod::ListRoots => {
            serde_json::from_str::<Roots>(json).map(|it| InputResponse::ListRoots(it.roots))
        }
        InputMethod::Sample => {
            serde_json::from_str::<CreateMessageResult>(json).map(|it| InputResponse::Sample(Box::new(it)))
        }
    };
    read.map_err(|error| {
        // The line and column are dropped: they are useless in such short JSON.
        let error = error.to_string();
        let found = error.split(" at line ").next().unwrap_or_default();
        let text = format!("expected an answer to `{}`, but found {found}", method.as_str());
        Error::new(ErrorKind::InvalidParams, text)
    })
}

impl Encoder {
    /// Writes an `input_required` result with the questions `requests` and the `requestState` `state`.
    pub fn input_required(&self, out: &mut Vec<u8>, requests: &[KeyedRequest], state: Option<&str>) {
        let mut object = Object::open(out);
        object.string("resultType", "input_required");
        if !requests.is_empty() {
            let mut inner = Object::open(object.name("inputRequests"));
            for it in requests {
                let mut request = Object::open(inner.name(&it.key));
                request.string("method", it.method.as_str());
                request.raw("params", &it.params);
                request.close();
            }
            inner.close();
        }
        object.maybe_string("requestState", state);
        self.close(object, None);
    }
}

impl InputRequired {
    /// Largest number of questions in a result that is read: the number that a server of Plainwire allows for a call
    /// by default.
    pub const MAX_REQUESTS: usize = 256;

    /// Returns whether the `resultType` of `result` is `input_required`.
    pub fn is_in(result: &str) -> bool {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Typed<'t> {
            #[serde(borrow)]
            result_type: Option<std::borrow::Cow<'t, str>>,
        }
        serde_json::from_str::<Typed<'_>>(result)
            .is_ok_and(|it| it.result_type.as_deref() == Some("input_required"))
    }

    /// Reads a result whose type is `input_required`.
    ///
    /// # Errors
    /// `InvalidRequest` for JSON without the shape of such a result, a result with neither questions nor
    /// state, a question of an unknown method or with invalid parameters, two questions with one key, and more
    /// than [`Self::MAX_REQUESTS`] questions.
    pub fn parse(result: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'w> {
            #[serde(borrow, default)]
            input_requests: Option<&'w RawValue>,
            request_state: Option<String>,
        }
        #[derive(Deserialize)]
        struct Question<'w> {
            method: String,
            #[serde(borrow, default)]
            params: Option<&'w RawValue>,
        }
        let invalid = |text: String| Error::new(ErrorKind::InvalidRequest, text);
        let wire: Wire<'_> = serde_json::from_str(result)
            .map_err(|error| invalid(format!("expected an `input_required` result, but found {error}")))?;
        let (mut keys, mut requests) = (BTreeSet::new(), Vec::new());
        if let Some(map) = wire.input_requests {
            // All questions together: each alone may have as many.
            if has_too_many_values(map.get()) {
                return Err(invalid(format!(
                    "expected `inputRequests` to have at most {MAX_VALUES} values (limit `MAX_VALUES`), but found more"
                )));
            }
            for (key, raw) in members_up_to(Self::MAX_REQUESTS, map.get()).map_err(|error| {
                invalid(format!("expected `inputRequests` to be an object, but found {error}"))
            })? {
                let at = |text: &str| invalid(format!("`inputRequests.{}`: {text}", shorten(&key)));
                let question: Question<'_> =
                    serde_json::from_str(raw.get()).map_err(|error| at(&error.to_string()))?;
                let method = InputMethod::parse(&question.method).ok_or_else(|| {
                    at(&format!("expected a question, but found `{}`", shorten(&question.method)))
                })?;
                let request = read_input_params(method, question.params.map_or("{}", RawValue::get))
                    .map_err(|error| at(error.message()))?;
                if !keys.insert(key.clone()) {
                    return Err(at("expected the key once, but found it twice"));
                }
                requests.push((key, request));
            }
        }
        if requests.is_empty() && wire.request_state.is_none() {
            return Err(invalid(
                "expected `inputRequests` or `requestState` in an `input_required` result, but found neither"
                    .to_owned(),
            ));
        }
        Ok(Self { requests, state: wire.request_state })
    }
}

/// Returns the parameters for repeating a request once its questions are answered: those of the original
/// request, `params`, with the answers and with the `requestState` that came with the questions.
///
/// Each pair in `responses` is the key of a question and its answer, written by [`input_response`]. `params`
/// must contain neither `inputResponses` nor `requestState`.
pub fn retry_params(params: &str, responses: &[(String, String)], state: Option<&str>) -> String {
    let inner = params.trim().strip_prefix('{').and_then(|p| p.strip_suffix('}')).unwrap_or("").trim();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    if !responses.is_empty() {
        let mut inner = Object::open(object.name("inputResponses"));
        for (key, response) in responses {
            inner.raw(key, response);
        }
        inner.close();
    }
    object.maybe_string("requestState", state);
    if !inner.is_empty() {
        if !responses.is_empty() || state.is_some() {
            object.out.push(b',');
        }
        write::raw(object.out, inner);
    }
    object.close();
    String::from_utf8(out).unwrap_or_default()
}

/// Returns the members of the JSON object `json` in their order: each name, and its value as JSON text.
///
/// # Errors
/// For text that is not a JSON object.
pub fn members(json: &str) -> Result<Vec<(String, Box<RawValue>)>, serde_json::Error> {
    members_up_to(usize::MAX, json)
}

/// Like [`members`], but an object of more than `most` members is an error.
fn members_up_to(most: usize, json: &str) -> Result<Vec<(String, Box<RawValue>)>, serde_json::Error> {
    struct Members(usize);
    impl<'de> serde::de::Visitor<'de> for Members {
        type Value = Vec<(String, Box<RawValue>)>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(member) = map.next_entry()? {
                if all.len() == self.0 {
                    return Err(serde::de::Error::custom(format!("more than {} members", self.0)));
                }
                all.push(member);
            }
            Ok(all)
        }
    }
    use serde::Deserializer as _;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let all = deserializer.deserialize_map(Members(most))?;
    deserializer.end()?;
    Ok(all)
}
