//! Token counts of the tools of a server.
//!
//! In: [`Entry`]s and a [`Tokenizer`]. Out: a [`Report`], tool by tool and field by field. A host gives a
//! model the name, the description and the input schema of every tool, on every turn. The words that each
//! host adds are not counted. Most hosts do not show output schemas to a model, so their tokens are counted
//! separately. Titles, annotations, icons and `_meta` are for programs: their bytes are counted, and their
//! tokens are not.

mod difference;
mod estimate;
mod render;

use serde::Serialize;
use serde_json::Value;

use crate::Entry;
pub use difference::{Change, Difference, differences};
pub use render::render;

/// A method of counting tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum Tokenizer {
    /// A rough count that needs no table of tokens. `docs/tokens.md` says how far it is off.
    #[serde(rename = "estimate")]
    Estimate,
    /// The exact encoding `o200k_base` of OpenAI's models since GPT-4o. The encodings of Claude and Gemini
    /// are not public and count differently.
    #[cfg(feature = "tokenizer")]
    #[serde(rename = "o200k_base")]
    O200kBase,
}

impl Tokenizer {
    /// Returns the most exact tokenizer in this build: `O200kBase` with the feature `tokenizer`, else
    /// `Estimate`.
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

    /// Returns whether the counts are exact for at least one model.
    pub fn is_exact(self) -> bool {
        self != Self::Estimate
    }
}

/// The cost of all tools of a list.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Report {
    /// The tokenizer that counted the tokens.
    pub tokenizer: Tokenizer,
    /// The tokens of all tools that a model reads on one turn.
    pub total: usize,
    /// The tokens of all output schemas, which most hosts do not show to a model. They are not in `total`.
    pub output_schemas: usize,
    /// The bytes of all entries as compact JSON.
    pub bytes: usize,
    /// The tools in the order of the list.
    pub tools: Vec<Cost>,
}

/// The cost of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Cost {
    /// The name of the tool.
    pub name: String,
    /// The tokens of the tool that a model reads: the sum of the fields that every model sees.
    pub total: usize,
    /// The tokens of the tool's output schema. They are not in `total`.
    pub output_schema: usize,
    /// The bytes of the entry as compact JSON.
    pub bytes: usize,
    /// The fields of the tool: first those that a model reads, in the order in which it reads them.
    pub fields: Vec<Field>,
}

/// The cost of one field of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Field {
    /// `name`, `description`, `inputSchema.properties.…` for a parameter, `inputSchema` for the remainder of
    /// the schema, or the name of any other member.
    pub name: String,
    /// The readers of the field.
    pub seen: Seen,
    /// The tokens of the field; 0 if no model reads it.
    pub tokens: usize,
    /// The bytes of the field as compact JSON.
    pub bytes: usize,
}

/// The readers of a field.
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
    /// Counts the tokens and bytes of `tools`.
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

    /// Returns the tokens that the tools cost in a conversation of `turns` turns: a host sends the tools on
    /// every turn.
    pub fn in_turns(&self, turns: usize) -> usize {
        self.total.saturating_mul(turns)
    }
}

impl Cost {
    fn of(tool: &Entry, tokenizer: Tokenizer) -> Self {
        let fields = fields(tool, tokenizer);
        let sum = |seen| fields.iter().filter(|it| it.seen == seen).map(|it| it.tokens).sum();
        // Two quotes, a colon and a comma for each member, and two braces. The last member has no comma.
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

/// Returns the fields of a tool; those that every model sees come first.
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
    // What every model sees comes first, then output schemas, then what no model sees. Within each of these
    // groups the order stays.
    fields.sort_by_key(|it| match it.seen {
        Seen::Always => 0,
        Seen::Seldom => 1,
        Seen::Never => 2,
    });
    fields
}

/// Returns the fields of an input schema: one for each parameter, and one for the remainder of the schema,
/// which is braces, `required` and definitions.
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
        // A run of marks that is one token in the whole schema may be two tokens in the parts, and the last
        // parameter has no comma. So the sum of the parts may exceed the whole.
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
