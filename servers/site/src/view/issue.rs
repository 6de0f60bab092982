//! The JSON of issues: their fields, by kind.
//!
//! In: an issue and the fields that were asked for. Out: the object `fields`, with null for those that are empty.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use super::View;
use crate::fault::Result;
use crate::field::{self, Field, Kind, Value};
use crate::issue::{Issue, load};
use crate::time;

/// The fields that a request asks for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    all: bool,
    names: BTreeSet<String>,
    without: BTreeSet<String>,
}

/// The fields that `*navigable` leaves out.
const NOT_NAVIGABLE: [&str; 4] = ["attachment", "comment", "timetracking", "worklog"];

impl Wanted {
    /// Reads a list such as `summary,status`, `*all,-comment` or `*navigable`; `default` if it is empty.
    pub(crate) fn read<'a>(names: impl IntoIterator<Item = &'a str>, default: &'a str) -> Self {
        let mut names: Vec<_> = names.into_iter().collect();
        if names.is_empty() {
            names = default.split(',').collect();
        }
        let mut wanted = Self { all: false, names: BTreeSet::new(), without: BTreeSet::new() };
        for name in names {
            match name {
                "*all" => wanted.all = true,
                "*navigable" => {
                    wanted.all = true;
                    wanted.without.extend(NOT_NAVIGABLE.map(ToOwned::to_owned));
                }
                name => match name.strip_prefix('-') {
                    Some(name) => drop(wanted.without.insert(name.to_owned())),
                    None => drop(wanted.names.insert(name.to_owned())),
                },
            }
        }
        // Without any name, all but those named with a minus are wanted.
        wanted.all |= wanted.names.is_empty() && !wanted.without.is_empty();
        wanted
    }

    /// Whether a field is among them, by its id or, as Jira takes it too, its name.
    fn has(&self, field: &Field) -> bool {
        let named = self.names.contains(&field.id);
        named || (self.all && !self.without.contains(&field.id))
    }
}

