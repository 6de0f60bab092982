//! What holds for each site that is filled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jiff::civil::{Date, date};
use plainwire_richtext::adf;

use super::calendar::Calendar;
use super::{accounts, fill, people};
use crate::field::Kind;
use crate::identity;
use crate::permission;
use crate::store::Store;
use crate::work::{Deployment, Work};

const TODAY: Date = date(2026, 11, 27);

fn site(deployment: Deployment, seed: u64) -> Store {
    let (store, is_new) = Store::open(None, deployment).expect("a site in memory opens");
    assert!(is_new);
    fill(&store, seed, TODAY, &mut |_, _| {}).expect("the site is filled");
    store
}

/// Runs a check on a site of each deployment. Each of them is filled once.
fn check(check: impl Fn(&Work<'_>)) {
    static CLOUD: OnceLock<Store> = OnceLock::new();
    static DATA_CENTER: OnceLock<Store> = OnceLock::new();
    for (kept, deployment) in [(&CLOUD, Deployment::Cloud), (&DATA_CENTER, Deployment::DataCenter)] {
        let store = kept.get_or_init(|| site(deployment, 1));
        let now = Calendar::before(TODAY).end;
        store
            .run(now, |work| {
                check(work);
                Ok(())
            })
            .expect("a check that does not fail");
    }
}

fn number(work: &Work<'_>, sql: &str) -> i64 {
    work.one(sql, [], |row| row.get(0)).expect(sql).unwrap_or_default()
}

fn texts(work: &Work<'_>, sql: &str) -> Vec<String> {
    work.all(sql, [], |row| row.get(0)).expect(sql)
}

/// All rows of all tables.
fn dump(store: &Store) -> String {
    let read = |work: &Work<'_>| {
        let mut all = String::new();
        for table in texts(work, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            let mut statement = work.db.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY 1"))?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    all.push_str(&format!("{table}: {:?}\n", row.get_ref(column)?));
                }
            }
        }
        Ok(all)
    };
    store.run(0, read).expect("a dump")
}

#[test]
fn the_company_has_what_its_description_says() {
    check(|work| {
        let count = |table: &str| number(work, &format!("SELECT count(*) FROM {table}"));
        assert_eq!(count("person"), 40);
        assert!(count("person WHERE active = 0") >= 3);
        assert_eq!(count("project"), 7);
        assert_eq!(count("board"), 3);
        assert_eq!(count("sprint"), 12);
        assert_eq!(count("sprint WHERE state = 'active'"), 2);
        assert_eq!(count("sprint WHERE state = 'future'"), 2);
        assert_eq!(count("dashboard"), 2);
        assert!(count("request_type") >= 4);
        assert!(count("queue") >= 3);
        assert!(count("comment") >= 600, "{}", count("comment"));
        assert!(count("worklog") >= 200, "{}", count("worklog"));
        assert!(count("attachment") >= 20, "{}", count("attachment"));
        assert!(count("link") >= 70, "{}", count("link"));
        assert!(count("remote_link") >= 15, "{}", count("remote_link"));
        assert!(count("watcher") >= 400, "{}", count("watcher"));
        assert!(count("vote") >= 100, "{}", count("vote"));
        assert_eq!(count("former_issue_key"), 1);
        let most = |table: &str| {
            texts(
                work,
                &format!(
                    "SELECT CAST(count(*) AS TEXT) AS n FROM {table} GROUP BY issue_id ORDER BY count(*) DESC"
                ),
            )
            .iter()
            .map(|it| it.parse::<i64>().unwrap_or_default())
            .collect::<Vec<_>>()
        };
        assert!(most("comment")[0] >= 25 && most("comment")[1] >= 20, "{:?}", &most("comment")[..3]);
        assert!(most("worklog")[0] >= 30);
    });
}

