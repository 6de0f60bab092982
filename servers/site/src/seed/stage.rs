//! The stage: performs the events in the order of their times, by the operations that the site itself uses.
//!
//! In: outlines and events. Out: rows. Rich text takes the form of the deployment here.

use serde_json::json;

use super::event::{Act, Event, Remote};
use super::outline::Outline;
use super::people;
use super::random::Random;
use super::rich::{self, Doc, Named, Names};
use super::scheme::link_words;
use crate::fault::Result;
use crate::field::{Value, custom, epic_field};
use crate::issue::{self, Change, Draft, Item, Side};
use crate::work::Work;

/// Performs all events.
pub(super) fn perform(
    work: &Work<'_>,
    outlines: &[Outline],
    mut events: Vec<Event>,
    random: Random,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<()> {
    // The sort is stable: what is at the same time keeps its order.
    events.sort_by_key(|it| it.at);
    let mut stage = Stage { outlines, issues: vec![None; outlines.len()], random };
    let total = events.len();
    for (at, event) in events.into_iter().enumerate() {
        stage.act(&Work { now: event.at, ..*work }, event)?;
        if (at + 1) % 50 == 0 || at + 1 == total {
            progress(at + 1, total);
        }
    }
    Ok(())
}

struct Stage<'a> {
    outlines: &'a [Outline],
    /// The id and the key of each issue that exists.
    issues: Vec<Option<(i64, String)>>,
    /// For the ids of nodes.
    random: Random,
}

/// What documents name.
struct Known<'a>(&'a [Option<(i64, String)>]);

impl Names for Known<'_> {
    fn person(&self, id: i64) -> Option<Named> {
        let person = people::by_id(id)?;
        Some(Named {
            account_id: people::account_id(usize::try_from(id - people::FIRST).ok()?),
            name: person.name.to_owned(),
            display_name: person.display_name.to_owned(),
        })
    }

    fn key(&self, plan: usize) -> Option<String> {
        self.0.get(plan)?.as_ref().map(|it| it.1.clone())
    }
}

impl Stage<'_> {
    /// Returns a document in the form of the deployment.
    fn body(&mut self, work: &Work<'_>, issue: i64, doc: &Doc) -> String {
        let known = Known(&self.issues);
        if work.is_cloud() {
            rich::adf(doc, issue, &known, &mut self.random)
        } else {
            rich::wiki(doc, &known)
        }
    }

    fn id(&self, plan: usize) -> Option<i64> {
        self.issues.get(plan)?.as_ref().map(|it| it.0)
    }

    fn act(&mut self, work: &Work<'_>, event: Event) -> Result<()> {
        let Event { plan, author, act, .. } = event;
        if let Act::Create { mut values, rich, parent, epic } = act {
            // The id that the issue gets.
            let sql = "SELECT coalesce(max(id), 9999) + 1 FROM issue";
            let id = work.one(sql, [], |row| row.get(0))?.unwrap_or_default();
            for (field, doc) in rich {
                values.insert(field.to_owned(), Value::Text(self.body(work, id, &doc)));
            }
            if let Some(parent) = parent.and_then(|it| self.id(it)) {
                values.insert("parent".to_owned(), Value::Ref(parent));
            }
            if let Some(epic) = epic.and_then(|it| self.id(it)) {
                values.insert(epic_field(work.deployment).to_owned(), Value::Ref(epic));
            }
            let draft = Draft { project: self.outlines[plan].project.id, author, values };
            let id = issue::create(work, &draft)?;
            return self.name(work, plan, id);
        }
        // Nothing happens to an issue that is not there.
        let Some(id) = self.id(plan) else { return Ok(()) };
        match act {
            Act::Create { .. } => {}
            Act::Attach(file) => {
                let sql =
                    "INSERT INTO attachment (id, issue_id, filename, author_id, created, media_type, content)
                    VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM attachment), ?1, ?2, ?3, ?4, ?5, ?6)";
                let row = (id, &file.name, author, work.now, file.media_type, &file.content);
                let attachment = work.add(sql, row)?;
                let item = Item::of_system("Attachment", None, Some((attachment.to_string(), file.name)));
                issue::log(work, id, author, &[item])?;
            }
            Act::Comment { body, is_internal, visibility, edited } => {
                let body = self.body(work, id, &body);
                comment(work, id, author, (&body, is_internal, visibility, edited))?;
            }
            Act::Epic(epic) => {
                let Some(epic) = self.id(epic) else { return Ok(()) };
                let change = super::event::set(epic_field(work.deployment), Value::Ref(epic));
                issue::change(work, id, &[change], author)?;
            }
            Act::Link(kind, other) => self.link(work, plan, author, kind, other)?,
            Act::Move(project) => {
                issue::move_to(work, id, project, author)?;
                self.name(work, plan, id)?;
            }
            Act::Property(key, value) => {
                let sql = "INSERT OR REPLACE INTO property (kind, entity_id, key, value) VALUES ('issue', ?1, ?2, ?3)";
                work.run(sql, (id, key, value))?;
            }
            Act::Rank(other) => {
                let Some(other) = self.id(other) else { return Ok(()) };
                issue::move_beside(work, id, Side::Before, other)?;
                let item = Item {
                    field: "Rank".to_owned(),
                    field_type: "custom",
                    field_id: Some(custom::RANK.to_owned()),
                    from: (Some(String::new()), Some(String::new())),
                    to: (Some(String::new()), Some("Ranked higher".to_owned())),
                };
                issue::log(work, id, author, &[item])?;
            }
            Act::Remote(remote) => add_remote(work, id, author, &remote)?,
            Act::Rich(field, doc) => {
                let change = super::event::set(field, Value::Text(self.body(work, id, &doc)));
                issue::change(work, id, &[change], author)?;
            }
            Act::Set(changes) => {
                issue::change(work, id, &changes, author)?;
            }
            Act::Vote => {
                work.run("INSERT OR IGNORE INTO vote (issue_id, person_id) VALUES (?1, ?2)", (id, author))?;
            }
            Act::Watch => {
                work.run(
                    "INSERT OR IGNORE INTO watcher (issue_id, person_id) VALUES (?1, ?2)",
                    (id, author),
                )?;
            }
            Act::Work { started, seconds, note } => {
                let note = note.map(|it| self.body(work, id, &it));
                log_work(work, id, author, (started, seconds, note))?;
            }
        }
        Ok(())
    }

    /// Remembers the id and the key of an issue.
    fn name(&mut self, work: &Work<'_>, plan: usize, id: i64) -> Result<()> {
        let key: Option<String> = work.one("SELECT key FROM issue WHERE id = ?1", [id], |row| row.get(0))?;
        self.issues[plan] = key.map(|key| (id, key));
        Ok(())
    }

    fn link(&mut self, work: &Work<'_>, plan: usize, author: i64, kind: i64, other: usize) -> Result<()> {
        let (Some((source, source_key)), Some((destination, destination_key))) =
            (self.issues[plan].clone(), self.issues[other].clone())
        else {
            return Ok(());
        };
        let sql = "INSERT INTO link (id, link_type_id, source_id, destination_id)
            VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM link), ?1, ?2, ?3)";
        work.run(sql, (kind, source, destination))?;
        let (inward, outward) = link_words(kind);
        let item = |words: &str, key: &str| {
            let text = format!("This issue {words} {key}");
            Item::of_system("Link", None, Some((key.to_owned(), text)))
        };
        issue::log(work, source, author, &[item(outward, &destination_key)])?;
        issue::log(work, destination, author, &[item(inward, &source_key)])
    }
}

