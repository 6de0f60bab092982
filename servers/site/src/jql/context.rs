//! What a query is compiled with: the person, their projects, the fields and the time.
//!
//! In: a work and a person. Out: a [`Context`] for one compilation, which also counts what it costs.

use jiff::tz::TimeZone;

use super::MAX_TERMS;
use super::date::Clock;
use crate::fault::{Fault, Result};
use crate::field::{self, Field};
use crate::permission;
use crate::work::Work;

/// What a query is compiled with.
pub(super) struct Context<'a> {
    pub(super) work: Work<'a>,
    pub(super) person: i64,
    pub(super) clock: Clock,
    pub(super) fields: Vec<Field>,
    /// The projects that the person may see.
    pub(super) projects: Vec<i64>,
    /// The filters that are being compiled, each inside of the one before it.
    pub(super) filters: Vec<i64>,
    terms: usize,
}

impl<'a> Context<'a> {
    pub(super) fn new(work: &Work<'a>, person: i64) -> Result<Self> {
        let sql = "SELECT time_zone FROM person WHERE id = ?1";
        let zone: Option<String> = work.one(sql, [person], |row| row.get(0))?;
        let zone = zone.and_then(|it| TimeZone::get(&it).ok()).unwrap_or(TimeZone::UTC);
        Ok(Self {
            work: *work,
            person,
            clock: Clock { zone, now: work.now },
            fields: field::all(work)?,
            projects: permission::visible_projects(work, person)?,
            filters: Vec::new(),
            terms: 0,
        })
    }

    /// Counts a condition. Those of filters that a query names count too.
    pub(super) fn count_term(&mut self) -> Result<()> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            let sentence = format!("The query is too complex. It can have at most {MAX_TERMS} clauses.");
            return Err(Fault::bad(sentence));
        }
        Ok(())
    }
}
