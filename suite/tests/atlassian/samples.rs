//! The samples of answers that Atlassian's documents have, read by the tools.
//!
//! A site that knows nothing else answers each request with the sample of its operation. The values that a reader needs have to be in the
//! answers of the tools. The document of Data Center has no samples of operations that the tools ask for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use plainwire::Client;
use plainwire::audit::Audit;
use plainwire_atlassian::rest::{Credentials, Deployment, Product, Secret, SiteSettings};
use plainwire_atlassian::{Atlassian, Choice};
use plainwire_suite::openapi::{Contract, Sample};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{tried, value};

/// A call, and the values of samples that its answer has to have.
struct Call {
    tool: &'static str,
    arguments: Value,
    /// Operations, each with JSON pointers into its sample.
    shown: Vec<(String, Vec<&'static str>)>,
}

/// A site of samples, and the operations that it was asked for.
struct Site {
    contract: Contract,
    asked: Mutex<BTreeMap<String, Sample>>,
}

/// Samples that do not fit their own schemas in a way that no reader can mend, and what they should have been around them.
const ONE_FOR_A_LIST: &str = "GET /rest/api/3/user/assignable/search";
const ONE_FOR_A_PAGE: &str = "GET /rest/agile/1.0/sprint/{sprintId}/issue";

/// Requests of the tools beside those whose answers they show: a sample that only decides what is asked next, or that answers a change whose result is
/// the change itself.
const NOT_SHOWN: [&str; 9] = [
    "GET /rest/api/3/bulk/queue/{taskId}",
    "GET /rest/api/3/field/{fieldId}/context",
    "GET /rest/api/3/issue/{issueIdOrKey}/changelog",
    "GET /rest/api/3/project/{projectIdOrKey}",
    "POST /rest/agile/1.0/sprint/{sprintId}",
    "POST /rest/api/3/bulk/issues/move",
    "PUT /rest/api/3/filter/{id}",
    "PUT /rest/api/3/issue/{issueIdOrKey}/comment/{id}",
    "PUT /rest/api/3/version/{id}",
];

async fn answer(State(site): State<Arc<Site>>, method: Method, uri: Uri, _: Bytes) -> Response {
    let Some(mut sample) = site.contract.sample(method.as_str(), uri.path()) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let response = match &mut sample.answer {
        Some((status, value)) => {
            *value = corrected(&sample.operation, value.take());
            let status = StatusCode::from_u16(*status).expect("a status");
            (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
        }
        None if method == Method::GET => StatusCode::NOT_FOUND.into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    };
    site.asked.lock().expect("no panic").insert(sample.operation.clone(), sample);
    response
}

/// Returns a sample as the only page of its list, and with what it lacks to be an answer of this site.
fn corrected(operation: &str, mut sample: Value) -> Value {
    sample = match operation {
        ONE_FOR_A_LIST => json!([sample]),
        ONE_FOR_A_PAGE => json!({ "issues": [sample] }),
        "GET /rest/api/3/field" => with_more_fields(&sample),
        "GET /rest/api/3/issue/{issueIdOrKey}" => {
            sample["fields"]["created"] = json!("2020-11-30T08:15:00.000+0000");
            sample["fields"]["issuetype"] = json!({ "id": "1", "name": "Bug" });
            sample
        }
        _ => sample,
    };
    if let Some(members) = sample.as_object_mut() {
        for name in ["nextPage", "nextPageToken", "total"] {
            members.remove(name);
        }
        for (name, first) in [("startAt", json!(0)), ("isLast", json!(true))] {
            members.entry(name).and_modify(|it| *it = first);
        }
        let lists = ["values", "comments", "worklogs", "issues", "dashboards", "issueTypes", "fields"];
        let size = lists.iter().find_map(|it| members.get(*it)?.as_array()).map(Vec::len);
        if let Some(size) = size {
            members.insert("total".to_owned(), json!(size));
        }
    }
    sample
}

/// Returns the sample of all fields with those that issues of this site have: a site lists each of them.
fn with_more_fields(sample: &Value) -> Value {
    let system = [
        ("attachment", "array"),
        ("assignee", "user"),
        ("created", "datetime"),
        ("issuelinks", "array"),
        ("issuetype", "issuetype"),
        ("labels", "array"),
        ("parent", "issuelink"),
        ("priority", "priority"),
        ("project", "project"),
        ("reporter", "user"),
        ("status", "status"),
        ("timetracking", "timetracking"),
        ("updated", "datetime"),
        ("versions", "array"),
    ];
    let system = system.map(|(id, kind)| {
        json!({ "id": id, "name": id, "custom": false, "schema": { "type": kind, "system": id } })
    });
    let custom = [
        ("customfield_10001", "City", "com.atlassian.jira.plugin.system.customfieldtypes:select"),
        ("customfield_10020", "Sprint", "com.pyxis.greenhopper.jira:gh-sprint"),
    ];
    let custom = custom.map(|(id, name, kind)| {
        let number: u64 = id.trim_start_matches("customfield_").parse().expect("a number");
        json!({ "id": id, "name": name, "custom": true, "schema": { "type": "option", "custom": kind, "customId": number } })
    });
    sample.as_array().expect("a list").iter().cloned().chain(system).chain(custom).collect()
}

/// Tools of operations that no document describes, and atlassian_undo, which asks what the change says that it undoes.
const WITHOUT_SAMPLES: [&str; 12] = [
    "atlassian_undo",
    "jira_create_customer_request",
    "jira_get_issue_development_info",
    "jira_get_issue_proforma_forms",
    "jira_get_issues_development_info",
    "jira_get_proforma_form_details",
    "jira_get_queue_issues",
    "jira_get_request_type_fields",
    "jira_get_request_types",
    "jira_get_service_desk_for_project",
    "jira_get_service_desk_queues",
    "jira_update_proforma_form_answers",
];

/// Returns each call. In the file, operations and pointers are below the call that shows them.
fn calls() -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for line in include_str!("samples.txt").lines() {
        if let Some((tool, arguments)) = line.split_once(" {").filter(|_| !line.starts_with(' ')) {
            let arguments = serde_json::from_str(&format!("{{{arguments}")).expect("JSON");
            calls.push(Call { tool, arguments, shown: Vec::new() });
            continue;
        }
        let shown = &mut calls.last_mut().expect("a call").shown;
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_some_and(|it| !it.starts_with('/')) {
            let operation = [words.next().expect("a method"), words.next().expect("a path")].join(" ");
            shown.push((operation, Vec::new()));
        }
        shown.last_mut().expect("an operation").1.extend(words);
    }
    calls
}

impl Site {
    async fn serve() -> Option<(Arc<Self>, Client)> {
        let contract = Contract::jira_cloud()?;
        let site = Arc::new(Self { contract, asked: Mutex::default() });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let app = Router::new().fallback(answer).with_state(Arc::clone(&site));
        tokio::spawn(async move { axum::serve(listener, app).await });
        let mut settings = SiteSettings::new(Product::Jira, url.parse().expect("a URL"));
        settings.deployment = Some(Deployment::Cloud);
        settings.credentials =
            Credentials::Basic { user: "mia@example.com".to_owned(), secret: Secret::new("secret") };
        let choice = Choice { toolsets: vec!["all".to_owned()], ..Choice::default() };
        let server = Atlassian { choice, audit: Audit::off(), ..Atlassian::new(settings) };
        let client = plainwire::testing::client(server.server().expect("a server")).await.expect("a client");
        Some((site, client))
    }
}

/// Returns each text and number of a value, as text.
fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().flat_map(leaves).collect(),
        Value::Object(all) => {
            all.iter().flat_map(|(name, it)| [vec![name.clone()], leaves(it)].concat()).collect()
        }
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// Returns whether an answer has a value of a sample: a time to the minute, a sentence as a part of a text, and others as they are.
fn has(answer: &[String], wanted: &Value) -> bool {
    let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), ToOwned::to_owned);
    let is_time = wanted.len() > 20 && wanted.get(10..11) == Some("T") && wanted.get(13..14) == Some(":");
    answer.iter().any(|it| match is_time {
        true => it.starts_with(&wanted[..16]),
        false => *it == wanted || (wanted.contains(' ') && it.contains(&wanted)),
    })
}

