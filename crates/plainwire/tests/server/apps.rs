//! MCP Apps: pages, and tools with pages, as hosts see them in each revision, and the mistakes that are
//! reported.

use plainwire::apps::{self, Permission, View, Visibility};
use plainwire::handler::WithMeta;
use plainwire::layer::{Next, Request, Response};
use plainwire::model::{Annotations, BlobResource, Icon, RawJson, ResourceContents, Role, TextResource};
use plainwire::prelude::*;
use plainwire::proto::revision::Revision;
use plainwire::serde_json::{self, Value};
use plainwire::{Client, Error, testing};

const HTML: &str = "<!DOCTYPE html><title>Now</title>";
const PAGE: &str = "ui://weather/now.html";

/// The revisions in which entries and contents have a `_meta`.
const WITH_META: [Revision; 3] = [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

/// Returns a view with every permission and domain that a page can declare.
fn everything() -> View {
    View::new()
        .connect_domain("https://api.example.com")
        .connect_domain("wss://api.example.com")
        .resource_domain("https://*.example.org")
        .frame_domain("https://example.net")
        .base_uri_domain("https://example.com:8443")
        .permission(Permission::Camera)
        .permission(Permission::ClipboardWrite)
        .permission(Permission::Geolocation)
        .permission(Permission::Microphone)
        .domain("weather.example.com")
        .borderless()
}

fn everything_on_the_wire() -> Value {
    json!({ "ui": {
        "csp": {
            "baseUriDomains": ["https://example.com:8443"],
            "connectDomains": ["https://api.example.com", "wss://api.example.com"],
            "frameDomains": ["https://example.net"],
            "resourceDomains": ["https://*.example.org"],
        },
        "domain": "weather.example.com",
        "permissions": { "camera": {}, "clipboardWrite": {}, "geolocation": {}, "microphone": {} },
        "prefersBorder": false,
    }})
}

fn server() -> Server {
    Server::new("weather")
}

async fn now() -> f64 {
    4.5
}

async fn connect(server: Server, revision: Revision) -> Client {
    let client = Client::builder().revisions(&[revision]);
    testing::client_with(server, client).await.expect("a server without mistakes")
}

/// Returns `meta` as JSON; `null` for `None`.
fn parsed(meta: Option<&RawJson>) -> Value {
    meta.map_or(Value::Null, |meta| serde_json::from_str(meta.get()).expect("JSON"))
}

/// Reads a resource. Returns its media type, its `_meta`, and its text, or its bytes as base64.
async fn read(client: &Client, uri: &str) -> (Option<String>, Value, String) {
    match client.read_resource(uri).await.expect("a resource").contents.remove(0) {
        ResourceContents::Text(it) => (it.mime_type, parsed(it.meta.as_ref()), it.text),
        ResourceContents::Blob(it) => (it.mime_type, parsed(it.meta.as_ref()), it.blob),
    }
}

#[tokio::test]
async fn a_page_says_what_it_needs_in_the_list_and_beside_its_contents() {
    for revision in Revision::ALL {
        let client = connect(server().resource(apps::page(PAGE, HTML).view(everything())), revision).await;
        let listed = client.list_resources().await.expect("a list").remove(0);
        let (mime_type, meta, text) = read(&client, PAGE).await;
        assert_eq!((listed.uri.as_str(), listed.name.as_str()), (PAGE, "weather/now.html"));
        assert_eq!(listed.mime_type.as_deref(), Some("text/html;profile=mcp-app"));
        assert_eq!((mime_type.as_deref(), text.as_str()), (Some("text/html;profile=mcp-app"), HTML));
        let expected = if WITH_META.contains(&revision) { everything_on_the_wire() } else { Value::Null };
        assert_eq!((&parsed(listed.meta.as_ref()), &meta), (&expected, &expected), "{revision:?}");
    }
}

#[tokio::test]
async fn a_page_that_needs_nothing_has_a_media_type_and_no_meta() {
    let client =
        connect(server().with(plainwire::Entries::new().resource(apps::page(PAGE, HTML))), Revision::NEWEST)
            .await;
    let listed = client.list_resources().await.expect("a list").remove(0);
    assert_eq!((listed.size, listed.meta.is_none()), (Some(33), true));
    assert_eq!(read(&client, PAGE).await, (Some(apps::MIME_TYPE.to_owned()), Value::Null, HTML.to_owned()));
}

/// A page that is written anew each time.
#[resource("ui://weather/made", view = View::new().bordered())]
async fn made(title: State<&'static str>) -> String {
    format!("<!DOCTYPE html><title>{}</title>", *title)
}

/// A page for each city, as bytes.
#[resource("ui://weather/city/{city}", view = View::new().bordered(), title = "A city")]
async fn of_city(city: String) -> Vec<u8> {
    format!("<!DOCTYPE html><title>{city}</title>").into_bytes()
}

struct Weather;

#[server]
impl Weather {
    /// A page of a type.
    #[resource("ui://weather/of-type", view, meta = json!({ "example.com/a": 1 }), meta = json!({ "example.com/b": 2 }))]
    async fn page(&self) -> &'static str {
        HTML
    }

    /// Returns the temperature.
    #[tool(read_only, ui = "ui://weather/of-type")]
    async fn temperature(&self) -> f64 {
        4.5
    }

    /// Returns the temperature of now, again.
    #[tool(visibility = app, ui = "ui://weather/city/Ghent")]
    async fn again(&self) -> f64 {
        4.5
    }
}

