//! What ties issues to each other, to people and to pages: links, watchers, votes, ranks and properties.
//!
//! In: outlines and fates. Out: events.

use std::collections::BTreeSet;

use super::calendar::{HOUR, after};
use super::event::{Act, Event, Remote};
use super::life::{Fate, Setting};
use super::people::{self, DEMO};
use super::projects::{HELP, HR, MOB, OPS, PAY, SEC, SHOP};
use super::random::Random;
use super::scheme::{kind, link};

/// Returns what ties issues.
pub(super) fn all(setting: Setting<'_>, fates: &[Fate], random: &mut Random) -> Vec<Event> {
    let mut ties = Ties { setting, random, events: Vec::new(), pairs: BTreeSet::new() };
    ties.duplicates(fates);
    ties.links();
    ties.pages();
    ties.audience();
    ties.ranks(fates);
    ties.properties();
    ties.events
}

struct Ties<'a> {
    setting: Setting<'a>,
    random: &'a mut Random,
    events: Vec<Event>,
    pairs: BTreeSet<(usize, usize)>,
}

impl Ties<'_> {
    fn push(&mut self, at: i64, plan: usize, author: i64, act: Act) {
        if at < self.setting.calendar.end {
            self.events.push(Event { at, plan, author, act });
        }
    }

    /// Returns an issue of one of several projects, and of one of several types, if any is given.
    fn any(&mut self, projects: &[i64], kinds: &[i64]) -> Option<usize> {
        let outlines = self.setting.outlines;
        let fits = |at: &usize| {
            let it = &outlines[*at];
            projects.contains(&it.project.id) && (kinds.is_empty() || kinds.contains(&it.kind))
        };
        let all: Vec<_> = (0..outlines.len()).filter(fits).collect();
        (!all.is_empty()).then(|| *self.random.pick(&all))
    }

    /// Links two issues, once both are there.
    fn link(
        &mut self,
        link: i64,
        source: usize,
        destination: usize,
        after_hours: std::ops::RangeInclusive<i64>,
    ) {
        if source == destination || !self.pairs.insert((source.min(destination), source.max(destination))) {
            return;
        }
        let (from, to) = (&self.setting.outlines[source], &self.setting.outlines[destination]);
        if from.parent == Some(destination) || to.parent == Some(source) {
            return;
        }
        let at = after(self.random, from.created.max(to.created), after_hours);
        let author = people::id(*self.random.pick(from.project.team));
        self.push(at, source, author, Act::Link(link, destination));
    }

    /// Those who were declined as duplicates name what they repeat.
    fn duplicates(&mut self, fates: &[Fate]) {
        for (plan, fate) in fates.iter().enumerate() {
            let outline = &self.setting.outlines[plan];
            if fate.is_declined
                && outline.kind == kind::BUG
                && self.random.percent(70)
                && let Some(other) = self.any(&[outline.project.id], &[kind::BUG])
            {
                self.link(link::DUPLICATE, plan, other, 1..=20);
            }
        }
    }

    fn links(&mut self) {
        const PRODUCTS: &[i64] = &[SHOP, PAY, MOB];
        const WORK: &[i64] = &[kind::STORY, kind::TASK, kind::BUG];
        let plan: [(usize, i64, Ends, Ends); 7] = [
            (26, link::BLOCKS, (PRODUCTS, WORK), (PRODUCTS, WORK)),
            (8, link::BLOCKS, (&[OPS], &[]), (PRODUCTS, WORK)),
            (22, link::RELATES, (PRODUCTS, &[]), (PRODUCTS, &[])),
            (16, link::CAUSES, (PRODUCTS, &[kind::BUG]), (&[HELP], &[kind::INCIDENT])),
            (10, link::RELATES, (&[HELP], &[]), (PRODUCTS, WORK)),
            (
                5,
                link::CLONERS,
                (PRODUCTS, &[kind::STORY, kind::TASK]),
                (PRODUCTS, &[kind::STORY, kind::TASK]),
            ),
            (3, link::BLOCKS, (&[SEC], &[]), (&[SHOP, PAY], WORK)),
        ];
        for (count, link, sources, destinations) in plan {
            for _ in 0..count {
                let source = self.any(sources.0, sources.1);
                let destination = self.any(destinations.0, destinations.1);
                if let (Some(source), Some(destination)) = (source, destination) {
                    self.link(link, source, destination, 0..=80);
                }
            }
        }
    }

    /// Links to pages elsewhere.
    fn pages(&mut self) {
        for number in 0..22_i64 {
            let Some(plan) = self.any(&[SHOP, PAY, MOB, OPS], &[]) else { continue };
            let outline = &self.setting.outlines[plan];
            let page = 4_200 + number * 17;
            let remote = match number % 3 {
                0 => Remote {
                    global_id: Some(format!("appId=8a8b1c9e-4b7e-3f1a-9d0c-5f2e6a7b8c9d&pageId={page}")),
                    relationship: Some("Wiki Page"),
                    application: Some(("com.atlassian.confluence", "Company wiki")),
                    url: format!("https://wiki.plainwire.example/pages/viewpage.action?pageId={page}"),
                    title: PAGES[number as usize / 3 % PAGES.len()].to_owned(),
                    is_resolved: None,
                },
                1 => Remote {
                    global_id: Some(format!("system=https://bugs.bank.example&id={page}")),
                    relationship: Some("is caused by"),
                    application: Some(("example.bank.support", "Support of the bank")),
                    url: format!("https://bugs.bank.example/case/{page}"),
                    title: format!("Case {page}: no answer in the test environment"),
                    is_resolved: Some(number % 2 == 0),
                },
                _ => Remote {
                    global_id: None,
                    relationship: None,
                    application: None,
                    url: format!("https://design.plainwire.example/file/{page}"),
                    title: format!("Design of {}", outline.summary.split(':').next().unwrap_or("it")),
                    is_resolved: None,
                },
            };
            let at = after(self.random, outline.created, 0..=30);
            let author = people::id(*self.random.pick(outline.project.team));
            self.push(at, plan, author, Act::Remote(remote));
        }
    }

    /// Watchers and votes.
    fn audience(&mut self) {
        for plan in 0..self.setting.outlines.len() {
            let outline = &self.setting.outlines[plan];
            let is_secret = matches!(outline.project.id, SEC | HR);
            let mut crowd: Vec<_> = outline.project.team.to_vec();
            if !is_secret {
                crowd.extend([DEMO, 2, 3, 6, 13, 21, 24]);
                crowd.sort_unstable();
                crowd.dedup();
            }
            let watchers = *self.random.pick(&[0, 0, 1, 1, 2, 3, 5]);
            for person in self.random.some(&crowd, watchers) {
                let at = after(self.random, outline.created, 0..=60);
                self.push(at, plan, people::id(person), Act::Watch);
            }
            let votes = if is_secret { 0 } else { *self.random.pick(&[0, 0, 0, 0, 1, 2, 4, 7]) };
            for person in self.random.some(&crowd, votes) {
                let at = after(self.random, outline.created, 1..=90);
                // Nobody votes for what they have reported.
                if people::id(person) != outline.reporter {
                    self.push(at, plan, people::id(person), Act::Vote);
                }
            }
        }
    }

    /// The backlog is not in the order in which it was written: what is urgent goes up.
    fn ranks(&mut self, fates: &[Fate]) {
        for _ in 0..60 {
            let Some(plan) = self.any(&[SHOP, PAY, MOB], &[kind::STORY, kind::TASK, kind::BUG]) else {
                continue;
            };
            let Some(other) = self.any(&[self.setting.outlines[plan].project.id], &[]) else { continue };
            let (it, before) = (&self.setting.outlines[plan], &self.setting.outlines[other]);
            if fates[plan].done.is_some() || before.created >= it.created {
                continue;
            }
            let at = after(self.random, it.created, 1..=40);
            self.push(at, plan, people::id(it.project.lead), Act::Rank(other));
        }
    }

    fn properties(&mut self) {
        for number in 0..12 {
            let Some(plan) = self.any(&[SHOP, PAY, MOB, HELP], &[]) else { continue };
            let at = self.setting.outlines[plan].created + HOUR;
            let (key, value) = match number % 3 {
                0 => (
                    "release.checklist",
                    r#"{"handbook":true,"translated":["de","da","fr"],"switch":"on"}"#.to_owned(),
                ),
                1 => ("help-desk.count", self.random.within(1..=30).to_string()),
                _ => ("origin", format!(r#"{{"mail":"{}@shop.example"}}"#, self.random.within(100..=999))),
            };
            let author = people::id(DEMO);
            self.push(at, plan, author, Act::Property(key, value));
        }
    }
}

/// The projects and the types of one end of a link; no types for all of them.
type Ends = (&'static [i64], &'static [i64]);

/// The titles of pages of the wiki.
const PAGES: [&str; 8] = [
    "Decision: one place for the total",
    "Glossary of the ledger",
    "How we measure",
    "Meeting notes, storefront and payments",
    "Offline: what may go wrong",
    "Rollout, shop by shop",
    "Runbook: payments are late",
    "Survey of merchants, spring",
];
