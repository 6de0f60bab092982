//! The screens: which fields a form has for each project and type.
//!
//! In: a project and a type. Out: rows of `screen_field`, and the same for those who plan issues.

use super::fields::{
    APPROVERS, CUSTOMER_NAME, CUSTOMER_SHOP, EFFORT, FIX_TARGET, OUTAGE_START, OWNING_GROUP, PARTICIPANTS,
    PLATFORMS, REGION, RELEASE_NOTES, REVIEWER, RISK, RUNBOOK, SERVED_REGIONS, SEVERITY, TARGET_DATE, TEAMS,
};
use super::projects::{HELP, MOB, OPS, PAY, PROJECTS, SHOP};
use super::scheme::kind;
use crate::fault::Result;
use crate::field::{custom, epic_field};
use crate::work::{Deployment, Work};

/// A kind of form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Create,
    Edit,
}

/// Adds the screens.
pub(super) fn add(work: &Work<'_>) -> Result<()> {
    for project in &PROJECTS {
        for (kind, _) in project.types {
            for (form, name) in [(Form::Create, "create"), (Form::Edit, "edit")] {
                for (at, (field, is_required)) in
                    fields(work.deployment, project.id, *kind, form).into_iter().enumerate()
                {
                    let sql = "INSERT INTO screen_field (project_id, issue_type_id, operation, field_id, required, position)
                        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                    work.run(sql, (project.id, kind, name, field, is_required, at as i64))?;
                }
            }
        }
    }
    Ok(())
}

/// Returns whether a form for new issues has a field.
pub(super) fn has(deployment: Deployment, project: i64, kind: i64, field: &str) -> bool {
    fields(deployment, project, kind, Form::Create).iter().any(|(it, _)| *it == field)
}

/// Returns the fields of a form, and whether each is required.
pub(super) fn fields(
    deployment: Deployment,
    project: i64,
    kind: i64,
    form: Form,
) -> Vec<(&'static str, bool)> {
    let mut fields = Vec::new();
    if form == Form::Create {
        fields.push(("project", true));
    }
    fields.extend([("issuetype", true), ("summary", true)]);
    if kind == kind::SUBTASK {
        fields.push(("parent", true));
    }
    fields.push(("description", project == HELP));
    let is_software = matches!(project, SHOP | PAY | MOB);
    if is_software && kind == kind::EPIC && deployment == Deployment::DataCenter {
        fields.push((custom::EPIC_NAME, true));
    }
    fields.extend(
        ["assignee", "reporter", "priority", "labels", "attachment", "issuelinks"].map(|it| (it, false)),
    );
    if PROJECTS.iter().any(|it| it.id == project && !it.components.is_empty()) {
        fields.push(("components", false));
    }
    if is_software {
        if !matches!(kind, kind::EPIC | kind::SUBTASK) {
            fields.push((epic_field(deployment), false));
        }
        fields.push(("fixVersions", false));
        if kind == kind::BUG {
            fields.extend([("versions", false), ("environment", false)]);
        }
        fields.push((custom::FLAGGED, false));
    }
    if project != HELP {
        fields.extend([("duedate", false), ("timetracking", false)]);
    }
    if matches!(project, SHOP | MOB) && kind != kind::SUBTASK {
        if kind != kind::EPIC {
            fields.push((custom::SPRINT, false));
        }
        fields.push((custom::STORY_POINTS, false));
    }
    fields.extend(own(project, kind).iter().copied());
    if form == Form::Edit {
        fields.retain(|(field, _)| !FIXED.contains(&(project, field)));
    }
    fields
}

/// The fields that are only in some projects, and whether they are required for new issues.
fn own(project: i64, kind: i64) -> &'static [(&'static str, bool)] {
    match (project, kind) {
        (SHOP, kind::BUG) => &[(SEVERITY, false), (CUSTOMER_NAME, false), (REVIEWER, false), (TEAMS, false)],
        (SHOP, kind::STORY) => &[(RELEASE_NOTES, false), (REVIEWER, false), (TEAMS, false)],
        (SHOP, kind::EPIC) => &[(TARGET_DATE, false), (TEAMS, false)],
        (SHOP, kind::TASK) => &[(REVIEWER, false), (TEAMS, false)],
        (PAY, kind::BUG) => &[(SEVERITY, true), (CUSTOMER_NAME, false), (REGION, false)],
        (PAY, kind::STORY) => {
            &[(EFFORT, false), (SERVED_REGIONS, false), (REGION, false), (RISK, false), (APPROVERS, false)]
        }
        (PAY, kind::EPIC) => &[(TARGET_DATE, false), (EFFORT, false), (SERVED_REGIONS, false)],
        (PAY, kind::TASK) => &[(EFFORT, false), (RISK, false), (APPROVERS, false)],
        (MOB, kind::BUG) => &[(PLATFORMS, false), (SEVERITY, false), (FIX_TARGET, false), (REVIEWER, false)],
        (MOB, kind::STORY) => {
            &[(PLATFORMS, false), (FIX_TARGET, false), (RELEASE_NOTES, false), (REVIEWER, false)]
        }
        (MOB, kind::TASK) => &[(FIX_TARGET, false), (REVIEWER, false)],
        (OPS, kind::TASK) => &[
            (APPROVERS, false),
            (TARGET_DATE, false),
            (OUTAGE_START, false),
            (RUNBOOK, false),
            (RISK, false),
            (OWNING_GROUP, false),
            (TEAMS, false),
        ],
        (HELP, kind::REQUEST) => &[
            (CUSTOMER_SHOP, false),
            (custom::REQUEST_TYPE, false),
            (PARTICIPANTS, false),
            (REGION, false),
            (PLATFORMS, false),
        ],
        (HELP, kind::INCIDENT) => &[
            (CUSTOMER_SHOP, false),
            (custom::REQUEST_TYPE, false),
            (PARTICIPANTS, false),
            (SEVERITY, false),
            (OUTAGE_START, false),
            (RUNBOOK, false),
            (PLATFORMS, false),
        ],
        _ => &[],
    }
}

/// Fields that are given when an issue is made and are not on the form that changes it.
const FIXED: [(i64, &str); 7] = [
    (SHOP, CUSTOMER_NAME),
    (SHOP, "environment"),
    (PAY, EFFORT),
    (PAY, REGION),
    (MOB, PLATFORMS),
    (OPS, OWNING_GROUP),
    (HELP, CUSTOMER_SHOP),
];
