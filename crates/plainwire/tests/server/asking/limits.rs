//! Limits of questions: their number, the size of the request state, and the time for answers.

use std::time::Duration;

use plainwire::prelude::*;
use serde_json::Value;
use tokio::time::Instant;

use super::support::{Asked, ERAS, Person, accept, keys, state, text};
use crate::raw_client::MODERN;

const SECOND: Duration = Duration::from_secs(1);

fn endless() -> Tool {
    Tool::new("t", |ctx: Context| async move {
        for i in 0..10_000 {
            ctx.elicit::<String>(format!("q-{i}"), "?").await?.accepted()?;
        }
        Ok::<_, ToolError>("all of them")
    })
}

#[tokio::test]
async fn a_call_that_never_stops_asking_ends_at_the_limit() {
    for (era, max) in ERAS.into_iter().flat_map(|era| [(era, 256), (era, 3), (era, 0)]) {
        let mut server = Server::new("s").tool(endless());
        if max != 256 {
            server = server.max_questions(max);
        }
        let mut asked = Asked::connect(server, era).await;
        let person = Person::new().answers("?", &accept("y").to_string());
        let answer = asked.call("t", "{}", &person).await;
        let expected = format!(
            "expected at most {max} questions and steps in one call (limit `questions`), but found one more, `q-{max}`"
        );
        assert_eq!(text(&answer), expected, "{era}");
        assert_eq!(asked.seen.len(), max, "{era}");
    }
}

