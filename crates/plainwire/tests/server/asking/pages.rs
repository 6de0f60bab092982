//! Web pages that a call needs the user to open first, and the report that the user is done with a page.

use std::sync::{Arc, Mutex};

use plainwire::prelude::*;
use serde_json::{Value, json};

use super::support::{Asked, CAPABILITIES, text};
use crate::raw_client::{REVISIONS, Raw};

const URL: &str = "https://example.com/sign-in?state=7";

/// The contexts of calls, kept for later.
type Kept = Arc<Mutex<Vec<Context>>>;

/// Returns a server with a tool that needs the user to sign in, and keeps its context.
fn signing_in(kept: &Kept) -> Server {
    let kept = Arc::clone(kept);
    Server::new("s").tool(Tool::new("read", move |ctx: Context| {
        kept.lock().expect("no panic before").push(ctx.clone());
        async move { Err::<(), _>(ctx.url_required("page-7", "Please sign in.", URL)) }
    }))
}

#[tokio::test]
async fn a_call_that_needs_a_page_first_says_so_in_the_way_of_its_revision() {
    for (revision, capabilities) in REVISIONS.iter().flat_map(|it| [(*it, CAPABILITIES), (*it, "{}")]) {
        let raw = Raw::connect(signing_in(&Kept::default()));
        let answer = Asked::declaring(raw, revision, capabilities).await.tool("read").await;
        let message: Value = serde_json::from_str(&answer).expect("JSON");
        if revision == "2025-11-25" && capabilities == CAPABILITIES {
            let page = json!({
                "mode": "url", "message": "Please sign in.", "url": URL, "elicitationId": "page-7",
            });
            let error =
                json!({ "code": -32042, "message": "Please sign in.", "data": { "elicitations": [page] } });
            assert_eq!(message["error"], error);
        } else {
            assert_eq!(
                message["result"]["_meta"]["plainwire/error"]["code"], "url_required",
                "{revision}: {answer}"
            );
            assert_eq!(text(&answer), format!("Please sign in.\n\n{URL}"));
        }
    }
}

#[tokio::test]
async fn the_client_is_told_when_the_user_is_done_even_after_the_call() {
    for revision in REVISIONS {
        let kept = Kept::default();
        let mut asked = Asked::declaring(Raw::connect(signing_in(&kept)), revision, CAPABILITIES).await;
        asked.tool("read").await;
        let ctx = kept.lock().expect("no panic before").pop().expect("a context");
        ctx.notify_elicitation_complete("page-7");
        let told = asked.raw.end().await; // END
        let expected = r#"{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"page-7"}}"#;
        assert_eq!(
            told,
            if revision == "2025-11-25" { vec![expected.to_owned()] } else { vec![] },
            "{revision}"
        );
    }
}
