//! Screens: the fields that a write may name, and the values that they allow.
//!
//! In: a project, an issue type and an operation. Out: fields, and their metadata as `createmeta`, `editmeta` and transitions show it. A write
//! reads the same tables, so it accepts what the metadata says.

pub(crate) mod input;

use serde_json::{Value as Json, json};

use crate::fault::Result;
use crate::field::{Field, Kind, by_id, schema_type};
use crate::view::View;
use crate::work::Work;

/// A field of a screen.
#[derive(Clone, Debug)]
pub(crate) struct ScreenField {
    pub(crate) field: Field,
    pub(crate) required: bool,
}

/// A screen of issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Screen {
    Create,
    Edit,
}

impl Screen {
    fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Edit => "edit",
        }
    }
}

/// Returns the fields of a screen, in its order.
pub(crate) fn fields(
    work: &Work<'_>,
    project: i64,
    issue_type: i64,
    screen: Screen,
) -> Result<Vec<ScreenField>> {
    let sql = "SELECT field_id, required FROM screen_field WHERE project_id = ?1 AND issue_type_id = ?2 AND operation = ?3 ORDER BY position";
    let rows = work.all(sql, (project, issue_type, screen.name()), |row| Ok((row.get(0)?, row.get(1)?)))?;
    defined(work, rows)
}

/// Returns the fields of the screen of a transition.
pub(crate) fn of_transition(work: &Work<'_>, transition: i64) -> Result<Vec<ScreenField>> {
    let sql = "SELECT field_id, required FROM transition_field WHERE transition_id = ?1 ORDER BY field_id";
    defined(work, work.all(sql, [transition], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

fn defined(work: &Work<'_>, rows: Vec<(String, bool)>) -> Result<Vec<ScreenField>> {
    let mut found = Vec::new();
    for (id, required) in rows {
        if let Some(field) = by_id(work, &id)? {
            found.push(ScreenField { field, required });
        }
    }
    Ok(found)
}

/// Returns the options of a custom field in a project, those of the upper level; disabled ones are left out.
pub(crate) fn options(work: &Work<'_>, field: &str, project: i64) -> Result<Vec<i64>> {
    let sql = "SELECT o.id FROM option o WHERE o.parent_id IS NULL AND o.disabled = 0 AND o.context_id = ?1 ORDER BY o.position, o.id";
    match context(work, field, project)? {
        Some(context) => work.all(sql, [context], |row| row.get(0)),
        None => Ok(Vec::new()),
    }
}

/// Returns the context of a custom field that holds in a project: one for this project, or one for all.
pub(crate) fn context(work: &Work<'_>, field: &str, project: i64) -> Result<Option<i64>> {
    let sql = "SELECT c.id FROM context c LEFT JOIN context_project p ON p.context_id = c.id
        WHERE c.field_id = ?1 AND (p.project_id = ?2 OR NOT EXISTS (SELECT 1 FROM context_project q WHERE q.context_id = c.id))
        ORDER BY p.project_id IS NULL, c.id";
    work.one(sql, (field, project), |row| row.get(0))
}

/// Returns the lower options of one, in their order.
pub(crate) fn children(work: &Work<'_>, option: i64) -> Result<Vec<i64>> {
    let sql = "SELECT id FROM option WHERE parent_id = ?1 AND disabled = 0 ORDER BY position, id";
    work.all(sql, [option], |row| row.get(0))
}

/// Returns the metadata of a field of the screen of an issue. On Cloud, the members that name the field are `key` and its place in the
/// answer.
pub(crate) fn issue_meta(view: &View<'_>, it: &ScreenField, project: i64, issue_type: i64) -> Result<Json> {
    let mut value = meta(view, it, project, issue_type)?;
    if view.work.is_cloud() {
        value.as_object_mut().and_then(|it| it.remove("fieldId"));
    }
    Ok(value)
}

/// Returns the metadata of a field of the screen for new issues.
pub(crate) fn meta(view: &View<'_>, it: &ScreenField, project: i64, issue_type: i64) -> Result<Json> {
    let field = &it.field;
    let mut value = json!({
        "required": it.required,
        "schema": View::field_schema(field),
        "name": field.name,
        "key": field.id,
        "fieldId": field.id,
        "hasDefaultValue": field.id == "priority",
        "operations": operations(field.kind),
    });
    if let Some(allowed) = allowed(view, field, project, issue_type)? {
        value["allowedValues"] = Json::Array(allowed);
    }
    if matches!(field.kind, Kind::User | Kind::Users) {
        value["autoCompleteUrl"] = json!(view.api("user/search?query="));
    }
    Ok(value)
}

fn operations(kind: Kind) -> Json {
    match schema_type(kind).0 {
        "array" => json!(["add", "set", "remove"]),
        _ => json!(["set"]),
    }
}

fn allowed(view: &View<'_>, field: &Field, project: i64, issue_type: i64) -> Result<Option<Vec<Json>>> {
    let work = view.work;
    let ids = |sql: &str| work.all(sql, [project], |row| row.get::<_, i64>(0));
    let all = |sql: &str| work.all(sql, [], |row| row.get::<_, i64>(0));
    let shown: Result<Vec<_>> = match field.kind {
        Kind::Option | Kind::Options => {
            options(work, &field.id, project)?.into_iter().map(|id| view.option(id)).collect()
        }
        Kind::Cascade => options(work, &field.id, project)?
            .into_iter()
            .map(|id| {
                let mut option = view.option(id)?;
                let children = children(work, id)?.into_iter().map(|child| {
                    let mut whole = view.option(child)?;
                    Ok(whole["child"].take())
                });
                option["children"] = Json::Array(children.collect::<Result<_>>()?);
                Ok(option)
            })
            .collect(),
        Kind::Priority => all("SELECT id FROM priority ORDER BY position")?
            .into_iter()
            .map(|id| view.priority(id))
            .collect(),
        Kind::Resolution => {
            all("SELECT id FROM resolution ORDER BY id")?.into_iter().map(|id| view.resolution(id)).collect()
        }
        Kind::Components => ids("SELECT id FROM component WHERE project_id = ?1 ORDER BY name")?
            .into_iter()
            .map(|id| view.component(id))
            .collect(),
        Kind::Version | Kind::Versions => {
            ids("SELECT id FROM version WHERE project_id = ?1 AND archived = 0 ORDER BY position")?
                .into_iter()
                .map(|id| view.version_of(id))
                .collect()
        }
        Kind::IssueType => Ok(vec![view.issue_type(issue_type)?]),
        Kind::Computed if field.id == "project" => Ok(vec![view.project(project)?]),
        _ => return Ok(None),
    };
    shown.map(Some)
}
