//! Tokens of a program without a user: the client credentials grant.

use plainwire::proto::base64::decode_url;
use plainwire::serde_json::{Value, from_slice, json};
use plainwire_oauth::{OAuth, OAuthBuilder};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, UnparsedPublicKey, VerificationAlgorithm,
};

use crate::support::Setup;

fn program() -> OAuthBuilder {
    OAuth::builder("Test program").client_id("robot").client_credentials()
}

#[tokio::test]
async fn a_secret_is_enough() {
    let setup = Setup::new();
    let oauth = program().client_secret("s3cret").build().expect("a client");
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    let fake = setup.fake();
    let (form, headers) = &fake.first.token_requests[0];
    assert_eq!(form["grant_type"], "client_credentials");
    assert_eq!(form["scope"], "read");
    assert_eq!(form["resource"], setup.server().as_str());
    assert!(headers["authorization"].starts_with("Basic "));
    assert!(fake.first.authorizations.is_empty() && fake.first.registrations.is_empty());
}

#[tokio::test]
async fn a_private_key_signs_an_assertion() {
    let kinds: [(_, &str, &dyn VerificationAlgorithm); 3] = [
        (&PKCS_ECDSA_P256_SHA256, "ES256", &ECDSA_P256_SHA256_FIXED),
        (&PKCS_ECDSA_P384_SHA384, "ES384", &ECDSA_P384_SHA384_FIXED),
        (&PKCS_ED25519, "EdDSA", &ED25519),
    ];
    for (kind, name, algorithm) in kinds {
        let setup = Setup::new();
        setup.change("token_endpoint_auth_methods_supported", json!(["private_key_jwt"]));
        setup.change("token_endpoint_auth_signing_alg_values_supported", json!([name]));
        let key = KeyPair::generate_for(kind).expect("a key");
        let oauth = program().private_key_pem(key.serialize_pem(), Some("k1")).build().expect("a client");
        assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);

        let fake = setup.fake();
        let (form, headers) = &fake.first.token_requests[0];
        assert_eq!(form["client_assertion_type"], "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        assert!(!headers.contains_key("authorization") && !form.contains_key("client_secret"));
        let (text, signature) = form["client_assertion"].rsplit_once('.').expect("a JWT");
        let signature = decode_url(signature).expect("base64");
        let public = UnparsedPublicKey::new(algorithm, key.public_key_raw());
        public.verify(text.as_bytes(), &signature).expect("a signature of this key");
        let parts: Vec<Value> =
            text.split('.').map(|it| from_slice(&decode_url(it).expect("base64")).expect("JSON")).collect();
        assert_eq!(parts[0], json!({"alg": name, "typ": "JWT", "kid": "k1"}));
        assert_eq!((&parts[1]["iss"], &parts[1]["sub"]), (&json!("robot"), &json!("robot")));
        // The audience is the issuer, so that no other authorization server accepts the assertion.
        assert_eq!(parts[1]["aud"], json!(setup.as1));
        let life = parts[1]["exp"].as_u64().zip(parts[1]["iat"].as_u64()).map(|(end, begin)| end - begin);
        assert_eq!(life, Some(300));
        assert!(parts[1]["jti"].as_str().is_some_and(|it| it.len() >= 20));
    }
}

#[tokio::test]
async fn a_key_of_an_algorithm_that_is_not_taken_is_not_used() {
    let setup = Setup::new();
    setup.change("token_endpoint_auth_methods_supported", json!(["private_key_jwt"]));
    setup.change("token_endpoint_auth_signing_alg_values_supported", json!(["RS256"]));
    let key = KeyPair::generate().expect("a key").serialize_pem();
    let oauth = program().private_key_pem(key, None).build().expect("a client");
    let refusal = Setup::refusal(setup.call(&oauth).await);
    assert!(refusal.starts_with("expected the authorization server to take ES256"), "{refusal}");
    assert_eq!(setup.count("as1 POST"), 0);
}

#[tokio::test]
async fn a_token_that_ends_is_replaced_without_a_refusal() {
    let setup = Setup::new();
    setup.fake().first.token_with = Some(json!({"expires_in": 0}));
    let oauth = program().client_secret("s").build().expect("a client");
    setup.call(&oauth).await.expect_err("it has ended before it is sent");
    setup.fake().first.token_with = None;
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    let (tokens, calls) = (setup.count("as1 POST /token"), setup.count("rs POST"));
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    assert_eq!((setup.count("as1 POST /token"), setup.count("rs POST")), (tokens, calls + 1));
}

#[tokio::test]
async fn a_missing_scope_is_asked_for_without_a_person() {
    let setup = Setup::new();
    setup.fake().server.wants.insert("/mcp".to_owned(), "write".to_owned());
    let oauth = program().client_secret("s").build().expect("a client");
    assert_eq!(setup.call(&oauth).await.expect("an answer"), 200);
    let fake = setup.fake();
    let scopes: Vec<_> = fake.first.token_requests.iter().map(|(form, _)| form["scope"].as_str()).collect();
    assert_eq!(scopes, ["read", "read write"]);
}
