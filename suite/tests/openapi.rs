//! Tests of the judge of HTTP exchanges: each rule with exchanges that keep it and break it, Atlassian's own
//! sample payloads, and mutants of a valid exchange.
//!
//! Without the documents of Atlassian, these tests do nothing and say so.

use std::sync::LazyLock;

use plainwire_suite::openapi::{Contract, Exchange, Verdict};
use serde_json::{Value, json};

static CLOUD: LazyLock<Option<Contract>> = LazyLock::new(Contract::jira_cloud);
static DATA_CENTER: LazyLock<Option<Contract>> = LazyLock::new(Contract::jira_datacenter);

/// Returns an exchange without bodies.
fn bare(method: &str, path_and_query: &str, status: u16) -> Exchange {
    let (method, path_and_query) = (method.to_owned(), path_and_query.to_owned());
    Exchange { method, path_and_query, status, ..Exchange::default() }
}

/// Returns an exchange whose response has a body.
fn get(path_and_query: &str, response: &Value) -> Exchange {
    answered(bare("GET", path_and_query, 200), response)
}

fn answered(mut exchange: Exchange, response: &Value) -> Exchange {
    exchange.response_content_type = Some("application/json;charset=UTF-8".into());
    exchange.response_body = response.to_string().into_bytes();
    exchange
}

/// Returns an exchange whose request has a body.
fn sent(method: &str, path_and_query: &str, request: &Value, status: u16) -> Exchange {
    let mut exchange = bare(method, path_and_query, status);
    exchange.request_content_type = Some("application/json".into());
    exchange.request_body = Some(request.to_string().into_bytes());
    exchange
}

/// Returns a document in the Atlassian Document Format with one paragraph.
fn paragraph(text: &str) -> Value {
    let text = json!({ "type": "text", "text": text });
    json!({ "type": "doc", "version": 1, "content": [{ "type": "paragraph", "content": [text] }] })
}

/// Returns the problems of an exchange whose operation is described.
fn problems(contract: &Contract, exchange: &Exchange) -> Vec<String> {
    match contract.judge(exchange) {
        Verdict::Unknown => panic!("{} {} is unknown", exchange.method, exchange.path_and_query),
        Verdict::Valid { .. } => Vec::new(),
        Verdict::Invalid { problems, .. } => problems,
    }
}

/// Checks that an exchange has these problems and no others. Of each, only the beginning is given.
#[track_caller]
fn check(contract: &LazyLock<Option<Contract>>, exchange: &Exchange, expected: &[&str]) {
    let Some(contract) = contract.as_ref() else { return };
    let found = problems(contract, exchange);
    let fits =
        found.len() == expected.len() && found.iter().zip(expected).all(|(it, start)| it.starts_with(start));
    let what = format!("{} {}", exchange.method, exchange.path_and_query);
    assert!(fits, "{what}: expected {expected:#?}, but found {found:#?}");
}

#[test]
fn documents_have_the_operations_that_their_publishers_count() {
    for (contract, count) in [(&CLOUD, 621 + 74), (&DATA_CENTER, 437)] {
        let Some(contract) = contract.as_ref() else { return };
        assert_eq!(contract.operations().count(), count);
        assert!(contract.operations().all(|(_, template, id)| template.starts_with('/') && !id.is_empty()));
    }
}

#[test]
fn the_most_specific_template_decides() {
    let (Some(cloud), Some(data_center)) = (CLOUD.as_ref(), DATA_CENTER.as_ref()) else { return };
    let named = |contract: &Contract, path: &str, name: &str| {
        let operation = match contract.judge(&bare("GET", path, 404)) {
            Verdict::Unknown => String::new(),
            Verdict::Valid { operation } | Verdict::Invalid { operation, .. } => operation,
        };
        assert_eq!(operation, name, "{path}");
    };
    named(cloud, "/rest/api/3/issue/ABC-1", "getIssue");
    named(cloud, "/rest/api/2/issue/ABC-1", "getIssue");
    named(cloud, "/rest/api/3/issue/createmeta", "getCreateIssueMeta");
    named(cloud, "/rest/api/3/issue/ABC%2D1/comment/10", "getComment");
    named(cloud, "/rest/agile/1.0/board/1/sprint", "getAllSprints");
    named(cloud, "/rest/api/4/issue/ABC-1", "");
    named(cloud, "/rest/api/3/issue/", "");
    named(cloud, "/rest/api/3/search/jql/more", "");
    // This path takes only POST, so the request does not mean an issue with the key `bulk`.
    named(cloud, "/rest/api/3/issue/bulk", "");
    named(data_center, "/rest/api/2/issue/ABC-1", "getIssue");
    named(data_center, "/rest/api/latest/issue/ABC-1", "getIssue");
    named(data_center, "/rest/api/2/issue/picker", "getIssuePickerResource");
    named(data_center, "/rest/agile/latest/board", "getAllBoards");
    named(data_center, "/rest/api/3/issue/ABC-1", "");
}

