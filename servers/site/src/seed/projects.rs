//! The projects of the company: what belongs to them, and who may do what in them.
//!
//! In: the calendar. Out: rows of `project`, `component`, `version`, `permission` and `project_issue_type`.

use super::calendar::Calendar;
use super::people::{self, group};
use super::scheme::{PAYMENT_BUGS, SERVICE, SIMPLE, SOFTWARE, STORIES, Workflow, kind};
use crate::fault::Result;
use crate::permission;
use crate::work::Work;

pub(super) const SHOP: i64 = 10000;
pub(super) const PAY: i64 = 10001;
pub(super) const MOB: i64 = 10002;
pub(super) const OPS: i64 = 10003;
pub(super) const HELP: i64 = 10004;
pub(super) const SEC: i64 = 10005;
pub(super) const HR: i64 = 10006;

/// A project.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) id: i64,
    pub(super) key: &'static str,
    name: &'static str,
    description: &'static str,
    pub(super) lead: usize,
    /// Those who work in it, by their places among the people.
    pub(super) team: &'static [usize],
    kind: &'static str,
    category: Option<&'static str>,
    url: Option<&'static str>,
    pub(super) types: &'static [(i64, &'static Workflow)],
    /// The name, the description, and the lead.
    pub(super) components: &'static [(&'static str, &'static str, Option<usize>)],
    pub(super) versions: &'static [Version],
    /// The group that administers it, and the groups that work in it.
    admins: &'static str,
    members: &'static [&'static str],
    /// What only its administrators may do.
    reserved: &'static [&'static str],
}

/// A version.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) id: i64,
    pub(super) name: &'static str,
    description: &'static str,
    /// How many days before today it begins and is released.
    start: Option<i64>,
    pub(super) release: Option<i64>,
    pub(super) is_released: bool,
    pub(super) is_archived: bool,
}

impl Project {
    /// Returns a project by its id.
    pub(super) fn by_id(id: i64) -> Option<&'static Self> {
        PROJECTS.iter().find(|it| it.id == id)
    }

    /// Returns the workflow of a type.
    pub(super) fn workflow(&self, kind: i64) -> Option<&'static Workflow> {
        self.types.iter().find(|(it, _)| *it == kind).map(|(_, workflow)| *workflow)
    }

    /// Returns the id of a component by its place.
    pub(super) fn component(&self, at: usize) -> Option<i64> {
        (at < self.components.len()).then(|| self.id * 10 - 90_000 + at as i64)
    }
}

/// Adds the projects.
pub(super) fn add(work: &Work<'_>, calendar: &Calendar) -> Result<()> {
    for project in &PROJECTS {
        let sql = "INSERT INTO project (id, key, name, description, lead_id, type, category, url) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let row = (
            project.id,
            project.key,
            project.name,
            project.description,
            people::id(project.lead),
            project.kind,
            project.category,
            project.url,
        );
        work.run(sql, row)?;
        for (at, (kind, workflow)) in project.types.iter().enumerate() {
            let sql = "INSERT INTO project_issue_type (project_id, issue_type_id, workflow_id, position) VALUES (?1, ?2, ?3, ?4)";
            work.run(sql, (project.id, kind, workflow.id, at as i64))?;
        }
        for (at, (name, description, lead)) in project.components.iter().enumerate() {
            let sql = "INSERT INTO component (id, project_id, name, description, lead_id) VALUES (?1, ?2, ?3, ?4, ?5)";
            work.run(sql, (project.component(at), project.id, name, description, lead.map(people::id)))?;
        }
        for (at, it) in project.versions.iter().enumerate() {
            let day = |days: Option<i64>| days.map(|it| calendar.day_ago(it));
            let sql = "INSERT INTO version (id, project_id, name, description, start_date, release_date, released, archived, position)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            let row = (
                it.id,
                project.id,
                it.name,
                it.description,
                day(it.start),
                day(it.release),
                it.is_released,
                it.is_archived,
                at as i64,
            );
            work.run(sql, row)?;
        }
        add_permissions(work, project)?;
    }
    let sql = "INSERT INTO former_project_key (key, project_id) VALUES ('BILL', ?1)";
    work.run(sql, [PAY])?;
    Ok(())
}