fn computed() -> Server {
    server().state("Now").resource(made).resource(of_city).with(Weather)
}

#[tokio::test]
async fn a_function_and_a_method_can_be_pages() {
    for revision in WITH_META {
        let client = connect(computed(), revision).await;
        let bordered = json!({ "ui": { "prefersBorder": true } });
        let html = Some(apps::MIME_TYPE.to_owned());
        let title = "<!DOCTYPE html><title>Now</title>".to_owned();
        assert_eq!(read(&client, "ui://weather/made").await, (html.clone(), bordered.clone(), title));
        let (mime_type, meta, _) = read(&client, "ui://weather/city/Ghent").await;
        assert_eq!((mime_type, &meta), (html.clone(), &bordered));
        assert_eq!(read(&client, "ui://weather/of-type").await, (html.clone(), Value::Null, HTML.to_owned()));
        let listed = client.list_resource_templates().await.expect("a list").remove(0);
        assert_eq!((listed.mime_type, parsed(listed.meta.as_ref())), (html, bordered));
        let listed = client.list_resources().await.expect("a list").remove(1);
        assert_eq!(parsed(listed.meta.as_ref()), json!({ "example.com/a": 1, "example.com/b": 2 }));
    }
}

#[tokio::test]
async fn what_a_handler_says_beside_its_contents_stays() {
    let page = |meta: &str| {
        let meta = serde_json::value::to_raw_value(&json!({ meta: { "own": 1 } })).expect("JSON");
        Resource::new(PAGE, "now", move || {
            let text =
                TextResource { meta: Some(meta.clone()), text: HTML.to_owned(), ..TextResource::default() };
            async move { ResourceContents::Text(text) }
        })
        .view(View::new().bordered())
    };
    let client = connect(server().resource(page("ui")), Revision::NEWEST).await;
    assert_eq!(read(&client, PAGE).await.1, json!({ "ui": { "own": 1 } }));
    let client = connect(server().resource(page("other")), Revision::NEWEST).await;
    assert_eq!(
        read(&client, PAGE).await.1,
        json!({ "other": { "own": 1 }, "ui": { "prefersBorder": true } })
    );
}

#[tokio::test]
async fn layers_around_a_page_take_nothing_from_it() {
    async fn pass(request: Request, next: Next) -> Result<Response, ToolError> {
        next.run(request).await
    }
    let page = apps::page(PAGE, HTML).view(everything()).layer(pass);
    let client = connect(server().layer(pass).resource(page), Revision::NEWEST).await;
    assert_eq!(read(&client, PAGE).await.1, everything_on_the_wire());
}

