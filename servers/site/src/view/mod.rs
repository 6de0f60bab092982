//! The JSON of things, as the API of the deployment has it.
//!
//! In: ids. Out: JSON with addresses at the site's own base. What is looked up for one request is kept until it ends.

mod issue;
mod person;

use std::cell::RefCell;
use std::collections::HashMap;

use rusqlite::Row;
use serde_json::{Value, json};

use crate::fault::Result;
use crate::text;
use crate::work::Work;

pub(crate) use issue::Wanted;

/// The form of rich text in an API: version 3 has ADF, all others wiki markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// `/rest/api/2`, `/rest/agile/1.0`, `/rest/servicedeskapi`
    V2,
    /// `/rest/api/3`
    V3,
}

/// How things look in one API.
pub(crate) struct View<'a> {
    pub(crate) work: &'a Work<'a>,
    /// The address of the site, without a slash at the end.
    pub(crate) base: String,
    pub(crate) version: Version,
    kept: RefCell<HashMap<(&'static str, i64), Value>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(work: &'a Work<'a>, base: String, version: Version) -> Self {
        Self { work, base, version, kept: RefCell::default() }
    }

    /// Returns an address below the API of the platform.
    pub(crate) fn api(&self, path: &str) -> String {
        let version = if self.version == Version::V3 { "3" } else { "2" };
        format!("{}/rest/api/{version}/{path}", self.base)
    }

    /// Returns what `read` makes of a row of a table, and keeps it for the rest of the request. Null without such a row.
    fn row(
        &self,
        table: &'static str,
        id: i64,
        read: impl FnOnce(&Self, &Row<'_>) -> rusqlite::Result<Value>,
    ) -> Result<Value> {
        if let Some(kept) = self.kept.borrow().get(&(table, id)) {
            return Ok(kept.clone());
        }
        let sql = format!("SELECT * FROM {table} WHERE id = ?1");
        let value = self.work.one(&sql, [id], |row| read(self, row))?.unwrap_or(Value::Null);
        self.kept.borrow_mut().insert((table, id), value.clone());
        Ok(value)
    }

    /// Returns rich text in the form of this API.
    pub(crate) fn rich(&self, body: &str) -> Value {
        match self.version {
            Version::V3 => text::as_adf(body),
            Version::V2 => Value::String(text::as_wiki(self.work.deployment, body)),
        }
    }

    pub(crate) fn status(&self, id: i64) -> Result<Value> {
        self.row("status", id, |it, row| {
            let category: String = row.get("category")?;
            Ok(json!({
                "self": it.api(&format!("status/{id}")),
                "description": row.get::<_, String>("description")?,
                "iconUrl": format!("{}/images/icons/statuses/generic.png", it.base),
                "name": row.get::<_, String>("name")?,
                "id": id.to_string(),
                "statusCategory": it.status_category(&category),
            }))
        })
    }

    pub(crate) fn status_category(&self, key: &str) -> Value {
        let (id, color, name) = match key {
            "new" => (2, "blue-gray", "To Do"),
            "done" => (3, "green", "Done"),
            "indeterminate" => (4, "yellow", "In Progress"),
            _ => (1, "medium-gray", "No Category"),
        };
        json!({
            "self": self.api(&format!("statuscategory/{id}")), "id": id, "key": key, "colorName": color, "name": name,
        })
    }

    pub(crate) fn issue_type(&self, id: i64) -> Result<Value> {
        self.row("issue_type", id, |it, row| {
            let level: i64 = row.get("level")?;
            let avatar: i64 = row.get("avatar")?;
            let mut value = json!({
                "self": it.api(&format!("issuetype/{id}")),
                "id": id.to_string(),
                "description": row.get::<_, String>("description")?,
                "iconUrl": format!("{}/secure/viewavatar?size=medium&avatarId={avatar}&avatarType=issuetype", it.base),
                "name": row.get::<_, String>("name")?,
                "subtask": level < 0,
                "avatarId": avatar,
            });
            if it.work.is_cloud() {
                value["hierarchyLevel"] = json!(level);
            }
            Ok(value)
        })
    }

    pub(crate) fn priority(&self, id: i64) -> Result<Value> {
        self.row("priority", id, |it, row| {
            let name: String = row.get("name")?;
            Ok(json!({
                "self": it.api(&format!("priority/{id}")),
                "iconUrl": format!("{}/images/icons/priorities/{}.svg", it.base, name.to_lowercase()),
                "name": name,
                "id": id.to_string(),
            }))
        })
    }

    pub(crate) fn resolution(&self, id: i64) -> Result<Value> {
        self.row("resolution", id, |it, row| {
            Ok(json!({
                "self": it.api(&format!("resolution/{id}")),
                "id": id.to_string(),
                "description": row.get::<_, String>("description")?,
                "name": row.get::<_, String>("name")?,
            }))
        })
    }

    pub(crate) fn component(&self, id: i64) -> Result<Value> {
        self.row("component", id, |it, row| {
            let mut value = json!({
                "self": it.api(&format!("component/{id}")),
                "id": id.to_string(),
                "name": row.get::<_, String>("name")?,
            });
            let description: String = row.get("description")?;
            if !description.is_empty() {
                value["description"] = json!(description);
            }
            Ok(value)
        })
    }

    pub(crate) fn version_of(&self, id: i64) -> Result<Value> {
        self.row("version", id, |it, row| {
            let mut value = json!({
                "self": it.api(&format!("version/{id}")),
                "id": id.to_string(),
                "name": row.get::<_, String>("name")?,
                "archived": row.get::<_, bool>("archived")?,
                "released": row.get::<_, bool>("released")?,
            });
            let description: String = row.get("description")?;
            if !description.is_empty() {
                value["description"] = json!(description);
            }
            if let Some(date) = row.get::<_, Option<String>>("release_date")? {
                value["releaseDate"] = json!(date);
            }
            Ok(value)
        })
    }

    /// Returns an option of a custom field; one of the lower level with the upper one around it.
    pub(crate) fn option(&self, id: i64) -> Result<Value> {
        let parent: Option<i64> =
            self.work.one("SELECT parent_id FROM option WHERE id = ?1", [id], |row| row.get(0))?.flatten();
        let own = self.row("option", id, |it, row| {
            Ok(json!({
                "self": it.api(&format!("customFieldOption/{id}")),
                "value": row.get::<_, String>("value")?,
                "id": id.to_string(),
            }))
        })?;
        let Some(parent) = parent else { return Ok(own) };
        let mut upper = self.option(parent)?;
        upper["child"] = own;
        Ok(upper)
    }

    pub(crate) fn group(&self, id: i64) -> Result<Value> {
        self.row("\"group\"", id, |it, row| {
            let name: String = row.get("name")?;
            let link = url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>();
            let mut value = json!({ "name": name, "self": it.api(&format!("group?groupname={link}")) });
            if it.work.is_cloud() {
                value["groupId"] = json!(format!("276f955c-63d7-42c8-9520-{id:012}"));
            }
            Ok(value)
        })
    }

    /// Returns a project in the short form that issues and lists have.
    pub(crate) fn project(&self, id: i64) -> Result<Value> {
        self.row("project", id, |it, row| {
            let kind: String = row.get("type")?;
            let mut value = json!({
                "self": it.api(&format!("project/{id}")),
                "id": id.to_string(),
                "key": row.get::<_, String>("key")?,
                "name": row.get::<_, String>("name")?,
                "projectTypeKey": kind,
                "avatarUrls": it.avatars(&format!("{}/secure/projectavatar?pid={id}", it.base)),
            });
            if it.work.is_cloud() {
                value["simplified"] = json!(false);
            }
            if let Some(category) = row.get::<_, Option<String>>("category")? {
                let category_id = 10_000 + category.len();
                value["projectCategory"] = json!({
                    "self": it.api(&format!("projectCategory/{category_id}")),
                    "id": category_id.to_string(), "name": category, "description": "",
                });
            }
            if row.get::<_, bool>("archived")? {
                value["archived"] = json!(true);
            }
            Ok(value)
        })
    }

    /// Returns a sprint as a field of issues has it.
    pub(crate) fn sprint(&self, id: i64) -> Result<Value> {
        self.row("sprint", id, |_, row| {
            let mut value = json!({
                "id": id,
                "name": row.get::<_, String>("name")?,
                "state": row.get::<_, String>("state")?,
                "boardId": row.get::<_, i64>("board_id")?,
                "goal": row.get::<_, String>("goal")?,
            });
            for (name, column) in
                [("startDate", "start_date"), ("endDate", "end_date"), ("completeDate", "completed")]
            {
                if let Some(time) = row.get::<_, Option<i64>>(column)? {
                    value[name] = json!(iso(time));
                }
            }
            Ok(value)
        })
    }

    pub(crate) fn request_type(&self, id: i64) -> Result<Value> {
        self.row("request_type", id, |it, row| {
            Ok(json!({
                "_links": { "self": format!("{}/rest/servicedeskapi/servicedesk/{}/requesttype/{id}", it.base, row.get::<_, i64>("desk_id")?) },
                "requestType": { "id": id.to_string(), "name": row.get::<_, String>("name")?, "description": row.get::<_, String>("description")? },
            }))
        })
    }

    pub(crate) fn avatars(&self, address: &str) -> Value {
        let sign = if address.contains('?') { '&' } else { '?' };
        let sized = |size: &str| format!("{address}{sign}size={size}");
        json!({
            "16x16": sized("xsmall"), "24x24": sized("small"), "32x32": sized("medium"), "48x48": sized("large"),
        })
    }
}

/// Returns a time as the agile API writes it: in UTC, with `Z`.
pub(crate) fn iso(millis: i64) -> String {
    crate::time::of(millis).replace("+0000", "Z")
}