fn add_permissions(work: &Work<'_>, project: &Project) -> Result<()> {
    let grant = |name: &str, group: Option<i64>| {
        let sql = "INSERT OR IGNORE INTO permission (project_id, name, group_id) VALUES (?1, ?2, ?3)";
        work.run(sql, (project.id, name, group))
    };
    for (name, _) in permission::ALL {
        grant(name, group("site-admins"))?;
        grant(name, group(project.admins))?;
        if name != "ADMINISTER_PROJECTS" && !project.reserved.contains(&name) {
            for members in project.members {
                grant(name, group(members))?;
            }
        }
    }
    if project.id == HELP {
        // Customers see their own requests, whatever they may browse.
        for name in ["CREATE_ISSUES", "ADD_COMMENTS", "CREATE_ATTACHMENTS"] {
            grant(name, group("helpdesk-customers"))?;
        }
        for name in ["BROWSE_PROJECTS", "ADD_COMMENTS", "CREATE_ISSUES"] {
            grant(name, group("developers"))?;
        }
    }
    Ok(())
}

const fn released(
    id: i64,
    name: &'static str,
    start: i64,
    release: i64,
    description: &'static str,
) -> Version {
    let (start, release) = (Some(start), Some(release));
    Version { id, name, description, start, release, is_released: true, is_archived: false }
}

const fn planned(id: i64, name: &'static str, release: Option<i64>, description: &'static str) -> Version {
    Version { id, name, description, start: None, release, is_released: false, is_archived: false }
}

const SOFTWARE_TYPES: &[(i64, &Workflow)] = &[
    (kind::EPIC, &SOFTWARE),
    (kind::STORY, &STORIES),
    (kind::TASK, &SOFTWARE),
    (kind::BUG, &SOFTWARE),
    (kind::SUBTASK, &SOFTWARE),
];

const CAREFUL: &[&str] =
    &["DELETE_ALL_ATTACHMENTS", "DELETE_ALL_COMMENTS", "DELETE_ALL_WORKLOGS", "EDIT_ALL_COMMENTS"];

