//! An output that grows is read, searched and cut off while it grows.

use std::sync::Arc;
use std::time::Duration;

use plainwire::Server;
use plainwire::outputs::Keeper;
use plainwire::testing::in_each_era;
use tokio::sync::{Mutex, Notify};

use super::*;

/// Lets the test decide when the tool goes on.
#[derive(Clone, Default)]
struct Steps(Arc<(Notify, Notify, Mutex<String>)>);

/// A server with a tool that writes a line at each step, and ends with a link after three.
fn server(steps: &Steps) -> Server {
    let steps = steps.clone();
    let write = move |outputs: State<Keeper>, ctx: Context| {
        let steps = steps.clone();
        async move {
            let mut output = outputs.create(&ctx, "write", "text/plain").await?;
            *steps.0.2.lock().await = output.uri();
            for it in 1..=3 {
                output.write(format!("line {it} ä\n")).await?;
                steps.0.0.notify_one();
                steps.0.1.notified().await;
            }
            output.finish().await
        }
    };
    Server::new("writer").tool(Tool::new("write", write)).outputs(settings())
}

#[tokio::test]
async fn an_output_is_read_and_searched_while_it_grows_and_then_complete() {
    let steps = Steps::default();
    let outcome = in_each_era(
        || server(&steps),
        Client::builder(),
        async |client| {
            let writing = client.call_tool("write", json!({}));
            let reading = async {
                for it in 1..=3_u64 {
                    steps.0.0.notified().await;
                    let uri = steps.0.2.lock().await.clone();
                    let page = call(&client, "output_page", json!({ "id": uri })).await?;
                    let expected: String = (1..=it).map(|it| format!("line {it} ä\n")).collect();
                    assert_eq!((&page["text"], &page["state"]), (&json!(expected), &json!("growing")));
                    let found =
                        call(&client, "output_grep", json!({ "id": uri, "pattern": "^line [23]" })).await?;
                    assert_eq!(found["matches"].as_array().map(Vec::len), Some(it as usize - 1));
                    steps.0.1.notify_one();
                }
                Ok::<_, Error>(())
            };
            let (result, read) = tokio::join!(writing, reading);
            read?;
            let uri = links(&result?).pop().expect("a link");
            let page = call(&client, "output_page", json!({ "id": uri })).await?;
            assert_eq!((&page["totalBytes"], &page["state"]), (&json!(30), &json!("complete")));
            Ok(())
        },
    );
    outcome.await.expect("no error");
}

#[tokio::test]
async fn an_output_whose_call_is_cancelled_says_that_it_was_cut_off() {
    let steps = Steps::default();
    let outcome = in_each_era(
        || server(&steps),
        Client::builder(),
        async |client| {
            let cancelled = tokio::time::timeout(Duration::from_secs(5), async {
                tokio::select! {
                    result = client.call_tool("write", json!({})) => panic!("an answer: {result:?}"),
                    () = steps.0.0.notified() => {}
                }
            });
            cancelled.await.expect("the first line");
            let uri = steps.0.2.lock().await.clone();
            loop {
                let page = call(&client, "output_page", json!({ "id": uri })).await?;
                assert_eq!(page["text"], "line 1 ä\n");
                match page["state"].as_str() {
                    Some("growing") => tokio::time::sleep(Duration::from_millis(5)).await,
                    state => {
                        assert_eq!(state, Some("cutOff"));
                        return Ok(());
                    }
                }
            }
        },
    );
    outcome.await.expect("no error");
}

#[tokio::test]
async fn an_output_over_the_budget_ends_the_tool_and_keeps_what_it_has() {
    let folder = Folder::open(path()).expect("a folder").budget(10_000);
    let flood = |outputs: State<Keeper>, ctx: Context| async move {
        let mut output = outputs.create(&ctx, "flood", "text/plain").await?;
        let uri = output.uri();
        loop {
            if let Err(error) = output.write("x".repeat(999) + "\n").await {
                return Ok::<_, ToolError>(format!("{uri} {}", error.message()));
            }
        }
    };
    let server = Server::new("flood").tool(Tool::new("flood", flood)).outputs(Settings::new(folder));
    let client = plainwire::testing::client(server).await.expect("a client");
    let said = client.call::<String>("flood", json!({})).await.expect("a text");
    let (uri, why) = said.split_once(' ').expect("two parts");
    assert_eq!(why, "expected an output of at most 10000 bytes (limit `budget`), but found more");
    assert_eq!(by_pages(&client, uri, 65_536).await.expect("the output").len(), 10_000);
}
