//! The members `fields` and `update` of a request that makes or changes an issue.
//!
//! In: JSON, and the screen that the request is for. Out: the changes, or Jira's sentences about each field that is wrong: all of them at
//! once.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::call::Call;
use crate::fault::{Fault, Result};
use crate::field::{Field, Kind, Value, custom};
use crate::issue::{Change, Issue};
use crate::permission;
use crate::screen::input::{Input, estimates};
use crate::screen::{self, Screen, ScreenField};
use crate::work::Deployment;

/// A screen, and where it is.
pub(crate) struct Scope {
    pub(crate) project: i64,
    pub(crate) issue_type: i64,
    screen: Vec<ScreenField>,
    is_create: bool,
}

/// The contents of a request.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) changes: Vec<Change>,
    pub(crate) comments: Vec<Json>,
    pub(crate) worklogs: Vec<Json>,
    pub(crate) links: Vec<Json>,
}

/// The sentences about fields, by their ids.
type Errors = BTreeMap<String, String>;

/// Returns the project that a request names, if the caller may see it.
pub(crate) fn project_of(call: &Call<'_>, body: &Map<String, Json>) -> Result<i64> {
    let named = body.get("fields").and_then(|it| it.get("project"));
    let text = |name: &str| named.and_then(|it| it.get(name)).and_then(Json::as_str);
    let found = match (text("id"), text("key")) {
        (Some(id), _) => {
            let sql = "SELECT id FROM project WHERE CAST(id AS TEXT) = ?1";
            call.work.one(sql, [id], |row| row.get(0))?
        }
        (None, Some(key)) => {
            let sql = "SELECT id FROM project WHERE key = ?1 UNION SELECT project_id FROM former_project_key WHERE key = ?1";
            call.work.one(sql, [key.to_uppercase()], |row| row.get(0))?
        }
        (None, None) => None,
    };
    let message = match call.work.deployment {
        Deployment::Cloud => "Specify a valid project ID or key",
        Deployment::DataCenter => "project is required",
    };
    let wrong = || Fault::of_field("project", message);
    let id = found.ok_or_else(wrong)?;
    if permission::can(call.work, call.person, id, "BROWSE_PROJECTS")? { Ok(id) } else { Err(wrong()) }
}

impl Scope {
    /// The screen for a new issue.
    pub(crate) fn create(call: &Call<'_>, project: i64, body: &Map<String, Json>) -> Result<Self> {
        let named = body.get("fields").and_then(|it| it.get("issuetype"));
        let text = |name: &str| named.and_then(|it| it.get(name)).and_then(Json::as_str);
        let sql = "SELECT t.id FROM issue_type t JOIN project_issue_type p ON p.issue_type_id = t.id
            WHERE p.project_id = ?1 AND (CAST(t.id AS TEXT) = ?2 OR (?2 IS NULL AND t.name = ?3 COLLATE NOCASE))";
        let found = call.work.one(sql, (project, text("id"), text("name")), |row| row.get(0))?;
        let message = match call.work.deployment {
            Deployment::Cloud => "Specify a valid issue type",
            Deployment::DataCenter => "valid issue type is required",
        };
        let issue_type = found.ok_or_else(|| Fault::of_field("issuetype", message))?;
        let screen = screen::fields(call.work, project, issue_type, Screen::Create)?;
        Ok(Self { project, issue_type, screen, is_create: true })
    }

    /// The screen for changes of an issue.
    pub(crate) fn edit(call: &Call<'_>, issue: &Issue) -> Result<Self> {
        let issue_type = issue.ref_of("issuetype").unwrap_or_default();
        let screen = screen::fields(call.work, issue.project_id, issue_type, Screen::Edit)?;
        Ok(Self { project: issue.project_id, issue_type, screen, is_create: false })
    }

    /// The screen of a transition.
    pub(crate) fn transition(call: &Call<'_>, issue: &Issue, transition: i64) -> Result<Self> {
        let screen = screen::of_transition(call.work, transition)?;
        let issue_type = issue.ref_of("issuetype").unwrap_or_default();
        Ok(Self { project: issue.project_id, issue_type, screen, is_create: false })
    }