#[test]
fn the_demo_user_sees_five_projects_and_more_than_three_hundred_issues() {
    check(|work| {
        let demo = people::id(people::DEMO);
        let visible = permission::visible_projects(work, demo).expect("projects");
        assert_eq!(visible.len(), 5);
        let list = visible.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let count = number(work, &format!("SELECT count(*) FROM issue WHERE project_id IN ({list})"));
        assert!(count >= 350, "{count}");
        let hidden = number(work, &format!("SELECT count(*) FROM issue WHERE project_id NOT IN ({list})"));
        assert!(hidden >= 20, "{hidden}");
        let own = "SELECT count(*) FROM value WHERE field_id = 'assignee' AND ref = ?1";
        let own: Option<i64> = work.one(own, [demo], |row| row.get(0)).expect("a count");
        assert!(own >= Some(15), "{own:?}");
        for (project, name, expected) in [
            (super::projects::SHOP, "ADMINISTER_PROJECTS", true),
            (super::projects::PAY, "ADMINISTER_PROJECTS", false),
            (super::projects::PAY, "DELETE_ISSUES", false),
            (super::projects::PAY, "EDIT_ISSUES", true),
            (super::projects::MOB, "DELETE_ISSUES", true),
            (super::projects::HELP, "EDIT_ISSUES", true),
            (super::projects::SEC, "BROWSE_PROJECTS", false),
        ] {
            let can = permission::can(work, demo, project, name).expect("an answer");
            assert_eq!(can, expected, "{name} in {project}");
        }
    });
}

#[test]
fn equal_seeds_give_equal_sites_and_other_seeds_other_ones() {
    for deployment in [Deployment::Cloud, Deployment::DataCenter] {
        let first = dump(&site(deployment, 7));
        assert!(first == dump(&site(deployment, 7)));
        assert!(first != dump(&site(deployment, 8)));
    }
}

#[test]
fn any_day_can_be_today() {
    for today in [date(2024, 2, 29), date(2026, 1, 1), date(2026, 8, 2), date(2027, 3, 31)] {
        let seed = today.day() as u64;
        let (store, _) = Store::open(None, Deployment::Cloud).expect("a site in memory opens");
        fill(&store, seed, today, &mut |_, _| {}).expect("the site is filled");
        store
            .run(0, |work| {
                walks_are_allowed(work);
                Ok(())
            })
            .expect("a check that does not fail");
    }
}

#[test]
fn progress_ends_with_all_events() {
    let (store, _) = Store::open(None, Deployment::Cloud).expect("a site in memory opens");
    let mut seen = Vec::new();
    fill(&store, 1, TODAY, &mut |done, total| seen.push((done, total))).expect("the site is filled");
    assert!(seen.is_sorted());
    let (done, total) = seen[seen.len() - 1];
    assert_eq!(done, total);
}

/// Bodies of rich text, with where each is.
fn bodies(work: &Work<'_>) -> Vec<(String, String)> {
    let sql = "SELECT 'comment ' || id, body FROM comment
        UNION ALL SELECT 'worklog ' || id, comment FROM worklog WHERE comment IS NOT NULL
        UNION ALL SELECT v.field_id || ' of ' || i.key, v.text FROM value v JOIN field f ON f.id = v.field_id
            JOIN issue i ON i.id = v.issue_id WHERE f.kind = 'rich'";
    work.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("bodies")
}

#[test]
fn cloud_has_valid_adf() {
    let store = site(Deployment::Cloud, 1);
    let bodies = store.run(0, |work| Ok(bodies(work))).expect("bodies");
    assert!(bodies.len() > 1_000);
    let mut kinds = BTreeSet::new();
    for (place, body) in bodies {
        let found = adf::check(&body);
        assert!(found.is_empty(), "{place}: {found:?}\n{body}");
        for part in body.split("\"type\":\"").skip(1) {
            kinds.extend(part.split('"').next().map(str::to_owned));
        }
        for wiki in
            ["{code", "{panel", "{{", "h2. ", "[~", "{who}", "{key}", "{day}", "{first}", "|thumbnail"]
        {
            assert!(!body.contains(wiki), "{place}: {wiki} in {body}");
        }
    }
    for kind in [
        "blockquote",
        "bulletList",
        "codeBlock",
        "date",
        "decisionList",
        "emoji",
        "expand",
        "hardBreak",
        "heading",
        "inlineCard",
        "media",
        "mediaGroup",
        "mediaInline",
        "mediaSingle",
        "mention",
        "orderedList",
        "panel",
        "rule",
        "status",
        "strike",
        "table",
        "tableHeader",
        "taskList",
        "textColor",
        "underline",
    ] {
        assert!(kinds.contains(kind), "{kind}");
    }
}

