//! Declarations of a server: mistakes in them and the source position that the error names, the description
//! of the server, and its revisions.

use plainwire::model::Icon;
use plainwire::prelude::*;
use plainwire::proto::peer::Limits;
use plainwire::proto::revision::{Era, Revision};
use plainwire::{Error, testing};
use serde_json::json;

use crate::raw_client::{LEGACY, MODERN, REVISIONS, Raw, ask, error, error_with_data, initialize, result};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct One {
    /// The first one.
    one: String,
}

#[derive(Deserialize, JsonSchema)]
struct Two {
    #[expect(dead_code, reason = "what counts is that it is declared")]
    two: String,
}

pub(crate) async fn hello() -> &'static str {
    "hello"
}

pub(crate) async fn echo(it: One) -> String {
    it.one
}

pub(crate) fn server() -> Server {
    Server::new("declared")
}

/// Serves `server`, which must be refused. Returns the line of this file that the error names, and the
/// message.
async fn refused(server: Server) -> (u32, String) {
    let error = server.serve(tokio::io::empty(), tokio::io::sink()).await.expect_err("a mistake");
    let shown = error.to_string();
    let Error::Declaration { at, message } = error else { panic!("{error}") };
    assert_eq!(at.file(), file!(), "{message}");
    assert_eq!(shown, format!("{message} (at {at})"));
    (at.line(), message)
}

#[tokio::test]
async fn the_name_of_a_tool_has_at_most_128_bytes() {
    let named = |bytes: usize| server().tool(Tool::new("n".repeat(bytes), hello));
    named(128).serve(tokio::io::empty(), tokio::io::sink()).await.expect("a fitting name");
    let (_, message) = refused(named(129)).await;
    assert!(message.ends_with("`: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`"), "{message}");
}

