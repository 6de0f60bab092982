//! The fields of the site, the contexts of custom fields, and their options.
//!
//! In: the deployment. Out: rows of `field`, `context`, `context_project` and `option`.

use super::projects::{HELP, MOB, OPS, PAY};
use crate::fault::Result;
use crate::work::{Deployment, Work};

pub(super) const SEVERITY: &str = "customfield_10030";
pub(super) const PLATFORMS: &str = "customfield_10031";
pub(super) const CUSTOMER_NAME: &str = "customfield_10032";
pub(super) const RELEASE_NOTES: &str = "customfield_10033";
pub(super) const REVIEWER: &str = "customfield_10034";
pub(super) const APPROVERS: &str = "customfield_10035";
pub(super) const TARGET_DATE: &str = "customfield_10036";
pub(super) const OUTAGE_START: &str = "customfield_10037";
pub(super) const EFFORT: &str = "customfield_10038";
pub(super) const RUNBOOK: &str = "customfield_10039";
pub(super) const REGION: &str = "customfield_10040";
pub(super) const RISK: &str = "customfield_10041";
pub(super) const TEAMS: &str = "customfield_10042";
pub(super) const OWNING_GROUP: &str = "customfield_10043";
pub(super) const FIX_TARGET: &str = "customfield_10044";
pub(super) const SERVED_REGIONS: &str = "customfield_10045";
pub(super) const CUSTOMER_SHOP: &str = "customfield_10046";
pub(super) const PARTICIPANTS: &str = "customfield_10052";

/// The option of the field that flags an issue.
pub(super) const IMPEDIMENT: i64 = 10301;

/// Adds the fields, contexts and options.
pub(super) fn add(work: &Work<'_>) -> Result<()> {
    let is_cloud = work.deployment == Deployment::Cloud;
    for (id, cloud_name, server_name, kind, clause, deployment) in SYSTEM {
        let name = if is_cloud || server_name.is_empty() { cloud_name } else { server_name };
        let clause = (!clause.is_empty()).then_some(clause);
        let sql = "INSERT INTO field (id, name, kind, clause, deployment) VALUES (?1, ?2, ?3, ?4, ?5)";
        work.run(sql, (id, name, kind, clause, deployment))?;
    }
    for (number, name, kind, custom, description, deployment) in CUSTOM {
        let (name, custom) = match (number, is_cloud) {
            (10016, true) => ("Story point estimate", "com.pyxis.greenhopper.jira:jsw-story-points"),
            _ => (name, custom),
        };
        let prefix =
            if custom.contains(':') { "" } else { "com.atlassian.jira.plugin.system.customfieldtypes:" };
        let sql = "INSERT INTO field (id, name, kind, custom, description, deployment) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let row = (
            format!("customfield_{number}"),
            name,
            kind,
            format!("{prefix}{custom}"),
            description,
            deployment,
        );
        work.run(sql, row)?;
    }
    for context in CONTEXTS {
        let field = format!("customfield_{}", context.field);
        work.run(
            "INSERT INTO context (id, field_id, name) VALUES (?1, ?2, ?3)",
            (context.id, field, context.name),
        )?;
        for project in context.projects {
            let sql = "INSERT INTO context_project (context_id, project_id) VALUES (?1, ?2)";
            work.run(sql, (context.id, project))?;
        }
        for (at, (id, parent, value, is_disabled)) in context.options.iter().enumerate() {
            let parent = (*parent != 0).then_some(*parent);
            let sql = "INSERT INTO option (id, context_id, parent_id, value, disabled, position) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            work.run(sql, (id, context.id, parent, value, is_disabled, at as i64))?;
        }
    }
    // The other custom fields have one context for all projects.
    let sql = "INSERT INTO context (id, field_id, name)
        SELECT 10250 + row_number() OVER (ORDER BY f.id), f.id, 'Default Configuration Scheme for ' || f.name FROM field f
        WHERE f.custom IS NOT NULL AND NOT EXISTS (SELECT 1 FROM context c WHERE c.field_id = f.id)";
    work.run(sql, [])?;
    Ok(())
}

/// Returns the options of a field in a project that can be chosen: those of its own context, or else the global ones. Of a
/// cascade, the lower ones.
pub(super) fn options(field: &str, project: i64) -> Vec<i64> {
    let of_field = || CONTEXTS.iter().filter(|it| field.strip_prefix("customfield_") == Some(it.field));
    let own = of_field().find(|it| it.projects.contains(&project));
    let Some(context) = own.or_else(|| of_field().find(|it| it.projects.is_empty())) else {
        return Vec::new();
    };
    let is_parent = |id: i64| context.options.iter().any(|it| it.1 == id);
    let open = context.options.iter().filter(|it| !it.3 && !is_parent(it.0));
    open.map(|it| it.0).collect()
}

