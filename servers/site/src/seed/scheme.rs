//! What issues can be and become: types, statuses, workflows, priorities, resolutions and kinds of links.
//!
//! In: nothing. Out: rows, and the same data for those who plan issues.

use crate::fault::Result;
use crate::work::Work;

/// Ids of issue types.
pub(super) mod kind {
    pub(in super::super) const EPIC: i64 = 10000;
    pub(in super::super) const STORY: i64 = 10001;
    pub(in super::super) const TASK: i64 = 10002;
    pub(in super::super) const SUBTASK: i64 = 10003;
    pub(in super::super) const BUG: i64 = 10004;
    pub(in super::super) const REQUEST: i64 = 10010;
    pub(in super::super) const INCIDENT: i64 = 10011;
}

/// Ids of statuses.
pub(super) mod status {
    pub(in super::super) const IN_PROGRESS: i64 = 3;
    pub(in super::super) const REOPENED: i64 = 4;
    pub(in super::super) const RESOLVED: i64 = 5;
    pub(in super::super) const CLOSED: i64 = 6;
    pub(in super::super) const TO_DO: i64 = 10000;
    pub(in super::super) const IN_REVIEW: i64 = 10001;
    pub(in super::super) const DONE: i64 = 10002;
    pub(in super::super) const TRIAGE: i64 = 10003;
    pub(in super::super) const SUPPORT: i64 = 10010;
    pub(in super::super) const CUSTOMER: i64 = 10011;
    pub(in super::super) const ESCALATED: i64 = 10012;
}

/// Ids of resolutions.
pub(super) mod resolution {
    pub(in super::super) const FIXED: i64 = 1;
    pub(in super::super) const WONT_DO: i64 = 10001;
    pub(in super::super) const DUPLICATE: i64 = 3;
    pub(in super::super) const CANNOT_REPRODUCE: i64 = 5;
    pub(in super::super) const DONE: i64 = 10000;
}

/// Ids of kinds of links.
pub(super) mod link {
    pub(in super::super) const BLOCKS: i64 = 10000;
    pub(in super::super) const CLONERS: i64 = 10001;
    pub(in super::super) const DUPLICATE: i64 = 10002;
    pub(in super::super) const RELATES: i64 = 10003;
    pub(in super::super) const CAUSES: i64 = 10004;
}

/// A workflow.
#[derive(Debug)]
pub(super) struct Workflow {
    pub(super) id: i64,
    name: &'static str,
    pub(super) initial: i64,
    pub(super) transitions: &'static [Transition],
}

/// A transition of a workflow.
#[derive(Debug)]
pub(super) struct Transition {
    pub(super) id: i64,
    name: &'static str,
    /// `None` for each status.
    pub(super) from: Option<i64>,
    pub(super) to: i64,
    pub(super) rule: &'static str,
    /// The resolution that it sets, 0 to clear it.
    pub(super) sets: Option<i64>,
    /// The fields of its screen, and whether they are required.
    screen: &'static [(&'static str, bool)],
}

impl Workflow {
    /// Returns a transition by its id.
    pub(super) fn transition(&self, id: i64) -> Option<&'static Transition> {
        self.transitions.iter().find(|it| it.id == id)
    }
}

const fn step(id: i64, name: &'static str, from: i64, to: i64) -> Transition {
    Transition { id, name, from: Some(from), to, rule: "", sets: None, screen: &[] }
}

const fn from_anywhere(id: i64, name: &'static str, to: i64) -> Transition {
    Transition { from: None, ..step(id, name, 0, to) }
}

const CLOSING: &[(&str, bool)] = &[("resolution", true), ("fixVersions", false), ("assignee", false)];
const DECLINING: &[(&str, bool)] = &[("resolution", true)];

/// The workflow of tasks, bugs, sub-tasks and epics of software projects.
pub(super) static SOFTWARE: Workflow = Workflow {
    id: 10100,
    name: "Software development workflow",
    initial: status::TO_DO,
    transitions: &[
        step(11, "Start progress", status::TO_DO, status::IN_PROGRESS),
        step(21, "Send to review", status::IN_PROGRESS, status::IN_REVIEW),
        step(31, "Request changes", status::IN_REVIEW, status::IN_PROGRESS),
        Transition {
            sets: Some(resolution::DONE),
            screen: CLOSING,
            ..step(41, "Finish", status::IN_REVIEW, status::DONE)
        },
        step(51, "Stop progress", status::IN_PROGRESS, status::TO_DO),
        Transition { sets: Some(0), ..step(61, "Reopen", status::DONE, status::TO_DO) },
        Transition {
            sets: Some(resolution::WONT_DO),
            screen: DECLINING,
            ..from_anywhere(71, "Decline", status::DONE)
        },
    ],
};