fn comment(
    work: &Work<'_>,
    issue: i64,
    author: i64,
    (body, is_internal, visibility, edited): (&str, bool, Option<&str>, Option<i64>),
) -> Result<()> {
    let sql = "INSERT INTO comment (id, issue_id, author_id, update_author_id, body, created, updated, visibility, internal)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM comment), ?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7)";
    let updated = edited.unwrap_or(work.now);
    let visibility = visibility.map(|group| json!({ "type": "group", "value": group }).to_string());
    let id = work.add(sql, (issue, author, body, work.now, updated, visibility, is_internal))?;
    if is_internal {
        let sql = "INSERT INTO property (kind, entity_id, key, value) VALUES ('comment', ?1, 'sd.public.comment', ?2)";
        work.run(sql, (id, r#"{"internal":true}"#))?;
    }
    issue::set_words(work, issue, "comment", id, Some(body))?;
    issue::touch(&Work { now: updated, ..*work }, issue)
}

fn log_work(
    work: &Work<'_>,
    issue: i64,
    author: i64,
    (started, seconds, note): (i64, i64, Option<String>),
) -> Result<()> {
    let sql = "INSERT INTO worklog (id, issue_id, author_id, update_author_id, comment, started, seconds, created, updated)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM worklog), ?1, ?2, ?2, ?3, ?4, ?5, ?6, ?6)";
    work.run(sql, (issue, author, note, started, seconds, work.now))?;
    let number = |field: &str| {
        let sql = "SELECT number FROM value WHERE issue_id = ?1 AND field_id = ?2";
        work.one(sql, (issue, field), |row| row.get::<_, f64>(0))
    };
    let spent = number("timespent")?.unwrap_or(0.0) + seconds as f64;
    let mut changes = vec![Change { field: "timespent".to_owned(), to: Some(Value::Number(spent)) }];
    if let Some(left) = number("timeestimate")? {
        let left = (left - seconds as f64).max(0.0);
        changes.push(Change { field: "timeestimate".to_owned(), to: Some(Value::Number(left)) });
    }
    issue::change(work, issue, &changes, author)?;
    Ok(())
}

fn add_remote(work: &Work<'_>, issue: i64, author: i64, remote: &Remote) -> Result<()> {
    let mut object =
        json!({ "url": remote.url, "title": remote.title, "icon": {}, "status": { "icon": {} } });
    if let Some(is_resolved) = remote.is_resolved {
        object["status"] = json!({ "resolved": is_resolved, "icon": {} });
    }
    let application =
        remote.application.map(|(kind, name)| json!({ "type": kind, "name": name }).to_string());
    let sql = "INSERT INTO remote_link (id, issue_id, global_id, relationship, application, object)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM remote_link), ?1, ?2, ?3, ?4, ?5)";
    let row = (issue, &remote.global_id, remote.relationship, application, object.to_string());
    let id = work.add(sql, row)?;
    let text = match remote.application {
        Some((_, name)) => format!("This issue links to \"{} ({name})\"", remote.title),
        None => format!("This issue links to \"{}\"", remote.title),
    };
    issue::log(work, issue, author, &[Item::of_system("RemoteIssueLink", None, Some((id.to_string(), text)))])
}
