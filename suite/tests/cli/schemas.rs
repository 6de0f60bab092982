//! Tests of `plainwire schemas`: the kinds of a server, their schemas, and files of them.

use std::fs;

use serde_json::{Value, json};

use super::script::{Step, answer, modern, play};
use super::targets::folder;

/// Returns the steps of a server whose tools `find` and `get` return books. `title` is the type of a title in `get`.
fn library(title: &str) -> Vec<Step> {
    let book = |title: &str| {
        json!({
            "type": "object",
            "properties": { "kind": { "type": "string", "const": "bookDetails:v1" }, "title": { "type": title } },
            "required": ["kind", "title"]
        })
    };
    let none =
        json!({ "type": "object", "properties": { "kind": { "type": "string", "const": "noBook:v1" } } });
    let tool = |name: &str, schema: Value| json!({ "name": name, "inputSchema": { "type": "object" }, "outputSchema": schema });
    let found = json!({ "type": "object", "anyOf": [book("string"), none] });
    let tools = json!({ "tools": [tool("find", found), tool("get", book(title))], "ttlMs": 0, "cacheScope": "private" });
    let mut steps = modern(&json!({ "tools": {} }));
    steps.push(answer(2, &tools));
    steps
}

#[test]
fn lists_the_kinds_with_their_tools() {
    let ran = play(&["schemas"], library("string"), "");
    assert_eq!(
        (ran.code, &*ran.stdout, &*ran.stderr),
        (0, "bookDetails:v1  find, get\nnoBook:v1  find\n", "")
    );
    let mut steps = modern(&json!({ "tools": {} }));
    steps.push(answer(2, &json!({ "tools": [], "ttlMs": 0, "cacheScope": "private" })));
    let ran = play(&["schemas"], steps, "");
    let said = "the tools of the server return no values with a `kind`\n";
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (0, "", said));
}

#[test]
fn prints_and_writes_the_schemas() {
    let ran = play(&["schemas", "--json"], library("string"), "");
    let schemas: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(schemas["bookDetails:v1"]["properties"]["title"]["type"], "string");
    assert_eq!(schemas["noBook:v1"]["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let out = folder("schemas").join("new");
    let words = ["schemas", "--out", out.to_str().expect("UTF-8")];
    let ran = play(&words, library("string"), "");
    assert!(ran.code == 0 && ran.stdout.starts_with("wrote 2 schemas into "), "{ran:?}");
    let written = fs::read_to_string(out.join("bookDetails.v1.json")).expect("a file");
    assert_eq!(serde_json::from_str::<Value>(&written).expect("JSON"), schemas["bookDetails:v1"]);
    assert!(out.join("noBook.v1.json").exists());
}

#[test]
fn two_schemas_of_one_kind_are_an_error() {
    let ran = play(&["schemas"], library("number"), "");
    let said = "error: expected one schema for bookDetails:v1, but get has another one than find\n";
    assert_eq!(
        (ran.code, &*ran.stdout, &*ran.stderr),
        (1, "bookDetails:v1  find, get\nnoBook:v1  find\n", said)
    );
}
