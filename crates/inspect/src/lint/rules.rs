//! The table of rules: severity, clients and advice of each.
//!
//! In: nothing. Out: [`RULES`]. A rule is an error in three cases: breaking it violates the protocol or MCP
//! Apps; or the tool has no description; or all programs of a client pass such a tool on, and the model's API
//! refuses it. Programs that use Gemini differ: some send the older function declarations, some convert
//! schemas into those, some send JSON Schema unchanged. So no rule that is only about Gemini is an error.

use super::Client::{self, Claude, Copilot, Cursor, Gemini, Openai};
use super::Rule;
use super::Severity::{self, Error, Note, Warning};

/// All rules: descriptions first, then names, then schemas, then pages.
pub const RULES: &[Rule] = &[
    rule("missing-description", Error, &[], "say what it accepts, what it returns and what it is for"),
    rule("short-description", Warning, &[], "say what it accepts, what it returns and what it is for"),
    rule("no-result", Warning, &[], "say what it returns: `Returns …`"),
    rule(
        "narrating-description",
        Warning,
        &[],
        "begin with the verb, and say when to use it: `Use it when …`",
    ),
    rule("repeats-name", Warning, &[], "say what the name does not"),
    rule(
        "long-description",
        Warning,
        &[Claude, Openai],
        "keep the first sentences, move the rest into a resource",
    ),
    rule("undocumented-parameter", Warning, &[], "say what to write there, with an example"),
    rule("type-as-description", Warning, &[], "the type is in the schema: say what the value means"),
    rule("missing-name", Error, &[], "give it a name"),
    rule("duplicate-name", Error, &[], "rename one of them"),
    rule("similar-name", Warning, &[], "rename one of them, so that a model can't mix them up"),
    rule("tool-name", Error, &[Claude, Openai], "letters, digits, `_` and `-` only, at most 64 of them"),
    rule("tool-name-start", Warning, &[Gemini], "begin with a letter"),
    rule(
        "long-tool-name",
        Warning,
        &[Cursor],
        "shorten it: the server's name counts too, and 60 is the limit of both",
    ),
    rule("root-not-object", Error, &[], "arguments are an object: `\"type\": \"object\"` at the root"),
    rule(
        "root-combinator",
        Error,
        &[Claude, Openai],
        "list the properties at the root, and check the rest in the tool",
    ),
    rule("missing-properties", Error, &[Openai], "write `\"properties\": {}` if there are none"),
    rule(
        "not-a-schema",
        Error,
        &[Claude],
        "a schema is an object, or `true`, with a `type` that JSON Schema has",
    ),
    rule("property-name", Error, &[Claude], "letters, digits, `_`, `.` and `-` only, at most 64 of them"),
    rule(
        "array-items",
        Error,
        &[Gemini, Openai],
        "say what is in the array: `\"items\": { \"type\": \"string\" }`",
    ),
    rule("dangling-reference", Error, &[], "put the definition into `$defs` of the same schema"),
    rule("reference", Warning, &[Copilot, Gemini], "write the definition where it is used"),
    rule("recursive-reference", Note, &[Copilot, Gemini], "limit the depth of the data, unless it is a tree"),
    rule(
        "required-unknown",
        Warning,
        &[Gemini],
        "describe it under `properties`, or leave it out of `required`",
    ),
    rule(
        "type-list",
        Warning,
        &[Gemini],
        "leave an optional parameter out of `required` instead of allowing `null`",
    ),
    rule("format", Warning, &[Gemini], "say the format in the description"),
    rule("enum-type", Warning, &[Gemini], "make the values strings"),
    rule(
        "keyword",
        Warning,
        &[Gemini],
        "use keywords that Gemini supports: `enum`, `minimum`, `maximum`, `anyOf`",
    ),
    rule("empty-object", Warning, &[Gemini], "list its properties, or take a string with JSON in it"),
    rule(
        "union",
        Warning,
        &[],
        "give each object a property with a constant of its own, or make a tool for each",
    ),
    rule(
        "limit-in-words",
        Note,
        &[],
        "write it as `maximum`, `maxLength` or the like too: a model sees it, and a wrong value is refused before your code runs",
    ),
    rule("deep-schema", Note, &[Openai], "flatten it"),
    rule("many-properties", Note, &[Openai], "split the tool"),
    rule("page-uri", Error, &[], "make the page a `ui://` resource of the server"),
    rule("page-settings", Warning, &[], "move it to `_meta.ui` of the resource, where hosts look for it"),
];

const fn rule(
    name: &'static str,
    severity: Severity,
    clients: &'static [Client],
    hint: &'static str,
) -> Rule {
    Rule { name, severity, clients, hint }
}
