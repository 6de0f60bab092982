//! HTTP: from a request to the operation that answers it.
//!
//! In: requests. Out: responses. An address is matched with the table of operations; what the table lacks is answered with 501, so that no
//! caller takes a gap of this site for an answer of Jira.

mod faults;
mod form;
mod tap;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_TYPE, HOST, LOCATION, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use crate::api::Table;
use crate::call::{self, Answer, Call};
use crate::clock::Clock;
use crate::fault::{Fault, Result};
use crate::identity::{self, Door};
use crate::operation::{Access, Operation};
use crate::store::Store;
use crate::view::Version;
use crate::view::View;

pub(crate) use faults::Faults;
pub use tap::{Exchange, Tap};

/// The largest body of a request, in bytes. Larger ones are refused with 413.
pub(crate) const MAX_BODY: usize = 64 << 20;

/// A site, as its requests share it.
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) table: Table,
    pub(crate) clock: Clock,
    /// The path of the product at its address, such as `/jira`, or nothing.
    pub(crate) context: String,
    pub(crate) cloud_id: String,
    pub(crate) hosts: Hosts,
    pub(crate) faults: Option<Faults>,
    pub(crate) tap: Option<Tap>,
    pub(crate) requests: AtomicU64,
}

/// The names by which requests may call the site. Another name is a web page that was pointed at this machine.
#[derive(Clone, Debug)]
pub(crate) enum Hosts {
    Any,
    /// Those of this machine, and these.
    Local(Vec<String>),
}

impl Hosts {
    fn allow(&self, host: &str) -> bool {
        let Self::Local(named) = self else { return true };
        let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|it| it.is_ascii_digit()));
        let name = name.map_or(host, |(name, _)| name).to_ascii_lowercase();
        let is_ip =
            name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|it| it.is_loopback());
        is_ip || name == "localhost" || name.ends_with(".localhost") || named.contains(&name)
    }
}

/// Answers a request.
pub(crate) async fn answer(State(site): State<Arc<Shared>>, request: Request) -> Response {
    let number = site.requests.fetch_add(1, Ordering::Relaxed);
    let mut response = match &site.faults {
        Some(faults) => {
            let (method, path) = (request.method().clone(), request.uri().path().to_owned());
            match faults.handle(request).await {
                Ok(response) => response,
                Err(request) => {
                    let answer = whole(&site, request).await;
                    faults.after(&method, &path).unwrap_or(answer)
                }
            }
        }
        None => whole(&site, request).await,
    };
    if let Ok(id) = HeaderValue::from_str(&format!("{number:08x}")) {
        response.headers_mut().insert(HeaderName::from_static("x-arequestid"), id);
    }
    response
}

async fn whole(site: &Arc<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let host = parts.headers.get(HOST).and_then(|it| it.to_str().ok()).unwrap_or("localhost").to_owned();
    if !site.hosts.allow(&host) {
        return failure("", &Fault::new(403, format!("This site is not {host}.")));
    }
    let path = parts.uri.path().to_owned();
    if site.is_outside(&path) {
        return outside();
    }
    let Ok(bytes) = axum::body::to_bytes(body, MAX_BODY).await else {
        return failure(&path, &Fault::new(413, "The request is larger than this site takes."));
    };
    let asked = Asked {
        method: parts.method,
        query: parts.uri.query().unwrap_or_default().to_owned(),
        host,
        headers: parts.headers,
        body: bytes,
        path,
    };
    let path = asked.path.clone();
    let seen = site.tap.as_ref().map(|tap| (tap, tap::Seen::of(&asked)));
    let response = match run(site, asked).await {
        Ok(answered) => success(answered),
        Err(fault) => failure(&path, &fault),
    };
    match seen {
        Some((tap, seen)) => seen.show(tap, response).await,
        None => response,
    }
}

/// A request with its body.
struct Asked {
    method: Method,
    path: String,
    query: String,
    host: String,
    headers: HeaderMap,
    body: Bytes,
}