/// The id, the name (and that on Data Center, if it is another one), the kind, the name in JQL, and the deployment.
const SYSTEM: [(&str, &str, &str, &str, &str, &str); 44] = [
    ("aggregateprogress", "Σ Progress", "", "computed", "", ""),
    ("aggregatetimeestimate", "Σ Remaining Estimate", "", "computed", "", ""),
    ("aggregatetimeoriginalestimate", "Σ Original Estimate", "", "computed", "", ""),
    ("aggregatetimespent", "Σ Time Spent", "", "computed", "", ""),
    ("assignee", "Assignee", "", "user", "", ""),
    ("attachment", "Attachment", "", "computed", "attachments", ""),
    ("comment", "Comment", "", "computed", "", ""),
    ("components", "Components", "Component/s", "components", "component", ""),
    ("created", "Created", "", "computed", "", ""),
    ("creator", "Creator", "", "user", "", ""),
    ("description", "Description", "", "rich", "", ""),
    ("duedate", "Due date", "Due Date", "date", "due", ""),
    ("environment", "Environment", "", "rich", "", ""),
    ("fixVersions", "Fix versions", "Fix Version/s", "versions", "fixVersion", ""),
    ("issuekey", "Key", "", "computed", "key", ""),
    ("issuelinks", "Linked Issues", "", "computed", "", ""),
    ("issuerestriction", "Restrict to", "", "computed", "", "cloud"),
    ("issuetype", "Issue Type", "", "issuetype", "", ""),
    ("labels", "Labels", "", "labels", "", ""),
    ("lastViewed", "Last Viewed", "", "computed", "", ""),
    ("parent", "Parent", "", "issue", "", ""),
    ("priority", "Priority", "", "priority", "", ""),
    ("progress", "Progress", "", "computed", "", ""),
    ("project", "Project", "", "computed", "", ""),
    ("reporter", "Reporter", "", "user", "", ""),
    ("resolution", "Resolution", "", "resolution", "", ""),
    ("resolutiondate", "Resolved", "", "time", "resolved", ""),
    ("security", "Security Level", "", "computed", "level", ""),
    ("status", "Status", "", "status", "", ""),
    ("statusCategory", "Status Category", "", "computed", "", "cloud"),
    ("statuscategorychangedate", "Status Category Changed", "", "time", "statusCategoryChangedDate", "cloud"),
    ("subtasks", "Sub-tasks", "", "computed", "", ""),
    ("summary", "Summary", "", "text", "", ""),
    ("thumbnail", "Images", "", "computed", "", ""),
    ("timeestimate", "Remaining Estimate", "", "duration", "remainingEstimate", ""),
    ("timeoriginalestimate", "Original estimate", "Original Estimate", "duration", "originalEstimate", ""),
    ("timespent", "Time Spent", "", "duration", "timeSpent", ""),
    ("timetracking", "Time tracking", "Time Tracking", "computed", "", ""),
    ("updated", "Updated", "", "computed", "", ""),
    ("versions", "Affects versions", "Affects Version/s", "versions", "affectedVersion", ""),
    ("votes", "Votes", "", "computed", "", ""),
    ("watches", "Watchers", "", "computed", "watchers", ""),
    ("worklog", "Log Work", "", "computed", "", ""),
    ("workratio", "Work Ratio", "", "computed", "", ""),
];

/// The number, the name, the kind, the key of its type (after the prefix of Jira's own types), the description, and the deployment.
const CUSTOM: [(i64, &str, &str, &str, &str, &str); 25] = [
    (
        10011,
        "Epic Name",
        "text",
        "com.pyxis.greenhopper.jira:gh-epic-label",
        "A short name to identify this epic.",
        "datacenter",
    ),
    (
        10014,
        "Epic Link",
        "issue",
        "com.pyxis.greenhopper.jira:gh-epic-link",
        "The epic that this issue is part of.",
        "datacenter",
    ),
    (10016, "Story Points", "number", "float", "How large it is, compared with other stories.", ""),
    (10019, "Rank", "computed", "com.pyxis.greenhopper.jira:gh-lexo-rank", "The place in the backlog.", ""),
    (10020, "Sprint", "sprints", "com.pyxis.greenhopper.jira:gh-sprint", "Jira Software sprint field", ""),
    (10021, "Flagged", "options", "multicheckboxes", "Flags an issue as impeded.", ""),
    (10030, "Severity", "option", "select", "How bad it is for those whom it hits.", ""),
    (10031, "Affected platforms", "options", "multicheckboxes", "Where it can be seen.", ""),
    (10032, "Customer", "text", "textfield", "The customer who asked for it, in their own spelling.", ""),
    (10033, "Release notes", "rich", "textarea", "What customers read about it.", ""),
    (10034, "Reviewer", "user", "userpicker", "Who looks at the change.", ""),
    (10035, "Approvers", "users", "multiuserpicker", "Who has to agree before it begins.", ""),
    (10036, "Target date", "date", "datepicker", "When it should be there.", ""),
    (10037, "Outage start", "time", "datetime", "When the outage began.", ""),
    (10038, "Effort score", "number", "float", "From 0.5 (an afternoon) to 20 (a quarter).", ""),
    (10039, "Runbook", "url", "url", "The page that says what to do.", ""),
    (10040, "Region", "cascade", "cascadingselect", "The part of the world, and the country in it.", ""),
    (10041, "Risk", "option", "radiobuttons", "What can go wrong if it is done.", ""),
    (10042, "Teams", "labels", "labels", "The teams that it concerns.", ""),
    (10043, "Owning group", "group", "grouppicker", "The group that answers for it.", ""),
    (10044, "Fix target", "version", "version", "The first version that should have it.", ""),
    (10045, "Served regions", "options", "multiselect", "Where the payment method is offered.", ""),
    (10046, "Customer", "option", "select", "The shop that makes the request.", ""),
    (
        10050,
        "Request Type",
        "requesttype",
        "com.atlassian.servicedesk:vp-origin",
        "What the customer chose.",
        "",
    ),
    (
        10052,
        "Request participants",
        "users",
        "com.atlassian.servicedesk:sd-request-participants",
        "Others who hear of it.",
        "",
    ),
];

