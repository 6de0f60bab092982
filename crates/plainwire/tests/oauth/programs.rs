//! Tokens that a program gets for itself.

use plainwire::auth::{OAuth, OAuthBuilder};
use plainwire::proto::base64::decode_url;
use plainwire::serde_json::{Value, from_slice, json};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, UnparsedPublicKey, VerificationAlgorithm,
};

use crate::world::World;

fn program() -> OAuthBuilder {
    OAuth::builder("Test program").client_id("robot").client_credentials()
}

#[tokio::test]
async fn a_secret_is_enough() {
    let world = World::new();
    let oauth = program().client_secret("s3cret").build().expect("a client");
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    let fake = world.fake();
    let (form, headers) = &fake.first.token_requests[0];
    assert_eq!(form["grant_type"], "client_credentials");
    assert_eq!(form["scope"], "read");
    assert_eq!(form["resource"], world.server().as_str());
    assert!(headers["authorization"].starts_with("Basic "));
    assert!(fake.first.authorizations.is_empty() && fake.first.registrations.is_empty());
}

#[tokio::test]
async fn a_private_key_signs_who_is_asking() {
    let kinds: [(_, &str, &dyn VerificationAlgorithm); 3] = [
        (&PKCS_ECDSA_P256_SHA256, "ES256", &ECDSA_P256_SHA256_FIXED),
        (&PKCS_ECDSA_P384_SHA384, "ES384", &ECDSA_P384_SHA384_FIXED),
        (&PKCS_ED25519, "EdDSA", &ED25519),
    ];
    for (kind, name, algorithm) in kinds {
        let world = World::new();
        world.change("token_endpoint_auth_methods_supported", json!(["private_key_jwt"]));
        world.change("token_endpoint_auth_signing_alg_values_supported", json!([name]));
        let key = KeyPair::generate_for(kind).expect("a key");
        let oauth = program().private_key_pem(key.serialize_pem(), Some("k1")).build().expect("a client");
        assert_eq!(world.call(&oauth).await.expect("an answer"), 200);

        let fake = world.fake();
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
        // The issuer and no other URL: it is good for one authorization server.
        assert_eq!(parts[1]["aud"], json!(world.as1));
        let life = parts[1]["exp"].as_u64().zip(parts[1]["iat"].as_u64()).map(|(end, begin)| end - begin);
        assert_eq!(life, Some(300));
        assert!(parts[1]["jti"].as_str().is_some_and(|it| it.len() >= 20));
    }
}

#[tokio::test]
async fn a_key_of_an_algorithm_that_is_not_taken_is_not_used() {
    let world = World::new();
    world.change("token_endpoint_auth_methods_supported", json!(["private_key_jwt"]));
    world.change("token_endpoint_auth_signing_alg_values_supported", json!(["RS256"]));
    let key = KeyPair::generate().expect("a key").serialize_pem();
    let oauth = program().private_key_pem(key, None).build().expect("a client");
    let refusal = World::refusal(world.call(&oauth).await);
    assert!(refusal.starts_with("expected the authorization server to take ES256"), "{refusal}");
    assert_eq!(world.count("as1 POST"), 0);
}

#[tokio::test]
async fn a_token_that_ends_is_replaced_without_a_refusal() {
    let world = World::new();
    world.fake().first.token_with = Some(json!({"expires_in": 0}));
    let oauth = program().client_secret("s").build().expect("a client");
    world.call(&oauth).await.expect_err("it has ended before it is sent");
    world.fake().first.token_with = None;
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    let (tokens, calls) = (world.count("as1 POST /token"), world.count("rs POST"));
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    assert_eq!((world.count("as1 POST /token"), world.count("rs POST")), (tokens, calls + 1));
}

#[tokio::test]
async fn a_missing_scope_is_asked_for_without_a_person() {
    let world = World::new();
    world.fake().server.wants.insert("/mcp".to_owned(), "write".to_owned());
    let oauth = program().client_secret("s").build().expect("a client");
    assert_eq!(world.call(&oauth).await.expect("an answer"), 200);
    let fake = world.fake();
    let scopes: Vec<_> = fake.first.token_requests.iter().map(|(form, _)| form["scope"].as_str()).collect();
    assert_eq!(scopes, ["read", "read write"]);
}