#[tokio::test]
async fn steps_count_as_well() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            for i in 0..3 {
                ctx.step(format!("s-{i}"), || async {}).await?;
            }
            Ok::<_, ToolError>(())
        });
        let answer = Asked::connect(Server::new("s").max_questions(2).tool(tool), era).await.tool("t").await;
        assert!(text(&answer).contains("(limit `questions`), but found one more, `s-2`"), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_answers_is_withdrawn_in_time() {
    for era in ["2025-06-18", "2025-11-25"] {
        let tool =
            Tool::new("t", |ctx: Context| async move { ctx.elicit::<String>("q", "?").await?.accepted() });
        let mut asked = Asked::connect(Server::new("s").ask_timeout(20 * SECOND).tool(tool), era).await;
        let began = Instant::now();
        let question: Value = serde_json::from_str(&asked.tool("t").await).expect("JSON");
        let withdrawn: Value = serde_json::from_str(&asked.raw.line().await).expect("JSON");
        assert_eq!(withdrawn["method"], "notifications/cancelled");
        assert_eq!(withdrawn["params"]["requestId"], question["id"]);
        let answer = asked.raw.line().await;
        assert!(answer.contains(r#""code":"no_answer""#), "{era}: {answer}");
        assert!(answer.contains("but found: none within `ask_timeout`"), "{era}: {answer}");
        assert_eq!(began.elapsed().as_secs(), 20);
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_does_not_pass_while_it_waits_for_an_answer() {
    // The handler works for 3 s, waits 20 s for the answer, and works for another 3 s or 8 s. The limit for
    // its work is 10 s.
    for (more, ends) in [(3, "done"), (8, "expected the tool `t` to end within 10s, but it did not")] {
        let tool = Tool::new("t", move |ctx: Context| async move {
            tokio::time::sleep(3 * SECOND).await;
            ctx.elicit::<String>("q", "?").await?.accepted()?;
            tokio::time::sleep(more * SECOND).await;
            Ok::<_, ToolError>("done")
        });
        let server = Server::new("s").tool(tool.timeout(10 * SECOND));
        let mut asked = Asked::connect(server, "2025-11-25").await;
        let began = Instant::now();
        let question = asked.tool("t").await;
        tokio::time::sleep(20 * SECOND).await;
        assert_eq!(text(&asked.reply(&question, &accept("y")).await), ends);
        assert_eq!(began.elapsed().as_secs(), if more == 3 { 26 } else { 30 });
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_is_that_of_each_round() {
    let tool = Tool::new("t", |ctx: Context| async move {
        tokio::time::sleep(6 * SECOND).await;
        ctx.elicit::<String>("q", "?").await?.accepted()
    });
    let mut asked = Asked::connect(Server::new("s").timeout(10 * SECOND).tool(tool), MODERN).await;
    let person = Person::new().answers("?", &accept("y").to_string());
    assert_eq!(text(&asked.call("t", "{}", &person).await), "y");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_passes_in_a_step() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            ctx.step("s", || tokio::time::sleep(60 * SECOND)).await?;
            ctx.elicit::<String>("q", "?").await?.accepted()
        });
        let began = Instant::now();
        let server = Server::new("s").timeout(10 * SECOND).tool(tool);
        let answer = Asked::connect(server, era).await.tool("t").await;
        assert!(text(&answer).contains("to end within 10s"), "{era}: {answer}");
        assert_eq!(began.elapsed().as_secs(), 10);
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_waits_for_a_step_that_runs_beside_the_question() {
    let tool = Tool::new("t", |ctx: Context| async move {
        let step = ctx.step("s", || async {
            tokio::time::sleep(5 * SECOND).await;
            7
        });
        let (answer, step) = tokio::join!(ctx.elicit::<String>("q", "?"), step);
        Ok::<_, ToolError>(format!("{}{}", answer?.accepted()?, step?))
    });
    let mut asked = Asked::connect(Server::new("s").tool(tool), MODERN).await;
    let began = Instant::now();
    let first = asked.tool("t").await;
    assert_eq!((keys(&first), began.elapsed().as_secs()), (vec!["q".to_owned()], 5));
    let last = asked.again("t", &serde_json::json!({"q": accept("y")}), &state(&first)).await;
    assert_eq!((text(&last).as_str(), began.elapsed().as_secs()), ("y7", 5), "the step does not run again");
}

/// A handler asks a question inside a step: this must be an error. A round ends only when its steps have
/// ended, and the question would end the round, so the step would wait for itself.
#[tokio::test(start_paused = true)]
async fn a_question_inside_a_step_is_an_error_in_every_era() {
    for era in ERAS {
        let tool = Tool::new("t", |ctx: Context| async move {
            ctx.try_step("s", || async { ctx.elicit::<String>("q", "?").await?.accepted() }).await
        });
        let answer = Asked::connect(Server::new("s").tool(tool), era).await.tool("t").await;
        assert_eq!(
            text(&answer),
            "expected to ask `q` outside of steps, but found it inside of one",
            "{era}"
        );
    }
}

#[tokio::test]
async fn endless_lifetimes_are_no_mistake() {
    for era in ERAS {
        let tool =
            Tool::new("t", |ctx: Context| async move { ctx.elicit::<String>("q", "?").await?.accepted() });
        let server = Server::new("s").state_lifetime(Duration::MAX).tool(tool);
        let person = Person::new().answers("?", &accept("y").to_string());
        assert_eq!(text(&Asked::connect(server, era).await.call("t", "{}", &person).await), "y", "{era}");
    }
}

#[tokio::test]
async fn ten_thousand_answers_to_nothing_do_not_get_in_the_way_of_the_one_that_counts() {
    let tool = Tool::new("t", |ctx: Context| async move {
        let a: String = ctx.elicit("q-5000", "?").await?.accepted()?;
        let b: String = ctx.elicit("more", "?").await?.accepted()?;
        Ok::<_, ToolError>(a + &b)
    });
    let mut asked = Asked::connect(Server::new("s").tool(tool), MODERN).await;
    let first = asked.tool("t").await;
    // Of the 10,001 answers below, only the one with the key `q-5000` belongs to a question. Those with odd
    // numbers are malformed.
    let strange = |i: usize| if i.is_multiple_of(2) { accept("z") } else { Value::from(i) };
    let mut responses: serde_json::Map<_, _> = (0..=10_000).map(|i| (format!("q-{i}"), strange(i))).collect();
    responses.insert("q-5000".to_owned(), accept("y"));
    let second = asked.again("t", &Value::Object(responses), &state(&first)).await;
    assert_eq!(keys(&second), ["more"]);
    let kept = state(&second).to_string().len();
    assert!(kept < 1_000, "what nobody asked for is not kept: {kept} bytes");
    assert_eq!(
        text(&asked.again("t", &serde_json::json!({"more": accept("!")}), &state(&second)).await),
        "y!"
    );
}
