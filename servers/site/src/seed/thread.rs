//! Threads: what people say about an issue, the work that they log, and what they attach.
//!
//! In: a life whose steps are known. Out: more events of it.

use super::calendar::{HOUR, MINUTE, after};
use super::event::{Act, set};
use super::files;
use super::life::{Fate, Life};
use super::outline::Special;
use super::people::{self, DEMO};
use super::projects::{HR, PAY, SEC, SHOP};
use super::rich::Doc;
use super::scheme::{PAYMENT_BUGS, kind, resolution, status};
use super::stock::talk;
use crate::field::Value;

/// A comment for all.
pub(super) fn comment(body: Doc) -> Act {
    Act::Comment { body, is_internal: false, visibility: None, edited: None }
}

/// Adds comments.
pub(super) fn comments(life: &mut Life<'_>) {
    let outline = life.outline();
    let count = match outline.special {
        Special::Talk => 24,
        _ => *life.random.pick(&[0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8]),
    };
    let last = life.steps.last().map_or(outline.created, |it| it.0);
    let span = (last - outline.created).max(30 * HOUR);
    let mut times: Vec<_> = (0..count)
        .map(|_| {
            let from = outline.created + life.random.within(0..=span);
            after(&mut life.random, from, 0..=5)
        })
        .collect();
    times.sort_unstable();
    for at in times {
        if at >= life.end() {
            return;
        }
        let author = speaker(life, at);
        let phase = life.phase(at);
        if life.random.percent(5) && !matches!(outline.project.id, SEC | HR) {
            attached(life, at, author);
            continue;
        }
        let body = life.writer.comment(phase, at);
        let edited = life.random.percent(6).then(|| at + life.random.within(2..=50) * MINUTE);
        let is_restricted = matches!(outline.project.id, SHOP | PAY) && life.random.percent(3);
        let visibility = is_restricted.then_some("developers");
        let edited = edited.filter(|it| *it < life.end());
        life.push(at, author, Act::Comment { body, is_internal: false, visibility, edited });
    }
}

/// Returns who speaks: most often the one who works on it.
fn speaker(life: &mut Life<'_>, at: i64) -> i64 {
    let outline = life.outline();
    match (life.random.below(10), life.assignee) {
        (0..=3, Some(assignee)) if life.random.percent(80) => assignee,
        (4..=5, _) => outline.reporter,
        (6, _) if outline.project.id == SHOP => people::id(DEMO),
        _ => life.member(at),
    }
}

/// Adds a file, and a comment about it.
fn attached(life: &mut Life<'_>, at: i64, author: i64) {
    let (name, text) = *life.random.pick(talk::FILES);
    let (file, body) = if text.is_empty() {
        (files::picture(name, &mut life.writer.random), life.writer.with_picture(name, at))
    } else {
        (files::text(name, text), life.writer.with_file(name, at))
    };
    life.push(at - 400, author, Act::Attach(file));
    life.push(at, author, comment(body));
}

/// Adds the work that was logged.
pub(super) fn work(life: &mut Life<'_>) {
    let outline = life.outline();
    let count = match outline.special {
        Special::Work => 34,
        _ if outline.kind == kind::EPIC || life.random.percent(62) => return,
        _ => 1 + life.random.below(5),
    };
    let Some(begun) = life.steps.iter().find(|it| it.1.to == status::IN_PROGRESS).map(|it| it.0) else {
        return;
    };
    let mut at = begun;
    for _ in 0..count {
        at = after(&mut life.random, at, if outline.special == Special::Work { 11..=13 } else { 1..=9 });
        let author = if life.random.percent(85) { life.assignee } else { None };
        let author = author.unwrap_or_else(|| life.member(at));
        let seconds = life.random.within(1..=16) * 1_800;
        let note = life
            .random
            .percent(65)
            .then(|| life.random.pick(talk::WORK))
            .map(|text| life.writer.say(text, at));
        let started = at - seconds * 1_000 - life.random.within(1..=20) * MINUTE;
        let started = (started - started.rem_euclid(MINUTE)).max(outline.created);
        life.push(at, author, Act::Work { started, seconds, note });
    }
}

/// Tells the night in which payments failed.
pub(super) fn incident(life: &mut Life<'_>) {
    let outline = life.outline();
    let mut at = outline.created;
    let engineer = people::id(15);
    let step = |life: &mut Life<'_>, id: i64, at: i64, author: i64| {
        let Some(transition) = PAYMENT_BUGS.transition(id) else { return };
        let mut changes = vec![set("status", Value::Ref(transition.to))];
        if transition.sets.is_some() {
            changes.push(set("resolution", Value::Ref(resolution::FIXED)));
            changes.push(set("fixVersions", Value::Refs(vec![10024])));
        }
        life.push(at, author, Act::Set(changes));
        life.steps.push((at, transition));
    };
    for (number, (who, minutes, text)) in talk::INCIDENT.iter().enumerate() {
        at += minutes * MINUTE + life.random.within(0..=40) * 1_000;
        let (author, body) = (people::id(*who), life.writer.say(text, at));
        life.push(at, author, comment(body));
        match number {
            0 => step(life, 211, at + 9_000, people::id(3)),
            5 => {
                life.push(at + 5_000, engineer, Act::Set(vec![set("assignee", Value::Ref(engineer))]));
                step(life, 221, at + 21_000, engineer);
            }
            15 => step(life, 231, at + 30_000, engineer),
            27 => step(life, 251, at + 61_000, people::id(3)),
            _ => {}
        }
    }
    for (minutes, seconds, text) in
        [(210, 3 * 3_600, "at the load balancer"), (980, 3_600, "review of what happened")]
    {
        let done = outline.created + minutes * MINUTE;
        let note = Some(life.writer.say(text, done));
        let started = done - seconds * 1_000 - 5 * MINUTE;
        life.push(done, engineer, Act::Work { started: started.max(outline.created), seconds, note });
    }
    life.fate = Fate { done: Some(at + 61_000), is_declined: false };
}
