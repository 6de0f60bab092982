//! Finds the authorization servers of an MCP server, by that server's metadata as a protected resource (RFC
//! 9728).
//!
//! In: the URL of a server, and the URL of its metadata if the server has named one. Out: the server's own
//! identifier, and the issuers that it names. [`super::metadata`] reads the metadata of an issuer.

use serde::Deserialize;
use url::{Position, Url};

use super::fault::{Failure, quoted};
use super::fetch::GuardedHttp;
use super::scope::Scopes;

/// The metadata of a protected resource, as an MCP server publishes it about itself.
#[derive(Clone, Debug)]
pub(super) struct ProtectedResource {
    /// The identifier of the MCP server: the value of the parameter `resource` in OAuth requests, exactly as
    /// the metadata has it.
    pub(super) resource: String,
    /// The issuers of tokens for the MCP server. Never empty.
    pub(super) issuers: Vec<String>,
    /// The scopes of the MCP server (`scopes_supported`); `None` if it lists none.
    pub(super) scopes: Option<Scopes>,
}

/// The servers that metadata may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MetadataOf {
    /// The server, or a URL of the same origin that the server's path lies below.
    Origin,
    /// The server alone.
    Server,
}

#[derive(Deserialize)]
struct Document {
    resource: Option<String>,
    #[serde(default)]
    authorization_servers: Vec<String>,
    scopes_supported: Option<Vec<String>>,
}

/// Finds the metadata of `server`: at `named`, the `resource_metadata` of the server's challenge, or else at
/// the two well-known URLs. `None` if there is no metadata, as with a server of revision 2025-03-26.
///
/// # Errors
/// If the metadata is about another server, or names no authorization server.
pub(super) async fn find(
    web: &GuardedHttp,
    server: &Url,
    named: Option<&str>,
    of: MetadataOf,
) -> Result<Option<ProtectedResource>, Failure> {
    if let Some(named) = named {
        let url = Url::parse(named).map_err(|_| {
            Failure::server(format!("expected `resource_metadata` to be a URL, but found {}", quoted(named)))
        })?;
        if let Some(document) = web.document(&url).await? {
            return checked(document, server, of).map(Some);
        }
    }
    for url in well_known(server) {
        if let Some(document) = web.document(&url).await? {
            return checked(document, server, of).map(Some);
        }
    }
    Ok(None)
}

fn checked(document: Document, server: &Url, of: MetadataOf) -> Result<ProtectedResource, Failure> {
    let resource = document.resource.ok_or_else(|| {
        Failure::server("expected the metadata of the server to have a `resource`, but found none")
    })?;
    let is_same = || Url::parse(&resource).is_ok_and(|it| canonical(&it) == canonical(server));
    if !(is_about(&resource, server) && (of == MetadataOf::Origin || is_same())) {
        // Spec: RFC 9728 §3.3: metadata that does not match must not be used.
        return Err(Failure::server(format!(
            "expected metadata about {}, but found it to be about {}",
            quoted(&canonical(server)),
            quoted(&resource)
        )));
    }
    if document.authorization_servers.is_empty() {
        return Err(Failure::server("expected the server to name an authorization server, but found none"));
    }
    Ok(ProtectedResource {
        resource,
        issuers: document.authorization_servers,
        scopes: document.scopes_supported.map(Scopes::from_iter),
    })
}

/// Returns whether metadata with this `resource` is about `server`: `resource` is the server's URL, or a URL
/// that the server's path lies below. So the metadata at the root covers all servers of its origin.
fn is_about(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let plain =
        resource.fragment().is_none() && resource.username().is_empty() && resource.password().is_none();
    let base = resource.path().trim_end_matches('/');
    let below = server.path().strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let same_query = resource.query().is_none() || resource.query() == server.query();
    plain && resource.origin() == server.origin() && below && same_query
}

/// Returns the well-known URLs of the metadata of `server`: the one for its path, if it has a path, then the
/// one for its origin.
fn well_known(server: &Url) -> Vec<Url> {
    let at = |rest: &str| server.join(&format!("/.well-known/oauth-protected-resource{rest}")).ok();
    let path = &server[Position::BeforePath..Position::AfterQuery];
    let special = at(path).filter(|_| path != "/");
    special.into_iter().chain(at("")).collect()
}

/// Returns the canonical URI of an MCP server: without fragment and user, and without a slash in place of an
/// empty path.
pub(super) fn canonical(server: &Url) -> String {
    let origin = super::fault::origin(server);
    match &server[Position::BeforePath..Position::AfterQuery] {
        "/" => origin,
        rest => format!("{origin}{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn the_place_for_the_path_comes_before_the_root() {
        let places =
            |server: &str| -> Vec<String> { well_known(&url(server)).iter().map(Url::to_string).collect() };
        let root = "https://a.example/.well-known/oauth-protected-resource";
        assert_eq!(places("https://a.example/public/mcp"), [format!("{root}/public/mcp"), root.to_owned()]);
        assert_eq!(places("https://a.example"), [root]);
        assert_eq!(places("https://a.example/mcp?t=1#x")[0], format!("{root}/mcp?t=1"));
    }

    #[test]
    fn metadata_is_about_the_server_or_what_it_lies_below() {
        let server = url("https://a.example/team/mcp?t=1");
        for it in [
            "https://a.example/team/mcp",
            "https://a.example/team/mcp?t=1",
            "https://a.example/team/mcp/",
            "https://a.example/team",
            "https://a.example",
            "https://a.example:443/",
            "HTTPS://A.example",
        ] {
            assert!(is_about(it, &server), "{it}");
        }
        for it in [
            "https://b.example/team/mcp",
            "http://a.example/team/mcp",
            "https://a.example:8443/team/mcp",
            "https://a.example/te",
            "https://a.example/team/mcp/more",
            "https://a.example/team/mcp?t=2",
            "https://a.example/team/mcp#x",
            "https://b@a.example/team/mcp",
            "a.example",
            "",
        ] {
            assert!(!is_about(it, &server), "{it}");
        }
    }

    #[test]
    fn a_server_is_known_by_its_url_without_a_bare_slash() {
        assert_eq!(canonical(&url("HTTPS://A.example:443/")), "https://a.example");
        assert_eq!(canonical(&url("https://u:p@a.example/mcp?t=1#x")), "https://a.example/mcp?t=1");
    }
}
