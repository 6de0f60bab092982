//! The life of an issue: how it was made, who worked on it, and where it stands today.
//!
//! In: outlines, the workflows and the sprints. Out: events. Each walk through a workflow keeps its rules.

use super::boards::Sprint;
use super::calendar::{Calendar, DAY, MINUTE, after, soon};
use super::event::{Act, Event, clear, set};
use super::outline::{Outline, Special};
use super::people::{self, BOT};
use super::projects::{MOB, PAY, SHOP};
use super::random::Random;
use super::rich::Doc;
use super::scheme::{Transition, is_done, kind, resolution, status};
use super::writing::{Phase, Writer};
use super::{birth, showcase, thread};
use crate::field::Value;
use crate::work::Deployment;

/// What the makers of lives know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting<'a> {
    pub(super) calendar: &'a Calendar,
    pub(super) deployment: Deployment,
    pub(super) outlines: &'a [Outline],
    pub(super) sprints: &'a [Sprint],
}

/// How an issue has ended, if it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fate {
    /// When it was done.
    pub(super) done: Option<i64>,
    /// Whether it was declined.
    pub(super) is_declined: bool,
}

/// A life in the making.
#[derive(Debug)]
pub(super) struct Life<'a> {
    pub(super) setting: Setting<'a>,
    pub(super) plan: usize,
    pub(super) random: Random,
    pub(super) writer: Writer<'a>,
    pub(super) events: Vec<Event>,
    pub(super) assignee: Option<i64>,
    /// The description with which it was made.
    pub(super) description: Option<Doc>,
    /// The time and the transition of each step.
    pub(super) steps: Vec<(i64, &'static Transition)>,
    pub(super) fate: Fate,
}

/// People who left did so this long ago.
pub(super) const LEFT: i64 = 250 * DAY;

/// Returns all events, and the fates of all issues.
pub(super) fn all(setting: Setting<'_>, random: &mut Random) -> (Vec<Event>, Vec<Fate>) {
    let count = setting.outlines.len();
    let mut fates = vec![Fate::default(); count];
    let mut events = Vec::new();
    // An issue is done after its sub-tasks, and an epic after its issues.
    let turn = |kind: i64| match kind {
        kind::EPIC => 0,
        kind::SUBTASK => 1,
        _ => 2,
    };
    for now in 0..3 {
        for plan in (0..count).filter(|it| turn(setting.outlines[*it].kind) == now) {
            let (random, words) = (random.branch(), random.branch());
            let writer = Writer::new(words, setting.outlines, plan);
            let mut life = Life {
                setting,
                plan,
                random,
                writer,
                events: Vec::new(),
                assignee: None,
                description: None,
                steps: Vec::new(),
                fate: Fate::default(),
            };
            life.live(&fates);
            fates[plan] = life.fate;
            events.append(&mut life.events);
        }
    }
    (events, fates)
}

