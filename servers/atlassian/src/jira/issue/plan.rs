//! Changes of issues, as plans.
//!
//! In: fields by name with values as callers give them. Out: a plan: what changes from what to what, the requests, and what takes it back.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::Issue;
use crate::jira::Jira;
use crate::jira::fields::Field;
use crate::jira::input::{Place, writable};
use crate::jira::question::question;
use crate::jira::shown::{Cast, Texts, name_of};
use crate::jira::text::{Losses, Rich};
use crate::rest::Request;
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step, newest_entry};

/// A change of an issue.
#[derive(Debug)]
pub struct Edit<'a> {
    /// The tool that makes it.
    pub tool: &'static str,
    /// The key.
    pub key: &'a str,
    /// Values by the names or ids of fields. `status` is the name of a status or transition.
    pub fields: Map<String, Value>,
    /// The section of the description that the description is for.
    pub section: Option<&'a str>,
    /// The mark of the description that the edit is based on.
    pub based_on: Option<&'a str>,
    /// Whether rich text is what Jira stores, and no Markdown.
    pub is_raw: bool,
    /// Whether losses are accepted.
    pub losses: Losses,
}

/// The fields of an issue to make.
#[derive(Debug)]
pub struct CreateFields<'a> {
    /// The tool that makes it.
    pub tool: &'static str,
    /// The key of the project.
    pub project: &'a str,
    /// The name of the type.
    pub issue_type: &'a str,
    /// Values by the names or ids of fields.
    pub fields: Map<String, Value>,
    /// Whether rich text is what Jira stores, and no Markdown.
    pub is_raw: bool,
    /// Whether losses are accepted.
    pub losses: Losses,
}

/// A value for a request, and for a reader.
struct Given {
    api: Value,
    shown: Value,
    warnings: Vec<String>,
}

impl Jira {
    /// Plans a change of fields of an issue, and of its status.
    ///
    /// # Errors
    /// A field or value that is not clear; rich text that would lose content; an edit that is based on an older description.
    pub async fn plan_edit(&self, edit: Edit<'_>) -> Result<Plan, ToolError> {
        let fields = self.fields().await?;
        let mut wanted: Vec<(&Field, Value)> = Vec::new();
        let mut status = None;
        for (name, value) in edit.fields {
            match name.as_str() {
                "status" => status = Some(value),
                _ => wanted.push((self.field_for(&fields, &name, &value).await?, value)),
            }
        }
        if wanted.iter().any(|(field, _)| field.id == "project") {
            let message = "expected no `project` among the fields: it is changed by a move";
            return Err(
                ToolError::invalid_input(message).hint("jira_move_issue moves an issue, where the site can")
            );
        }
        let mut ids: Vec<&str> = wanted.iter().map(|(field, _)| field.id.as_str()).collect();
        ids.push("status");
        let issue = self.issue(edit.key, &ids.join(","), &["changelog"]).await?;
        if let (Some(based_on), Some((field, _))) =
            (edit.based_on, wanted.iter().find(|(it, _)| it.id == "description"))
        {
            same_revision(self, &issue, field, based_on)?;
        }
        let place = Place { project: issue.project(), issue: Some(&issue.key) };
        let (mut changes, mut warnings) = (Vec::new(), Vec::new());
        let (mut body, mut before) = (Map::new(), Map::new());
        let mut cast = Cast::default();
        for (field, value) in wanted {
            let old = self.current(&issue, field, &mut cast);
            let given = match field.schema.is_rich() {
                true => self.rich(&issue, field, &value, edit.section, edit.is_raw, edit.losses)?,
                false => self.given(field, &value, place).await?,
            };
            warnings.extend(given.warnings);
            if old == given.shown {
                continue;
            }
            let (old, new) = match field.schema.is_rich() {
                true => differing(&old, &given.shown),
                false => (old, given.shown),
            };
            changes.push(FieldChange::new(name_of(&fields, field), old, new));
            before.insert(field.id.clone(), writable(field, &issue.value(&field.id)));
            body.insert(field.id.clone(), given.api);
        }
        let mut steps = Vec::new();
        let mut inverse = Vec::new();
        let path = self.path(["issue", &issue.key]);
        if !body.is_empty() {
            steps.push(Step::from(Request::put(path.clone()).json(&json!({ "fields": body }))));
            let seen = newest_entry(&json!(issue.more));
            let how = How::Fields { before: Value::Object(before), after: json!({}), seen };
            inverse.push(Restore { path: path.clone(), how });
        }
        if let Some(status) = status {
            let moved = self.transition(&issue, &text_of(&status), None, Map::new()).await?;
            changes.extend(moved.change);
            steps.push(moved.step);
            // First the way back, then the fields: a status may forbid changes.
            inverse.insert(0, moved.back);
        }
        Ok(Plan {
            tool: edit.tool,
            summary: format!("change {}", issue.key),
            target: issue.key,
            changes,
            steps,
            inverse: Inverse::Steps(inverse),
            warnings,
        })
    }

