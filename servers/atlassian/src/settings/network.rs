//! The network between the server and the site: TLS, proxies, headers, limits.

use std::time::Duration;

use super::reader::Reader;
use crate::rest::{ClientCertificate, Permission, Proxies, Proxy, ProxyScope, Secret, SiteSettings};

/// The longest time limit of a request: an hour.
const MAX_SECONDS: u64 = 3600;

/// The largest download that may be set: it is held in memory.
const MAX_BYTES: u64 = 1 << 30;

pub(super) fn read(reader: &mut Reader<'_>, site: &mut SiteSettings) {
    read_tls(reader, site);
    site.headers = headers(reader);
    site.proxies = proxies(reader);
    read_limits(reader, site);
}

fn read_tls(reader: &mut Reader<'_>, site: &mut SiteSettings) {
    if reader.switch("JIRA_SSL_VERIFY") == Some(false) {
        site.dangerous_accept_any_certificate = true;
        reader.warn("JIRA_SSL_VERIFY: the certificate of the site is not checked, so that whoever is in between can read the token; \
             JIRA_CA_FILE trusts the certificate of a company");
    }
    site.ca_certificates = reader.file("JIRA_CA_FILE");
    if let Some(chain) = reader.file("JIRA_CLIENT_CERT") {
        let key =
            if reader.has("JIRA_CLIENT_KEY") { reader.file("JIRA_CLIENT_KEY") } else { Some(chain.clone()) };
        match key.map(String::from_utf8) {
            Some(Ok(key)) => {
                site.client_certificate = Some(ClientCertificate { chain, key: Secret::new(key) })
            }
            Some(Err(_)) => reader.problem(
                "JIRA_CLIENT_KEY",
                "expected a private key in PEM, but found bytes that are no text",
            ),
            None => {}
        }
    } else if reader.has("JIRA_CLIENT_KEY") && !reader.has("JIRA_CLIENT_CERT") {
        reader.problem(
            "JIRA_CLIENT_CERT",
            "expected the certificate for the key of JIRA_CLIENT_KEY, but found nothing",
        );
    }
}

/// Reads headers: `Name=value,Name=value`, or an object of JSON, whose values may have commas.
fn headers(reader: &mut Reader<'_>) -> Vec<(String, Secret)> {
    let name = "JIRA_CUSTOM_HEADERS";
    let Some(text) = reader.text(name) else { return Vec::new() };
    let pair = |(name, value): (&str, &str)| (name.trim().to_owned(), Secret::new(value.trim()));
    if text.starts_with('{') {
        let Ok(all) = serde_json::from_str::<std::collections::BTreeMap<String, String>>(text) else {
            reader.problem(name, "expected an object of JSON with texts, but found something else");
            return Vec::new();
        };
        return all.iter().map(|(name, value)| pair((name, value))).collect();
    }
    let mut found = Vec::new();
    for (n, part) in text.split(',').enumerate().filter(|(_, part)| !part.trim().is_empty()) {
        match part.split_once('=').filter(|(name, _)| !name.trim().is_empty()) {
            Some(it) => found.push(pair(it)),
            // The part may be the end of a value with a comma, and so a secret.
            None => {
                let expected = "expected `Name=value`, but found no `=` in part";
                reader.problem(
                    name,
                    format!("{expected} {}; a value with commas needs an object of JSON", n + 1),
                );
            }
        }
    }
    found
}

/// Reads the proxies: those for Jira before those for all programs. Without any, the system decides.
fn proxies(reader: &mut Reader<'_>) -> Proxies {
    let except = reader.text("JIRA_NO_PROXY").or(reader.text("NO_PROXY")).map(ToOwned::to_owned);
    if reader.text("JIRA_NO_PROXY") == Some("*") {
        return Proxies::Direct;
    }
    // Without a scheme, as curl reads it. The first one that fits an address is its proxy.
    let rows = [
        (["JIRA_HTTP_PROXY", "HTTP_PROXY"], ProxyScope::Http, "http"),
        (["JIRA_HTTPS_PROXY", "HTTPS_PROXY"], ProxyScope::Https, "http"),
        (["JIRA_SOCKS_PROXY", "SOCKS_PROXY"], ProxyScope::All, "socks5h"),
        (["ALL_PROXY"; 2], ProxyScope::All, "http"),
    ];
    let mut proxies = Vec::new();
    for (names, scope, scheme) in rows {
        let Some(name) = names.into_iter().find(|it| reader.has(it)) else { continue };
        let Some(address) = reader.text(name) else { continue };
        let address =
            if address.contains("://") { address.to_owned() } else { format!("{scheme}://{address}") };
        let proxy = Proxy { scope, address: Secret::new(address) };
        match proxy.check() {
            Ok(()) => proxies.push(proxy),
            Err(fault) => reader.problem(name, fault.message),
        }
    }
    if proxies.is_empty() {
        if reader.has("JIRA_NO_PROXY") {
            reader.warn("JIRA_NO_PROXY has no effect here, because no proxy is set; `*` turns off the proxies of the system");
        }
        return Proxies::System;
    }
    Proxies::Named { proxies, except }
}

fn read_limits(reader: &mut Reader<'_>, site: &mut SiteSettings) {
    let millis = Duration::from_millis;
    if let Some(it) = reader.number("ATLASSIAN_READ_TIMEOUT", "milliseconds", 1..=MAX_SECONDS * 1000) {
        site.timeout = millis(it);
    }
    if let Some(it) = reader.number("JIRA_TIMEOUT", "seconds", 1..=MAX_SECONDS) {
        site.timeout = Duration::from_secs(it);
    }
    if let Some(it) = reader.number("ATLASSIAN_CONNECT_TIMEOUT", "milliseconds", 1..=MAX_SECONDS * 1000) {
        site.connect_timeout = millis(it);
    }
    if let Some(it) = reader.number("ATLASSIAN_RETRY_TOTAL", "attempts", 0..=10) {
        site.max_retries = u32::try_from(it).unwrap_or(10);
    }
    if let Some(text) = reader.text("ATLASSIAN_RETRY_BACKOFF") {
        match text.parse().ok().filter(|it| (0.0..=60.0).contains(it)) {
            Some(seconds) => site.backoff = Duration::from_secs_f64(seconds),
            None => reader.unexpected("ATLASSIAN_RETRY_BACKOFF", "a number of seconds from 0 to 60"),
        }
    }
    match reader.number("ATLASSIAN_MAX_CONCURRENT_REQUESTS", "requests", 0..=1000) {
        // In mcp-atlassian, 0 is no limit.
        Some(0) => reader.warn(format!(
            "ATLASSIAN_MAX_CONCURRENT_REQUESTS=0 has no effect here, because there is always a limit: {}",
            site.max_concurrent
        )),
        Some(it) => site.max_concurrent = usize::try_from(it).unwrap_or(1),
        None => {}
    }
    if let Some(it) = reader.number("JIRA_MAX_DOWNLOAD_BYTES", "bytes", 1..=MAX_BYTES) {
        site.max_download_bytes = usize::try_from(it).unwrap_or(usize::MAX);
    }
    if reader.switch("JIRA_PRIVATE_DOWNLOADS") == Some(true) {
        site.private_downloads = Permission::Granted;
    }
}