/// Returns the `_meta` that `tool` has in the list of tools in `revision`; `null` if it has none.
async fn listed(tool: Tool, revision: Revision) -> Value {
    let client = connect(server().tool(tool).resource(apps::page(PAGE, HTML)), revision).await;
    parsed(client.list_tools().await.expect("a list")[0].meta.as_ref())
}

#[tokio::test]
async fn a_tool_names_its_page_and_who_may_call_it() {
    for (visibility, word) in [
        (Visibility::App, json!(["app"])),
        (Visibility::Both, json!(["model", "app"])),
        (Visibility::Model, json!(["model"])),
    ] {
        let expected = json!({ "ui": { "resourceUri": PAGE, "visibility": word } });
        let tool = || Tool::new("now", now).ui(PAGE).visibility(visibility);
        assert_eq!(listed(tool(), Revision::NEWEST).await, expected);
        let expected = json!({ "ui": { "visibility": word } });
        assert_eq!(listed(Tool::new("now", now).visibility(visibility), Revision::NEWEST).await, expected);
    }
    for revision in Revision::ALL {
        let expected = json!({ "ui": { "resourceUri": PAGE } });
        let expected = if WITH_META.contains(&revision) { expected } else { Value::Null };
        assert_eq!(listed(Tool::new("now", now).ui(PAGE), revision).await, expected, "{revision:?}");
    }
}

#[tokio::test]
async fn the_attribute_names_page_and_visibility() {
    let client = connect(computed(), Revision::NEWEST).await;
    let tools = client.list_tools().await.expect("a list");
    let of = |n: usize| parsed(tools[n].meta.as_ref())["ui"].clone();
    assert_eq!(of(0), json!({ "resourceUri": "ui://weather/of-type" }));
    assert_eq!(of(1), json!({ "resourceUri": "ui://weather/city/Ghent", "visibility": ["app"] }));
}

#[tokio::test]
async fn other_meta_of_a_tool_stands_beside_its_page() {
    let tool = Tool::new("now", now)
        .meta(json!({ "example.com/a": 1 }))
        .ui(PAGE)
        .meta(json!({ "example.com/b": 2 }));
    let meta = listed(tool, Revision::NEWEST).await;
    assert_eq!((&meta["example.com/a"], &meta["example.com/b"]), (&json!(1), &json!(2)));
    assert_eq!(meta["ui"], json!({ "resourceUri": PAGE }));
}

#[tokio::test]
async fn all_four_lists_have_the_icons_and_two_the_annotations_that_were_built() {
    let icon = || Icon::new("https://example.com/i.png");
    let annotations =
        || Annotations { audience: vec![Role::User], priority: Some(0.5), ..Annotations::default() };
    let resource = Resource::new("a://b", "b", || async { "b" });
    let template = ResourceTemplate::new("a://{c}/c", "c", || async { "c" });
    let server = server()
        .tool(Tool::new("now", now).icon(icon()))
        .resource(resource.icon(icon()).annotations(annotations()))
        .resource_template(template.icon(icon()).annotations(annotations()))
        .prompt(Prompt::new("p", || async { "p" }).icon(icon()));
    let client = connect(server, Revision::NEWEST).await;
    let tool = client.list_tools().await.expect("a list").remove(0);
    let resource = client.list_resources().await.expect("a list").remove(0);
    let template = client.list_resource_templates().await.expect("a list").remove(0);
    let prompt = client.list_prompts().await.expect("a list").remove(0);
    for icons in [tool.icons, resource.icons, template.icons, prompt.icons] {
        assert_eq!(icons.iter().map(|icon| &*icon.src).collect::<Vec<_>>(), [icon().src]);
    }
    assert_eq!((resource.annotations, template.annotations), (Some(annotations()), Some(annotations())));
}

