//! Discovery of the authorization server that issues the tokens for a protected server.

use plainwire::serde_json::json;

use crate::support::{Setup, metadata};

const PRM: &str = "/.well-known/oauth-protected-resource";
const META: &str = "/.well-known/oauth-authorization-server";

#[tokio::test]
async fn the_place_that_the_challenge_names_is_asked_first() {
    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        let about = fake.server.documents.remove(&format!("{PRM}/mcp")).expect("metadata");
        fake.server.documents.insert("/custom.json".to_owned(), about);
        fake.server.challenge = format!("Bearer resource_metadata=\"{}/custom.json\"", setup.rs);
    }
    assert_eq!(setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer"), 200);
    assert_eq!(setup.count("rs GET /.well-known/"), 0);
}

#[tokio::test]
async fn without_a_named_place_the_path_is_asked_before_the_root() {
    let setup = Setup::new();
    setup.fake().server.challenge = "Bearer".to_owned();
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    assert_eq!(setup.count(&format!("rs GET {PRM}")), 1);

    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        fake.server.challenge = String::new();
        let mut about = fake.server.documents.remove(&format!("{PRM}/mcp")).expect("metadata");
        about["resource"] = json!(setup.rs);
        // The URL of the metadata answers with a web page, so the client has to try the next URL.
        fake.server.documents.insert(format!("{PRM}/mcp"), json!("<!doctype html>"));
        fake.server.documents.insert(PRM.to_owned(), about);
    }
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    let fake = setup.fake();
    let asked: Vec<_> = fake.log.iter().filter(|it| it.contains(PRM)).collect();
    assert_eq!(asked, [&format!("rs GET {PRM}/mcp"), &format!("rs GET {PRM}")]);
    // The token is requested for the `resource` that the metadata names.
    assert_eq!(fake.first.authorizations[0]["resource"], setup.rs);
}

#[tokio::test]
async fn metadata_about_another_server_is_refused() {
    for other in ["https://other.example/mcp", "http://127.0.0.1:1/mcp"] {
        let setup = Setup::new();
        setup.fake().server.documents.get_mut(&format!("{PRM}/mcp")).expect("metadata")["resource"] =
            json!(other);
        let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
        assert!(refusal.starts_with("expected metadata about") && refusal.contains(other), "{refusal}");
        assert_eq!(setup.count("as1"), 0);
    }
}

#[tokio::test]
async fn metadata_without_an_authorization_server_is_refused() {
    let setup = Setup::new();
    let path = format!("{PRM}/mcp");
    setup.fake().server.documents.get_mut(&path).expect("metadata")["authorization_servers"] = json!([]);
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.contains("to name an authorization server"), "{refusal}");
}

#[tokio::test]
async fn the_metadata_of_an_issuer_with_a_path_is_looked_for_in_three_places() {
    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        let issuer = format!("{}/tenant1", setup.as1);
        fake.server.documents.get_mut(&format!("{PRM}/mcp")).expect("metadata")["authorization_servers"] =
            json!([issuer]);
        fake.first.documents.clear();
        let mut found = metadata(&setup.as1);
        found["issuer"] = json!(issuer);
        fake.first.documents.insert("/tenant1/.well-known/openid-configuration".to_owned(), found);
    }
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    let fake = setup.fake();
    let asked: Vec<_> =
        fake.log.iter().filter(|it| it.starts_with("as1 GET") && it.contains("well-known")).collect();
    assert_eq!(
        asked,
        [
            "as1 GET /.well-known/oauth-authorization-server/tenant1",
            "as1 GET /.well-known/openid-configuration/tenant1",
            "as1 GET /tenant1/.well-known/openid-configuration",
        ]
    );
}

#[tokio::test]
async fn metadata_of_another_issuer_is_refused() {
    let setup = Setup::new();
    for other in
        [format!("{}/", setup.as1), setup.as1.replace("http:", "HTTP:"), "https://honest.example".to_owned()]
    {
        setup.change("issuer", json!(other));
        let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
        assert!(refusal.starts_with("expected metadata of the issuer"), "{refusal}");
    }
    assert_eq!(setup.count("as1 POST"), 0);
}