#[test]
fn files_of_documents_are_attached() {
    let pictures = |text: &str| -> Vec<String> {
        let parts = text.split("\"alt\":\"").skip(1);
        parts.filter_map(|it| it.split('"').next().map(str::to_owned)).collect()
    };
    let store = site(Deployment::Cloud, 1);
    let read = |work: &Work<'_>| {
        let sql = "SELECT issue_id, body FROM comment UNION ALL SELECT issue_id, text FROM value WHERE field_id = 'description'";
        let bodies: Vec<(i64, String)> = work.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut count = 0;
        for (issue, body) in bodies {
            for name in pictures(&body) {
                let sql = "SELECT count(*) FROM attachment WHERE issue_id = ?1 AND filename = ?2";
                let found: Option<i64> = work.one(sql, (issue, &name), |row| row.get(0))?;
                assert!(found > Some(0), "{name} of {issue}");
                count += 1;
            }
        }
        Ok(count)
    };
    assert!(store.run(0, read).expect("a check that does not fail") > 15);
}

#[test]
fn data_center_has_wiki_markup() {
    let store = site(Deployment::DataCenter, 1);
    let bodies = store.run(0, |work| Ok(bodies(work))).expect("bodies");
    assert!(bodies.len() > 1_000);
    let mut all = String::new();
    for (place, body) in bodies {
        assert!(!body.contains("\"type\":\"doc\"") && !body.contains("712020:"), "{place}: {body}");
        assert!(!body.trim().is_empty(), "{place}");
        assert!(!body.contains("{who}") && !body.contains("**strong"), "{place}: {body}");
        all.push_str(&body);
        all.push('\n');
    }
    for markup in [
        "{code:json}",
        "{panel:",
        "{quote}",
        "{noformat}",
        "||",
        "\n# ",
        "\n* ",
        "[~",
        "h2. ",
        "|thumbnail!",
        "[^",
        "----",
        "{color:",
        "{{",
    ] {
        assert!(all.contains(markup), "{markup}");
    }
}

#[test]
fn each_reference_leads_to_something() {
    const COLUMNS: [(&str, &str, &str); 44] = [
        ("member", "group_id", "\"group\""),
        ("member", "person_id", "person"),
        ("token", "person_id", "person"),
        ("project", "lead_id", "person"),
        ("former_project_key", "project_id", "project"),
        ("former_issue_key", "issue_id", "issue"),
        ("permission", "project_id", "project"),
        ("permission", "group_id", "\"group\""),
        ("project_issue_type", "project_id", "project"),
        ("project_issue_type", "issue_type_id", "issue_type"),
        ("project_issue_type", "workflow_id", "workflow"),
        ("workflow", "initial_status_id", "status"),
        ("transition", "workflow_id", "workflow"),
        ("transition", "from_status_id", "status"),
        ("transition", "to_status_id", "status"),
        ("transition_field", "transition_id", "transition"),
        ("transition_field", "field_id", "field"),
        ("component", "lead_id", "person"),
        ("context", "field_id", "field"),
        ("context_project", "context_id", "context"),
        ("context_project", "project_id", "project"),
        ("option", "context_id", "context"),
        ("option", "parent_id", "option"),
        ("screen_field", "project_id", "project"),
        ("screen_field", "field_id", "field"),
        ("issue", "project_id", "project"),
        ("value", "issue_id", "issue"),
        ("value", "field_id", "field"),
        ("change_group", "author_id", "person"),
        ("change_group", "issue_id", "issue"),
        ("change_item", "group_id", "change_group"),
        ("comment", "author_id", "person"),
        ("comment", "issue_id", "issue"),
        ("worklog", "issue_id", "issue"),
        ("attachment", "issue_id", "issue"),
        ("link", "source_id", "issue"),
        ("link", "destination_id", "issue"),
        ("link", "link_type_id", "link_type"),
        ("remote_link", "issue_id", "issue"),
        ("board", "filter_id", "filter"),
        ("sprint", "board_id", "board"),
        ("favourite_filter", "filter_id", "filter"),
        ("gadget", "dashboard_id", "dashboard"),
        ("request_type_field", "field_id", "field"),
    ];
    check(|work| {
        for (table, column, target) in COLUMNS {
            let sql = format!(
                "SELECT count(*) FROM \"{table}\" a WHERE a.{column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {target} b WHERE b.id = a.{column})"
            );
            assert_eq!(number(work, &sql), 0, "{table}.{column}");
        }
        for kind in [
            (Kind::Cascade, "option"),
            (Kind::Components, "component"),
            (Kind::Group, "\"group\""),
            (Kind::Issue, "issue"),
            (Kind::IssueType, "issue_type"),
            (Kind::Option, "option"),
            (Kind::Options, "option"),
            (Kind::Priority, "priority"),
            (Kind::RequestType, "request_type"),
            (Kind::Resolution, "resolution"),
            (Kind::Sprints, "sprint"),
            (Kind::Status, "status"),
            (Kind::User, "person"),
            (Kind::Users, "person"),
            (Kind::Version, "version"),
            (Kind::Versions, "version"),
        ] {
            let of_kind = "FROM value v JOIN field f ON f.id = v.field_id WHERE f.kind =";
            let sql = format!("SELECT count(*) {of_kind} '{}'", kind.0.name());
            assert!(number(work, &sql) > 0, "no value of {:?}", kind.0);
            let sql = format!("{sql} AND NOT EXISTS (SELECT 1 FROM {} t WHERE t.id = v.ref)", kind.1);
            assert_eq!(number(work, &sql), 0, "{:?}", kind.0);
        }
        // Options are those of a context of the project, and none that is disabled.
        let sql = "SELECT count(*) FROM value v JOIN issue i ON i.id = v.issue_id JOIN field f ON f.id = v.field_id
            JOIN option o ON o.id = v.ref JOIN context c ON c.id = o.context_id
            WHERE f.kind IN ('option', 'options', 'cascade') AND (c.field_id <> v.field_id OR o.disabled
                OR (EXISTS (SELECT 1 FROM context_project p WHERE p.context_id = c.id)
                    AND NOT EXISTS (SELECT 1 FROM context_project p WHERE p.context_id = c.id AND p.project_id = i.project_id)))";
        assert_eq!(number(work, sql), 0);
        let sql =
            "SELECT count(*) FROM value v JOIN issue i ON i.id = v.issue_id JOIN version x ON x.id = v.ref
            WHERE v.field_id IN ('versions', 'fixVersions') AND x.project_id <> i.project_id";
        assert_eq!(number(work, sql), 0);
    });
}

