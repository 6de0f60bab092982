//! Development of issues, and forms: what is beside the documented API of a site.

use plainwire_atlassian::Atlassian;
use plainwire_site::Deployment;
use serde_json::{Value, json};

use crate::support::{BOTH, World, call, keys, refused};

#[tokio::test]
async fn the_development_of_an_issue_is_read_from_the_tool_that_is_connected() {
    for deployment in BOTH {
        let world = World::new(deployment).await;
        let client = world.client().await;
        let done = "key LIKE 'SHOP-%' AND id % 3 <> 0 AND EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = 'resolutiondate')";
        let key = &keys(&world, done)[0];
        let found = call(&client, "jira_get_issue_development_info", json!({ "issue_key": key })).await;
        let issue = &found["issues"][0];
        assert_eq!(issue["pull_requests"][0]["status"], "MERGED", "{found}");
        assert_eq!(
            (issue["branches"].as_array().map(Vec::len), issue["commits"].as_array().map(Vec::len)),
            (Some(1), Some(2)),
            "{found}"
        );
        assert!(
            issue["commits"][0]["message"].as_str().is_some_and(|it| it.starts_with(key.as_str())),
            "{found}"
        );
        let application = if deployment == Deployment::Cloud { "github" } else { "stash" };
        let arguments = json!({ "issue_key": key, "application_type": application, "data_type": "branch" });
        let branches = call(&client, "jira_get_issue_development_info", arguments).await;
        assert_eq!(
            (&branches["issues"][0]["branches"][0], &branches["issues"][0]["commits"]),
            (&issue["branches"][0], &Value::Null)
        );
        let other = call(
            &client,
            "jira_get_issue_development_info",
            json!({ "issue_key": key, "application_type": "gitlab" }),
        )
        .await;
        assert_eq!(other["issues"][0], json!({ "key": key }));
        let some = call(
            &client,
            "jira_get_issues_development_info",
            json!({ "issue_keys": [key, "HELP-1", "SHOP-99999"] }),
        )
        .await;
        assert_eq!(some["issues"].as_array().map(Vec::len), Some(2), "{some}");
        assert_eq!(some["failed"][0]["key"], "SHOP-99999", "{some}");
        for (tool, arguments) in [
            ("jira_get_issue_development_info", json!({ "issue_key": "SHOP-99999" })),
            ("jira_get_issues_development_info", json!({ "issue_keys": "SHOP-99999" })),
        ] {
            let text = refused(&client, tool, arguments).await;
            assert!(text.contains("Issue does not exist"), "{text}");
        }
        world.assert_contract();
    }
}

#[tokio::test]
async fn a_form_is_answered_by_its_labels_and_tells_the_former_answers() {
    let world = World::new(Deployment::Cloud).await;
    let mut settings = world.settings();
    settings.gateway = world.url.parse().expect("a URL");
    let choice = plainwire_atlassian::Choice { toolsets: vec!["all".to_owned()], ..Default::default() };
    let server = Atlassian { choice, ..Atlassian::new(settings) };
    let client = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
    let incident = "key LIKE 'HELP-%' AND EXISTS (SELECT 1 FROM value v JOIN field f ON f.id = v.field_id WHERE v.issue_id = i.id AND f.name = 'Request Type' AND v.ref = 3)";
    let key = &keys(&world, incident)[0];
    let forms = call(&client, "jira_get_issue_proforma_forms", json!({ "issue_key": key })).await;
    let id = forms["forms"][0]["id"].clone();
    assert_eq!(
        (&forms["forms"][0]["name"], &forms["forms"][0]["submitted"]),
        (&json!("Report of an incident"), &json!(false))
    );
    let form = || async {
        call(&client, "jira_get_proforma_form_details", json!({ "issue_key": key, "form_id": id })).await
    };
    let before = form().await;
    assert_eq!(before["form"]["state"], "open");
    let answers = json!([
        { "questionId": "1", "type": "TEXT", "value": "No pictures." },
        { "questionId": "How bad was it?", "value": "partly down" },
        { "questionId": "3", "type": "DATE", "value": "2026-11-27T09:00:00Z" },
    ]);
    let arguments = json!({ "issue_key": key, "form_id": id, "answers": answers });
    let mut preview = arguments.clone();
    preview["preview"] = json!(true);
    call(&client, "jira_update_proforma_form_answers", preview).await;
    assert_eq!(form().await, before, "a preview writes nothing");
    let saved = call(&client, "jira_update_proforma_form_answers", arguments).await;
    assert!(saved["warnings"].to_string().contains("can't take this back"), "{saved}");
    let now = form().await;
    let shown: Vec<_> =
        now["form"]["questions"].as_array().into_iter().flatten().map(|it| it["answer"].clone()).collect();
    assert_eq!(shown, [json!("No pictures."), json!(["Partly down"]), json!("2026-11-27")]);
    let text = refused(
        &client,
        "jira_update_proforma_form_answers",
        json!({ "issue_key": key, "form_id": id, "answers": [{ "questionId": "2", "value": "Fine" }] }),
    )
    .await;
    assert!(text.contains("Slow, Partly down, Down"), "{text}");
    let text = refused(&client, "jira_update_proforma_form_answers", json!({ "issue_key": key, "form_id": id, "answers": [{ "questionId": "2", "type": "TEXT", "value": "Slow" }] })).await;
    assert!(text.contains("must have the member choices"), "{text}");
    for (tool, arguments) in [
        ("jira_get_proforma_form_details", json!({ "issue_key": key, "form_id": "0" })),
        ("jira_get_issue_proforma_forms", json!({ "issue_key": "HELP-99999" })),
    ] {
        let text = refused(&client, tool, arguments).await;
        assert!(text.contains("was not found") || text.contains("Issue does not exist"), "{text}");
    }
    world.assert_contract();
}
