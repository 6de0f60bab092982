//! Which issues there are: what each is about, who made it, and when.
//!
//! In: the texts of the projects. Out: outlines, from which [`super::life`] makes what happens.

use std::collections::BTreeSet;

use super::calendar::{Calendar, DAY, HOUR, MINUTE, after};
use super::desk::REQUEST_TYPES;
use super::people::{self, AGENTS, BOT, CUSTOMERS};
use super::projects::{HELP, HR, MOB, OPS, PAY, Project, SEC, SHOP};
use super::random::Random;
use super::scheme::kind;
use super::stock::{Stock, Topic, desk, hidden, mobile, operations, payments, storefront};

/// An issue to come.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub(super) project: &'static Project,
    pub(super) stock: &'static Stock,
    pub(super) kind: i64,
    /// The place of its component.
    pub(super) part: usize,
    pub(super) summary: String,
    /// The short name of an epic.
    pub(super) short: &'static str,
    /// A sentence or two about it; empty for issues that say no more than their summary.
    pub(super) detail: String,
    pub(super) created: i64,
    pub(super) reporter: i64,
    /// The issue of a sub-task.
    pub(super) parent: Option<usize>,
    /// The request type, at the service desk.
    pub(super) request: Option<i64>,
    pub(super) special: Special,
}

/// What is particular about an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    No,
    /// The night in which payments failed: its thread of comments was written by hand.
    Incident,
    /// It was reported in the wrong project.
    Moves,
    /// Many people talk about it.
    Talk,
    /// Somebody worked on it for weeks, and wrote down each day.
    Work,
}

/// The projects in the order in which they are filled: their texts, and the numbers of composed issues and of stories with
/// sub-tasks.
const PLANS: [(i64, &Stock, usize, usize); 6] = [
    (SHOP, &storefront::STOREFRONT, 22, 10),
    (PAY, &payments::PAYMENTS, 16, 6),
    (MOB, &mobile::MOBILE, 14, 6),
    (OPS, &operations::OPERATIONS, 20, 2),
    (SEC, &hidden::SECURITY, 3, 0),
    (HR, &hidden::PEOPLE_TEAM, 4, 0),
];

/// The composed requests of the help desk.
const REQUESTS: usize = 36;

/// Returns the outlines of all issues.
pub(super) fn all(random: &mut Random, calendar: &Calendar) -> Vec<Outline> {
    let mut maker = Maker { random, calendar, made: Vec::new(), summaries: BTreeSet::new() };
    for (project, stock, composed, parents) in PLANS {
        let Some(project) = Project::by_id(project) else { continue };
        maker.epics(project, stock);
        let first = maker.made.len();
        for topic in stock.topics {
            maker.topic(project, stock, topic);
        }
        for _ in 0..composed {
            maker.composed(project, stock);
        }
        maker.sub_tasks(project, stock, first, parents);
    }
    maker.incident();
    if let Some(project) = Project::by_id(HELP) {
        maker.requests(project);
    }
    maker.made
}

struct Maker<'a> {
    random: &'a mut Random,
    calendar: &'a Calendar,
    made: Vec<Outline>,
    summaries: BTreeSet<String>,
}

