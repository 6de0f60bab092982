//! One pattern, and skills: 7, 8, 12, 22.

use plainwire_patterns::Patterns;
use plainwire_patterns::library::Library;
use serde_json::{Value, json};

use crate::stub::Stub;
use crate::{CARD, count, in_eras, in_profiles, server, strings, texts, value};

#[tokio::test]
async fn t07_an_unknown_id_is_a_question_with_near_ids_that_exist() {
    let library = Library::embedded();
    in_profiles(async |client, _| {
        for (id, near) in [
            ("api-corz", Some("api-cors")),
            ("API-CORS", Some("api-cors")),
            ("cors-api", Some("api-cors")),
            ("qqqqqqqqqqqqqqqqqqqqqqq", None),
        ] {
            let asked = client.call_tool("get_pattern", json!({ "id": id })).await?;
            let needs = value(&asked);
            assert_eq!(
                (&needs["kind"], &needs["needsInput"]["fields"]),
                (&json!("needsInput:v1"), &json!(["id"]))
            );
            assert_eq!(
                needs["message"],
                format!("Pattern \"{id}\" not found. Please provide a valid pattern ID.")
            );
            let suggestions = strings(&needs["needsInput"]["suggestions"]["id"]);
            assert_eq!(suggestions.first().copied(), near, "{id}");
            assert!(suggestions.len() <= 5 && suggestions.iter().all(|it| library.get(it).is_some()));
            assert_eq!(needs.get("options").is_some(), near.is_some());
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t08_an_empty_id_is_a_question() {
    in_eras(server, async |client| {
        for arguments in [json!({}), json!({ "id": "" }), json!({ "id": "  " })] {
            let asked = client.call_tool("get_pattern", arguments).await?;
            assert_eq!(value(&asked)["needsInput"]["fields"], json!(["id"]));
            assert!(texts(&asked)[0].starts_with("## Pattern Not Found\n"));
        }
        let asked = client.call_tool("get_skill", json!({ "slug": "x" })).await?;
        assert_eq!(strings(&value(&asked)["needsInput"]["suggestions"]["slug"]).len(), 16);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t12_a_pattern_has_one_title_and_one_marker() {
    in_eras(server, async |client| {
        for pattern in Library::embedded().patterns().iter().step_by(7) {
            let found = client.call_tool("get_pattern", json!({ "id": pattern.id })).await?;
            let all = texts(&found).concat();
            let prose: String = outside_of_code(&all);
            let titles = prose.lines().filter(|it| it.starts_with("# ")).count();
            assert_eq!(
                (titles, count(&found, CARD), prose.matches("**API:**").count()),
                (1, 1, 1),
                "{}",
                pattern.id
            );
            let it = value(&found);
            assert_eq!((&it["kind"], &it["id"]), (&json!("patternDetails:v1"), &json!(pattern.id)));
            assert_eq!(
                it["sections"].as_array().map(Vec::len),
                Some(pattern.sections.len()),
                "every section"
            );
            assert!(pattern.related.iter().all(|id| all.contains(&**id)));
        }
        let thin = value(
            &client
                .call_tool("get_pattern", json!({ "id": "api-cors", "includeStructuredDetails": false }))
                .await?,
        );
        assert!(["sections", "examples", "tags", "useGuidance"].iter().all(|it| thin.get(it).is_none()));
        Ok(())
    })
    .await;
}

/// Returns the lines that are not in a fence.
fn outside_of_code(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut out = String::new();
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            None if ticks.len() >= 3 => fence = Some(ticks),
            Some(open) if ticks == open && line == ticks => fence = None,
            Some(_) => {}
            None => out.extend([line, "\n"]),
        }
    }
    out
}

#[tokio::test]
async fn t22_only_cards_without_an_example_fetch_one() {
    let summary = |id: &str, has_example: bool| {
        let mut it = json!({ "id": id, "title": id, "description": "About it.", "category": "streams", "difficulty": "beginner" });
        if has_example {
            it["examples"] = json!([{ "code": "let whole = 1" }]);
        }
        it
    };
    let stub = Stub::start(move |line, _| {
        let body = match line.strip_prefix("GET /api/patterns/") {
            Some(id) => json!({ "pattern": summary(id, true) }),
            None => json!({ "patterns": [summary("a", true), summary("b", false), summary("c", true), summary("d", false)] }),
        };
        Some((200, body.to_string()))
    })
    .await;
    let upstream = Some((stub.url.clone(), Some("k-1".to_owned())));
    let server = Patterns { upstream, ..Patterns::default() }.server().expect("a server");
    let client = plainwire::testing::client(server).await.expect("a client");
    let search =
        async |arguments: Value| client.call_tool("search_patterns", arguments).await.expect("a result");
    let json = search(json!({ "q": "x y", "format": "json" })).await;
    assert_eq!(value(&json)["patterns"].as_array().map(Vec::len), Some(4));
    assert_eq!(stub.requests(), ["GET /api/patterns?q=x+y&limit=100 key=k-1"]);
    let found = search(json!({ "q": "x y" })).await;
    assert_eq!(texts(&found).concat().matches("let whole = 1").count(), 3);
    assert_eq!(stub.requests()[1..], ["GET /api/patterns/b key=k-1"]);
}