/// The projects: five for all, and two that the demo user may not see.
pub(super) static PROJECTS: [Project; 7] = [
    Project {
        id: SHOP,
        key: "SHOP",
        name: "Storefront",
        description: "The shop that buyers see: catalogue, cart, checkout, and the back office behind it.",
        lead: 2,
        team: &[0, 2, 7, 8, 9, 10, 11],
        kind: "software",
        category: Some("Products"),
        url: Some("https://wiki.plainwire.example/storefront"),
        types: SOFTWARE_TYPES,
        components: &[
            ("Checkout", "From the cart to the confirmation.", Some(7)),
            ("Catalogue", "Products, variants, categories and prices.", Some(8)),
            ("Search", "The index, suggestions and filters.", Some(10)),
            ("Accounts", "Customers, addresses and their orders.", None),
            ("Promotions", "Vouchers, gift cards and campaigns.", Some(9)),
            ("Back office", "What merchants work with.", Some(2)),
        ],
        versions: &[
            Version {
                is_archived: true,
                ..released(10000, "4.9", 640, 560, "The last one with the old cart.")
            },
            released(10001, "5.0", 560, 470, "New cart, new theme engine."),
            released(10002, "5.1", 470, 385, "Gift cards in parts."),
            released(10003, "5.2", 385, 300, ""),
            released(10004, "5.3", 300, 214, "Search with suggestions."),
            released(10005, "5.4", 214, 129, "Net prices for trade customers."),
            released(10006, "5.5", 129, 45, ""),
            planned(10007, "5.6", Some(-19), "Checkout in three steps."),
            planned(10008, "6.0", None, "Themes from other makers."),
        ],
        admins: "shop-admins",
        members: &["jira-software-users"],
        reserved: CAREFUL,
    },
    Project {
        id: PAY,
        key: "PAY",
        name: "Payments",
        description: "Taking money, giving it back, and writing it down. Had the key BILL until the invoices moved in.",
        lead: 3,
        team: &[3, 12, 14, 15, 16, 0],
        kind: "software",
        category: Some("Products"),
        url: None,
        types: &[
            (kind::EPIC, &SOFTWARE),
            (kind::STORY, &STORIES),
            (kind::TASK, &SOFTWARE),
            (kind::BUG, &PAYMENT_BUGS),
            (kind::SUBTASK, &SOFTWARE),
        ],
        components: &[
            ("Gateway", "The way to banks and card schemes.", Some(12)),
            ("Refunds", "", Some(14)),
            ("Invoices", "Documents, numbers and taxes.", Some(15)),
            ("Ledger", "Each cent, twice.", Some(16)),
            ("Risk rules", "What looks like fraud.", None),
        ],
        versions: &[
            released(10020, "Gateway 11", 530, 440, "Second bank in the Nordics."),
            released(10021, "Gateway 12", 440, 331, ""),
            released(10022, "Gateway 13", 331, 205, "Refunds in parts."),
            released(10023, "Gateway 14", 205, 88, "New region for card payments."),
            planned(10024, "Gateway 15", Some(9), "Late: the scheme's certificate is missing."),
            planned(10025, "Ledger 3", Some(-75), "Closing of months."),
        ],
        admins: "project-leads",
        members: &["jira-software-users"],
        reserved: &[
            "DELETE_ALL_ATTACHMENTS",
            "DELETE_ALL_COMMENTS",
            "DELETE_ALL_WORKLOGS",
            "DELETE_ISSUES",
            "EDIT_ALL_COMMENTS",
            "MODIFY_REPORTER",
        ],
    },
    Project {
        id: MOB,
        key: "MOB2",
        name: "Mobile till",
        description: "The till for phones and tablets, second edition. It has to sell without a network.",
        lead: 4,
        team: &[4, 17, 18, 19, 20, 0],
        kind: "software",
        category: Some("Products"),
        url: Some("https://wiki.plainwire.example/till"),
        types: SOFTWARE_TYPES,
        components: &[
            ("Selling", "The screen that cashiers look at.", Some(18)),
            ("Scanner", "Cameras and handheld scanners.", Some(17)),
            ("Sync", "What happens when the network is back.", Some(19)),
            ("Printing", "Receipts and labels.", None),
            ("Hardware", "Drawers, card readers, scales.", Some(17)),
        ],
        versions: &[
            Version {
                is_archived: true,
                ..released(10040, "1.14", 700, 610, "The last one of the first edition.")
            },
            released(10041, "2.0.0", 520, 410, "Second edition."),
            released(10042, "2.1.0", 410, 290, "Tablets."),
            released(10043, "2.2.0", 290, 170, "Several drawers for one till."),
            released(10044, "2.2.1", 170, 158, "Receipts on narrow paper."),
            released(10045, "2.3.0", 158, 52, ""),
            planned(10046, "2.4.0", Some(-33), "Kiosk mode."),
        ],
        admins: "project-leads",
        members: &["jira-software-users"],
        reserved: CAREFUL,
    },
    Project {
        id: OPS,
        key: "OPS",
        name: "Operations",
        description: "Servers, certificates, laptops and the coffee machine.",
        lead: 5,
        team: &[5, 21, 22, 23],
        kind: "business",
        category: Some("Company"),
        url: None,
        types: &[(kind::TASK, &SIMPLE), (kind::SUBTASK, &SIMPLE)],
        components: &[
            ("Hosting", "", Some(22)),
            ("Monitoring", "Alarms and graphs.", Some(23)),
            ("Backups", "And bringing them back.", Some(21)),
            ("Office", "Rooms, devices, access cards.", None),
        ],
        versions: &[],
        admins: "project-leads",
        members: &["jira-software-users"],
        reserved: CAREFUL,
    },
    Project {
        id: HELP,
        key: "HELP",
        name: "Help desk",
        description: "Where merchants ask, and where they hear what is broken.",
        lead: 6,
        team: &people::AGENTS,
        kind: "service_desk",
        category: Some("Customers"),
        url: Some("https://help.plainwire.example"),
        types: &[(kind::REQUEST, &SERVICE), (kind::INCIDENT, &SERVICE)],
        components: &[("Storefront", "", Some(6)), ("Payments", "", None), ("Till", "", None)],
        versions: &[],
        admins: "project-leads",
        members: &["service-desk-agents"],
        reserved: CAREFUL,
    },
    Project {
        id: SEC,
        key: "SEC",
        name: "Security",
        description: "Findings that are not for everyone yet.",
        lead: 28,
        team: &[28, 29],
        kind: "software",
        category: Some("Company"),
        url: None,
        types: &[(kind::TASK, &SOFTWARE), (kind::BUG, &SOFTWARE), (kind::SUBTASK, &SOFTWARE)],
        components: &[("Findings", "", Some(29)), ("Audit", "", Some(28))],
        versions: &[],
        admins: "security-council",
        members: &[],
        reserved: &[],
    },
    Project {
        id: HR,
        key: "HR",
        name: "People",
        description: "Hiring, contracts and reviews.",
        lead: 30,
        team: &[25, 30],
        kind: "business",
        category: Some("Company"),
        url: None,
        types: &[(kind::TASK, &SIMPLE), (kind::SUBTASK, &SIMPLE)],
        components: &[],
        versions: &[],
        admins: "people-team",
        members: &[],
        reserved: &[],
    },
];