#[tokio::test]
async fn says_what_is_wrong_with_a_declaration() {
    for (server, message) in [
        (Server::new(""), "expected the server to have a name and at least one revision"),
        (
            server().limits(Limits { frame_in: 1 << 32, ..Limits::default() }),
            "expected the limit `frame_in` to be at most 4294967295, but found 4294967296",
        ),
        (
            server().limits(Limits { depth: 2_000, ..Limits::default() }),
            "expected the limit `depth` to be at most 1024, but found 2000",
        ),
        (server().revisions(&[]), "expected the server to have a name and at least one revision"),
        (
            server().tool(Tool::new("say hello", hello)),
            "tool `say hello`: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`",
        ),
        (server().tool(Tool::new("", hello)), "tool ``: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`"),
        (
            server().tool(Tool::new("é", hello)),
            "tool `é`: expected a name of 1 to 128 of `A-Z a-z 0-9 _ . -`",
        ),
        (
            server().tool(Tool::new("text", |it: String| async move { it })),
            "tool `text`: expected the arguments to be a struct with named fields",
        ),
        (
            server().tool(Tool::new("list", |it: Vec<u8>| async move { it })),
            "tool `list`: expected the arguments to be a struct with named fields",
        ),
        (
            server().tool(Tool::new("both", |a: One, _: Two| async move { a.one })),
            "tool `both`: expected one parameter that takes the arguments, but found 2",
        ),
        (
            server().tool(Tool::new("schema", echo).input_schema(json!({ "type": "string" }))),
            "tool `schema`: expected the input schema to have `\"type\": \"object\"`",
        ),
        (server().prompt(Prompt::new("", hello)), "prompt ``: expected a name"),
        (
            server().prompt(Prompt::new("both", |a: One, _: Two| async move { a.one })),
            "prompt `both`: expected one parameter that takes the arguments, but found 2",
        ),
        (
            server().resource(Resource::new("a://b", "B", echo)),
            "resource `a://b`: expected no arguments: a resource has one URI; use a `ResourceTemplate` for many",
        ),
        (
            server().resource(Resource::new("b", "B", hello)),
            "resource `b`: expected a URI that begins with a scheme, such as `file:`",
        ),
        (
            server().resource(Resource::new("a://{one}", "B", hello)),
            "resource `a://{one}`: expected a URI without `{` and `}`; use a `ResourceTemplate` for many URIs",
        ),
        (
            server().resource(Resource::new("a://b c", "B", hello)),
            "resource `a://b c`: expected a URI without blanks: write `%20`",
        ),
        (
            server().resource_template(ResourceTemplate::new("{one}", "B", echo)),
            "resource template `{one}`: expected a URI that begins with a scheme, such as `file:`",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{one", "B", echo)),
            "resource template `a://{one`: expected `}` after `{one`",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{two}", "B", echo)),
            "resource template `a://{two}`: expected `a://{two}` to have the variable `{one}` of its handler",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{one}/{two}", "B", echo)),
            "resource template `a://{one}/{two}`: expected the handler of `a://{one}/{two}` to take `two`, but it does not",
        ),
        (
            server().resource_template(ResourceTemplate::new("a://{one}", "B", |it: u8| async move {
                it.to_string()
            })),
            "resource template `a://{one}`: expected the arguments to be a struct with named fields",
        ),
    ] {
        assert_eq!(refused(server).await.1, message);
    }
}

#[tokio::test]
async fn names_both_places_of_a_name_that_is_declared_twice() {
    let (first, tool) = (line!(), Tool::new("hello", hello));
    let (second, again) = (line!(), Tool::new("hello", hello));
    let (line, message) = refused(server().tool(tool).tool(again)).await;
    assert_eq!(line, second);
    let other = message.strip_prefix("tool `hello`: expected the name once, but it is also declared at ");
    let other = other.and_then(|place| place.strip_prefix(file!())).unwrap_or_else(|| panic!("{message}"));
    assert!(other.starts_with(&format!(":{first}:")), "{message}");

    let (line, nameless) = (line!(), Server::new(""));
    assert_eq!(refused(nameless).await.0, line);

    for (server, name) in [
        (
            server().prompt(Prompt::new("a", hello)).prompt(Prompt::new("a", hello)),
            "prompt `a`: expected the name",
        ),
        (
            server().resource(Resource::new("a:b", "A", hello)).resource(Resource::new("a:b", "B", hello)),
            "resource `a:b`: expected the URI",
        ),
        (
            server()
                .resource_template(ResourceTemplate::new("a:{one}", "A", echo))
                .resource_template(ResourceTemplate::new("a:{one}", "B", echo)),
            "resource template `a:{one}`: expected the URI",
        ),
    ] {
        let message = refused(server).await.1;
        assert!(message.starts_with(&format!("{name} once, but it is")), "{message}");
    }
}

#[tokio::test]
async fn a_tool_and_a_prompt_may_share_a_name() {
    let server = server().tool(Tool::new("same", hello)).prompt(Prompt::new("same", hello));
    server.serve(tokio::io::empty(), tokio::io::sink()).await.expect("nothing is wrong");
}

#[tokio::test]
async fn an_entry_that_is_added_twice_has_one_place_and_the_error_says_so() {
    let tool = Tool::new("hello", hello);
    let message = refused(server().tool(tool.clone()).tool(tool)).await.1;
    assert_eq!(message, "tool `hello`: expected the name once, but it was added twice");
}

#[tokio::test]
async fn says_what_it_is_and_what_it_can_in_both_eras() {
    let server = || {
        Server::new("declared")
            .version("1.2.3")
            .title("Declared")
            .description("For tests.")
            .website("https://example.com")
            .icon(Icon { src: "https://example.com/i.png".to_owned(), ..Icon::default() })
            .instructions("Be \"kind\".")
            .experimental("x", json!({ "y": 1 }))
            .extension("com.example/ui", json!({ "z": [2] }))
            .tool(Tool::new("t", hello))
            .resource_template(ResourceTemplate::new("a://{one}", "A", echo))
    };
    let capabilities = r#""capabilities":{"experimental":{"x":{"y":1}},"extensions":{"com.example/ui":{"z":[2]}},"resources":{},"tools":{}}"#;
    let short = r#""name":"declared","version":"1.2.3""#;
    let long = format!(
        r#"{short},"title":"Declared","description":"For tests.","websiteUrl":"https://example.com","icons":[{{"src":"https://example.com/i.png"}}]"#
    );
    let titled = format!(r#"{short},"title":"Declared""#);
    for (revision, info) in
        [("2024-11-05", short), ("2025-03-26", short), ("2025-06-18", &titled), (LEGACY, &long)]
    {
        let hello = Raw::connect(server()).ask(&initialize(revision)).await;
        let members = format!(
            r#"{{"protocolVersion":"{revision}",{capabilities},"serverInfo":{{{info}}},"instructions":"Be \"kind\"."}}"#
        );
        assert_eq!(hello, result("0", &members));
    }
    let discovered = ask(server(), MODERN, "server/discover", "{}").await;
    let versions = r#"["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]"#;
    let members = format!(
        r#"{{"resultType":"complete","supportedVersions":{versions},{capabilities},"instructions":"Be \"kind\".","ttlMs":0,"cacheScope":"private","_meta":{{"io.modelcontextprotocol/serverInfo":{{{long}}}}}}}"#
    );
    assert_eq!(discovered, result("1", &members));

    let client = testing::client(server()).await.expect("a client");
    assert_eq!(client.hello().instructions.as_deref(), Some("Be \"kind\"."));
    assert_eq!(client.hello().capabilities.experimental("x"), Some(&json!({ "y": 1 })));
    assert_eq!(client.hello().capabilities.extension("com.example/ui"), Some(&json!({ "z": [2] })));
}

#[tokio::test]
async fn what_is_not_declared_does_not_exist() {
    let tools = || server().tool(Tool::new("t", hello));
    let hello = Raw::connect(tools()).ask(&initialize(LEGACY)).await;
    assert!(hello.contains(r#""capabilities":{"tools":{}}"#), "{hello}");
    for revision in REVISIONS {
        for method in [
            "prompts/list",
            "prompts/get",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "completion/complete",
        ] {
            let message = format!("expected a method of this server, but found `{method}`");
            assert_eq!(
                ask(tools(), revision, method, "{}").await,
                error("1", -32601, &message),
                "{revision}"
            );
        }
    }
    // A server without entries can be served as well.
    let hello = Raw::connect(server()).ask(&initialize(LEGACY)).await;
    assert!(hello.contains(r#""capabilities":{}"#), "{hello}");
}

#[tokio::test]
async fn serves_only_the_revisions_it_is_told_to() {
    let old =
        || server().tool(Tool::new("t", hello)).revisions(&[Revision::V2025_06_18, Revision::V2024_11_05]);
    for (asked, got) in [(LEGACY, "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-06-18")] {
        let answer = Raw::connect(old()).ask(&initialize(asked)).await;
        assert!(answer.contains(&format!(r#""protocolVersion":"{got}""#)), "{answer}");
    }
    let refused = ask(old(), MODERN, "tools/list", "{}").await;
    let message = r#"expected a protocol version of ["2025-06-18", "2024-11-05"], but found "2026-07-28""#;
    let data = r#"{"requested":"2026-07-28","supported":["2025-06-18","2024-11-05"]}"#;
    assert_eq!(refused, error_with_data("1", -32022, message, data));
    let client = testing::client(old()).await.expect("a client");
    assert_eq!((client.revision(), client.revision().era()), (Revision::V2025_06_18, Era::Legacy));
}

/// A client fills in the default that the schema lists.
#[tokio::test]
async fn a_default_that_its_own_bounds_exclude_is_a_mistake() {
    const MANY: u32 = 9;

    #[tool]
    async fn few(#[argument(default = MANY, range = 1..=5)] n: u32) -> String {
        n.to_string()
    }
    #[tool]
    async fn on(#[argument(default = "never", format = "date")] day: String) -> String {
        day
    }

    for (server, expected) in [
        (
            server().tool(few),
            "tool `few`: the default of `n` does not fit: expected `arguments.n` to be at most 5, but found 9",
        ),
        (
            server().tool(on),
            "tool `on`: the default of `day` does not fit: expected `arguments.day` to be a date such as",
        ),
    ] {
        let (_, message) = refused(server).await;
        assert!(message.starts_with(expected), "{message}");
    }
}
