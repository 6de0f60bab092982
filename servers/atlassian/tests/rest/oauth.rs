//! Tokens of OAuth: renewed once after a refusal, never shown.

use std::sync::Arc;
use std::sync::Mutex;

use plainwire_atlassian::rest::{Credentials, Kind, Secret, Site, Token, TokenSource};

use crate::support::{Stub, create, get, json, settings};

/// A source whose tokens are `token-number-1`, `token-number-2`, …
#[derive(Debug, Default)]
struct Tokens {
    number: Mutex<u32>,
    fails: bool,
}

impl Tokens {
    fn token(&self) -> Secret {
        Secret::new(format!("token-number-{}", self.number.lock().expect("no panic")))
    }
}

impl TokenSource for Tokens {
    fn current(&self) -> Token<'_> {
        Box::pin(async { Ok(self.token()) })
    }

    fn renewed<'a>(&'a self, refused: &'a Secret) -> Token<'a> {
        Box::pin(async move {
            assert_eq!(*refused, self.token());
            *self.number.lock().expect("no panic") += 1;
            if self.fails { Err("sign in again".to_owned()) } else { Ok(self.token()) }
        })
    }
}

fn site(stub: &Stub, tokens: Tokens) -> Site {
    let mut settings = settings(stub);
    settings.credentials = Credentials::OAuth(Arc::new(tokens));
    Site::new(settings).expect("a site")
}

fn sent(stub: &Stub) -> Vec<String> {
    stub.seen().iter().filter_map(|it| it.header("authorization").map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_even_for_a_change() {
    let stub = Stub::script([json(401, ""), json(201, "{}")]);
    site(&stub, Tokens::default()).send(create()).await.expect("created");
    assert_eq!(sent(&stub), ["Bearer token-number-0", "Bearer token-number-1"]);
}

#[tokio::test]
async fn a_second_refusal_is_the_answer() {
    let stub = Stub::script(vec![json(401, r#"{"message":"bad token-number-1"}"#); 5]);
    let error = site(&stub, Tokens::default()).send(get()).await.expect_err("401");
    assert_eq!((error.kind(), stub.count()), (Kind::Unauthorized, 2));
    assert!(error.message().ends_with("bad [secret]"), "{}", error.message());
}

#[tokio::test]
async fn a_token_that_can_not_be_renewed_says_why() {
    let stub = Stub::script(vec![json(401, ""); 5]);
    let tokens = Tokens { fails: true, ..Tokens::default() };
    let error = site(&stub, tokens).send(get()).await.expect_err("401");
    assert_eq!((error.kind(), stub.count()), (Kind::Unauthorized, 1));
    assert!(error.message().contains("sign in again"), "{}", error.message());
}