#[tokio::test]
async fn an_authorization_server_without_metadata_is_refused_if_the_server_names_it() {
    let setup = Setup::new();
    setup.fake().first.documents.clear();
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.starts_with("expected metadata of the authorization server"), "{refusal}");
}

#[tokio::test]
async fn a_server_in_trouble_is_no_server_without_metadata() {
    for status in [503, 429] {
        let setup = Setup::new();
        setup.fake().server.documents.insert(format!("{PRM}/mcp"), json!(status));
        let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
        assert!(refusal.contains(&format!("found status {status}")), "{refusal}");
    }
}

#[tokio::test]
async fn a_server_of_2025_03_26_is_its_own_authorization_server() {
    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        fake.server.documents.clear();
        fake.server.challenge = String::new();
        let mut found = metadata(&setup.rs);
        found["token_endpoint"] = json!(format!("{}/token", setup.as1));
        found["authorization_endpoint"] = json!(format!("{}/authorize", setup.as1));
        found["registration_endpoint"] = json!(format!("{}/register", setup.as1));
        fake.server.documents.insert(META.to_owned(), found);
    }
    assert_eq!(setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer"), 200);
    assert_eq!(setup.fake().first.authorizations[0]["resource"], setup.server().as_str());
}

#[tokio::test]
async fn a_server_of_2025_03_26_without_metadata_has_the_default_endpoints() {
    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        fake.server.documents.clear();
        fake.server.challenge = String::new();
    }
    assert_eq!(setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer"), 200);
    for request in ["rs POST /register", "rs GET /authorize", "rs POST /token"] {
        assert_eq!(setup.count(request), 1, "{request}");
    }
}

#[tokio::test]
async fn metadata_about_the_whole_host_is_refused_if_only_the_server_counts() {
    let setup = Setup::new();
    let strict = || setup.oauth().strict_metadata().build().expect("a client");
    assert_eq!(setup.call(&strict()).await.expect("an answer"), 200);
    setup.fake().server.documents.get_mut(&format!("{PRM}/mcp")).expect("metadata")["resource"] =
        json!(setup.rs);
    setup.revoke_access();
    assert_eq!(setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer"), 200);
    setup.revoke_access();
    let refusal = Setup::refusal(setup.call(&strict()).await);
    assert!(refusal.starts_with("expected metadata about"), "{refusal}");
}

#[tokio::test]
async fn endpoints_are_checked_before_anything_is_sent_there() {
    for (field, url) in [
        ("token_endpoint", "http://as.example/token"),
        ("authorization_endpoint", "javascript:alert(1)"),
        ("registration_endpoint", "https://169.254.169.254/latest"),
    ] {
        let setup = Setup::new();
        setup.change(field, json!(url));
        let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
        assert!(refusal.starts_with("expected a"), "{refusal}");
        assert_eq!(setup.count("as1 POST"), 0);
    }
}

#[tokio::test]
async fn redirects_of_metadata_are_followed_three_times_and_checked_each_time() {
    let setup = Setup::new();
    let path = |n: usize| format!("/hop{n}");
    setup.fake().server.challenge = format!("Bearer resource_metadata=\"{}/hop0\"", setup.rs);
    for n in 0..3 {
        setup.fake().server.redirects.insert(path(n), path(n + 1));
    }
    let about = setup.fake().server.documents[&format!("{PRM}/mcp")].clone();
    setup.fake().server.documents.insert(path(3), about);
    assert_eq!(setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer"), 200);

    setup.fake().server.redirects.insert(path(3), path(4));
    setup.revoke_access();
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.starts_with("expected at most 3 redirects"), "{refusal}");

    setup.fake().server.redirects.insert(path(0), "http://10.0.0.1/secret".to_owned());
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert_eq!(refusal, "expected an https URL, but found \"http://10.0.0.1\"");
}

#[tokio::test]
async fn a_document_that_is_too_long_is_not_read_to_its_end() {
    let setup = Setup::new();
    let long = json!({"resource": setup.server(), "x": "x".repeat(1 << 20)});
    setup.fake().server.documents.insert(format!("{PRM}/mcp"), long);
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.starts_with("expected at most 1048576 bytes"), "{refusal}");
}
