//! The server for the transcripts in `asking/`: a tool for every kind of question, and a prompt and a
//! resource that ask.
//!
//! In: nothing. Out: a [`Server`]. The deadlines of its questions are days, because the clock of a transcript
//! advances by hours.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use plainwire::model::{
    self, CacheHint, CacheScope, ClientCapability, CreateMessage, MediaContent, ModelHint, ModelPreferences,
    SamplingContent, SamplingMessage, TextContent, ToolChoice, ToolResult,
};
use plainwire::prelude::*;
use plainwire::serde_json::{Map, Value, json};

use super::raw;

/// A field of every kind that all revisions with forms have.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Registration {
    /// How old you are.
    #[schemars(range(min = 18, max = 120))]
    age: u8,
    /// How far you would travel, in km.
    #[serde(default = "far")]
    distance: f64,
    /// Where we may write to.
    #[schemars(email)]
    email: String,
    /// What you are called.
    #[schemars(length(min = 1, max = 40), title = "Full name")]
    name: String,
    /// Whether we may write.
    #[serde(default)]
    newsletter: bool,
    seat: Seat,
    /// How large.
    #[serde(default)]
    size: Size,
    /// Your page, if you have one.
    #[schemars(url)]
    website: Option<String>,
}

fn far() -> f64 {
    25.0
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "plainwire::serde", rename_all = "lowercase")]
#[schemars(crate = "plainwire::schemars")]
enum Size {
    Small,
    #[default]
    Medium,
    Large,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "plainwire::serde", rename_all = "lowercase")]
#[schemars(crate = "plainwire::schemars")]
enum Seat {
    /// By the window
    Window,
    /// On the aisle
    Aisle,
}

/// Multiple choices, with and without titles.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Order {
    /// Where you would like to sit.
    seats: Vec<Seat>,
    /// What to pack.
    #[serde(default = "medium")]
    #[schemars(length(min = 1, max = 2))]
    sizes: Vec<Size>,
}

fn medium() -> Vec<Size> {
    vec![Size::Medium]
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "plainwire::serde")]
#[schemars(crate = "plainwire::schemars")]
struct Branch {
    /// The branch.
    name: String,
}

/// Returns the server. It numbers the tickets of the tool `book` and the keys of `rent` from 1. The price of
/// `buy` rises with its calls.
pub fn server() -> Server {
    let [tickets, offers, keys] = [(); 3].map(|()| Arc::new(AtomicU32::new(0)));
    let rent = move |ctx: Context| rent(ctx, Arc::clone(&keys));
    let book = move |ctx: Context| book(ctx, Arc::clone(&tickets));
    let buy = move |ctx: Context| buy(ctx, Arc::clone(&offers));
    let server = Server::new("asking")
        .version("1.2.3")
        .cache(CacheHint { scope: CacheScope::Public, ttl: Duration::from_secs(60) })
        .ask_timeout(Duration::from_secs(1_000_000));
    let server = server
        .tool(Tool::new("register", register).description("Asks with a field of every kind."))
        .tool(Tool::new("order", order).description("Asks with multiple choices."))
        .tool(Tool::new("wish", wish).description("Asks with a form of one field, then with one by hand."))
        .tool(Tool::new("delete_branch", delete_branch).description("Asks for a yes."))
        .tool(Tool::new("pay", pay).description("Asks to open a page."))
        .tool(
            Tool::new("pick_up", pick_up)
                .description("Asks to open a page, and for a name if that can't be."),
        );
    let server = server
        .tool(Tool::new("title", title).description("Asks the model."))
        .tool(Tool::new("caption", caption).description("Asks the model about a picture and a sound."))
        .tool(Tool::new("forecast", forecast).description("Asks the model, which may use a tool."))
        .tool(
            Tool::new("translate", translate)
                .description("Refuses at once who has no model.")
                .requires(ClientCapability::Sampling),
        );
    let server = server
        .tool(Tool::new("folders", folders).description("Asks where it may work."))
        .tool(Tool::new("book", book).description("Asks, books, asks again, books no second time."))
        .tool(Tool::new("buy", buy).description("Asks for a price that rises meanwhile."))
        .tool(Tool::new("rent", rent).description("Cuts a key while it asks."))
        .tool(Tool::new("both", both).description("Asks two things at once."))
        .tool(Tool::new("twice", twice).description("Uses a key twice, which is a mistake."));
    server
        .prompt(Prompt::new("greet", greet).description("Asks who is to be greeted."))
        .resource(Resource::new("notes://mine", "Mine", mine))
}

