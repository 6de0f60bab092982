//! What people write: descriptions and comments, composed of the texts of their project.
//!
//! In: an outline. Out: documents, before their form is known.

use super::calendar::{DAY, after};
use super::files::SIZE;
use super::outline::Outline;
use super::people;
use super::projects::{HR, OPS};
use super::random::Random;
use super::rich::{Block, Cell, Doc, Emoji, Item, Line, Span, Table, items, line, para};
use super::scheme::kind;
use super::stock::{ANY, talk};

/// Somebody who writes about an issue.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    pub(super) random: Random,
    pub(super) outlines: &'a [Outline],
    /// The issue.
    pub(super) plan: usize,
    /// Sentences that were used in this issue.
    used: Vec<&'static str>,
}

/// What is going on when somebody comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Again,
    Declined,
    Done,
    Planning,
    Progress,
    Review,
}

impl<'a> Writer<'a> {
    pub(super) fn new(random: Random, outlines: &'a [Outline], plan: usize) -> Self {
        Self { random, outlines, plan, used: Vec::new() }
    }

    fn outline(&self) -> &'a Outline {
        &self.outlines[self.plan]
    }

    /// Returns the spans of a sentence whose placeholders are filled at a time.
    pub(super) fn line(&mut self, text: &str, at: i64) -> Line {
        let mut spans = Line::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            spans.extend(line(before));
            spans.push(self.fill(name, at));
            rest = after;
        }
        spans.extend(line(rest));
        spans
    }

    fn para(&mut self, text: &str, at: i64) -> Block {
        Block::Para(self.line(text, at))
    }

    fn fill(&mut self, name: &str, at: i64) -> Span {
        match name {
            "who" => Span::Mention(people::id(*self.random.pick(self.outline().project.team))),
            "key" => self.earlier(at).map_or_else(|| Span::Text("the old ticket".into()), Span::Issue),
            "day" => {
                let days = self.random.within(2..=16);
                Span::Day(after(&mut self.random, at + days * DAY, 0..=1))
            }
            "first" => {
                let reporter = people::by_id(self.outline().reporter).map_or("", |it| it.display_name);
                Span::Text(reporter.split(' ').next().unwrap_or_default().to_owned())
            }
            other => Span::Text(format!("{{{other}}}")),
        }
    }

    /// Returns another issue of the project that was there before a time.
    pub(super) fn earlier(&mut self, at: i64) -> Option<usize> {
        let project = self.outline().project.id;
        for _ in 0..40 {
            let other = self.random.below(self.outlines.len());
            let it = &self.outlines[other];
            if other != self.plan && it.project.id == project && it.created < at && it.kind != kind::SUBTASK {
                return Some(other);
            }
        }
        None
    }

    /// Returns a sentence that was not used in this issue yet, if there is one.
    pub(super) fn fresh(&mut self, all: &[&'static str]) -> Option<&'static str> {
        let left: Vec<_> = all.iter().copied().filter(|it| !self.used.contains(it)).collect();
        if left.is_empty() {
            return None;
        }
        let found = *self.random.pick(&left);
        self.used.push(found);
        Some(found)
    }

    /// Returns a description; none for those who say no more than the summary.
    pub(super) fn description(&mut self) -> Option<Doc> {
        let outline = self.outline();
        let terse = if outline.kind == kind::SUBTASK { 70 } else { 40 };
        if outline.detail.is_empty() && self.random.percent(terse) {
            return None;
        }
        if self.random.percent(4) {
            return None;
        }
        let mut doc = Doc::new();
        if !outline.detail.is_empty() {
            doc.push(self.para(&outline.detail, outline.created));
        }
        match outline.kind {
            kind::BUG => self.bug(&mut doc),
            kind::STORY => self.story(&mut doc),
            kind::EPIC => self.epic(&mut doc),
            _ => self.task(&mut doc),
        }
        (!doc.is_empty()).then_some(doc)
    }

    fn bug(&mut self, doc: &mut Doc) {
        let (stock, at) = (self.outline().stock, self.outline().created);
        let steps = self.apt(stock.steps, |it| it.0);
        if let Some((_, steps)) = self.one(&steps).filter(|_| self.random.percent(45)) {
            doc.push(Block::Head(3, "Steps to reproduce".into()));
            doc.push(Block::Numbers(items(steps.iter().copied())));
        }
        match self.random.below(6) {
            0 => {
                if let Some(it) = self.snippet() {
                    doc.extend([para("From the log:"), it]);
                }
            }
            1 => {
                if let Some(table) = self.table() {
                    doc.push(table);
                }
            }
            2 => {
                let quote =
                    "It was fine last week. Now it does this every time, and my colleagues see it, too.";
                doc.push(para("In the words of the merchant:"));
                doc.push(Block::Quote(vec![para(quote)]));
            }
            3 => {
                let line = self.line("There is a way around it, see {key}.", at);
                doc.push(Block::Panel("note", vec![Block::Para(line)]));
            }
            4 => doc.push(Block::Para(vec![
                Span::Strong("Expected:".into()),
                Span::Text(" as on the page before.".into()),
                Span::Break,
                Span::Strong("Seen:".into()),
                Span::Text(" ".into()),
                Span::Color("#de350b", "see above, each time".into()),
            ])),
            _ => {}
        }
        if doc.is_empty() {
            doc.push(self.para("{who} saw it first. I can repeat it.", at));
        }
    }

    fn story(&mut self, doc: &mut Doc) {
        let (stock, at) = (self.outline().stock, self.outline().created);
        if !stock.roles.is_empty() && self.random.percent(50) {
            let role = *self.random.pick(stock.roles);
            let wish = self.random.pick(WISHES).replace("{role}", role);
            doc.insert(0, para(&wish));
        }
        doc.push(Block::Head(2, "Acceptance criteria".into()));
        let count = 2 + self.random.below(4);
        let criteria = self.random.some(stock.criteria, count);
        match self.random.below(3) {
            0 => {
                let tasks = criteria.iter().map(|it| (false, line(it))).collect();
                doc.push(Block::Tasks(tasks));
            }
            1 => {
                let mut all = items(criteria.iter().copied());
                if let Some(Item(_, below)) = all.first_mut() {
                    *below = vec![line("on the test host"), line("with the copy of a large shop")];
                }
                doc.push(Block::Bullets(all));
            }
            _ => doc.push(Block::Numbers(items(criteria.iter().copied()))),
        }
        match self.random.below(7) {
            0 => {
                if let Some(table) = self.table() {
                    doc.push(table);
                }
            }
            1 => {
                doc.push(Block::Panel("info", vec![self.para("Out of scope: all that is in {key}.", at)]));
            }
            2 => {
                let inside =
                    self.snippet().into_iter().chain([self.para("Written down by {who}.", at)]).collect();
                doc.push(Block::Expand("Technical notes".into(), inside));
            }
            3 => doc.push(Block::Para(vec![
                Span::Text("Design: ".into()),
                Span::Card(format!(
                    "https://design.plainwire.example/file/{}",
                    self.random.within(1000..=9999)
                )),
            ])),
            4 => doc.extend([Block::Rule, self.para("Talk to {who} before you begin.", at)]),
            _ => {}
        }
    }

    fn epic(&mut self, doc: &mut Doc) {
        let (stock, at) = (self.outline().stock, self.outline().created);
        doc.push(Block::Head(2, "Why".into()));
        doc.push(self.para("{who} has talked to nine merchants. Seven of them named this first.", at));
        doc.push(Block::Head(2, "We are there when".into()));
        doc.push(Block::Bullets(items(self.random.some(stock.criteria, 4))));
        doc.push(Block::Decisions(vec![self.line("We begin with the smallest shop. {who} chooses it.", at)]));
    }

    fn task(&mut self, doc: &mut Doc) {
        let (stock, at) = (self.outline().stock, self.outline().created);
        let criteria = self.random.some(stock.criteria, 3);
        match self.random.below(6) {
            0 if !criteria.is_empty() => {
                let tasks = criteria.iter().map(|it| (self.random.percent(30), line(it))).collect();
                doc.push(Block::Tasks(tasks));
            }
            1 if !criteria.is_empty() => doc.push(Block::Bullets(items(criteria))),
            2 => {
                if let Some(it) = self.snippet() {
                    doc.push(it);
                }
            }
            3 => {
                if let Some(table) = self.table() {
                    doc.push(table);
                }
            }
            4 => doc.push(Block::Panel("warning", vec![self.para("Not before {day}, please.", at)])),
            _ if doc.is_empty() => doc.push(self.para("As agreed with {who}.", at)),
            _ => {}
        }
    }

    fn snippet(&mut self) -> Option<Block> {
        let all = self.apt(self.outline().stock.snippets, |it| it.0);
        let (_, language, text) = self.one(&all)?;
        Some(Block::Code(language, text.to_owned()))
    }

    fn table(&mut self) -> Option<Block> {
        let all = self.apt(self.outline().stock.tables, |it| it.0);
        let (_, rows) = self.one(&all)?;
        let rows = rows.iter().map(|row| row.iter().map(Cell::of).collect()).collect();
        Some(Block::Table(Table { rows, heads_rows: self.random.percent(30) }))
    }

    /// Returns those that are about the component of the issue, or about all of them.
    fn apt<T: Copy>(&self, all: &[T], part: impl Fn(&T) -> usize) -> Vec<T> {
        let here = self.outline().part;
        all.iter().filter(|it| [here, ANY].contains(&part(it))).copied().collect()
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        (!all.is_empty()).then(|| *self.random.pick(all))
    }

    /// Returns a comment.
    pub(super) fn comment(&mut self, phase: Phase, at: i64) -> Doc {
        if self.random.percent(12)
            && let Some(text) = self.fresh(talk::SHORT)
        {
            return vec![self.para(text, at)];
        }
        let project = self.outline().project.id;
        let talk = if matches!(project, OPS | HR) { &talk::OFFICE } else { &talk::PRODUCT };
        let of_phase = match phase {
            Phase::Again => talk.again,
            Phase::Declined => talk.declined,
            Phase::Done => talk.done,
            Phase::Planning => talk.planning,
            Phase::Progress => talk.progress,
            Phase::Review => talk.review,
        };
        let is_technical = matches!(phase, Phase::Progress | Phase::Review | Phase::Again);
        let mut spans = Line::new();
        if self.random.percent(if is_technical { 65 } else { 25 })
            && let Some(text) = self.remark()
        {
            spans.extend(self.line(text, at));
        }
        if (spans.is_empty() || self.random.percent(60))
            && let Some(text) = self.fresh(of_phase)
        {
            if !spans.is_empty() {
                spans.push(Span::Text(" ".into()));
            }
            spans.extend(self.line(text, at));
        }
        if spans.is_empty() {
            spans.extend(self.line("{who} knows more about this.", at));
        }
        if self.random.percent(7) {
            let all = [Emoji::Smile, Emoji::Thumb, Emoji::Party, Emoji::Check, Emoji::Warning];
            spans.extend([Span::Text(" ".into()), Span::Emoji(*self.random.pick(&all))]);
        }
        let mut doc = vec![Block::Para(spans)];
        self.adorn(&mut doc, phase, at);
        doc
    }

    fn remark(&mut self) -> Option<&'static str> {
        let all = self.apt(self.outline().stock.remarks, |it| it.0);
        let all: Vec<_> = all.into_iter().map(|it| it.1).collect();
        self.fresh(&all)
    }

    /// Adds what some comments have besides their sentences.
    fn adorn(&mut self, doc: &mut Doc, phase: Phase, at: i64) {
        match self.random.below(40) {
            0..=2 => doc.extend(self.snippet()),
            3 => doc.extend(self.table()),
            4..=5 => {
                let (first, second) =
                    (self.line("tell {who}", at), self.line("look at the graphs again on {day}", at));
                doc.push(Block::Tasks(vec![(self.random.percent(50), first), (false, second)]));
            }
            6 if phase == Phase::Review => doc.push(Block::Bullets(vec![
                Item(
                    line("the name of the new column"),
                    vec![line("`sum` says nothing"), line("`open_amount` would")],
                ),
                Item(line("the test with the sleep in it"), Vec::new()),
            ])),
            7 => doc.push(Block::Panel("success", vec![self.para("Checked again by {who}.", at)])),
            8 => doc.insert(0, Block::Quote(vec![para("Is anybody looking at this?")])),
            9 => doc.push(Block::Para(vec![
                Span::Text("State: ".into()),
                Span::Status("waiting for a decision", "yellow"),
                Span::Text(" until ".into()),
                Span::Day(at + 3 * DAY),
            ])),
            10 => doc.push(Block::Para(vec![
                Span::Text("More in ".into()),
                Span::Link(
                    "the notes of the meeting".into(),
                    format!("https://wiki.plainwire.example/notes/{}", self.random.within(100..=999)),
                ),
                Span::Text(".".into()),
            ])),
            _ => {}
        }
    }

    /// Returns a comment with a picture that is attached.
    pub(super) fn with_picture(&mut self, name: &str, at: i64) -> Doc {
        vec![self.para("This is what I see, {who}:", at), Block::Picture(name.to_owned(), SIZE.0, SIZE.1)]
    }

    /// Returns a comment with a file that is attached.
    pub(super) fn with_file(&mut self, name: &str, at: i64) -> Doc {
        if self.random.percent(50) {
            return vec![self.para("This is all that I have:", at), Block::Files(vec![name.to_owned()])];
        }
        let mut spans = self.line("Attached for {who}: ", at);
        spans.push(Span::File(name.to_owned()));
        vec![Block::Para(spans)]
    }

    /// Returns what an agent writes to a customer.
    pub(super) fn answer(&mut self, greeting: &str, text: &str, at: i64) -> Doc {
        vec![self.para(greeting, at), self.para(text, at), para("Kind regards, your help desk")]
    }

    /// Returns one paragraph.
    pub(super) fn say(&mut self, text: &str, at: i64) -> Doc {
        vec![self.para(text, at)]
    }
}

/// How stories begin.
const WISHES: &[&str] = &[
    "//As {role} I expect this to be there without asking for it.//",
    "//As {role} I want this to work the first time.//",
    "//As {role} I do not want to read a handbook for this.//",
    "//As {role} I want to see at once what has happened.//",
    "//As {role} I lose a quarter of an hour a day, because this is missing.//",
    "//As {role} I have asked for this three times.//",
];
