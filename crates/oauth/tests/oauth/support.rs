//! Test servers for OAuth: a protected server, two authorization servers, and a user with a browser. They
//! behave correctly unless a test gives them a fault, and they record all requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use plainwire::Result;
use plainwire::serde_json::{Value, json};
use plainwire_oauth::{Authorize, OAuth, OAuthBuilder, Outgoing, Refused, Url};

use crate::plain_http::{Request, Response, send, serve};

pub(crate) const REDIRECT: &str = "http://127.0.0.1:9/callback";

/// The state of the protected server and of both authorization servers. Tests read it and change it.
#[derive(Default)]
pub(crate) struct Fake {
    /// One line for each request: `rs` (the protected server), `as1` or `as2`, then the method and the path.
    pub(crate) log: Vec<String>,
    pub(crate) server: Server,
    pub(crate) first: Issuer,
    pub(crate) second: Issuer,
    /// The scopes of each access token that the protected server accepts, by token.
    tokens: BTreeMap<String, BTreeSet<String>>,
    minted: u32,
}

/// The settings of the protected server.
#[derive(Default)]
pub(crate) struct Server {
    /// The documents of the protected server, by path. A string is served as an HTML page, a number is the
    /// status of an empty response, and other JSON is served as it is.
    pub(crate) documents: BTreeMap<String, Value>,
    /// The `WWW-Authenticate` header of each 401, and of each response with the status `always`.
    pub(crate) challenge: String,
    /// The scope that a request needs, by the path of the request. A token without that scope is refused with
    /// a 403 that names the scope.
    pub(crate) wants: BTreeMap<String, String>,
    /// The target of the redirect at each path, by path.
    pub(crate) redirects: BTreeMap<String, String>,
    /// The status with which the server refuses each request that has a valid token; `None` serves such
    /// requests.
    pub(crate) always: Option<u16>,
    /// The function that answers the requests with an accepted token. If it is `None`, the answer is an empty
    /// 200.
    pub(crate) app: Option<App>,
}

/// A function that answers requests to the protected server.
pub(crate) type App = Box<dyn Fn(&Request) -> Response + Send>;

/// The settings of one authorization server, and the requests that it has received.
#[derive(Default)]
pub(crate) struct Issuer {
    /// The documents of the authorization server, by path; the values are those of [`Server::documents`].
    pub(crate) documents: BTreeMap<String, Value>,
    /// Further parameters, as name and value, of the redirect that ends a login. The redirect always has
    /// `state`, and `code` or `error`.
    pub(crate) redirect_with: Vec<(String, String)>,
    /// The `error` and `error_description` of the redirect that ends a login; `None` if the login succeeds
    /// and the redirect has a `code`.
    pub(crate) error: Option<(String, String)>,
    /// Members of the response to the registration of a client. The client id is added, unless
    /// `registration_status` is set.
    pub(crate) registers: Option<Value>,
    pub(crate) registration_status: Option<u16>,
    /// The response of the token endpoint to every request; `None` if the endpoint issues tokens.
    pub(crate) refuses: Option<Response>,
    /// The response of the revocation endpoint to every request; `None` for success.
    pub(crate) refuses_revocations: Option<Response>,
    /// A JSON object whose members are added to the token response, or replace members of it.
    pub(crate) token_with: Option<Value>,
    /// The time that the token endpoint waits before it answers.
    pub(crate) delay: Duration,
    /// Whether a refresh leaves the used refresh token valid, and returns no new one.
    pub(crate) keeps_refresh_tokens: bool,
    pub(crate) registrations: Vec<Value>,
    pub(crate) authorizations: Vec<BTreeMap<String, String>>,
    pub(crate) token_requests: Vec<(BTreeMap<String, String>, BTreeMap<String, String>)>,
    pub(crate) revocations: Vec<(BTreeMap<String, String>, BTreeMap<String, String>)>,
    codes: BTreeMap<String, BTreeMap<String, String>>,
    refresh_tokens: BTreeMap<String, String>,
}

