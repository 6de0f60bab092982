//! A tool that asks the user. One function serves both eras: legacy clients answer during the call, modern
//! clients repeat the call with the answers.

use plainwire::prelude::*;

/// What the user is asked for: each field is one of the form.
#[data]
struct Booking {
    /// Where to?
    city: String,
    /// How many nights?
    #[range(1..=30)]
    nights: u8,
}

/// Books a room after asking where and for how long, and returns the booking. Use it when somebody wants to travel.
#[tool(additive)]
async fn book(ctx: &Context) -> Result<String, ToolError> {
    let it: Booking = ctx.elicit("booking", "Which room?").await?.accepted()?;
    // Code before a question runs again after the answer, unless it is in a step.
    let price = ctx.step("price", || async { u32::from(it.nights) * 90 }).await?;
    let Confirm {} = ctx.elicit("sure", format!("{price} euro: book it?")).await?.accepted()?;
    Ok(format!("{} nights in {} for {price} euro", it.nights, it.city))
}

fn server() -> Server {
    plainwire::server!().tool(book)
}

#[tokio::main]
async fn main() -> Result<()> {
    server().stdio().await
}

#[tokio::test]
async fn books_in_each_era() -> Result<()> {
    use plainwire::model::{ElicitResult, Elicitation};
    let user = async |question: Elicitation| match question {
        Elicitation::Form { message, .. } if message == "Which room?" => {
            ElicitResult::accept(Booking { city: "Ghent".into(), nights: 2 })
        }
        _ => ElicitResult::accept(Confirm {}),
    };
    let client = plainwire::Client::builder().on_elicit(user);
    plainwire::testing::in_each_era(server, client, async |client| {
        let booked: String = client.call("book", json!({})).await?;
        assert_eq!(booked, "2 nights in Ghent for 180 euro");
        Ok(())
    })
    .await
}
