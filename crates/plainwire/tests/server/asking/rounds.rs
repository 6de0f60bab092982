//! The questions of one call and their order: loops, branches, several questions at a time, and handlers that
//! change between rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use plainwire::model::CreateMessage;
use plainwire::prelude::*;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::support::{Asked, ERAS, Person, accept, keys, reply, state, text};
use crate::raw_client::MODERN;

fn server(tool: Tool) -> Server {
    Server::new("s").tool(tool)
}

async fn ask(ctx: &Context, key: &str) -> Result<String, ToolError> {
    ctx.elicit::<String>(key, format!("{key}?")).await?.accepted()
}

/// Returns a scripted user with an answer for each of `keys`: the form with the message `item-0?` is answered
/// with `ITEM-0`.
fn person(keys: &[&str]) -> Person {
    keys.iter().fold(Person::new(), |person, key| {
        person.answers(&format!("{key}?"), &accept(key.to_uppercase()).to_string())
    })
}

#[tokio::test]
async fn a_loop_asks_under_numbered_keys() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            let mut all = String::new();
            for i in 0..3 {
                all += &ask(&ctx, &format!("item-{i}")).await?;
            }
            Ok::<_, ToolError>(all)
        });
        let mut asked = Asked::connect(server(tool), era).await;
        let answer = asked.call("t", "{}", &person(&["item-0", "item-1", "item-2"])).await;
        assert_eq!(text(&answer), "ITEM-0ITEM-1ITEM-2", "{era}");
        assert_eq!(asked.seen.len(), 3, "{era}: each once");
    }
}