#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) fake: Arc<Mutex<Fake>>,
    pub(crate) rs: String,
    pub(crate) as1: String,
    pub(crate) as2: String,
}

impl Setup {
    pub(crate) fn new() -> Self {
        let fake = Arc::new(Mutex::new(Fake::default()));
        let [rs, as1, as2] = ["rs", "as1", "as2"].map(|who| {
            let fake = Arc::clone(&fake);
            serve(move |request| answer(&fake, who, request))
        });
        let setup = Self { fake, rs, as1, as2 };
        let mut fake = setup.fake();
        let about = json!({"resource": setup.server(), "authorization_servers": [setup.as1]});
        fake.server.documents.insert("/.well-known/oauth-protected-resource/mcp".to_owned(), about);
        fake.server.challenge = format!(
            "Bearer resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\", scope=\"read\"",
            setup.rs
        );
        let path = || "/.well-known/oauth-authorization-server".to_owned();
        fake.first.documents.insert(path(), metadata(&setup.as1));
        fake.second.documents.insert(path(), metadata(&setup.as2));
        drop(fake);
        setup
    }

    pub(crate) fn fake(&self) -> MutexGuard<'_, Fake> {
        self.fake.lock().expect("no test panics with it")
    }

    pub(crate) fn server(&self) -> Url {
        Url::parse(&format!("{}/mcp", self.rs)).expect("a URL")
    }

    /// Sets `field` in the metadata of the first authorization server, or removes it if `value` is `null`.
    pub(crate) fn change(&self, field: &str, value: Value) {
        let mut fake = self.fake();
        let document =
            fake.first.documents.get_mut("/.well-known/oauth-authorization-server").expect("metadata");
        let fields = document.as_object_mut().expect("an object");
        if value.is_null() {
            fields.remove(field)
        } else {
            fields.insert(field.to_owned(), value)
        };
    }

    /// Makes the metadata of the protected server name the second authorization server only, and makes the
    /// protected server refuse all tokens issued so far.
    pub(crate) fn move_to_second(&self) {
        let path = "/.well-known/oauth-protected-resource/mcp";
        let mut fake = self.fake();
        fake.server.documents.get_mut(path).expect("metadata")["authorization_servers"] = json!([self.as2]);
        fake.tokens.clear();
    }

    /// Makes the protected server refuse all tokens issued so far.
    pub(crate) fn revoke_access(&self) {
        self.fake().tokens.clear();
    }

    /// Makes the first authorization server refuse all refresh tokens issued so far.
    pub(crate) fn revoke_refresh(&self) {
        self.fake().first.refresh_tokens.clear();
    }

    /// Returns the number of requests so far whose line in `Fake::log` begins with `start`.
    pub(crate) fn count(&self, start: &str) -> usize {
        self.fake().log.iter().filter(|it| it.starts_with(start)).count()
    }

    /// Returns a builder of an OAuth client whose user agrees to every request for access.
    pub(crate) fn oauth(&self) -> OAuthBuilder {
        OAuth::builder("Test host").redirect(REDIRECT, |url| async move { Ok(browse(&url)) })
    }

    pub(crate) async fn call(&self, oauth: &OAuth) -> Result<u16> {
        self.call_at(oauth, &self.server()).await
    }

    /// Sends requests to `url` of the protected server as a transport does, until the status is neither 401
    /// nor 403. Returns that status, or the error with which the OAuth client gives up.
    pub(crate) async fn call_at(&self, oauth: &OAuth, url: &Url) -> Result<u16> {
        let method = "POST".parse().expect("a method");
        for attempt in 0.. {
            let server = &self.server();
            let sent = oauth.headers(Outgoing { server, url, method: &method }).await?;
            let value = sent.get("authorization").map(|it| it.to_str().expect("text").to_owned());
            let headers: Vec<_> = value.iter().map(|it| ("authorization", it.as_str())).collect();
            let answer = send("POST", url, &headers);
            if !matches!(answer.status, 401 | 403) {
                return Ok(answer.status);
            }
            let mut headers = http::HeaderMap::new();
            if let Some(challenge) = answer.header("www-authenticate") {
                headers.insert("www-authenticate", challenge.parse().expect("a header value"));
            }
            let status = answer.status.try_into().expect("a status");
            oauth.challenged(Refused { server, status, headers: &headers, sent: &sent, attempt }).await?;
        }
        unreachable!("the loop has no end of its own")
    }

    /// Returns the error message of a call, which must have failed.
    #[track_caller]
    pub(crate) fn refusal(result: Result<u16>) -> String {
        result.expect_err("an error").to_string()
    }
}

