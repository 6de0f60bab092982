//! The client that the official conformance suite drives: `plainwire-conformance-client URL`.
//!
//! The suite names the scenario in an environment variable. In each scenario the client does what an ordinary
//! client program would do.
//!
//! Source: the README of `@modelcontextprotocol/conformance`, "Client testing".

use std::env;

use plainwire::client::Sampling;
use plainwire::client::http::Remote;
use plainwire::model::{CreateMessageResult, ElicitResult, Root};
use plainwire::proto::revision::Revision;
use plainwire::{Client, Error, Result};
use plainwire_oauth::{OAuth, Url};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The data that a scenario gives to the client.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Given {
    client_id: Option<String>,
    client_secret: Option<String>,
    private_key_pem: Option<String>,
    #[serde(rename = "toolCalls")]
    tool_calls: Vec<ToolCall>,
}

/// The URL of the client's metadata document. The suite fetches neither this URL nor [`REDIRECT`], to which
/// the sign-in redirects.
const CLIENT: &str = "https://conformance-test.local/client-metadata.json";
const REDIRECT: &str = "http://localhost:3000/callback";

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: Value,
}

#[tokio::main]
async fn main() -> Result<()> {
    let wrong = |what: &str| Error::Target { message: format!("expected {what}") };
    let url = env::args().nth(1).ok_or_else(|| wrong("the URL of a server"))?;
    let scenario = env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let given = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_else(|_| "{}".to_owned());
    let given: Given = serde_json::from_str(&given).map_err(|error| wrong(&format!("a context: {error}")))?;
    let remote = match scenario.starts_with("auth/") {
        true => Remote::new(url).authorize(oauth(&scenario, &given)?),
        false => Remote::new(url),
    };
    let client = connect(remote).await?;
    let done = play(&scenario, &given, &client).await;
    client.close().await;
    done
}

fn oauth(scenario: &str, given: &Given) -> Result<OAuth> {
    let mut oauth =
        OAuth::builder("Plainwire conformance").client_metadata_url(CLIENT).redirect(REDIRECT, sign_in);
    if let Some(id) = &given.client_id {
        oauth = oauth.client_id(id);
    }
    if let Some(secret) = &given.client_secret {
        oauth = oauth.client_secret(secret);
    }
    if let Some(key) = &given.private_key_pem {
        oauth = oauth.private_key_pem(key, None);
    }
    if scenario.contains("client-credentials") {
        oauth = oauth.client_credentials();
    }
    oauth.build()
}

/// Requests the sign-in page, like the browser of a user who is already signed in: the suite redirects at
/// once. Returns the URL of the redirect.
async fn sign_in(url: Url) -> Result<Url, String> {
    let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(80);
    let mut stream = TcpStream::connect((host, port)).await.map_err(|error| error.to_string())?;
    let request = format!("GET {target} HTTP/1.1\r\nhost: {host}:{port}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(|error| error.to_string())?;
    let mut response = String::new();
    stream.read_to_string(&mut response).await.map_err(|error| error.to_string())?;
    let is_location = |line: &&str| line.to_lowercase().starts_with("location:");
    let line = response.lines().find(is_location).ok_or("expected a redirect, but found none")?;
    let (_, location) = line.split_once(':').unwrap_or_default();
    url.join(location.trim()).map_err(|error| error.to_string())
}

async fn connect(remote: Remote) -> Result<Client> {
    let version = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").ok();
    let sampling = Sampling::new(|_| async { Ok(CreateMessageResult::text("none", "nothing to say")) });
    let mut builder = Client::builder()
        .roots(vec![Root::new("file:///tmp")])
        .on_sample(sampling.consent(|_| async { true }))
        .on_elicit(|_| async { ElicitResult::accept(json!({})) });
    if let Some(revision) = version.as_deref().and_then(Revision::parse) {
        builder = builder.revisions(&[revision]);
    }
    builder.remote(remote).await
}

async fn play(scenario: &str, given: &Given, client: &Client) -> Result<()> {
    match scenario {
        "initialize" => client.list_tools().await.map(drop),
        "tools_call" => call(client, "add_numbers", json!({ "a": 5, "b": 3 })).await,
        "http-custom-headers" => {
            client.list_tools().await?;
            for ToolCall { name, arguments } in &given.tool_calls {
                call(client, name, arguments.clone()).await?;
            }
            Ok(())
        }
        "json-schema-2020-12-preservation" => {
            let tools = client.list_tools().await?;
            let rich = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool");
            let echo = tools.iter().find(|tool| tool.name != "json_schema_2020_12_tool");
            match rich.zip(echo) {
                Some((rich, echo)) => call(client, &echo.name, json!({ "schema": rich.input_schema })).await,
                None => Ok(()),
            }
        }
        _ => everything(client).await,
    }
}

/// Reads every resource, gets every prompt and calls every tool that the server lists.
async fn everything(client: &Client) -> Result<()> {
    let has = |name: &str| client.hello().capabilities.has(name);
    if has("resources") {
        for resource in client.list_resources().await? {
            client.read_resource(&resource.uri).await?;
        }
    }
    if has("prompts") {
        for prompt in client.list_prompts().await? {
            client.get_prompt(&prompt.name, json!({})).await?;
        }
    }
    for tool in client.list_tools().await? {
        call(client, &tool.name, json!({})).await?;
    }
    Ok(())
}

async fn call(client: &Client, name: &str, arguments: Value) -> Result<()> {
    client.call_tool(name, arguments).await.map(drop)
}
