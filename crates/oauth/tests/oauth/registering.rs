//! The client's registration at an authorization server, and its authentication there.

use plainwire::serde_json::json;
use plainwire_oauth::{MemoryStore, OAuth};

use crate::plain_http::browse_loopback;
use crate::support::{REDIRECT, Setup};

const DOCUMENT: &str = "https://app.example/client.json";

#[tokio::test]
async fn a_client_that_was_registered_beforehand_goes_first() {
    let setup = Setup::new();
    setup.change("client_id_metadata_document_supported", json!(true));
    let oauth = setup.oauth().client_id("mine").client_secret("s").client_metadata_url(DOCUMENT);
    setup.call(&oauth.build().expect("a client")).await.expect("an answer");
    let fake = setup.fake();
    assert_eq!(fake.first.authorizations[0]["client_id"], "mine");
    assert!(fake.first.registrations.is_empty());
}

#[tokio::test]
async fn a_metadata_document_goes_before_a_registration_where_it_is_taken() {
    let setup = Setup::new();
    let oauth = setup.oauth().client_metadata_url(DOCUMENT).build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    assert_eq!(setup.fake().first.registrations.len(), 1);

    setup.change("client_id_metadata_document_supported", json!(true));
    let oauth = setup.oauth().client_metadata_url(DOCUMENT).build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    let fake = setup.fake();
    assert_eq!(fake.first.registrations.len(), 1);
    assert_eq!(fake.first.authorizations[1]["client_id"], DOCUMENT);
}

#[tokio::test]
async fn a_registration_says_what_kind_of_client_it_is() {
    let setup = Setup::new();
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    assert_eq!(
        setup.fake().first.registrations[0],
        json!({
            "client_name": "Test host",
            "redirect_uris": [REDIRECT],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        })
    );
}

#[tokio::test]
async fn a_registration_is_kept_for_the_next_login() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    for _ in 0..2 {
        let oauth = setup.oauth().store(store.clone()).build().expect("a client");
        setup.call(&oauth).await.expect("an answer");
        oauth.logout(&setup.server()).await.expect("gone");
    }
    let fake = setup.fake();
    assert_eq!((fake.first.registrations.len(), fake.first.authorizations.len()), (1, 2));
}

#[tokio::test]
async fn a_secret_that_has_expired_takes_a_new_registration() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    for (expires, registrations) in [(1, 1), (0, 2), (0, 2)] {
        setup.fake().first.registers =
            Some(json!({"client_secret": "s", "client_secret_expires_at": expires}));
        let oauth = setup.oauth().store(store.clone()).build().expect("a client");
        setup.call(&oauth).await.expect("an answer");
        oauth.logout(&setup.server()).await.expect("gone");
        assert_eq!(setup.fake().first.registrations.len(), registrations);
    }
}

#[tokio::test]
async fn a_login_that_failed_forgets_the_registration() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    let oauth = setup.oauth().store(store.clone()).build().expect("a client");
    setup.fake().first.error = Some(("server_error".to_owned(), String::new()));
    setup.call(&oauth).await.expect_err("an error");
    setup.fake().first.error = None;
    setup.call(&oauth).await.expect("an answer");
    assert_eq!(setup.fake().first.registrations.len(), 2);
}

#[tokio::test]
async fn a_registration_that_is_rejected_says_why() {
    let setup = Setup::new();
    {
        let mut fake = setup.fake();
        fake.first.registers =
            Some(json!({"error": "invalid_redirect_uri", "error_description": "only https"}));
        fake.first.registration_status = Some(400);
    }
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.contains("invalid_redirect_uri") && refusal.contains("only https"), "{refusal}");
}

#[tokio::test]
async fn without_any_way_to_register_the_program_is_asked_for_a_client_id() {
    let setup = Setup::new();
    setup.change("registration_endpoint", json!(null));
    let refusal = Setup::refusal(setup.call(&setup.oauth().build().expect("a client")).await);
    assert!(refusal.starts_with("expected a client id for"), "{refusal}");
}