#[test]
fn each_custom_field_has_a_context() {
    check(|work| {
        let sql = "SELECT count(*) FROM field f WHERE f.custom IS NOT NULL AND NOT EXISTS (SELECT 1 FROM context c WHERE c.field_id = f.id)";
        assert_eq!(number(work, sql), 0);
        assert_eq!(texts(work, "SELECT id FROM field WHERE name = 'Customer'").len(), 2);
    });
}

/// Checks that each walk begins with the first status of its workflow, and follows its transitions and their rules.
fn walks_are_allowed(work: &Work<'_>) {
    let sql = "SELECT i.key, h.ref, h.since, h.set_by, p.workflow_id, i.id FROM held h JOIN issue i ON i.id = h.issue_id
        JOIN value t ON t.issue_id = i.id AND t.field_id = 'issuetype'
        JOIN project_issue_type p ON p.project_id = i.project_id AND p.issue_type_id = t.ref
        WHERE h.field_id = 'status' ORDER BY i.id, h.since, h.rowid";
    type Row = (String, i64, i64, Option<i64>, i64, i64);
    let rows: Vec<Row> = work
        .all(sql, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        })
        .expect("walks");
    let mut last: BTreeMap<i64, i64> = BTreeMap::new();
    for (key, to, at, author, workflow, issue) in rows {
        let Some(from) = last.insert(issue, to) else {
            let first =
                number(work, &format!("SELECT initial_status_id FROM workflow WHERE id = {workflow}"));
            assert_eq!((to, author), (first, None), "{key}");
            continue;
        };
        let sql = "SELECT rule FROM transition WHERE workflow_id = ?1 AND coalesce(from_status_id, ?2) = ?2 AND to_status_id = ?3
            ORDER BY from_status_id IS NULL";
        let rule: Option<String> = work.one(sql, (workflow, from, to), |row| row.get(0)).expect("a rule");
        let rule = rule.unwrap_or_else(|| panic!("{key}: no transition from {from} to {to}"));
        if rule == "assignee" {
            let sql = "SELECT ref FROM held WHERE issue_id = ?1 AND field_id = 'assignee' AND since <= ?2 AND coalesce(until, ?2 + 1) > ?2";
            let assignee: Option<i64> = work.one(sql, (issue, at), |row| row.get(0)).expect("an assignee");
            assert_eq!(assignee, author, "{key}");
        }
        if rule == "subtasks-done" {
            let sql = "SELECT count(*) FROM value v JOIN held h ON h.issue_id = v.issue_id AND h.field_id = 'status'
                JOIN status s ON s.id = h.ref WHERE v.field_id = 'parent' AND v.ref = ?1 AND s.category <> 'done'
                AND h.since <= ?2 AND coalesce(h.until, ?2 + 1) > ?2 AND EXISTS (SELECT 1 FROM value t JOIN issue_type k ON k.id = t.ref
                    WHERE t.issue_id = v.issue_id AND t.field_id = 'issuetype' AND k.level = -1)";
            let open: Option<i64> = work.one(sql, (issue, at), |row| row.get(0)).expect("a count");
            assert_eq!(open, Some(0), "{key}");
        }
    }
    let wrong = "SELECT count(*) FROM value v JOIN status s ON s.id = v.ref
        LEFT JOIN value r ON r.issue_id = v.issue_id AND r.field_id = 'resolution'
        WHERE v.field_id = 'status' AND (s.category = 'done') <> (r.ref IS NOT NULL)";
    assert_eq!(number(work, wrong), 0, "a resolution without the end, or an end without one");
}

