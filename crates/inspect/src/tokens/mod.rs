//! What a model reads of the tools of a server, counted.
//!
//! In: [`Entry`]s and a [`Tokenizer`]. Out: a [`Report`], tool by tool and field by field. A host hands a model the name, the
//! description and the schema of the parameters of every tool, on every turn; each host wraps them in words of its own, which
//! are not counted. Output schemas most hosts keep to themselves, so they are counted apart. Titles, annotations, icons and
//! `_meta` are for programs: they are bytes on the wire and no tokens.

mod difference;
mod estimate;
mod render;

use serde::Serialize;
use serde_json::Value;

use crate::Entry;
pub use difference::{Change, Difference, differences};
pub use render::render;

/// What counts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Tokenizer {
    /// A rough count that needs no tables. `docs/tokens.md` says how far it is off.
    #[serde(rename = "estimate")]
    Estimate,
    /// The encoding `o200k_base`, exactly: that of OpenAI's models since GPT-4o. Those of Claude and Gemini are not public
    /// and count differently.
    #[cfg(feature = "tokenizer")]
    #[serde(rename = "o200k_base")]
    O200kBase,
}

impl Tokenizer {
    /// Returns the most exact one there is in this build.
    pub fn best() -> Self {
        #[cfg(feature = "tokenizer")]
        return Self::O200kBase;
        #[cfg(not(feature = "tokenizer"))]
        Self::Estimate
    }

    /// Counts the tokens of a text.
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Estimate => estimate::tokens(text),
            #[cfg(feature = "tokenizer")]
            Self::O200kBase => tiktoken_rs::o200k_base_singleton().count_ordinary(text),
        }
    }

    /// Returns whether the counts are exact for some model.
    pub fn is_exact(self) -> bool {
        self != Self::Estimate
    }
}

/// What the tools of a list cost.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// What counted.
    pub tokenizer: Tokenizer,
    /// The tokens that a model reads of all tools, once.
    pub total: usize,
    /// The tokens of all output schemas, which most hosts do not show to a model. Not in `total`.
    pub output_schemas: usize,
    /// The bytes of all entries, compact.
    pub bytes: usize,
    /// The tools in the order of the list.
    pub tools: Vec<Cost>,
}

/// What one tool costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cost {
    /// Its name.
    pub name: String,
    /// The tokens that a model reads of it: the sum of the fields that it sees.
    pub total: usize,
    /// The tokens of its output schema. Not in `total`.
    pub output_schema: usize,
    /// The bytes of the entry, compact.
    pub bytes: usize,
    /// Its fields: what a model reads first, in the order in which it reads it.
    pub fields: Vec<Field>,
}

/// What one field of a tool costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Field {
    /// `name`, `description`, `inputSchema.properties.…` for a parameter, `inputSchema` for what else stands in the schema,
    /// or the name of any other member.
    pub name: String,
    /// Who reads it.
    pub seen: Seen,
    /// Its tokens; 0 if no model reads it.
    pub tokens: usize,
    /// Its bytes as JSON.
    pub bytes: usize,
}

/// Who reads a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Seen {
    /// Every model, on every turn.
    Always,
    /// Models of the few hosts that show output schemas.
    Seldom,
    /// Programs only.
    Never,
}

impl Report {
    /// Counts what `tools` cost.
    pub fn of(tools: &[Entry], tokenizer: Tokenizer) -> Self {
        let tools: Vec<Cost> = tools.iter().map(|tool| Cost::of(tool, tokenizer)).collect();
        Self {
            tokenizer,
            total: tools.iter().map(|tool| tool.total).sum(),
            output_schemas: tools.iter().map(|tool| tool.output_schema).sum(),
            bytes: tools.iter().map(|tool| tool.bytes).sum(),
            tools,
        }
    }

    /// Returns what a conversation of `turns` pays, since a host sends the tools on every turn.
    pub fn in_turns(&self, turns: usize) -> usize {
        self.total.saturating_mul(turns)
    }
}

impl Cost {
    fn of(tool: &Entry, tokenizer: Tokenizer) -> Self {
        let fields = fields(tool, tokenizer);
        let sum = |seen| fields.iter().filter(|it| it.seen == seen).map(|it| it.tokens).sum();
        // Names and values as they are, two quotes, a colon and a comma for each, and two braces.
        let bytes =
            tool.members().map(|(name, value)| name.len() + 4 + compact(value).len()).sum::<usize>() + 1;
        Self {
            name: tool.name().to_owned(),
            total: sum(Seen::Always),
            output_schema: sum(Seen::Seldom),
            bytes,
            fields,
        }
    }
}

/// The fields of a tool, those that a model sees first.
fn fields(tool: &Entry, tokenizer: Tokenizer) -> Vec<Field> {
    let field = |name: &str, seen, text: &str, bytes| Field {
        name: name.to_owned(),
        seen,
        tokens: if seen == Seen::Never { 0 } else { tokenizer.count(text) },
        bytes,
    };
    let mut fields = vec![field("name", Seen::Always, tool.name(), tool.name().len() + 2)];
    if let Some(text) = tool.description() {
        fields.push(field("description", Seen::Always, text, compact(&text.into()).len()));
    }
    if let Some(schema) = tool.input_schema() {
        fields.extend(schema_fields(tool, schema, tokenizer));
    }
    for (name, value) in tool.members() {
        let seen = match name {
            "name" | "description" | "inputSchema" => continue,
            "outputSchema" => Seen::Seldom,
            _ => Seen::Never,
        };
        let text = compact(value);
        fields.push(field(name, seen, &text, text.len()));
    }
    // `Seldom` before `Never`, otherwise in the order of their names.
    fields.sort_by_key(|it| match it.seen {
        Seen::Always => 0,
        Seen::Seldom => 1,
        Seen::Never => 2,
    });
    fields
}

/// Each parameter, and then whatever the schema has besides: braces, `required`, definitions.
fn schema_fields(tool: &Entry, schema: &Value, tokenizer: Tokenizer) -> Vec<Field> {
    let mut fields = Vec::new();
    for (name, parameter, _) in tool.parameters() {
        let text = format!("{}:{},", compact(&name.into()), compact(parameter));
        fields.push(Field {
            name: format!("inputSchema.properties.{name}"),
            seen: Seen::Always,
            tokens: tokenizer.count(&text),
            bytes: text.len(),
        });
    }
    let whole = compact(schema);
    let (tokens, bytes) = fields.iter().fold((0, 0), |sum, it| (sum.0 + it.tokens, sum.1 + it.bytes));
    fields.push(Field {
        name: "inputSchema".into(),
        seen: Seen::Always,
        // Cut apart, marks that were one token can be two, and the last comma is not there: never below nothing.
        tokens: tokenizer.count(&whole).saturating_sub(tokens),
        bytes: whole.len().saturating_sub(bytes),
    });
    fields
}

fn compact(value: &Value) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests;