#[tokio::test]
async fn a_server_that_moves_takes_a_new_registration_and_never_sees_the_old_one() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    let oauth = setup.oauth().store(store.clone()).build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.move_to_second();
    setup.call(&oauth).await.expect("an answer");
    {
        let fake = setup.fake();
        assert_eq!((fake.first.token_requests.len(), fake.second.registrations.len()), (1, 1));
        assert!(fake.second.authorizations[0]["client_id"].starts_with("as2-"));
        let seen = format!("{:?} {:?}", fake.second.authorizations, fake.second.token_requests);
        assert!(!seen.contains("as1-") && !seen.contains("refresh-"), "{seen}");
    }
    // The next run of the program uses the new authorization server.
    let oauth = setup.oauth().store(store).build().expect("a client");
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    assert_eq!(setup.fake().second.authorizations.len(), 1);
}

#[tokio::test]
async fn a_client_that_was_registered_beforehand_does_not_move_with_the_server() {
    let setup = Setup::new();
    let oauth = setup.oauth().client_id("mine").client_secret("s").build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    setup.move_to_second();
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(refusal.starts_with("expected the client \"mine\" to be used at"), "{refusal}");
    assert_eq!(setup.count("as2 POST"), 0);

    let setup = Setup::new();
    let oauth = setup.oauth().client_id("mine").issuer("https://other.example").build().expect("a client");
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(
        refusal.starts_with("expected the client \"mine\" to be used at \"https://other.example\""),
        "{refusal}"
    );
}

#[tokio::test]
async fn among_many_authorization_servers_the_one_that_knows_the_client_is_chosen() {
    let setup = Setup::new();
    let path = "/.well-known/oauth-protected-resource/mcp";
    let all = json!([setup.as1, setup.as2]);
    setup.fake().server.documents.get_mut(path).expect("metadata")["authorization_servers"] = all;
    let oauth = setup.oauth().client_id("mine").issuer(setup.as2.as_str()).build().expect("a client");
    setup.call(&oauth).await.expect("an answer");
    assert_eq!(setup.count("as1"), 0);
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    assert!(setup.count("as1") > 0);
}

#[tokio::test]
async fn the_client_proves_itself_the_way_that_is_taken() {
    for (taken, header, secret_in_form) in [
        (json!(["client_secret_basic"]), true, false),
        (json!(["client_secret_post"]), false, true),
        (json!(["none"]), false, false),
        (json!(null), true, false),
    ] {
        let setup = Setup::new();
        setup.change("token_endpoint_auth_methods_supported", taken.clone());
        let oauth = setup.oauth().client_id("m:e").client_secret("s/1").build().expect("a client");
        setup.call(&oauth).await.expect("an answer");
        let fake = setup.fake();
        let (form, headers) = &fake.first.token_requests[0];
        // The base64 of `m%3Ae:s%2F1`: the client id and the secret are percent-encoded first, so that the
        // only colon is the one between them.
        let basic = header.then_some("Basic bSUzQWU6cyUyRjE=");
        assert_eq!(headers.get("authorization").map(String::as_str), basic, "{taken}");
        assert_eq!(form.get("client_secret").map(String::as_str), secret_in_form.then_some("s/1"), "{taken}");
        assert_eq!(form.get("client_id").map(String::as_str), (!header).then_some("m:e"), "{taken}");
    }
}

#[tokio::test]
async fn a_registered_client_proves_itself_as_it_was_registered() {
    let setup = Setup::new();
    let registered = json!({"client_secret": "s", "token_endpoint_auth_method": "client_secret_post"});
    setup.fake().first.registers = Some(registered);
    setup.call(&setup.oauth().build().expect("a client")).await.expect("an answer");
    let fake = setup.fake();
    assert_eq!(fake.first.token_requests[0].0["client_secret"], "s");
    assert!(!fake.first.token_requests[0].1.contains_key("authorization"));
}

#[tokio::test]
async fn the_listener_of_this_machine_uses_the_port_that_is_registered() {
    let (setup, store) = (Setup::new(), MemoryStore::default());
    for _ in 0..2 {
        let builder = OAuth::builder("Test host").store(store.clone());
        let oauth = builder.loopback(|url| async move { browse_loopback(&url) }).build().expect("a client");
        assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
        oauth.logout(&setup.server()).await.expect("gone");
    }
    let fake = setup.fake();
    assert_eq!((fake.first.registrations.len(), fake.first.authorizations.len()), (1, 2));
    assert_eq!(fake.first.registrations[0]["application_type"], "native");
    let redirect = fake.first.authorizations[0]["redirect_uri"].as_str();
    assert!(redirect.starts_with("http://127.0.0.1:") && redirect.ends_with("/callback"), "{redirect}");
}
