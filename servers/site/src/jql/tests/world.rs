//! A small site: three projects of which most people see two, and a dozen issues.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::thread;

use crate::field::Value;
use crate::issue::{self, Change, Draft};
use crate::jql::{Compiled, compile};
use crate::store::Store;
use crate::{Deployment, Fault, Result, Work, time};

pub(super) const ANN: i64 = 1;
pub(super) const BOB: i64 = 2;
/// Is in Berlin, and sees the hidden project too.
pub(super) const EVE: i64 = 5;

/// A Friday.
pub(super) const NOW: &str = "2026-11-27T12:00:00.000+0000";

/// The site. When a test ends, it fails with all that was not as expected, not only with the first of it.
pub(super) struct World {
    store: Store,
    differences: RefCell<Vec<String>>,
}

impl Drop for World {
    fn drop(&mut self) {
        let differences = self.differences.take();
        assert!(thread::panicking() || differences.is_empty(), "{}", differences.join("\n"));
    }
}

const ROWS: &str = "
INSERT INTO person (id, account_id, name, key, email, display_name, time_zone, account_type) VALUES
    (1, '5b10:ann', 'ann', 'JIRAUSER1', 'ann@example.com', 'Ann Ash', 'UTC', 'atlassian'),
    (2, '5b10:bob', 'bob', 'JIRAUSER2', 'bob@example.com', 'Bob Birch', 'UTC', 'atlassian'),
    (3, '5b10:dan', 'dan', 'JIRAUSER3', 'dan@example.com', 'Dan Dale', 'UTC', 'atlassian'),
    (4, '5b10:dan2', 'dan2', 'JIRAUSER4', 'dan2@example.com', 'Dan Dale', 'UTC', 'customer'),
    (5, '5b10:eve', 'eve', 'JIRAUSER5', 'eve@example.com', 'Eve Élan', 'Europe/Berlin', 'atlassian');
INSERT INTO \"group\" (id, name) VALUES (1, 'developers'), (2, 'secret'), (3, 'nobody');
INSERT INTO member (group_id, person_id) VALUES (1, 1), (1, 2), (2, 5);
INSERT INTO project (id, key, name, lead_id, type, category) VALUES
    (1, 'SHOP', 'Web Shop', 1, 'software', 'Products'), (2, 'DESK', 'Help Desk', 2, 'service_desk', NULL),
    (3, 'HID', 'Hidden', 5, 'business', 'Secrets');
INSERT INTO permission (project_id, name, group_id) VALUES
    (1, 'BROWSE_PROJECTS', NULL), (2, 'BROWSE_PROJECTS', NULL), (3, 'BROWSE_PROJECTS', 2),
    (1, 'EDIT_ISSUES', 1), (1, 'ADMINISTER_PROJECTS', 2);
INSERT INTO issue_type (id, name, description, level) VALUES
    (10, 'Epic', '', 1), (11, 'Story', '', 0), (12, 'Bug', '', 0), (13, 'Sub-task', '', -1);
INSERT INTO status (id, name, description, category) VALUES
    (21, 'To Do', '', 'new'), (22, 'In Progress', '', 'indeterminate'), (23, 'Done', '', 'done');
INSERT INTO workflow (id, name, initial_status_id) VALUES (1, 'w', 21);
INSERT INTO project_issue_type SELECT p.id, t.id, 1, 1 FROM project p, issue_type t;
INSERT INTO priority (id, name, description, color, position) VALUES
    (1, 'High', '', '', 1), (2, 'Medium', '', '', 2), (3, 'Low', '', '', 3);
INSERT INTO resolution (id, name, description) VALUES (1, 'Fixed', ''), (2, 'Won''t Do', '');
INSERT INTO link_type (id, name, inward, outward) VALUES (1, 'Blocks', 'is blocked by', 'blocks'), (2, 'Relates', 'relates to', 'relates to');
INSERT INTO component (id, project_id, name, lead_id) VALUES (1, 1, 'Cart', 2), (2, 1, 'Search', NULL), (3, 3, 'Vault', NULL);
INSERT INTO version (id, project_id, name, released, archived, position) VALUES
    (101, 1, '1.0', 1, 0, 1), (102, 1, '1.1', 1, 0, 2), (103, 1, '2.0', 0, 0, 3), (104, 1, '3.0', 0, 0, 4), (105, 3, '9.0', 0, 0, 1);
