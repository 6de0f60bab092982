//! Every answer can be rebuilt to the byte, by pages and by lines, over every transport and in every revision.

use plainwire::client::http::Remote;
use plainwire::http::Http;
use plainwire::model::{EmbeddedResource, ResourceContents};
use plainwire::presentation::Presentation;
use plainwire::proto::peer::EraChoice;
use plainwire::{Principal, Server};
use plainwire_learning::Learning;
use plainwire_patterns::{Patterns, Profile};

use super::*;

/// A server with results of every shape, which are the same in each call.
fn shapes() -> Server {
    #[data]
    struct Row {
        id: usize,
        text: String,
    }
    #[data]
    struct Table {
        count: usize,
        rows: Vec<Row>,
    }
    let rows =
        || (0..90).map(|id| Row { id, text: format!("ä{id}\r\n\"quoted\" {}", "€".repeat(id)) }).collect();
    Server::new("shapes")
        .tool(Tool::new("text", || async { "line\r\nline ä€😀\n\n".repeat(300) }))
        .tool(Tool::new("long_line", || async { "😀".repeat(20_000) }))
        .tool(Tool::new("table", move || async move { Table { count: 90, rows: rows() } }))
        .tool(Tool::new("list", || async { (0..3_000).collect::<Vec<u32>>() }))
        .tool(Tool::new("json_text", || async {
            json!({ "a": vec![1.5; 700], "b": "x".repeat(900) }).to_string()
        }))
        .tool(Tool::new("blocks", || async {
            let embedded =
                |resource| Content::Resource(EmbeddedResource { annotations: None, meta: None, resource });
            let blob: Vec<u8> = (0..=255).cycle().take(3_000).collect();
            vec![
                Content::text("first"),
                embedded(ResourceContents::text("file:///a", "text/plain", "resource ".repeat(400))),
                Content::text("second ".repeat(300)),
                embedded(ResourceContents::Blob(plainwire::model::BlobResource {
                    uri: "file:///b".into(),
                    mime_type: Some("application/x-bytes".into()),
                    blob: plainwire::proto::base64::encode(&blob),
                    meta: None,
                })),
                Content::text("last"),
            ]
        }))
        .tool(Tool::new("many_blocks", || async {
            (0..300).map(|it| Content::text(format!("block {it}"))).collect::<Vec<_>>()
        }))
        .tool(Tool::new("small", || async { "x".repeat(1_024) }))
        .tool(Tool::new("error", || async { Err::<String, _>(ToolError::failed("x".repeat(5_000))) }))
}

/// The originals in a result, in the order in which they are kept: the value, and then each large block.
fn originals(result: &CallToolResult) -> Vec<Vec<u8>> {
    // Revisions with objects only have another value within one.
    let value = |it: &str| match it.strip_prefix("{\"result\":[") {
        Some(inside) => format!("[{}", inside.strip_suffix('}').expect("an object")),
        None => it.to_owned(),
    };
    let value = result.structured_content.iter().map(|it| value(it.get())).filter(|it| it.len() > 1_024);
    let mut all: Vec<Vec<u8>> = value.map(String::into_bytes).collect();
    for block in &result.content {
        all.push(match block {
            Content::Text(it) => it.text.clone().into_bytes(),
            Content::Resource(it) => match &it.resource {
                ResourceContents::Text(it) => it.text.clone().into_bytes(),
                ResourceContents::Blob(it) => plainwire::proto::base64::decode(&it.blob).expect("base64"),
            },
            _ => continue,
        });
    }
    all
}

/// The length of a read of an output, in bytes and in lines.
#[derive(Clone, Copy)]
struct Steps {
    bytes: usize,
    lines: usize,
}

/// Short ones end within characters and at lines of each kind.
const SHORT: Steps = Steps { bytes: 997, lines: 7 };

const LONG: Steps = Steps { bytes: 9_973, lines: 100 };

