//! `search`: issues by JQL. Cloud has `search/jql` with tokens and no total, Data Center `search` with numbers.

use serde_json::{Map, Value as Json, json};

use super::issue::shown;
use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::issue;
use crate::jql::{self, Compiled};
use crate::view::Wanted;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/search/jql", On::Cloud, tokens_of_query),
    operation("POST", "/rest/api/{v}/search/jql", On::Cloud, tokens_of_body),
    operation("POST", "/rest/api/{v}/search/approximate-count", On::Cloud, count),
    operation("GET", "/rest/api/{v}/search", On::DataCenter, numbers_of_query),
    operation("POST", "/rest/api/{v}/search", On::DataCenter, numbers_of_body),
    operation("GET", "/rest/api/{v}/search", On::Cloud, gone),
    operation("POST", "/rest/api/{v}/search", On::Cloud, gone),
    operation("GET", "/rest/api/{v}/issue/picker", On::Both, picker),
];

/// The largest number of issues of a page on Cloud; with more than their ids, fewer.
const MAX_IDS: u64 = 5_000;
const MAX_ISSUES: u64 = 100;

/// The largest number of issues of a page on Data Center, as `jira.search.views.default.max` sets it.
const MAX_PAGE: u64 = 1_000;

/// The number of issues of a page, if none is asked for.
const PAGE: u64 = 50;

/// The largest number of fields to order by.
const MAX_ORDER: usize = 7;

/// A search, as its query or its body has it.
struct Search {
    jql: String,
    fields: Vec<String>,
    expand: Vec<String>,
    size: u64,
    start: u64,
    token: Option<String>,
}

/// The members of a body of `search/jql`. Others are refused.
const MEMBERS: [&str; 8] = [
    "jql",
    "nextPageToken",
    "maxResults",
    "fields",
    "expand",
    "properties",
    "fieldsByKeys",
    "reconcileIssues",
];

impl Search {
    fn of_query(call: &Call<'_>) -> Result<Self> {
        let owned = |all: Vec<&str>| all.into_iter().map(ToOwned::to_owned).collect();
        Ok(Self {
            jql: call.query("jql").unwrap_or_default().to_owned(),
            fields: owned(call.list("fields")),
            expand: owned(call.list("expand")),
            size: call.number("maxResults", PAGE)?,
            start: call.number("startAt", 0)?,
            token: call.query("nextPageToken").map(ToOwned::to_owned),
        })
    }

    fn of_body(body: &Map<String, Json>) -> Result<Self> {
        let texts = |name: &str| -> Vec<String> {
            match body.get(name) {
                Some(Json::String(text)) => text.split(',').map(|it| it.trim().to_owned()).collect(),
                Some(Json::Array(all)) => {
                    all.iter().filter_map(Json::as_str).map(ToOwned::to_owned).collect()
                }
                _ => Vec::new(),
            }
        };
        let number = |name: &str, default: u64| match body.get(name) {
            None | Some(Json::Null) => Ok(default),
            Some(value) => value.as_u64().ok_or_else(|| Fault::bad(format!("'{name}' is not a number."))),
        };
        Ok(Self {
            jql: body.get("jql").and_then(Json::as_str).unwrap_or_default().to_owned(),
            fields: texts("fields"),
            expand: texts("expand"),
            size: number("maxResults", PAGE)?,
            start: number("startAt", 0)?,
            token: body.get("nextPageToken").and_then(Json::as_str).map(ToOwned::to_owned),
        })
    }

    fn wanted(&self, default: &str) -> Wanted {
        Wanted::read(self.fields.iter().map(String::as_str), default)
    }

    /// Returns issues with the fields that the search wants.
    fn issues(&self, call: &Call<'_>, ids: &[i64], default: &str) -> Result<Vec<Json>> {
        let wanted = self.wanted(default);
        let expand: Vec<&str> =
            self.expand.iter().map(String::as_str).filter(|it| !matches!(*it, "names" | "schema")).collect();
        issue::load(call.work, ids)?.iter().map(|it| shown(call, it, &wanted, &expand)).collect()
    }
}

fn tokens_of_query(call: &Call<'_>) -> Result<Answer> {
    tokens(call, &Search::of_query(call)?)
}

fn tokens_of_body(call: &Call<'_>) -> Result<Answer> {
    let body = call.object()?;
    if let Some(name) = body.keys().find(|it| !MEMBERS.contains(&it.as_str())) {
        return Err(Fault::bad(format!("Invalid request payload. Unrecognized field '{name}'.")));
    }
    tokens(call, &Search::of_body(&body)?)
}