INSERT INTO field (id, name, kind, custom, clause) VALUES
    ('assignee', 'Assignee', 'user', NULL, NULL), ('components', 'Components', 'components', NULL, 'component'),
    ('creator', 'Creator', 'user', NULL, NULL), ('description', 'Description', 'rich', NULL, NULL),
    ('duedate', 'Due date', 'date', NULL, 'due'), ('environment', 'Environment', 'rich', NULL, NULL),
    ('fixVersions', 'Fix versions', 'versions', NULL, 'fixVersion'), ('issuetype', 'Issue Type', 'issuetype', NULL, NULL),
    ('labels', 'Labels', 'labels', NULL, NULL), ('parent', 'Parent', 'issue', NULL, NULL),
    ('priority', 'Priority', 'priority', NULL, NULL), ('reporter', 'Reporter', 'user', NULL, NULL),
    ('resolution', 'Resolution', 'resolution', NULL, NULL), ('resolutiondate', 'Resolved', 'time', NULL, 'resolved'),
    ('status', 'Status', 'status', NULL, NULL), ('statuscategorychangedate', 'Status Category Changed', 'time', NULL, NULL),
    ('summary', 'Summary', 'text', NULL, NULL), ('timeoriginalestimate', 'Original estimate', 'duration', NULL, NULL),
    ('timespent', 'Time Spent', 'duration', NULL, NULL), ('versions', 'Affects versions', 'versions', NULL, 'affectedVersion'),
    ('customfield_10011', 'Epic Name', 'text', 'x:epic-label', NULL), ('customfield_10014', 'Epic Link', 'issue', 'x:epic-link', NULL),
    ('customfield_10016', 'Story Points', 'number', 'x:float', NULL), ('customfield_10019', 'Rank', 'computed', 'x:rank', NULL),
    ('customfield_10020', 'Sprint', 'sprints', 'x:sprint', NULL), ('customfield_10021', 'Flagged', 'options', 'x:multicheckboxes', NULL),
    ('customfield_10050', 'Request Type', 'requesttype', 'x:request', NULL),
    ('customfield_10060', 'Story Points', 'number', 'x:float', NULL), ('customfield_10061', 'Severity', 'option', 'x:select', NULL),
    ('customfield_10062', 'Place', 'cascade', 'x:cascadingselect', NULL), ('customfield_10063', 'Notes', 'text', 'x:textarea', NULL),
    ('customfield_10064', 'Seen', 'time', 'x:datetime', NULL), ('customfield_10065', 'Site', 'url', 'x:url', NULL),
    ('customfield_10066', 'Reviewers', 'users', 'x:multiuserpicker', NULL), ('customfield_10067', 'Team', 'group', 'x:grouppicker', NULL),
    ('customfield_10068', 'Score', 'computed', 'x:score', NULL), ('subtasks', 'Sub-tasks', 'computed', NULL, NULL);
INSERT INTO context (id, field_id, name) VALUES (1, 'customfield_10061', 'c'), (2, 'customfield_10062', 'c'), (3, 'customfield_10021', 'c');
INSERT INTO option (id, context_id, parent_id, value, position) VALUES
    (31, 1, NULL, 'Minor', 1), (32, 1, NULL, 'Major', 2), (41, 2, NULL, 'Europe', 1), (42, 2, 41, 'Berlin', 1),
    (43, 2, 41, 'Paris', 2), (44, 2, NULL, 'Asia', 2), (51, 3, NULL, 'Impediment', 1);
INSERT INTO board (id, name, type, project_id, filter_id) VALUES (1, 'b', 'scrum', 1, 1), (2, 'b', 'scrum', 3, 1);
INSERT INTO sprint (id, board_id, name, state, created) VALUES
    (61, 1, 'Sprint 1', 'closed', 0), (62, 1, 'Sprint 2', 'active', 0), (63, 1, 'Sprint 3', 'future', 0), (64, 2, 'Sprint 9', 'active', 0);
