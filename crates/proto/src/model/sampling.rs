//! Sampling: questions of a server to a model of its client.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{Content, MediaContent, RawJson, Role, TextContent, Tool};
use crate::json::shorten;

/// A question of a server to a model. Source: `CreateMessageRequestParams`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateMessage {
    /// The servers whose context the client should give to the model: `none`, `thisServer`, `allServers`.
    /// Deprecated since 2025-11-25.
    pub include_context: Option<String>,
    /// The maximum length of the answer in tokens.
    pub max_tokens: u64,
    /// The conversation so far, which the model continues.
    pub messages: Vec<SamplingMessage>,
    /// Metadata for the model's provider, an object.
    pub metadata: Option<RawJson>,
    /// Preferences for the choice of the model.
    pub model_preferences: Option<ModelPreferences>,
    /// Texts that end the answer when the model writes them.
    pub stop_sequences: Vec<String>,
    /// The system prompt that the server wants the model to get.
    pub system_prompt: Option<String>,
    /// The randomness of the model's answer.
    pub temperature: Option<f64>,
    /// The model's freedom to call the tools in `tools`.
    pub tool_choice: Option<ToolChoice>,
    /// The tools that the model may call.
    pub tools: Vec<Tool>,
}

impl CreateMessage {
    /// Creates a question of one text message of the user, to be answered in at most `max_tokens` tokens.
    pub fn ask(text: impl Into<String>, max_tokens: u64) -> Self {
        let messages = vec![SamplingMessage::text(Role::User, text)];
        Self { max_tokens, messages, ..Self::default() }
    }

    /// Returns whether the question offers tools, sets `tool_choice`, or contains uses or results of tools.
    pub fn uses_tools(&self) -> bool {
        let mut blocks = self.messages.iter().flat_map(|message| &message.content);
        !self.tools.is_empty()
            || self.tool_choice.is_some()
            || blocks
                .any(|block| matches!(block, SamplingContent::ToolResult(_) | SamplingContent::ToolUse(_)))
    }

    /// Checks that each use of a tool has its result in the next message, and that a message with results of
    /// tools is the user's and has no other content. Takes O(n log n) for n uses.
    ///
    /// Spec: 2025-11-25 and 2026-07-28 `sampling` "Message Content Constraints".
    ///
    /// # Errors
    /// If a message breaks these rules. The text says what was expected. It has the index of the message,
    /// except for a tool use in the last message.
    pub fn check(&self) -> Result<(), String> {
        let mut due = BTreeSet::new();
        for (n, message) in self.messages.iter().enumerate() {
            let is_result = message.check(n, &mut due)?;
            if let Some(id) = due.first() {
                let id = shorten(id);
                return Err(format!("expected `messages[{n}]` to have the result of {id:?}, but found none"));
            }
            if !is_result {
                message.note_uses(n, &mut due)?;
            }
        }
        match due.first() {
            Some(id) => Err(format!("expected a result of {:?} in `messages`, but found none", shorten(id))),
            None => Ok(()),
        }
    }
}

/// One message of a conversation with a model, by the user or the model.
#[derive(Clone, Debug, Deserialize)]
pub struct SamplingMessage {
    /// The content blocks of the message, in order.
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<SamplingContent>,
    /// The speaker of the message: the user or the model.
    pub role: Role,
}