    /// Whether the screen has a field.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.screen.iter().any(|it| it.field.id == field)
    }

    /// Reads a request. For a change, `before` is the issue.
    pub(crate) fn read(
        &self,
        call: &Call<'_>,
        body: &Map<String, Json>,
        before: Option<&Issue>,
    ) -> Result<Given> {
        let mut given = Given::default();
        let mut errors = Errors::new();
        let fields = members(body, "fields")?;
        for (name, json) in &fields {
            if self.is_create && (name == "project" || name == "issuetype") {
                continue;
            }
            let read = self.one(call, name, json).map(|changes| given.changes.extend(changes));
            collect(&mut errors, read)?;
        }
        for (name, verbs) in &members(body, "update")? {
            if fields.contains_key(name) {
                let message = format!("Field '{name}' cannot appear in both 'fields' and 'update'");
                errors.insert(name.clone(), message);
                continue;
            }
            let read = self.verbs(call, name, verbs, before, &mut given);
            collect(&mut errors, read)?;
        }
        self.complete(call, &given, before, &mut errors)?;
        if errors.is_empty() { Ok(given) } else { Err(Fault { status: 400, messages: Vec::new(), errors }) }
    }

    fn field(&self, name: &str) -> Result<&Field> {
        let found = self.screen.iter().find(|it| it.field.id == name);
        found.map(|it| &it.field).ok_or_else(|| {
            let message =
                format!("Field '{name}' cannot be set. It is not on the appropriate screen, or unknown.");
            Fault::of_field(name, message)
        })
    }

    fn input<'a>(&self, call: &'a Call<'a>) -> Input<'a> {
        Input { work: call.work, version: call.view.version, project: self.project }
    }

    fn one(&self, call: &Call<'_>, name: &str, json: &Json) -> Result<Vec<Change>> {
        if name == "timetracking" {
            self.field(name)?;
            let changes =
                estimates(json)?.into_iter().map(|(field, to)| Change { field: field.to_owned(), to });
            return Ok(changes.collect());
        }
        if name == "reporter" && self.has(name) {
            let message = "You do not have permission to change the reporter.";
            if !permission::can(call.work, call.person, self.project, "MODIFY_REPORTER")? {
                return Err(Fault::of_field(name, message));
            }
        }
        let to = self.input(call).read(self.field(name)?, json)?;
        Ok(vec![Change { field: name.to_owned(), to }])
    }

    /// Reads the operations on a field: `[{"add": …}, {"remove": …}, {"set": …}]`.
    fn verbs(
        &self,
        call: &Call<'_>,
        name: &str,
        verbs: &Json,
        before: Option<&Issue>,
        given: &mut Given,
    ) -> Result<()> {
        let unfit =
            |verb: &str| Fault::of_field(name, format!("Field '{name}' does not support operation '{verb}'"));
        let Some(verbs) = verbs.as_array() else {
            return Err(Fault::of_field(name, "data was not an array"));
        };
        let steps = verbs.iter().filter_map(Json::as_object).flatten();
        let mut value = before.and_then(|it| it.values.get(name)).cloned();
        let mut is_value = false;
        for (verb, json) in steps {
            match (name, verb.as_str()) {
                ("comment", "add") => given.comments.push(json.clone()),
                ("worklog", "add") => given.worklogs.push(json.clone()),
                ("issuelinks", "add") => given.links.push(json.clone()),
                ("timetracking", "edit" | "set") => given.changes.extend(self.one(call, name, json)?),
                ("comment" | "worklog" | "issuelinks" | "timetracking", verb) => return Err(unfit(verb)),
                (_, "set") => {
                    value = self.input(call).read(self.field(name)?, json)?;
                    is_value = true;
                }
                (_, verb @ ("add" | "remove")) => {
                    let field = self.field(name)?;
                    if !field.kind.is_list() || field.kind == Kind::Sprints {
                        return Err(unfit(verb));
                    }
                    let element = self.input(call).read(field, &json!([json]))?;
                    value = combined(value, element, verb == "add");
                    is_value = true;
                }
                (_, verb) => return Err(unfit(verb)),
            }
        }
        if is_value {
            given.changes.push(Change { field: name.to_owned(), to: value });
        }
        Ok(())
    }

    /// Checks what the screen requires, and what the hierarchy of issues does.
    fn complete(
        &self,
        call: &Call<'_>,
        given: &Given,
        before: Option<&Issue>,
        errors: &mut Errors,
    ) -> Result<()> {
        let set = |field: &str| given.changes.iter().find(|it| it.field == field).map(|it| it.to.as_ref());
        for it in self.screen.iter().filter(|it| it.required && it.field.kind != Kind::Computed) {
            let id = it.field.id.as_str();
            let is_missing = match set(id) {
                Some(to) => to.is_none(),
                None if id == "issuetype" => false,
                // What an issue lacks already is only asked for by a screen that is shown, such as a transition's.
                None => before.is_none_or(|issue| !issue.values.contains_key(id)),
            };
            if is_missing && !errors.contains_key(id) {
                let message = match id {
                    "summary" => "You must specify a summary of the issue.".to_owned(),
                    _ => format!("{} is required.", it.field.name),
                };
                errors.insert(id.to_owned(), message);
            }
        }
        let level = |id: i64| -> Result<i64> {
            let found =
                call.work.one("SELECT level FROM issue_type WHERE id = ?1", [id], |row| row.get(0))?;
            Ok(found.unwrap_or_default())
        };
        let own = level(self.issue_type)?;
        let parent = match set("parent") {
            Some(to) => to.cloned(),
            None => before.and_then(|it| it.values.get("parent")).cloned(),
        };
        match parent {
            Some(Value::Ref(parent)) => {
                let parent = crate::issue::get(call.work, parent)?;
                let above = level(parent.ref_of("issuetype").unwrap_or_default())?;
                if above != own + 1 {
                    errors.insert(
                        "parent".to_owned(),
                        "Given parent issue does not belong to appropriate hierarchy.".to_owned(),
                    );
                } else if own < 0 && parent.project_id != self.project {
                    errors.insert(
                        "parent".to_owned(),
                        "Sub-tasks must be created in the same project as the parent.".to_owned(),
                    );
                }
            }
            _ if own < 0 && (self.is_create || set("parent").is_some()) => {
                let message = "Issue type is a sub-task but parent issue key or id not specified.";
                errors.entry("parent".to_owned()).or_insert_with(|| message.to_owned());
            }
            _ => {}
        }
        if let Some(Some(Value::Ref(epic))) = set(custom::EPIC_LINK) {
            let epic = crate::issue::get(call.work, *epic)?;
            if level(epic.ref_of("issuetype").unwrap_or_default())? != 1 {
                let message = format!("The issue {} is not an epic.", epic.key);
                errors.insert(custom::EPIC_LINK.to_owned(), message);
            }
        }
        Ok(())
    }
}

