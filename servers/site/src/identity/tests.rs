//! The OAuth server on a filled site.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::extract::{Request, State};
use serde_json::{Value as Json, json};

use super::CLOUD_ID;
use super::oauth::refusal;
use super::{Door, person};
use crate::api::Table;
use crate::api::world::{World, on};
use crate::call::Answer;
use crate::clock::Clock;
use crate::http::{Hosts, Shared, answer};
use crate::store::Store;
use crate::work::{Deployment, Work};

const SCOPES: &str = "read:jira-work offline_access read:me";
const BACK: &str = "http://127.0.0.1:8123/callback";
/// From RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

fn encoded(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn address(world: &World<'_>) -> &'static str {
    if world.work.is_cloud() { "/authorize" } else { "/rest/oauth2/latest/authorize" }
}

fn asking(
    more: &[(&'static str, &'static str)],
    deployment: Deployment,
) -> Vec<(&'static str, &'static str)> {
    let scope = if deployment == Deployment::Cloud { SCOPES } else { "WRITE" };
    let mut pairs = vec![
        ("audience", "api.atlassian.com"),
        ("client_id", "app"),
        ("scope", scope),
        ("redirect_uri", BACK),
        ("state", "s&1"),
        ("response_type", "code"),
        ("prompt", "consent"),
    ];
    pairs.retain(|(name, _)| !more.iter().any(|(it, _)| it == name));
    pairs.extend(more);
    pairs
}

/// Sends the form, and returns the parameters with which the application is called.
fn decide(world: &World<'_>, pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    match world.call(0, None, "POST", address(world), encoded(pairs).as_bytes()) {
        Ok(Answer::See(to)) => {
            assert!(to.starts_with(BACK), "{to}");
            url::Url::parse(&to).expect("an address").query_pairs().into_owned().collect()
        }
        other => panic!("{other:?}"),
    }
}

fn value<'a>(pairs: &'a [(String, String)], name: &str) -> &'a str {
    pairs.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
}

fn code(world: &World<'_>, more: &[(&'static str, &'static str)]) -> String {
    let mut pairs = asking(more, world.work.deployment);
    pairs.push(("decision", "allow-demo"));
    let back = decide(world, &pairs);
    assert_eq!(value(&back, "state"), "s&1");
    value(&back, "code").to_owned()
}

fn token(world: &World<'_>, pairs: &[(&str, &str)]) -> (u16, Json) {
    let address = if world.work.is_cloud() { "/oauth/token" } else { "/rest/oauth2/latest/token" };
    let mut pairs = pairs.to_vec();
    pairs.push(("client_id", "app"));
    match world.call(0, None, "POST", address, encoded(&pairs).as_bytes()) {
        Ok(Answer::Json(status, value)) => (status, value),
        other => panic!("{other:?}"),
    }
}

fn redeem(world: &World<'_>, code: &str) -> (u16, Json) {
    let grant = ("grant_type", "authorization_code");
    token(world, &[grant, ("code", code), ("redirect_uri", BACK), ("client_secret", "secret")])
}

fn renew(world: &World<'_>, refresh: &str) -> (u16, Json) {
    token(world, &[("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_secret", "secret")])
}

fn bearer(value: &Json) -> String {
    format!("Bearer {}", value["access_token"].as_str().expect("a token"))
}

#[test]
fn a_code_is_good_for_one_token_that_works_at_the_gateway() {
    on(Deployment::Cloud, |world| {
        let code = code(world, &[]);
        let (status, granted) = redeem(world, &code);
        assert_eq!((status, &granted["expires_in"], &granted["scope"]), (200, &json!(3600), &json!(SCOPES)));
        let header = bearer(&granted);
        assert!(person(world.work, Some(&header), Door::Gateway).expect("a person").is_some());
        assert_eq!(person(world.work, Some(&header), Door::Site).expect_err("an error").status, 401);
        let (status, error) = redeem(world, &code);
        assert_eq!((status, &error["error"]), (403, &json!("invalid_grant")));
        let later = Work { now: world.work.now + 3_600_001, ..*world.work };
        assert_eq!(person(&later, Some(&header), Door::Gateway).expect_err("an error").status, 401);
    });
}

#[test]
fn a_code_works_only_for_its_application_address_and_verifier() {
    on(Deployment::Cloud, |world| {
        let grant = ("grant_type", "authorization_code");
        let code_of = || code(world, &[("code_challenge", CHALLENGE), ("code_challenge_method", "S256")]);
        let one = code_of();
        let verified =
            token(world, &[grant, ("code", &one), ("redirect_uri", BACK), ("code_verifier", VERIFIER)]);
        assert_eq!(verified.0, 200);
        let one = code_of();
        assert_eq!(
            token(world, &[grant, ("code", &one), ("redirect_uri", BACK), ("code_verifier", "guess")]).0,
            403
        );
        let one = code(world, &[]);
        let elsewhere =
            [grant, ("code", &one), ("redirect_uri", "http://127.0.0.1:1/"), ("client_secret", "secret")];
        assert_eq!(token(world, &elsewhere).0, 403);
        let one = code(world, &[]);
        assert_eq!(token(world, &[grant, ("code", &one), ("redirect_uri", BACK)]).0, 401);
    });
}