/// The workflow of stories: they are finished once their sub-tasks are.
pub(super) static STORIES: Workflow = Workflow {
    id: 10101,
    name: "Story workflow",
    initial: status::TO_DO,
    transitions: &[
        step(111, "Start progress", status::TO_DO, status::IN_PROGRESS),
        step(121, "Send to review", status::IN_PROGRESS, status::IN_REVIEW),
        step(131, "Request changes", status::IN_REVIEW, status::IN_PROGRESS),
        Transition {
            rule: "subtasks-done",
            sets: Some(resolution::DONE),
            screen: CLOSING,
            ..step(141, "Finish", status::IN_REVIEW, status::DONE)
        },
        step(151, "Stop progress", status::IN_PROGRESS, status::TO_DO),
        Transition { sets: Some(0), ..step(161, "Reopen", status::DONE, status::TO_DO) },
        Transition {
            sets: Some(resolution::WONT_DO),
            screen: DECLINING,
            ..from_anywhere(171, "Decline", status::DONE)
        },
    ],
};

/// The workflow of bugs where money is at stake: they are judged first, and only who fixes one sends it to review.
pub(super) static PAYMENT_BUGS: Workflow = Workflow {
    id: 10102,
    name: "Payments bug workflow",
    initial: status::TRIAGE,
    transitions: &[
        step(211, "Accept", status::TRIAGE, status::TO_DO),
        Transition {
            sets: Some(resolution::CANNOT_REPRODUCE),
            screen: DECLINING,
            ..step(212, "Reject", status::TRIAGE, status::DONE)
        },
        step(221, "Pick up", status::TO_DO, status::IN_PROGRESS),
        Transition {
            rule: "assignee",
            ..step(231, "Send to review", status::IN_PROGRESS, status::IN_REVIEW)
        },
        step(241, "Request changes", status::IN_REVIEW, status::IN_PROGRESS),
        Transition {
            sets: Some(resolution::FIXED),
            screen: CLOSING,
            ..step(251, "Release fix", status::IN_REVIEW, status::DONE)
        },
        Transition { sets: Some(0), ..step(261, "Reopen", status::DONE, status::REOPENED) },
        step(271, "Pick up again", status::REOPENED, status::IN_PROGRESS),
    ],
};

/// The workflow of business projects: from each status to each other one.
pub(super) static SIMPLE: Workflow = Workflow {
    id: 10103,
    name: "Business workflow",
    initial: status::TO_DO,
    transitions: &[
        Transition { sets: Some(0), ..from_anywhere(311, "To Do", status::TO_DO) },
        Transition { sets: Some(0), ..from_anywhere(321, "In Progress", status::IN_PROGRESS) },
        Transition { sets: Some(resolution::DONE), ..from_anywhere(331, "Done", status::DONE) },
    ],
};

/// The workflow of the service desk.
pub(super) static SERVICE: Workflow = Workflow {
    id: 10104,
    name: "Service desk workflow",
    initial: status::SUPPORT,
    transitions: &[
        step(411, "Respond to customer", status::SUPPORT, status::CUSTOMER),
        step(421, "Respond to support", status::CUSTOMER, status::SUPPORT),
        step(431, "Escalate", status::SUPPORT, status::ESCALATED),
        step(441, "Return to support", status::ESCALATED, status::SUPPORT),
        Transition {
            sets: Some(resolution::DONE),
            screen: DECLINING,
            ..step(451, "Resolve this issue", status::SUPPORT, status::RESOLVED)
        },
        Transition {
            sets: Some(resolution::DONE),
            screen: DECLINING,
            ..step(452, "Resolve this issue", status::CUSTOMER, status::RESOLVED)
        },
        Transition { sets: Some(0), ..step(461, "Back to support", status::RESOLVED, status::SUPPORT) },
        step(471, "Close", status::RESOLVED, status::CLOSED),
        Transition {
            sets: Some(resolution::WONT_DO),
            screen: DECLINING,
            ..from_anywhere(481, "Cancel request", status::CLOSED)
        },
    ],
};

/// The workflows.
pub(super) static WORKFLOWS: [&Workflow; 5] = [&SOFTWARE, &STORIES, &PAYMENT_BUGS, &SIMPLE, &SERVICE];

/// Returns whether issues in a status are done.
pub(super) fn is_done(status: i64) -> bool {
    STATUSES.iter().any(|(id, .., category)| *id == status && *category == "done")
}

