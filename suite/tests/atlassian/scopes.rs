//! The scopes that errors name, compared with those in Atlassian's documents.

use std::io::Read as _;
use std::path::PathBuf;
use std::{env, fs};

use plainwire_atlassian::rest::{Deployment, Effect, Method, Product, needed_scope};
use serde_json::Value;

/// The documents of Jira Cloud, with the scopes of each operation.
const DOCUMENTS: [&str; 2] = ["jira-cloud-platform-v3.json.gz", "jira-cloud-software-agile-1.0.json"];

#[test]
fn the_scope_that_an_error_names_is_that_of_the_published_document() {
    let mut checked = 0;
    for document in DOCUMENTS {
        let Some(document) = published(document) else {
            println!("SKIPPED: the published documents are not present");
            return;
        };
        for (path, operations) in document["paths"].as_object().expect("paths") {
            for (method, operation) in operations.as_object().expect("operations") {
                let method = match method.as_str() {
                    "get" => Method::Get,
                    "post" => Method::Post,
                    "put" => Method::Put,
                    "delete" => Method::Delete,
                    _ => continue,
                };
                let scopes: Vec<&str> = operation["security"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .flat_map(|it| it.as_object().expect("schemes").values())
                    .flat_map(|it| it.as_array().expect("scopes").iter().filter_map(Value::as_str))
                    .collect();
                let is_used = USED.iter().any(|it| path.starts_with(it));
                let effect = if scopes.iter().any(|it| it.starts_with("read:")) {
                    Effect::Read
                } else {
                    Effect::Write
                };
                let effect = if method == Method::Get { Effect::Read } else { effect };
                let is_known = !NOT_USED.iter().any(|it| path.contains(it));
                if !(is_used && is_known) || scopes.is_empty() {
                    continue;
                }
                let found = needed_scope(Product::Jira, Deployment::Cloud, method, effect, path);
                assert!(
                    found.is_some_and(|it| scopes.contains(&it)),
                    "{method} {path}: {found:?} {scopes:?}"
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked}");
    println!("{checked} operations need the scope that errors name");
}

/// Reads a document of Atlassian; `None` without the folder of documents.
fn published(name: &str) -> Option<Value> {
    let beside = || plainwire_suite::root().join("../shared");
    let folder = env::var_os("PLAINWIRE_SHARED").map_or_else(beside, PathBuf::from);
    let stored = fs::read(folder.join("atlassian/openapi").join(name)).ok()?;
    let mut plain = Vec::new();
    if name.ends_with(".gz") {
        flate2::read::GzDecoder::new(stored.as_slice()).read_to_end(&mut plain).expect("a document");
    } else {
        plain = stored;
    }
    Some(serde_json::from_slice(&plain).expect("JSON"))
}

/// The beginnings of the paths that tools use.
const USED: [&str; 19] = [
    "/rest/agile/1.0/board",
    "/rest/agile/1.0/epic",
    "/rest/agile/1.0/sprint",
    "/rest/agile/1.0/backlog",
    "/rest/api/3/attachment",
    "/rest/api/3/changelog",
    "/rest/api/3/component",
    "/rest/api/3/field",
    "/rest/api/3/filter",
    "/rest/api/3/group/bulk",
    "/rest/api/3/issue",
    "/rest/api/3/label",
    "/rest/api/3/mypermissions",
    "/rest/api/3/myself",
    "/rest/api/3/search",
    "/rest/api/3/status/",
    "/rest/api/3/user/",
    "/rest/api/3/version",
    "/rest/api/3/project/search",
];

/// Parts of such paths that only administrators use.
const NOT_USED: [&str; 21] = [
    "/rest/api/3/issueLinkType",
    "/rest/api/3/issuesecurity",
    "/rest/api/3/issuetype",
    "/field/association",
    "/fieldconfiguration",
    "/properties",
    "/features",
    "/field/search",
    "/contexts",
    "/screens",
    "/trash",
    "/restore",
    "/user/columns",
    "/user/email",
    "/fields",
    "/{fieldKey}/option",
    "/field/{fieldId}",
    "/{id}/issue",
    "/api/3/field/{id}",
    "/issue/watching",
    "/estimation",
];