#[test]
fn a_refresh_token_used_again_ends_its_grant() {
    on(Deployment::Cloud, |world| {
        let (_, first) = redeem(world, &code(world, &[]));
        let old = first["refresh_token"].as_str().expect("a token");
        let (status, second) = renew(world, old);
        assert_eq!(status, 200);
        let header = bearer(&second);
        assert!(person(world.work, Some(&header), Door::Gateway).is_ok());
        let (status, error) = renew(world, old);
        assert_eq!((status, &error["error_description"]), (403, &json!("Unknown or invalid refresh token.")));
        assert_eq!(renew(world, second["refresh_token"].as_str().expect("a token")).0, 403);
        assert_eq!(person(world.work, Some(&header), Door::Gateway).expect_err("an error").status, 401);
    });
}

#[test]
fn without_offline_access_there_is_no_refresh_token() {
    on(Deployment::Cloud, |world| {
        let (_, granted) = redeem(world, &code(world, &[("scope", "read:jira-work")]));
        assert_eq!(granted.get("refresh_token"), None);
    });
}

#[test]
fn a_person_signs_in_with_their_own_token_or_may_deny() {
    on(Deployment::Cloud, |world| {
        let mut pairs = asking(&[], world.work.deployment);
        pairs.extend([
            ("decision", "allow"),
            ("account", "juergen.mueller@plainwire.example"),
            ("secret", "agent-token"),
        ]);
        assert_ne!(value(&decide(world, &pairs), "code"), "");
        pairs.retain(|(name, _)| *name != "secret");
        pairs.push(("secret", "wrong"));
        let again = world.call(0, None, "POST", "/authorize", encoded(&pairs).as_bytes());
        assert!(matches!(again, Ok(Answer::Page(page)) if page.contains("Nobody can sign in")));
        pairs.retain(|(name, _)| *name != "decision");
        pairs.push(("decision", "deny"));
        assert_eq!(value(&decide(world, &pairs), "error"), "access_denied");
    });
}

#[test]
fn nobody_is_the_demo_user_once_their_token_was_replaced() {
    on(Deployment::Cloud, |world| {
        world.work.run("UPDATE token SET hash = 'x' || hash", []).expect("a change");
        let mut pairs = asking(&[], world.work.deployment);
        let page = world.call(0, None, "GET", &format!("/authorize?{}", encoded(&pairs)), b"");
        assert!(matches!(page, Ok(Answer::Page(page)) if !page.contains("allow-demo")));
        pairs.push(("decision", "allow-demo"));
        assert!(matches!(
            world.call(0, None, "POST", "/authorize", encoded(&pairs).as_bytes()),
            Ok(Answer::Page(_))
        ));
    });
}

#[test]
fn the_page_escapes_what_came_with_the_request() {
    on(Deployment::Cloud, |world| {
        let pairs = asking(&[("client_id", "<script>\"'&")], world.work.deployment);
        let page = world.call(0, None, "GET", &format!("/authorize?{}", encoded(&pairs)), b"");
        let Ok(Answer::Page(page)) = page else { panic!("{page:?}") };
        assert!(!page.contains("<script>") && page.contains("&lt;script&gt;&quot;&#39;&amp;"), "{page}");
        assert!(page.contains("<li><code>read:jira-work</code></li>"));
    });
}

#[test]
fn a_wrong_address_of_the_application_is_never_called() {
    on(Deployment::Cloud, |world| {
        for address in [
            "http://example.com/",
            "javascript:alert(1)",
            "ftp://localhost/",
            "",
            "https://example.com/#part",
        ] {
            let pairs = asking(&[], world.work.deployment);
            let pairs: Vec<_> = pairs
                .into_iter()
                .map(|(name, it)| if name == "redirect_uri" { (name, address) } else { (name, it) })
                .collect();
            let answer = world.call(0, None, "GET", &format!("/authorize?{}", encoded(&pairs)), b"");
            assert_eq!(answer.expect_err("an error").status, 400, "{address}");
        }
        for (name, wrong, error) in [
            ("response_type", "token", "unsupported_response_type"),
            ("scope", "a<b", "invalid_scope"),
            ("code_challenge", "plain", "invalid_request"),
        ] {
            assert_eq!(
                value(&decide(world, &asking(&[(name, wrong)], world.work.deployment)), "error"),
                error
            );
        }
    });
}

#[test]
fn a_token_says_who_and_where_it_is_for() {
    on(Deployment::Cloud, |world| {
        let (_, granted) = redeem(world, &code(world, &[]));
        let header = bearer(&granted);
        let demo = person(world.work, Some(&header), Door::Gateway).expect("a search").expect("a person");
        let get = |address: &str| match world.call(demo, Some(&header), "GET", address, b"") {
            Ok(Answer::Json(200, value)) => value,
            other => panic!("{other:?}"),
        };
        let sites = get("/oauth/token/accessible-resources");
        assert_eq!(sites[0]["scopes"], json!(["read:jira-work"]));
        assert_eq!(sites[0]["id"], get("/_edge/tenant_info")["cloudId"]);
        assert_eq!(get("/me")["name"], "Dana Moreau");
    });
}