impl Maker<'_> {
    /// Returns a time for a new issue. More are made now than a year ago.
    fn time(&mut self) -> i64 {
        let span = match self.random.below(100) {
            0..=15 => 35 * DAY,
            16..=50 => 170 * DAY,
            _ => self.calendar.end - self.calendar.first,
        };
        loop {
            let from = self.calendar.end - self.random.within(0..=span);
            let at = after(self.random, from, 0..=1);
            if at < self.calendar.end - HOUR {
                return at;
            }
        }
    }

    fn reporter(&mut self, project: &Project, created: i64) -> i64 {
        let former = created < self.calendar.end - 280 * DAY;
        let at = match self.random.below(100) {
            0..=1 => BOT,
            2..=7 if former && !matches!(project.id, SEC | HR) => 31 + self.random.below(3),
            8..=20 if !matches!(project.id, SEC | HR | OPS) => *self.random.pick(&AGENTS),
            21..=30 if !matches!(project.id, SEC | HR) => self.random.below(28),
            _ => *self.random.pick(project.team),
        };
        people::id(at)
    }

    fn push(
        &mut self,
        project: &'static Project,
        stock: &'static Stock,
        topic: (i64, usize, String, String),
    ) {
        let (kind, part, summary, detail) = topic;
        let created = self.time();
        let reporter = self.reporter(project, created);
        self.summaries.insert(summary.clone());
        self.made.push(Outline {
            project,
            stock,
            kind,
            part,
            summary,
            short: "",
            detail,
            created,
            reporter,
            parent: None,
            request: None,
            special: Special::No,
        });
    }

    fn epics(&mut self, project: &'static Project, stock: &'static Stock) {
        let count = stock.epics.len() as i64;
        for (at, (name, short, sentence)) in stock.epics.iter().enumerate() {
            self.push(project, stock, (kind::EPIC, 0, (*name).to_owned(), (*sentence).to_owned()));
            let from = self.calendar.first + at as i64 * (480 / count.max(1)) * DAY + 9 * DAY;
            let created = after(self.random, from, 2..=40);
            if let Some(epic) = self.made.last_mut() {
                epic.short = short;
                epic.created = created;
                epic.reporter = people::id(project.lead);
            }
        }
    }

    fn topic(&mut self, project: &'static Project, stock: &'static Stock, topic: &Topic) {
        // A project without a type for it takes a task.
        let kind = if project.workflow(topic.kind).is_some() { topic.kind } else { kind::TASK };
        self.push(project, stock, (kind, topic.part, topic.summary.to_owned(), topic.detail.to_owned()));
        let special = match topic.summary {
            "Merge address and delivery into one step" => Special::Talk,
            "Move the journal of old years to the archive" => Special::Work,
            "Large type pushes the total off the screen" => Special::Moves,
            _ => Special::No,
        };
        let days = match special {
            Special::Talk => 150,
            Special::Work => 260,
            Special::Moves => 64,
            Special::Incident | Special::No => return,
        };
        let created = after(self.random, self.calendar.end - days * DAY, 0..=5);
        if let Some(made) = self.made.last_mut() {
            made.special = special;
            made.created = created;
        }
    }

    /// Adds an issue about a place of the product.
    fn composed(&mut self, project: &'static Project, stock: &'static Stock) {
        for _ in 0..50 {
            let (place, part) = *self.random.pick(stock.places);
            let is_bug = !stock.symptoms.is_empty() && self.random.percent(60);
            let (kind, summary, detail) = if is_bug {
                let (symptom, detail) = *self.random.pick(stock.symptoms);
                (kind::BUG, format!("{place}: {symptom}"), detail)
            } else {
                let (chore, detail) = *self.random.pick(stock.chores);
                (kind::TASK, chore.replace("{place}", place), detail)
            };
            if !self.summaries.contains(&summary) {
                self.push(project, stock, (kind, part, summary, detail.to_owned()));
                return;
            }
        }
    }

    /// Splits some of the issues from `first` on.
    fn sub_tasks(&mut self, project: &'static Project, stock: &'static Stock, first: usize, parents: usize) {
        let wanted = if project.workflow(kind::STORY).is_some() { kind::STORY } else { kind::TASK };
        let all: Vec<_> = (first..self.made.len())
            .filter(|at| self.made[*at].kind == wanted && self.made[*at].special == Special::No)
            .collect();
        for parent in self.random.some(&all, parents) {
            let count = 2 + self.random.below(3);
            for part in self.random.some(stock.parts, count) {
                let Outline { created, reporter, part: component, .. } = self.made[parent];
                let at = after(self.random, created, 1..=24);
                if at >= self.calendar.end {
                    continue;
                }
                self.push(project, stock, (kind::SUBTASK, component, part.to_owned(), String::new()));
                if let Some(made) = self.made.last_mut() {
                    made.parent = Some(parent);
                    made.created = at;
                    made.reporter = reporter;
                }
            }
        }
    }

    fn incident(&mut self) {
        let Some(project) = Project::by_id(PAY) else { return };
        let summary = "Card payments fail for one buyer in nine since the gateway moved to the new region";
        self.push(project, &payments::PAYMENTS, (kind::BUG, 0, summary.to_owned(), String::new()));
        // A Tuesday evening, in the days after the release.
        let created = self.calendar.monday(82) + DAY + 17 * HOUR + 58 * MINUTE + 31_412;
        if let Some(made) = self.made.last_mut() {
            made.special = Special::Incident;
            made.created = created;
            made.reporter = people::id(3);
        }
    }

    fn requests(&mut self, project: &'static Project) {
        for (request, part, summary, detail) in desk::REQUESTS {
            self.request(project, *request, *part, (*summary).to_owned(), (*detail).to_owned());
        }
        let mut left = REQUESTS;
        while left > 0 {
            let (request, summary, detail) = *self.random.pick(desk::PATTERNS);
            let thing = *self.random.pick(desk::THINGS);
            let mut large = thing.trim_start_matches("the ").to_owned();
            if let Some(first) = large.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            let summary = summary.replace("{thing}", thing).replace("{Thing}", &large);
            // After all combinations there would be no other one.
            if !self.summaries.contains(&summary) {
                let part = self.random.below(2);
                self.request(project, request, part, summary, detail.to_owned());
                left -= 1;
            }
        }
    }

    fn request(
        &mut self,
        project: &'static Project,
        request: i64,
        part: usize,
        summary: String,
        detail: String,
    ) {
        let kind = REQUEST_TYPES.iter().find(|it| it.id == request).map_or(kind::REQUEST, |it| it.kind);
        self.push(project, &DESK, (kind, part, summary, detail));
        let customer = people::id(*self.random.pick(&CUSTOMERS));
        let agent = people::id(*self.random.pick(&AGENTS));
        let is_by_phone = self.random.percent(12);
        if let Some(made) = self.made.last_mut() {
            made.request = Some(request);
            made.reporter = if is_by_phone { agent } else { customer };
        }
    }
}

/// Requests have texts of their own.
static DESK: Stock = Stock {
    topics: &[],
    epics: &[],
    places: &[],
    symptoms: &[],
    chores: &[],
    parts: &[],
    roles: &[],
    steps: &[],
    criteria: &[],
    snippets: &[],
    tables: &[],
    remarks: &[],
    labels: &["callback", "contract", "known-issue", "phone", "vip"],
    environments: &[],
};
