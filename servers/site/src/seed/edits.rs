//! What happens to an issue besides its walk through the workflow: sprints, estimates, dates, flags and second thoughts.
//!
//! In: a life whose steps are known. Out: more events of it.

use super::birth;
use super::boards::Sprint;
use super::calendar::{DAY, HOUR, MINUTE, after, soon};
use super::event::{Act, clear, set};
use super::life::Life;
use super::outline::Special;
use super::people;
use super::projects::{HR, OPS, SEC};
use super::random::Random;
use super::scheme::{kind, status};
use crate::field::{Value, custom};

impl Life<'_> {
    /// Puts it into the sprints in which somebody worked on it.
    pub(super) fn plan_sprints(&mut self) {
        let outline = self.outline();
        if !self.has(custom::SPRINT) || outline.special == Special::Moves {
            return;
        }
        let sprints = self.setting.sprints.iter().filter(|it| it.project == outline.project.id);
        let begun = self.steps.iter().find(|it| it.1.to == status::IN_PROGRESS).map(|it| it.0);
        let lead = people::id(outline.project.lead);
        let Some(begun) = begun else {
            let state = match self.random.below(100) {
                0..=19 => "active",
                20..=39 => "future",
                _ => return,
            };
            let Some(sprint) = sprints.filter(|_| self.fate.done.is_none()).find(|it| it.state == state)
            else {
                return;
            };
            let planned = self.end() - self.random.within(9..=30) * HOUR;
            let at = sprint.start.map_or(planned, |it| it - self.random.within(1..=20) * HOUR);
            let at = at.max(outline.created + 2 * MINUTE);
            return self.push(at, lead, Act::Set(vec![set(custom::SPRINT, Value::Refs(vec![sprint.id]))]));
        };
        if !self.random.percent(88) {
            return;
        }
        let until = self.fate.done.unwrap_or(self.end());
        let (mut ids, mut before) = (Vec::new(), None::<&Sprint>);
        for sprint in sprints {
            let Some(start) = sprint.start else { continue };
            if start >= until || sprint.completed.is_some_and(|it| it <= begun) {
                continue;
            }
            let at = match before.and_then(|it| it.completed) {
                Some(completed) => completed + self.random.within(1..=50) * 100,
                None => (start - self.random.within(1..=20) * HOUR)
                    .min(begun - MINUTE)
                    .max(outline.created + MINUTE / 2),
            };
            ids.push(sprint.id);
            self.push(at, lead, Act::Set(vec![set(custom::SPRINT, Value::Refs(ids.clone()))]));
            before = Some(sprint);
        }
    }

    /// Changes that have nothing to do with the workflow.
    pub(super) fn edits(&mut self) {
        let outline = self.outline();
        let until = self.fate.done.unwrap_or(self.end());
        let lead = people::id(outline.project.lead);
        let someday = |random: &mut Random| {
            let from = outline.created + random.within(0..=(until - outline.created).max(1) * 9 / 10);
            after(random, from, 0..=1)
        };
        if self.random.percent(18) {
            let (at, to) = (someday(&mut self.random), self.random.within(1..=4));
            self.push(at, lead, Act::Set(vec![set("priority", Value::Ref(to))]));
        }
        if !outline.stock.labels.is_empty() && self.random.percent(12) {
            let labels = self.random.some(outline.stock.labels, 2).into_iter().map(str::to_owned).collect();
            let at = someday(&mut self.random);
            self.push(at, outline.reporter, Act::Set(vec![set("labels", Value::Texts(labels))]));
        }
        if self.has(custom::STORY_POINTS) && outline.kind != kind::EPIC && self.random.percent(60) {
            let points = *self.random.pick(&[1.0, 2.0, 3.0, 3.0, 5.0, 8.0, 13.0]);
            let at = someday(&mut self.random);
            self.push(at, lead, Act::Set(vec![set(custom::STORY_POINTS, Value::Number(points))]));
        }
        if let Some(version) =
            birth::next_version(outline.project, outline.created + 20 * DAY, self.setting.calendar)
            && self.random.percent(25)
        {
            let at = soon(&mut self.random, outline.created);
            self.push(at, lead, Act::Set(vec![set("fixVersions", Value::Refs(vec![version]))]));
        }
        if self.has("duedate") && self.random.percent(if outline.project.id == OPS { 40 } else { 8 }) {
            let at = soon(&mut self.random, outline.created);
            let due = crate::time::day(at + self.random.within(5..=60) * DAY).to_string();
            self.push(at, lead, Act::Set(vec![set("duedate", Value::Text(due))]));
        }
        let begun = self.steps.iter().find(|it| it.1.to == status::IN_PROGRESS).map(|it| it.0);
        if let Some(begun) = begun.filter(|_| self.has(custom::FLAGGED) && self.random.percent(12)) {
            let author = self.assignee.unwrap_or(lead);
            let at = after(&mut self.random, begun, 0..=4);
            let flag = Value::Refs(vec![super::fields::IMPEDIMENT]);
            self.push(at, author, Act::Set(vec![set(custom::FLAGGED, flag)]));
            let freed = after(&mut self.random, at, 3..=30);
            if self.fate.done.is_some() || self.random.percent(60) {
                self.push(freed, author, Act::Set(vec![clear(custom::FLAGGED)]));
            }
        }
        if self.random.percent(7) && !matches!(outline.project.id, SEC | HR) {
            let at = someday(&mut self.random);
            let mut doc = self.description.clone().unwrap_or_default();
            doc.extend(self.writer.say("**Update:** {who} has found out more, see {key}.", at));
            self.push(at, outline.reporter, Act::Rich("description", doc));
        }
    }
}
