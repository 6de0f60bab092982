//! A judge of HTTP exchanges with Atlassian products, by the OpenAPI documents that Atlassian publishes.
//!
//! In: one request and its response. Out: a [`Verdict`]: no document describes the operation, both fit its
//! description, or what does not fit and where. The documents are not in this repository; without them there
//! is no [`Contract`].
//!
//! - `document`: reads a document, and corrects its known faults.
//! - `faults`: the known faults of the documents, each with the reason.
//! - `route`: selects the operation that a path means.
//! - `parameters`: checks the values in the path and in the query.
//! - `schema`: translates schemas of OpenAPI to JSON Schema, and compiles each when it is first used.
//! - `body`: checks the bodies, their content types and the status.
//! - `rich_text`: finds the rich text of issues, which the documents leave without a type, and checks it.
//!
//! The judge sees no headers but the content types, so it does not check authentication. It remembers nothing
//! from one exchange to the next, so it does not know whether an issue exists.

use std::path::PathBuf;

use serde_json::Value;

mod body;
mod document;
mod faults;
mod parameters;
mod rich_text;
mod route;
mod schema;

use document::Document;
use rich_text::{RichText, Syntax};
use route::Target;
use schema::Side;

/// The documents of Jira Cloud.
const CLOUD: [&str; 2] = ["jira-cloud-platform-v3.json.gz", "jira-cloud-software-agile-1.0.json"];

/// The document of Jira Data Center.
const DATA_CENTER: &str = "jira-dc-11.3.8.json";

/// The part of each path of Data Center that its document has in the address of the server.
const DATA_CENTER_PREFIX: &str = "/rest";

/// The contract of a product: one or several documents, read once. Schemas are compiled when they are first
/// used.
pub struct Contract {
    documents: Vec<Document>,
    product: Product,
    rich_text: RichText,
}

#[derive(Clone, Copy)]
enum Product {
    JiraCloud,
    JiraDataCenter,
}

/// One request and its response.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// `GET`, `POST` and so on, in capitals.
    pub method: String,
    /// From `/rest` on, without host and context path: `/rest/api/3/issue/ABC-1?fields=summary`.
    pub path_and_query: String,
    /// The `Content-Type` of the request. Its parameters do not matter.
    pub request_content_type: Option<String>,
    /// The body of the request; `None` and an empty body are the same.
    pub request_body: Option<Vec<u8>>,
    /// The status of the response.
    pub status: u16,
    /// The `Content-Type` of the response. Its parameters do not matter.
    pub response_content_type: Option<String>,
    /// The body of the response; empty if there is none.
    pub response_body: Vec<u8>,
}

/// The judgement of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No document describes the operation.
    Unknown,
    /// Request and response fit their description.
    Valid {
        /// The `operationId`. In Jira Data Center, several operations may share one.
        operation: String,
    },
    /// Request or response do not fit their description.
    Invalid {
        /// The `operationId`.
        operation: String,
        /// Each begins with its place: `request.query.maxResults: …`, `response.body/values/0/id: …`. Never
        /// empty.
        problems: Vec<String>,
    },
}

/// A sample payload in a document, whose place has a schema.
#[derive(Clone, Debug)]
pub struct Example {
    /// The `operationId`.
    pub operation: String,
    /// `request`, or `response 200`.
    pub part: String,
    /// The problems of the example with its own schema; empty if there are none.
    pub problems: Vec<String>,
}

/// An operation, and how Atlassian's document says that it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Method and path template.
    pub operation: String,
    /// The status and the sample of a successful answer, as the document has it; `None` without a sample.
    pub answer: Option<(u16, Value)>,
    /// The problems of the sample with its own schema.
    pub problems: Vec<String>,
}

impl Contract {
    /// Reads the documents of Jira Cloud: the platform in version 3, and agile 1.0. Version 2 is judged by
    /// the operations of version 3, with strings instead of documents as rich text; the alias `latest` is
    /// unknown.
    ///
    /// Returns `None`, and prints that the test is skipped, without the folder of the documents.
    pub fn jira_cloud() -> Option<Self> {
        Self::read(Product::JiraCloud, &CLOUD, "")
    }

    /// Reads the document of Jira Data Center, which has the platform in version 2 (also called `latest`) and
    /// agile 1.0.
    ///
    /// Returns `None`, and prints that the test is skipped, without the folder of the documents.
    pub fn jira_datacenter() -> Option<Self> {
        Self::read(Product::JiraDataCenter, &[DATA_CENTER], DATA_CENTER_PREFIX)
    }

    fn read(product: Product, names: &[&'static str], prefix: &str) -> Option<Self> {
        let folder = folder()?;
        let documents = names.iter().map(|name| Document::read(&folder, name, prefix)).collect();
        Some(Self { documents, product, rich_text: RichText::read(&folder) })
    }

    /// Judges an exchange.
    pub fn judge(&self, exchange: &Exchange) -> Verdict {
        let (path, query) =
            exchange.path_and_query.split_once('?').unwrap_or((exchange.path_and_query.as_str(), ""));
        let (path, syntax) = self.documented(path);
        let found = self.documents.iter().find_map(|it| Some((it, it.route(&exchange.method, &path)?)));
        let Some((document, target)) = found else { return Verdict::Unknown };
        let problems = self.problems(document, &target, query, syntax, exchange);
        let operation = target.operation.id.clone();
        if problems.is_empty() {
            Verdict::Valid { operation }
        } else {
            Verdict::Invalid { operation, problems }
        }
    }

    fn problems(
        &self,
        document: &Document,
        target: &Target<'_>,
        query: &str,
        syntax: Syntax,
        exchange: &Exchange,
    ) -> Vec<String> {
        let mut problems = parameters::check(document, target, query);
        let (request, request_schema) = body::request(document, target.operation, exchange, &mut problems);
        let (response, response_schema) = body::response(document, target.operation, exchange, &mut problems);
        let parts = [
            (Side::Request, "request.body", request, request_schema),
            (Side::Response, "response.body", response, response_schema),
        ];
        for (side, place, value, schema) in parts {
            if let (Some(value), Some(schema)) = (value, schema) {
                let name = format!("{} {}", target.operation.name(), schema.name);
                problems.extend(document.faults(&name, side, schema.schema, &value, place));
                problems.extend(self.rich_text.faults(document, schema.schema, &value, syntax, place));
            }
        }
        problems
    }

    /// Returns method, path template and `operationId` of each operation. The templates have the same prefix
    /// as the paths of exchanges.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let all = self.documents.iter().flat_map(Document::operations);
        all.map(|it| (it.method.as_str(), it.template.as_str(), it.id.as_str()))
    }

