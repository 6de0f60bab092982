//! The site's own OAuth server: consent, codes, and tokens that are renewed.
//!
//! In: the requests of an application and the decision of a person. Out: an authorization code, and for it an
//! access token; with the scope `offline_access` a refresh token too, which is good for one use. Cloud has it
//! at `auth.atlassian.com` and `api.atlassian.com`, Data Center below `/rest/oauth2/latest`. Applications are
//! not registered: each client id is one, and each client secret is its own.
//!
//! A refused request for a token still changes something, such as the end of a grant, so it is answered and
//! is no error.

mod page;
mod scope;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value as Json, json};

use super::CLOUD_ID;
use super::{Door, basic, hash};
use crate::call::{Answer, Body, Call};
use crate::fault::{Fault, Result};
use crate::operation::{Access, On, Operation, operation};
use crate::seed;

pub(crate) use scope::refusal;

/// The operations of this file.
pub(crate) const OPERATIONS: &[Operation] = &[
    open("GET", "/_edge/tenant_info", On::Cloud, tenant),
    open("GET", "/authorize", On::Cloud, consent),
    open("POST", "/authorize", On::Cloud, decide),
    open("POST", "/oauth/token", On::Cloud, token),
    operation("GET", "/oauth/token/accessible-resources", On::Cloud, resources),
    operation("GET", "/me", On::Cloud, me),
    open("GET", "/rest/oauth2/latest/authorize", On::DataCenter, consent),
    open("POST", "/rest/oauth2/latest/authorize", On::DataCenter, decide),
    open("POST", "/rest/oauth2/latest/token", On::DataCenter, token),
];

/// The time for which an access token is good, in seconds.
const ACCESS_SECONDS: i64 = 3_600;

/// The time for which a code is good, in milliseconds.
const CODE_MILLIS: i64 = 10 * 60 * 1_000;

/// The largest number of characters of a parameter. The addresses of applications are shorter.
const MAX_PARAMETER: usize = 2_048;

/// Makes an operation for anyone.
const fn open(
    method: &'static str,
    path: &'static str,
    on: On,
    run: fn(&Call<'_>) -> Result<Answer>,
) -> Operation {
    Operation { access: Access::Anyone, ..operation(method, path, on, run) }
}

fn tenant(_: &Call<'_>) -> Result<Answer> {
    Answer::ok(json!({ "cloudId": CLOUD_ID }))
}

/// What an application asks a person for.
struct Request {
    client_id: String,
    redirect: url::Url,
    scopes: String,
    state: String,
    challenge: Option<String>,
}

/// A request that can be answered to the application, at its own address.
enum Asked {
    Refused(Answer),
    Valid(Request),
}

impl Request {
    /// Reads the parameters. An error that is not the application's to know, such as a wrong address of it,
    /// is an error of the request.
    fn read(call: &Call<'_>, parameter: impl Fn(&str) -> String) -> Result<Asked> {
        if ["client_id", "redirect_uri", "scope", "state"]
            .iter()
            .any(|it| parameter(it).len() > MAX_PARAMETER)
        {
            return Err(Fault::bad("A parameter is longer than this site takes."));
        }
        let client_id = parameter("client_id");
        if client_id.is_empty() {
            return Err(Fault::bad("client_id is required"));
        }
        if call.work.is_cloud() && parameter("audience") != "api.atlassian.com" {
            return Err(Fault::bad("audience must be api.atlassian.com"));
        }
        let redirect = redirect_of(&parameter("redirect_uri"))?;
        let state = parameter("state");
        let refused = |error: &str, description: &str| {
            let pairs = [("error", error), ("error_description", description), ("state", state.as_str())];
            Ok(Asked::Refused(Answer::See(with_query(&redirect, &pairs))))
        };
        if parameter("response_type") != "code" {
            return refused("unsupported_response_type", "response_type must be code");
        }
        let scopes = parameter("scope").split_whitespace().collect::<Vec<_>>().join(" ");
        if scopes.is_empty() || !scope::are_valid(call.work, &scopes) {
            return refused("invalid_scope", "scope has no name, or one that is not valid");
        }
        let challenge = Some(parameter("code_challenge")).filter(|it| !it.is_empty());
        if challenge.is_some() && parameter("code_challenge_method") != "S256" {
            return refused("invalid_request", "code_challenge_method must be S256");
        }
        Ok(Asked::Valid(Self { client_id, redirect, scopes, state, challenge }))
    }

    /// Returns the address of the application with what came of it.
    fn answer(&self, name: &str, value: &str) -> Answer {
        Answer::See(with_query(&self.redirect, &[(name, value), ("state", &self.state)]))
    }
}

/// Returns the address of an application: one of this machine, or one with TLS.
fn redirect_of(text: &str) -> Result<url::Url> {
    let wrong =
        || Fault::bad("redirect_uri must be an address of this machine, or one that begins with https");
    let address = url::Url::parse(text).map_err(|_| wrong())?;
    let is_local = match address.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let is_fit = match address.scheme() {
        "http" => is_local,
        "https" => address.has_host(),
        _ => false,
    };
    if is_fit && address.fragment().is_none() { Ok(address) } else { Err(wrong()) }
}

/// Adds parameters to an address; empty ones are left out.
fn with_query(address: &url::Url, pairs: &[(&str, &str)]) -> String {
    let mut address = address.clone();
    address.query_pairs_mut().extend_pairs(pairs.iter().filter(|(_, value)| !value.is_empty()));
    address.to_string()
}

/// Returns the parameters of a form.
fn form(call: &Call<'_>) -> Vec<(String, String)> {
    match call.body {
        Body::Bytes(bytes) => url::form_urlencoded::parse(bytes).into_owned().collect(),
        Body::Files(_) => Vec::new(),
    }
}

fn value_of(pairs: &[(String, String)], name: &str) -> String {
    pairs.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone()).unwrap_or_default()
}

