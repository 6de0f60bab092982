//! Asking back: a call that lacks something says what, and with which values it could go on.
//!
//! In: a [`NeedsInput`] that a handler, or any function that it calls, returns as an error. Out: the question to the user,
//! and the arguments with the answer; or the value of the kind `needsInput:v1` for a client that can't be asked.

use plainwire_proto::json::write::{self, Object};
use plainwire_proto::model::RawJson;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::server::asking::Answer;
use crate::server::context::Context;
use crate::server::result::ToolError;

/// A call that can't go on without more input, such as a search without words: which arguments are missing, why, and which
/// values there are.
///
/// A handler returns it as an error, with `?` or `Err`, itself or from any function that it calls. On a server with a
/// [presentation](crate::Server::presentation) it is no failure. If the client can ask its user, the user is asked once, and
/// the call begins again with the answer. Any other client gets structured content of the kind `needsInput:v1`, for the
/// model to ask. On a server without a presentation, the model gets an error with the code `needs_input`.
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::presentation::{NeedsInput, Presentation};
///
/// /// Tells how to care for a plant.
/// #[tool(read_only)]
/// async fn care(plant: String) -> Result<String, ToolError> {
///     match &*plant {
///         "fern" => Ok("shade, and water each day".into()),
///         "rose" => Ok("sun, and water each week".into()),
///         other => Err(NeedsInput::new(format!("there is no plant {other:?}"))
///             .title("Plant not found")
///             .choice("plant", "fern")
///             .choice("plant", "rose")
///             .into()),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let server = plainwire::server!("garden").tool(care).presentation(Presentation::data());
/// let client = plainwire::testing::client(server).await?;
/// let result = client.call_tool("care", json!({ "plant": "fen" })).await?;
/// let value: Value = serde_json::from_str(result.content[0].as_text().unwrap()).unwrap();
/// assert_eq!(value["kind"], "needsInput:v1");
/// assert_eq!(value["needsInput"]["suggestions"]["plant"], json!(["fern", "rose"]));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NeedsInput {
    choices_title: String,
    fields: Vec<Field>,
    message: Option<String>,
    reason: String,
    title: String,
}

/// An argument that is needed, and the values that are known for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Field {
    name: String,
    /// Whether the user may only choose one of the values.
    is_choice: bool,
    /// The values, each with its description or an empty text.
    values: Vec<(String, String)>,
}

/// The key of the question. A handler that asks a question of this name itself can't be asked back.
const KEY: &str = "plainwire/needsInput";

impl NeedsInput {
    /// The code of the [`ToolError`] that carries it, in its details.
    pub(super) const CODE: &str = "needs_input";

