//! `#[argument(…)]`: a description and other attributes on one line.

use plainwire::prelude::*;
use serde_json::json;

use crate::{only_tool, schema, serve};

#[data]
struct Place {
    #[argument("The name of the city.", length = 1..=50)]
    city: String,
    #[argument(default = 3, range = 0..=9)]
    floor: u8,
}

/// Looks around.
#[tool(read_only)]
async fn look(
    #[argument("Where to look.")] place: Place,
    #[argument("How far, in metres.", default = 10, range = 1..=100)] far: u32,
    #[argument("The day.", format = "date")] day: Option<String>,
    id: Option<u32>,
) -> String {
    format!("{} {} {far} {day:?} {id:?}", place.city, place.floor)
}

#[tokio::test]
async fn each_part_of_the_line_means_what_its_own_attribute_means() {
    let tool = only_tool(plainwire::server!().tool(look)).await;
    let properties = &schema(&tool)["properties"];
    assert_eq!(properties["place"]["description"], "Where to look.");
    let expected = json!({ "description": "How far, in metres.", "type": "integer", "default": 10, "minimum": 1, "maximum": 100 });
    assert_eq!(properties["far"], expected);
    assert_eq!(
        (&properties["day"]["description"], &properties["day"]["format"]),
        (&json!("The day."), &json!("date"))
    );
    let client = serve(plainwire::server!().tool(look)).await;
    let found: String = client.call("look", json!({ "place": { "city": "Bonn" } })).await.expect("an answer");
    assert_eq!(found, "Bonn 3 10 None None");
    for (arguments, expected) in [
        (json!({ "place": { "city": "" } }), "expected `arguments.place.city` to have at least 1 character"),
        (
            json!({ "place": { "city": "Bonn", "floor": 10 } }),
            "expected `arguments.place.floor` to be at most 9",
        ),
        (
            json!({ "place": { "city": "Bonn" }, "id": 99_999_999_999_u64 }),
            "expected `arguments.id` to be 0 to 4294967295, but found 99999999999",
        ),
        (json!({ "place": { "city": "Bonn" }, "far": 0 }), "expected `arguments.far` to be at least 1"),
        (json!({ "place": { "city": "Bonn" }, "day": "May" }), "expected `arguments.day` to be a date"),
    ] {
        let result = client.call_tool("look", arguments).await.expect("a result");
        let text = result.content[0].as_text().expect("text");
        assert!(text.starts_with(expected), "{text}");
    }
}