/// Shows the page on which a person decides.
fn consent(call: &Call<'_>) -> Result<Answer> {
    match Request::read(call, |name| call.query(name).unwrap_or_default().to_owned())? {
        Asked::Refused(answer) => Ok(answer),
        Asked::Valid(request) => {
            Ok(Answer::Page(page::consent(&request, &call.query, "", demo(call)?.is_some())))
        }
    }
}

/// The demo user, as long as their token is the one that everybody knows.
fn demo(call: &Call<'_>) -> Result<Option<i64>> {
    let Some(account) = seed::accounts().into_iter().next() else { return Ok(None) };
    let sql = "SELECT t.person_id FROM token t JOIN person p ON p.id = t.person_id WHERE t.hash = ?1 AND p.email = ?2";
    call.work.one(sql, (hash(&account.token), account.email), |row| row.get(0))
}

/// Takes the decision: to the application goes a code, or that it was refused.
fn decide(call: &Call<'_>) -> Result<Answer> {
    let form = form(call);
    let request = match Request::read(call, |name| value_of(&form, name))? {
        Asked::Refused(answer) => return Ok(answer),
        Asked::Valid(request) => request,
    };
    let demo = demo(call)?;
    let person = match value_of(&form, "decision").as_str() {
        "allow" => basic(call.work, &value_of(&form, "account"), &value_of(&form, "secret"), Door::Site)?,
        "allow-demo" => demo,
        _ => return Ok(request.answer("error", "access_denied")),
    };
    let sql = "SELECT id FROM person WHERE id = ?1 AND active = 1";
    let person: Option<i64> = call.work.one(sql, [person], |row| row.get(0))?;
    let Some(person) = person else {
        let note = "Nobody can sign in with these.";
        return Ok(Answer::Page(page::consent(&request, &form, note, demo.is_some())));
    };
    let sql = "INSERT INTO \"grant\" (person_id, client_id, scopes) VALUES (?1, ?2, ?3)";
    let grant = call.work.add(sql, (person, &request.client_id, &request.scopes))?;
    let code = random()?;
    call.work.run(
        "INSERT INTO code (hash, grant_id, redirect, challenge, expires) VALUES (?1, ?2, ?3, ?4, ?5)",
        (
            hash(&code),
            grant,
            value_of(&form, "redirect_uri"),
            &request.challenge,
            call.work.now + CODE_MILLIS,
        ),
    )?;
    Ok(request.answer("code", &code))
}

/// Returns a text that nobody can guess.
fn random() -> Result<String> {
    let mut bytes = [0_u8; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Fault::new(500, "The system has no random bytes."))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The parameters of a request for a token: a form, and on Cloud JSON too. Data Center takes them from the
/// query as well.
fn token_parameters(call: &Call<'_>) -> Result<Vec<(String, String)>> {
    let is_json = matches!(call.body, Body::Bytes(bytes) if bytes.trim_ascii_start().starts_with(b"{"));
    if is_json && call.work.is_cloud() {
        let members = call.object()?.into_iter();
        return Ok(members.filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))).collect());
    }
    let mut pairs = form(call);
    if !call.work.is_cloud() {
        pairs.extend(call.query.iter().cloned());
    }
    Ok(pairs)
}

fn token(call: &Call<'_>) -> Result<Answer> {
    let pairs = token_parameters(call)?;
    let value = |name: &str| value_of(&pairs, name);
    if value("client_id").is_empty() {
        return Ok(refused(call, "invalid_request", "client_id is required"));
    }
    match value("grant_type").as_str() {
        "authorization_code" => redeem(call, &value),
        "refresh_token" => renew(call, &value),
        _ => Ok(refused(
            call,
            "unsupported_grant_type",
            "grant_type must be authorization_code or refresh_token",
        )),
    }
}

/// An error of the token's address. Cloud answers a grant that is not valid with 403.
fn refused(call: &Call<'_>, error: &str, description: &str) -> Answer {
    let status = match (error, call.work.is_cloud()) {
        ("invalid_grant", true) => 403,
        ("invalid_client", _) => 401,
        _ => 400,
    };
    Answer::Json(status, json!({ "error": error, "error_description": description }))
}