#[tokio::test]
async fn all_four_lists_have_the_meta_that_was_built() {
    let meta = || json!({ "example.com/a": [1.5] });
    let server = server()
        .tool(Tool::new("now", now).meta(meta()))
        .resource(Resource::new("a://b", "b", || async { "b" }).meta(meta()))
        .resource_template(ResourceTemplate::new("a://{c}/c", "c", || async { "c" }).meta(meta()))
        .prompt(Prompt::new("p", || async { "p" }).meta(meta()));
    let client = connect(server, Revision::NEWEST).await;
    let metas = [
        client.list_tools().await.expect("a list").remove(0).meta,
        client.list_resources().await.expect("a list").remove(0).meta,
        client.list_resource_templates().await.expect("a list").remove(0).meta,
        client.list_prompts().await.expect("a list").remove(0).meta,
    ];
    for found in metas {
        assert_eq!(parsed(found.as_ref()), meta());
    }
    assert_eq!(read(&client, "a://b").await.1, Value::Null, "only pages have it beside their contents");
}

#[tokio::test]
async fn a_result_has_meta_beside_it() {
    let beside = || json!({ "example.com/a": 1 });
    let server = server()
        .tool(Tool::new("now", move || async move { Ok::<_, ToolError>(WithMeta::new(4.5, beside())) }))
        .tool(Tool::new("wrong", || async { WithMeta::new(4.5, 5) }))
        .resource(Resource::new("a://b", "b", move || async move { WithMeta::new("b", beside()) }))
        .resource(Resource::new("a://c", "c", move || async move {
            let blob = BlobResource { uri: "a://c".into(), ..BlobResource::default() };
            WithMeta::new(vec![ResourceContents::Blob(blob)], beside())
        }))
        .prompt(Prompt::new("p", move || async move { WithMeta::new("p", beside()) }));
    let client = connect(server, Revision::V2025_11_25).await;
    let result = client.call_tool("now", json!({})).await.expect("a result");
    assert_eq!(parsed(result.meta.as_ref()), beside());
    assert_eq!(result.content[0].as_text(), Some("4.5"));
    assert_eq!(read(&client, "a://b").await.1, beside());
    assert_eq!(read(&client, "a://c").await.1, beside());
    assert_eq!(parsed(client.get_prompt("p", json!({})).await.expect("a prompt").meta.as_ref()), beside());
    let wrong = client.call_tool("wrong", json!({})).await.expect("a result");
    assert_eq!(wrong.content[0].as_text(), Some("expected `_meta` to be a JSON object, but found 5"));
    let tool = client.list_tools().await.expect("a list").remove(0);
    assert_eq!(parsed(tool.output_schema.as_ref())["properties"], json!({ "result": { "type": "number" } }));
}

#[tokio::test]
async fn a_server_with_a_view_declares_the_extension_and_no_other_does() {
    let settings = json!({ "mimeTypes": ["text/html;profile=mcp-app"] });
    for revision in Revision::ALL {
        let declared = |server: Server| async move {
            connect(server, revision).await.hello().capabilities.extension(apps::EXTENSION).cloned()
        };
        let template = ResourceTemplate::new("ui://{a}", "a", || async { HTML }).view(View::new());
        assert_eq!(declared(server().resource(apps::page(PAGE, HTML))).await, Some(settings.clone()));
        assert_eq!(declared(server().resource_template(template)).await, Some(settings.clone()));
        let app_only = Tool::new("now", now).visibility(Visibility::App);
        assert_eq!(declared(server().tool(app_only)).await, Some(settings.clone()));
        assert_eq!(declared(server().tool(Tool::new("now", now).meta(json!({ "a": 1 })))).await, None);
        let by_hand =
            server().resource(apps::page(PAGE, HTML)).extension(apps::EXTENSION, json!({ "own": 1 }));
        assert_eq!(declared(by_hand).await, Some(json!({ "own": 1 })));
    }
}

