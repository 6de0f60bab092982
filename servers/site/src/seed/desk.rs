//! The service desk: request types with their fields, and queues.
//!
//! In: nothing. Out: rows of `desk`, `request_type`, `request_type_field` and `queue`.

use super::fields::{CUSTOMER_SHOP, OUTAGE_START, PLATFORMS, REGION};
use super::projects::HELP;
use super::scheme::kind;
use crate::fault::Result;
use crate::work::Work;

/// The id of the service desk.
pub(super) const DESK: i64 = 1;

/// A request type.
#[derive(Debug)]
pub(super) struct RequestType {
    pub(super) id: i64,
    pub(super) kind: i64,
    name: &'static str,
    description: &'static str,
    help: &'static str,
    group: &'static str,
    /// The field, the name for customers, what to write there, and whether it is required.
    fields: &'static [(&'static str, &'static str, &'static str, bool)],
}

/// Adds the service desk.
pub(super) fn add(work: &Work<'_>) -> Result<()> {
    work.run("INSERT INTO desk (id, project_id) VALUES (?1, ?2)", (DESK, HELP))?;
    for it in &REQUEST_TYPES {
        let sql = "INSERT INTO request_type (id, desk_id, issue_type_id, name, description, help, group_name)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        work.run(sql, (it.id, DESK, it.kind, it.name, it.description, it.help, it.group))?;
        for (at, (field, name, description, is_required)) in it.fields.iter().enumerate() {
            let sql = "INSERT INTO request_type_field (request_type_id, field_id, name, description, required, position)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            work.run(sql, (it.id, field, name, description, is_required, at as i64))?;
        }
    }
    for (at, (name, jql)) in QUEUES.into_iter().enumerate() {
        let sql = "INSERT INTO queue (id, desk_id, name, jql, position) VALUES (?1, ?2, ?3, ?4, ?5)";
        work.run(sql, (at as i64 + 1, DESK, name, jql, at as i64))?;
    }
    Ok(())
}

/// A question.
pub(super) const QUESTION: i64 = 1;
/// A wish to be let in.
pub(super) const ACCESS: i64 = 2;
/// Something is broken.
pub(super) const BROKEN: i64 = 3;
/// A question about an invoice.
pub(super) const BILLING: i64 = 4;
/// The till.
pub(super) const TILL: i64 = 5;
/// Something new.
pub(super) const WISH: i64 = 6;

const SHOP_FIELD: (&str, &str, &str, bool) = (CUSTOMER_SHOP, "Which shop is it about?", "", false);

/// The request types.
pub(super) const REQUEST_TYPES: [RequestType; 6] = [
    RequestType {
        id: QUESTION,
        kind: kind::REQUEST,
        name: "Ask a question",
        description: "How something works, or where it is.",
        help: "Most answers are in the handbook. We are happy to look it up for you.",
        group: "General",
        fields: &[
            ("summary", "What is your question?", "One sentence.", true),
            ("description", "Tell us more", "", true),
            SHOP_FIELD,
        ],
    },
    RequestType {
        id: ACCESS,
        kind: kind::REQUEST,
        name: "Get access",
        description: "A new colleague, a lost password, a role that is missing.",
        help: "",
        group: "General",
        fields: &[
            ("summary", "Who needs access to what?", "", true),
            ("description", "Why, and from when?", "", true),
            SHOP_FIELD,
            ("duedate", "Needed by", "", false),
        ],
    },
    RequestType {
        id: BROKEN,
        kind: kind::INCIDENT,
        name: "Report a problem",
        description: "The shop is down, slow, or does the wrong thing.",
        help: "If customers can't pay at all, call us: the number is on the status page.",
        group: "Problems",
        fields: &[
            ("summary", "What is broken?", "", true),
            ("description", "What happened, and what did you expect?", "Order numbers help us most.", true),
            SHOP_FIELD,
            (OUTAGE_START, "When did it begin?", "", false),
            ("attachment", "Pictures or files", "", false),
        ],
    },
    RequestType {
        id: BILLING,
        kind: kind::REQUEST,
        name: "Question about an invoice",
        description: "Our invoices to you, and payouts.",
        help: "",
        group: "Billing",
        fields: &[
            ("summary", "What is it about?", "", true),
            ("description", "Invoice number and question", "", true),
            SHOP_FIELD,
            (REGION, "Where is the company registered?", "", false),
        ],
    },
    RequestType {
        id: TILL,
        kind: kind::INCIDENT,
        name: "Problem with a till",
        description: "Phones, tablets, scanners and printers in the shop.",
        help: "Please keep the till switched on until we answer: its log is only on the device.",
        group: "Problems",
        fields: &[
            ("summary", "What does the till do?", "", true),
            ("description", "What happened?", "", true),
            (PLATFORMS, "On what does it run?", "", true),
            SHOP_FIELD,
        ],
    },
    RequestType {
        id: WISH,
        kind: kind::REQUEST,
        name: "Suggest an improvement",
        description: "What would make your day easier.",
        help: "",
        group: "General",
        fields: &[
            ("summary", "Your idea", "", true),
            ("description", "What would you use it for?", "", true),
            SHOP_FIELD,
        ],
    },
];

const QUEUES: [(&str, &str); 5] = [
    ("All open", "project = HELP AND statusCategory != Done ORDER BY created ASC"),
    (
        "Unassigned",
        "project = HELP AND assignee IS EMPTY AND statusCategory != Done ORDER BY priority DESC, created ASC",
    ),
    ("Waiting on us", "project = HELP AND status = \"Waiting for support\" ORDER BY updated ASC"),
    ("Waiting on customers", "project = HELP AND status = \"Waiting for customer\" ORDER BY updated ASC"),
    (
        "Incidents",
        "project = HELP AND issuetype = Incident AND resolution = Unresolved ORDER BY priority DESC",
    ),
];