    /// Plans a new issue.
    ///
    /// # Errors
    /// As for [`Self::plan_edit`].
    pub async fn plan_create(&self, create: CreateFields<'_>) -> Result<Plan, ToolError> {
        let (body, changes, warnings) = self.create_body(&create).await?;
        let request = Request::post(self.path(["issue"])).json(&body);
        let made = Restore { path: self.path(["issue", "{issue}"]), how: How::Delete { query: vec![] } };
        Ok(Plan {
            tool: create.tool,
            target: String::new(),
            summary: format!("make a {} in {}", create.issue_type, create.project),
            changes,
            steps: vec![Step::kept(request, "issue")],
            inverse: Inverse::Steps(vec![made]),
            warnings,
        })
    }

    /// Returns the body of a request that makes an issue, the changes that it makes, and warnings.
    ///
    /// # Errors
    /// As for [`Self::plan_edit`].
    pub async fn create_body(
        &self,
        create: &CreateFields<'_>,
    ) -> Result<(Value, Vec<FieldChange>, Vec<String>), ToolError> {
        let fields = self.fields().await?;
        let mut body = Map::new();
        body.insert("project".to_owned(), json!({ "key": create.project }));
        let by_id = create.issue_type.bytes().all(|it| it.is_ascii_digit()) && !create.issue_type.is_empty();
        let member = if by_id { "id" } else { "name" };
        body.insert("issuetype".to_owned(), json!({ member: create.issue_type }));
        let mut changes = vec![
            FieldChange::new("project", Value::Null, create.project),
            FieldChange::new("type", Value::Null, create.issue_type),
        ];
        let place = Place { project: create.project, issue: None };
        let mut warnings = Vec::new();
        for (name, value) in &create.fields {
            let field = self.field_for(&fields, name, value).await?;
            // It would win over the project and the type that were checked.
            if matches!(field.id.as_str(), "project" | "issuetype") {
                let message = format!(
                    "expected no `{name}` among the other fields: `project_key` and `issue_type` say it"
                );
                return Err(ToolError::invalid_input(message));
            }
            let given = match field.schema.is_rich() {
                true => self.new_rich(value, create.is_raw, create.losses)?,
                false => self.given(field, value, place).await?,
            };
            warnings.extend(given.warnings);
            changes.push(FieldChange::new(name_of(&fields, field), Value::Null, given.shown));
            body.insert(field.id.clone(), given.api);
        }
        Ok((json!({ "fields": body }), changes, warnings))
    }

    fn current(&self, issue: &Issue, field: &Field, cast: &mut Cast) -> Value {
        let raw = issue.fields.get(&field.id);
        raw.and_then(|raw| self.shown(field, raw, Texts::Whole, cast)).unwrap_or_default()
    }