impl SamplingMessage {
    /// Creates a message with one text block.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        let content = SamplingContent::Text(TextContent { text: text.into(), ..TextContent::default() });
        Self { content: vec![content], role }
    }

    /// Checks the results of tools in this message, and removes their ids from `due`, the ids of the uses of
    /// tools without a result so far. `n` is the index of the message. Returns whether the message consists
    /// of results of tools.
    fn check(&self, n: usize, due: &mut BTreeSet<&str>) -> Result<bool, String> {
        let mut results = 0;
        for block in &self.content {
            let SamplingContent::ToolResult(it) = block else { continue };
            results += 1;
            if !due.remove(it.tool_use_id.as_str()) {
                let found = shorten(&it.tool_use_id);
                return Err(format!(
                    "expected `messages[{n}]` to answer uses of tools, each once, but found a result of {found:?}"
                ));
            }
        }
        if results > 0 && results < self.content.len() {
            return Err(format!(
                "expected `messages[{n}]` to have only results of tools, but found other content"
            ));
        }
        if results > 0 && self.role != Role::User {
            return Err(format!(
                "expected `messages[{n}]`, which has results of tools, to be the user's, but found the assistant's"
            ));
        }
        Ok(results > 0)
    }

    /// Adds the ids of the uses of tools in this message to `due`; an id that is already there is an error,
    /// because ids are unique (source: `ToolUseContent.id`). `n` is the index of the message.
    fn note_uses<'m>(&'m self, n: usize, due: &mut BTreeSet<&'m str>) -> Result<(), String> {
        for block in &self.content {
            if let SamplingContent::ToolUse(it) = block
                && !due.insert(&it.id)
            {
                let found = shorten(&it.id);
                return Err(format!(
                    "expected `messages[{n}]` to name each use once, but found {found:?} twice"
                ));
            }
        }
        Ok(())
    }
}

/// One content block of a message to or from a model.
#[derive(Clone, Debug)]
pub enum SamplingContent {
    /// Audio.
    Audio(MediaContent),
    /// An image.
    Image(MediaContent),
    /// Text.
    Text(TextContent),
    /// The result of a tool that the model requested to call.
    ToolResult(ToolResult),
    /// A request of the model to call a tool.
    ToolUse(ToolUse),
    /// A block of an unknown type, as it was received.
    Other(RawJson),
}

impl SamplingContent {
    /// Returns the text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(it) => Some(&it.text),
            _ => None,
        }
    }
}

/// The result of a tool that a model requested to call, given to the model.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolResult {
    /// The content blocks of the result, in order.
    pub content: Vec<Content>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// The result as structured data.
    #[serde(deserialize_with = "super::present")]
    pub structured_content: Option<RawJson>,
    /// The id of the [`ToolUse`], the model's request, that this result answers.
    pub tool_use_id: String,
}

/// A request of the model to call a tool.
#[derive(Clone, Debug, Deserialize)]
pub struct ToolUse {
    /// The id of this request, which its [`ToolResult`] repeats.
    pub id: String,
    /// The arguments of the tool, an object.
    pub input: RawJson,
    /// The name of the tool to call.
    pub name: String,
}

/// The model's freedom to call tools while it answers a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides whether to call tools.
    #[default]
    Auto,
    /// The model must not call tools.
    None,
    /// The model must call at least one tool.
    Required,
}

impl ToolChoice {
    /// Returns the name of the choice on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Required => "required",
        }
    }
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            #[serde(default)]
            mode: Option<String>,
        }
        let mode = Wire::deserialize(deserializer)?.mode;
        Ok(match mode.as_deref() {
            Some("none") => Self::None,
            Some("required") => Self::Required,
            _ => Self::Auto,
        })
    }
}

/// Preferences of a server for the choice of the model. Priorities range from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelPreferences {
    /// The importance of a low price, from 0 to 1.
    pub cost_priority: Option<f64>,
    /// Suggested models, the best first.
    pub hints: Vec<ModelHint>,
    /// The importance of the answer's quality, from 0 to 1.
    pub intelligence_priority: Option<f64>,
    /// The importance of a fast answer, from 0 to 1.
    pub speed_priority: Option<f64>,
}

/// A model that a server suggests to its client.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ModelHint {
    /// The name of the suggested model, or a part of it.
    pub name: Option<String>,
}

