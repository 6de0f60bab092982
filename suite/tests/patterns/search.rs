//! Searches: 1 to 6, 9 to 11, 13 to 18, 20, 21, 29, 30.

use plainwire::kind::{self, Kinds as _};
use plainwire::model::{Content, Role};
use plainwire_patterns::kinds::SearchResults;
use plainwire_patterns::library::Library;
use plainwire_patterns::{Patterns, Profile};
use serde_json::{Value, json};

use crate::stub::Stub;
use crate::{CARD, INDEX, count, in_eras, in_profiles, local, payloads, server, strings, texts, value};

#[tokio::test]
async fn t01_a_search_is_markdown_without_json_by_default() {
    in_eras(server, async |client| {
        let found = client.call_tool("search_patterns", json!({ "q": "cron" })).await?;
        assert!(texts(&found)[0].starts_with("## Pattern Search for \"cron\""));
        assert_eq!(payloads(&found), [] as [Value; 0]);
        assert_eq!(value(&found)["query"]["format"], "markdown");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t02_the_json_of_a_search_is_valid_under_its_published_schema() {
    in_profiles(async |client, profile| {
        let tools = client.list_tools().await?;
        let tool = tools.iter().find(|it| it.name == "search_patterns").expect("the tool");
        let schema: Value =
            serde_json::from_str(tool.output_schema.as_ref().expect("a schema").get()).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        for (q, expected) in [("cron", 1), ("zzzz", 0)] {
            let arguments = match profile {
                Profile::Gated => json!({ "q": q, "format": "json" }),
                Profile::Data => json!({ "q": q }),
            };
            let found = client.call_tool("search_patterns", arguments).await?;
            let [payload] = &payloads(&found)[..] else { panic!("one block of JSON: {:?}", texts(&found)) };
            assert_eq!(texts(&found).len(), 1);
            assert!(validator.is_valid(payload), "{payload}");
            assert_eq!((payload, &payload["metadata"]["totalCount"]), (&value(&found), &json!(expected)));
            assert_eq!(payload["query"], json!({ "q": q, "limit": 100, "format": "json" }));
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t03_both_is_markdown_first_and_json_last() {
    in_eras(server, async |client| {
        let found = client.call_tool("search_patterns", json!({ "q": "cron", "format": "both" })).await?;
        let (last, before) = found.content.split_last().expect("blocks");
        let payload: Value = serde_json::from_str(last.as_text().expect("a text")).expect("JSON");
        assert_eq!(payload, value(&found));
        assert!(before.len() > 1);
        assert!(before.iter().all(|it| serde_json::from_str::<Value>(it.as_text().unwrap_or("")).is_err()));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t04_a_search_without_words_asks_for_them() {
    in_profiles(async |client, _| {
        for q in [json!({}), json!({ "q": null }), json!({ "q": "" }), json!({ "q": " \n\t " })] {
            let asked = client.call_tool("search_patterns", q).await?;
            let needs = value(&asked);
            assert!(!asked.is_error);
            assert_eq!((&needs["kind"], &needs["type"]), (&json!("needsInput:v1"), &json!("elicitation")));
            assert_eq!(needs["message"], "What pattern are you looking for? Please provide a search query.");
            assert_eq!(needs["needsInput"]["fields"], json!(["q"]));
            assert_eq!(needs["needsInput"]["reason"], "Search query is required to find relevant patterns");
            assert_eq!(strings(&needs["needsInput"]["suggestions"]["q"]).len(), 4);
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t05_a_question_in_markdown_has_no_json() {
    in_eras(server, async |client| {
        let asked = client.call_tool("search_patterns", json!({ "q": "" })).await?;
        assert!(texts(&asked)[0].starts_with("## Search Query Needed\n\nWhat pattern are you looking for?"));
        assert_eq!((asked.content.len(), payloads(&asked).len()), (1, 0));
        let both = client.call_tool("search_patterns", json!({ "q": "", "format": "both" })).await?;
        assert_eq!(payloads(&both), [value(&both)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t06_more_than_twenty_matches_without_a_filter_are_a_question_whatever_the_limit() {
    in_profiles(async |client, _| {
        for limit in [1, 5, 100] {
            let asked =
                value(&client.call_tool("search_patterns", json!({ "q": "stream", "limit": limit })).await?);
            assert_eq!(asked["needsInput"]["fields"], json!(["category", "difficulty"]));
            let total: usize = asked["message"]
                .as_str()
                .unwrap_or("")
                .split(' ')
                .nth(1)
                .and_then(|it| it.parse().ok())
                .expect("a number");
            assert!(total > 20);
            // From the matches, the most frequent first.
            assert_eq!(strings(&asked["needsInput"]["suggestions"]["category"])[0], "streams");
            assert_eq!(strings(&asked["needsInput"]["suggestions"]["difficulty"]).len(), 3);
            let options = asked["options"].as_array().expect("options");
            assert_eq!(options[0], json!({ "label": "streams", "value": "streams", "description": "Filter by streams category", "field": "category" }));
            assert!(options.iter().all(|it| it["field"] == "category" || it["field"] == "difficulty"));
        }
        for filter in [json!({ "category": "streams" }), json!({ "difficulty": "beginner" })] {
            let mut arguments = json!({ "q": "stream" });
            arguments
                .as_object_mut()
                .expect("an object")
                .extend(filter.as_object().expect("an object").clone());
            let found = value(&client.call_tool("search_patterns", arguments).await?);
            assert_eq!(found["kind"], "patternSearchResults:v1");
            let total = found["metadata"]["totalCount"].as_u64().expect("a number");
            assert!(found["patterns"].as_array().is_some_and(|it| it.len() as u64 == total && total > 10));
        }
        let few = value(&client.call_tool("search_patterns", json!({ "q": "semaphore", "limit": 2 })).await?);
        assert_eq!((few["patterns"].as_array().map(Vec::len), &few["query"]["limit"]), (Some(2), &json!(2)));
        assert!(
            few["metadata"]["totalCount"].as_u64().is_some_and(|it| it > 2),
            "all matches before the limit"
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t09_counts_of_cards_are_those_of_the_text() {
    in_eras(server, async |client| {
        for (arguments, cards) in [
            (json!({ "q": "graceful shutdown" }), 3),
            (json!({ "q": "graceful shutdown", "limitCards": 10 }), 10),
            (json!({ "q": "graceful shutdown", "limitCards": 5, "limit": 2 }), 2),
            (json!({ "q": "cron" }), 1),
            (json!({ "q": "cron", "format": "both" }), 1),
            (json!({ "q": "graceful shutdown", "format": "json" }), 0),
        ] {
            let found = client.call_tool("search_patterns", arguments.clone()).await?;
            let it = value(&found);
            let metadata = &it["metadata"];
            assert_eq!(metadata["renderedCards"], cards, "{arguments}");
            assert_eq!(metadata["contractMarkers"]["cards"], cards);
            assert_eq!(count(&found, CARD), cards, "{arguments}");
            let first: Vec<&str> = it["patterns"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(|it| it["id"].as_str())
                .take(cards)
                .collect();
            assert_eq!(strings(&metadata["renderedCardIds"]), first, "{arguments}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t10_a_search_with_matches_has_one_index() {
    in_eras(server, async |client| {
        for (q, index) in [("cron", 1), ("graceful shutdown", 1), ("zzzz", 0)] {
            let found = client.call_tool("search_patterns", json!({ "q": q })).await?;
            assert_eq!(
                (count(&found, INDEX), &value(&found)["metadata"]["contractMarkers"]["index"]),
                (index, &json!(index)),
                "{q}"
            );
        }
        // Each marker stands between blank lines, and a card with its marker is one block.
        let found = client.call_tool("search_patterns", json!({ "q": "graceful shutdown" })).await?;
        for text in texts(&found).into_iter().filter(|it| it.contains("<!-- kind:")) {
            assert!(text.contains("\n\n") && text.starts_with("\n<!-- kind:"), "{text}");
            assert_eq!(text.matches("<!-- kind:").count(), 1);
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t11_one_card_if_one_is_wanted() {
    in_eras(server, async |client| {
        let found =
            client.call_tool("search_patterns", json!({ "q": "graceful shutdown", "limitCards": 1 })).await?;
        assert_eq!((count(&found, CARD), texts(&found).concat().matches("\n## ").count()), (1, 1));
        assert!(!texts(&found).contains(&"\n---\n"));
        let three = client.call_tool("search_patterns", json!({ "q": "graceful shutdown" })).await?;
        assert_eq!(texts(&three).into_iter().filter(|it| *it == "\n---\n").count(), 2);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t13_no_text_tells_of_tools_that_were_called() {
    let narration = ["tools called", "tool called", "checking the mcp server", "i will", "let me"];
    in_eras(server, async |client| {
        for arguments in
            [json!({ "q": "cron" }), json!({ "q": "" }), json!({ "q": "stream" }), json!({ "q": "zzzz" })]
        {
            let found = client.call_tool("search_patterns", arguments).await?;
            let prose: String =
                texts(&found).concat().split("```").step_by(2).collect::<String>().to_lowercase();
            assert!(narration.iter().all(|it| !prose.contains(it)), "{prose}");
        }
        for tool in client.list_tools().await? {
            let description = tool.description.unwrap_or_default();
            let commands = ["must", "always", "never", "critical", "important", "you "];
            assert!(commands.iter().all(|it| !description.to_lowercase().contains(it)), "{description}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t14_five_tools_in_production_and_six_in_development() {
    let five = ["search_patterns", "get_pattern", "list_skills", "get_skill", "list_analysis_rules"];
    in_eras(server, async |client| {
        let names: Vec<String> = client.list_tools().await?.into_iter().map(|it| it.name).collect();
        assert_eq!(names, five);
        Ok(())
    })
    .await;
    let development = || Patterns { environment: local(), ..Patterns::default() }.server().expect("a server");
    in_eras(development, async |client| {
        let names: Vec<String> = client.list_tools().await?.into_iter().map(|it| it.name).collect();
        assert_eq!((&names[..5], &*names[5]), (&five.map(str::to_owned)[..], "get_mcp_config"));
        let config = value(&client.call_tool("get_mcp_config", json!({})).await?);
        assert_eq!(config, json!({ "kind": "serverConfig:v1", "baseUrl": "", "mcpEnv": "local", "debug": false, "hasApiKey": false }));
        Ok(())
    })
    .await;
}

fn api_pattern(id: &str) -> Value {
    json!({
        "id": id, "title": format!("The {id}"), "description": "About it.", "category": "streams", "difficulty": "beginner",
        "examples": [{ "code": "import { Stream } from \"effect\"; Stream.make(1)" }]
    })
}

#[tokio::test]
async fn t15_the_second_of_two_equal_searches_asks_nobody() {
    let stub = Stub::start(|_, _| {
        Some((200, json!({ "patterns": [api_pattern("a"), api_pattern("b")] }).to_string()))
    })
    .await;
    let upstream = || Some((stub.url.clone(), None));
    let mut sent = 0;
    for era in ["first", "second"] {
        let server = Patterns { upstream: upstream(), ..Patterns::default() }.server().expect("a server");
        let client = plainwire::testing::client(server).await.expect("a client");
        let first = client
            .call_tool("search_patterns", json!({ "q": "x", "category": "streams" }))
            .await
            .expect("a result");
        // Another order of the arguments, and a default that is written out.
        let again = json!({ "category": "streams", "limit": 100, "q": "x", "format": "markdown" });
        let second = client.call_tool("search_patterns", again).await.expect("a result");
        assert_eq!((texts(&first), value(&first)), (texts(&second), value(&second)));
        sent += 1;
        assert_eq!(stub.requests().len(), sent, "{era}");
    }
}

#[tokio::test]
async fn t16_equal_searches_have_equal_bytes() {
    in_eras(server, async |client| {
        for q in ["retry with backoff", "semaphore", "graceful shutdown", "zzzz", ""] {
            let mut seen = Vec::new();
            for _ in 0..2 {
                let other = plainwire::testing::client(server()).await?;
                for client in [&client, &other] {
                    let found = client
                        .call_tool(
                            "search_patterns",
                            json!({ "q": q, "format": "both", "difficulty": "intermediate" }),
                        )
                        .await?;
                    seen.push(serde_json::to_string(&json!([texts(&found), value(&found)])).expect("JSON"));
                }
            }
            assert!(seen.windows(2).all(|it| it[0] == it[1]), "{q}");
        }
        Ok(())
    })
    .await;
}

/// Time is paused only after the answers of the API have come: a paused clock would end its time limit at once.
#[tokio::test]
async fn t17_errors_and_empty_results_are_not_kept() {
    let stub = Stub::start(|_, before| match before {
        0 => Some((500, "{}".to_owned())),
        1 => Some((200, json!({ "patterns": [] }).to_string())),
        _ => Some((200, json!({ "patterns": [api_pattern("a")] }).to_string())),
    })
    .await;
    let server = Patterns { upstream: Some((stub.url.clone(), None)), ..Patterns::default() }
        .server()
        .expect("a server");
    let client = plainwire::testing::client(server).await.expect("a client");
    let search = async || client.call_tool("search_patterns", json!({ "q": "x" })).await.expect("a result");
    assert!(search().await.is_error);
    assert_eq!(value(&search().await)["metadata"]["totalCount"], 0);
    assert_eq!(value(&search().await)["metadata"]["totalCount"], 1);
    assert_eq!(value(&search().await)["metadata"]["totalCount"], 1);
    assert_eq!(stub.requests().len(), 3, "the fourth is kept for five minutes");
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(299)).await;
    search().await;
    assert_eq!(stub.requests().len(), 3);
    tokio::time::advance(std::time::Duration::from_secs(2)).await;
    tokio::time::resume();
    search().await;
    assert_eq!(stub.requests().len(), 4);
}

#[tokio::test]
async fn t18_no_block_is_empty_and_nothing_is_undefined() {
    in_eras(server, async |client| {
        for (tool, arguments) in [
            ("search_patterns", json!({ "q": "graceful shutdown", "format": "both" })),
            ("search_patterns", json!({ "q": "zzzz", "format": "both" })),
            ("search_patterns", json!({ "q": "", "format": "both" })),
            ("get_pattern", json!({ "id": "api-cors", "format": "both" })),
            ("get_skill", json!({ "slug": "scheduling", "format": "both" })),
            ("list_skills", json!({ "q": "zzzz", "format": "both" })),
        ] {
            let found = client.call_tool(tool, arguments).await?;
            assert!(!found.content.is_empty());
            for text in texts(&found) {
                assert!(!text.trim().is_empty());
                let prose: String = text.split("```").step_by(2).collect();
                assert!(!prose.contains("undefined value") && !prose.contains("[object"), "{prose}");
            }
            let nulls = value(&found).to_string().contains(":null");
            assert!(!nulls, "what is absent is left out");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t20_a_reader_of_kinds_refuses_an_unknown_and_a_missing_one() {
    assert_eq!(SearchResults::kinds(), ["patternSearchResults:v1"]);
    in_eras(server, async |client| {
        let mut found = client.call_tool("search_patterns", json!({ "q": "cron", "format": "json" })).await?;
        assert_eq!(kind::payload::<SearchResults>(&found)?.metadata.total_count, 1);
        let details = client.call_tool("get_pattern", json!({ "id": "api-cors" })).await?;
        assert!(kind::payload::<SearchResults>(&details).is_err(), "another kind");
        // The block alone is enough, and its media type does not matter.
        found.structured_content = None;
        assert_eq!(kind::payload::<SearchResults>(&found)?.metadata.total_count, 1);
        found.content =
            vec![Content::text(texts(&found)[0].replacen("\"kind\":\"patternSearchResults:v1\",", "", 1))];
        assert!(kind::payload::<SearchResults>(&found).is_err(), "no kind");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t21_a_search_without_matches_shows_what_there_is() {
    in_eras(server, async |client| {
        let found = client.call_tool("search_patterns", json!({ "q": "zzzz" })).await?;
        let it = value(&found);
        assert_eq!(
            (&it["kind"], &it["metadata"]["totalCount"], &it["patterns"]),
            (&json!("patternSearchResults:v1"), &json!(0), &json!([]))
        );
        assert_eq!(it["metadata"]["contractMarkers"], json!({ "index": 0, "cards": 0, "version": "v1" }));
        assert_eq!(
            it["metadata"]["categories"].as_object().map(|it| it.values().all(|n| n == 0) && it.len() == 16),
            Some(true)
        );
        let library = Library::embedded();
        let suggestions = it["discovery"]["suggestions"].as_array().expect("suggestions");
        assert_eq!(suggestions.len(), 5);
        for suggestion in suggestions {
            let id = suggestion["id"].as_str().expect("an id");
            assert!(library.get(id).is_some());
            assert!(texts(&found).concat().contains(id));
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t29_priorities_are_at_most_1_and_a_card_names_at_most_6_functions() {
    in_eras(server, async |client| {
        let found = client
            .call_tool("search_patterns", json!({ "q": "semaphore", "includeProvenancePanel": true }))
            .await?;
        for block in &found.content {
            let Content::Text(text) = block else { panic!("only texts") };
            let annotations = text.annotations.as_ref().expect("annotations");
            assert!(annotations.priority.is_some_and(|it| (0.0..=1.0).contains(&it)));
            assert_eq!(annotations.audience, [Role::User]);
        }
        let mut names = 0;
        for card in value(&found)["cards"].as_array().expect("cards") {
            let apis = strings(&card["apis"]);
            let distinct: std::collections::BTreeSet<_> = apis.iter().collect();
            assert!(apis.len() <= 6 && distinct.len() == apis.len());
            assert!(apis.iter().all(|it| it.contains('.')));
            names += apis.len();
        }
        assert!(names >= 6, "real names");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn t30_provenance_only_if_it_is_asked_for() {
    in_eras(server, async |client| {
        for (tool, mut arguments) in
            [("search_patterns", json!({ "q": "cron" })), ("get_pattern", json!({ "id": "api-cors" }))]
        {
            let plain = client.call_tool(tool, arguments.clone()).await?;
            assert!(value(&plain).get("provenance").is_none());
            arguments["includeProvenancePanel"] = true.into();
            let mut times = Vec::new();
            for _ in 0..2 {
                let with = client.call_tool(tool, arguments.clone()).await?;
                let provenance = value(&with)["provenance"].clone();
                let time = provenance["timestamp"].as_str().expect("a time").to_owned();
                assert!(time.len() == 24 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
                assert_eq!(provenance["source"], "github.com/PaulJPhilp/EffectPatterns");
                assert!(texts(&with).concat().contains(&time));
                times.push(time);
                tokio::time::sleep(std::time::Duration::from_millis(3)).await;
            }
            assert_ne!(times[0], times[1], "no time of an earlier answer");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn arguments_beyond_their_bounds_are_refused_with_what_is_expected() {
    in_profiles(async |client, _| {
        for (arguments, expected) in [
            (json!({ "q": "x".repeat(10_240) }), "1000"),
            (json!({ "q": "cron", "limit": 0 }), "limit"),
            (json!({ "q": "cron", "limit": 1_000_000_000 }), "100"),
            (json!({ "q": "cron", "limitCards": 11 }), "10"),
            (json!({ "q": "cron", "category": "nonsense" }), "scheduling"),
            (json!({ "q": "cron", "difficulty": "easy" }), "beginner"),
            (json!({ "q": "cron", "colour": "red" }), "colour"),
        ] {
            let said = match client.call_tool("search_patterns", arguments.clone()).await {
                Ok(result) => {
                    assert!(result.is_error, "{arguments}");
                    texts(&result).concat()
                }
                Err(error) => error.to_string(),
            };
            assert!(said.contains(expected), "{arguments}: {said}");
        }
        // Signs of other languages are words or nothing.
        for q in ["title: a* OR (b", "\"cron", "cron' --", "cron; DROP TABLE words", "NEAR(cron, 2)"] {
            let found = client.call_tool("search_patterns", json!({ "q": q })).await?;
            assert!(!found.is_error, "{q}: {:?}", texts(&found));
        }
        Ok(())
    })
    .await;
}
