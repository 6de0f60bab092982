//! The lives of requests of the service desk.
//!
//! In: an outline with a request type. Out: its events: what the customer writes, and what the agents do about it.

use super::birth;
use super::calendar::{HOUR, MINUTE, after, soon};
use super::desk;
use super::event::{Act, clear, set};
use super::fields::{
    CUSTOMER_SHOP, OUTAGE_START, PARTICIPANTS, PLATFORMS, REGION, RUNBOOK, SEVERITY, options,
};
use super::life::{Fate, Life, Paths, weighted};
use super::people::{self, AGENTS, CUSTOMERS};
use super::rich::{Block, Doc, items, para};
use super::scheme::{SERVICE, Transition, is_done, kind, resolution, status};
use super::stock::desk as stock;
use super::thread::comment;
use crate::field::{Value, Values, custom};

impl Life<'_> {
    /// Tells the life of a request.
    pub(super) fn serve(&mut self) {
        let outline = self.outline();
        let (values, description) = (self.request_values(), self.request_text());
        let create = birth::create(values, vec![("description", description)], None, None);
        self.push(outline.created, outline.reporter, create);
        let (mut now, mut at) = (SERVICE.initial, outline.created);
        for id in weighted(&mut self.random, PATHS) {
            let Some(transition) = SERVICE.transition(*id) else { return };
            let hours = match (now, transition.to) {
                (status::SUPPORT, _) => 0..=9,
                (status::ESCALATED, _) => 4..=50,
                (status::RESOLVED, _) => 18..=44,
                _ => 1..=30,
            };
            at = after(&mut self.random, at, hours);
            if at >= self.end() {
                return;
            }
            self.serve_step(transition, at);
            now = transition.to;
        }
    }

    fn request_values(&mut self) -> Values {
        let outline = self.outline();
        let request = outline.request.unwrap_or(desk::QUESTION);
        let priority = *self.random.pick(&[1, 2, 3, 3, 3, 3, 4]);
        let mut values = Values::from([
            ("summary".to_owned(), Value::Text(outline.summary.clone())),
            ("issuetype".to_owned(), Value::Ref(outline.kind)),
            ("reporter".to_owned(), Value::Ref(outline.reporter)),
            ("priority".to_owned(), Value::Ref(priority)),
            (custom::REQUEST_TYPE.to_owned(), Value::Ref(request)),
        ]);
        let project = outline.project.id;
        let mut put = |field: &str, value: Value| values.insert(field.to_owned(), value);
        if let Some(component) = outline.project.component(outline.part).filter(|_| self.random.percent(70)) {
            put("components", Value::Refs(vec![component]));
        }
        let shops = options(CUSTOMER_SHOP, project);
        let customer = CUSTOMERS.iter().position(|it| people::id(*it) == outline.reporter);
        let shop = customer.and_then(|at| shops.get(at)).unwrap_or(self.random.pick(&shops));
        if self.random.percent(85) {
            put(CUSTOMER_SHOP, Value::Ref(*shop));
        }
        if self.random.percent(20) {
            let others: Vec<_> = CUSTOMERS.iter().map(|it| people::id(*it)).collect();
            let others = self.random.some(&others, 2);
            put(PARTICIPANTS, Value::Refs(others.into_iter().filter(|it| *it != outline.reporter).collect()));
        }
        if request == desk::BILLING {
            put(REGION, Value::Ref(*self.random.pick(&options(REGION, project))));
        }
        if request == desk::TILL {
            put(PLATFORMS, Value::Refs(self.random.some(&options(PLATFORMS, project), 1)));
        }
        if outline.kind == kind::INCIDENT {
            put(SEVERITY, Value::Ref(*self.random.pick(&options(SEVERITY, project))));
            if self.random.percent(40) {
                let start = outline.created - self.random.within(1..=30) * 20 * MINUTE;
                put(OUTAGE_START, Value::Number((start - start.rem_euclid(MINUTE)) as f64));
            }
            if self.random.percent(25) {
                let page = self.random.within(1..=80);
                put(RUNBOOK, Value::Text(format!("https://wiki.plainwire.example/runbooks/{page}")));
            }
        }
        let labels = self.random.some(outline.stock.labels, 1);
        if self.random.percent(35) {
            put("labels", Value::Texts(labels.into_iter().map(str::to_owned).collect()));
        }
        values
    }

    fn request_text(&mut self) -> Doc {
        let outline = self.outline();
        let mut doc = self.writer.say(&outline.detail, outline.created);
        match self.random.below(6) {
            0 => doc.push(Block::Bullets(items([
                "we have loaded the page again",
                "we have tried another browser",
                "we have asked our colleague",
            ]))),
            1 => doc.push(para("Best regards from the shop")),
            2 => doc.insert(0, para("Hello,")),
            3 => {
                let number = self.random.within(2_040_000..=2_059_999);
                doc.push(para(&format!("Order: **{number}**")));
            }
            _ => {}
        }
        doc
    }

    fn serve_step(&mut self, transition: &'static Transition, at: i64) {
        let outline = self.outline();
        let agent = match self.assignee {
            Some(agent) => agent,
            None => {
                let agent = people::id(*self.random.pick(&AGENTS));
                let when = (at - self.random.within(2..=50) * MINUTE).max(outline.created + 20_000);
                self.push(when, agent, Act::Set(vec![set("assignee", Value::Ref(agent))]));
                self.assignee = Some(agent);
                agent
            }
        };
        if self.random.percent(30) {
            let text = self.writer.fresh(stock::INTERNAL).unwrap_or("Still waiting.");
            let body = self.writer.say(text, at);
            let author = if self.random.percent(60) { agent } else { people::id(*self.random.pick(&AGENTS)) };
            let act = Act::Comment { body, is_internal: true, visibility: None, edited: None };
            let just_before = at - self.random.within(5..=60) * 1_000;
            self.push(just_before, author, act);
        }
        let is_customers = transition.from == Some(status::CUSTOMER) && transition.to == status::SUPPORT;
        let author = if is_customers { outline.reporter } else { agent };
        let text = match transition.to {
            status::CUSTOMER => self.apt(stock::ANSWERS),
            status::SUPPORT if transition.from == Some(status::ESCALATED) => None,
            status::SUPPORT => self.writer.fresh(stock::REPLIES),
            status::RESOLVED => self.apt(stock::FAREWELLS),
            _ => None,
        };
        if let Some(text) = text {
            let body = if author == outline.reporter {
                self.writer.say(text, at)
            } else {
                let is_customer = CUSTOMERS.iter().any(|it| people::id(*it) == outline.reporter);
                let greeting = if is_customer { *self.random.pick(stock::GREETINGS) } else { "Hello," };
                self.writer.answer(greeting, text, at)
            };
            self.push(at - 2_000, author, comment(body));
        }
        let mut changes = vec![set("status", Value::Ref(transition.to))];
        match transition.sets {
            Some(0) => changes.push(clear("resolution")),
            Some(default) => {
                let chosen = if self.random.percent(12) { resolution::CANNOT_REPRODUCE } else { default };
                changes.push(set("resolution", Value::Ref(chosen)));
            }
            None => {}
        }
        let author = if transition.to == status::SUPPORT && transition.sets.is_some() {
            outline.reporter
        } else {
            author
        };
        self.push(at, author, Act::Set(changes));
        self.steps.push((at, transition));
        self.fate = Fate { done: is_done(transition.to).then_some(at), is_declined: false };
        if self.random.percent(8) && transition.to == status::ESCALATED {
            let later = soon(&mut self.random, at + HOUR);
            self.push(later, agent, Act::Set(vec![set("priority", Value::Ref(1))]));
        }
    }

    /// Returns a sentence for the type of the request that was not used in it yet.
    fn apt(&mut self, all: &[(&[i64], &'static str)]) -> Option<&'static str> {
        let request = self.outline().request.unwrap_or(desk::QUESTION);
        let fits = |kinds: &[i64]| kinds.is_empty() || kinds.contains(&request);
        let own: Vec<_> = all.iter().filter(|it| it.0.contains(&request)).map(|it| it.1).collect();
        let any: Vec<_> = all.iter().filter(|it| fits(it.0)).map(|it| it.1).collect();
        // What is about the matter comes first.
        let first = if self.random.percent(75) { self.writer.fresh(&own) } else { None };
        first.or_else(|| self.writer.fresh(&any))
    }
}

const PATHS: Paths = &[
    (8, &[451]),
    (10, &[451, 471]),
    (8, &[411, 452]),
    (12, &[411, 452, 471]),
    (8, &[411, 421, 451]),
    (18, &[411, 421, 451, 471]),
    (9, &[411, 421, 411, 421, 411, 452, 471]),
    (9, &[431, 441, 411, 452, 471]),
    (4, &[431]),
    (5, &[451, 461, 411, 452, 471]),
    (5, &[481]),
    (7, &[411]),
    (3, &[411, 421]),
    (5, &[]),
];
