//! The tools, each in both eras and both profiles.

use plainwire_learning::Profile;
use serde_json::json;

use crate::site::{Answer, Site};
use crate::{everywhere, ids, text, value};

#[tokio::test]
async fn a_search_has_all_words_and_passes_all_filters() {
    everywhere(async |client, profile| {
        let result = client.call_tool("search_resources", json!({ "query": "rust async" })).await?;
        let found = value(&result);
        assert_eq!(found["kind"], "learningSearchResults:v1");
        assert!(ids(&found).contains(&"rust-async-book"), "{found}");
        assert_eq!(text(&result).contains("## Resources for"), profile == Profile::Gated);
        let filters = json!({
            "category": "distributed-systems", "type": "paper", "concept": "consensus", "difficulty": "intermediate",
            "max_difficulty": "advanced", "freshness": "evergreen", "official_only": true, "free_only": true,
        });
        let found = value(&client.call_tool("search_resources", &filters).await?);
        assert!(ids(&found).contains(&"raft-paper"), "{found}");
        for it in found["resources"].as_array().expect("resources") {
            assert_eq!((&it["type"], &it["official"]), (&json!("paper"), &json!(true)), "{it}");
            assert!(["intermediate", "advanced"].contains(&it["difficulty"].as_str().expect("a word")), "{it}");
        }
        let none = json!({ "query": "rust", "category": "java", "type": "course" });
        assert_eq!(value(&client.call_tool("search_resources", none).await?)["total"], 0);
        let all = value(&client.call_tool("search_resources", json!({ "free_only": true })).await?);
        assert_eq!((ids(&all).len(), all["total"].as_u64() > Some(100)), (25, true), "at most 25 are shown");
        let typo = value(&client.call_tool("search_resources", json!({ "query": "tokoi" })).await?);
        assert_eq!((&typo["didYouMean"], ids(&typo)[0]), (&json!("tokio"), "tokio-tutorial"));
        let free = value(&client.call_tool("search_resources", json!({ "query": "free effective java" })).await?);
        assert!(!ids(&free).contains(&"effective-java-3"), "a book that is sold: {free}");
        let sold = value(&client.call_tool("search_resources", json!({ "query": "effective java" })).await?);
        assert_eq!(ids(&sold).first(), Some(&"effective-java-3"));
        let nothing = client.call_tool("search_resources", json!({})).await?;
        assert_eq!(value(&nothing)["kind"], "needsInput:v1");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_question_is_answered_with_reasons_on_request() {
    everywhere(async |client, _| {
        let ask = async |arguments| {
            Ok::<_, plainwire::Error>(value(&client.call_tool("discover_resources", arguments).await?))
        };
        let found =
            ask(json!({ "query": "where do I start with Rust?", "explain": true, "limit": 3 })).await?;
        assert_eq!((&found["intent"], ids(&found)[0]), (&json!("exploratory"), "rust-book"));
        let first = &found["resources"][0];
        let points: f64 =
            first["why"].as_array().expect("reasons").iter().filter_map(|it| it["points"].as_f64()).sum();
        assert!((points - first["score"].as_f64().expect("a score")).abs() < 0.05, "{first}");
        assert_eq!(found["resources"].as_array().map(Vec::len), Some(3));
        let found = ask(json!({ "query": "rust", "mode": "specific", "min_difficulty": "expert" })).await?;
        assert_eq!((&found["intent"], &found["resources"][0]["why"]), (&json!("specific"), &json!(null)));
        assert!(
            found["resources"]
                .as_array()
                .expect("all")
                .iter()
                .all(|it| it["resource"]["difficulty"] == "expert")
        );
        let found =
            ask(json!({ "query": "testing", "domain": "security", "concept": "supply-chain" })).await?;
        let vault: Vec<_> = plainwire_learning::vault::built_in();
        for id in ids(&found) {
            let it = vault.iter().find(|it| it.id == id).expect("a resource of the program");
            assert!(it.concepts.iter().any(|it| it == "supply-chain"), "{id}");
        }
        let found = ask(json!({ "query": "I would like to learn cryptograhpy" })).await?;
        assert_eq!(found["didYouMean"], "i would like to learn cryptography".replacen('i', "I", 1));
        let nothing = ask(json!({ "query": "xyzzyplugh" })).await?;
        assert_eq!(nothing["total"], 0);
        assert!(nothing["suggestions"].as_array().is_some_and(|it| it.len() > 10), "{nothing}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_there_is_can_be_browsed() {
    everywhere(async |client, profile| {
        let all = value(&client.call_tool("list_categories", json!({})).await?);
        assert_eq!(all["total"].as_u64(), Some(plainwire_learning::vault::built_in().len() as u64));
        assert_eq!(all["domains"].as_object().map(serde_json::Map::len), Some(8));
        let rust = value(&client.call_tool("browse_vault", json!({ "category": "rust" })).await?);
        assert_eq!(rust["total"], all["categories"]["rust"]);
        let books = value(&client.call_tool("browse_vault", json!({ "type": "book" })).await?);
        assert_eq!(books["total"], all["types"]["book"]);
        let neither = value(&client.call_tool("browse_vault", json!({})).await?);
        assert_eq!(neither["kind"], "needsInput:v1");
        assert!(neither.to_string().contains("distributed-systems"), "{neither}");
        let one = client.call_tool("get_resource", json!({ "id": "raft-paper" })).await?;
        assert_eq!(value(&one)["resource"]["author"], "Diego Ongaro, John Ousterhout");
        assert_eq!(text(&one).contains("- Found in: "), profile == Profile::Gated);
        let typo = value(&client.call_tool("get_resource", json!({ "id": "raft-papr" })).await?);
        assert!(typo.to_string().contains("raft-paper"), "{typo}");
        let wrong = client.call_tool("browse_vault", json!({ "category": "cooking" })).await?;
        assert!(wrong.is_error && text(&wrong).contains("distributed-systems"), "{}", text(&wrong));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_page_is_read_in_short_and_whole() {
    let paragraph =
        "Threads that share data need locks, and locks need an order in which they are taken. ".repeat(20);
    let html = format!(
        "<!doctype html><html lang=en><head><title>Locks for beginners</title></head><body>
        <nav><a href=/>Menu</a></nav><article><h1>Locks</h1><p>{paragraph}</p><a href=/locks/2>Next</a></article></body></html>"
    );
    let site = Site::start(move |path| match path {
        "/locks" => Some(Answer::redirect("/locks/1")),
        "/locks/1" => Some(Answer::page("text/html; charset=utf-8", html.clone())),
        _ => None,
    })
    .await;
    everywhere(async |client, _| {
        let url = format!("{}/locks", site.url);
        let short = value(&client.call_tool("scrape_url", json!({ "url": url })).await?);
        assert_eq!(
            (&short["title"], &short["difficulty"]),
            (&json!("Locks for beginners"), &json!("beginner"))
        );
        assert_eq!((&short["url"], &short["readingMinutes"]), (&json!(format!("{url}/1")), &json!(2)));
        assert_eq!(short.get("knownAs"), None);
        let whole = value(&client.call_tool("read_url", json!({ "url": url })).await?);
        let text = whole["text"].as_str().expect("a text");
        assert!(text.matches("Threads that share data").count() == 20 && !text.contains("Menu"), "{text}");
        assert_eq!(whole["words"], short["words"]);
        let added =
            value(&client.call_tool("add_resource_from_url", json!({ "url": url, "tags": ["mine"] })).await?);
        let resource = &added["resource"];
        assert_eq!(
            (&resource["id"], &resource["tags"]),
            (&json!("locks-beginners"), &json!(["mine"])),
            "{added}"
        );
        assert_eq!(
            (&resource["concepts"], &resource["difficulty"]),
            (&json!(["locks", "threads"]), &json!("beginner"))
        );
        assert_eq!(added["subPages"][0]["title"], "Next");
        assert!(added["inferred"].as_array().expect("names").contains(&json!("title")), "{added}");
        let again = client.call_tool("add_resource_from_url", json!({ "url": url })).await?;
        assert!(
            again.is_error && value(&again)["code"] == "CONFLICT"
                || text_of(&again).contains("locks-beginners")
        );
        let short = value(&client.call_tool("scrape_url", json!({ "url": url })).await?);
        assert_eq!(short["knownAs"], "locks-beginners");
        Ok(())
    })
    .await;
    let robots = site.requests().iter().filter(|it| *it == "/robots.txt").count();
    assert_eq!(robots, 4, "each server asks a site once for its rules");
}

fn text_of(result: &plainwire::model::CallToolResult) -> String {
    text(result)
}

#[tokio::test]
async fn what_is_added_is_found_and_checked() {
    everywhere(async |client, _| {
        let mine = json!({
            "id": "zebra-notes", "title": "Notes on zebras", "url": "https://zebra.example/notes",
            "description": "How zebras sleep.", "type": "article", "tags": ["stripes"], "concepts": ["testing"],
        });
        let added = value(&client.call_tool("add_resource", &mine).await?);
        assert_eq!((&added["resource"]["categories"], &added["resource"]["difficulty"]), (&json!(["general"]), &json!("intermediate")));
        assert!(added["resource"]["addedAt"].as_str().is_some_and(|it| it.ends_with('Z')), "{added}");
        for query in ["zebras", "zebra stripes", "notes", "https://www.zebra.example/notes/"] {
            let found = value(&client.call_tool("discover_resources", json!({ "query": query })).await?);
            assert_eq!(ids(&found).first(), Some(&"zebra-notes"), "{query}");
        }
        let mut other = mine.clone();
        other["id"] = json!("other");
        let known = client.call_tool("add_resource", &other).await?;
        assert!(known.is_error && text(&known).contains("zebra-notes"), "{}", text(&known));
        for (member, wrong, says) in [
            ("id", json!("No Id"), "`id`: expected 1 to 60 of a-z, 0-9 and -"),
            ("url", json!("javascript:alert(1)"), "`url`: expected an address"),
            ("concepts", json!(["fun"]), "`concepts`: expected of agents"),
            ("category", json!("cooking"), "cooking"),
            ("type", json!("poem"), "documentation"),
            ("title", json!(""), "`title`: expected a text"),
        ] {
            let mut it = mine.clone();
            it[member] = wrong;
            let refused = client.call_tool("add_resource", &it).await?;
            assert!(refused.is_error && text(&refused).contains(says), "{member}: {}", text(&refused));
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn matches_are_exported_and_come_back() {
    everywhere(async |client, _| {
        let export = async |arguments| Ok::<_, plainwire::Error>(value(&client.call_tool("export_results", arguments).await?));
        let markdown = export(json!({ "query": "raft", "limit": 2 })).await?;
        assert_eq!((&markdown["mediaType"], &markdown["count"]), (&json!("text/markdown"), &json!(2)));
        assert!(markdown["text"].as_str().expect("text").contains("<https://raft.github.io/>"), "{markdown}");
        let html = export(json!({ "query": "raft <b>", "format": "html", "limit": 1 })).await?;
        assert!(html["text"].as_str().expect("text").contains("<h1>raft &lt;b&gt;</h1>"), "{html}");
        let mine = json!({
            "id": "mine", "title": "Mine", "url": "https://mine.example/", "description": "Mine.", "type": "tool",
        });
        client.call_tool("add_resource", &mine).await?;
        let whole = export(json!({ "query": "*", "format": "json" })).await?;
        let all = plainwire_learning::vault::built_in().len() + 1;
        assert_eq!(whole["count"], all);
        let again = json!({ "text": whole["text"] });
        let report = value(&client.call_tool("import_resources", &again).await?);
        assert_eq!((&report["added"], &report["known"]), (&json!(0), &json!(all)), "{report}");
        Ok(())
    })
    .await;
}
