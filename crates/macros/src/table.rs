//! The tables of all options and of the attributes of arguments: docs/attributes.md is made from them.
//!
//! In: nothing. Out: for each option its name, the kind of its value, and its row of the page. The attributes
//! are parsed elsewhere, with the names and kinds of these tables.

use crate::entry::Kind;

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Takes {
    Complete,
    Duration,
    Flag,
    Name,
    OnCancel,
    Page,
    Value,
    View,
    Visibility,
}

/// An option of an attribute, or an attribute of an argument.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "a test makes docs/attributes.md from the last three fields")
)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// The option as it is written, without `#[…]` around it.
    form: &'static str,
    /// The values that the option takes, as Markdown.
    value: &'static str,
    /// One sentence, as Markdown.
    meaning: &'static str,
}

const fn known(
    name: &'static str,
    takes: Takes,
    form: &'static str,
    value: &'static str,
    meaning: &'static str,
) -> Known {
    Known { name, takes, form, value, meaning }
}

const fn flag(name: &'static str, meaning: &'static str) -> Known {
    known(name, Takes::Flag, name, "none", meaning)
}

/// Returns the options of the attribute that makes a function an entry of this kind.
pub(crate) fn options(kind: Kind) -> &'static [Known] {
    match kind {
        Kind::Prompt => &PROMPT,
        Kind::Resource => &RESOURCE,
        Kind::Tool => &TOOL,
    }
}

/// Returns the names in a table, in its order.
pub(crate) fn names(table: &[Known]) -> Vec<&'static str> {
    table.iter().map(|it| it.name).collect()
}

const TOOL: [Known; 22] = [
    flag(
        "additive",
        "Tells clients that the tool adds data and destroys none; without a hint, clients assume that the tool may destroy data.",
    ),
    flag(
        "blocking",
        "Runs the function, which is a plain `fn` here, on a thread for [blocking work](handlers.md#work-that-blocks).",
    ),
    flag(
        "closed_world",
        "Tells clients that the tool works with a closed set of things, not with outside systems.",
    ),
    flag(
        "describe_output",
        "Keeps doc comments in the output schema, which otherwise has only names and types.",
    ),
    DESCRIPTION,
    flag("destructive", "Tells clients that the tool may destroy data."),
    known(
        "icon",
        Takes::Value,
        r#"icon = Icon::new("https://…")"#,
        "a `model::Icon`",
        "Adds an icon that clients may show for the tool.",
    ),
    flag("idempotent", "Tells clients that a repeated call has no further effect."),
    known(
        "input_schema",
        Takes::Value,
        r#"input_schema = include_str!("search.json")"#,
        "a schema, as text or as a `Value`",
        "Lists [this schema](schemas.md#schemas-by-hand) in place of the derived one; the arguments are still read into \
         their types.",
    ),
    LAYER,
    META,
    known(
        "name",
        Takes::Name,
        r#"name = "…""#,
        "a literal of 1 to 128 characters of `A-Z a-z 0-9 _ . -`",
        "Sets the name, in place of the name of the function.",
    ),
    known(
        "on_cancel",
        Takes::OnCancel,
        "on_cancel = finish",
        "`drop`, `finish` or `detach`",
        "Sets what happens to the work of [a cancelled call](handlers.md#cancelled-calls-that-run-on); the default is \
         `drop`, and with `blocking` it is `finish`.",
    ),
    flag("open_world", "Tells clients that the tool reaches outside systems, such as the web."),
    known(
        "output_schema",
        Takes::Value,
        r#"output_schema = include_str!("hits.json")"#,
        "a schema, as text or as a `Value`",
        "Lists this schema in place of the derived one; results are not compared with it.",
    ),
    flag("read_only", "Tells clients that the tool changes nothing."),
    REQUIRES,
    known(
        "timeout",
        Takes::Duration,
        r#"timeout = "30s""#,
        "a literal in `ms`, `s` or `min`, or a `Duration`",
        "Ends a call that takes longer: [deadlines](handlers.md#deadlines).",
    ),
    TITLE,
    known(
        "ui",
        Takes::Page,
        r#"ui = "ui://…""#,
        "a URI that begins with `ui://`",
        "Names [the page](apps.md) that shows the results.",
    ),
    flag(
        "validate",
        "Checks arguments against the whole input schema before the function runs (feature `validate`).",
    ),
    known(
        "visibility",
        Takes::Visibility,
        "visibility = app",
        "`app`, `both` or `model`",
        "Sets who may call the tool in clients that show [pages](apps.md): the page, the model, or both (the default).",
    ),
];

const RESOURCE: [Known; 11] = [
    known(
        "complete",
        Takes::Complete,
        "complete(variable = function)",
        "variables of the URI, each with an async function",
        "Suggests values of a variable: [completion](staying-in-touch.md#completion).",
    ),
    DESCRIPTION,
    LAYER,
    META,
    known(
        "mime_type",
        Takes::Value,
        r#"mime_type = "text/markdown""#,
        "a text",
        "Sets the media type of the content.",
    ),
    NAME,
    REQUIRES,
    known(
        "size",
        Takes::Value,
        "size = 1_024",
        "a `u64`",
        "Sets the size of the content in bytes, for lists of resources; only where the URI has no variables.",
    ),
    flag(
        "subscribable",
        "Lets clients [subscribe](staying-in-touch.md#subscriptions) to changes of the content.",
    ),
    TITLE,
    known(
        "view",
        Takes::View,
        "view",
        "none, or an `apps::View`, as in `view = View::new().bordered()`",
        "Makes the resource [a page](apps.md) that hosts show; its URI begins with `ui://`.",
    ),
];

