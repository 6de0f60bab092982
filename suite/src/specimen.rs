//! The server that the transcripts run against: a bit of everything, independent of time and place.
//!
//! In: nothing. Out: a [`Server`] with seven tools on two pages, resources of text and bytes, a template and
//! prompts. Its handlers ask no questions, and its lists and resources never change; the servers in
//! [`asking`] and [`notifications`] do these things.

use std::time::Duration;

use plainwire::model::{
    Annotations, CacheHint, CacheScope, EmbeddedResource, Icon, MediaContent, ResourceContents, TextContent,
    TextResource,
};
use plainwire::prelude::*;
use plainwire::serde_json::{json, value::RawValue};
use plainwire::{model, proto::peer::Limits};

pub mod asking;
pub mod notifications;

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Terms {
    /// First number.
    a: f64,
    /// Second number.
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Where {
    /// A city.
    city: String,
    /// The unit of the temperature, `celsius` unless given.
    unit: Option<Unit>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "plainwire::serde", rename_all = "lowercase")]
#[schemars(crate = "plainwire::schemars")]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

#[derive(Serialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Weather {
    /// Where.
    city: String,
    /// How warm, in `unit`.
    temperature: f64,
    unit: Unit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Count {
    /// The last number.
    to: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Day {
    /// A day of the week.
    day: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Greet {
    /// Who is greeted.
    name: String,
    /// `formal` or `warm`.
    tone: Option<String>,
}

/// Returns the specimen server.
pub fn server() -> Server {
    let server = Server::new("specimen")
        .version("1.2.3")
        .title("Specimen")
        .website("https://example.com/specimen")
        .instructions("Ask for `weather` before you go out.")
        .cache(CacheHint { scope: CacheScope::Public, ttl: Duration::from_secs(60) })
        .experimental("specimen", json!({ "level": 1 }))
        .extension("com.example/specimen", json!({}))
        .limits(Limits { batch: 4, depth: 16, frame_in: 1024, in_flight: 2, ..Limits::default() })
        .page_size(4);
    prompts(resources(tools(server)))
}

fn tools(server: Server) -> Server {
    server
        .tool(Tool::new("add", |it: Terms| async move { it.a + it.b }).description("Adds two numbers."))
        .tool(
            Tool::new("weather", weather)
                .title("Weather")
                .description("Returns the weather of a city.")
                .icon(icon())
                .read_only()
                .closed_world()
                .meta(raw(r#"{"com.example/rank":1}"#)),
        )
        .tool(Tool::new("divide", divide).description("Divides the first number by the second."))
        .tool(Tool::new("show", || async { everything() }).description("Returns each kind of content."))
        .tool(Tool::new("count", count).description("Counts and reports each number as progress."))
        .tool(Tool::new("wait", wait).description("Never ends."))
        .tool(Tool::new("panic", panics).description("Panics."))
}

fn resources(server: Server) -> Server {
    server
        .resource(
            Resource::new("notes://today", "Today", || async { "Water the plants." })
                .title("Notes of today")
                .description("What is to be done today.")
                .mime_type("text/plain"),
        )
        .resource(
            Resource::new("notes://logo", "Logo", || async { vec![0x89, b'P', b'N', b'G'] })
                .mime_type("image/png")
                .size(4),
        )
        .resource_template(
            ResourceTemplate::new("notes://days/{day}", "Day", note)
                .title("Notes of a day")
                .description("What is to be done on a day of the week.")
                .mime_type("text/plain"),
        )
}

fn prompts(server: Server) -> Server {
    server
        .prompt(
            Prompt::new("greet", greet).title("Greeting").description("Asks the model to greet somebody."),
        )
        .prompt(Prompt::new("review", || async { review() }))
}

async fn weather(it: Where) -> Weather {
    let unit = it.unit.unwrap_or_default();
    let temperature = match unit {
        Unit::Celsius => 21.5,
        Unit::Fahrenheit => 70.7,
    };
    Weather { city: it.city, temperature, unit }
}

async fn divide(it: Terms) -> Result<f64, ToolError> {
    if it.b == 0.0 {
        return Err(ToolError::invalid_input("division by zero")
            .hint("`b` has to be another number")
            .details(json!({ "b": it.b })));
    }
    Ok(it.a / it.b)
}

async fn count(it: Count, ctx: Context) -> String {
    for n in 1..=it.to {
        // Yields once, so that the call becomes a task, like every real call of this kind.
        tokio::task::yield_now().await;
        ctx.progress(n.into(), Some(it.to.into()), Some(&format!("{n} of {}", it.to)));
    }
    format!("counted to {}", it.to)
}

async fn wait() -> String {
    std::future::pending().await
}

async fn panics() -> String {
    panic!("a secret that no client may see")
}

async fn note(it: Day) -> Result<String, ToolError> {
    match it.day.as_str() {
        "monday" => Ok("Buy milk.".to_owned()),
        "sunday" => Err(ToolError::new("closed", "nothing is written on Sundays")),
        other => Err(ToolError::not_found(format!("there is no {other}"))),
    }
}

async fn greet(it: Greet) -> String {
    format!("Greet {} in a {} tone.", it.name, it.tone.as_deref().unwrap_or("warm"))
}

fn review() -> model::GetPromptResult {
    let say = |role, content| PromptMessage { content, role };
    model::GetPromptResult {
        description: Some("A review of two steps.".to_owned()),
        messages: vec![
            say(Role::User, Content::text("Review this note.")),
            say(Role::User, embedded()),
            say(Role::Assistant, Content::text("Gladly.")),
        ],
        meta: None,
    }
}

fn everything() -> Vec<Content> {
    let annotations = Annotations {
        audience: vec![Role::User],
        last_modified: Some("2025-01-12T15:00:58Z".to_owned()),
        priority: Some(0.5),
    };
    let meta = || Some(raw(r#"{"com.example/note":"a"}"#));
    let sound =
        MediaContent { data: "UklGRg==".into(), mime_type: "audio/wav".into(), ..MediaContent::default() };
    vec![
        Content::Text(TextContent {
            annotations: Some(annotations),
            meta: meta(),
            text: "é \"quoted\"".into(),
        }),
        Image { bytes: vec![0x89, b'P', b'N', b'G'], mime_type: "image/png".into() }.into(),
        Content::Audio(sound),
        Content::ResourceLink(model::Resource {
            description: Some("What is to be done today.".into()),
            mime_type: Some("text/plain".into()),
            name: "Today".into(),
            uri: "notes://today".into(),
            ..model::Resource::default()
        }),
        embedded(),
    ]
}

fn embedded() -> Content {
    Content::Resource(EmbeddedResource {
        annotations: None,
        meta: None,
        resource: ResourceContents::Text(TextResource {
            mime_type: Some("text/plain".into()),
            text: "Buy milk.".into(),
            uri: "notes://days/monday".into(),
            ..TextResource::default()
        }),
    })
}

fn icon() -> Icon {
    Icon {
        mime_type: Some("image/png".into()),
        sizes: vec!["48x48".into()],
        src: "https://example.com/icon.png".into(),
        theme: Some("light".into()),
    }
}

fn raw(json: &str) -> model::RawJson {
    RawValue::from_string(json.to_owned()).expect("written above as JSON")
}