#[test]
fn parameters_have_known_names_types_and_values() {
    let page = json!({ "values": [], "startAt": 0, "maxResults": 50, "total": 0, "isLast": true });
    let projects = |query: &str| get(&format!("/rest/api/3/project/search?{query}"), &page);
    check(&CLOUD, &projects("startAt=0&maxResults=50&orderBy=%2Bname&status=live&status=archived"), &[]);
    check(&CLOUD, &projects("status=live,deleted&id=1,2&query=a+b"), &[]);
    check(&CLOUD, &projects("maxresults=50"), &["request.query.maxresults: expected one of ["]);
    check(
        &CLOUD,
        &projects("maxResults=ten"),
        &["request.query.maxResults: expected an integer, but found `ten`"],
    );
    check(&CLOUD, &projects("maxResults=101"), &["request.query.maxResults: expected at most 100"]);
    check(
        &CLOUD,
        &projects("maxResults=3000000000"),
        &["request.query.maxResults: expected an integer of 32 bits"],
    );
    check(&CLOUD, &projects("maxResults=1&maxResults=2"), &["request.query.maxResults: expected one value"]);
    check(&CLOUD, &projects("orderBy=size"), &["request.query.orderBy: expected one of "]);
    check(&CLOUD, &projects("status=live,gone"), &["request.query.status: expected one of "]);
    check(&CLOUD, &projects("id=1&id=x"), &["request.query.id: expected an integer, but found `x`"]);

    let issue = json!({ "id": "1", "key": "ABC-1", "fields": {} });
    let issue = |query: &str| get(&format!("/rest/api/3/issue/ABC-1?{query}"), &issue);
    check(&CLOUD, &issue("fields=summary,status&expand=names,schema&failFast=false"), &[]);
    check(&CLOUD, &issue("failFast=yes"), &["request.query.failFast: expected `true` or `false`"]);

    check(&CLOUD, &bare("DELETE", "/rest/api/3/user?accountId=5b10", 204), &[]);
    check(&CLOUD, &bare("DELETE", "/rest/api/3/user", 204), &["request.query.accountId: expected a value"]);
    check(
        &CLOUD,
        &bare("GET", "/rest/agile/1.0/board/mine", 404),
        &["request.path.boardId: expected an integer"],
    );
}

#[test]
fn request_bodies_fit_their_schema() {
    let found = json!({ "issues": [], "isLast": true, "nextPageToken": null });
    let search = |body: &Value| answered(sent("POST", "/rest/api/3/search/jql", body, 200), &found);
    check(&CLOUD, &search(&json!({ "jql": "project = ABC", "fields": ["summary"], "maxResults": 5 })), &[]);
    check(
        &CLOUD,
        &search(&json!({ "jql": "project = ABC", "startAt": 0 })),
        &["request.body: Additional properties are not allowed ('startAt' was unexpected)"],
    );
    check(&CLOUD, &search(&json!({ "fields": "summary" })), &["request.body/fields: "]);
    check(&CLOUD, &search(&json!({ "maxResults": "5" })), &["request.body/maxResults: "]);

    let (one, two) = (json!({ "key": "ABC-1" }), json!({ "key": "ABC-2" }));
    let link = json!({ "type": { "name": "Blocks" }, "inwardIssue": one, "outwardIssue": two });
    check(&CLOUD, &sent("POST", "/rest/api/3/issueLink", &link, 201), &[]);
    let link = json!({ "type": { "name": "Blocks" }, "inwardIssue": one });
    check(
        &CLOUD,
        &sent("POST", "/rest/api/3/issueLink", &link, 201),
        &["request.body: \"outwardIssue\" is a required property"],
    );
    check(&CLOUD, &bare("POST", "/rest/api/3/issueLink", 201), &["request.body: expected one"]);

    let mut exchange = sent("POST", "/rest/api/3/issueLink", &link, 201);
    exchange.request_body = Some(b"{".to_vec());
    check(&CLOUD, &exchange, &["request.body: expected JSON"]);
    exchange.request_content_type = Some("text/plain".into());
    check(&CLOUD, &exchange, &["request.content_type: expected application/json, but found text/plain"]);
    check(
        &CLOUD,
        &sent("DELETE", "/rest/api/3/issue/ABC-1", &json!({}), 204),
        &["request.body: expected none"],
    );
}