#[test]
fn walks_follow_the_workflows() {
    check(walks_are_allowed);
}

#[test]
fn work_spreads_over_all_statuses_and_resolutions() {
    check(|work| {
        let sql = "SELECT name FROM status s WHERE NOT EXISTS (SELECT 1 FROM value v WHERE v.field_id = 'status' AND v.ref = s.id)";
        let unused = texts(work, sql);
        assert!(unused.len() <= 1, "{unused:?}");
        let sql = "SELECT name FROM resolution s WHERE NOT EXISTS (SELECT 1 FROM value v WHERE v.field_id = 'resolution' AND v.ref = s.id)";
        assert_eq!(texts(work, sql), Vec::<String>::new());
        let open = number(
            work,
            "SELECT count(*) FROM issue i WHERE NOT EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = 'resolution')",
        );
        assert!((80..250).contains(&open), "{open}");
    });
}

#[test]
fn nothing_happens_after_the_beginning_of_today_or_before_its_issue() {
    check(|work| {
        let calendar = Calendar::before(TODAY);
        for (table, column) in [
            ("issue", "created"),
            ("issue", "updated"),
            ("change_group", "created"),
            ("comment", "updated"),
            ("worklog", "updated"),
            ("attachment", "created"),
            ("held", "since"),
        ] {
            let last = number(work, &format!("SELECT max({column}) FROM {table}"));
            assert!(last < calendar.end, "{table}.{column}");
            assert!(last > calendar.end - 15 * super::calendar::DAY, "{table}.{column}: nothing of late");
            let first = number(work, &format!("SELECT min({column}) FROM {table}"));
            assert!(first >= calendar.first, "{table}.{column}");
        }
        for (table, column) in [
            ("comment", "created"),
            ("worklog", "started"),
            ("attachment", "created"),
            ("change_group", "created"),
        ] {
            let sql = format!(
                "SELECT count(*) FROM {table} t JOIN issue i ON i.id = t.issue_id WHERE t.{column} < i.created OR t.{column} > i.updated"
            );
            assert_eq!(number(work, &sql), 0, "{table}.{column}");
        }
    });
}

#[test]
fn new_issues_have_what_their_forms_require_and_nothing_else() {
    check(|work| {
        let missing = "SELECT i.key || ' ' || s.field_id FROM issue i
            JOIN value t ON t.issue_id = i.id AND t.field_id = 'issuetype'
            JOIN screen_field s ON s.project_id = i.project_id AND s.issue_type_id = t.ref AND s.operation = 'create' AND s.required = 1
            WHERE s.field_id <> 'project' AND NOT EXISTS (SELECT 1 FROM value v WHERE v.issue_id = i.id AND v.field_id = s.field_id)";
        assert_eq!(texts(work, missing), Vec::<String>::new());
        let others = "SELECT DISTINCT i.key || ' ' || v.field_id FROM value v JOIN issue i ON i.id = v.issue_id
            JOIN value t ON t.issue_id = i.id AND t.field_id = 'issuetype'
            WHERE v.field_id NOT IN ('creator', 'status', 'resolution', 'resolutiondate', 'statuscategorychangedate', 'timespent',
                'timeestimate', 'timeoriginalestimate', 'fixVersions')
            AND NOT EXISTS (SELECT 1 FROM screen_field s WHERE s.project_id = i.project_id AND s.issue_type_id = t.ref
                AND s.operation = 'create' AND s.field_id = v.field_id)";
        assert_eq!(texts(work, others), Vec::<String>::new());
    });
}

