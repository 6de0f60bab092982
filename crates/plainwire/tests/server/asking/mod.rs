//! Handlers that ask the client questions, most of them with clients of both eras.

mod cancel;
mod forms;
mod limits;
mod pages;
mod refusals;
mod roots;
mod rounds;
mod sampling;
mod state;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainwire::prelude::*;

use support::{Asked, ERAS, Person};

#[derive(Deserialize, JsonSchema)]
struct Trip {
    /// How many nights.
    nights: u8,
}

/// Returns a tool that asks for a city, books a ticket in a step, and asks for the number of nights. `booked`
/// counts the bookings, of which there must be one.
fn travel(booked: Arc<AtomicUsize>) -> Tool {
    Tool::new("travel", move |ctx: Context| {
        let booked = Arc::clone(&booked);
        async move {
            let city: String = ctx.elicit("city", "Where to?").await?.accepted()?;
            let ticket = ctx
                .step("book", || async {
                    tokio::task::yield_now().await;
                    booked.fetch_add(1, Ordering::SeqCst) + 1
                })
                .await?;
            let trip: Trip = ctx.elicit("trip", format!("How long in {city}?")).await?.accepted()?;
            Ok::<_, ToolError>(format!("ticket {ticket}: {} nights in {city}", trip.nights))
        }
    })
}

#[tokio::test]
async fn one_handler_asks_twice_and_books_once_in_every_era() {
    for era in ERAS {
        let booked = Arc::new(AtomicUsize::new(0));
        let person = Person::new()
            .answers("Where to?", r#"{"action":"accept","content":{"value":"Ghent"}}"#)
            .answers("How long in Ghent?", r#"{"action":"accept","content":{"nights":2}}"#);
        let mut asked = Asked::connect(Server::new("travel").tool(travel(Arc::clone(&booked))), era).await;
        let answer = asked.call("travel", "{}", &person).await;
        assert!(answer.contains("ticket 1: 2 nights in Ghent"), "{era}: {answer}");
        assert_eq!(booked.load(Ordering::SeqCst), 1, "{era}");
    }
}