impl Asked {
    fn header(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

struct Answered {
    answer: Answer,
    /// The person, in the header that the deployment has for it.
    person: Option<(HeaderName, String)>,
}

async fn run(site: &Arc<Shared>, asked: Asked) -> Result<Answered> {
    let (door, path) = site.door(&asked.path)?;
    let (operation, params) = site.table.find(&asked.method, path)?;
    let version = site.version(&operation, &params)?;
    let files = match asked.header(CONTENT_TYPE) {
        Some(kind) if kind.starts_with("multipart/form-data") => {
            if asked
                .header(HeaderName::from_static("x-atlassian-token"))
                .is_none_or(|it| it != "no-check" && it != "nocheck")
            {
                return Err(Fault::new(403, "XSRF check failed"));
            }
            Some(form::files(kind, asked.body.clone()).await?)
        }
        _ => None,
    };
    let query = url::form_urlencoded::parse(asked.query.as_bytes()).into_owned().collect();
    let base = match door {
        Door::Site => format!("http://{}{}", asked.host, site.context),
        Door::Gateway => format!("http://{}/ex/jira/{}", asked.host, site.cloud_id),
    };
    let params: Vec<_> = params.into_iter().collect();
    site.store
        .ask(site.clock.now(), move |work| {
            let person = identity::person(work, asked.header(AUTHORIZATION), door)?;
            let signed_in = match (operation.access, person) {
                (Access::SignedIn, None) => {
                    return Err(Fault::new(401, "Client must be authenticated to access this resource."));
                }
                (_, person) => person.unwrap_or_default(),
            };
            let authorization = asked.header(AUTHORIZATION);
            if let Some(answer) = identity::oauth::refusal(work, authorization, &operation)? {
                return Ok(Answered { answer, person: None });
            }
            let body: call::Body<'_> = match &files {
                Some(files) => call::Body::Files(files),
                None => call::Body::Bytes(&asked.body),
            };
            let view = View::new(work, base, version);
            let call = Call { work, view, person: signed_in, authorization, params, query, body };
            let answer = (operation.run)(&call)?;
            let column = if work.is_cloud() { "account_id" } else { "name" };
            let name =
                work.one(&format!("SELECT {column} FROM person WHERE id = ?1"), [person], |row| row.get(0))?;
            let header = if work.is_cloud() { "x-aaccountid" } else { "x-ausername" };
            Ok(Answered { answer, person: name.map(|it| (HeaderName::from_static(header), it)) })
        })
        .await
}

impl Shared {
    /// Returns the door of a path, and the path behind it.
    fn door<'a>(&self, path: &'a str) -> Result<(Door, &'a str)> {
        if self.store.deployment() == crate::Deployment::Cloud
            && let Some(rest) = path.strip_prefix("/ex/")
        {
            let mut parts = rest.splitn(3, '/');
            let (product, cloud) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let rest = path.get(4 + product.len() + 1 + cloud.len()..).unwrap_or_default();
            if product != "jira" {
                return Err(Fault::lacking(format_args!("the product {product}")));
            }
            if cloud != self.cloud_id {
                return Err(Fault::new(404, "No site with this cloud id."));
            }
            return Ok((Door::Gateway, rest));
        }
        // What Atlassian has at the address of the gateway, for tokens of applications.
        if self.store.deployment() == crate::Deployment::Cloud
            && matches!(path, "/me" | "/oauth/token/accessible-resources")
        {
            return Ok((Door::Gateway, path));
        }
        match path.strip_prefix(self.context.as_str()) {
            Some(rest) if rest.starts_with('/') => Ok((Door::Site, rest)),
            _ => Err(Fault::missing(OUTSIDE)),
        }
    }

    /// Returns whether a path is beside the product: the server in front of it answers there, with a page for people.
    fn is_outside(&self, path: &str) -> bool {
        self.door(path).is_err_and(|fault| fault.messages.iter().any(|it| it == OUTSIDE))
    }

    /// Returns the version of the API that a path names, if its operation has versions.
    fn version(&self, operation: &Operation, params: &[(String, String)]) -> Result<Version> {
        let Some((_, named)) = params.iter().find(|(name, _)| name == "v") else {
            return Ok(operation.version);
        };
        match (self.store.deployment(), named.as_str()) {
            (crate::Deployment::Cloud, "3") => Ok(Version::V3),
            (_, "2") | (crate::Deployment::DataCenter, "latest") => Ok(Version::V2),
            _ => Err(Fault::lacking(format_args!("version {named} of this API"))),
        }
    }
}

/// What is said of a path beside the product.
const OUTSIDE: &str = "dead link";

fn outside() -> Response {
    let page = "<!doctype html><html lang=\"en\"><head><title>HTTP Status 404 – Not Found</title></head><body><h1>HTTP Status 404 – Not Found</h1></body></html>";
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = StatusCode::NOT_FOUND;
    header(&mut response, CONTENT_TYPE, "text/html;charset=utf-8");
    response
}

fn success(answered: Answered) -> Response {
    let mut response = match answered.answer {
        Answer::Json(status, value) => json_response(status, &value),
        Answer::Empty(status) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = code(status);
            response
        }
        Answer::See(address) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            header(&mut response, LOCATION, &address);
            response
        }
        Answer::Page(text) => {
            let mut response = Response::new(Body::from(text));
            header(&mut response, CONTENT_TYPE, "text/html;charset=UTF-8");
            response
        }
        Answer::File { name, media_type, bytes } => {
            let mut response = Response::new(Body::from(bytes));
            header(&mut response, CONTENT_TYPE, &media_type);
            let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
            let value = format!("attachment; filename*=UTF-8''{}", name.replace('+', "%20"));
            header(&mut response, CONTENT_DISPOSITION, &value);
            response
        }
    };
    if let Some((name, value)) = answered.person {
        header(&mut response, name, &value);
    }
    response
}

/// Writes an error in the form of its API.
fn failure(path: &str, fault: &Fault) -> Response {
    let body = if path.contains("/rest/servicedeskapi/") {
        let fields = fault.errors.values().cloned();
        let all: Vec<_> = fault.messages.iter().cloned().chain(fields).collect();
        let text = all.join(" ");
        json!({ "errorMessage": text, "i18nErrorMessage": { "i18nKey": Value::Null, "parameters": [] } })
    } else if path.starts_with("/jira/forms/") {
        let texts = fault.messages.iter().chain(fault.errors.values());
        let all: Vec<_> = texts
            .map(|it| json!({ "status": fault.status, "code": "ERROR", "title": it, "detail": it }))
            .collect();
        json!({ "errors": all })
    } else if path.contains("/oauth/") || path.contains("/rest/oauth2/") {
        json!({ "error": fault.messages.first(), "error_description": fault.messages.get(1) })
    } else {
        json!({ "errorMessages": fault.messages, "errors": fault.errors })
    };
    let mut response = json_response(fault.status, &body);
    if fault.status == 401 {
        header(&mut response, WWW_AUTHENTICATE, "OAuth realm=\"site\"");
        header(&mut response, HeaderName::from_static("x-seraph-loginreason"), "AUTHENTICATED_FAILED");
    }
    response
}

fn json_response(status: u16, value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = code(status);
    header(&mut response, CONTENT_TYPE, "application/json;charset=UTF-8");
    response
}

fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn header(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
