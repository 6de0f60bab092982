//! Keys of issues: read once, and only those of projects that the server may touch.
//!
//! In: a key, an id, or the address of an issue. Out: a [`Key`]. Each function about one issue takes a key, so none forgets the limit.

use std::fmt;

use plainwire::ToolError;
use serde::Deserialize;
use serde_json::Value;

use super::Jira;
use super::search::within;
use crate::rest::Upstream;

/// The longest key, in characters.
const MAX_KEY: usize = 255;

/// The key or id of an issue that the server may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads a key, an id, or an address with a key, such as `https://example.atlassian.net/browse/SHOP-1`.
fn read(text: &str) -> Option<&str> {
    let text = text.trim();
    let key = match text.split_once("/browse/") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next()?,
        None => text,
    };
    let is_id = !key.is_empty() && key.bytes().all(|it| it.is_ascii_digit());
    let parts = key.rsplit_once('-');
    let is_key = parts.is_some_and(|(project, number)| {
        // Data Center allows digits and underscores, and keys of any length.
        project.starts_with(|it: char| it.is_alphabetic())
            && project.chars().all(|it| it.is_alphanumeric() || it == '_')
            && !number.is_empty()
            && number.bytes().all(|it| it.is_ascii_digit())
    });
    (key.len() <= MAX_KEY && (is_id || is_key)).then_some(key)
}

impl Jira {
    /// Reads the key of an issue. If the server is limited to projects, the issue has to be in one of them now, whatever its key was before.
    ///
    /// # Errors
    /// Text that is no key; an issue of another project, or none.
    pub async fn key(&self, text: &str) -> Result<Key, ToolError> {
        let key = read(text).ok_or_else(|| {
            ToolError::invalid_input(format!(
                "expected the key of an issue such as SHOP-1, but found {text:?}"
            ))
            .hint("jira_search finds issues by their words")
        })?;
        if !self.projects().is_empty() {
            let found: Value = self.site().json(self.get(["issue", key]).query("fields", "project")).await?;
            let project = &found["fields"]["project"];
            self.allow(project, &format!("the issue {key}")).await?;
        }
        Ok(Key(key.to_owned()))
    }

    /// Reads the key of a project that the server may touch.
    ///
    /// # Errors
    /// A project that it may not touch, or that there is not.
    pub async fn project_key(&self, text: &str) -> Result<String, ToolError> {
        let key = text.trim();
        if !self.projects().is_empty() {
            let project: Value = self.site().json(self.get(["project", key])).await?;
            self.allow(&project, &format!("the project {key}")).await?;
            // The present key: a query does not know a former one.
            return Ok(project["key"].as_str().unwrap_or(key).to_owned());
        }
        Ok(key.to_owned())
    }

    /// Refuses a project that the server may not touch. Projects are compared by id: a project that was renamed stays the same.
    async fn allow(&self, project: &Value, what: &str) -> Result<(), ToolError> {
        if self.may_touch(project).await? {
            return Ok(());
        }
        Err(ToolError::new("forbidden", format!("{what} is not in a project that this server may touch"))
            .hint(format!("it may touch {}", self.projects().join(", "))))
    }

    /// Returns whether the server may touch a project, by the `id` in its JSON.
    pub(super) async fn may_touch(&self, project: &Value) -> Result<bool, Upstream> {
        if self.projects().is_empty() {
            return Ok(true);
        }
        let allowed = self.allowed().await?;
        let id = project["id"].as_str().map_or_else(|| project["id"].to_string(), ToOwned::to_owned);
        Ok(allowed.iter().any(|it| it.id == id))
    }

    /// Returns JQL that finds what `jql` finds in the projects that the server may touch. They are named by their present keys: a query does
    /// not know a former one.
    ///
    /// # Errors
    /// JQL whose quotes or parentheses are not closed; a project of the settings that there is not.
    pub async fn limited(&self, jql: &str) -> Result<String, ToolError> {
        let keys = match self.projects().is_empty() {
            true => Vec::new(),
            false => self.allowed().await?.iter().map(|it| it.key.clone()).collect(),
        };
        within(jql, &keys)
    }

    /// Returns whether an issue that another one names is of a project that the server may touch, by its key.
    pub(crate) fn may_show(&self, key: &str) -> bool {
        let project = key.rsplit_once('-').map_or("", |(project, _)| project);
        let same = |it: &str| it.eq_ignore_ascii_case(project);
        self.projects().is_empty()
            || match self.kept.allowed.get() {
                Some(allowed) => allowed.iter().any(|it| same(&it.key)),
                None => self.projects().iter().any(|it| same(it)),
            }
    }

    /// Returns the projects that the server may touch. They are asked once.
    async fn allowed(&self) -> Result<&[Allowed], Upstream> {
        let ask = async || {
            let mut allowed = Vec::new();
            for key in self.projects() {
                allowed.push(self.site().json(self.get(["project", key.as_str()])).await?);
            }
            Ok(allowed)
        };
        self.kept.allowed.get_or_try_init(ask).await.map(Vec::as_slice)
    }
}

/// A project that the server may touch, under its present key.
#[derive(Debug, Deserialize)]
pub(super) struct Allowed {
    id: String,
    key: String,
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn keys_are_those_of_cloud_and_of_data_center() {
        for (text, key) in [
            ("SHOP-1", Some("SHOP-1")),
            (" shop-12 ", Some("shop-12")),
            ("OPS_2-7", Some("OPS_2-7")),
            ("A1B2-100", Some("A1B2-100")),
            ("10001", Some("10001")),
            ("https://example.atlassian.net/browse/SHOP-1?focusedCommentId=7", Some("SHOP-1")),
            ("https://jira.example/jira/browse/OPS_2-7", Some("OPS_2-7")),
            ("SHOP", None),
            ("SHOP-", None),
            ("-1", None),
            ("1A-1", None),
            ("SHOP-1/../../user", None),
            ("SHOP-1\" OR project = SECRET", None),
            ("", None),
        ] {
            assert_eq!(read(text), key, "{text}");
        }
        assert_eq!(read(&format!("{}-1", "A".repeat(300))), None);
    }
}
