//! The epic of an issue, which Data Center has in a field of its own.
//!
//! In: the name of a field, and the value for it. Out: the field that the site takes the value in.

use plainwire::ToolError;
use serde_json::Value;

use super::Jira;
use super::dialect::Epic;
use super::fields::{Field, Fields};
use super::input::named_issue;

impl Jira {
    /// Returns the field that a name means for a value. A parent that is an epic is the value of Epic Link, where the site has one: `parent` is
    /// for sub-tasks there. So is no parent at all, since a sub-task always has one.
    ///
    /// # Errors
    /// A name that is not clear; a parent that the server may not touch, or that there is not.
    pub(super) async fn field_for<'a>(
        &self,
        fields: &'a Fields,
        name: &str,
        value: &Value,
    ) -> Result<&'a Field, ToolError> {
        let field = fields.meant(name)?;
        let Epic::Field(kind) = self.dialect.epic else { return Ok(field) };
        let link = fields.of_type(kind.rsplit_once(':').map_or(kind, |(_, name)| name));
        match link.filter(|_| field.id == "parent") {
            Some(link) if value.is_null() || self.is_epic(fields, &named_issue(value)).await? => Ok(link),
            _ => Ok(field),
        }
    }

    async fn is_epic(&self, fields: &Fields, text: &str) -> Result<bool, ToolError> {
        let key = self.key(text).await?;
        // Each epic has to have a name.
        let name = fields.of_type("gh-epic-label").map_or("issuetype", |it| it.id.as_str());
        let issue = self.issue(key.as_str(), name, &[]).await?;
        Ok(match name {
            "issuetype" => issue.value(name)["name"] == "Epic",
            name => !issue.value(name).is_null(),
        })
    }
}