#[test]
fn an_upload_is_multipart_and_is_not_read() {
    let mut upload = bare("POST", "/rest/api/3/issue/ABC-1/attachments", 200);
    upload.request_content_type = Some("multipart/form-data; boundary=x".into());
    upload.request_body = Some(b"--x\r\n\r\n\r\n--x--".to_vec());
    check(&CLOUD, &answered(upload.clone(), &json!([{ "filename": "a.txt", "size": 1 }])), &[]);
    check(&CLOUD, &answered(upload.clone(), &json!({ "filename": "a.txt" })), &["response.body: "]);
    upload.path_and_query = "/rest/api/2/issue/ABC-1/attachments".into();
    check(&DATA_CENTER, &answered(upload.clone(), &json!([{ "filename": "a.txt", "size": 1 }])), &[]);
    upload.request_content_type = Some("application/json".into());
    check(&CLOUD, &answered(upload, &json!([])), &["request.content_type: expected multipart/form-data"]);
}

#[test]
fn responses_have_a_documented_status_and_fit_its_schema() {
    let edit =
        |status| sent("PUT", "/rest/api/3/issue/ABC-1", &json!({ "fields": { "summary": "x" } }), status);
    for status in [204, 400, 401, 403, 404, 409, 422, 429, 500, 503] {
        check(&CLOUD, &edit(status), &[]);
    }
    check(&CLOUD, &edit(201), &["response.status: expected one of "]);
    check(&CLOUD, &edit(410), &["response.status: expected one of "]);
    check(&CLOUD, &answered(edit(204), &json!({})), &["response.body: expected none"]);

    let issue = |response: &Value| get("/rest/api/3/issue/ABC-1", response);
    check(&CLOUD, &issue(&json!({ "id": "10000", "key": "ABC-1", "new": true })), &[]);
    check(
        &CLOUD,
        &issue(&json!({ "id": 10000 })),
        &["response.body/id: the value is not of type \"string\"; found 10000"],
    );
    check(&CLOUD, &bare("GET", "/rest/api/3/issue/ABC-1", 200), &["response.body: expected one"]);

    let mut page = issue(&json!({}));
    page.response_content_type = Some("text/html".into());
    check(&CLOUD, &page, &["response.content_type: expected application/json, but found text/html"]);
    page.status = 401;
    check(&CLOUD, &page, &[]);

    check(&CLOUD, &bare("GET", "/rest/api/3/attachment/content/10000", 303), &[]);
}

