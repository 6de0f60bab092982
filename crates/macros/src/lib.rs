//! The attributes of Plainwire: `#[tool]`, `#[resource]`, `#[prompt]`, `#[server]`, `#[data]` and
//! `#[derive(ToolError)]`.
//!
//! In: a function, an `impl` or a type. Out: for a function or an `impl`, the calls of the public builders
//! that declare its entries, as you would write them by hand; for a type, derives. The generated code uses no
//! API that is only for macros; `cargo expand` shows code that could be part of a program. A declaration that
//! a macro can see to be wrong does not compile, and the error says what to do.
//!
//! This crate does not depend on `plainwire`: it only generates code with paths into `plainwire`. Examples that
//! run are in `plainwire::macros`.

mod argument;
mod constraint;
mod data;
mod default;
mod docs;
mod entry;
mod free;
mod function;
mod header;
mod implementation;
mod kind;
mod literal;
mod name;
mod options;
mod own_type;
mod parameter;
mod table;
mod template;
mod tool_error;

use proc_macro::TokenStream;

use entry::Kind;

/// Makes an async function a tool: `server.tool(function)` adds it. The function can still be called.
///
/// The tool has the name of the function; its description is the doc comment up to the first heading.
/// Parameters are arguments, described by their doc comments, or in the section `# Arguments` of the function's doc
/// comment: a list with items such as ``- `limit`: how many at most``. `Context`, `&Context`, `State<T>` and
/// `Principal` come from the call.
///
/// | Option | Meaning |
/// |---|---|
/// | `name = "…"`, `title = …`, `description = …` | instead of the function's name, no title, the doc comment |
/// | `read_only`, `destructive`, `additive`, `idempotent`, `open_world`, `closed_world` | annotations |
/// | `icon = …`, `meta = …`, `layer = …`, `requires = …` | calls the builder's method of that name; may be repeated |
/// | `timeout = "30s"` | ends a call that takes longer: a text in `ms`, `s` or `min`, or a `Duration` |
/// | `on_cancel = finish`, `on_cancel = detach` | what happens to the work of a cancelled call; without the option it is dropped |
/// | `blocking` | for a plain `fn`: it runs on a thread for blocking work, and a call returns a future |
/// | `input_schema = …`, `output_schema = …` | instead of the schemas of the types; the compiler checks the root of an input schema given as text |
/// | `ui = "ui://…"`, `visibility = app`, `visibility = model` | the page that shows the result; who may call the tool (default: both) |
/// | `describe_output` | keeps doc comments in the output schema; without the option it has names and types only |
/// | `validate` | checks arguments against the hand-written input schema (feature `validate`) |
///
/// | On a parameter | Meaning |
/// |---|---|
/// | `#[argument("How many.", default = 10, range = 1..=100)]` | its description, and the attributes of the next rows, on one line |
/// | `#[default(50)]` | the value of a missing argument; the type needs no `Option` |
/// | `#[range(1..=100)]` | bounds of a number |
/// | `#[length(1..=50)]`, `#[length(5)]` | number of characters of a text, or of items of a list |
/// | `#[pattern("^[A-Z]+-[0-9]+$")]` | a regular expression (feature `pattern`) |
/// | `#[format("date")]` | `date`, `date-time`, `email`, `hostname`, `ipv4`, `ipv6`, `uri`, `uuid` |
/// | `#[header("Region")]` | clients on HTTP repeat the argument as `Mcp-Param-Region`, for proxies to read: a text, an integer or a boolean, no secret |
/// | `#[arguments]` | the struct that all arguments are read into, instead of single ones |
/// | `#[extract]`, `#[argument]` | a type of your own with `FromCall<ViaCall>`; an argument whose type is called `Context`, `State` or `Principal` |
/// | `#[serde(…)]`, `#[schemars(…)]` | the field attributes of these derives |
#[proc_macro_attribute]
pub fn tool(options: TokenStream, function: TokenStream) -> TokenStream {
    free::expand(Kind::Tool, options.into(), function.into()).into()
}