/// Returns the metadata of an authorization server at `base` that has PKCE and registers clients, and has no
/// revocation endpoint.
pub(crate) fn metadata(base: &str) -> Value {
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
    })
}

/// Requests the authorization URL `url` like the browser of a user who agrees. Returns the URL of the
/// redirect, which carries the code, or an error, back to the client.
pub(crate) fn browse(url: &Url) -> Url {
    let answer = send("GET", url, &[]);
    Url::parse(answer.header("location").expect("a redirect")).expect("a URL")
}

pub(crate) fn s256(verifier: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    plainwire::proto::base64::encode_url(digest.as_ref())
}

fn answer(fake: &Mutex<Fake>, who: &str, request: Request) -> Response {
    let delay = {
        let mut fake = fake.lock().expect("no test panics with it");
        fake.log.push(format!("{who} {} {}", request.method, request.url.path()));
        if request.url.path() == "/token" { fake.first.delay } else { Duration::ZERO }
    };
    std::thread::sleep(delay);
    let mut fake = fake.lock().expect("no test panics with it");
    match who {
        "rs" if request.method == "POST" && request.url.path().starts_with("/mcp") => {
            fake.protected(&request)
        }
        "rs" => match fake.server.redirects.get(request.url.path()) {
            Some(to) => Response::new(302).with("location", to),
            None if fake.server.documents.contains_key(request.url.path())
                || request.method == "GET" && !is_endpoint(&request) =>
            {
                document(&fake.server.documents, &request)
            }
            // In 2025-03-26 the protected server is its own authorization server: its endpoints are those of
            // `as1`.
            None => fake.issue("as1", &request),
        },
        who => fake.issue(who, &request),
    }
}

fn is_endpoint(request: &Request) -> bool {
    request.url.path() == "/authorize"
}

fn document(documents: &BTreeMap<String, Value>, request: &Request) -> Response {
    match documents.get(request.url.path()) {
        Some(Value::String(page)) => Response::new(200).with("content-type", "text/html").body(page),
        Some(Value::Number(status)) => {
            Response::new(status.as_u64().and_then(|it| it.try_into().ok()).expect("a status"))
        }
        Some(found) => Response::json(200, found),
        None => Response::new(404),
    }
}

impl Fake {
    fn protected(&mut self, request: &Request) -> Response {
        let path = request.url.path();
        let token = request.headers.get("authorization").and_then(|it| it.strip_prefix("Bearer "));
        let scopes = token.and_then(|it| self.tokens.get(it));
        let Some(scopes) = scopes else {
            return Response::new(401).with("www-authenticate", &self.server.challenge);
        };
        if let Some(status) = self.server.always {
            return Response::new(status).with("www-authenticate", &self.server.challenge);
        }
        match self.server.wants.get(path) {
            Some(scope) if !scopes.contains(scope) => Response::new(403)
                .with("www-authenticate", &format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"")),
            _ => self.server.app.as_ref().map_or_else(|| Response::new(200), |app| app(request)),
        }
    }

    fn issue(&mut self, who: &str, request: &Request) -> Response {
        self.minted += 1;
        let n = self.minted;
        let issuer = if who == "as1" { &mut self.first } else { &mut self.second };
        match (request.method.as_str(), request.url.path()) {
            ("GET", "/authorize") => issuer.authorize(request, n),
            ("POST", "/register") => issuer.register(request, &format!("{who}-client-{n}")),
            ("POST", "/revoke") => {
                let form = request.form();
                issuer.revocations.push((form.clone(), request.headers.clone()));
                if let Some(refusal) = &issuer.refuses_revocations {
                    return refusal.clone();
                }
                issuer.refresh_tokens.remove(&form["token"]);
                self.tokens.remove(&form["token"]);
                Response::new(200)
            }
            ("POST", "/token") => {
                let (answer, token) = issuer.token(request, n);
                self.tokens.extend(token);
                answer
            }
            _ => document(&issuer.documents, request),
        }
    }
}