/// Returns the pointers into samples whose values an answer lacks.
fn lacking(site: &Site, answer: &Value, shown: &[(String, Vec<&str>)]) -> Vec<String> {
    let (asked, answer) = (site.asked.lock().expect("no panic"), leaves(answer));
    let mut lacking = Vec::new();
    for (operation, pointers) in shown {
        let Some((_, sample)) = asked.get(operation).and_then(|it| it.answer.as_ref()) else {
            lacking.push(format!("no request of {operation}, but of {:?}", asked.keys().collect::<Vec<_>>()));
            continue;
        };
        for pointer in pointers {
            let wanted = sample.pointer(pointer).unwrap_or_else(|| panic!("{operation} has no {pointer}"));
            if !has(&answer, wanted) {
                lacking.push(format!("{operation} {pointer}: {wanted}"));
            }
        }
    }
    lacking
}

#[tokio::test]
async fn the_tools_read_the_samples_of_the_documents() {
    let Some((site, client)) = Site::serve().await else { return };
    let (mut problems, mut read, mut asked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for Call { tool, arguments, shown } in calls() {
        site.asked.lock().expect("no panic").clear();
        let result = tried(&client, tool, arguments.clone()).await;
        let text: String = result.content.iter().filter_map(|it| it.as_text()).collect();
        if result.is_error {
            problems.push(format!("{tool} {arguments}: {text}"));
        }
        for it in lacking(&site, &value(&result), &shown) {
            problems.push(format!("{tool} {arguments}: {it}, but the answer is {text}"));
        }
        read.extend(shown.into_iter().map(|(operation, _)| operation));
        let samples = site.asked.lock().expect("no panic");
        asked.extend(samples.values().filter(|it| it.answer.is_some()).map(|it| it.operation.clone()));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let known: BTreeSet<String> = NOT_SHOWN.iter().map(|it| (*it).to_owned()).chain(read.clone()).collect();
    assert_eq!(asked, known, "each sample that was asked for is read, or is not shown for a reason");
    println!("the samples of {} operations are shown by {} calls", read.len(), calls().len());
}

#[tokio::test]
async fn each_tool_whose_operations_have_samples_reads_them() {
    let Some((_, client)) = Site::serve().await else { return };
    let called: BTreeSet<String> = calls().iter().map(|it| it.tool.to_owned()).collect();
    let listed = client.list_tools().await.expect("the tools");
    let listed: BTreeSet<String> = listed.iter().map(|it| it.name.to_string()).collect();
    let left_out: Vec<_> = listed.difference(&called).collect();
    assert_eq!(left_out, WITHOUT_SAMPLES);
}