async fn register(ctx: Context) -> Result<String, ToolError> {
    let it: Registration = ctx.elicit("who", "Tell us about you.").await?.accepted()?;
    Ok(json!(it).to_string())
}

async fn order(ctx: Context) -> Result<String, ToolError> {
    let it: Order = ctx.elicit("order", "What would you like?").await?.accepted()?;
    Ok(json!(it).to_string())
}

async fn wish(ctx: Context) -> Result<String, ToolError> {
    let wish: String = ctx.elicit("wish", "What do you wish for?").await?.accepted()?;
    let schema = json!({ "type": "object", "required": ["when"], "properties": {
        "when": { "type": "string", "enum": ["d", "w"], "enumNames": ["In a day", "In a week"] },
    } });
    let form: Map<String, Value> = ctx.elicit_form("when", "When?", &schema).await?.accepted()?;
    Ok(format!("{wish}: {}", Value::Object(form)))
}

async fn delete_branch(it: Branch, ctx: Context) -> Result<String, ToolError> {
    ctx.elicit::<Confirm>("sure", format!("Delete {}?", it.name)).await?.accepted()?;
    Ok(format!("deleted {}", it.name))
}

async fn pay(ctx: Context) -> Result<&'static str, ToolError> {
    ctx.elicit_url("pay", "Please pay 3 €.", "https://example.com/pay?order=7").await?.accepted()?;
    Ok("the page was opened")
}

async fn pick_up(ctx: Context) -> Result<String, ToolError> {
    match ctx.elicit_url("card", "Show your card.", "https://example.com/card").await {
        Ok(answer) => answer.accepted().map(|()| "by card".to_owned()),
        Err(error) if error.code() == "unsupported" => {
            ctx.elicit::<String>("name", "Under which name?").await?.accepted()
        }
        Err(error) => Err(error),
    }
}

async fn title(ctx: Context) -> Result<String, ToolError> {
    let request = CreateMessage {
        system_prompt: Some("You are brief.".to_owned()),
        temperature: Some(0.5),
        stop_sequences: vec!["\n".to_owned()],
        model_preferences: Some(ModelPreferences {
            hints: vec![ModelHint { name: Some("small".to_owned()) }],
            speed_priority: Some(1.0),
            ..ModelPreferences::default()
        }),
        ..CreateMessage::ask("A title for: it rained all week.", 20)
    };
    let answer = ctx.sample("title", request).await?;
    let why = answer.stop_reason.as_deref().unwrap_or("?");
    Ok(format!("{} (by {}, {why})", answer.to_text(), answer.model))
}

async fn caption(ctx: Context) -> Result<String, ToolError> {
    let media = |data: &str, mime_type: &str| MediaContent {
        data: data.to_owned(),
        mime_type: mime_type.to_owned(),
        ..MediaContent::default()
    };
    let text = TextContent { text: "What is this?".to_owned(), ..TextContent::default() };
    let content = vec![
        SamplingContent::Text(text),
        SamplingContent::Image(media("iVBORw==", "image/png")),
        SamplingContent::Audio(media("UklGRg==", "audio/wav")),
    ];
    let messages = vec![SamplingMessage { content, role: Role::User }];
    let request = CreateMessage { max_tokens: 50, messages, ..CreateMessage::default() };
    Ok(ctx.sample("caption", request).await?.to_text())
}

