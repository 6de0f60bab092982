//! The attributes of Plainwire: `#[tool]`, `#[resource]`, `#[prompt]`, `#[server]` and `#[data]`.
//!
//! In: a function, or an `impl`. Out: the same function, and the calls of the public builders that declare it, as somebody
//! would write them by hand. Nothing here is only for macros; `cargo expand` shows code that could stand in a program. What
//! is wrong with a declaration and can be seen in its text does not compile, with a sentence on what to do.
//!
//! This crate does not know `plainwire`: it writes paths into it. Examples that run are in `plainwire::macros`.

mod constraint;
mod data;
mod default;
mod docs;
mod entry;
mod free;
mod function;
mod header;
mod implementation;
mod literal;
mod name;
mod options;
mod own_type;
mod parameter;
mod template;

use proc_macro::TokenStream;

use entry::Kind;

/// Makes an async function a tool: `server.tool(function)` adds it. The function can still be called.
///
/// The name is the function's, the description its doc comment up to the first heading. Parameters are arguments, with
/// their doc comments as descriptions; `Context`, `&Context`, `State<T>` and `Principal` come from the call.
///
/// | Option | Meaning |
/// |---|---|
/// | `name = "…"`, `title = …`, `description = …` | instead of the function's name, nothing, the doc comment |
/// | `read_only`, `destructive`, `additive`, `idempotent`, `open_world`, `closed_world` | annotations |
/// | `icon = …`, `meta = …`, `layer = …`, `requires = …` | the builder's method of that name; may be repeated |
/// | `timeout = "30s"` | ends a call that takes longer: text with `ms`, `s` or `min`, or a `Duration` |
/// | `on_cancel = finish`, `on_cancel = detach` | what happens to the work of a cancelled call; it is dropped otherwise |
/// | `blocking` | for a plain `fn`: it runs off the async threads, and calling it gives a future |
/// | `input_schema = …`, `output_schema = …` | instead of the schemas of the types; of a text, the root is checked by the compiler |
/// | `ui = "ui://…"`, `visibility = app`, `visibility = model` | the page that shows the result; who may call it, both otherwise |
/// | `describe_output` | keeps doc comments in the output schema, which has names and types only otherwise |
/// | `validate` | checks arguments by the hand-written input schema (feature `validate`) |
///
/// | On a parameter | Meaning |
/// |---|---|
/// | `#[default(50)]` | what a missing argument is; the type needs no `Option` |
/// | `#[range(1..=100)]` | bounds of a number |
/// | `#[length(1..=50)]`, `#[length(5)]` | characters of a text, items of a list |
/// | `#[pattern("^[A-Z]+-[0-9]+$")]` | a regular expression (feature `pattern`) |
/// | `#[format("date")]` | `date`, `date-time`, `email`, `hostname`, `ipv4`, `ipv6`, `uri`, `uuid` |
/// | `#[header("Region")]` | clients on HTTP repeat it as `Mcp-Param-Region`, for what stands between: a text, an integer or a boolean, no secret |
/// | `#[arguments]` | the struct that all arguments are read into, instead of single ones |
/// | `#[extract]`, `#[argument]` | a type of your own with `FromCall<ViaCall>`; an argument whose type has such a name |
/// | `#[serde(…)]`, `#[schemars(…)]` | what these derives know for fields |
#[proc_macro_attribute]
pub fn tool(options: TokenStream, function: TokenStream) -> TokenStream {
    free::expand(Kind::Tool, options.into(), function.into()).into()
}

/// Makes an async function a resource, or a family of them: `server.resource(function)` adds it.
///
/// `#[resource("project://{path}")]` says the URI. Its variables, `{name}` or `{+name}`, are the parameters of the
/// function; without any it is one resource. Options: `name = "…"` (the function's name otherwise), `title = …`,
/// `description = …`, `mime_type = …`, `subscribable`, `layer = …`, `meta = …`, `requires = …`; for one resource also
/// `size = …`, for a family `complete(variable = function)`. `view` makes it a page of MCP Apps, `view = View::new()…` one that
/// needs something of its host.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, function: TokenStream) -> TokenStream {
    free::expand(Kind::Resource, options.into(), function.into()).into()
}

/// Makes an async function a prompt: `server.prompt(function)` adds it.
///
/// Parameters are arguments, as of a tool. Options: `name = "…"`, `title = …`, `description = …`, `layer = …`,
/// `meta = …`, `requires = …`, `complete(argument = function)`.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, function: TokenStream) -> TokenStream {
    free::expand(Kind::Prompt, options.into(), function.into()).into()
}

/// Makes the methods of an `impl` that have `#[tool]`, `#[resource]` or `#[prompt]` entries: `server.with(value)` adds
/// them all.
///
/// The type becomes a `Provider`. An `impl` of the same type in another file says `#[server(part = name)]` and becomes the
/// method `name`, which returns its entries: `server.with(Arc::clone(&value).name())`.
#[proc_macro_attribute]
pub fn server(options: TokenStream, block: TokenStream) -> TokenStream {
    implementation::expand(options.into(), block.into()).into()
}

/// Makes a struct or an enum something that can be an argument, a part of one, or a result.
///
/// It derives `Serialize`, `Deserialize` and `JsonSchema`, without `serde` and `schemars` in Cargo.toml. `#[serde(…)]` and
/// `#[schemars(…)]` are what they are for these derives. On fields, `#[default]`, `#[range]`, `#[length]`, `#[pattern]`,
/// `#[format]` and `#[header]` mean what they mean on a parameter of [`macro@tool`].
#[proc_macro_attribute]
pub fn data(options: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(&options.into(), item.into()).into()
}