/// Compares the result of a call with outputs with that of the same server without.
async fn check(
    whole: &Client,
    kept: &Client,
    tool: &str,
    arguments: &Value,
    steps: Steps,
) -> Result<(), Error> {
    let original = whole.call_tool(tool, arguments.clone()).await?;
    let short = kept.call_tool(tool, arguments.clone()).await?;
    let links = links(&short);
    let size: usize = original.content.iter().filter_map(Content::as_text).map(str::len).sum();
    if original.is_error || (size <= 1_024 && links.is_empty()) {
        assert_eq!(format!("{:?}", short.content), format!("{:?}", original.content), "{tool}");
        return Ok(());
    }
    assert!(!links.is_empty(), "{tool}: {short:?}");
    let originals = originals(&original);
    let mut read = Vec::new();
    for link in &links {
        let pages = by_pages(kept, link, steps.bytes).await?;
        assert_eq!(by_lines(kept, link, steps.lines).await?, pages, "{tool}: lines and pages are the same");
        assert_eq!(by_pages(kept, link, 65_536).await?, pages, "{tool}: so are large pages");
        // Many blocks are one list.
        let blocks: Vec<Value> = serde_json::from_slice(&pages).unwrap_or_default();
        let is_blocks = !blocks.is_empty() && blocks.iter().all(|it| it["type"] == "text");
        if is_blocks {
            let texts: Vec<&str> = blocks.iter().filter_map(|it| it["text"].as_str()).collect();
            let expected: Vec<&str> = original.content.iter().filter_map(Content::as_text).collect();
            assert_eq!(texts, expected, "{tool}");
        } else {
            assert!(originals.contains(&pages), "{tool} {link}: {}", String::from_utf8_lossy(&pages));
        }
        read.push((pages, blocks));
    }
    // Each original that is not a block of the short form as it was can be read.
    for original in &originals {
        let is_there = short.content.iter().filter_map(Content::as_text).any(|it| it.as_bytes() == *original);
        let is_kept = read.iter().any(|(pages, blocks)| {
            let mut texts = blocks.iter().filter_map(|it| it["text"].as_str());
            pages == original || texts.any(|it| it.as_bytes() == *original)
        });
        assert!(is_there || is_kept, "{tool}: {}", String::from_utf8_lossy(original));
    }
    let shown: usize = short.content.iter().filter_map(Content::as_text).map(str::len).sum();
    assert!(shown <= 2_048, "{tool}: {shown} bytes are shown");
    Ok(())
}

fn era(at: usize) -> plainwire::client::ClientBuilder {
    Client::builder().era([EraChoice::Legacy, EraChoice::Modern][at])
}

const SHAPES: [&str; 9] =
    ["text", "long_line", "table", "list", "json_text", "blocks", "many_blocks", "small", "error"];

#[tokio::test]
async fn each_shape_of_result_is_rebuilt_to_the_byte_in_both_eras_and_profiles() {
    for presentation in [None, Some(Presentation::data()), Some(Presentation::gated())] {
        let make = || match &presentation {
            None => shapes(),
            Some(it) => shapes().presentation(it.clone()),
        };
        for at in 0..2 {
            let whole = plainwire::testing::client_with(make(), era(at)).await.expect("a client");
            let kept =
                plainwire::testing::client_with(make().outputs(settings()), era(at)).await.expect("a client");
            for tool in SHAPES {
                check(&whole, &kept, tool, &json!({}), SHORT)
                    .await
                    .unwrap_or_else(|error| panic!("{tool}: {error}"));
            }
        }
    }
}