#[tokio::test]
async fn a_call_that_asks_something_else_each_time_has_256_rounds() {
    let round = AtomicUsize::new(0);
    let tool = Tool::new("t", move |ctx: Context| {
        let message = format!("{}?", round.fetch_add(1, SeqCst));
        async move { ctx.elicit::<String>("q", message).await?.accepted() }
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    let mut answer = asked.tool("t").await;
    for _ in 1..256 {
        answer = asked.again("t", &json!({"q": accept("x")}), &state(&answer)).await;
        assert_eq!(keys(&answer), ["q"]);
    }
    let answer = asked.again("t", &json!({"q": accept("x")}), &state(&answer)).await;
    let expected =
        "expected a call to end within 256 rounds (limit `questions`), but found that it asks again for `q`";
    assert!(answer.contains(expected) && answer.contains("-32603"), "{answer}");
}

#[tokio::test]
async fn an_answer_decides_what_is_asked_next() {
    for (era, fly, expected) in ERAS.into_iter().flat_map(|era| [(era, true, "SEAT"), (era, false, "CAR")]) {
        let tool = Tool::new("t", |ctx: Context| async move {
            let fly: bool = ctx.elicit("fly", "Fly?").await?.accepted()?;
            ask(&ctx, if fly { "seat" } else { "car" }).await
        });
        let person = person(&["seat", "car"]).answers("Fly?", &accept(fly).to_string());
        let mut asked = Asked::connect(server(tool), era).await;
        assert_eq!(text(&asked.call("t", "{}", &person).await), expected, "{era}");
        assert_eq!(asked.seen.len(), 2);
    }
}

#[tokio::test]
async fn an_answer_is_not_used_for_a_question_that_has_changed() {
    let version = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&version);
    let tool = Tool::new("t", move |ctx: Context| {
        let version = now.load(SeqCst);
        async move {
            let name: String = ctx.elicit("name", format!("Name, v{version}?")).await?.accepted()?;
            let more = ask(&ctx, "more").await?;
            Ok::<_, ToolError>(format!("{name} {more}"))
        }
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    let first = asked.tool("t").await;
    version.store(1, SeqCst);
    let second = asked.again("t", &json!({"name": accept("zero")}), &state(&first)).await;
    assert!(second.contains("Name, v1?"), "{second}");
    let third = asked.again("t", &json!({"name": accept("one")}), &state(&second)).await;
    assert_eq!(keys(&third), ["more"]);
    // The question has changed, so the answer to the earlier question, which the state has kept, is not used
    // either.
    version.store(2, SeqCst);
    let fourth = asked.again("t", &json!({"more": accept("and more")}), &state(&third)).await;
    assert!(fourth.contains("Name, v2?"), "{fourth}");
    let last = asked.again("t", &json!({"name": accept("two")}), &state(&fourth)).await;
    assert_eq!(text(&last), "two and more");
}

#[tokio::test]
async fn an_answer_is_not_used_for_another_form_or_another_kind_of_question() {
    for kind in 1..=2 {
        let version = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&version);
        let tool = Tool::new("t", move |ctx: Context| {
            let version = now.load(SeqCst);
            async move {
                Ok::<_, ToolError>(match version {
                    0 => ctx.elicit::<String>("it", "?").await?.accepted()?,
                    1 => ctx.elicit::<u8>("it", "?").await?.accepted()?.to_string(),
                    _ => ctx.list_roots("it").await?.len().to_string(),
                })
            }
        });
        let mut asked = Asked::connect(server(tool), MODERN).await;
        let first = asked.tool("t").await;
        version.store(kind, SeqCst);
        let second = asked.again("t", &json!({"it": accept("7")}), &state(&first)).await;
        assert_eq!(keys(&second), ["it"]);
        let answer = if kind == 1 { accept(9) } else { json!({"roots": []}) };
        let last = asked.again("t", &json!({"it": answer}), &state(&second)).await;
        assert_eq!(text(&last), if kind == 1 { "9" } else { "0" });
    }
}

#[tokio::test]
async fn an_answer_whose_question_comes_later_in_the_next_round_is_not_lost() {
    let rounds = AtomicUsize::new(0);
    let tool = Tool::new("t", move |ctx: Context| {
        let first = rounds.fetch_add(1, SeqCst) == 0;
        async move {
            if first {
                let _ = tokio::join!(ask(&ctx, "a"), ask(&ctx, "b"));
            }
            Ok::<_, ToolError>(ask(&ctx, "a").await? + &ask(&ctx, "c").await? + &ask(&ctx, "b").await?)
        }
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    assert_eq!(text(&asked.call("t", "{}", &person(&["a", "b", "c"])).await), "ACB");
    let seen: Vec<_> = asked.seen.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(seen, ["a", "b", "c"], "each once");
}

#[tokio::test]
async fn a_step_whose_result_has_another_type_now_runs_again() {
    let version = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&version);
    let tool = Tool::new("t", move |ctx: Context| {
        let version = now.load(SeqCst);
        async move {
            let made = match version {
                0 => ctx.step("made", || async { 7_u8 }).await?.to_string(),
                _ => ctx.step("made", || async { "anew".to_owned() }).await?,
            };
            Ok::<_, ToolError>(made + &ask(&ctx, "more").await?)
        }
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    let first = asked.tool("t").await;
    version.store(1, SeqCst);
    let last = asked.again("t", &json!({"more": accept("!")}), &state(&first)).await;
    assert_eq!(text(&last), "anew!");
}

#[tokio::test]
async fn a_step_that_failed_is_tried_again_and_one_that_did_not_is_not() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let tool = Tool::new("t", move |ctx: Context| {
        let runs = Arc::clone(&counted);
        async move {
            let tried = ctx
                .try_step("work", || async {
                    if runs.fetch_add(1, SeqCst) == 0 { Err("no luck") } else { Ok(5) }
                })
                .await;
            ask(&ctx, "a").await?;
            ask(&ctx, "b").await?;
            tried
        }
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    assert!(asked.call("t", "{}", &person(&["a", "b"])).await.contains(r#""text":"5""#));
    assert_eq!(runs.load(SeqCst), 2);
}

fn both() -> Tool {
    Tool::new("t", |ctx: Context| async move {
        let (a, b) = tokio::join!(ask(&ctx, "a"), ask(&ctx, "b"));
        Ok::<_, ToolError>(a? + &b?)
    })
}

#[tokio::test]
async fn questions_asked_at_once_leave_in_one_round() {
    let mut asked = Asked::connect(server(both()), MODERN).await;
    let first = asked.tool("t").await;
    assert_eq!(keys(&first), ["a", "b"]);
    let last = asked.again("t", &json!({"b": accept("2"), "a": accept("1")}), &state(&first)).await;
    assert_eq!(text(&last), "12");
}

#[tokio::test]
async fn questions_asked_at_once_are_open_together_in_a_session() {
    let mut asked = Asked::connect(server(both()), "2025-11-25").await;
    let (a, b) = (asked.tool("t").await, asked.raw.line().await);
    assert!(a.contains("a?") && b.contains("b?"), "{a} {b}");
    asked.raw.send(&reply(&b, &accept("2"))).await;
    assert_eq!(text(&asked.reply(&a, &accept("1")).await), "12");
}

#[tokio::test]
async fn a_task_of_the_handler_can_ask() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            let mut tasks = JoinSet::new();
            for key in ["a", "b"] {
                let ctx = ctx.clone();
                tasks.spawn(async move { ask(&ctx, key).await });
            }
            let mut all: Vec<String> = tasks.join_all().await.into_iter().collect::<Result<_, _>>()?;
            all.sort();
            Ok::<_, ToolError>(all.concat())
        });
        let mut asked = Asked::connect(server(tool), era).await;
        assert_eq!(text(&asked.call("t", "{}", &person(&["a", "b"])).await), "AB", "{era}");
        assert_eq!(asked.seen.len(), 2, "{era}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_of_the_handler_can_ask_while_the_handler_only_waits_for_it() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            let mut tasks = JoinSet::new();
            tasks.spawn(async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                ask(&ctx, "a").await
            });
            tasks.join_all().await.remove(0)
        });
        let mut asked = Asked::connect(server(tool), era).await;
        assert_eq!(text(&asked.call("t", "{}", &person(&["a"])).await), "A", "{era}");
    }
}

#[tokio::test]
async fn a_step_does_not_take_an_answer_under_its_key_for_its_result() {
    let version = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&version);
    let tool = Tool::new("t", move |ctx: Context| {
        let version = now.load(SeqCst);
        async move {
            if version == 0 {
                return ask(&ctx, "it").await;
            }
            Ok(ctx.step("it", || async { Value::from("worked") }).await?.to_string())
        }
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    let first = asked.tool("t").await;
    version.store(1, SeqCst);
    let last = asked.again("t", &json!({"it": accept("x")}), &state(&first)).await;
    assert_eq!(text(&last), "\"worked\"");
}

#[tokio::test]
async fn a_task_that_asked_and_was_left_behind_ends_with_the_round() {
    for era in ERAS {
        let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let tool = Tool::new("t", move |ctx: Context| {
            let (told, left) = (told.clone(), ctx.clone());
            let mut tasks = JoinSet::new();
            tasks.spawn(async move {
                let error = ask(&left, "a").await.expect_err("nobody answers");
                told.send(error.code().to_owned()).expect("somebody listens");
            });
            tasks.detach_all();
            async move { ask(&ctx, "b").await }
        });
        let mut asked = Asked::connect(server(tool), era).await;
        if era == MODERN {
            asked.tool("t").await;
            assert_eq!(heard.recv().await.as_deref(), Some("call_over"));
        } else {
            let first = asked.tool("t").await;
            let second = asked.raw.line().await;
            let b = if first.contains("b?") { &first } else { &second };
            assert!(asked.reply(b, &accept("B")).await.contains("notifications/cancelled"));
            assert_eq!(text(&asked.raw.line().await), "B");
            assert_eq!(heard.recv().await.as_deref(), Some("no_answer"));
        }
    }
}

#[tokio::test]
async fn asks_the_user_the_model_and_the_client_in_one_round() {
    let tool = Tool::new("test_input_required_result_multiple_inputs", |ctx: Context| async move {
        let (name, greeting, roots) = tokio::join!(
            ctx.elicit::<String>("user_name", "What is your name?"),
            ctx.sample("greeting", CreateMessage::ask("Generate a greeting", 50)),
            ctx.list_roots("client_roots"),
        );
        let (name, greeting, roots) = (name?.accepted()?, greeting?, roots?);
        let said = greeting.content[0].as_text().unwrap_or_default().to_owned();
        Ok::<_, ToolError>(format!("{said}, {name}: {}", roots[0].uri))
    });
    let person = Person::new()
        .answers("What is your name?", &accept("Ada").to_string())
        .answers(
            "sampling/createMessage",
            r#"{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"m"}"#,
        )
        .answers("roots/list", r#"{"roots":[{"uri":"file:///tmp"}]}"#);
    for era in ERAS {
        let name = tool.name().to_owned();
        let mut asked = Asked::connect(server(tool.clone()), era).await;
        assert_eq!(text(&asked.call(&name, "{}", &person).await), "Hi, Ada: file:///tmp", "{era}");
        let mut seen: Vec<_> = asked.seen.iter().map(|(key, _)| key.as_str()).collect();
        seen.sort_unstable();
        if era == MODERN {
            assert_eq!(seen, ["client_roots", "greeting", "user_name"]);
        } else {
            assert_eq!(seen, ["elicitation/create", "roots/list", "sampling/createMessage"]);
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    page: u8,
}

#[tokio::test]
async fn prompts_and_resources_ask_too() {
    for era in ERAS {
        let server = Server::new("s")
            .prompt(Prompt::new("p", |ctx: Context| async move { ask(&ctx, "p").await }))
            .resource(Resource::new("a://r", "r", |ctx: Context| async move { ask(&ctx, "r").await }))
            .resource_template(ResourceTemplate::new(
                "b://{page}",
                "t",
                |it: Page, ctx: Context| async move {
                    Ok::<_, ToolError>(format!("{}{}", ask(&ctx, "t").await?, it.page))
                },
            ));
        let mut asked = Asked::connect(server, era).await;
        for (method, params, expected) in [
            ("prompts/get", r#"{"name":"p"}"#, r#""text":"P""#),
            ("resources/read", r#"{"uri":"a://r"}"#, r#""text":"R""#),
            ("resources/read", r#"{"uri":"b://7"}"#, r#""text":"T7""#),
        ] {
            let answer = asked.make(method, params, &person(&["p", "r", "t"])).await;
            assert!(answer.contains(expected), "{era}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_key_is_used_once_and_the_error_names_it() {
    for (era, step) in ERAS.into_iter().flat_map(|era| [(era, false), (era, true)]) {
        let tool = Tool::new("t", move |ctx: Context| async move {
            ask(&ctx, "twin").await?;
            if step { ctx.step("twin", || async { String::new() }).await } else { ask(&ctx, "twin").await }
        });
        let mut asked = Asked::connect(server(tool), era).await;
        let answer = asked.call("t", "{}", &person(&["twin"])).await;
        let expected = "expected each key once in a call, but found `twin` again\n\nhint: in a loop, write the number into the key";
        assert_eq!(text(&answer), expected, "{era}");
        assert!(answer.contains("repeated_key"), "{era}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_the_handler_gives_up_is_withdrawn_in_a_session() {
    for (era, selects) in [("2025-06-18", false), ("2025-11-25", true)] {
        let tool = Tool::new("t", move |ctx: Context| async move {
            let second = Duration::from_secs(1);
            if selects {
                tokio::select! { _ = ask(&ctx, "a") => {}, () = tokio::time::sleep(second) => {} }
            } else {
                tokio::time::timeout(second, ask(&ctx, "a")).await.expect_err("nobody answers");
            }
            tokio::time::sleep(9 * second).await;
            "went on"
        });
        let mut asked = Asked::connect(server(tool), era).await;
        let began = tokio::time::Instant::now();
        let question: Value = serde_json::from_str(&asked.tool("t").await).expect("JSON");
        let withdrawn: Value = serde_json::from_str(&asked.raw.line().await).expect("JSON");
        assert_eq!(withdrawn["method"], "notifications/cancelled");
        assert_eq!(withdrawn["params"]["requestId"], question["id"]);
        assert_eq!(began.elapsed().as_secs(), 1, "{era}: at once, not with the end of the call");
        assert_eq!(text(&asked.raw.line().await), "went on", "{era}");
    }
}

#[tokio::test]
async fn a_question_that_the_handler_gives_up_does_not_end_the_round() {
    let tool = Tool::new("t", |ctx: Context| async move {
        tokio::select! { biased; _ = ask(&ctx, "a") => {}, () = async {} => {} }
        tokio::task::yield_now().await;
        "went on"
    });
    let mut asked = Asked::connect(server(tool), MODERN).await;
    assert_eq!(text(&asked.tool("t").await), "went on");
}

#[tokio::test]
async fn a_step_whose_result_does_not_come_back_fails_instead_of_running_again() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            let number = ctx.step("s", || async { f64::NAN }).await?;
            Ok::<_, ToolError>(number.to_string())
        });
        let answer = Asked::connect(Server::new("s").tool(tool), era).await.tool("t").await;
        let expected = "expected the result of the step `s` to come back from JSON as it went, but found: ";
        assert!(text(&answer).starts_with(expected), "{era}: {answer}");
    }
}