#[test]
fn version_3_takes_and_gives_rich_text_as_documents() {
    let comment = "/rest/api/3/issue/ABC-1/comment";
    let adds = |body: Value| sent("POST", comment, &json!({ "body": body }), 400);
    check(&CLOUD, &adds(paragraph("hello")), &[]);
    check(&CLOUD, &adds("hello".into()), &["request.body/body: expected a document in the Atlassian"]);
    let mut wrong = paragraph("hello");
    wrong["content"][0]["content"][0]["marks"] = json!([{ "type": "bold" }]);
    check(&CLOUD, &adds(wrong), &["request.body/body/content/0/content/0"]);
    let gives = |body: Value| get(comment, &json!({ "comments": [{ "id": "1", "body": body }] }));
    check(&CLOUD, &gives(paragraph("hello")), &[]);
    check(&CLOUD, &gives("hello".into()), &["response.body/comments/0/body: "]);

    let worklog = json!({ "timeSpent": "1h", "comment": "typing" });
    check(
        &CLOUD,
        &sent("POST", "/rest/api/3/issue/ABC-1/worklog", &worklog, 400),
        &["request.body/comment: "],
    );

    let edits = |request: Value| sent("PUT", "/rest/api/3/issue/ABC-1", &request, 204);
    check(&CLOUD, &edits(json!({ "fields": { "description": paragraph("x"), "environment": null } })), &[]);
    check(
        &CLOUD,
        &edits(json!({ "fields": { "description": "x", "environment": "y" } })),
        &["request.body/fields/description: ", "request.body/fields/environment: "],
    );
    check(
        &CLOUD,
        &edits(json!({ "update": { "description": [{ "set": "x" }] } })),
        &["request.body/update/description/0/set: "],
    );
    check(
        &CLOUD,
        &edits(json!({ "update": { "comment": [{ "add": { "body": "x" } }] } })),
        &["request.body/update/comment/0/add/body: "],
    );
    // Whether a custom field has rich text is known only if it says so.
    check(
        &CLOUD,
        &edits(json!({ "fields": { "customfield_1": "x", "customfield_2": paragraph("x") } })),
        &[],
    );
    let blank = json!({ "type": "doc", "version": 2, "content": [] });
    check(
        &CLOUD,
        &edits(json!({ "fields": { "customfield_1": blank } })),
        &["request.body/fields/customfield_1/version: "],
    );

    let bulk = json!({ "issueUpdates": [{ "fields": { "description": "x" } }] });
    check(
        &CLOUD,
        &sent("POST", "/rest/api/3/issue/bulk", &bulk, 400),
        &["request.body/issueUpdates/0/fields/description: "],
    );
    let comments = json!({ "comments": [{ "body": "x" }] });
    let found = json!({ "issues": [{ "id": "1", "fields": { "comment": comments } }] });
    check(
        &CLOUD,
        &get("/rest/api/3/search/jql?jql=x", &found),
        &["response.body/issues/0/fields/comment/comments/0/body: "],
    );
    // The description of a field is no rich text.
    let transition = json!({ "id": "1", "fields": { "description": {
        "key": "description", "name": "Description", "operations": ["set"], "required": false,
        "schema": { "type": "string" },
    } } });
    check(&CLOUD, &get("/rest/api/3/issue/ABC-1/transitions", &json!({ "transitions": [transition] })), &[]);
}

#[test]
fn version_2_and_data_center_take_and_give_rich_text_as_strings() {
    for contract in [&CLOUD, &DATA_CENTER] {
        let adds =
            |body: Value| sent("POST", "/rest/api/2/issue/ABC-1/comment", &json!({ "body": body }), 400);
        check(contract, &adds("hello".into()), &[]);
        let fields = |description: Value| json!({ "id": "1", "fields": { "description": description } });
        let gives = |description: Value| get("/rest/api/2/issue/ABC-1", &fields(description));
        check(contract, &gives("*hello*".into()), &[]);
        check(contract, &gives(paragraph("hello")), &["response.body/fields/description: expected a string"]);
        let edits = |request: Value| sent("PUT", "/rest/api/2/issue/ABC-1", &request, 204);
        check(
            contract,
            &edits(json!({ "fields": { "customfield_1": paragraph("x") } })),
            &["request.body/fields/customfield_1: expected a string"],
        );
    }
    let body = json!({ "body": paragraph("hello") });
    check(
        &CLOUD,
        &sent("POST", "/rest/api/2/issue/ABC-1/comment", &body, 400),
        &["request.body/body: expected a string"],
    );
}

#[test]
fn boards_of_both_products_may_have_strings_as_rich_text() {
    let found = json!({ "issues": [{ "id": "1", "fields": { "description": "x" } }] });
    for contract in [&CLOUD, &DATA_CENTER] {
        check(contract, &get("/rest/agile/1.0/board/1/issue?jql=x&maxResults=5", &found), &[]);
    }
    let found = json!({ "issues": [{ "id": "1", "fields": { "description": 5 } }] });
    check(
        &CLOUD,
        &get("/rest/agile/1.0/board/1/issue", &found),
        &["response.body/issues/0/fields/description: "],
    );
}

