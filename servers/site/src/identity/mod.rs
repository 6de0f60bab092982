//! The people who are signed in: passwords, tokens, and the site's own OAuth server.
//!
//! In: the header `Authorization`. Out: a person. Cloud takes an e-mail with an API token, or an access token; Data Center a user name with a
//! password, or a personal access token. A token with scopes works only at the gateway, as Atlassian's do.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};

use crate::fault::{Fault, Result};
use crate::work::Work;

pub(crate) mod oauth;
#[cfg(test)]
mod tests;

/// The id of the site at the gateway of Cloud.
pub(crate) const CLOUD_ID: &str = "11223344-a1b2-4c33-8d44-1234567890ab";

/// The door through which a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// `api.atlassian.com/ex/jira/{cloudId}`
    Gateway,
    /// The site's own address.
    Site,
}

/// Returns the hash by which tokens and passwords are stored.
pub fn hash(secret: &str) -> String {
    digest(&SHA256, secret.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the person of a header `Authorization`; none without one.
///
/// # Errors
/// 401 for credentials that are wrong, have expired, or work only at the other door.
pub(crate) fn person(work: &Work<'_>, header: Option<&str>, door: Door) -> Result<Option<i64>> {
    let Some(header) = header else { return Ok(None) };
    let refused = || Fault::new(401, "Client must be authenticated to access this resource.");
    let (scheme, rest) = header.split_once(' ').ok_or_else(refused)?;
    let found = match scheme.to_ascii_lowercase().as_str() {
        "basic" => {
            let decoded = STANDARD.decode(rest.trim()).ok().and_then(|it| String::from_utf8(it).ok());
            let decoded = decoded.ok_or_else(refused)?;
            let (name, secret) = decoded.split_once(':').ok_or_else(refused)?;
            basic(work, name, secret, door)?
        }
        "bearer" => bearer(work, rest.trim(), door)?,
        _ => None,
    };
    let person = found.ok_or_else(refused)?;
    let active = work.one("SELECT active FROM person WHERE id = ?1", [person], |row| row.get(0))?;
    if active == Some(true) { Ok(Some(person)) } else { Err(refused()) }
}

fn basic(work: &Work<'_>, name: &str, secret: &str, door: Door) -> Result<Option<i64>> {
    if !work.is_cloud() {
        let sql = "SELECT id FROM person WHERE name = ?1 COLLATE NOCASE AND password = ?2";
        return work.one(sql, (name, hash(secret)), |row| row.get(0));
    }
    let sql = "SELECT p.id FROM token t JOIN person p ON p.id = t.person_id
        WHERE t.hash = ?1 AND t.kind IN ('api', 'any') AND p.email = ?2 COLLATE NOCASE
        AND (t.expires IS NULL OR t.expires > ?3) AND (t.scopes IS NOT NULL) <= ?4";
    work.one(sql, (hash(secret), name, work.now, door == Door::Gateway), |row| row.get(0))
}

fn bearer(work: &Work<'_>, token: &str, door: Door) -> Result<Option<i64>> {
    let kinds = match (work.is_cloud(), door) {
        (true, Door::Gateway) => "('access')",
        // The site's own address knows no token of an application.
        (true, Door::Site) => return Ok(None),
        (false, _) => "('pat', 'any', 'access')",
    };
    let sql = format!(
        "SELECT t.person_id FROM token t LEFT JOIN \"grant\" g ON g.id = t.grant_id
         WHERE t.hash = ?1 AND t.kind IN {kinds} AND (t.expires IS NULL OR t.expires > ?2) AND coalesce(g.ended, 0) = 0"
    );
    work.one(&sql, (hash(token), work.now), |row| row.get(0))
}