/// Gives a token for a code. The code is used up, whether it fits or not.
fn redeem(call: &Call<'_>, value: &impl Fn(&str) -> String) -> Result<Answer> {
    let sql = "DELETE FROM code WHERE hash = ?1 RETURNING grant_id, redirect, challenge, expires";
    let found = call.work.one(sql, [hash(&value("code"))], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, String>(1)?,
            row.get::<_, Option<String>>(2)?,
            row.get::<_, i64>(3)?,
        ))
    })?;
    let invalid = || Ok(refused(call, "invalid_grant", "Invalid authorization code"));
    let Some((grant, redirect, challenge, expires)) = found else { return invalid() };
    let sql = "SELECT client_id FROM \"grant\" WHERE id = ?1";
    let client: Option<String> = call.work.one(sql, [grant], |row| row.get(0))?;
    if expires < call.work.now || client != Some(value("client_id")) || redirect != value("redirect_uri") {
        return invalid();
    }
    match challenge {
        Some(challenge) => {
            let verifier = digest(&SHA256, value("code_verifier").as_bytes());
            if URL_SAFE_NO_PAD.encode(verifier) != challenge {
                return Ok(refused(call, "invalid_grant", "Failed to verify code verifier"));
            }
        }
        None if value("client_secret").is_empty() => {
            return Ok(refused(call, "invalid_client", "client_secret or a code_verifier is required"));
        }
        None => {}
    }
    issue(call, grant)
}

/// Gives new tokens for a refresh token. One that was used before has been stolen, or its thief has used it:
/// its grant ends.
fn renew(call: &Call<'_>, value: &impl Fn(&str) -> String) -> Result<Answer> {
    let invalid = || Ok(refused(call, "invalid_grant", "Unknown or invalid refresh token."));
    let given = hash(&value("refresh_token"));
    let sql =
        "UPDATE \"grant\" SET ended = 1 WHERE id IN (SELECT grant_id FROM used_refresh WHERE hash = ?1)";
    if call.work.run(sql, [&given])? > 0 {
        return invalid();
    }
    let sql = "SELECT id FROM \"grant\" WHERE refresh = ?1 AND ended = 0 AND client_id = ?2";
    let grant: Option<i64> = call.work.one(sql, (&given, value("client_id")), |row| row.get(0))?;
    let Some(grant) = grant else { return invalid() };
    call.work.run("INSERT INTO used_refresh (hash, grant_id) VALUES (?1, ?2)", (&given, grant))?;
    issue(call, grant)
}

/// Makes an access token of a grant, and the next refresh token if the grant has any.
fn issue(call: &Call<'_>, grant: i64) -> Result<Answer> {
    let sql = "SELECT person_id, scopes FROM \"grant\" WHERE id = ?1";
    let found: Option<(i64, String)> = call.work.one(sql, [grant], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (person, scopes) = found.ok_or_else(|| Fault::new(500, "Internal server error"))?;
    let access = random()?;
    call.work.run(
        "INSERT INTO token (hash, person_id, kind, scopes, grant_id, expires) VALUES (?1, ?2, 'access', ?3, ?4, ?5)",
        (hash(&access), person, &scopes, grant, call.work.now + ACCESS_SECONDS * 1_000),
    )?;
    // Tokens that have expired are of no use to anyone.
    call.work.run("DELETE FROM token WHERE kind = 'access' AND expires <= ?1", [call.work.now])?;
    let is_cloud = call.work.is_cloud();
    let mut value = json!({
        "access_token": access, "expires_in": ACCESS_SECONDS, "token_type": if is_cloud { "Bearer" } else { "bearer" }, "scope": scopes,
    });
    if !is_cloud || scopes.split(' ').any(|it| it == "offline_access") {
        let refresh = random()?;
        call.work.run("UPDATE \"grant\" SET refresh = ?1 WHERE id = ?2", (hash(&refresh), grant))?;
        value["refresh_token"] = json!(refresh);
    }
    if !is_cloud {
        value["created_at"] = json!(call.work.now / 1_000);
    }
    Answer::ok(value)
}

/// Returns the sites that a token is good for: this one.
fn resources(call: &Call<'_>) -> Result<Answer> {
    let scopes = scope::granted(call.work, call.authorization)?.unwrap_or_default();
    let scopes: Vec<_> = scopes.split(' ').filter(|it| scope::is_of_site(it)).collect();
    let base = call.view.base.split("/ex/jira/").next().unwrap_or_default();
    Answer::ok(json!([{
        "id": CLOUD_ID, "url": base, "name": "plainwire", "scopes": scopes,
        "avatarUrl": format!("{base}/images/icons/site.png"),
    }]))
}

fn me(call: &Call<'_>) -> Result<Answer> {
    let person = call.view.person(call.person)?;
    Answer::ok(json!({
        "account_type": person["accountType"], "account_id": person["accountId"], "email": person["emailAddress"],
        "name": person["displayName"], "nickname": person["displayName"], "picture": person["avatarUrls"]["48x48"],
        "account_status": "active", "zoneinfo": person["timeZone"], "locale": "en-US", "email_verified": true,
        "extended_profile": Json::Object(serde_json::Map::new()),
    }))
}
