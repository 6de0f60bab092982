//! The service desk on a filled site: desk 1 of the project HELP, with an agent and a customer.

use serde_json::{Value as Json, json};

use crate::api::world::{World, on, on_both, texts};
use crate::call::Answer;
use crate::work::Deployment;

const NONE: &Json = &Json::Null;
const DESK: &str = "/rest/servicedeskapi/servicedesk/1";

fn request(world: &World<'_>, account: &str, more: &Json) -> Json {
    let mut body = json!({
        "serviceDeskId": "1", "requestTypeId": "1",
        "requestFieldValues": { "summary": "Where is the key?", "description": "The door is *closed*." },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    world.json(account, "POST", "/rest/servicedeskapi/request", &body)
}

fn named(world: &World<'_>, account: &str) -> String {
    let column = if world.work.is_cloud() { "account_id" } else { "name" };
    let sql = format!("SELECT p.{column} FROM person p JOIN token t ON t.person_id = p.id WHERE t.hash = ?1");
    let hash = crate::identity::hash(&format!("{account}-token"));
    world.work.one(&sql, [hash], |row| row.get(0)).expect("a search").expect("a person")
}

#[test]
fn a_service_desk_is_found_by_its_id_and_by_its_project() {
    on_both(|world| {
        for named in ["1", "projectKey:HELP", "projectId:10004", "help"] {
            let desk = world.get("demo", &format!("/rest/servicedeskapi/servicedesk/{named}"));
            assert_eq!((&desk["id"], &desk["projectKey"]), (&json!("1"), &json!("HELP")), "{named}");
        }
        let (status, message) = world.fault("demo", "GET", "/rest/servicedeskapi/servicedesk/2", NONE);
        assert_eq!(
            (status, message.as_str()),
            (404, "The Service Desk you are trying to view does not exist.")
        );
    });
}

#[test]
fn pages_lead_to_the_ones_beside_them() {
    on_both(|world| {
        let page = world.get("customer", &format!("{DESK}/requesttype?limit=2&start=2&searchQuery="));
        assert_eq!(
            (&page["size"], &page["start"], &page["isLastPage"]),
            (&json!(2), &json!(2), &json!(false))
        );
        let base = "http://site.test/rest/servicedeskapi";
        assert_eq!(page["_links"]["base"], base);
        assert_eq!(
            page["_links"]["next"],
            format!("{base}/servicedesk/1/requesttype?searchQuery=&start=4&limit=2")
        );
        assert_eq!(
            page["_links"]["prev"],
            format!("{base}/servicedesk/1/requesttype?searchQuery=&start=0&limit=2")
        );
        let last = world.get("customer", &format!("{DESK}/requesttype?start=4"));
        assert_eq!((&last["isLastPage"], last["_links"].get("next")), (&json!(true), None));
    });
}

#[test]
fn request_types_are_in_groups_and_have_forms() {
    on_both(|world| {
        let groups = world.get("customer", &format!("{DESK}/requesttypegroup"));
        assert_eq!(texts(&groups["values"], "/name"), ["General", "Problems", "Billing"]);
        let problems = world.get("customer", &format!("{DESK}/requesttype?groupId=2"));
        assert_eq!(texts(&problems["values"], "/name"), ["Report a problem", "Problem with a till"]);
        let form = world.get("customer", &format!("{DESK}/requesttype/5/field"));
        assert_eq!(
            (&form["canRaiseOnBehalfOf"], &form["requestTypeFields"][0]["required"]),
            (&json!(false), &json!(true))
        );
        let fields = form["requestTypeFields"].as_array().expect("fields");
        let platforms = fields.iter().find(|it| it["fieldId"] == "customfield_10031").expect("the platforms");
        assert_ne!(platforms["validValues"], json!([]));
        assert_eq!(platforms["jiraSchema"]["items"], "option");
        assert_eq!(world.fault("customer", "GET", &format!("{DESK}/requesttype/99"), NONE).0, 404);
    });
}

#[test]
fn queues_are_for_agents_and_count_their_issues() {
    on_both(|world| {
        let page = world.get("agent", &format!("{DESK}/queue?includeCount=true"));
        let open = &page["values"][0];
        assert_eq!(open["name"], "All open");
        let issues = world.get("agent", &format!("{DESK}/queue/1/issue?limit=1"));
        assert_eq!(issues["isLastPage"], open["issueCount"].as_u64().expect("a count") <= 1);
        assert!(issues["values"][0]["fields"]["summary"].is_string());
        assert_eq!(world.get("agent", &format!("{DESK}/queue/1")).get("issueCount"), None);
        assert_eq!(world.fault("customer", "GET", &format!("{DESK}/queue"), NONE).0, 403);
        assert_eq!(world.fault("agent", "GET", &format!("{DESK}/queue/77"), NONE).0, 404);
    });
}

#[test]
fn a_customer_makes_a_request_and_sees_it() {
    on_both(|world| {
        let made = request(world, "customer", NONE);
        assert_eq!(made["currentStatus"]["status"], "Waiting for support");
        assert_eq!((&made["serviceDeskId"], &made["requestTypeId"]), (&json!("1"), &json!("1")));
        assert_eq!(texts(&made["requestFieldValues"], "/label"), ["What is your question?", "Tell us more"]);
        assert_eq!(made["requestFieldValues"][1]["value"], "The door is *closed*.");
        let key = made["issueKey"].as_str().expect("a key");
        let seen = world.get(
            "customer",
            &format!("/rest/servicedeskapi/request/{key}?expand=status,participant,serviceDesk"),
        );
        assert_eq!(seen["reporter"]["displayName"], "Anne Whitlock");
        assert_eq!(seen["status"]["values"][0]["statusCategory"], "NEW");
        assert_eq!(seen["serviceDesk"]["projectKey"], "HELP");
        let own = world
            .get("customer", "/rest/servicedeskapi/request?requestStatus=OPEN_REQUESTS&searchTerm=the+key");
        assert_eq!(texts(&own["values"], "/issueKey"), [key]);
    });
}

#[test]
fn others_do_not_see_the_request_until_they_take_part() {
    on_both(|world| {
        let made = request(world, "demo", NONE);
        let at = format!("/rest/servicedeskapi/request/{}", made["issueKey"].as_str().expect("a key"));
        assert_eq!(world.fault("customer", "GET", &at, NONE).0, 404);
        let member = if world.work.is_cloud() { "accountIds" } else { "usernames" };
        let people = json!({ member: [named(world, "customer")] });
        let page = world.json("agent", "POST", &format!("{at}/participant"), &people);
        assert_eq!(texts(&page["values"], "/displayName"), ["Anne Whitlock"]);
        assert_eq!(world.get("customer", &at)["issueKey"], made["issueKey"]);
        let page = world.json("agent", "DELETE", &format!("{at}/participant"), &people);
        assert_eq!(page["size"], 0);
        assert_eq!(world.fault("customer", "GET", &at, NONE).0, 404);
    });
}

#[test]
fn a_form_that_is_not_filled_in_is_refused_with_the_names_that_customers_see() {
    on_both(|world| {
        let refused = |fields: Json| {
            let body = json!({ "serviceDeskId": 1, "requestTypeId": 1, "requestFieldValues": fields });
            world.fault("customer", "POST", "/rest/servicedeskapi/request", &body)
        };
        let (status, message) = refused(json!({ "summary": "  " }));
        assert_eq!(status, 400);
        assert!(message.starts_with("Your request could not be created."), "{message}");
        assert!(message.contains("summary") && message.contains("'Tell us more'"), "{message}");
        let (status, message) =
            refused(json!({ "summary": "a", "description": "b", "priority": { "id": "1" } }));
        assert!(status == 400 && message.contains("'priority'"), "{message}");
    });
}

#[test]
fn only_agents_raise_requests_for_others() {
    on_both(|world| {
        let customer = named(world, "customer");
        let made = request(
            world,
            "agent",
            &json!({ "raiseOnBehalfOf": customer, "requestParticipants": [named(world, "demo")] }),
        );
        assert_eq!(made["reporter"]["displayName"], "Anne Whitlock");
        let body = json!({
            "serviceDeskId": "1", "requestTypeId": "1", "raiseOnBehalfOf": customer,
            "requestFieldValues": { "summary": "a", "description": "b" },
        });
        assert_eq!(world.fault("customer", "POST", "/rest/servicedeskapi/request", &body).0, 403);
    });
}

#[test]
fn a_request_may_have_rich_text_as_a_document() {
    on(Deployment::Cloud, |world| {
        let paragraph = json!({ "type": "paragraph", "content": [{ "type": "text", "text": "Open it." }] });
        let document = json!({ "type": "doc", "version": 1, "content": [paragraph] });
        let fields = json!({ "summary": "Door", "description": document });
        let made = request(world, "customer", &json!({ "isAdfRequest": true, "requestFieldValues": fields }));
        assert_eq!(made["requestFieldValues"][1]["value"], "Open it.");
    });
}

#[test]
fn internal_comments_are_not_for_customers() {
    on_both(|world| {
        let made = request(world, "customer", NONE);
        let at =
            format!("/rest/servicedeskapi/request/{}/comment", made["issueKey"].as_str().expect("a key"));
        let add = |account: &str, body: &str, public: bool| {
            world.send(account, "POST", &at, &json!({ "body": body, "public": public }))
        };
        assert!(matches!(add("agent", "We look.", true), Ok(Answer::Json(201, _))));
        assert!(matches!(add("agent", "Who has it?", false), Ok(Answer::Json(201, _))));
        assert_eq!(add("customer", "Psst.", false).expect_err("an error").status, 403);
        assert_eq!(add("agent", " ", true).expect_err("an error").status, 400);
        assert_eq!(texts(&world.get("customer", &at)["values"], "/body"), ["We look."]);
        assert_eq!(texts(&world.get("agent", &at)["values"], "/public"), ["true", "false"]);
        assert_eq!(
            texts(&world.get("agent", &format!("{at}?public=false"))["values"], "/body"),
            ["Who has it?"]
        );
    });
}

#[test]
fn the_first_public_answer_ends_the_first_metric() {
    on_both(|world| {
        let made = request(world, "customer", NONE);
        let at = format!("/rest/servicedeskapi/request/{}", made["issueKey"].as_str().expect("a key"));
        let before = world.get("agent", &format!("{at}/sla"));
        assert_eq!(texts(&before["values"], "/name"), ["Time to first response", "Time to resolution"]);
        assert_eq!(before["values"][0]["ongoingCycle"]["breached"], false);
        assert_eq!(before["values"][0]["ongoingCycle"]["goalDuration"]["friendly"], "8h");
        world.json("agent", "POST", &format!("{at}/comment"), &json!({ "body": "Here." }));
        let after = world.get("agent", &format!("{at}/sla/1"));
        assert_eq!(after["completedCycles"][0]["elapsedTime"]["millis"], 0);
        assert_eq!(after.get("ongoingCycle"), None);
        assert_eq!(world.fault("customer", "GET", &format!("{at}/sla"), NONE).0, 403);
    });
}

#[test]
fn the_statuses_of_a_request_begin_with_the_current_one() {
    on_both(|world| {
        let sql = "SELECT i.key FROM issue i JOIN held h ON h.issue_id = i.id AND h.field_id = 'status'
            WHERE i.project_id = 10004 GROUP BY i.id HAVING count(*) > 2 LIMIT 1";
        let key: String = world.work.one(sql, [], |row| row.get(0)).expect("a search").expect("a request");
        let page = world.get("agent", &format!("/rest/servicedeskapi/request/{key}/status"));
        let whole = world.get("agent", &format!("/rest/servicedeskapi/request/{key}"));
        assert_eq!(page["values"][0], whole["currentStatus"]);
        let times: Vec<i64> = texts(&page["values"], "/statusDate/epochMillis")
            .iter()
            .map(|it| it.parse().expect("a time"))
            .collect();
        assert!(times.is_sorted_by(|a, b| a >= b));
    });
}
