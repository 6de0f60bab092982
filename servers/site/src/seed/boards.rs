//! Boards with their sprints, saved filters, and dashboards.
//!
//! In: the calendar. Out: rows of `board`, `sprint`, `filter`, `favourite_filter`, `dashboard` and `gadget`.

use super::calendar::{Calendar, DAY, HOUR, MINUTE};
use super::people;
use super::projects::{MOB, PAY, SHOP};
use crate::fault::Result;
use crate::work::Work;

/// A sprint. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Sprint {
    pub(super) id: i64,
    board: i64,
    pub(super) project: i64,
    name: String,
    goal: &'static str,
    pub(super) state: &'static str,
    pub(super) start: Option<i64>,
    end: Option<i64>,
    pub(super) completed: Option<i64>,
}

/// Returns the sprints: six that are over, one that goes on and one to come of the storefront, and half as many of the till.
pub(super) fn sprints(calendar: &Calendar) -> Vec<Sprint> {
    let storefront = rows(calendar, 1, SHOP, "SHOP Sprint", 21, 14, &SHOP_GOALS);
    let till = rows(calendar, 2, MOB, "Till", 9, 21, &TILL_GOALS);
    let mut all: Vec<_> = storefront.into_iter().chain(till).collect();
    for (at, sprint) in all.iter_mut().enumerate() {
        sprint.id = at as i64 + 1;
    }
    all
}

