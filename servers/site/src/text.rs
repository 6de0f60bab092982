//! Rich text in the forms of the API versions.
//!
//! In: a body as the deployment stores it (ADF on Cloud, wiki markup on Data Center), or as a request has it. Out: the other one. Version 3
//! speaks ADF and version 2 wiki markup, on both deployments; where that is what is stored, nothing is converted.

use plainwire_richtext::{Dialect, Format, adf, convert};
use serde_json::Value;

use crate::work::Deployment;

const WIKI: Format = Format::Wiki(Dialect::Jira);

/// Returns the text of a body without its markup, for the index of words.
pub fn plain(deployment: Deployment, body: &str) -> String {
    if deployment == Deployment::DataCenter {
        return body.to_owned();
    }
    let Ok(document) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    let mut words = String::new();
    collect(&document, &mut words);
    words
}

fn collect(node: &Value, words: &mut String) {
    if let Some(text) = node.get("text").and_then(Value::as_str) {
        words.push_str(text);
    } else if let Some(text) = node.pointer("/attrs/text").and_then(Value::as_str) {
        words.push_str(text);
    }
    let children = node.get("content").and_then(Value::as_array).into_iter().flatten();
    for child in children {
        collect(child, words);
        if child.get("type").and_then(Value::as_str).is_some_and(|it| it != "text") {
            words.push(' ');
        }
    }
}

/// Returns a stored body as version 2 shows it: wiki markup.
pub fn as_wiki(deployment: Deployment, body: &str) -> String {
    match deployment {
        Deployment::Cloud => convert(Format::Adf, WIKI, body).text,
        Deployment::DataCenter => body.to_owned(),
    }
}

/// Returns wiki markup in the form that is stored.
pub fn of_wiki(deployment: Deployment, wiki: &str) -> String {
    match deployment {
        Deployment::Cloud => convert(WIKI, Format::Adf, wiki).text,
        Deployment::DataCenter => wiki.to_owned(),
    }
}

/// Returns a stored body as version 3 shows it: ADF.
pub fn as_adf(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or(Value::Null)
}

/// Returns whether a value is a document that Atlassian's schema of ADF allows.
pub fn is_adf(document: &Value) -> bool {
    document.get("type").and_then(Value::as_str) == Some("doc")
        && adf::check(&document.to_string()).is_empty()
}

/// Returns whether a stored body is only white space, or has no content.
pub fn is_empty(deployment: Deployment, body: &str) -> bool {
    match deployment {
        Deployment::Cloud => as_adf(body).get("content").and_then(Value::as_array).is_none_or(Vec::is_empty),
        Deployment::DataCenter => body.trim().is_empty(),
    }
}