/// Adds all of it.
pub(super) fn add(work: &Work<'_>) -> Result<()> {
    for row in TYPES {
        let sql = "INSERT INTO issue_type (id, name, description, level, avatar) VALUES (?1, ?2, ?3, ?4, ?5)";
        work.run(sql, row)?;
    }
    for row in STATUSES {
        work.run("INSERT INTO status (id, name, description, category) VALUES (?1, ?2, ?3, ?4)", row)?;
    }
    for workflow in WORKFLOWS {
        let sql = "INSERT INTO workflow (id, name, initial_status_id) VALUES (?1, ?2, ?3)";
        work.run(sql, (workflow.id, workflow.name, workflow.initial))?;
        for (at, it) in workflow.transitions.iter().enumerate() {
            let sql = "INSERT INTO transition (id, workflow_id, name, from_status_id, to_status_id, rule, sets_resolution, position)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            work.run(sql, (it.id, workflow.id, it.name, it.from, it.to, it.rule, it.sets, at as i64))?;
            for (field, is_required) in it.screen {
                let sql =
                    "INSERT INTO transition_field (transition_id, field_id, required) VALUES (?1, ?2, ?3)";
                work.run(sql, (it.id, field, is_required))?;
            }
        }
    }
    for (at, (name, description, color)) in PRIORITIES.into_iter().enumerate() {
        let sql = "INSERT INTO priority (id, name, description, color, position) VALUES (?1, ?2, ?3, ?4, ?5)";
        work.run(sql, (at as i64 + 1, name, description, color, at as i64))?;
    }
    for row in RESOLUTIONS {
        work.run("INSERT INTO resolution (id, name, description) VALUES (?1, ?2, ?3)", row)?;
    }
    for row in LINK_TYPES {
        work.run("INSERT INTO link_type (id, name, inward, outward) VALUES (?1, ?2, ?3, ?4)", row)?;
    }
    Ok(())
}

const TYPES: [(i64, &str, &str, i64, i64); 7] = [
    (kind::EPIC, "Epic", "A large piece of work that is broken down into stories, tasks and bugs.", 1, 10307),
    (kind::STORY, "Story", "Functionality or a feature expressed as a user goal.", 0, 10315),
    (kind::TASK, "Task", "A small, distinct piece of work.", 0, 10318),
    (kind::SUBTASK, "Sub-task", "A small piece of work that is part of a larger task.", -1, 10316),
    (kind::BUG, "Bug", "A problem or error.", 0, 10303),
    (kind::REQUEST, "Service Request", "A request that a customer makes of the service desk.", 0, 10321),
    (kind::INCIDENT, "Incident", "An interruption of a service, or a loss of its quality.", 0, 10322),
];

const STATUSES: [(i64, &str, &str, &str); 11] = [
    (status::IN_PROGRESS, "In Progress", "The assignee is working on this.", "indeterminate"),
    (status::REOPENED, "Reopened", "This was resolved, but the resolution was found to be wrong.", "new"),
    (status::RESOLVED, "Resolved", "The customer has an answer and can still come back to it.", "done"),
    (status::CLOSED, "Closed", "The request is over.", "done"),
    (status::TO_DO, "To Do", "Nobody has begun yet.", "new"),
    (status::IN_REVIEW, "In Review", "A second person is looking at the change.", "indeterminate"),
    (status::DONE, "Done", "The work is finished.", "done"),
    (status::TRIAGE, "Triage", "The report has not been judged yet.", "new"),
    (status::SUPPORT, "Waiting for support", "An agent has to act.", "new"),
    (status::CUSTOMER, "Waiting for customer", "The customer has to answer.", "indeterminate"),
    (status::ESCALATED, "Escalated", "A development team is looking at it.", "indeterminate"),
];

/// The ids are 1 to 5.
const PRIORITIES: [(&str, &str, &str); 5] = [
    ("Highest", "This problem will block progress.", "#d04437"),
    ("High", "Serious problem that could block progress.", "#f15C75"),
    ("Medium", "Has the potential to affect progress.", "#f79232"),
    ("Low", "Minor problem or easily worked around.", "#707070"),
    ("Lowest", "Trivial problem with little or no impact on progress.", "#999999"),
];

const RESOLUTIONS: [(i64, &str, &str); 5] = [
    (resolution::FIXED, "Fixed", "A fix is in the product and was tested."),
    (resolution::DUPLICATE, "Duplicate", "The problem is a duplicate of an existing issue."),
    (resolution::CANNOT_REPRODUCE, "Cannot Reproduce", "All attempts to see this problem failed."),
    (resolution::DONE, "Done", "Work has been completed on this issue."),
    (resolution::WONT_DO, "Won't Do", "This issue won't be actioned."),
];

const LINK_TYPES: [(i64, &str, &str, &str); 5] = [
    (link::BLOCKS, "Blocks", "is blocked by", "blocks"),
    (link::CLONERS, "Cloners", "is cloned by", "clones"),
    (link::DUPLICATE, "Duplicate", "is duplicated by", "duplicates"),
    (link::RELATES, "Relates", "relates to", "relates to"),
    (link::CAUSES, "Causes", "is caused by", "causes"),
];

/// Returns the words of a link, from its destination and from its source.
pub(super) fn link_words(link: i64) -> (&'static str, &'static str) {
    LINK_TYPES.iter().find(|it| it.0 == link).map_or(("", ""), |it| (it.2, it.3))
}