#[tokio::test]
async fn a_handler_knows_whether_the_client_shows_views() {
    for revision in Revision::ALL {
        for (settings, shows) in [
            (json!({ "mimeTypes": ["text/html;profile=mcp-app"] }), WITH_META.contains(&revision)),
            (json!({ "mimeTypes": ["text/html"] }), false),
        ] {
            let tool = Tool::new("shows", |ctx: Context| async move { ctx.shows_views().to_string() });
            let client = Client::builder().revisions(&[revision]).extension(apps::EXTENSION, settings);
            let client = testing::client_with(server().tool(tool), client).await.expect("a client");
            let result = client.call_tool("shows", json!({})).await.expect("a result");
            assert_eq!(result.content[0].as_text(), Some(&*shows.to_string()), "{revision:?}");
        }
    }
}

/// Serves `server`, whose declarations must be refused, and returns the message.
async fn refused(server: Server) -> String {
    let error = server.serve(tokio::io::empty(), tokio::io::sink()).await.expect_err("a mistake");
    let Error::Declaration { at, message } = error else { panic!("{error}") };
    assert_eq!(at.file(), file!(), "{message}");
    message
}

#[tokio::test]
async fn says_what_is_wrong_with_the_page_of_a_tool() {
    let tool = || Tool::new("now", now);
    let meta = |ui: Value| tool().meta(json!({ "ui": ui }));
    for (tool, message) in [
        (
            tool().ui("https://example.com/now.html"),
            "expected `_meta.ui.resourceUri` to be a URI that begins with `ui://`, but found \"https://example.com/now.html\"",
        ),
        (
            tool().ui("ui://"),
            "expected `_meta.ui.resourceUri` to be a URI that begins with `ui://`, but found \"ui://\"",
        ),
        (
            meta(json!({ "resourceUri": 5 })),
            "expected `_meta.ui.resourceUri` to be a URI that begins with `ui://`, but found 5",
        ),
        (
            tool().meta(json!({ "ui/resourceUri": "file:///a" })),
            "expected `_meta.ui/resourceUri` to be a URI that begins with `ui://`, but found \"file:///a\"",
        ),
        (
            tool().ui("ui://weather/{city}"),
            "expected `_meta.ui.resourceUri` to be the URI of one page, but found the template \"ui://weather/{city}\": \
             hosts fill in nothing",
        ),
        (
            tool().ui("ui://weather/then.html"),
            "expected its page `ui://weather/then.html` to be a resource of the server, but found none",
        ),
        (
            tool().meta(json!({ "ui/resourceUri": "ui://weather/then.html" })),
            "expected its page `ui://weather/then.html` to be a resource of the server, but found none",
        ),
        (
            meta(json!({ "csp": {} })),
            "expected `_meta.ui.csp` on the resource that is the page, where hosts look for it, but found it on the tool",
        ),
        (
            meta(json!({ "permissions": {} })),
            "expected `_meta.ui.permissions` on the resource that is the page, where hosts look for it, but found it on the \
             tool",
        ),
        (
            meta(json!({ "visibility": ["app", "user"] })),
            "expected `_meta.ui.visibility` to be a list of `app` and `model`, but found [\"app\",\"user\"]",
        ),
        (meta(json!("ui://a")), "expected `_meta.ui` to be a JSON object, but found \"ui://a\""),
        (tool().meta(5), "expected `_meta` to be a JSON object, but found 5"),
    ] {
        let server = server().tool(tool).resource(apps::page(PAGE, HTML));
        assert_eq!(refused(server).await, format!("tool `now`: {message}"));
    }
}

#[tokio::test]
async fn a_page_may_be_declared_behind_its_tool_and_by_a_template() {
    let tool = || Tool::new("now", now).ui(PAGE);
    let template = |uri: &str| ResourceTemplate::new(uri, "pages", || async { HTML }).view(View::new());
    connect(server().tool(tool()).resource(apps::page(PAGE, HTML)), Revision::NEWEST).await;
    connect(server().tool(tool()).resource_template(template("ui://weather/{page}")), Revision::NEWEST).await;
    let message = "tool `now`: expected its page `ui://weather/now.html` to be a resource of the server, but found none";
    assert_eq!(
        refused(server().tool(tool()).resource_template(template("ui://other/{page}"))).await,
        message
    );
}