/// The sprints of a board, each so many `days` long. The last one of `goals` is to come, the one before goes on.
fn rows(
    calendar: &Calendar,
    board: i64,
    project: i64,
    name: &str,
    number: usize,
    days: i64,
    goals: &[&'static str],
) -> Vec<Sprint> {
    // The current one is some days old.
    let current = calendar.monday(4) + 9 * HOUR;
    let count = goals.len() as i64;
    goals
        .iter()
        .enumerate()
        .map(|(at, goal)| {
            let start = current + (at as i64 + 2 - count) * days * DAY;
            let state = match count - at as i64 {
                1 => "future",
                2 => "active",
                _ => "closed",
            };
            Sprint {
                id: 0,
                board,
                project,
                name: format!("{name} {}", number + at),
                goal,
                state,
                start: (state != "future").then_some(start),
                end: (state != "future").then_some(start + (days - 3) * DAY + 7 * HOUR),
                completed: (state == "closed").then_some(start + (days - 3) * DAY + 7 * HOUR + 23 * MINUTE),
            }
        })
        .collect()
}

/// Adds all of it.
pub(super) fn add(work: &Work<'_>, calendar: &Calendar, sprints: &[Sprint]) -> Result<()> {
    for (at, (name, description, owner, jql, viewers)) in FILTERS.into_iter().enumerate() {
        let sql = "INSERT INTO filter (id, name, description, owner_id, jql, viewers) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        work.run(sql, (10000 + at as i64, name, description, people::id(owner), jql, viewers))?;
    }
    for (filter, person) in FAVOURITES {
        let sql = "INSERT INTO favourite_filter (filter_id, person_id) VALUES (?1, ?2)";
        work.run(sql, (10000 + filter, people::id(person)))?;
    }
    let boards = [
        (1, "SHOP board", "scrum", SHOP, 10000),
        (2, "Till board", "scrum", MOB, 10001),
        (3, "Payments kanban", "kanban", PAY, 10002),
    ];
    for row in boards {
        work.run(
            "INSERT INTO board (id, name, type, project_id, filter_id) VALUES (?1, ?2, ?3, ?4, ?5)",
            row,
        )?;
    }
    for it in sprints {
        let sql = "INSERT INTO sprint (id, board_id, name, state, goal, start_date, end_date, completed, activated, created)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let activated = it.start.map(|it| it + 11 * MINUTE);
        let created = it.start.map_or(calendar.end - 4 * DAY + 10 * HOUR, |it| it - 6 * DAY + HOUR);
        let row = (
            it.id,
            it.board,
            &it.name,
            it.state,
            it.goal,
            it.start,
            it.end,
            it.completed,
            activated,
            created,
        );
        work.run(sql, row)?;
    }
    for (at, (name, owner, description)) in DASHBOARDS.into_iter().enumerate() {
        let sql = "INSERT INTO dashboard (id, name, owner_id, description) VALUES (?1, ?2, ?3, ?4)";
        work.run(sql, (10000 + at as i64, name, people::id(owner), description))?;
    }
    for (at, (dashboard, module, title, color, row, column)) in GADGETS.into_iter().enumerate() {
        let sql = "INSERT INTO gadget (id, dashboard_id, module_key, title, color, row, column) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let module = format!("com.atlassian.jira.gadgets:{module}");
        work.run(sql, (10000 + at as i64, 10000 + dashboard, module, title, color, row, column))?;
    }
    Ok(())
}

const SHOP_GOALS: [&str; 8] = [
    "Gift cards can be split over several orders.",
    "Search suggests what people meant.",
    "",
    "Trade customers see net prices everywhere.",
    "The new address form is on for one shop in ten.",
    "No open bug above Medium in the checkout.",
    "The checkout in three steps can be shown to merchants.",
    "",
];

const TILL_GOALS: [&str; 4] = [
    "A till can be offline for a day.",
    "Receipts print on the three printers that we support.",
    "Kiosk mode runs in our own canteen.",
    "Scales.",
];

/// The name, the description, the owner, the query, and who sees it. The first three are those of the boards.
const FILTERS: [(&str, &str, usize, &str, &str); 12] = [
    ("Filter for SHOP board", "", 2, "project = SHOP ORDER BY Rank ASC", "global"),
    ("Filter for Till board", "", 4, "project = MOB2 ORDER BY Rank ASC", "global"),
    ("Filter for Payments kanban", "", 3, "project = PAY AND issuetype != Epic ORDER BY Rank ASC", "global"),
    (
        "My open issues",
        "What I have to do.",
        0,
        "assignee = currentUser() AND resolution IS EMPTY ORDER BY priority DESC, updated DESC",
        "private",
    ),
    (
        "Checkout bugs",
        "All bugs of the checkout that are not done.",
        0,
        "project = SHOP AND component = Checkout AND issuetype = Bug AND statusCategory != Done ORDER BY priority DESC",
        "global",
    ),
    (
        "Reported by me, last 30 days",
        "",
        0,
        "reporter = currentUser() AND created >= -30d ORDER BY created DESC",
        "private",
    ),
    (
        "Money is at stake",
        "Payment bugs that need somebody today.",
        3,
        "project = PAY AND issuetype = Bug AND priority IN (Highest, High) AND resolution = Unresolved",
        "global",
    ),
    (
        "Done last week",
        "For the Monday meeting.",
        2,
        "statusCategory = Done AND resolved >= startOfWeek(-1w) AND resolved < startOfWeek()",
        "global",
    ),
    ("Overdue", "", 5, "due < now() AND statusCategory != Done ORDER BY due ASC", "global"),
    (
        "Unassigned requests",
        "",
        6,
        "project = HELP AND assignee IS EMPTY AND statusCategory != Done ORDER BY created ASC",
        "global",
    ),
    ("Findings of this quarter", "", 28, "project = SEC AND created >= startOfMonth(-3M)", "private"),
    (
        "Waiting for a scanner",
        "",
        17,
        "project = MOB2 AND text ~ \"scanner\" ORDER BY updated DESC",
        "private",
    ),
];

const FAVOURITES: [(i64, usize); 6] = [(3, 0), (4, 0), (6, 0), (7, 2), (6, 3), (9, 6)];

const DASHBOARDS: [(&str, usize, &str); 2] = [
    ("Storefront at a glance", 0, "The sprint, and what came in."),
    ("Help desk wall", 6, "For the screen beside the window."),
];

const GADGETS: [(i64, &str, &str, &str, i64, i64); 7] = [
    (0, "assigned-to-me-gadget", "Assigned to Me", "blue", 0, 0),
    (0, "filter-results-gadget", "Filter Results: Checkout bugs", "red", 1, 0),
    (0, "pie-chart-gadget", "Pie Chart: SHOP by status", "green", 0, 1),
    (0, "activitystream-gadget", "Activity Stream", "gray", 1, 1),
    (1, "created-vs-resolved-gadget", "Created vs. Resolved Chart: Help desk", "yellow", 0, 0),
    (1, "filter-results-gadget", "Filter Results: Unassigned requests", "red", 0, 1),
    (1, "stats-gadget", "Issue Statistics: Help desk by assignee", "purple", 1, 0),
];
