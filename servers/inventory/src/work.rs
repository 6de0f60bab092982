//! A change while it is made: the connection, the time, and a record of what happens.
//!
//! In: calls of the functions that change something. Out: an [`Outcome`] that says what was changed, or would be. Trying a change
//! out is making it and taking it back: so a preview shows what an apply does.

use std::collections::BTreeSet;

use plainwire::prelude::*;
use rusqlite::Connection;

use crate::amount::Amount;
use crate::fault::Fault;
use crate::kinds::{Action, Change, FieldChange, State};
use crate::time::Time;

/// The beginning of a warning that forbids a change.
pub const BLOCK: &str = "BLOCK: ";

/// A change that is being made.
pub struct Work<'a> {
    /// The file, in a transaction.
    pub db: &'a Connection,
    /// The time of the change.
    pub now: Time,
    /// Whether the states before and after are left out of the record: for many changes at once.
    pub(crate) is_silent: bool,
    change: Change,
    /// What the apply of a change with an id of its own returns; made last.
    state: Option<State>,
    touched: BTreeSet<i64>,
    repeated: Option<Change>,
    /// What can't be told, such as an amount of too many digits.
    untold: Option<String>,
}

/// A change that was made, or tried out.
#[derive(Debug)]
pub struct Outcome {
    /// Whether nothing was written.
    pub is_preview: bool,
    pub change: Change,
    /// The orders that the change concerns.
    pub touched: BTreeSet<i64>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(db: &'a Connection, now: Time) -> Self {
        Self {
            db,
            now,
            is_silent: false,
            change: Change::default(),
            state: None,
            touched: BTreeSet::new(),
            repeated: None,
            untold: None,
        }
    }

    /// Says what is changed: the type of the entity, its id unless it is new, and the name of the operation.
    pub(crate) fn begin(&mut self, entity_type: &str, id: Option<i64>, operation: &str) {
        self.change.entity_type = entity_type.to_owned();
        self.change.entity_id = id;
        self.change.operation = operation.to_owned();
    }

    /// Sets the id that a new entity has got.
    pub(crate) fn created(&mut self, id: i64) {
        self.change.entity_id = Some(id);
    }

    /// Forbids the change: it can be tried out, to see all that forbids it, but not made.
    pub(crate) fn block(&mut self, why: impl std::fmt::Display) {
        self.warn(format!("{BLOCK}{why}"));
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.change.warnings.contains(&warning) {
            self.change.warnings.push(warning);
        }
    }

    /// Suggests what to do next.
    pub(crate) fn next(&mut self, action: impl Into<String>) {
        self.change.next_actions.push(action.into());
    }

    /// Returns whether something forbids the change.
    pub(crate) fn is_blocked(&self) -> bool {
        self.change.warnings.iter().any(|it| it.starts_with(BLOCK))
    }

    /// Records the change of a field. `old` is null for what is new, and `new` for what is removed.
    pub(crate) fn changed(&mut self, field: impl Into<String>, old: impl Serialize, new: impl Serialize) {
        let (old, new) = (self.told(old), self.told(new));
        let is_added = old.is_null() && !new.is_null();
        let change = FieldChange { field: field.into(), is_unchanged: old == new, is_added, old, new };
        if let Some(action) = self.change.actions.last_mut().filter(|it| !it.succeeded) {
            action.changes.push(change.clone());
        }
        self.change.changes.push(change);
    }

    /// Returns a value as it is told: the time of the change is `now`, so that a preview and its apply say the same.
    fn told(&mut self, value: impl Serialize) -> Value {
        match serde_json::to_value(value) {
            Ok(Value::String(text)) if text == self.now.to_string() => json!("now"),
            Ok(value) => value,
            Err(error) => {
                self.untold.get_or_insert_with(|| error.to_string());
                Value::Null
            }
        }
    }

    /// Records that an order is concerned.
    pub(crate) fn touch(&mut self, order: i64) {
        self.touched.insert(order);
    }

    /// Does one step of a change. If it is blocked, those after it are not done.
    pub(crate) fn action(
        &mut self,
        operation: &str,
        target_id: Option<i64>,
        step: impl FnOnce(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.is_blocked() {
            return Ok(());
        }
        let operation = operation.to_owned();
        self.change.actions.push(Action { operation, target_id, ..Action::default() });
        step(self)?;
        let blocks: Vec<String> =
            self.change.warnings.iter().filter_map(|it| it.strip_prefix(BLOCK)).map(str::to_owned).collect();
        if let Some(action) = self.change.actions.last_mut() {
            action.succeeded = blocks.is_empty();
            action.error = Some(blocks.join("; ")).filter(|it| !it.is_empty());
        }
        Ok(())
    }

    /// Records the change of the total of an order, if it has one.
    pub(crate) fn total(&mut self, total: Option<Amount>) {
        let before = match &self.change.prior_state {
            Some(State::Order(order)) => order.total,
            _ => None,
        };
        if total != before {
            self.changed("total", before, total);
        }
    }

    /// Sets the state before the change, from which a person can restore it.
    pub(crate) fn prior(&mut self, state: impl Into<State>) {
        self.change.prior_state = Some(state.into()).filter(|_| !self.is_silent);
    }

    /// Sets the state after the change.
    pub(crate) fn state(&mut self, state: impl Into<State>) {
        self.state = Some(state.into());
    }

    /// Returns the changes so far.
    pub(crate) fn changes(&self) -> &[FieldChange] {
        &self.change.changes
    }

    /// Sets the token by which an apply names its preview.
    pub(crate) fn token(&mut self, token: String) {
        self.change.preview_token = Some(token);
    }

    /// Answers with the outcome of an earlier call, which was the same.
    pub(crate) fn repeat(&mut self, earlier: Change) {
        self.repeated = Some(earlier);
    }

    /// Returns the change as it is told once it is applied.
    pub(crate) fn applied(&self) -> Change {
        Change { state: self.state.clone(), message: self.done(), ..self.change.clone() }
    }

    fn done(&self) -> String {
        format!("done: {} of {}", self.change.operation, self.change.entity_type)
    }

    pub(crate) fn outcome(mut self, done: Result<(), Fault>, is_applied: bool) -> Result<Outcome, Fault> {
        done?;
        // What can't be told is not done.
        let untold = self.untold.take().or_else(|| {
            let states = (&self.state, &self.change.prior_state);
            serde_json::to_writer(std::io::sink(), &states).err().map(|error| error.to_string())
        });
        if let Some(why) = untold {
            return Err(Fault::input(why));
        }
        if let Some(change) = self.repeated {
            return Ok(Outcome { is_preview: false, change, touched: BTreeSet::new() });
        }
        let is_blocked = self.is_blocked();
        if is_applied && !is_blocked {
            let message = self.done();
            let change = Change { state: self.state, message, ..self.change };
            return Ok(Outcome { is_preview: false, change, touched: self.touched });
        }
        let change = &mut self.change;
        change.is_preview = true;
        // New things have no id before they are made.
        change.entity_id = change.entity_id.filter(|_| change.prior_state.is_some());
        let what = format!("{} of {}", change.operation, change.entity_type);
        change.message = match (is_blocked, is_applied) {
            (true, true) => format!("refused, nothing was changed: {what}"),
            (true, false) => format!("preview, would be refused: {what}"),
            (false, _) => format!("preview, nothing was changed: {what}"),
        };
        if !is_blocked {
            change.next_actions =
                vec!["call again with preview=false and the preview_token, to apply this".to_owned()];
        }
        Ok(Outcome { is_preview: true, change: self.change, touched: self.touched })
    }
}