#[test]
fn a_token_is_used_only_for_what_its_scopes_name() {
    on(Deployment::Cloud, |world| {
        let table = Table::new(Deployment::Cloud);
        let (_, granted) =
            redeem(world, &code(world, &[("scope", "read:jira-work read:sprint:jira-software")]));
        let header = bearer(&granted);
        for (method, path, is_allowed) in [
            ("GET", "/rest/api/3/issue/SHOP-1", true),
            ("POST", "/rest/api/3/search/jql", true),
            ("POST", "/rest/api/3/issue", false),
            ("GET", "/rest/api/3/myself", false),
            ("POST", "/rest/api/3/version", false),
            ("GET", "/rest/agile/1.0/sprint/1", true),
            ("GET", "/rest/agile/1.0/board", false),
            ("GET", "/rest/servicedeskapi/request", false),
            ("GET", "/me", false),
            ("GET", "/oauth/token/accessible-resources", true),
        ] {
            let (operation, _) = table.find(&method.parse().expect("a method"), path).expect("an operation");
            let refused = refusal(world.work, Some(&header), &operation).expect("a search");
            assert_eq!(refused.is_none(), is_allowed, "{method} {path}");
            if let Some(answer) = refused {
                assert!(
                    matches!(answer, Answer::Json(401, body) if body["message"] == "Unauthorized; scope does not match")
                );
            }
        }
        let (operation, _) =
            table.find(&"POST".parse().expect("a method"), "/rest/api/3/issue").expect("an operation");
        let classic = refusal(world.work, Some("Bearer demo-token"), &operation);
        assert!(classic.expect("a search").is_none());
    });
}

#[test]
fn data_center_gives_tokens_below_its_own_path() {
    on(Deployment::DataCenter, |world| {
        let table = Table::new(Deployment::DataCenter);
        let pairs = [("code_challenge", CHALLENGE), ("code_challenge_method", "S256"), ("scope", "READ")];
        let one = code(world, &pairs);
        let grant = ("grant_type", "authorization_code");
        let (status, granted) =
            token(world, &[grant, ("code", &one), ("redirect_uri", BACK), ("code_verifier", VERIFIER)]);
        assert_eq!((status, &granted["token_type"]), (200, &json!("bearer")));
        let header = bearer(&granted);
        assert!(person(world.work, Some(&header), Door::Site).expect("a search").is_some());
        for (method, status) in [("GET", None), ("DELETE", Some(403))] {
            let (operation, _) = table
                .find(&method.parse().expect("a method"), "/rest/api/2/issue/SHOP-1")
                .expect("an operation");
            let refused = refusal(world.work, Some(&header), &operation).expect("a search");
            let found = refused.map(|it| if let Answer::Json(status, _) = it { status } else { 0 });
            assert_eq!(found, status);
        }
        assert_eq!(renew(world, granted["refresh_token"].as_str().expect("a token")).0, 200);
        let (status, error) = redeem(world, "nothing");
        assert_eq!((status, &error["error"]), (400, &json!("invalid_grant")));
    });
}

#[tokio::test]
async fn requests_are_refused_before_their_operation_runs() {
    let (store, _) = Store::open(None, Deployment::Cloud).expect("a site in memory opens");
    let filled = store.run(0, |work| {
        work.run(
            "INSERT INTO person (id, account_id, name, key, email, display_name) VALUES (1, 'a', 'a', 'a', 'a@site.test', 'A')",
            [],
        )?;
        let sql = "INSERT INTO token (hash, person_id, kind, scopes) VALUES (?1, 1, 'access', 'read:jira-work')";
        work.run(sql, [super::hash("one")])
    });
    assert_eq!(filled, Ok(1));
    let site = Arc::new(Shared {
        store,
        table: Table::new(Deployment::Cloud),
        clock: Clock::new(None),
        context: String::new(),
        cloud_id: CLOUD_ID.to_owned(),
        hosts: Hosts::Any,
        faults: None,
        tap: None,
        requests: AtomicU64::new(0),
    });
    let gateway = format!("/ex/jira/{CLOUD_ID}/rest/api/3");
    for (method, path, status) in [
        ("GET", "/oauth/token/accessible-resources".to_owned(), 200),
        ("GET", "/me".to_owned(), 401),
        ("GET", format!("{gateway}/project/search"), 200),
        ("POST", format!("{gateway}/issue"), 401),
        ("GET", "/rest/api/3/project/search".to_owned(), 401),
        ("GET", "/_edge/tenant_info".to_owned(), 200),
    ] {
        let request = Request::builder().method(method).uri(&path).header("authorization", "Bearer one");
        // What needs no token takes no wrong one either.
        let request = if path.starts_with("/_edge") { Request::builder().uri(&path) } else { request };
        let request = request.body(axum::body::Body::empty()).expect("a request");
        let response = answer(State(site.clone()), request).await;
        assert_eq!(response.status().as_u16(), status, "{method} {path}");
    }
}