const PROMPT: [Known; 7] = [
    known(
        "complete",
        Takes::Complete,
        "complete(argument = function)",
        "arguments, each with an async function",
        "Suggests values of an argument: [completion](staying-in-touch.md#completion).",
    ),
    DESCRIPTION,
    LAYER,
    META,
    NAME,
    REQUIRES,
    TITLE,
];

const DESCRIPTION: Known = known(
    "description",
    Takes::Value,
    r#"description = "…""#,
    "a text",
    "Sets the description, in place of the doc comment.",
);

const LAYER: Known = known(
    "layer",
    Takes::Value,
    "layer = function",
    "a [layer](layers.md)",
    "Runs code around every call; the first layer is the outermost.",
);

const META: Known = known(
    "meta",
    Takes::Value,
    r#"meta = json!({ "key": "…" })"#,
    "a value whose JSON is an object",
    "Adds members to the `_meta` that clients get in lists.",
);

const NAME: Known = known(
    "name",
    Takes::Name,
    r#"name = "…""#,
    "a literal",
    "Sets the name, in place of the name of the function.",
);

const REQUIRES: Known = known(
    "requires",
    Takes::Value,
    "requires = ClientCapability::Sampling",
    "a `model::ClientCapability`",
    "Refuses calls of clients that do not declare this capability.",
);

const TITLE: Known =
    known("title", Takes::Value, r#"title = "…""#, "a text", "Sets the name that users see.");

/// Options that may be given more than once.
pub(crate) const REPEATED: [&str; 5] = ["complete", "icon", "layer", "meta", "requires"];

/// Pairs of options that exclude each other.
pub(crate) const OPPOSITES: [(&str, &str); 5] = [
    ("additive", "destructive"),
    ("additive", "read_only"),
    ("closed_world", "open_world"),
    ("destructive", "read_only"),
    ("mime_type", "view"),
];

/// The attributes of an argument that a field of a type with `#[data]` may have too.
pub(crate) const FIELD: [Known; 7] = [
    known(
        "argument",
        Takes::Value,
        r#"argument("How many.", default = 10, range = 1..=100)"#,
        "a literal text, and the other attributes of this table as options",
        "Describes the argument, and sets the options, on one line.",
    ),
    known(
        "default",
        Takes::Value,
        "default(10)",
        "an expression of the argument's type; a text literal is converted by `Into`",
        "Sets the value of a missing argument.",
    ),
    known(
        "format",
        Takes::Value,
        r#"format("date")"#,
        "`date`, `date-time`, `email`, `hostname`, `ipv4`, `ipv6`, `uri` or `uuid`",
        "Refuses a text that does not have this form; for `email` and `uri`, only roughly this form.",
    ),
    known(
        "header",
        Takes::Value,
        r#"header("Region")"#,
        "a literal that may stand in the name of a header",
        "Makes HTTP clients repeat an argument of a tool in the header `Mcp-Param-Region`: [arguments in \
         headers](handlers.md#arguments-in-headers).",
    ),
    known(
        "length",
        Takes::Value,
        "length(1..=50)",
        "a range, or one number",
        "Refuses a text with more or fewer characters, or a list with more or fewer items.",
    ),
    known(
        "pattern",
        Takes::Value,
        r#"pattern("^[A-Z]+$")"#,
        "a literal",
        "Refuses a text that does not match the regular expression (feature `pattern`).",
    ),
    known(
        "range",
        Takes::Value,
        "range(1..=100)",
        "a range with one bound or both",
        "Refuses a number outside of the range.",
    ),
];

/// The attributes that only a parameter may have.
pub(crate) const PARAMETER: [Known; 5] = [
    flag(
        "argument",
        "Makes the parameter an argument although its type is called `Context`, `State<T>` or `Principal`.",
    ),
    flag("arguments", "Reads all arguments into this one struct."),
    flag(
        "extract",
        "Makes the value from the call, not from its arguments: the type implements `handler::FromCall<ViaCall>`.",
    ),
    known(
        "schemars",
        Takes::Value,
        r#"schemars(title = "…")"#,
        "any option of `#[schemars(…)]` for fields",
        "Changes the schema of the argument.",
    ),
    known(
        "serde",
        Takes::Value,
        r#"serde(rename = "type")"#,
        "any option of `#[serde(…)]` for fields",
        "Changes how the argument is read.",
    ),
];

/// The options of `#[server]`.
pub(crate) const SERVER: [Known; 1] = [known(
    "part",
    Takes::Name,
    "part = name",
    "a name for a method",
    "Adds a method of this name that returns the entries; a second `impl` of the same type needs this option.",
)];

/// The options of `#[tool_error]`.
pub(crate) const TOOL_ERROR: [Known; 5] = [
    known(
        "code",
        Takes::Value,
        r#"code = "not_found""#,
        "a literal of `a-z 0-9 _`",
        "Sets the code for programs; the default is `failed`.",
    ),
    known(
        "hint",
        Takes::Value,
        r#"hint = "…""#,
        "a literal, with fields as in `{title}` or `{0}`",
        "Tells the model what it can do about the error.",
    ),
    known(
        "message",
        Takes::Value,
        r#"message = "…""#,
        "a literal, with fields as in `{title}` or `{0}`",
        "Sets the text for the model, in place of the text of `Display`; the error, which needs `std::error::Error`, then goes to the log.",
    ),
    flag("retryable", "Says that the same call may succeed later; the code `timeout` implies `retryable`."),
    flag(
        "transparent",
        "Sends the `ToolError` that the variant holds as it is, and lets `?` make the variant from a `ToolError`.",
    ),
];

#[cfg(test)]
mod tests;