#[test]
fn some_fields_can_be_given_but_not_changed() {
    check(|work| {
        let sql = "SELECT count(*) FROM screen_field c WHERE c.operation = 'create' AND c.field_id LIKE 'customfield%' AND NOT EXISTS (
            SELECT 1 FROM screen_field e WHERE e.operation = 'edit' AND e.project_id = c.project_id
            AND e.issue_type_id = c.issue_type_id AND e.field_id = c.field_id)";
        assert!(number(work, sql) > 0);
    });
}

#[test]
fn epics_that_are_done_have_no_open_issues() {
    check(|work| {
        let field = crate::field::epic_field(work.deployment);
        let sql = format!(
            "SELECT c.key FROM value v JOIN issue c ON c.id = v.issue_id
             JOIN value s ON s.issue_id = v.ref AND s.field_id = 'resolution'
             JOIN value t ON t.issue_id = v.ref AND t.field_id = 'issuetype' AND t.ref = 10000
             WHERE v.field_id = '{field}' AND NOT EXISTS (SELECT 1 FROM value r WHERE r.issue_id = c.id AND r.field_id = 'resolution')"
        );
        assert_eq!(texts(work, &sql), Vec::<String>::new());
        let children = format!("SELECT count(*) FROM value WHERE field_id = '{field}'");
        assert!(number(work, &children) > 60);
    });
}

#[test]
fn summaries_are_specific() {
    check(|work| {
        let all = texts(work, "SELECT text FROM value WHERE field_id = 'summary'");
        let distinct: BTreeSet<_> = all.iter().collect();
        assert!(distinct.len() >= 320, "{} of {}", distinct.len(), all.len());
        let written: usize = [
            super::stock::storefront::STOREFRONT.topics.len(),
            super::stock::payments::PAYMENTS.topics.len(),
            super::stock::mobile::MOBILE.topics.len(),
            super::stock::operations::OPERATIONS.topics.len(),
            super::stock::desk::REQUESTS.len(),
        ]
        .iter()
        .sum();
        assert!(written >= 170, "{written}");
    });
}

#[test]
fn accounts_have_their_tokens() {
    check(|work| {
        let all = accounts();
        assert_eq!((all[0].name.as_str(), all[0].email.as_str()), ("demo", super::DEMO_EMAIL));
        assert_eq!((all[0].token.as_str(), all[0].password.as_deref()), ("demo-token", Some("demo")));
        for account in all {
            let sql = "SELECT count(*) FROM token t JOIN person p ON p.id = t.person_id WHERE t.hash = ?1 AND p.name = ?2 AND p.email = ?3";
            let row = (identity::hash(&account.token), &account.name, &account.email);
            let found: Option<i64> = work.one(sql, row, |row| row.get(0)).expect("a count");
            assert_eq!(found, Some(1), "{account:?}");
        }
    });
}

#[test]
fn people_have_the_forms_of_ids_that_sites_have() {
    check(|work| {
        let ids = texts(work, "SELECT account_id FROM person");
        assert!(ids.iter().any(|it| it.len() == 24 && it.bytes().all(|it| it.is_ascii_hexdigit())));
        assert!(ids.iter().any(|it| it.starts_with("557058:") && it.len() == 43));
        assert!(ids.iter().any(|it| it.starts_with("712020:") && it.len() == 43));
        let twins = "SELECT display_name FROM person GROUP BY display_name HAVING count(*) = 2 ORDER BY 1";
        assert_eq!(texts(work, twins), ["Alex Kim", "Maria Silva"]);
        assert!(texts(work, "SELECT key FROM person WHERE key NOT LIKE 'JIRAUSER%'").len() >= 5);
    });
}