#[tokio::test]
async fn blocks_keep_their_order_and_a_short_value_fits_its_schema() {
    let client = plainwire::testing::client(shapes().outputs(settings())).await.expect("a client");
    let result = client.call_tool("blocks", json!({})).await.expect("a result");
    let kinds: Vec<&str> = result
        .content
        .iter()
        .map(|block| match block {
            Content::Text(it) if it.text == "first" || it.text == "last" => &*it.text,
            Content::Text(it) if it.text.contains("bytes left out here") => "short",
            Content::ResourceLink(_) => "link",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["first", "short", "link", "short", "link", "link", "last"]);

    let tools = client.list_tools().await.expect("tools");
    for tool in ["table", "list"] {
        let result = client.call_tool(tool, json!({})).await.expect("a result");
        let value: Value =
            serde_json::from_str(result.structured_content.expect("a value").get()).expect("JSON");
        let listed = tools.iter().find(|it| it.name == tool).expect("the tool");
        let schema: Value =
            serde_json::from_str(listed.output_schema.as_ref().expect("a schema").get()).expect("JSON");
        assert!(jsonschema::validator_for(&schema).expect("a schema").is_valid(&value), "{tool}: {value}");
        if tool == "table" {
            assert_eq!(value["count"], 90, "counts are kept");
            assert!(value["rows"].as_array().expect("rows").len() < 90);
        }
    }
}

#[tokio::test]
async fn an_output_is_not_there_for_another_principal() {
    let folder = path();
    let make = || shapes().outputs(Settings::new(Folder::open(&folder).expect("a folder")).threshold(1_024));
    let connect = async |name: Option<&str>| {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let principal = name.map(|it| Principal { name: it.to_owned() });
        let server = make();
        tokio::spawn(async move { server.serve_as(principal, reader, writer).await });
        let (reader, writer) = tokio::io::split(ours);
        Client::builder().streams(reader, writer).await.expect("a client")
    };
    let (ada, ada_again, bob, nobody) = (
        connect(Some("ada")).await,
        connect(Some("ada")).await,
        connect(Some("bob")).await,
        connect(None).await,
    );
    let result = ada.call_tool("text", json!({})).await.expect("a result");
    let link = &links(&result)[0];
    let read = by_pages(&ada_again, link, 4_096).await.expect("the output");
    assert_eq!(read.len(), 300 * 22);
    for (client, tool, with) in [
        (&bob, "output_page", json!({})),
        (&nobody, "output_page", json!({})),
        (&bob, "output_grep", json!({ "pattern": "x" })),
        (&bob, "output_json", json!({})),
    ] {
        let mut arguments = with;
        arguments["id"] = link.as_str().into();
        let result = client.call_tool(tool, arguments).await.expect("a result");
        let text = result.content[0].as_text().expect("a text");
        assert!(result.is_error && text.starts_with("there is no such output"), "{text}");
    }
    assert!(bob.read_resource(link.as_str()).await.is_err());
    assert!(ada.read_resource(link.as_str()).await.is_ok());
}

#[tokio::test]
async fn an_output_is_not_there_for_another_token_over_http_and_http_sse() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (ada, bob) = ("ada-0123456789abcdef", "bob-0123456789abcdef");
    let http = Http::new(shapes().outputs(settings())).http_sse();
    let http = http.bearer_token("ada", ada).bearer_token("bob", bob);
    tokio::spawn(http.serve_on(listener, std::future::pending()));
    let connect = async |path: &str, era, token: &str| {
        let remote = Remote::new(format!("http://{address}/{path}")).bearer_token(token);
        Client::builder().era(era).remote(remote).await.expect("a client")
    };
    let ways = [("mcp", EraChoice::Legacy), ("mcp", EraChoice::Modern), ("sse", EraChoice::Legacy)];
    for (path, era) in ways {
        let owner = connect(path, era, ada).await;
        let result = owner.call_tool("text", json!({})).await.expect("a result");
        let link = &links(&result)[0];
        for (path, era) in ways {
            let (same, other) = (connect(path, era, ada).await, connect(path, era, bob).await);
            assert_eq!(by_pages(&same, link, 4_096).await.expect("the output").len(), 300 * 22);
            for tool in ["output_page", "output_grep", "output_json"] {
                let arguments = match tool {
                    "output_grep" => json!({ "id": link, "pattern": "" }),
                    _ => json!({ "id": link }),
                };
                let result = other.call_tool(tool, arguments).await.expect("a result");
                let text = result.content[0].as_text().expect("a text");
                assert!(
                    result.is_error && text.starts_with("there is no such output"),
                    "{path} {tool}: {text}"
                );
            }
            assert!(other.read_resource(link.as_str()).await.is_err(), "{path}");
        }
    }
}

