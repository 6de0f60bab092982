//! Attributes on functions of unusual form: each compiles without a warning, and does what it says.

#![deny(warnings, missing_docs, clippy::pedantic)]
#![forbid(unsafe_code)]

use plainwire::handler::{Call, FromCall, Rejected, Signature, ViaCall};
use plainwire::prelude::*;
use serde_json::{Value, json};

use crate::{schema, serve};

async fn answer(server: Server, tool: &str, arguments: Value) -> String {
    serve(server).await.call::<String>(tool, arguments).await.expect("a text")
}

/// Echoes.
#[tool]
async fn echo(r#type: String, r#match: Option<u8>) -> String {
    r#type + &format!(" {:?}", r#match.map(u16::from))
}

/// A thing of a kind.
#[resource("thing://{type}", complete(type = kinds))]
async fn r#struct(r#type: String) -> String {
    r#type
}

async fn kinds(_: Completing) -> Vec<String> {
    vec![]
}

#[tokio::test]
async fn raw_names_are_their_words() {
    let client = serve(plainwire::server!().tool(echo).resource(r#struct)).await;
    let tool = &client.list_tools().await.expect("a list")[0];
    assert!(schema(tool)["properties"]["type"].is_object());
    assert_eq!(
        client.call::<String>("echo", json!({ "type": "a", "match": 1 })).await.expect("a text"),
        "a Some(1)"
    );
    assert!(client.read_resource("thing://x").await.is_ok());
    assert_eq!(client.list_resource_templates().await.expect("a list")[0].name, "struct");
}

/// Says what it takes.
#[tool]
async fn text(
    text: String,
    arguments: String,
    this: String,
    function: String,
    future: String,
    entries: String,
) -> String {
    [text, arguments, this, function, future, entries].concat()
}

/// A value that `#[extract]` takes from a call, always `word`. It is for parameters with names that the macro
/// uses for its own variables.
struct Word(&'static str);

impl FromCall<ViaCall> for Word {
    fn declare(_: &mut Signature) {}

    fn from_call(_: &Call<'_>) -> Result<Self, Rejected> {
        Ok(Self("word"))
    }
}

/// Says what it takes from the call.
#[tool]
async fn words(
    #[extract] arguments: Word,
    #[extract] this: Word,
    #[extract] words: Word,
    text: String,
) -> String {
    [arguments.0, this.0, words.0, &text].concat()
}

#[tokio::test]
async fn parameters_have_any_name() {
    let all =
        json!({ "text": "a", "arguments": "b", "this": "c", "function": "d", "future": "e", "entries": "f" });
    assert_eq!(answer(plainwire::server!().tool(text), "text", all).await, "abcdef");
    assert_eq!(
        answer(plainwire::server!().tool(words), "words", json!({ "text": "!" })).await,
        "wordwordword!"
    );
}

/// A type with a name that the macro could use too.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Description {
    arguments: Arguments,
}

/// Another type with such a name.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Arguments {
    text: String,
}

fn function(text: &str) -> String {
    text.to_uppercase()
}

/// Describes.
#[tool]
async fn describe(description: Description, arguments: Arguments) -> Description {
    let text = function(&(description.arguments.text + &arguments.text));
    Description { arguments: Arguments { text } }
}

#[tokio::test]
async fn types_and_functions_of_the_program_have_any_name() {
    let client = serve(plainwire::server!().tool(describe)).await;
    let arguments = json!({ "description": { "arguments": { "text": "a" } }, "arguments": { "text": "b" } });
    let description: Description = client.call("describe", arguments).await.expect("a description");
    assert_eq!(description.arguments.text, "AB");
}

/// Counts down by calling itself.
#[tool]
async fn down(from: u32) -> u32 {
    if from == 0 { 0 } else { Box::pin(down(from - 1)).await }
}

#[tokio::test]
async fn a_function_may_call_itself() {
    let client = serve(plainwire::server!().tool(down)).await;
    assert_eq!(client.call::<u32>("down", json!({ "from": 3 })).await.expect("a number"), 0);
}

/// Adds up what it takes.
#[tool(read_only)]
#[expect(clippy::too_many_arguments, clippy::many_single_char_names, reason = "sixteen are allowed")]
async fn sum(
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: u8,
    n: u8,
    o: u8,
    p: u8,
) -> u8 {
    a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p
}

#[tokio::test]
async fn sixteen_parameters_are_not_too_many() {
    let arguments: serde_json::Map<_, _> = ('a'..='p').map(|name| (name.to_string(), json!(1))).collect();
    let client = serve(plainwire::server!().tool(sum)).await;
    assert_eq!(client.call::<u8>("sum", Value::Object(arguments)).await.expect("a number"), 16);
}

/// Is not there.
#[tool]
#[cfg(not(test))]
async fn absent() -> Missing {}

/// Is there.
#[cfg(test)]
#[tool]
#[allow(unused_variables, reason = "shows that lints reach the body")]
pub(crate) async fn present(#[allow(unused_variables)] unused: Option<u8>) -> String {
    let also_unused = 1;
    "here".to_owned()
}

#[tokio::test]
async fn conditions_and_lints_stand_above_a_function() {
    assert_eq!(answer(plainwire::server!().tool(present), "present", json!({})).await, "here");
}

mod inner {
    use super::{Result, ToolError};

    /// Is seen one module up.
    ///
    /// # Errors
    /// Never.
    #[plainwire::tool]
    pub(super) async fn nested(mut by: u32) -> Result<u32, ToolError> {
        by += 1;
        Ok(by)
    }
}

#[tokio::test]
async fn functions_stand_in_modules_and_in_functions() {
    /// Stands in a function.
    #[tool]
    async fn local(by: u32) -> u32 {
        by
    }
    let client = serve(plainwire::server!().tool(inner::nested).tool(local)).await;
    assert_eq!(client.call::<u32>("nested", json!({ "by": 1 })).await.expect("a number"), 2);
    assert_eq!(client.call::<u32>("local", json!({ "by": 1 })).await.expect("a number"), 1);
}

#[doc = concat!("What a person ", "reads.")]
#[tool(description = concat!("What a model ", "reads."))]
async fn told(#[doc = concat!("Of ", "whom.")] who: String) -> String {
    who
}

#[tokio::test]
async fn a_description_can_be_put_together() {
    let client = serve(plainwire::server!().tool(told)).await;
    let tool = &client.list_tools().await.expect("a list")[0];
    assert_eq!(tool.description.as_deref(), Some("What a model reads."));
    assert_eq!(schema(tool)["properties"]["who"]["description"], "Of whom.");
}

/// A value of any type `S`. Whether it can be shared between threads depends on `S`.
struct Holder<S>(S);

#[server]
impl<S: Fn(&str) -> String> Holder<S> {
    /// Returns what it makes of a text.
    #[tool]
    async fn make(&self, arguments: String, #[extract] this: Word) -> String {
        (self.0)(&arguments) + this.0
    }

    /// Exists in this build; the method of the same name below does not.
    #[cfg(test)]
    #[tool]
    async fn one(&self) -> String {
        (self.0)("one")
    }

    /// Does not exist in this build: its type `Missing` is not defined anywhere.
    #[cfg(not(test))]
    #[tool]
    async fn one(&self) -> Missing {}
}

#[tokio::test]
async fn methods_have_conditions_and_bounds_of_their_own() {
    let client = serve(plainwire::server!().with(Holder(str::to_uppercase))).await;
    let named = client.call::<String>("make", json!({ "arguments": "a" })).await;
    assert_eq!(named.expect("a text"), "Aword");
    assert_eq!(client.call::<String>("one", json!({})).await.expect("a text"), "ONE");
}

/// A function with a name that the attribute once used for itself.
#[tool]
async fn future(future: u8) -> String {
    format!("future {future}")
}

/// A place, which can be an argument too.
#[data]
#[derive(Clone, Copy)]
struct Place {
    x: i32,
}

#[server]
impl Place {
    const FAR: i32 = 7;

    /// Measures the way to another place.
    #[tool]
    async fn way(&self, to: Self, #[default(Self::FAR)] most: i32, others: Option<Vec<Self>>) -> String {
        format!("{} {most} {}", to.x - self.x, others.map_or(0, |others| others.len()))
    }
}

#[tokio::test]
async fn names_and_types_of_the_program_mean_what_they_mean_there() {
    assert_eq!(answer(plainwire::server!().tool(future), "future", json!({ "future": 1 })).await, "future 1");
    let place = json!({ "to": { "x": 5 }, "others": [{ "x": 1 }] });
    assert_eq!(answer(plainwire::server!().with(Place { x: 2 }), "way", place).await, "3 7 1");
}