#[test]
fn known_faults_of_the_data_center_document_are_corrected() {
    let fields = json!({ "summary": "x", "labels": ["a"], "customfield_1": 5, "project": { "key": "ABC" } });
    let created = json!({ "id": "1", "key": "ABC-1", "self": "http://localhost/rest/api/2/issue/1" });
    let create = |fields: &Value| sent("POST", "/rest/api/2/issue", &json!({ "fields": fields }), 201);
    check(&DATA_CENTER, &answered(create(&fields), &created), &[]);
    check(&DATA_CENTER, &get("/rest/api/2/field", &json!([{ "id": "summary", "custom": false }])), &[]);
    check(
        &DATA_CENTER,
        &get("/rest/api/2/field", &json!([{ "custom": "no" }])),
        &["response.body/0/custom: "],
    );
    let boards = |id: Value| get("/rest/agile/1.0/board?type=scrum", &json!({ "values": [{ "id": id }] }));
    check(&DATA_CENTER, &boards(1.into()), &[]);
    check(&DATA_CENTER, &boards("1".into()), &["response.body/values/0/id: "]);
    let found = json!({ "issues": [{ "id": "1", "fields": { "summary": "x" } }], "startAt": 0, "total": 1 });
    check(&DATA_CENTER, &get("/rest/api/2/search?jql=x&fields=summary&expand=names&startAt=0", &found), &[]);
    check(
        &DATA_CENTER,
        &get("/rest/api/2/search?nextPageToken=x", &found),
        &["request.query.nextPageToken: "],
    );
}

/// The sample payloads with a schema, and how many of them fit it. The others are at odds with their own
/// description: numbers as dates, strings as errors, one element of a list, members left out.
const EXAMPLES: usize = 796;
const FITTING: usize = 765;

#[test]
#[expect(clippy::print_stdout, reason = "the number says how far the judge and the documents agree")]
fn most_of_the_examples_of_atlassian_fit_their_own_schema() {
    let Some(contract) = CLOUD.as_ref() else { return };
    let examples = contract.examples();
    let (fitting, others): (Vec<_>, Vec<_>) = examples.iter().partition(|it| it.problems.is_empty());
    println!("{} of {} examples fit their schema", fitting.len(), examples.len());
    for example in &others {
        println!("{} {}: {}", example.operation, example.part, example.problems[0]);
    }
    assert_eq!(examples.len(), EXAMPLES);
    assert!(fitting.len() >= FITTING, "{} of {EXAMPLES}", fitting.len());
}

/// A search with one issue found.
fn search() -> (Value, Value) {
    let request = json!({ "jql": "project = ABC", "fields": ["summary", "description"], "maxResults": 5 });
    let fields = json!({ "summary": "x", "description": paragraph("hello") });
    let response = json!({ "issues": [{ "id": "10000", "key": "ABC-1", "fields": fields }], "isLast": true });
    (request, response)
}

#[test]
fn ten_mutants_of_a_valid_exchange_are_all_found() {
    type Change = fn(&mut Exchange, &mut Value, &mut Value);
    let mutants: [(Change, &str); 10] = [
        (|it, _, _| it.path_and_query.push_str("?startAt=0"), "request.query.startAt"),
        (|it, _, _| it.status = 202, "response.status"),
        (|it, _, _| it.request_content_type = None, "request.content_type"),
        (|it, _, _| it.response_content_type = Some("text/plain".into()), "response.content_type"),
        (|_, request, _| request["startAt"] = 0.into(), "request.body"),
        (|_, request, _| request["fields"] = "summary".into(), "request.body/fields"),
        (|_, request, _| request["maxResults"] = 1.5.into(), "request.body/maxResults"),
        (|_, _, response| response["isLast"] = "true".into(), "response.body/isLast"),
        (|_, _, response| response["issues"][0]["id"] = 10000.into(), "response.body/issues/0/id"),
        (
            |_, _, response| response["issues"][0]["fields"]["description"]["version"] = 2.into(),
            "response.body/issues/0/fields/description/version",
        ),
    ];
    let exchange = |change: Option<Change>| {
        let (mut request, mut response) = search();
        let mut exchange = answered(sent("POST", "/rest/api/3/search/jql", &request, 200), &response);
        if let Some(change) = change {
            change(&mut exchange, &mut request, &mut response);
        }
        exchange.request_body = Some(request.to_string().into_bytes());
        exchange.response_body = response.to_string().into_bytes();
        exchange
    };
    check(&CLOUD, &exchange(None), &[]);
    for (change, place) in mutants {
        check(&CLOUD, &exchange(Some(change)), &[&format!("{place}: ")]);
    }
}
