//! Types of the program as arguments and results: a struct, an enum with data, bounds and defaults.

use plainwire::prelude::*;

/// What the kitchen makes.
#[data]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Dish {
    Pizza {
        /// What lies on it.
        #[default(vec!["cheese".to_owned()])]
        #[length(1..=4)]
        toppings: Vec<String>,
    },
    Soup,
}

#[data]
struct Bill {
    /// What is on it, in words.
    text: String,
    /// In cents.
    total: u32,
}

/// Returns what a dish costs. Use it before anybody orders.
#[tool(read_only)]
async fn price(
    /// What is ordered.
    dish: Dish,
    /// How many plates.
    #[default(1)]
    #[range(1..=20)]
    plates: u32,
) -> Bill {
    let (text, each) = match dish {
        Dish::Pizza { toppings } => (format!("pizza with {}", toppings.join(" and ")), 900),
        Dish::Soup => ("soup".to_owned(), 600),
    };
    Bill { text: format!("{plates} x {text}"), total: plates * each }
}

#[tokio::main]
async fn main() -> Result<()> {
    plainwire::server!().tool(price).stdio().await
}

#[tokio::test]
async fn a_pizza_has_cheese_and_no_table_has_a_hundred_plates() -> Result<()> {
    let client = plainwire::testing::client(plainwire::server!().tool(price)).await?;
    let bill: Bill = client.call("price", json!({ "dish": { "kind": "pizza" }, "plates": 2 })).await?;
    assert_eq!((&*bill.text, bill.total), ("2 x pizza with cheese", 1800));
    let error = client.call::<Bill>("price", json!({ "dish": { "kind": "soup" }, "plates": 100 })).await;
    let text = error.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(text.ends_with("to be at most 20, but found 100; 20 would fit"), "{text}");
    Ok(())
}