    async fn given(&self, field: &Field, value: &Value, place: Place<'_>) -> Result<Given, ToolError> {
        let api = self.input(field, value, place).await?;
        // A person is shown by name, all else as the reading of an issue shows it.
        let shown = match (&api, value) {
            (Value::Null, _) => Value::Null,
            (Value::Object(members), Value::String(_))
                if members.contains_key(self.dialect().person) && field.schema.kind == "user" =>
            {
                self.name_of_person(&api).await.unwrap_or_else(|| value.clone())
            }
            _ => crate::jira::shown::short(api.clone(), &mut Cast::default()),
        };
        Ok(Given { api, shown, warnings: Vec::new() })
    }

    async fn name_of_person(&self, body: &Value) -> Option<Value> {
        let id = body[self.dialect().person].as_str()?;
        let person: Value =
            self.site().json(self.get(["user"]).query(self.dialect().person_parameter, id)).await.ok()?;
        Some(person["displayName"].clone())
    }

    fn rich(
        &self,
        issue: &Issue,
        field: &Field,
        value: &Value,
        section: Option<&str>,
        is_raw: bool,
        losses: Losses,
    ) -> Result<Given, ToolError> {
        let before = issue.fields.get(&field.id).and_then(|raw| Rich::of_json(self.dialect().rich, raw));
        let (Some(before), Value::String(text), false) = (before, value, is_raw) else {
            return self.new_rich(value, is_raw, losses);
        };
        let edited = match section.filter(|_| field.id == "description") {
            Some(section) => before.section_edited(section, text, losses)?,
            None => before.edited(text, losses)?,
        };
        Ok(Given {
            api: edited.rich.to_json(),
            shown: json!(edited.rich.markdown()),
            warnings: edited.accepted,
        })
    }

    fn new_rich(&self, value: &Value, is_raw: bool, losses: Losses) -> Result<Given, ToolError> {
        match value {
            Value::Null => Ok(Given { api: Value::Null, shown: Value::Null, warnings: Vec::new() }),
            Value::String(text) if text.trim().is_empty() => {
                Ok(Given { api: Value::Null, shown: Value::Null, warnings: Vec::new() })
            }
            Value::String(text) => {
                let (rich, warnings) = self.body(text, is_raw, losses)?;
                Ok(Given { api: rich.to_json(), shown: json!(rich.markdown()), warnings })
            }
            // A document of ADF, as an object.
            document => {
                let rich = Rich::of_raw(self.dialect().rich, &document.to_string())?;
                Ok(Given { api: document.clone(), shown: json!(rich.markdown()), warnings: Vec::new() })
            }
        }
    }

    /// Returns the body of a new text: of Markdown, or of what Jira stores.
    ///
    /// # Errors
    /// Content that the format has no place for, unless losses are accepted.
    pub fn body(&self, text: &str, is_raw: bool, losses: Losses) -> Result<(Rich, Vec<String>), ToolError> {
        if is_raw {
            return Ok((Rich::of_raw(self.dialect().rich, text)?, Vec::new()));
        }
        let made = Rich::of_markdown(self.dialect().rich, text, losses)?;
        Ok((made.rich, made.accepted))
    }

    /// Plans the transition that a text means: the id or name of a transition, or the name of the status that it leads to.
    /// `argument` is the argument of the tool that is the text; nothing if the text is only a part of one.
    ///
    /// # Errors
    /// No such transition from where the issue is, with those that there are.
    pub async fn transition(
        &self,
        issue: &Issue,
        wanted: &str,
        argument: Option<&str>,
        extra: Map<String, Value>,
    ) -> Result<Moved, ToolError> {
        let request = self.get(["issue", &issue.key, "transitions"]).query("expand", "transitions.fields");
        let answer: Value = self.site().json(request).await?;
        let all = answer["transitions"].as_array().cloned().unwrap_or_default();
        let transition = chosen(&issue.key, &all, wanted, argument)?;
        let status = issue.value("status");
        let mut body = json!({ "transition": { "id": transition["id"] } });
        for (name, value) in extra {
            body[name] = value;
        }
        let path = self.path(["issue", &issue.key, "transitions"]);
        let how = How::Status {
            before: text_of(&status["id"]),
            name: text_of(&status["name"]),
            after: text_of(&transition["to"]["id"]),
        };
        Ok(Moved {
            change: Some(FieldChange::new(
                "status",
                status["name"].clone(),
                transition["to"]["name"].clone(),
            )),
            step: Step::from(Request::post(path).json(&body)),
            back: Restore { path: self.path(["issue", &issue.key]), how },
            screen: transition["fields"].clone(),
        })
    }
}