#[tokio::test]
async fn says_what_is_wrong_with_a_page() {
    let page = || apps::page(PAGE, HTML);
    let other = |uri: &str| Resource::new(uri, "page", || async { HTML });
    for (page, message) in [
        (
            other(PAGE),
            "expected the media type `text/html;profile=mcp-app`, which is that of all `ui://`, but found none",
        ),
        (
            page().mime_type("text/html"),
            "expected the media type `text/html;profile=mcp-app`, which is that of all `ui://`, but found `text/html`",
        ),
        (
            page().view(View::new().connect_domain("api.example.com")),
            "expected `_meta.ui.csp.connectDomains` to be a list of origins such as `https://api.example.com`, but found \
             \"api.example.com\"",
        ),
        (
            page().view(View::new().frame_domain("https://a.com").frame_domain("https://a.com/path")),
            "expected `_meta.ui.csp.frameDomains` to be a list of origins such as `https://api.example.com`, but found \
             \"https://a.com/path\"",
        ),
        (
            page().meta(json!({ "ui": { "csp": { "resourceDomains": "https://a.com" } } })),
            "expected `_meta.ui.csp.resourceDomains` to be a list of origins such as `https://api.example.com`, but found \
             \"https://a.com\"",
        ),
        (page().meta(json!({ "ui": [] })), "expected `_meta.ui` to be a JSON object, but found []"),
        (page().meta(json!([])), "expected `_meta` to be a JSON object, but found []"),
        (
            apps::page(PAGE, "<p>Now</p>"),
            "expected a page that begins with `<!DOCTYPE html>`, but found \"<p>Now</p>\"",
        ),
    ] {
        assert_eq!(refused(server().resource(page)).await, format!("resource `{PAGE}`: {message}"));
    }
    assert_eq!(
        refused(server().resource(other("file:///now.html").view(View::new()))).await,
        "resource `file:///now.html`: expected a URI that begins with `ui://`, since its media type is \
         `text/html;profile=mcp-app`"
    );
    let template = ResourceTemplate::new("ui://{page}", "pages", || async { HTML });
    assert_eq!(
        refused(server().resource_template(template)).await,
        "resource template `ui://{page}`: expected the media type `text/html;profile=mcp-app`, which is that of all `ui://`, \
         but found none"
    );
    assert_eq!(
        refused(server().prompt(Prompt::new("p", || async { "p" }).meta("p"))).await,
        "prompt `p`: expected `_meta` to be a JSON object, but found \"p\""
    );
}

/// Serves `server`, and then runs `add` on its handle. Returns the message if `add` is refused, and `None` if
/// it succeeds.
async fn added(
    mut server: Server,
    add: impl FnOnce(&plainwire::ServerHandle) -> Result<()>,
) -> Option<String> {
    let handle = server.handle();
    let _client = connect(server, Revision::NEWEST).await;
    add(&handle).err().map(|error| match error {
        Error::Declaration { message, .. } => message,
        other => panic!("{other}"),
    })
}

#[tokio::test]
async fn views_come_while_a_server_serves_if_it_said_that_it_has_some() {
    let tool = || Tool::new("now", now).ui(PAGE);
    let with_page = || server().resource(apps::page(PAGE, HTML));
    let by_hand = || server().extension(apps::EXTENSION, json!({}));
    assert_eq!(added(with_page(), |it| it.add_tool(tool())).await, None);
    let both = |it: &plainwire::ServerHandle| {
        it.add_resource(apps::page(PAGE, HTML)).and_then(|()| it.add_tool(tool()))
    };
    assert_eq!(added(by_hand(), both).await, None);
    assert_eq!(
        added(by_hand(), |it| it.add_tool(tool())).await.as_deref(),
        Some(
            "tool `now`: expected its page `ui://weather/now.html` to be a resource of the server, but found none"
        )
    );
    assert_eq!(
        added(server(), |it| it.add_resource(apps::page(PAGE, HTML))).await.as_deref(),
        Some(
            "expected no view, since the server had none when it began to serve: declare \
             `io.modelcontextprotocol/ui` by `Server::extension`"
        )
    );
}