/// Returns an object of a request; an absent one is empty.
fn members(body: &Map<String, Json>, name: &str) -> Result<Map<String, Json>> {
    match body.get(name) {
        None | Some(Json::Null) => Ok(Map::new()),
        Some(Json::Object(members)) => Ok(members.clone()),
        Some(_) => Err(Fault::bad(format!("Can not deserialize instance: expected an object in '{name}'."))),
    }
}

/// Keeps the sentences about a field, and passes on any other error.
fn collect(errors: &mut Errors, read: Result<()>) -> Result<()> {
    match read {
        Err(fault) if !fault.errors.is_empty() => {
            errors.extend(fault.errors);
            Ok(())
        }
        read => read,
    }
}

/// Adds an element to a list, or takes it away.
fn combined(list: Option<Value>, element: Option<Value>, is_added: bool) -> Option<Value> {
    match (list, element) {
        (list, None) => list,
        (Some(Value::Refs(mut all)), Some(Value::Refs(some))) => {
            all.retain(|it| !some.contains(it));
            if is_added {
                all.extend(some);
            }
            Some(all).filter(|it| !it.is_empty()).map(Value::Refs)
        }
        (Some(Value::Texts(mut all)), Some(Value::Texts(some))) => {
            all.retain(|it| !some.contains(it));
            if is_added {
                all.extend(some);
                all.sort();
            }
            Some(all).filter(|it| !it.is_empty()).map(Value::Texts)
        }
        (None, element) => element.filter(|_| is_added),
        (list, _) => list,
    }
}