INSERT INTO desk (id, project_id) VALUES (1, 2);
INSERT INTO request_type (id, desk_id, issue_type_id, name, description) VALUES (71, 1, 12, 'Get help', '');
";

impl World {
    pub(super) fn new(deployment: Deployment) -> Self {
        let (store, is_new) = Store::open(None, deployment).expect("a database in memory opens");
        assert!(is_new);
        let world = Self { store, differences: RefCell::default() };
        world.at("2026-11-01T09:00:00.000+0000", |work| Ok(work.db.execute_batch(ROWS)?));
        world.fill();
        world
    }

    pub(super) fn cloud() -> Self {
        Self::new(Deployment::Cloud)
    }

    pub(super) fn data_center() -> Self {
        Self::new(Deployment::DataCenter)
    }

    pub(super) fn at<T>(&self, when: &str, operation: impl FnOnce(&Work<'_>) -> Result<T>) -> T {
        let now = time::read(when).expect("the test has a time");
        self.store.run(now, operation).expect("the operation of the test works")
    }

    fn add(&self, when: &str, project: i64, author: i64, values: &[(&str, Value)]) -> i64 {
        self.at(when, |work| {
            let values = values.iter().map(|(id, value)| ((*id).to_owned(), value.clone())).collect();
            issue::create(work, &Draft { project, author, values })
        })
    }

    fn change(&self, when: &str, issue: i64, author: i64, changes: &[(&str, Option<Value>)]) {
        self.at(when, |work| {
            let changes: Vec<_> =
                changes.iter().map(|(id, to)| Change { field: (*id).to_owned(), to: to.clone() }).collect();
            assert!(issue::change(work, issue, &changes, author)?, "the test changes something");
            Ok(())
        });
    }

    fn fill(&self) {
        let text = |it: &str| Value::Text(it.to_owned());
        let labels = |all: &[&str]| Value::Texts(all.iter().map(|it| (*it).to_owned()).collect());
        let (id, ids) = (Value::Ref, |all: &[i64]| Value::Refs(all.to_vec()));
        // SHOP-1, an epic.
        let epic = self.add(
            "2026-11-01T10:00:00.000+0000",
            1,
            ANN,
            &[
                ("summary", text("Checkout epic")),
                ("issuetype", id(10)),
                ("priority", id(2)),
                ("customfield_10011", text("Checkout")),
            ],
        );
        // SHOP-2, a story that went to Done and back.
        let story = self.add(
            "2026-11-02T10:00:00.000+0000",
            1,
            ANN,
            &[
                ("summary", text("Login page crashes")),
                ("description", text("The login page crashes for the user")),
                ("issuetype", id(11)),
                ("priority", id(1)),
                ("assignee", id(BOB)),
                ("labels", labels(&["Backend", "été"])),
                ("components", ids(&[1])),
                ("fixVersions", ids(&[101])),
                ("versions", ids(&[102])),
                ("parent", id(epic)),
                ("customfield_10014", id(epic)),
                ("customfield_10016", Value::Number(5.0)),
                ("customfield_10020", ids(&[61, 62])),
                ("customfield_10061", id(32)),
                ("customfield_10062", id(42)),
                ("customfield_10063", text("secret sauce")),
                ("customfield_10064", Value::Number(1_795_000_000_000.0)),
                ("customfield_10065", text("https://example.com/a")),
                ("customfield_10066", ids(&[ANN, BOB])),
                ("customfield_10067", id(1)),
                ("customfield_10021", ids(&[51])),
                ("duedate", text("2026-11-27")),
                ("timeoriginalestimate", Value::Number(28_800.0)),
                ("timespent", Value::Number(10_800.0)),
            ],
        );
        // SHOP-3, a bug that is fixed.
        let bug = self.add(
            "2026-11-03T10:00:30.500+0000",
            1,
            BOB,
            &[
                ("summary", text("Search is slow")),
                ("environment", text("Firefox on a slow machine")),
                ("issuetype", id(12)),
                ("priority", id(3)),
                ("labels", labels(&["frontend"])),
                ("components", ids(&[1, 2])),
                ("fixVersions", ids(&[103])),
                ("customfield_10060", Value::Number(2.5)),
                ("customfield_10061", id(31)),
                ("customfield_10062", id(41)),
                ("duedate", text("2026-12-24")),
                ("customfield_10020", ids(&[63])),
                ("timespent", Value::Number(1_800.0)),
            ],
        );
        // SHOP-4, a sub-task of SHOP-2.
        let task = self.add(
            "2026-11-26T23:30:00.000+0000",
            1,
            ANN,
            &[
                ("summary", text("Fix the login form")),
                ("issuetype", id(13)),
                ("parent", id(story)),
                ("assignee", id(ANN)),
                ("priority", id(2)),
            ],
        );
        // DESK-1, a request.
        let request = self.add(
            "2026-11-10T08:00:00.000+0000",
            2,
            BOB,
            &[
                ("summary", text("Printer on fire")),
                ("issuetype", id(12)),
                ("customfield_10050", id(71)),
                ("reporter", id(3)),
            ],
        );
        // HID-1, which only Eve sees.
        let hidden = self.add(
            "2026-11-11T08:00:00.000+0000",
            3,
            EVE,
            &[
                ("summary", text("Login to the vault")),
                ("issuetype", id(12)),
                ("assignee", id(EVE)),
                ("labels", labels(&["hush"])),
            ],
        );
        self.change("2026-11-05T10:00:00.000+0000", story, BOB, &[("status", Some(id(22)))]);
        self.change(
            "2026-11-06T10:00:00.000+0000",
            story,
            BOB,
            &[("status", Some(id(23))), ("resolution", Some(id(1)))],
        );
        self.change(
            "2026-11-07T10:00:00.000+0000",
            story,
            ANN,
            &[("status", Some(id(22))), ("resolution", None)],
        );
        self.change("2026-11-08T10:00:00.000+0000", bug, ANN, &[("assignee", Some(id(BOB)))]);
        self.change(
            "2026-11-09T10:00:00.000+0000",
            bug,
            BOB,
            &[("status", Some(id(23))), ("resolution", Some(id(2))), ("assignee", None)],
        );
        self.change("2026-11-12T10:00:00.000+0000", bug, ANN, &[("fixVersions", Some(ids(&[103, 104])))]);
        self.change("2026-11-13T10:00:00.000+0000", bug, BOB, &[("fixVersions", Some(ids(&[103])))]);
        self.at("2026-11-20T10:00:00.000+0000", |work| {
            for (id, issue, author, body, visibility, internal) in [
                (1, story, ANN, "I can reproduce the timeout", None, 0),
                (2, story, BOB, "Developers only: the password is hunter2", Some(r#"{"type":"group","value":"developers"}"#), 0),
                (3, request, BOB, "Call the fire brigade", None, 1),
                (4, bug, EVE, "For the role of administrators: backdoor", Some(r#"{"type":"role","value":"Administrators"}"#), 0),
            ] {
                work.run(
                    "INSERT INTO comment (id, issue_id, author_id, update_author_id, body, created, updated, visibility, internal)
                     VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?5, ?6, ?7)",
                    (id, issue, author, body, work.now, visibility, internal),
                )?;
                issue::set_words(work, issue, "comment", id, Some(body))?;
            }
            work.db.execute_batch(&format!(
                "INSERT INTO link (link_type_id, source_id, destination_id) VALUES (1, {story}, {bug}), (2, {task}, {hidden});
                 INSERT INTO vote VALUES ({bug}, 1), ({bug}, 2), ({story}, 1);
                 INSERT INTO attachment VALUES (1, {story}, 'a.txt', 1, 0, 'text/plain', x'00');
                 INSERT INTO worklog (issue_id, author_id, update_author_id, started, seconds, created, updated) VALUES
                     ({story}, 1, 1, {started}, 3600, 0, 0), ({story}, 2, 2, {started} + 86400000, 7200, 0, 0),
                     ({bug}, 1, 1, {started}, 1800, 0, 0);
                 INSERT INTO filter (id, name, owner_id, jql, viewers) VALUES
                     (201, 'Bugs', 1, 'type = Bug', 'global'), (202, 'Mine', 2, 'assignee = currentUser()', 'private'),
                     (203, 'Loop', 1, 'filter = Pool', 'global'), (204, 'Pool', 1, 'filter = Loop OR type = Bug', 'global'),
                     (205, 'All', 1, 'ORDER BY created', 'global'), (206, 'Broken', 1, 'type = Nonsense', 'global'),
                     (207, 'Bugs of bugs', 1, 'filter = Bugs AND project = SHOP', 'global');",
                started = time::read("2026-11-18T23:30:00.000+0000").unwrap_or_default(),
            ))?;
            Ok(())
        });
    }

    pub(super) fn compile(&self, person: i64, jql: &str) -> Result<Compiled> {
        self.store.run(time::read(NOW).unwrap_or_default(), |work| compile(work, person, jql))
    }

    /// The keys that a query finds for a person, in their order. What `count` and `matches` say is compared with it.
    pub(super) fn find(&self, person: i64, jql: &str) -> Result<Vec<String>> {
        self.store.run(time::read(NOW).unwrap_or_default(), |work| {
            let compiled = compile(work, person, jql)?;
            let ids = compiled.ids(work, 0, 1_000)?;
            assert_eq!(compiled.count(work)?, ids.len() as u64, "{jql}");
            for id in work.all("SELECT id FROM issue", [], |row| row.get(0))? {
                assert_eq!(compiled.matches(work, id)?, ids.contains(&id), "{jql}");
            }
            let key = |id: &i64| {
                Ok(work
                    .one("SELECT key FROM issue WHERE id = ?1", [id], |row| row.get(0))?
                    .unwrap_or_default())
            };
            ids.iter().map(key).collect()
        })
    }

    fn expect(&self, is_right: bool, difference: impl FnOnce() -> String) {
        if !is_right {
            self.differences.borrow_mut().push(difference());
        }
    }

    fn found(&self, person: i64, jql: &str) -> BTreeSet<String> {
        match self.find(person, jql) {
            Ok(found) => found.into_iter().collect(),
            Err(fault) => BTreeSet::from([fault.to_string()]),
        }
    }

    /// Compares what a query finds for Ann, whatever its order, and that its opposite finds nothing of it.
    pub(super) fn check(&self, jql: &str, expected: &str) {
        self.check_of(ANN, jql, expected);
    }

    pub(super) fn check_of(&self, person: i64, jql: &str, expected: &str) {
        self.compare(person, jql, expected);
        if !jql.is_empty() {
            let (found, opposite) = (self.found(person, jql), self.found(person, &format!("NOT ({jql})")));
            let both: Vec<_> = found.intersection(&opposite).collect();
            self.expect(both.is_empty(), || format!("{jql} and its opposite both find {both:?}"));
        }
    }

    /// Compares what a query finds for Ann. Its opposite may find the same issue, as it is about one of several values.
    pub(super) fn check_alone(&self, jql: &str, expected: &str) {
        self.compare(ANN, jql, expected);
    }

    fn compare(&self, person: i64, jql: &str, expected: &str) {
        let (found, wanted) =
            (self.found(person, jql), expected.split_whitespace().map(str::to_owned).collect());
        self.expect(found == wanted, || format!("{jql}: expected {expected}, but found {found:?}"));
    }

    /// The error of a query for Ann.
    pub(super) fn fault(&self, jql: &str) -> Fault {
        self.find(ANN, jql).err().unwrap_or_else(|| Fault::new(200, "It is not refused."))
    }

    /// Checks that a query of Ann is refused with one sentence.
    pub(super) fn refuses(&self, jql: &str, sentence: &str) {
        let fault = self.fault(jql);
        self.expect(fault == Fault::bad(sentence), || {
            format!("{jql}: expected {sentence}, but found {fault}")
        });
    }

    /// Checks that a query of Ann is one that this site cannot answer.
    pub(super) fn lacks(&self, jql: &str) {
        let fault = self.fault(jql);
        self.expect(fault.status == 501, || format!("{jql}: expected 501, but found {fault}"));
    }
}
