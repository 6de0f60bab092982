//! People.

use plainwire_site::Deployment;
use serde_json::json;

use crate::support::{BOTH, World, call, refused};

#[tokio::test]
async fn a_person_is_found_by_each_of_their_names() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let me = call(&client, "jira_whoami", json!({})).await;
        assert_eq!(me["person"]["name"], "Dana Moreau");
        assert!(me["site"].as_str().is_some_and(|it| it.starts_with(&world.url)), "{me}");
        assert_eq!(
            me["product"],
            if deployment == Deployment::Cloud { "Jira Cloud" } else { "Jira Data Center" }
        );
        let id = me["person"]["id"].as_str().expect("an id");
        for name in ["me", "Dana Moreau", "demo@plainwire.example", id] {
            let found = call(&client, "jira_get_user_profile", json!({ "user_identifier": name })).await;
            assert_eq!(found, me["person"], "{name}");
        }
        let text =
            refused(&client, "jira_get_user_profile", json!({ "user_identifier": "No Such Person" })).await;
        assert!(text.contains("there is no person"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn people_are_found_by_a_part_of_a_name_and_no_more_than_asked_for() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let all = call(&client, "jira_search_users", json!({ "query": "a" })).await;
        assert_eq!(all["is_cut"], all["people"].as_array().is_some_and(|it| it.len() == 20));
        let one = call(&client, "jira_search_users", json!({ "query": "a", "limit": 1 })).await;
        assert_eq!((one["people"].as_array().map(Vec::len), &one["is_cut"]), (Some(1), &json!(true)));
        for place in [json!({ "project_key": "SHOP" }), json!({ "issue_key": "SHOP-1" })] {
            let mut arguments = json!({ "query": "dana" });
            arguments
                .as_object_mut()
                .expect("an object")
                .extend(place.as_object().cloned().unwrap_or_default());
            let found = call(&client, "jira_search_assignable_users", arguments).await;
            assert_eq!(found["people"][0]["name"], "Dana Moreau", "{found}");
        }
        for arguments in
            [json!({ "query": "a" }), json!({ "query": "a", "project_key": "SHOP", "issue_key": "SHOP-1" })]
        {
            let text = refused(&client, "jira_search_assignable_users", arguments).await;
            assert!(text.contains("`project_key` and `issue_key`"), "{text}");
        }
        let text =
            refused(&client, "jira_search_assignable_users", json!({ "query": "a", "project_key": "NOPE" }))
                .await;
        assert!(text.contains("No project could be found"), "{text}");
        world.assert_contract();
    }
}
