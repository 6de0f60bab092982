//! Service desks: queues, request types, and requests of customers.

use serde_json::{Value, json};

use crate::support::{BOTH, World, call, keys, refused, stored, tried};

#[tokio::test]
async fn a_service_desk_is_read_from_its_project_to_the_issues_of_a_queue() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let desk = call(&client, "jira_get_service_desk_for_project", json!({ "project_key": "help" })).await;
        assert_eq!((&desk["service_desk_id"], &desk["project_key"]), (&json!("1"), &json!("HELP")));
        let text =
            refused(&client, "jira_get_service_desk_for_project", json!({ "project_key": "SHOP" })).await;
        assert!(text.contains("has no service desk"), "{text}");
        let queues = call(&client, "jira_get_service_desk_queues", json!({ "service_desk_id": "1" })).await;
        assert_eq!(queues["queues"].as_array().map(Vec::len), Some(5), "{queues}");
        let open = &queues["queues"][0];
        assert_eq!(open["name"], "All open");
        let (mut found, mut token) = (Vec::new(), Value::Null);
        loop {
            let arguments = json!({ "service_desk_id": "HELP", "queue_id": open["id"], "limit": 20, "page_token": token });
            let page = call(&client, "jira_get_queue_issues", arguments).await;
            found.extend(page["issues"].as_array().into_iter().flatten().map(|it| it["key"].to_string()));
            token = page["next_page_token"].clone();
            if token.is_null() {
                break;
            }
        }
        assert_eq!(Some(found.len() as u64), open["issues"].as_u64());
        let text =
            refused(&client, "jira_get_queue_issues", json!({ "service_desk_id": "1", "queue_id": "99" }))
                .await;
        assert!(text.contains("The queue you are trying to view does not exist"), "{text}");
        let text = refused(&client, "jira_get_service_desk_queues", json!({ "service_desk_id": "99" })).await;
        assert!(text.contains("The Service Desk you are trying to view does not exist"), "{text}");
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_customer_request_is_made_by_the_names_of_its_form_and_taken_back() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let types =
            call(&client, "jira_get_request_types", json!({ "service_desk_id": "1", "limit": 2 })).await;
        assert_eq!(
            (&types["request_types"][0]["name"], &types["next_page_token"]),
            (&json!("Ask a question"), &json!("2"))
        );
        let form = call(
            &client,
            "jira_get_request_type_fields",
            json!({ "service_desk_id": "1", "request_type_id": "5" }),
        )
        .await;
        let platforms = form["fields"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|it| it["name"] == "On what does it run?")
            .expect("a field");
        assert_eq!(platforms["required"], true);
        let platform = &platforms["values"][0];
        let count = keys(&world, "1").len();
        let values = json!({ "summary": "No light", "What happened?": "It went **dark**.\n\n- at once", "On what does it run?": [platform] });
        let arguments = json!({
            "service_desk_id": "1", "request_type_id": "5", "request_field_values": values.to_string(), "request_participants": "me",
        });
        let mut preview = arguments.clone();
        preview["preview"] = json!(true);
        call(&client, "jira_create_customer_request", preview).await;
        assert_eq!(keys(&world, "1").len(), count, "a preview writes nothing");
        let made = call(&client, "jira_create_customer_request", arguments).await;
        let key = made["key"].as_str().expect("a key").to_owned();
        assert!(key.starts_with("HELP-"), "{made}");
        let issue = call(
            &client,
            "jira_get_issue",
            json!({ "issue_key": key, "fields": ["summary", "description"] }),
        )
        .await;
        assert_eq!(
            issue["fields"]["description"].as_str().map(str::trim),
            Some("It went **dark**.\n\n- at once"),
            "{issue}"
        );
        assert!(stored(&world, &key, "description").is_some());
        call(&client, "atlassian_undo", json!({ "undo": made["undo"] })).await;
        assert_eq!(keys(&world, "1").len(), count);
        let text = refused(&client, "jira_create_customer_request", json!({ "service_desk_id": "1", "request_type_id": "5", "request_field_values": { "summary": "x" } })).await;
        assert!(text.contains("What happened?"), "{text}");
        let strange = json!({ "service_desk_id": "1", "request_type_id": "5", "request_field_values": { "colour": "x" } });
        let asked = tried(&client, "jira_create_customer_request", strange).await;
        let text: String = asked.content.iter().filter_map(|it| it.as_text()).collect();
        assert!(text.contains("has no field") && text.contains("On what does it run?"), "{text}");
        let text = refused(
            &client,
            "jira_get_request_type_fields",
            json!({ "service_desk_id": "1", "request_type_id": "77" }),
        )
        .await;
        assert!(text.contains("The request type you are trying to view does not exist"), "{text}");
        let text = refused(&client, "jira_get_request_types", json!({ "service_desk_id": "77" })).await;
        assert!(text.contains("The Service Desk you are trying to view does not exist"), "{text}");
        world.assert_contract();
    }
}