/// A server that is made anew for each transport, and calls whose answers do not change.
struct Judged {
    name: &'static str,
    make: Box<dyn Fn() -> Server>,
    calls: Vec<(&'static str, Value)>,
}

/// The servers of the workspace, each with calls whose answers do not change. A server that is made twice answers twice the same.
fn servers() -> Vec<Judged> {
    let patterns = |profile| move || Patterns { profile, ..Patterns::default() }.server().expect("a server");
    let learning = |profile| {
        move || Learning { profile, ..Learning::new(path().with_extension("db")) }.server().expect("a server")
    };
    let of_patterns = vec![
        ("search_patterns", json!({ "q": "graceful shutdown" })),
        ("get_pattern", json!({ "id": "api-cors" })),
        ("list_skills", json!({})),
        ("get_skill", json!({ "slug": "scheduling" })),
        ("list_analysis_rules", json!({})),
    ];
    let of_learning = vec![
        ("search_resources", json!({ "query": "rust" })),
        ("discover_resources", json!({ "query": "recommend a book on consensus", "explain": true })),
        ("browse_vault", json!({ "category": "rust" })),
        ("get_resource", json!({ "id": "raft-paper" })),
        ("list_categories", json!({})),
        ("export_results", json!({ "query": "*", "format": "json" })),
        ("export_results", json!({ "query": "raft", "format": "html" })),
    ];
    let of_conformance = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
    ];
    let judged = |name, make, calls| Judged { name, make, calls };
    let of_reference = ["1 + 2", "1 +"].map(|it| ("calculate", json!({ "expression": it })));
    vec![
        judged("patterns, gated", Box::new(patterns(Profile::Gated)), of_patterns.clone()),
        judged("patterns, data", Box::new(patterns(Profile::Data)), of_patterns),
        judged(
            "learning, gated",
            Box::new(learning(plainwire_learning::Profile::Gated)),
            of_learning.clone(),
        ),
        judged("learning, data", Box::new(learning(plainwire_learning::Profile::Data)), of_learning),
        judged("reference", Box::new(plainwire_reference::server), of_reference.to_vec()),
        judged(
            "conformance",
            Box::new(plainwire_conformance::server),
            of_conformance.map(|tool| (tool, json!({}))).to_vec(),
        ),
    ]
}

/// Compares the answers of each server with outputs and without, over a path of HTTP; over an empty path, on a stream, as on stdio.
async fn check_servers(path: &str, era: EraChoice) {
    let serving = async |server: Server| {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(Http::new(server).http_sse().serve_on(listener, std::future::pending()));
        address
    };
    let connect = async |server: Server| {
        let client = Client::builder().era(era);
        let connected = match path {
            "" => plainwire::testing::client_with(server, client).await,
            path => client.connect(format!("http://{}/{path}", serving(server).await).as_str()).await,
        };
        connected.expect("a client")
    };
    for Judged { name, make, calls } in servers() {
        let whole = connect(make()).await;
        let kept = connect(make().outputs(settings())).await;
        for (tool, arguments) in &calls {
            check(&whole, &kept, tool, arguments, LONG)
                .await
                .unwrap_or_else(|error| panic!("{name}: {tool} {path} {era:?}: {error}"));
        }
    }
}

#[tokio::test]
async fn answers_of_the_servers_are_rebuilt_on_a_stream_in_legacy_revisions() {
    check_servers("", EraChoice::Legacy).await;
}

#[tokio::test]
async fn answers_of_the_servers_are_rebuilt_on_a_stream_in_the_modern_revision() {
    check_servers("", EraChoice::Modern).await;
}

#[tokio::test]
async fn answers_of_the_servers_are_rebuilt_over_http_in_legacy_revisions() {
    check_servers("mcp", EraChoice::Legacy).await;
}

#[tokio::test]
async fn answers_of_the_servers_are_rebuilt_over_http_in_the_modern_revision() {
    check_servers("mcp", EraChoice::Modern).await;
}

#[tokio::test]
async fn answers_of_the_servers_are_rebuilt_over_http_sse() {
    check_servers("sse", EraChoice::Legacy).await;
}

#[tokio::test]
async fn many_large_blocks_become_one_list_and_an_image_stays_in_view() {
    let blocks = || async {
        let image = Content::Image(plainwire::model::MediaContent {
            data: "AAAA".repeat(500),
            mime_type: "image/png".to_owned(),
            ..Default::default()
        });
        let texts = (0..40).map(|it| Content::text(format!("{it} ").repeat(300)));
        texts.chain([image]).collect::<Vec<_>>()
    };
    let server = Server::new("blocks").tool(Tool::new("blocks", blocks)).outputs(settings());
    let client = plainwire::testing::client(server).await.expect("a client");
    let result = client.call_tool("blocks", json!({})).await.expect("a result");
    let [Content::Text(said), Content::ResourceLink(link), Content::Image(image)] = &result.content[..]
    else {
        panic!("{:?}", result.content.len())
    };
    assert_eq!((&*said.text, image.data.len()), ("[41 blocks are in the output below]", 2_000));
    let all: Vec<Value> =
        serde_json::from_slice(&by_pages(&client, &link.uri, 65_536).await.expect("the output"))
            .expect("JSON");
    assert_eq!((all.len(), &all[39]["text"]), (41, &json!("39 ".repeat(300))));
}