#[derive(Debug)]
struct Context {
    id: i64,
    field: &'static str,
    name: &'static str,
    /// None for all projects.
    projects: &'static [i64],
    /// The id, the parent (0 for none), the text, and whether it can no longer be chosen.
    options: &'static [(i64, i64, &'static str, bool)],
}

const CONTEXTS: [Context; 14] = [
    Context {
        id: 10201,
        field: "10021",
        name: "Default Configuration Scheme for Flagged",
        projects: &[],
        options: &[(IMPEDIMENT, 0, "Impediment", false)],
    },
    Context {
        id: 10202,
        field: "10030",
        name: "Default Configuration Scheme for Severity",
        projects: &[],
        options: &[
            (10310, 0, "Critical", false),
            (10311, 0, "Major", false),
            (10312, 0, "Minor", false),
            (10313, 0, "Cosmetic", true),
        ],
    },
    Context {
        id: 10203,
        field: "10030",
        name: "Severity where money is at stake",
        projects: &[PAY],
        options: &[
            (10320, 0, "S1: money is lost", false),
            (10321, 0, "S2: money is late", false),
            (10322, 0, "S3: money is right, the paper is wrong", false),
        ],
    },
    Context {
        id: 10204,
        field: "10031",
        name: "Platforms of the till",
        projects: &[MOB, HELP],
        options: &[
            (10330, 0, "iOS", false),
            (10331, 0, "Android", false),
            (10332, 0, "Web till", false),
            (10333, 0, "Windows till", true),
        ],
    },
    Context {
        id: 10205,
        field: "10040",
        name: "Default Configuration Scheme for Region",
        projects: &[],
        options: &[
            (10350, 0, "Europe", false),
            (10351, 10350, "Germany", false),
            (10352, 10350, "Ireland", false),
            (10353, 10350, "Nordics", false),
            (10354, 10350, "Iberia", false),
            (10360, 0, "Americas", false),
            (10361, 10360, "Canada", false),
            (10362, 10360, "Brazil", false),
            (10363, 10360, "United States", false),
            (10370, 0, "Asia-Pacific", false),
            (10371, 10370, "Japan", false),
            (10372, 10370, "Korea", false),
            (10380, 0, "Elsewhere", false),
        ],
    },
    Context {
        id: 10206,
        field: "10041",
        name: "Default Configuration Scheme for Risk",
        projects: &[],
        options: &[
            (10390, 0, "Low", false),
            (10391, 0, "Medium", false),
            (10392, 0, "High", false),
            (10393, 0, "Unknown", true),
        ],
    },
    Context {
        id: 10207,
        field: "10041",
        name: "Risk for payments",
        projects: &[PAY],
        options: &[(10394, 0, "None", false), (10395, 0, "Needs a second pair of eyes", false)],
    },
    Context {
        id: 10208,
        field: "10045",
        name: "Regions of payment methods",
        projects: &[PAY],
        options: &[
            (10400, 0, "European Union", false),
            (10401, 0, "United Kingdom", false),
            (10402, 0, "United States", false),
            (10403, 0, "Canada", false),
            (10404, 0, "Japan", false),
        ],
    },
    Context {
        id: 10209,
        field: "10046",
        name: "Shops with a contract",
        projects: &[HELP],
        options: &[
            (10340, 0, "Fennel & Fig", false),
            (10341, 0, "Oak Lane Books", false),
            (10342, 0, "Harbour Cycles", false),
            (10343, 0, "Nordlys Interiør", false),
            (10344, 0, "Papelería Pepe", false),
            (10345, 0, "Tall Grass Toys", false),
            (10346, 0, "Alte Mühle Naturkost", false),
            (10347, 0, "Quince Market", true),
        ],
    },
    Context {
        id: 10210,
        field: "10037",
        name: "Outages of what we host",
        projects: &[OPS, HELP],
        options: &[],
    },
    Context { id: 10211, field: "10038", name: "Effort of payments", projects: &[PAY], options: &[] },
    Context { id: 10212, field: "10043", name: "Groups of operations", projects: &[OPS], options: &[] },
    Context { id: 10213, field: "10044", name: "Versions of the till", projects: &[MOB], options: &[] },
    Context { id: 10214, field: "10052", name: "Requests", projects: &[HELP], options: &[] },
];