    /// Judges the sample payloads in the documents by the schema that stands beside each. Samples that are
    /// JSON inside a string are parsed once; those without a schema, and those that are no JSON, are left
    /// out.
    pub fn examples(&self) -> Vec<Example> {
        let mut found = Vec::new();
        for document in &self.documents {
            for operation in document.operations() {
                let (_, syntax) = self.documented(&operation.template);
                for (part, side, name, media) in body::described(document, operation) {
                    let (Some(schema), Some(value)) = (media.get("schema"), sample(media)) else { continue };
                    let name = format!("{} {name}", operation.name());
                    let mut problems = document.faults(&name, side, schema, &value, "");
                    problems.extend(self.rich_text.faults(document, schema, &value, syntax, ""));
                    found.push(Example { operation: operation.id.clone(), part, problems });
                }
            }
        }
        found
    }

    /// Returns the sample of the operation that a method and a path mean; `None` if no document describes it.
    pub fn sample(&self, method: &str, path: &str) -> Option<Sample> {
        let (path, _) = self.documented(path);
        let (document, target) = self.documents.iter().find_map(|it| Some((it, it.route(method, &path)?)))?;
        let name = target.operation.name();
        let found =
            body::described(document, target.operation).into_iter().find_map(|(part, side, kind, media)| {
                let status: u16 =
                    part.strip_prefix("response ")?.parse().ok().filter(|it| (200..300).contains(it))?;
                let value = sample(media)?;
                let problems = match media.get("schema") {
                    Some(schema) => document.faults(&format!("{name} {kind}"), side, schema, &value, ""),
                    None => Vec::new(),
                };
                Some((status, value, problems))
            });
        Some(match found {
            Some((status, value, problems)) => {
                Sample { operation: name, answer: Some((status, value)), problems }
            }
            None => Sample { operation: name, answer: None, problems: Vec::new() },
        })
    }

    /// Returns the path under which the documents describe `path`, and the syntax of its rich text.
    fn documented(&self, path: &str) -> (String, Syntax) {
        match self.product {
            Product::JiraCloud => match path.strip_prefix("/rest/api/2/") {
                Some(rest) => (format!("/rest/api/3/{rest}"), Syntax::Text),
                None if path.starts_with("/rest/api/3/") => (path.to_owned(), Syntax::Document),
                // The agile API answers with the text of version 2, though newer pages of it show documents.
                None => (path.to_owned(), Syntax::Either),
            },
            Product::JiraDataCenter => {
                let latest =
                    [("/rest/api/latest/", "/rest/api/2/"), ("/rest/agile/latest/", "/rest/agile/1.0/")];
                let named =
                    latest.iter().find_map(|(from, to)| Some(format!("{to}{}", path.strip_prefix(from)?)));
                (named.unwrap_or_else(|| path.to_owned()), Syntax::Text)
            }
        }
    }
}

/// Returns the documents of Jira by the names of their files, for judges that others wrote: without their known faults, with paths as
/// requests have them, and for any kind of authentication.
///
/// Returns `None`, and prints that this is skipped, without the folder of the documents.
pub fn corrected() -> Option<Vec<(&'static str, Value)>> {
    let folder = folder()?;
    let named = CLOUD.iter().map(|name| (*name, "")).chain([(DATA_CENTER, DATA_CENTER_PREFIX)]);
    let read = named.map(|(name, prefix)| {
        let mut document = document::corrected(&folder, name);
        document::generalize(&mut document, prefix);
        (name, document)
    });
    Some(read.collect())
}

/// Returns the folder with the documents of Atlassian: `atlassian/openapi` in the folder that the environment
/// variable `PLAINWIRE_SHARED` names, or in `../shared` beside the repository.
///
/// Not every checkout has this folder. Without it, the function prints that the test is skipped and returns
/// `None`, and the test passes.
#[expect(clippy::print_stdout, reason = "a test that was skipped has to say so")]
fn folder() -> Option<PathBuf> {
    let beside = || crate::root().join("../shared");
    let shared = std::env::var_os("PLAINWIRE_SHARED").map_or_else(beside, PathBuf::from);
    let folder = shared.join("atlassian/openapi");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the documents of Atlassian are not in {}", folder.display());
    None
}

/// Returns the example of a media type: itself, or the JSON inside of its string.
fn sample(media: &Value) -> Option<Value> {
    match media.get("example")? {
        Value::String(text) => serde_json::from_str(text).ok(),
        value => Some(value.clone()),
    }
}

/// Returns the JSON text of a value for a message, shortened to 80 characters.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