impl View<'_> {
    /// Returns an issue with the fields that are wanted: `id`, `key`, `self`, `fields`.
    pub(crate) fn issue(&self, issue: &Issue, fields: &[Field], wanted: &Wanted) -> Result<Json> {
        let mut values = Map::new();
        for field in fields.iter().filter(|it| wanted.has(it)) {
            if let Some(value) = self.field(issue, field)? {
                values.insert(field.id.clone(), value);
            }
        }
        Ok(json!({
            "expand": "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
            "id": issue.id.to_string(),
            "self": self.api(&format!("issue/{}", issue.id)),
            "key": issue.key,
            "fields": values,
        }))
    }

    /// Returns the value of a field; nothing for a field that an issue does not show.
    fn field(&self, issue: &Issue, field: &Field) -> Result<Option<Json>> {
        if field.kind == Kind::Computed {
            return self.computed(issue, &field.id);
        }
        if field.id == "parent" {
            return issue.ref_of("parent").map(|id| self.related(id)).transpose();
        }
        let Some(value) = issue.values.get(&field.id) else {
            let is_list =
                matches!(field.kind, Kind::Components | Kind::Labels | Kind::Versions) && !field.is_custom();
            return Ok(Some(if is_list { json!([]) } else { Json::Null }));
        };
        self.value(field.kind, value).map(Some)
    }

    /// Returns the JSON of a value.
    pub(crate) fn value(&self, kind: Kind, value: &Value) -> Result<Json> {
        Ok(match value {
            Value::Text(text) if kind == Kind::Rich => self.rich(text),
            Value::Text(text) => json!(text),
            Value::Texts(texts) => json!(texts),
            Value::Number(number) if kind == Kind::Time => json!(time::of(*number as i64)),
            Value::Number(number) if kind == Kind::Duration => json!(*number as i64),
            Value::Number(number) => json!(number),
            Value::Ref(id) => self.named(kind, *id)?,
            Value::Refs(ids) => {
                Json::Array(ids.iter().map(|id| self.named(kind, *id)).collect::<Result<_>>()?)
            }
        })
    }

    fn named(&self, kind: Kind, id: i64) -> Result<Json> {
        match kind {
            Kind::Cascade | Kind::Option | Kind::Options => self.option(id),
            Kind::Components => self.component(id),
            Kind::Group => self.group(id),
            Kind::IssueType => self.issue_type(id),
            Kind::Priority => self.priority(id),
            Kind::RequestType => self.request_type(id),
            Kind::Resolution => self.resolution(id),
            Kind::Sprints if self.work.is_cloud() => self.sprint(id),
            Kind::Sprints => Ok(json!(self.sprint_text(id)?)),
            Kind::Status => self.status(id),
            Kind::User | Kind::Users => self.person(id),
            Kind::Version | Kind::Versions => self.version_of(id),
            Kind::Issue => Ok(load(self.work, &[id])?.first().map_or(Json::Null, |it| json!(it.key))),
            _ => Ok(json!(id)),
        }
    }

    /// Returns a sprint as Data Center writes it: the text of an object of its program.
    fn sprint_text(&self, id: i64) -> Result<String> {
        let sprint = self.sprint(id)?;
        let text = |name: &str| sprint[name].as_str().map_or("<null>".to_owned(), ToOwned::to_owned);
        Ok(format!(
            "com.atlassian.greenhopper.service.sprint.Sprint@{id:x}[id={id},rapidViewId={},state={},name={},startDate={},endDate={},completeDate={},activatedDate={},sequence={id},goal={}]",
            sprint["boardId"],
            text("state").to_uppercase(),
            text("name"),
            text("startDate"),
            text("endDate"),
            text("completeDate"),
            text("startDate"),
            text("goal"),
        ))
    }

    /// Returns another issue in the short form of links, parents and sub-tasks.
    pub(crate) fn related(&self, id: i64) -> Result<Json> {
        let Some(issue) = load(self.work, &[id])?.pop() else { return Ok(Json::Null) };
        let named = |field: &str, kind: Kind| -> Result<Json> {
            issue.ref_of(field).map_or(Ok(Json::Null), |id| self.named(kind, id))
        };
        Ok(json!({
            "id": issue.id.to_string(),
            "key": issue.key,
            "self": self.api(&format!("issue/{}", issue.id)),
            "fields": {
                "summary": issue.text_of("summary"),
                "status": named("status", Kind::Status)?,
                "priority": named("priority", Kind::Priority)?,
                "issuetype": named("issuetype", Kind::IssueType)?,
            },
        }))
    }

    fn computed(&self, issue: &Issue, field: &str) -> Result<Option<Json>> {
        let ids = |sql: &str| self.work.all(sql, [issue.id], |row| row.get::<_, i64>(0));
        Ok(Some(match field {
            "project" => self.project(issue.project_id)?,
            "created" => json!(time::of(issue.created)),
            "updated" => json!(time::of(issue.updated)),
            "customfield_10019" => json!(issue.rank),
            "statusCategory" => {
                let status = issue.ref_of("status").map_or(Ok(Json::Null), |id| self.status(id))?;
                status["statusCategory"].clone()
            }
            "subtasks" => {
                let sql = "SELECT v.issue_id FROM value v JOIN value t ON t.issue_id = v.issue_id AND t.field_id = 'issuetype'
                    JOIN issue_type k ON k.id = t.ref WHERE v.field_id = 'parent' AND v.ref = ?1 AND k.level < 0 ORDER BY v.issue_id";
                Json::Array(ids(sql)?.into_iter().map(|id| self.related(id)).collect::<Result<_>>()?)
            }
            "issuelinks" => self.links(issue.id)?,
            "attachment" => {
                let all = ids("SELECT id FROM attachment WHERE issue_id = ?1 ORDER BY id")?;
                Json::Array(all.into_iter().map(|id| self.attachment(id)).collect::<Result<_>>()?)
            }
            "comment" => {
                let all = ids("SELECT id FROM comment WHERE issue_id = ?1 ORDER BY created, id")?;
                let all: Vec<_> = all.into_iter().map(|id| self.comment(id)).collect::<Result<_>>()?;
                let total = all.len();
                json!({
                    "comments": all, "self": self.api(&format!("issue/{}/comment", issue.id)),
                    "maxResults": total, "total": total, "startAt": 0,
                })
            }
            "worklog" => {
                let all = ids("SELECT id FROM worklog WHERE issue_id = ?1 ORDER BY started, id")?;
                let total = all.len();
                // Issues have the first twenty; the rest is a page of its own.
                let some: Vec<_> =
                    all.into_iter().take(20).map(|id| self.worklog(id)).collect::<Result<_>>()?;
                json!({ "startAt": 0, "maxResults": 20, "total": total, "worklogs": some })
            }
            "watches" => json!({
                "self": self.api(&format!("issue/{}/watchers", issue.key)),
                "watchCount": ids("SELECT person_id FROM watcher WHERE issue_id = ?1")?.len(),
                "isWatching": false,
            }),
            "votes" => json!({
                "self": self.api(&format!("issue/{}/votes", issue.key)),
                "votes": ids("SELECT person_id FROM vote WHERE issue_id = ?1")?.len(),
                "hasVoted": false,
            }),
            "timetracking" => time_tracking(issue),
            "progress" | "aggregateprogress" => {
                let spent = issue.number_of("timespent").unwrap_or_default() as i64;
                let total = spent + issue.number_of("timeestimate").unwrap_or_default() as i64;
                json!({ "progress": spent, "total": total })
            }
            "aggregatetimespent" => number(issue, "timespent"),
            "aggregatetimeestimate" => number(issue, "timeestimate"),
            "aggregatetimeoriginalestimate" => number(issue, "timeoriginalestimate"),
            "workratio" => json!(-1),
            "lastViewed" | "security" => Json::Null,
            _ => return Ok(None),
        }))
    }

    fn links(&self, issue: i64) -> Result<Json> {
        let sql = "SELECT id, link_type_id, source_id, destination_id FROM link WHERE source_id = ?1 OR destination_id = ?1 ORDER BY id";
        let rows = self.work.all(sql, [issue], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?))
        })?;
        let mut links = Vec::new();
        for (id, kind, source, destination) in rows {
            let (side, other) =
                if source == issue { ("outwardIssue", destination) } else { ("inwardIssue", source) };
            links.push(json!({
                "id": id.to_string(),
                "self": self.api(&format!("issueLink/{id}")),
                "type": self.link_type(kind)?,
                side: self.related(other)?,
            }));
        }
        Ok(Json::Array(links))
    }

    pub(crate) fn link_type(&self, id: i64) -> Result<Json> {
        self.row("link_type", id, |it, row| {
            Ok(json!({
                "id": id.to_string(),
                "name": row.get::<_, String>("name")?,
                "inward": row.get::<_, String>("inward")?,
                "outward": row.get::<_, String>("outward")?,
                "self": it.api(&format!("issueLinkType/{id}")),
            }))
        })
    }

    pub(crate) fn attachment(&self, id: i64) -> Result<Json> {
        let sql =
            "SELECT filename, author_id, created, media_type, length(content) FROM attachment WHERE id = ?1";
        let found = self.work.one(sql, [id], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, String>(3)?,
                row.get::<_, i64>(4)?,
            ))
        })?;
        let Some((filename, author, created, media_type, size)) = found else { return Ok(Json::Null) };
        let content = if self.work.is_cloud() {
            self.api(&format!("attachment/content/{id}"))
        } else {
            let name = url::form_urlencoded::byte_serialize(filename.as_bytes()).collect::<String>();
            format!("{}/secure/attachment/{id}/{}", self.base, name.replace('+', "%20"))
        };
        let mut value = json!({
            "self": self.api(&format!("attachment/{id}")),
            "id": id.to_string(),
            "filename": filename,
            "author": self.person(author)?,
            "created": time::of(created),
            "size": size,
            "mimeType": media_type,
            "content": content,
        });
        if media_type.starts_with("image/") {
            value["thumbnail"] = json!(self.api(&format!("attachment/thumbnail/{id}")));
        }
        Ok(value)
    }

    pub(crate) fn comment(&self, id: i64) -> Result<Json> {
        let sql = "SELECT * FROM comment WHERE id = ?1";
        let found = self.work.one(sql, [id], |row| {
            Ok((
                (
                    row.get::<_, i64>("issue_id")?,
                    row.get::<_, i64>("author_id")?,
                    row.get::<_, i64>("update_author_id")?,
                ),
                row.get::<_, String>("body")?,
                (row.get::<_, i64>("created")?, row.get::<_, i64>("updated")?),
                row.get::<_, Option<String>>("visibility")?,
                row.get::<_, bool>("internal")?,
            ))
        })?;
        let Some(((issue, author, updater), body, (created, updated), visibility, internal)) = found else {
            return Ok(Json::Null);
        };
        let mut value = json!({
            "self": self.api(&format!("issue/{issue}/comment/{id}")),
            "id": id.to_string(),
            "author": self.person(author)?,
            "body": self.rich(&body),
            "updateAuthor": self.person(updater)?,
            "created": time::of(created),
            "updated": time::of(updated),
        });
        if self.work.is_cloud() {
            value["jsdPublic"] = json!(!internal);
        }
        if let Some(visibility) = visibility {
            value["visibility"] = serde_json::from_str(&visibility).unwrap_or_default();
        }
        Ok(value)
    }

    pub(crate) fn worklog(&self, id: i64) -> Result<Json> {
        let sql = "SELECT * FROM worklog WHERE id = ?1";
        let found = self.work.one(sql, [id], |row| {
            Ok((
                (
                    row.get::<_, i64>("issue_id")?,
                    row.get::<_, i64>("author_id")?,
                    row.get::<_, i64>("update_author_id")?,
                ),
                row.get::<_, Option<String>>("comment")?,
                (row.get::<_, i64>("started")?, row.get::<_, i64>("seconds")?),
                (row.get::<_, i64>("created")?, row.get::<_, i64>("updated")?),
            ))
        })?;
        let Some(((issue, author, updater), comment, (started, seconds), (created, updated))) = found else {
            return Ok(Json::Null);
        };
        let mut value = json!({
            "self": self.api(&format!("issue/{issue}/worklog/{id}")),
            "author": self.person(author)?,
            "updateAuthor": self.person(updater)?,
            "created": time::of(created),
            "updated": time::of(updated),
            "started": time::of(started),
            "timeSpent": spoken(seconds),
            "timeSpentSeconds": seconds,
            "id": id.to_string(),
            "issueId": issue.to_string(),
        });
        if let Some(comment) = comment {
            value["comment"] = self.rich(&comment);
        }
        Ok(value)
    }

    /// Returns the names of fields, and their schemas, for `expand`.
    pub(crate) fn field_schema(field: &Field) -> Json {
        let (kind, items) = field::schema_type(field.kind);
        let mut schema = json!({ "type": kind });
        if let Some(items) = items {
            schema["items"] = json!(items);
        }
        match &field.custom {
            Some(custom) => {
                schema["custom"] = json!(custom);
                schema["customId"] = json!(field.number());
            }
            None => schema["system"] = json!(field.id),
        }
        schema
    }
}

fn number(issue: &Issue, field: &str) -> Json {
    issue.number_of(field).map_or(Json::Null, |it| json!(it as i64))
}

fn time_tracking(issue: &Issue) -> Json {
    let mut value = json!({});
    for (field, name) in [
        ("timeoriginalestimate", "originalEstimate"),
        ("timeestimate", "remainingEstimate"),
        ("timespent", "timeSpent"),
    ] {
        if let Some(seconds) = issue.number_of(field) {
            value[name] = json!(spoken(seconds as i64));
            value[format!("{name}Seconds")] = json!(seconds as i64);
        }
    }
    value
}

/// Returns a duration as Jira writes it: weeks of five days of eight hours.
pub(crate) fn spoken(mut seconds: i64) -> String {
    let mut parts = Vec::new();
    for (unit, size) in [("w", 144_000), ("d", 28_800), ("h", 3_600), ("m", 60)] {
        if seconds >= size {
            parts.push(format!("{}{unit}", seconds / size));
            seconds %= size;
        }
    }
    if parts.is_empty() { "0m".to_owned() } else { parts.join(" ") }
}