impl<'a> Life<'a> {
    pub(super) fn outline(&self) -> &'a Outline {
        &self.setting.outlines[self.plan]
    }

    pub(super) fn end(&self) -> i64 {
        self.setting.calendar.end
    }

    /// Adds an event, unless it would be in the future.
    pub(super) fn push(&mut self, at: i64, author: i64, act: Act) {
        if at < self.end() {
            self.events.push(Event { at, plan: self.plan, author, act });
        }
    }

    fn live(&mut self, fates: &[Fate]) {
        let outline = self.outline();
        if outline.request.is_some() {
            return self.serve();
        }
        let (values, mut rich) = birth::values(self);
        if let Some((doc, files)) =
            showcase::of(&outline.summary, self.setting.calendar, &mut self.writer.random)
        {
            rich.retain(|(field, _)| *field != "description");
            rich.push(("description", doc));
            for (at, file) in files.into_iter().enumerate() {
                self.push(outline.created + 900 + at as i64 * 40, outline.reporter, Act::Attach(file));
            }
        }
        if outline.special == Special::Incident {
            self.push(outline.created, outline.reporter, birth::create(values, rich, None, None));
            return thread::incident(self);
        }
        self.description = rich.iter().find(|it| it.0 == "description").map(|it| it.1.clone());
        let first = self.events.len();
        let path = self.path();
        self.walk(&path, self.may_finish(fates));
        let epic = self.epic(fates);
        let at_once = epic.filter(|it| self.setting.outlines[*it].created < outline.created);
        let at_once = at_once.filter(|_| self.random.percent(70));
        let create = birth::create(values, rich, outline.parent, at_once);
        let birth = Event { at: outline.created, plan: self.plan, author: self.creator(), act: create };
        self.events.insert(first, birth);
        if let (Some(epic), None) = (epic, at_once) {
            let at = soon(&mut self.random, outline.created.max(self.setting.outlines[epic].created));
            self.push(at, people::id(outline.project.lead), Act::Epic(epic));
        }
        self.plan_sprints();
        self.edits();
        thread::comments(self);
        thread::work(self);
        if outline.special == Special::Moves {
            self.push(outline.created + 50 * MINUTE, people::id(outline.project.lead), Act::Move(SHOP));
        }
    }

    /// The help desk and others make some issues for those who report them.
    fn creator(&mut self) -> i64 {
        let reporter = self.outline().reporter;
        if self.outline().kind != kind::SUBTASK && reporter != people::id(BOT) && self.random.percent(4) {
            people::id(self.outline().project.lead)
        } else {
            reporter
        }
    }

    /// Returns somebody of the team, or one who has left since, for what happened before.
    pub(super) fn member(&mut self, at: i64) -> i64 {
        let project = self.outline().project;
        let former: &[usize] = match project.id {
            SHOP => &[31, 32],
            PAY => &[33],
            MOB => &[31],
            _ => &[],
        };
        if at < self.end() - LEFT - 30 * DAY && !former.is_empty() && self.random.percent(20) {
            return people::id(*self.random.pick(former));
        }
        people::id(*self.random.pick(project.team))
    }

    /// Returns another one of the team, who is still there.
    pub(super) fn other(&mut self, than: Option<i64>) -> i64 {
        let team = self.outline().project.team;
        let others: Vec<_> = team.iter().map(|it| people::id(*it)).filter(|it| Some(*it) != than).collect();
        *self.random.pick(&others)
    }

    /// When an issue with sub-tasks may be done: `None` if it has none, `Some(None)` for not yet.
    fn may_finish(&self, fates: &[Fate]) -> Option<Option<i64>> {
        let children = self.setting.outlines.iter().zip(fates).filter(|(it, _)| it.parent == Some(self.plan));
        children.map(|(_, fate)| fate.done).reduce(|a, b| Some(a?.max(b?)))
    }

    fn path(&mut self) -> Vec<i64> {
        let outline = self.outline();
        let workflow = outline.project.workflow(outline.kind).map_or(0, |it| it.id);
        let paths = match (outline.kind, outline.special) {
            (_, Special::Talk | Special::Work) => PLAIN_PATH,
            (_, Special::Moves) => NO_PATH,
            (kind::EPIC, _) => EPIC_PATHS,
            (kind::SUBTASK, _) if workflow == 10100 => SUBTASK_PATHS,
            _ => match workflow {
                10102 => PAYMENT_PATHS,
                10103 => SIMPLE_PATHS,
                _ => SOFTWARE_PATHS,
            },
        };
        let path = weighted(&mut self.random, paths);
        // The transitions of stories are those of the others, with numbers of their own.
        let base = if workflow == 10101 { 100 } else { 0 };
        path.iter().map(|it| it + base).collect()
    }

    /// Walks through the workflow until today.
    fn walk(&mut self, path: &[i64], may_finish: Option<Option<i64>>) {
        let outline = self.outline();
        let Some(workflow) = outline.project.workflow(outline.kind) else { return };
        let (mut now, mut at) = (workflow.initial, outline.created);
        for id in path {
            let Some(transition) = workflow.transition(*id) else { return };
            let hours = self.wait(now, transition.to);
            at = after(&mut self.random, at, hours);
            if is_done(transition.to) {
                match may_finish {
                    Some(None) => return,
                    Some(Some(last)) if last >= at => at = soon(&mut self.random, last),
                    _ => {}
                }
            }
            if at >= self.end() {
                return;
            }
            self.step(now, transition, at);
            now = transition.to;
        }
        // Those who begin and then leave it have somebody who waits for it.
        if self.steps.is_empty() && self.random.percent(45) && self.assignee.is_none() {
            let (at, to) = (soon(&mut self.random, outline.created), self.member(outline.created));
            self.assign(at, to);
        }
    }

    /// How many working hours an issue stays in a status.
    fn wait(&mut self, from: i64, to: i64) -> std::ops::RangeInclusive<i64> {
        let outline = self.outline();
        match (outline.kind, outline.special, from, to) {
            (_, Special::Work, status::IN_PROGRESS, _) => 700..=760,
            (_, Special::Talk, status::IN_PROGRESS, _) => 300..=340,
            (kind::EPIC, _, status::TO_DO, _) => 10..=200,
            (kind::EPIC, ..) => 450..=900,
            (_, _, status::TRIAGE, _) => 0..=16,
            (_, _, status::DONE, _) => 8..=160,
            (_, _, status::TO_DO, status::DONE) => 8..=500,
            (kind::SUBTASK, _, status::TO_DO, _) => 1..=40,
            (_, _, status::TO_DO | status::REOPENED, _) if self.random.percent(60) => 2..=60,
            (_, _, status::TO_DO | status::REOPENED, _) => 60..=420,
            (_, _, status::IN_REVIEW, _) => 1..=18,
            _ => 2..=44,
        }
    }

    /// Takes one step.
    fn step(&mut self, from: i64, transition: &'static Transition, at: i64) {
        let outline = self.outline();
        let lead = people::id(outline.project.lead);
        if self.assignee.is_none() && transition.to == status::IN_PROGRESS {
            let to = self.member(at);
            let just_before = at - self.random.within(1..=40) * 1_000;
            self.assign(just_before, to);
        }
        // Somebody else goes on with what was left behind.
        if let Some(it) = self.assignee
            && at > self.end() - LEFT
            && people::by_id(it).is_some_and(|it| it.kind == people::Kind::Former)
        {
            let to = self.other(None);
            self.assign(at - 3 * MINUTE, to);
        }
        let worker = self.assignee.unwrap_or(lead);
        let author = match transition.to {
            _ if transition.rule == "assignee" => worker,
            status::TO_DO if from == status::TRIAGE => lead,
            status::DONE if from == status::IN_REVIEW && self.random.percent(12) => people::id(BOT),
            status::DONE if from == status::TO_DO => lead,
            status::DONE | status::IN_PROGRESS if from == status::IN_REVIEW => self.other(self.assignee),
            status::TO_DO | status::REOPENED if from == status::DONE => outline.reporter,
            _ => worker,
        };
        let mut changes = vec![set("status", Value::Ref(transition.to))];
        match transition.sets {
            Some(0) => changes.push(clear("resolution")),
            Some(default) => {
                let chosen = self.resolution(from, default);
                changes.push(set("resolution", Value::Ref(chosen)));
                if let Some(version) = birth::next_version(outline.project, at, self.setting.calendar)
                    && matches!(chosen, resolution::DONE | resolution::FIXED)
                    && self.random.percent(85)
                {
                    changes.push(set("fixVersions", Value::Refs(vec![version])));
                }
            }
            None => {}
        }
        if transition.to == status::IN_REVIEW && self.has(super::fields::REVIEWER) && self.random.percent(70)
        {
            let reviewer = self.other(self.assignee);
            changes.push(set(super::fields::REVIEWER, Value::Ref(reviewer)));
        }
        self.push(at, author, Act::Set(changes));
        self.steps.push((at, transition));
        let done = is_done(transition.to).then_some(at);
        self.fate = Fate { done, is_declined: done.is_some() && from != status::IN_REVIEW };
        if transition.to == status::IN_PROGRESS && self.random.percent(10) {
            let to = self.other(self.assignee);
            let later = soon(&mut self.random, at);
            // The next step is at least two hours away, and counts from the new one.
            if later - at < 100 * MINUTE {
                self.assign(later, to);
            }
        }
    }

    fn resolution(&mut self, from: i64, default: i64) -> i64 {
        let is_bug = self.outline().kind == kind::BUG;
        match default {
            resolution::DONE if is_bug && self.random.percent(75) => resolution::FIXED,
            resolution::WONT_DO if is_bug => *self.random.pick(&[
                resolution::DUPLICATE,
                resolution::DUPLICATE,
                resolution::CANNOT_REPRODUCE,
                resolution::WONT_DO,
            ]),
            resolution::CANNOT_REPRODUCE if from == status::TRIAGE && self.random.percent(40) => {
                resolution::DUPLICATE
            }
            other => other,
        }
    }

    /// Gives it to somebody.
    pub(super) fn assign(&mut self, at: i64, to: i64) {
        let lead = people::id(self.outline().project.lead);
        let author = if self.random.percent(60) { to } else { lead };
        self.push(
            at.max(self.outline().created + 500),
            author,
            Act::Set(vec![set("assignee", Value::Ref(to))]),
        );
        self.assignee = Some(to);
    }

    pub(super) fn has(&self, field: &str) -> bool {
        let outline = self.outline();
        super::screens::has(self.setting.deployment, outline.project.id, outline.kind, field)
    }

    /// Returns the epic that it belongs to: the one whose words it has, or any that was open all the time.
    fn epic(&mut self, fates: &[Fate]) -> Option<usize> {
        let outline = self.outline();
        if matches!(outline.kind, kind::EPIC | kind::SUBTASK) || outline.special == Special::Moves {
            return None;
        }
        let fits = |at: &usize| {
            let epic = &self.setting.outlines[*at];
            let is_open = fates[*at].done.is_none_or(|end| self.fate.done.is_some_and(|it| it < end));
            epic.kind == kind::EPIC && epic.project.id == outline.project.id && is_open
        };
        let open: Vec<_> = (0..self.setting.outlines.len()).filter(fits).collect();
        let text = format!("{} {}", outline.summary, outline.detail).to_lowercase();
        let words = |at: &usize| {
            let epic = &self.setting.outlines[*at];
            let name = format!("{} {}", epic.summary, epic.short).to_lowercase();
            name.split(' ').filter(|it| it.len() > 4 && text.contains(it)).count()
        };
        let best = open.iter().copied().max_by_key(words)?;
        if words(&best) > 0 && self.random.percent(90) {
            return Some(best);
        }
        self.random.percent(30).then(|| *self.random.pick(&open))
    }

    /// Returns what was going on at a time.
    pub(super) fn phase(&self, at: i64) -> Phase {
        let before: Vec<_> = self.steps.iter().filter(|it| it.0 <= at).collect();
        match before.last() {
            None => Phase::Planning,
            Some((_, it)) if is_done(it.to) && self.fate.is_declined => Phase::Declined,
            Some((_, it)) if is_done(it.to) => Phase::Done,
            Some((_, it)) if it.sets == Some(0) && it.from.is_some() => Phase::Again,
            Some((_, it)) if it.to == status::IN_REVIEW => Phase::Review,
            Some((_, it)) if it.to == status::TO_DO => Phase::Planning,
            Some(_) => Phase::Progress,
        }
    }
}