/// The answer of a model to a question of a server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// The content blocks of the answer, in order.
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<SamplingContent>,
    /// The name of the model that answered.
    pub model: String,
    /// The speaker of the answer: the assistant.
    pub role: Role,
    /// The reason why the model stopped, such as `endTurn`, `maxTokens`, `toolUse`. Other spellings, such as
    /// `end_turn`, are converted to these when the answer is read.
    #[serde(default, deserialize_with = "stop_reason")]
    pub stop_reason: Option<String>,
}

impl CreateMessageResult {
    /// Creates an answer with one text block and the stop reason `endTurn`.
    pub fn text(model: impl Into<String>, text: impl Into<String>) -> Self {
        let message = SamplingMessage::text(Role::Assistant, text);
        Self {
            content: message.content,
            model: model.into(),
            role: message.role,
            stop_reason: Some("endTurn".to_owned()),
        }
    }

    /// Returns the text of all text blocks of the answer, concatenated.
    pub fn to_text(&self) -> String {
        self.content.iter().filter_map(SamplingContent::as_text).collect()
    }

    /// Returns the tool calls that the model requests in the answer.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUse> {
        self.content.iter().filter_map(|block| match block {
            SamplingContent::ToolUse(it) => Some(it),
            _ => None,
        })
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        #[derive(Deserialize)]
        struct Kind {
            r#type: String,
        }
        fn read<T: serde::de::DeserializeOwned, E: serde::de::Error>(raw: &RawValue) -> Result<T, E> {
            serde_json::from_str(raw.get()).map_err(E::custom)
        }
        let raw = RawJson::deserialize(deserializer)?;
        let kind: Kind = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
        match kind.r#type.as_str() {
            "audio" => read(&raw).map(Self::Audio),
            "image" => read(&raw).map(Self::Image),
            "text" => read(&raw).map(Self::Text),
            "tool_result" => read(&raw).map(Self::ToolResult),
            "tool_use" => read(&raw).map(Self::ToolUse),
            _ => Ok(Self::Other(raw)),
        }
    }
}

/// Reads one content block or a list of content blocks.
///
/// Spec: up to 2025-06-18 a message has one block; since 2025-11-25 it has one or a list.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SamplingContent>, D::Error> {
    use serde::de::Error as _;
    let raw = RawJson::deserialize(deserializer)?;
    let read = if raw.get().starts_with('[') {
        serde_json::from_str(raw.get())
    } else {
        serde_json::from_str(raw.get()).map(|block| vec![block])
    };
    read.map_err(D::Error::custom)
}

