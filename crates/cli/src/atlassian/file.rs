//! Files of settings for Jira: JSON with comments, with the names of variables and their values.
//!
//! In: a path. Out: names and values. A file with secrets has to be one that no other user can read.

use std::io;
use std::path::{Path, PathBuf};

use plainwire_atlassian::settings::{KEYCHAIN, is_path, is_secret};
use serde_json::{Map, Value};

use crate::exit::Failure;

use crate::{jsonc, secret_file, visible};

/// The largest file of settings, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Returns the file of this machine beside a file: `atlassian.local.json` for `atlassian.json`.
pub(super) fn local(file: &Path) -> PathBuf {
    match file.extension() {
        Some(extension) => file.with_extension(format!("local.{}", extension.display())),
        None => file.with_extension("local"),
    }
}

/// Reads the values of a file; `None` if there is no such file.
pub(super) fn read(file: &Path) -> Result<Option<Vec<(String, String)>>, Failure> {
    let failed = |why: String| Failure::usage(format!("{}: {why}", file.display()));
    let bytes = match read_bytes(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error.to_string())),
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| failed("expected text in UTF-8, but found other bytes".to_owned()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let found = values(&text, folder).map_err(failed)?;
    let has_secret =
        |name: &str, value: &str| is_secret(name) && !value.is_empty() && !value.starts_with(KEYCHAIN);
    if !found.iter().any(|(name, value)| has_secret(name, value)) {
        return Ok(Some(found));
    }
    // Who may read the file may use the token. The values are those of the file whose mode was checked.
    let text = secret_file::read(file).map_err(|error| failed(error.to_string()))?;
    values(&text, folder).map(Some).map_err(failed)
}

/// Reads the values of JSON with comments. Paths are relative to the folder of the file.
fn values(text: &str, folder: &Path) -> Result<Vec<(String, String)>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = jsonc::parse(text)?;
    let Some(Value::Object(all)) = root.to_serde_value() else {
        return Err("expected an object with names and values, but found something else".to_owned());
    };
    let pair = |(name, value): (String, Value)| {
        let shown = visible::short_line(&name, 80);
        let mut text = text_of(value)
            .ok_or_else(|| format!("expected a text, a number, a switch or a list of texts as `{shown}`"))?;
        if is_path(&name) && !text.is_empty() {
            text = folder.join(text).display().to_string();
        }
        Ok((name, text))
    };
    all.into_iter().map(pair).collect()
}

/// Returns a value as variables have it: lists with commas, headers as JSON.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Number(it) => Some(it.to_string()),
        Value::String(it) => Some(it),
        Value::Array(all) => {
            let all: Option<Vec<_>> = all.iter().map(Value::as_str).collect();
            let text = all?.join(",");
            // A list of nothing is no limit, which is the opposite of what it says; so it is not blank, and is refused.
            Some(if text.is_empty() { ",".to_owned() } else { text })
        }
        Value::Object(all) => {
            all.values().all(Value::is_string).then(|| Value::from(Map::from_iter(all)).to_string())
        }
    }
}

pub(super) fn read_bytes(file: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("expected at most {MAX_BYTES} bytes, but found more")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_texts_numbers_switches_lists_and_headers() {
        let text = r#"{ // comments are fine
            "jira_url": "https://example.com", "JIRA_TIMEOUT": 5, "read_only_mode": true, "toolsets": ["issues", "comments"],
            "jira_custom_headers": { "X-A": "a, b" }, "jira_ca_file": "ca.pem", "jira_client_cert": "/etc/cert.pem", "no_proxy": null,
            "jira_projects_filter": [] }"#;
        let found = values(text, Path::new("/home/ada")).expect("values");
        let found: Vec<_> = found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        for expected in [
            ("jira_url", "https://example.com"),
            ("JIRA_TIMEOUT", "5"),
            ("read_only_mode", "true"),
            ("toolsets", "issues,comments"),
            ("jira_custom_headers", r#"{"X-A":"a, b"}"#),
            ("jira_ca_file", "/home/ada/ca.pem"),
            ("jira_client_cert", "/etc/cert.pem"),
            ("no_proxy", ""),
            ("jira_projects_filter", ","),
        ] {
            assert!(found.contains(&expected), "{expected:?} {found:?}");
        }
        for (text, expected) in [
            ("[]", "expected an object"),
            ("{", "line 1"),
            (r#"{"a":[1]}"#, "as `a`"),
            (r#"{"a":{"b":1}}"#, "as `a`"),
        ] {
            let error = values(text, Path::new("")).expect_err("an error");
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn the_local_file_is_beside_the_file() {
        for (file, expected) in [
            ("/a/atlassian.json", "/a/atlassian.local.json"),
            ("b.c.jsonc", "b.c.local.jsonc"),
            ("b", "b.local"),
        ] {
            assert_eq!(local(Path::new(file)), Path::new(expected));
        }
    }
}