/// Paths through a workflow, and how often each is taken.
pub(super) type Paths = &'static [(usize, &'static [i64])];

/// Returns one of several paths.
pub(super) fn weighted(random: &mut Random, paths: Paths) -> &'static [i64] {
    let total: usize = paths.iter().map(|it| it.0).sum();
    let mut at = random.below(total);
    for (weight, path) in paths {
        if at < *weight {
            return path;
        }
        at -= weight;
    }
    &[]
}

const SOFTWARE_PATHS: Paths = &[
    (44, &[11, 21, 41]),
    (16, &[11, 21, 31, 21, 41]),
    (8, &[11, 51, 11, 21, 41]),
    (9, &[71]),
    (7, &[11, 21, 41, 61, 11, 21, 41]),
    (14, &[]),
    (4, &[11]),
    (3, &[11, 21]),
];
const PLAIN_PATH: Paths = &[(1, &[11, 21, 41])];
const NO_PATH: Paths = &[(1, &[])];
const EPIC_PATHS: Paths = &[(60, &[11, 21, 41]), (25, &[11]), (15, &[])];
const SUBTASK_PATHS: Paths = &[(70, &[11, 21, 41]), (15, &[11, 21, 31, 21, 41]), (6, &[71]), (9, &[])];
const PAYMENT_PATHS: Paths = &[
    (44, &[211, 221, 231, 251]),
    (10, &[212]),
    (14, &[211, 221, 231, 241, 231, 251]),
    (10, &[211, 221, 231, 251, 261, 271, 231, 251]),
    (3, &[211, 221, 231, 251, 261]),
    (7, &[]),
    (8, &[211]),
    (3, &[211, 221, 231]),
];
const SIMPLE_PATHS: Paths = &[
    (58, &[321, 331]),
    (14, &[331]),
    (9, &[321, 311, 321, 331]),
    (14, &[]),
    (6, &[321]),
    (4, &[321, 331, 321, 331]),
];