/// Makes an async function a resource or a resource template: `server.resource(function)` adds it.
///
/// `#[resource("project://{path}")]` gives the URI. Its variables, `{name}` or `{+name}`, are the parameters
/// of the function. A URI without variables makes a resource, any other a template.
///
/// Options: `name = "…"` (default: the function's name), `title = …`, `description = …`, `mime_type = …`,
/// `subscribable`, `layer = …`, `meta = …`, `requires = …`; for a resource also `size = …`, for a template
/// `complete(variable = function)`. `view` makes it a page of MCP Apps; `view = View::new()…` makes it a page
/// that declares what it needs from its host.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, function: TokenStream) -> TokenStream {
    free::expand(Kind::Resource, options.into(), function.into()).into()
}

/// Makes an async function a prompt: `server.prompt(function)` adds it.
///
/// Parameters are arguments, as for a tool. Options: `name = "…"`, `title = …`, `description = …`,
/// `layer = …`, `meta = …`, `requires = …`, `complete(argument = function)`.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, function: TokenStream) -> TokenStream {
    free::expand(Kind::Prompt, options.into(), function.into()).into()
}

/// Makes entries of those methods of an `impl` that have `#[tool]`, `#[resource]` or `#[prompt]`:
/// `server.with(value)` adds them all.
///
/// The attribute implements `Provider` for the type. A second `impl` of the type, for example in another
/// file, takes `#[server(part = name)]`, which adds a method `name` that returns the entries of that `impl`:
/// `server.with(Arc::clone(&value).name())`.
#[proc_macro_attribute]
pub fn server(options: TokenStream, block: TokenStream) -> TokenStream {
    implementation::expand(options.into(), block.into()).into()
}

/// Makes a struct or an enum usable as an argument, a part of one, or a result.
///
/// It derives `Serialize`, `Deserialize` and `JsonSchema`, without `serde` and `schemars` in Cargo.toml.
/// `#[serde(…)]` and `#[schemars(…)]` work as usual for these derives. On fields, `#[default]`, `#[range]`,
/// `#[length]`, `#[pattern]`, `#[format]`, `#[header]` and `#[argument(…)]` work as on a parameter of [`macro@tool`].
#[proc_macro_attribute]
pub fn data(options: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(&options.into(), item.into()).into()
}

/// Gives the variants of an error type the code, message and hint that the model gets.
///
/// `#[tool_error("there is no book {0:?}", code = "not_found")]` begins with the text of a variant. The derive implements
/// `Display` and `std::error::Error` with these texts, and `From` for a field with `#[from]`. Without texts, the type has
/// `Display` in another way, for example by `thiserror`. The derive adds a method `into_tool_error`, which `#[tool]`,
/// `#[resource]` and `#[prompt]` call when a function returns the error.
///
/// | Option | Meaning |
/// |---|---|
/// | `code = "not_found"` | the code for programs, of `a-z 0-9 _`; default `failed` |
/// | `hint = "…"` | what the model can do about the error |
/// | `message = "…"` | the text for the model; the text of `Display` is then only logged, as a warning |
/// | `retryable` | the same call may succeed later; always so with the code `timeout` |
/// | `transparent` | on a variant that holds only a `ToolError`: sends that error as it is, and `?` converts a `ToolError` into the variant |
///
/// Options stand on a variant, or on a struct: `#[tool_error(code = "not_found", hint = "…")]`. Texts may name
/// fields: `{title}`, or `{0}` where fields have no names.
///
/// The model never gets the text of a source, unless you ask for it: where the text, or thiserror's `#[error(…)]`, shows a
/// field that is a source, or `#[error(…)]` is `transparent`, `message` has to be given.
#[proc_macro_derive(ToolError, attributes(from, source, tool_error))]
pub fn tool_error(item: TokenStream) -> TokenStream {
    tool_error::expand(item.into()).into()
}
