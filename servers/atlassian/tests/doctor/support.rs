//! A site that answers by path, and the checks that the doctor makes of it.
//!
//! Each connection has a thread and one request. The threads end with the test program.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use plainwire_atlassian::doctor::{Check, Outcome, examine};
use plainwire_atlassian::rest::{Credentials, Deployment, Product, Proxies, Secret, SiteSettings};

/// A text that must not be in any check.
pub(crate) const SECRET: &str = "tok-s3cr3t-9271";

/// A request: its path with the query, and its `Authorization`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) target: String,
    pub(crate) authorization: Option<String>,
}

/// A status, more headers and a body.
pub(crate) struct Reply(pub(crate) u16, pub(crate) String, pub(crate) String);

pub(crate) fn json(status: u16, body: &str) -> Reply {
    Reply(status, "content-type: application/json\r\n".to_owned(), body.to_owned())
}

pub(crate) fn page() -> Reply {
    Reply(200, "content-type: text/html\r\n".to_owned(), "<!DOCTYPE html><title>Log in</title>".to_owned())
}

/// A site.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Stub {
    /// Answers each request. `None` is what a healthy site answers.
    pub(crate) fn new(
        deployment: Deployment,
        answer: impl Fn(&Seen) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let stub = Self { address: listener.local_addr().expect("an address"), seen: Arc::default() };
        let (seen, answer) = (Arc::clone(&stub.seen), Arc::new(answer));
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                thread::spawn(move || {
                    let Some(request) = read(&mut stream) else { return };
                    seen.lock().expect("no panic").push(request.clone());
                    let Reply(status, headers, body) =
                        answer(&request).unwrap_or_else(|| healthy(deployment, &request));
                    let length = body.len();
                    let text = format!(
                        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
                    );
                    let _ = stream.write_all(text.as_bytes());
                });
            }
        });
        stub
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// Returns the settings for a path of this site.
    pub(crate) fn settings(&self, deployment: Deployment, path: &str) -> SiteSettings {
        let base = format!("http://{}{path}", self.address).parse().expect("a URL");
        let mut settings = SiteSettings::new(Product::Jira, base);
        settings.deployment = Some(deployment);
        settings.gateway = format!("http://{}/gateway", self.address).parse().expect("a URL");
        settings.proxies = Proxies::Direct;
        settings.credentials = match deployment {
            Deployment::Cloud => {
                Credentials::Basic { user: "ada@example.com".to_owned(), secret: Secret::new(SECRET) }
            }
            Deployment::DataCenter => Credentials::Bearer(Secret::new(SECRET)),
        };
        settings.timeout = Duration::from_secs(5);
        settings
    }
}

/// Answers as a healthy site at any path.
fn healthy(deployment: Deployment, request: &Seen) -> Reply {
    let kind = if deployment == Deployment::Cloud { "Cloud" } else { "Server" };
    let (path, _) = request.target.split_once('?').unwrap_or((&request.target, ""));
    match path.rsplit('/').next().unwrap_or_default() {
        "serverInfo" => json(200, &format!(r#"{{"version":"11.3.8","deploymentType":"{kind}"}}"#)),
        "tenant_info" => json(200, r#"{"cloudId":"1-a"}"#),
        _ if request.authorization.is_none() => json(401, "{}"),
        "myself" => json(200, r#"{"displayName":"Ada\u202e"}"#),
        "mypermissions" => json(
            200,
            &permissions(&[
                "BROWSE_PROJECTS",
                "CREATE_ISSUES",
                "EDIT_ISSUES",
                "DELETE_ISSUES",
                "ADD_COMMENTS",
                "TRANSITION_ISSUES",
                "ASSIGN_ISSUES",
                "LINK_ISSUES",
                "WORK_ON_ISSUES",
            ]),
        ),
        "search" | "jql" => json(200, r#"{"issues":[{"key":"SHOP-1"}]}"#),
        "board" | "info" => json(200, "{}"),
        _ => json(404, "{}"),
    }
}

/// Writes an answer about permissions.
pub(crate) fn permissions(all: &[&str]) -> String {
    let all: Vec<_> = all.iter().map(|it| format!(r#""{it}":{{"havePermission":true}}"#)).collect();
    format!(r#"{{"permissions":{{"ADMINISTER":{{"havePermission":false}},{}}}}}"#, all.join(","))
}

fn read(stream: &mut impl Read) -> Option<Seen> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    while !bytes.windows(4).any(|it| it == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            _ => return None,
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let target = text.split(' ').nth(1)?.to_owned();
    let authorization = text
        .lines()
        .find_map(|it| it.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("authorization")));
    Some(Seen { target, authorization: authorization.map(|(_, value)| value.to_owned()) })
}

/// Examines a site. No check has a secret, and the same checks are always there.
pub(crate) async fn checks(settings: &SiteSettings) -> Vec<Check> {
    let checks = examine(settings).await;
    let text = format!("{checks:?}");
    assert!(!text.contains(SECRET) && !text.contains('\u{202e}'), "{text}");
    assert_eq!(checks.len(), 16, "{text}");
    checks
}

/// Expects exactly one check that fails, and returns what was found and what is advised.
#[track_caller]
pub(crate) fn only_failure(checks: &[Check], name: &str) -> (String, String) {
    let failed: Vec<_> = checks.iter().filter(|it| it.outcome == Outcome::Failed).collect();
    assert!(failed.len() == 1 && failed[0].name == name, "{checks:#?}");
    (failed[0].found.clone(), failed[0].advice.clone().unwrap_or_default())
}

/// Returns a check by its name.
#[track_caller]
pub(crate) fn check<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|it| it.name == name).expect("a check")
}