impl Issuer {
    fn register(&mut self, request: &Request, id: &str) -> Response {
        self.registrations.push(request.body.parse().expect("JSON"));
        let mut answer = self.registers.clone().unwrap_or_else(|| json!({}));
        if let Some(status) = self.registration_status {
            return Response::json(status, &answer);
        }
        answer["client_id"] = json!(id);
        Response::json(201, &answer)
    }

    fn authorize(&mut self, request: &Request, n: u32) -> Response {
        let query = request.query();
        let mut back = Url::parse(&query["redirect_uri"]).expect("a URL");
        match &self.error {
            Some((error, why)) => {
                back.query_pairs_mut().append_pair("error", error).append_pair("error_description", why);
            }
            None => {
                back.query_pairs_mut().append_pair("code", &format!("code-{n}"));
            }
        }
        back.query_pairs_mut().append_pair("state", &query["state"]).extend_pairs(&self.redirect_with);
        self.codes.insert(format!("code-{n}"), query.clone());
        self.authorizations.push(query);
        Response::new(302).with("location", back.as_str())
    }

    fn token(&mut self, request: &Request, n: u32) -> (Response, Option<(String, BTreeSet<String>)>) {
        let form = request.form();
        self.token_requests.push((form.clone(), request.headers.clone()));
        let refuse = |error: &str| (Response::json(400, &json!({"error": error})), None);
        if let Some(refusal) = &self.refuses {
            return (refusal.clone(), None);
        }
        let scope = match form["grant_type"].as_str() {
            "authorization_code" => {
                let Some(asked) = self.codes.remove(&form["code"]) else { return refuse("invalid_grant") };
                let same = asked["redirect_uri"] == form["redirect_uri"]
                    && asked.get("resource") == form.get("resource");
                if !same || asked["code_challenge"] != s256(&form["code_verifier"]) {
                    return refuse("invalid_grant");
                }
                asked.get("scope").cloned().unwrap_or_default()
            }
            "refresh_token" if self.keeps_refresh_tokens => {
                match self.refresh_tokens.get(&form["refresh_token"]) {
                    Some(scope) => scope.clone(),
                    None => return refuse("invalid_grant"),
                }
            }
            "refresh_token" => match self.refresh_tokens.remove(&form["refresh_token"]) {
                Some(scope) => scope,
                None => {
                    // An unknown refresh token may be a rotated one that was stolen, so all refresh tokens
                    // are revoked.
                    self.refresh_tokens.clear();
                    return refuse("invalid_grant");
                }
            },
            "client_credentials" => form.get("scope").cloned().unwrap_or_default(),
            _ => return refuse("unsupported_grant_type"),
        };
        let (access, refresh) = (format!("access-{n}"), format!("refresh-{n}"));
        let mut answer = json!({"access_token": access, "token_type": "Bearer", "expires_in": 3600});
        let is_kept = self.keeps_refresh_tokens && form["grant_type"] == "refresh_token";
        if form["grant_type"] != "client_credentials" && !is_kept {
            answer["refresh_token"] = json!(refresh);
            self.refresh_tokens.insert(refresh, scope.clone());
        }
        for (name, value) in self.token_with.iter().flat_map(|it| it.as_object().expect("an object")) {
            answer[name] = value.clone();
        }
        let granted = answer.get("scope").and_then(Value::as_str).unwrap_or(&scope);
        let scopes = granted.split(' ').map(ToOwned::to_owned).collect();
        (Response::json(200, &answer), Some((access, scopes)))
    }
}
