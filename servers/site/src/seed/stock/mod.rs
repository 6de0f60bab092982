//! The texts of the company: what its issues, descriptions and comments are made of.
//!
//! In: nothing. Out: tables of sentences, by project. In them `{who}` is a person of the team, `{key}` another issue of the project,
//! `{place}` one of the places, `{day}` a day; `` `code` ``, `**strong**` and `//emphasis//` are what they look like.

pub(super) mod desk;
pub(super) mod hidden;
pub(super) mod mobile;
pub(super) mod operations;
pub(super) mod payments;
pub(super) mod storefront;
pub(super) mod talk;

use super::scheme::kind;

/// Something to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Topic {
    pub(super) kind: i64,
    /// The place of its component.
    pub(super) part: usize,
    pub(super) summary: &'static str,
    /// One or two sentences about it.
    pub(super) detail: &'static str,
}

/// An epic: its name, its short name, and a sentence.
pub(super) type Epic = (&'static str, &'static str, &'static str);

/// The place of no component: for all of them.
pub(super) const ANY: usize = usize::MAX;

/// The texts of a project. Those with a number are about the component at that place, or about [`ANY`].
#[derive(Debug)]
pub(super) struct Stock {
    pub(super) topics: &'static [Topic],
    pub(super) epics: &'static [Epic],
    /// Places in the product, with the component that each belongs to.
    pub(super) places: &'static [(&'static str, usize)],
    /// What goes wrong in a place, as the end of a summary, and a sentence about it.
    pub(super) symptoms: &'static [(&'static str, &'static str)],
    /// Summaries of tasks about a `{place}`, each with a sentence.
    pub(super) chores: &'static [(&'static str, &'static str)],
    /// Summaries of sub-tasks.
    pub(super) parts: &'static [&'static str],
    /// Those who want something in a story.
    pub(super) roles: &'static [&'static str],
    /// Ways to a bug, step by step.
    pub(super) steps: &'static [(usize, &'static [&'static str])],
    /// When a story is done.
    pub(super) criteria: &'static [&'static str],
    /// Code and logs, with the language.
    pub(super) snippets: &'static [(usize, &'static str, &'static str)],
    /// Tables: the rows, the first one with the heads.
    pub(super) tables: &'static [(usize, &'static [&'static [&'static str]])],
    /// What people of this project say about their work.
    pub(super) remarks: &'static [(usize, &'static str)],
    pub(super) labels: &'static [&'static str],
    /// Where a bug was seen.
    pub(super) environments: &'static [&'static str],
}

const fn bug(part: usize, summary: &'static str, detail: &'static str) -> Topic {
    Topic { kind: kind::BUG, part, summary, detail }
}

const fn story(part: usize, summary: &'static str, detail: &'static str) -> Topic {
    Topic { kind: kind::STORY, part, summary, detail }
}

const fn task(part: usize, summary: &'static str, detail: &'static str) -> Topic {
    Topic { kind: kind::TASK, part, summary, detail }
}