/// Compiles the JQL of Cloud, which has to be bounded.
fn bounded(call: &Call<'_>, jql: &str) -> Result<Compiled> {
    let compiled = jql::compile(call.work, call.person, jql)?;
    if !compiled.is_bounded() {
        let message =
            "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.";
        return Err(Fault::bad(message));
    }
    if compiled.order_len() > MAX_ORDER {
        return Err(Fault::bad("The maximum number of ORDER BY fields is 7."));
    }
    Ok(compiled)
}

/// A page on Cloud. Its token has the place of the next page, and the JQL that it belongs to.
fn tokens(call: &Call<'_>, search: &Search) -> Result<Answer> {
    let compiled = bounded(call, &search.jql)?;
    let mark = &crate::identity::hash(&search.jql)[..16];
    let start = match &search.token {
        None => 0,
        Some(token) => {
            let place =
                token.split_once('.').filter(|(of, _)| *of == mark).and_then(|(_, place)| place.parse().ok());
            place.ok_or_else(|| Fault::bad("The provided next page token is invalid or expired."))?
        }
    };
    let is_short = search.fields.is_empty() || search.fields.iter().all(|it| it == "id" || it == "key");
    let most = if is_short { MAX_IDS } else { MAX_ISSUES };
    let size = search.size.min(most);
    let mut ids = compiled.ids(call.work, start, size + 1)?;
    let is_last = ids.len() as u64 <= size;
    ids.truncate(usize::try_from(size).unwrap_or(usize::MAX));
    let issues = if search.fields.is_empty() {
        ids.iter().map(|id| json!({ "id": id.to_string() })).collect()
    } else {
        search.issues(call, &ids, "")?
    };
    let mut value = json!({ "issues": issues, "isLast": is_last });
    if !is_last {
        value["nextPageToken"] = json!(format!("{mark}.{}", start + size));
    }
    Answer::ok(value)
}

fn count(call: &Call<'_>) -> Result<Answer> {
    let search = Search::of_body(&call.object()?)?;
    let count = bounded(call, &search.jql)?.count(call.work)?;
    Answer::ok(json!({ "count": count }))
}

fn gone(_: &Call<'_>) -> Result<Answer> {
    let message = "The requested API has been removed. Please migrate to the /rest/api/3/search/jql API. A full migration guideline is available at https://developer.atlassian.com/changelog/#CHANGE-2046";
    Err(Fault::new(410, message))
}

fn numbers_of_query(call: &Call<'_>) -> Result<Answer> {
    numbers(call, &Search::of_query(call)?)
}

fn numbers_of_body(call: &Call<'_>) -> Result<Answer> {
    numbers(call, &Search::of_body(&call.object()?)?)
}

fn numbers(call: &Call<'_>, search: &Search) -> Result<Answer> {
    let compiled = jql::compile(call.work, call.person, &search.jql)?;
    let size = search.size.min(MAX_PAGE);
    let ids = compiled.ids(call.work, search.start, size)?;
    let mut value = json!({
        "expand": "names,schema",
        "startAt": search.start,
        "maxResults": size,
        "total": compiled.count(call.work)?,
        "issues": search.issues(call, &ids, "*navigable")?,
    });
    let fields = crate::field::all(call.work)?;
    if search.expand.iter().any(|it| it == "names") {
        value["names"] = fields.iter().map(|it| (it.id.clone(), json!(it.name))).collect();
    }
    if search.expand.iter().any(|it| it == "schema") {
        value["schema"] =
            fields.iter().map(|it| (it.id.clone(), crate::view::View::field_schema(it))).collect();
    }
    Answer::ok(value)
}

/// Suggests issues whose key or summary has the words of `query`.
fn picker(call: &Call<'_>) -> Result<Answer> {
    let query = call.query("query").unwrap_or_default();
    // Signs would be operators of `~`.
    let words: Vec<_> = query.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let mut found = Vec::new();
    if let Some(id) = issue::find(call.work, query)? {
        found.push(id);
    }
    if !words.is_empty() {
        let text = words.iter().map(|it| format!("{it}*")).collect::<Vec<_>>().join(" ");
        let jql = format!("summary ~ {}", jql::quote(&text));
        found.extend(jql::compile(call.work, call.person, &jql)?.ids(call.work, 0, 20)?);
    }
    let mut issues = Vec::new();
    for it in issue::load(call.work, &found)? {
        if crate::permission::can(call.work, call.person, it.project_id, "BROWSE_PROJECTS")? {
            issues.push(json!({
                "id": it.id, "key": it.key, "keyHtml": it.key, "img": "/images/icons/issuetypes/task.svg",
                "summary": it.text_of("summary"), "summaryText": it.text_of("summary"),
            }));
        }
    }
    Answer::ok(json!({ "sections": [{
        "id": "cs", "label": "Current Search", "sub": format!("Showing {} of {} matching issues", issues.len(), issues.len()), "issues": issues,
    }] }))
}