    /// Creates it with the reason, a sentence for the user and the model.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            choices_title: "Possible values".to_owned(),
            fields: Vec::new(),
            message: None,
            reason: reason.into(),
            title: "Input needed".to_owned(),
        }
    }

    /// Sets the heading in Markdown. `Input needed` by default.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the question to the user. The reason by default.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Adds an argument that is needed, without known values.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>) -> Self {
        self.field_mut(name.into());
        self
    }

    /// Adds a value for the argument `field`. The user chooses one of the values.
    #[must_use]
    pub fn choice(self, field: impl Into<String>, value: impl Into<String>) -> Self {
        self.described_choice(field, value, "")
    }

    /// Like [`Self::choice`], with a description of the value.
    #[must_use]
    pub fn described_choice(
        mut self,
        field: impl Into<String>,
        value: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        let field = self.field_mut(field.into());
        field.is_choice = true;
        field.values.push((value.into(), description.into()));
        self
    }

    /// Adds a value for the argument `field` as an example. The user may write another one.
    #[must_use]
    pub fn example(mut self, field: impl Into<String>, value: impl Into<String>) -> Self {
        self.field_mut(field.into()).values.push((value.into(), String::new()));
        self
    }

    /// Sets the line above the values in Markdown. `Possible values` by default.
    #[must_use]
    pub fn choices_title(mut self, title: impl Into<String>) -> Self {
        self.choices_title = title.into();
        self
    }

    fn field_mut(&mut self, name: String) -> &mut Field {
        let at = self.fields.iter().position(|it| it.name == name).unwrap_or_else(|| {
            self.fields.push(Field { name, is_choice: false, values: Vec::new() });
            self.fields.len() - 1
        });
        &mut self.fields[at]
    }

    fn question(&self) -> &str {
        self.message.as_deref().unwrap_or(&self.reason)
    }

    /// Asks the user. Returns the arguments that the user gave; `None` if there is no answer.
    pub(super) async fn ask(&self, context: &Context) -> Option<Map<String, Value>> {
        if self.fields.is_empty() {
            return None;
        }
        let property = |field: &Field| {
            let values: Vec<&str> = field.values.iter().map(|it| it.0.as_str()).collect();
            let schema = match (field.is_choice, values.is_empty()) {
                (true, _) => json!({ "type": "string", "enum": values }),
                (false, true) => json!({ "type": "string" }),
                (false, false) => {
                    json!({ "type": "string", "description": format!("such as {}", values.join(", ")) })
                }
            };
            (field.name.clone(), schema)
        };
        let properties: Map<String, Value> = self.fields.iter().map(property).collect();
        // One answer may be enough, as for a search that one of several filters would narrow.
        let required: Vec<&str> = if let [only] = &self.fields[..] { vec![&only.name] } else { Vec::new() };
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        match context.elicit_form(KEY, self.question(), &schema).await {
            Ok(Answer::Accepted(answer)) if !answer.is_empty() => Some(answer),
            Ok(_) => None,
            Err(error) => {
                tracing::debug!("the user is not asked: {}", error.message());
                None
            }
        }
    }

    /// Returns the value of the kind `needsInput:v1`.
    pub(super) fn value(&self) -> Option<RawJson> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.string("kind", "needsInput:v1");
        object.string("type", "elicitation");
        object.string("message", self.question());
        let mut needs = Object::open(object.name("needsInput"));
        needs.array("fields", &self.fields, |out, field| write::string(out, &field.name));
        needs.string("reason", &self.reason);
        let known: Vec<&Field> = self.fields.iter().filter(|it| !it.values.is_empty()).collect();
        if !known.is_empty() {
            let mut suggestions = Object::open(needs.name("suggestions"));
            for field in &known {
                suggestions.array(&field.name, &field.values, |out, (value, _)| write::string(out, value));
            }
            suggestions.close();
        }
        needs.close();
        let of_field = |field: &'_ Field| {
            let options = field.values.iter().map(|(value, description)| {
                let mut option = json!({ "label": value, "value": value, "field": field.name });
                if !description.is_empty() {
                    option["description"] = description.as_str().into();
                }
                option
            });
            options.collect::<Vec<_>>()
        };
        let options: Vec<Value> =
            known.iter().filter(|it| it.is_choice).flat_map(|it| of_field(it)).collect();
        if !options.is_empty() {
            object.raw("options", &Value::Array(options).to_string());
        }
        object.close();
        RawValue::from_string(String::from_utf8(out).ok()?).ok()
    }

    /// Returns the schema of the value.
    pub(super) fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "kind": { "const": "needsInput:v1" },
                "type": { "const": "elicitation" },
                "message": { "type": "string" },
                "needsInput": { "type": "object" },
                "options": { "type": "array" }
            },
            "required": ["kind", "type", "message", "needsInput"]
        })
    }

    /// Returns the text for a reader.
    pub(super) fn markdown(&self) -> String {
        let mut values = Vec::new();
        for field in &self.fields {
            let several = if self.fields.len() > 1 { format!("{}: ", field.name) } else { String::new() };
            values.extend(field.values.iter().map(|(value, description)| match description.is_empty() {
                true => format!("{several}{value}"),
                false => format!("{several}{value}, {description}"),
            }));
        }
        super::markdown::question(&self.title, self.question(), &self.choices_title, &values)
    }
}

impl From<NeedsInput> for ToolError {
    fn from(needs: NeedsInput) -> Self {
        let error = Self::new(NeedsInput::CODE, needs.question());
        let values = needs.fields.iter().flat_map(|field| field.values.iter().map(|it| it.0.as_str()));
        let values = values.collect::<Vec<_>>().join(", ");
        let fields = needs.fields.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ");
        let hint = match (fields.is_empty(), values.is_empty()) {
            (true, _) => String::new(),
            (false, true) => format!("needed: {fields}"),
            (false, false) => format!("needed: {fields}; possible values: {values}"),
        };
        error.hint(hint).details(needs)
    }
}
