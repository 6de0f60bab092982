//! Edits of every rich text of the company, by the library and by the tools: one paragraph changes, and nothing else.

use plainwire_atlassian::jira::text::{Losses, Rich};
use plainwire_richtext::{Dialect, Format};
use plainwire_site::Deployment;
use plainwire_site::store::Store;
use serde_json::{Value, json};

use crate::support::{BOTH, World, call};

/// The bodies of all descriptions, comments and release notes.
fn bodies(store: &Store) -> Vec<(String, String)> {
    let sql = "SELECT i.key || ' ' || v.field_id, v.text FROM value v JOIN issue i ON i.id = v.issue_id
        WHERE v.field_id IN (SELECT id FROM field WHERE kind = 'rich')
        UNION ALL SELECT 'comment ' || id, body FROM comment ORDER BY 1";
    store.run(0, |work| work.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))).expect("SQL")
}

/// Returns the Markdown with one word of a plain paragraph changed, and the word.
fn with_another_word(markdown: &str) -> Option<(String, String)> {
    let is_plain = |line: &&str| {
        line.len() > 20
            && line.chars().next().is_some_and(char::is_alphabetic)
            && !line.contains(['|', '{', '`', '<', ':'])
    };
    let line = markdown.lines().rfind(is_plain)?;
    let is_word = |it: &&str| it.len() > 3 && it.bytes().all(|byte| byte.is_ascii_lowercase());
    // A word that is there once: its place is certain.
    let word = line.split(' ').filter(is_word).find(|it| markdown.matches(it).count() == 1)?;
    Some((markdown.replacen(word, "zzchangedzz", 1), word.to_owned()))
}

#[test]
fn one_changed_word_changes_nothing_else_in_any_body_of_the_company() {
    for deployment in BOTH {
        let (store, _) = Store::open(None, deployment).expect("a store");
        let day = "2026-11-27".parse().expect("a day");
        plainwire_site::seed::fill(&store, 1, day, &mut |_, _| {}).expect("a company");
        let format = match deployment {
            Deployment::Cloud => Format::Adf,
            Deployment::DataCenter => Format::Wiki(Dialect::Jira),
        };
        let (mut edited, mut without) = (0, 0);
        for (name, body) in bodies(&store) {
            let rich = Rich::of_raw(format, &body).expect("a body");
            let markdown = rich.markdown();
            // Unedited Markdown gives back each byte.
            assert_eq!(rich.edited(&markdown, Losses::Refuse).expect(&name).rich.raw(), body, "{name}");
            let Some((other, word)) = with_another_word(&markdown) else {
                without += 1;
                continue;
            };
            let after = rich
                .edited(&other, Losses::Refuse)
                .unwrap_or_else(|error| panic!("{name}: {}", error.message()));
            let after = after.rich.raw().to_owned();
            assert!(after.contains("zzchangedzz"), "{name}");
            assert_eq!(after.replacen("zzchangedzz", &word, 1), body, "{name}");
            if format == Format::Adf {
                assert!(serde_json::from_str::<Value>(&after).is_ok(), "{name}");
            }
            edited += 1;
        }
        println!("{deployment:?}: {edited} bodies edited, {without} without a plain word of their own");
        assert!(edited > 500, "{edited}");
    }
}

/// The stored description of each issue that the demo user may see.
fn descriptions(store: &Store) -> Vec<(String, String)> {
    let sql = "SELECT i.key, v.text FROM value v JOIN issue i ON i.id = v.issue_id
        WHERE v.field_id = 'description' AND i.key NOT GLOB 'SEC-*' AND i.key NOT GLOB 'HR-*' ORDER BY i.key";
    store.run(0, |work| work.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))).expect("SQL")
}

#[tokio::test]
async fn each_description_that_is_read_edited_and_written_by_the_tools_has_one_other_word() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let before = descriptions(&world.store);
        let mut words = Vec::new();
        for (key, _) in &before {
            let read = call(&client, "jira_get_issue", json!({ "issue_key": key, "comment_limit": 0 })).await;
            let markdown = read["fields"]["description"].as_str().unwrap_or_else(|| panic!("{key}: {read}"));
            let Some((markdown, word)) = with_another_word(markdown) else {
                words.push(None);
                continue;
            };
            let change = json!({
                "issue_key": key,
                "fields": { "description": markdown },
                "based_on": read["description_revision"],
            });
            call(&client, "jira_update_issue", change).await;
            words.push(Some(word));
        }
        for (((key, before), (same, after)), word) in
            before.iter().zip(&descriptions(&world.store)).zip(&words)
        {
            assert_eq!(key, same);
            let Some(word) = word else {
                assert_eq!(before, after, "{key}");
                continue;
            };
            assert!(after.contains("zzchangedzz"), "{key}");
            assert_eq!(after.replacen("zzchangedzz", word, 1), *before, "{key}");
        }
        let edited = words.iter().flatten().count();
        println!("{deployment:?}: {edited} of {} descriptions edited by the tools", before.len());
        assert!(edited > 250, "{edited}");
        world.assert_contract();
    }
}