/// Lets the model use a tool repeatedly. The key of each question has the number of the loop's pass, since
/// keys must differ.
async fn forecast(ctx: Context) -> Result<String, ToolError> {
    let schema = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}"#;
    let weather = model::Tool {
        annotations: None,
        description: Some("Returns the weather of a city.".to_owned()),
        icons: Vec::new(),
        input_schema: raw(schema),
        meta: None,
        name: "weather".to_owned(),
        output_schema: None,
        title: None,
    };
    let mut request = CreateMessage::ask("Do I need a coat in Oslo?", 100);
    request.tools = vec![weather];
    request.tool_choice = Some(ToolChoice::Auto);
    for round in 1..=3 {
        let answer = ctx.sample(format!("round-{round}"), request.clone()).await?;
        let results: Vec<_> = answer.tool_uses().map(|wanted| result(&wanted.id)).collect();
        if results.is_empty() {
            return Ok(answer.to_text());
        }
        request.messages.push(SamplingMessage { content: answer.content, role: Role::Assistant });
        request.messages.push(SamplingMessage { content: results, role: Role::User });
    }
    Err(ToolError::failed("the model asked for the weather again and again"))
}

fn result(id: &str) -> SamplingContent {
    let content = vec![Content::text("4 °C, rain")];
    SamplingContent::ToolResult(ToolResult { content, tool_use_id: id.to_owned(), ..ToolResult::default() })
}

async fn translate(ctx: Context) -> Result<String, ToolError> {
    Ok(ctx.sample("text", CreateMessage::ask("Translate: hello", 10)).await?.to_text())
}

async fn folders(ctx: Context) -> Result<String, ToolError> {
    let roots = ctx.roots().await?;
    let named = |root: &model::Root| format!("{} at {}", root.name.as_deref().unwrap_or("?"), root.uri);
    Ok(roots.iter().map(named).collect::<Vec<_>>().join(", "))
}

async fn book(ctx: Context, tickets: Arc<AtomicU32>) -> Result<String, ToolError> {
    let city: String = ctx.elicit("city", "Where to?").await?.accepted()?;
    let ticket = ctx.step("ticket", || async { tickets.fetch_add(1, Ordering::SeqCst) + 1 }).await?;
    let nights: u8 = ctx.elicit("nights", format!("How many nights in {city}?")).await?.accepted()?;
    Ok(format!("ticket {ticket}: {nights} nights in {city}"))
}

/// Asks about a price that rises from one run of the handler to the next, like a handler that queries a
/// market. So the question differs from the one that the user has answered.
async fn buy(ctx: Context, offers: Arc<AtomicU32>) -> Result<String, ToolError> {
    let price = match offers.fetch_add(1, Ordering::SeqCst) {
        0 => 1,
        1 | 2 => 2,
        _ => 3,
    };
    ctx.elicit::<Confirm>("price", format!("Pay {price} €?")).await?.accepted()?;
    let from: String = ctx.elicit("from", "From which account?").await?.accepted()?;
    Ok(format!("paid {price} € from {from}"))
}

/// Runs a step that has not ended yet when the question is asked.
async fn rent(ctx: Context, keys: Arc<AtomicU32>) -> Result<String, ToolError> {
    let cut = || async {
        let key = keys.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::time::sleep(Duration::from_secs(5)).await;
        key
    };
    let (name, key) = tokio::join!(ctx.elicit::<String>("name", "Under which name?"), ctx.step("key", cut));
    Ok(format!("key {} for {}", key?, name?.accepted()?))
}

async fn both(ctx: Context) -> Result<String, ToolError> {
    let (first, last) = tokio::join!(
        ctx.elicit::<String>("first", "Your first name?"),
        ctx.elicit::<String>("last", "Your last name?"),
    );
    Ok(format!("{} {}", first?.accepted()?, last?.accepted()?))
}

async fn twice(ctx: Context) -> Result<String, ToolError> {
    let _: Answer<String> = ctx.elicit("again", "What?").await?;
    let _: Answer<String> = ctx.elicit("again", "What?").await?;
    Ok(String::new())
}

async fn greet(ctx: Context) -> Result<String, ToolError> {
    let name: String = ctx.elicit("name", "Who is to be greeted?").await?.accepted()?;
    Ok(format!("Greet {name}."))
}

async fn mine(ctx: Context) -> Result<String, ToolError> {
    ctx.elicit::<Confirm>("sure", "Show your notes?").await?.accepted()?;
    Ok("Buy milk.".to_owned())
}
