//! Permissions: what a person may do in a project.
//!
//! In: a person and a project. Out: yes or no, or an error that does not tell whether the project exists.

use crate::fault::{Fault, Result};
use crate::work::Work;

/// The permissions that the site knows, as `mypermissions` lists them.
pub const ALL: [(&str, &str); 22] = [
    ("ADD_COMMENTS", "Add Comments"),
    ("ADMINISTER_PROJECTS", "Administer Projects"),
    ("ASSIGNABLE_USER", "Assignable User"),
    ("ASSIGN_ISSUES", "Assign Issues"),
    ("BROWSE_PROJECTS", "Browse Projects"),
    ("CLOSE_ISSUES", "Close Issues"),
    ("CREATE_ATTACHMENTS", "Create Attachments"),
    ("CREATE_ISSUES", "Create Issues"),
    ("DELETE_ALL_ATTACHMENTS", "Delete All Attachments"),
    ("DELETE_ALL_COMMENTS", "Delete All Comments"),
    ("DELETE_ALL_WORKLOGS", "Delete All Worklogs"),
    ("DELETE_ISSUES", "Delete Issues"),
    ("EDIT_ALL_COMMENTS", "Edit All Comments"),
    ("EDIT_ISSUES", "Edit Issues"),
    ("LINK_ISSUES", "Link Issues"),
    ("MANAGE_SPRINTS_PERMISSION", "Manage Sprints"),
    ("MANAGE_WATCHERS", "Manage Watchers"),
    ("MODIFY_REPORTER", "Modify Reporter"),
    ("MOVE_ISSUES", "Move Issues"),
    ("RESOLVE_ISSUES", "Resolve Issues"),
    ("TRANSITION_ISSUES", "Transition Issues"),
    ("WORK_ON_ISSUES", "Work On Issues"),
];

const GRANTED: &str =
    "SELECT 1 FROM permission p WHERE p.project_id = ?1 AND p.name = ?2 AND (p.group_id IS NULL
    OR EXISTS (SELECT 1 FROM member m WHERE m.group_id = p.group_id AND m.person_id = ?3))";

/// Returns whether a person may do something in a project.
///
/// # Errors
/// Those of SQLite.
pub fn can(work: &Work<'_>, person: i64, project: i64, permission: &str) -> Result<bool> {
    Ok(work.db.prepare_cached(GRANTED)?.exists((project, permission, person))?)
}

/// Refuses what a person may not do in a project.
///
/// # Errors
/// 403, with Jira's sentence `message`.
pub fn require(work: &Work<'_>, person: i64, project: i64, permission: &str, message: &str) -> Result<()> {
    if can(work, person, project, permission)? { Ok(()) } else { Err(Fault::new(403, message)) }
}

/// Returns the projects that a person may see, in the order of their keys. Archived ones are among them.
///
/// # Errors
/// Those of SQLite.
pub fn visible_projects(work: &Work<'_>, person: i64) -> Result<Vec<i64>> {
    let sql = "SELECT p.id FROM project p WHERE EXISTS (SELECT 1 FROM permission q WHERE q.project_id = p.id AND q.name = 'BROWSE_PROJECTS'
        AND (q.group_id IS NULL OR EXISTS (SELECT 1 FROM member m WHERE m.group_id = q.group_id AND m.person_id = ?1))) ORDER BY p.key";
    work.all(sql, [person], |row| row.get(0))
}
