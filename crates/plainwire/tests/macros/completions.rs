//! Completions of arguments by functions and by methods.

use plainwire::model::CompleteRequest;
use plainwire::prelude::*;

use crate::serve;

struct Library(Vec<&'static str>);

#[server]
impl Library {
    /// A book.
    #[resource("book://{title}", complete(title = Self::titles))]
    async fn book(&self, title: String) -> String {
        title
    }

    /// Asks for a review.
    #[prompt(complete(title = Self::titles, tone = Self::tones))]
    async fn review(&self, title: String, tone: String) -> String {
        format!("{tone} {title}")
    }

    async fn titles(&self, typed: Completing) -> Vec<String> {
        self.0.iter().filter(|it| it.starts_with(&typed.value)).map(ToString::to_string).collect()
    }

    async fn tones(_: Completing) -> Vec<String> {
        vec!["kind".to_owned()]
    }
}

#[tokio::test]
async fn a_method_completes_with_what_the_server_has() {
    let client = serve(plainwire::server!().with(Library(vec!["Moss", "Mould", "Stone"]))).await;
    for (request, expected) in [
        (CompleteRequest::resource("book://{title}", "title", "Mo"), &["Moss", "Mould"][..]),
        (CompleteRequest::prompt("review", "title", "S"), &["Stone"]),
        (CompleteRequest::prompt("review", "tone", ""), &["kind"]),
    ] {
        assert_eq!(client.complete(&request).await.expect("values").values, expected);
    }
}
