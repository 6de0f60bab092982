//! Errors of tools as values: the kind `toolError:v1`.
//!
//! In: a [`ToolError`]. Out: its JSON, and its text for a reader.

use std::collections::BTreeMap;

use plainwire_proto::json::write::Object;
use plainwire_proto::model::RawJson;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::NeedsInput;
use crate::server::result::ToolError;

/// The codes of a [`ToolError`] in words of `toolError:v1`. A code of the program's own is an `UNKNOWN_ERROR`.
const CODES: [(&str, &str); 10] = [
    ("failed", "SERVER_ERROR"),
    ("forbidden", "AUTHENTICATION_ERROR"),
    ("invalid_input", "CLIENT_ERROR"),
    ("network", "NETWORK_ERROR"),
    ("not_found", "NOT_FOUND"),
    ("timeout", "NETWORK_ERROR"),
    ("unauthorized", "AUTHENTICATION_ERROR"),
    ("unreachable", "NETWORK_ERROR"),
    ("unsupported", "CLIENT_ERROR"),
    ("url_required", "CLIENT_ERROR"),
];

/// An error, as programs see it.
#[derive(Deserialize)]
pub(super) struct Known {
    code: String,
    details: Option<Box<RawValue>>,
    hint: Option<String>,
    message: String,
    retryable: bool,
}

impl Known {
    pub(super) fn of(error: &ToolError) -> Option<Self> {
        serde_json::from_str(&error.to_json()).ok()
    }

    /// Returns the input that the call needs to go on, if the error is about that.
    pub(super) fn needs(&self) -> Option<NeedsInput> {
        let details = self.details.as_deref().filter(|_| self.code == NeedsInput::CODE)?;
        serde_json::from_str(details.get()).ok()
    }

    /// Returns the value: `{"kind":"toolError:v1","code","message","retryable","details"}`. The details are the code of the
    /// [`ToolError`], its hint, and the members of its own details.
    pub(super) fn value(&self) -> Option<RawJson> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.string("kind", "toolError:v1");
        let code = CODES.iter().find(|(known, _)| *known == self.code);
        object.string("code", code.map_or("UNKNOWN_ERROR", |(_, code)| code));
        object.string("message", &self.message);
        object.bool("retryable", self.retryable);
        let mut details = Object::open(object.name("details"));
        details.string("code", &self.code);
        details.maybe_string("hint", self.hint.as_deref());
        for (name, value) in self.own_details() {
            details.raw(&name, value.get());
        }
        details.close();
        object.close();
        RawValue::from_string(String::from_utf8(out).ok()?).ok()
    }

    /// Returns the members of the details of the [`ToolError`]. Details that are no object are one member.
    fn own_details(&self) -> BTreeMap<String, Box<RawValue>> {
        let Some(own) = self.details.clone() else { return BTreeMap::new() };
        let members = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(own.get());
        let mut members = members.unwrap_or_else(|_| BTreeMap::from([("details".to_owned(), own)]));
        members.retain(|name, _| name != "code" && name != "hint");
        members
    }

    /// Returns the text for a reader.
    pub(super) fn markdown(&self) -> String {
        match &self.hint {
            Some(hint) => format!("**Error:** {}\n\n**Hint:** {hint}", self.message),
            None => format!("**Error:** {}", self.message),
        }
    }
}

/// Returns the schema of a value that may also be an error, or the input that a call needs.
pub(super) fn with_others(schema: &RawJson) -> RawJson {
    let Ok(Value::Object(mut own)) = serde_json::from_str::<Value>(schema.get()) else {
        return schema.clone();
    };
    // A list is wrapped in some revisions, and an error is not. A reference to the root would mean another root.
    if own.get("type") != Some(&json!("object")) || schema.get().contains("\"$ref\":\"#\"") {
        return schema.clone();
    }
    // References in the schema are from its root.
    let definitions = ["$defs", "definitions", "$schema"].map(|name| own.remove_entry(name));
    let mut root = json!({ "type": "object", "anyOf": [own, error_schema(), NeedsInput::schema()] });
    if let Value::Object(root) = &mut root {
        root.extend(definitions.into_iter().flatten());
    }
    serde_json::value::to_raw_value(&root).unwrap_or_else(|_| schema.clone())
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": { "const": "toolError:v1" },
            "code": { "enum": ["AUTHENTICATION_ERROR", "CLIENT_ERROR", "NETWORK_ERROR", "NOT_FOUND", "SERVER_ERROR", "UNKNOWN_ERROR"] },
            "message": { "type": "string" },
            "retryable": { "type": "boolean" },
            "details": { "type": "object" }
        },
        "required": ["kind", "code", "message"]
    })
}