/// A transition of a plan.
#[derive(Debug)]
pub struct Moved {
    /// The change of the status.
    pub change: Option<FieldChange>,
    /// The request.
    pub step: Step,
    /// The way back.
    pub back: Restore,
    /// The fields of its screen, by id, as the site describes them.
    pub screen: Value,
}

/// Returns the transition that a text means.
fn chosen(key: &str, all: &[Value], wanted: &str, argument: Option<&str>) -> Result<Value, ToolError> {
    let same = |value: &Value| value.as_str().is_some_and(|it| it.eq_ignore_ascii_case(wanted.trim()));
    if let Some(found) = all.iter().find(|it| same(&it["id"])) {
        return Ok(found.clone());
    }
    let mut named: Vec<_> = all.iter().filter(|it| same(&it["name"])).collect();
    if named.is_empty() {
        named = all.iter().filter(|it| same(&it["to"]["name"])).collect();
    }
    if let [one] = named.as_slice() {
        return Ok((*one).clone());
    }
    let reason = match named.len() {
        0 => format!("{key} can't be moved to {wanted:?} from where it is"),
        many => format!("{many} transitions of {key} fit {wanted:?}"),
    };
    let offered = if named.is_empty() { all.iter().collect() } else { named };
    let choices = offered
        .iter()
        .map(|it| (text_of(&it["id"]), format!("{} → {}", text_of(&it["name"]), text_of(&it["to"]["name"]))));
    Err(question(reason, "Which transition?", argument, choices))
}

/// Returns a text, or the JSON of another value.
pub fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn same_revision(jira: &Jira, issue: &Issue, field: &Field, based_on: &str) -> Result<(), ToolError> {
    let now = issue.fields.get(&field.id).and_then(|raw| Rich::of_json(jira.dialect().rich, raw));
    let revision = now.map_or_else(|| "empty".to_owned(), |it| it.revision());
    if revision == based_on {
        return Ok(());
    }
    let histories =
        issue.more.get("changelog").and_then(|it| it["histories"].as_array()).into_iter().flatten();
    let last = histories
        .filter(|it| it["items"].as_array().into_iter().flatten().any(|item| item["field"] == "description"))
        .max_by_key(|it| text_of(&it["created"]));
    let who = last.map_or_else(String::new, |it| {
        format!(" by {} at {}", text_of(&it["author"]["displayName"]), text_of(&it["created"]))
    });
    let message = format!(
        "nothing was written, because the description of {} was changed since you read it{who}",
        issue.key
    );
    Err(ToolError::new("conflict", message)
        .hint("read the issue again with jira_get_issue, and make your edit in the new text"))
}

/// Returns the lines of two texts that differ, with a line around them: a preview needs no more of a long text.
fn differing(old: &Value, new: &Value) -> (Value, Value) {
    let (Some(a), Some(b)) = (old.as_str(), new.as_str()) else { return (old.clone(), new.clone()) };
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let rest = a.len().min(b.len()) - same;
    let end = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let cut = |lines: &[&str]| {
        let some = lines.get(same..lines.len() - end).unwrap_or_default();
        let mut text = some.join("\n");
        if same > 0 {
            text.insert_str(0, "…\n");
        }
        if end > 0 {
            text.push_str("\n…");
        }
        json!(text)
    };
    (cut(&a), cut(&b))
}