/// Reads a stop reason. MCP spells it like `endTurn`; `end_turn`, which some guides and other protocols
/// write, is converted.
fn stop_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let reason = Option::<String>::deserialize(deserializer)?;
    Ok(reason.map(|reason| match reason.as_str() {
        "end_turn" => "endTurn".to_owned(),
        "max_tokens" => "maxTokens".to_owned(),
        "stop_sequence" => "stopSequence".to_owned(),
        "tool_use" => "toolUse".to_owned(),
        _ => reason,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_one_block_as_a_list_of_one() {
        let answer: CreateMessageResult = serde_json::from_str(
            r#"{"role":"assistant","model":"m","stopReason":"end_turn","content":{"type":"text","text":"Paris"}}"#,
        )
        .expect("an answer");
        assert_eq!(answer.to_text(), "Paris");
        assert_eq!(answer.stop_reason.as_deref(), Some("endTurn"));
    }

    #[test]
    fn reads_the_tools_that_a_model_wants() {
        let answer: CreateMessageResult = serde_json::from_str(
            r#"{"role":"assistant","model":"m","content":[
                {"type":"tool_use","id":"1","name":"weather","input":{"city":"Paris"}},
                {"type":"from_the_future","x":1}]}"#,
        )
        .expect("an answer");
        let wanted: Vec<_> = answer.tool_uses().map(|it| (it.name.as_str(), it.input.get())).collect();
        assert_eq!(wanted, [("weather", r#"{"city":"Paris"}"#)]);
        assert!(matches!(&answer.content[1], SamplingContent::Other(raw) if raw.get().contains("x")));
    }

    #[test]
    fn knows_tools_by_what_was_said_of_them_too() {
        let mut request = CreateMessage::ask("Paris?", 9);
        assert!(!request.uses_tools());
        let result = ToolResult { tool_use_id: "1".to_owned(), ..ToolResult::default() };
        request.messages[0].content.push(SamplingContent::ToolResult(result));
        assert!(request.uses_tools());
        assert!(
            CreateMessage { tool_choice: Some(ToolChoice::None), ..CreateMessage::ask("", 1) }.uses_tools()
        );
    }

    #[test]
    fn results_of_tools_stand_alone_and_follow_their_uses() {
        let usage = r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]}"#;
        let ended = r#"{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]}]}"#;
        let text = r#"{"role":"user","content":{"type":"text","text":"x"}}"#;
        let mixed = ended.replace("}]}", r#"},{"type":"text","text":"x"}]}"#);
        let twice = |message: &str| {
            let (head, block) = message.split_once('[').expect("a list");
            let block = block.strip_suffix("]}").expect("a last bracket");
            format!("{head}[{block},{block}]}}")
        };
        let assistants = ended.replace("user", "assistant");
        let check = |messages: &[&str]| {
            let messages = serde_json::from_str(&format!("[{}]", messages.join(","))).expect("messages");
            CreateMessage { messages, ..CreateMessage::default() }.check()
        };
        for legal in
            [&[] as &[&str], &[text, text], &[text, usage, ended], &[usage, ended, text, usage, ended]]
        {
            assert_eq!(check(legal), Ok(()));
        }
        for (messages, expected) in [
            (&[usage] as &[&str], r#"expected a result of "1" in `messages`, but found none"#),
            (&[usage, text], r#"expected `messages[1]` to have the result of "1", but found none"#),
            (
                &[usage, &mixed],
                "expected `messages[1]` to have only results of tools, but found other content",
            ),
            (
                &[usage, &assistants],
                "expected `messages[1]`, which has results of tools, to be the user's, but found the assistant's",
            ),
            (
                &[text, ended],
                r#"expected `messages[1]` to answer uses of tools, each once, but found a result of "1""#,
            ),
            (
                &[usage, ended, ended],
                r#"expected `messages[2]` to answer uses of tools, each once, but found a result of "1""#,
            ),
            (
                &[usage, &twice(ended)],
                r#"expected `messages[1]` to answer uses of tools, each once, but found a result of "1""#,
            ),
            (&[&twice(usage), ended], r#"expected `messages[0]` to name each use once, but found "1" twice"#),
        ] {
            assert_eq!(check(messages), Err(expected.to_owned()));
        }
    }

    /// Checks 60,000 uses of tools and their results, which must be fast: comparing every use with every
    /// result would take minutes.
    #[test]
    fn many_uses_of_tools_are_checked_in_one_pass() {
        let input = RawValue::from_string("{}".to_owned()).expect("JSON");
        let ids = || (0..60_000).map(|n| n.to_string());
        let uses = ids()
            .map(|id| SamplingContent::ToolUse(ToolUse { id, input: input.clone(), name: String::new() }));
        let results = ids().map(|tool_use_id| {
            SamplingContent::ToolResult(ToolResult { tool_use_id, ..ToolResult::default() })
        });
        let messages = vec![
            SamplingMessage { content: uses.collect(), role: Role::Assistant },
            SamplingMessage { content: results.collect(), role: Role::User },
        ];
        let request = CreateMessage { messages, ..CreateMessage::default() };
        assert_eq!(request.check(), Ok(()));
    }

    #[test]
    fn refuses_a_block_that_is_none() {
        let answer = r#"{"role":"assistant","model":"m","content":{"type":"text","text":7}}"#;
        assert!(serde_json::from_str::<CreateMessageResult>(answer).is_err());
    }
}
