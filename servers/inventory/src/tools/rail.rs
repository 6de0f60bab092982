//! The way of each change: a preview, which writes nothing, and an apply, which does what the preview showed.
//!
//! In: the arguments of a call, and the function that makes the change. Out: a [`Change`]. No preview is kept: a token that the
//! caller may return says what it was asked and what it showed, so an apply that differs is refused with what differs.

use std::sync::Arc;

use plainwire::prelude::*;
use plainwire_sqlite::digest;
use rusqlite::{OptionalExtension as _, params};

use crate::fault::Fault;
use crate::kinds::{Change, FieldChange};
use crate::resources;
use crate::store::Store;
use crate::work::Work;

/// The largest number of calls whose keys are kept.
const MAX_KEYS: i64 = 10_000;

/// The largest number of bytes that are kept of them: 64 MiB.
const MAX_KEPT: i64 = 64 * 1024 * 1024;

/// The largest number of characters of an idempotency key.
const MAX_KEY: usize = 200;

/// The largest number of changes of a preview that its token has one by one.
const MAX_TOLD: usize = 40;

/// The members of arguments that are about the call, not about the change.
const OF_CALL: [&str; 3] = ["preview", "preview_token", "idempotency_key"];

/// What arguments say about the call.
pub(crate) struct Rail {
    pub(crate) preview: bool,
    pub(crate) preview_token: Option<String>,
    pub(crate) idempotency_key: Option<String>,
}

/// Arguments of a tool that changes something.
pub(crate) trait Writes {
    fn rail(&self) -> Rail;
}

/// Defines the arguments of a tool that changes something: those of the change, and those of the call.
macro_rules! writes {
    ($(#[$meta:meta])* struct $name:ident { $($fields:tt)* }) => {
        $(#[$meta])*
        #[plainwire::prelude::data]
        #[derive(Clone)]
        pub(crate) struct $name {
            $($fields)*
            /// Whether only to show what would change.
            #[default(true)]
            preview: bool,
            /// From the preview, to apply exactly that.
            preview_token: Option<String>,
            /// A text of your own: a repeated apply with it changes nothing.
            idempotency_key: Option<String>,
        }

        impl crate::tools::rail::Writes for $name {
            fn rail(&self) -> crate::tools::rail::Rail {
                crate::tools::rail::Rail {
                    preview: self.preview,
                    preview_token: self.preview_token.clone(),
                    idempotency_key: self.idempotency_key.clone(),
                }
            }
        }
    };
}

pub(crate) use writes;

/// Makes a change, or shows what it would be.
pub(crate) async fn write<A: Writes + Serialize + Send + 'static>(
    tool: &'static str,
    store: &Arc<Store>,
    context: &Context,
    arguments: A,
    operation: impl FnOnce(&mut Work<'_>, &A) -> Result<(), Fault> + Send + 'static,
) -> Result<Change, ToolError> {
    let rail = arguments.rail();
    if let Some(key) = &rail.idempotency_key
        && !(1..=MAX_KEY).contains(&key.chars().count())
    {
        let found = key.chars().count();
        return Err(ToolError::invalid_input(format!(
            "expected `idempotency_key` with 1 to {MAX_KEY} characters, but found {found}"
        )));
    }
    let given = of_change(&json!(arguments));
    let is_applied = !rail.preview;
    let outcome = store.change(is_applied, move |work| {
        let call = Call { tool, given, rail };
        call.run(work, |work| operation(work, &arguments))
    });
    let outcome = outcome.await?;
    if !outcome.is_preview {
        resources::notify(context, &outcome.touched);
    }
    Ok(outcome.change)
}

/// Returns the arguments of the change, in the order of their names.
fn of_change(arguments: &Value) -> Vec<(String, Value)> {
    let members = arguments.as_object().into_iter().flatten();
    let members = members.filter(|(name, _)| !OF_CALL.contains(&name.as_str()));
    let mut members: Vec<_> = members.map(|(name, value)| (name.clone(), value.clone())).collect();
    members.sort_by(|a, b| a.0.cmp(&b.0));
    members
}

struct Call {
    tool: &'static str,
    given: Vec<(String, Value)>,
    rail: Rail,
}

impl Call {
    fn run(
        self,
        work: &mut Work<'_>,
        operation: impl FnOnce(&mut Work<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.rail.preview {
            operation(work)?;
            if !work.is_blocked() {
                let token = Token::new(&self, work.changes()).text();
                work.token(token);
            }
            return Ok(());
        }
        if let Some(key) = &self.rail.idempotency_key
            && let Some(earlier) = self.earlier(work, key)?
        {
            work.repeat(earlier);
            return Ok(());
        }
        let token = self.rail.preview_token.as_deref().map(|text| self.token(work, text)).transpose()?;
        operation(work)?;
        if work.is_blocked() {
            return Ok(());
        }
        if let Some(token) = &token {
            token.same_changes(work.changes())?;
        }
        if let Some(key) = &self.rail.idempotency_key {
            let result = json!(work.applied()).to_string();
            self.keep(work, &of_caller(key), &result)?;
        }
        // That a preview was applied is all that is kept of it.
        token.map_or(Ok(()), |it| self.keep(work, &it.key(), ""))
    }

    /// Returns the outcome of the call that had the key, if this one is the same.
    fn earlier(&self, work: &Work<'_>, key: &str) -> Result<Option<Change>, Fault> {
        let mut statement =
            work.db.prepare_cached("SELECT tool, arguments, result FROM request WHERE key = ?1")?;
        let found: Option<(String, String, String)> = statement
            .query_row([of_caller(key)], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((tool, arguments, result)) = found else { return Ok(None) };
        if tool != self.tool {
            return Err(Fault::conflict(format!(
                "expected a new `idempotency_key`, but {key:?} belongs to a call of {tool}"
            )));
        }
        let earlier: Vec<(String, u64)> = serde_json::from_str(&arguments).unwrap_or_default();
        let differs = self.hashes().into_iter().filter(|it| !earlier.contains(it));
        let differs: Vec<_> = differs.map(|it| format!("`{}`", it.0)).collect();
        if !differs.is_empty() || earlier.len() != self.given.len() {
            return Err(Fault::conflict(format!(
                "expected the arguments that `idempotency_key` {key:?} was used with, but {} differ",
                differs.join(", ")
            )));
        }
        let mut change: Change = serde_json::from_str(&result)
            .map_err(|_| Fault::conflict(format!("the result of {key:?} can't be read any more")))?;
        change.warnings.push(format!("the call with the idempotency key {key:?} was applied before"));
        Ok(Some(change))
    }

    /// Reads the token of a preview, and compares what it was asked with this call.
    fn token(&self, work: &Work<'_>, text: &str) -> Result<Token, Fault> {
        let wrong =
            || Fault::input("expected the `preview_token` of a preview of this tool, but found another text");
        let token = Token::read(text).ok_or_else(wrong)?;
        let asked = Token::new(self, &[]);
        if token.arguments.len() != asked.arguments.len() || token.tool != asked.tool {
            return Err(wrong());
        }
        let pairs = self.given.iter().zip(token.arguments.iter().zip(&asked.arguments));
        let differs: Vec<_> =
            pairs.filter(|(_, (a, b))| a != b).map(|((name, _), _)| format!("`{name}`")).collect();
        if !differs.is_empty() {
            return Err(Fault::conflict(format!(
                "expected the arguments of the preview, but {} differ: preview again",
                differs.join(", ")
            )));
        }
        let mut statement = work.db.prepare_cached("SELECT 1 FROM request WHERE key = ?1")?;
        if statement.exists([token.key()])? {
            return Err(Fault::conflict(
                "expected the `preview_token` of a preview that was not applied yet: preview again",
            ));
        }
        Ok(token)
    }

    /// The hash of each argument: enough to tell which differ.
    fn hashes(&self) -> Vec<(String, u64)> {
        self.given.iter().map(|(name, value)| (name.clone(), hash(value))).collect()
    }

    fn keep(&self, work: &Work<'_>, key: &str, result: &str) -> Result<(), Fault> {
        let arguments = json!(self.hashes()).to_string();
        let bytes = i64::try_from(key.len() + arguments.len() + result.len()).unwrap_or(i64::MAX);
        let last = "SELECT position + bytes FROM request ORDER BY row DESC LIMIT 1";
        let position: Option<i64> =
            work.db.prepare_cached(last)?.query_row([], |row| row.get(0)).optional()?;
        let position = position.unwrap_or_default();
        work.db
            .prepare_cached(
                "INSERT INTO request (key, tool, arguments, result, position, bytes)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![key, self.tool, arguments, result, position, bytes])?;
        let last = work.db.last_insert_rowid();
        work.db
            .prepare_cached("DELETE FROM request WHERE row <= ?1 OR position < ?2")?
            .execute([last - MAX_KEYS, position + bytes - MAX_KEPT])?;
        Ok(())
    }
}

/// The key of a call that its caller has chosen.
fn of_caller(key: &str) -> String {
    format!("key:{key}")
}

/// What a preview was asked, and what it showed, as hashes: they find mistakes, and keep nothing secret.
struct Token {
    nonce: u32,
    tool: u16,
    /// Of each argument, in the order of the names.
    arguments: Vec<u16>,
    /// Of all changes.
    all: u32,
    /// Of each change, unless there are many.
    each: Vec<u8>,
}

fn hash(value: &Value) -> u64 {
    let hash = digest(0, value.to_string().as_bytes());
    hash ^ (hash >> 32) ^ (hash >> 16)
}

fn of(change: &FieldChange) -> u64 {
    hash(&json!([change.field, change.old, change.new]))
}

impl Token {
    fn new(call: &Call, changes: &[FieldChange]) -> Self {
        let each: Vec<u64> = changes.iter().map(of).collect();
        Self {
            nonce: fresh(),
            tool: hash(&json!(call.tool)) as u16,
            arguments: call.given.iter().map(|(_, value)| hash(value) as u16).collect(),
            all: hash(&json!(each)) as u32,
            each: if each.len() > MAX_TOLD { Vec::new() } else { each.iter().map(|it| *it as u8).collect() },
        }
    }

    fn text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = format!("{:08x}{:04x}{:02x}", self.nonce, self.tool, self.arguments.len());
        for it in &self.arguments {
            let _ = write!(text, "{it:04x}");
        }
        let _ = write!(text, "{:08x}", self.all);
        for it in &self.each {
            let _ = write!(text, "{it:02x}");
        }
        text
    }

    fn read(text: &str) -> Option<Self> {
        let mut at = 0;
        let mut next = |digits: usize| {
            let part = text.get(at..at + digits)?;
            at += digits;
            u32::from_str_radix(part, 16).ok()
        };
        let (nonce, tool, count) = (next(8)?, next(4)?, next(2)?);
        let arguments = (0..count).map(|_| next(4).map(|it| it as u16)).collect::<Option<_>>()?;
        let all = next(8)?;
        let each = std::iter::from_fn(|| next(2).map(|it| it as u8)).take(MAX_TOLD).collect();
        Some(Self { nonce, tool: tool as u16, arguments, all, each })
    }

    /// The key under which its apply is kept: of the preview alone, so that an altered token is no other one.
    fn key(&self) -> String {
        format!("preview:{:08x}", self.nonce)
    }

    /// Refuses changes that are not those of the preview.
    fn same_changes(&self, changes: &[FieldChange]) -> Result<(), Fault> {
        let each: Vec<u64> = changes.iter().map(of).collect();
        if hash(&json!(each)) as u32 == self.all {
            return Ok(());
        }
        let differs = changes.iter().zip(&each).enumerate();
        let differs = differs.filter(|(n, (_, hash))| self.each.get(*n).is_none_or(|it| *it != **hash as u8));
        let told =
            differs.take(5).map(|(_, (it, _))| format!("`{}` from {} to {}", it.field, it.old, it.new));
        let told: Vec<_> = told.collect();
        Err(Fault::conflict(format!(
            "since the preview, something changed: it would now change {}. Preview again",
            if told.is_empty() { "less".to_owned() } else { told.join(", ") }
        )))
    }
}

/// Returns a number that no other preview has.
fn fresh() -> u32 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |it| it.as_nanos());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let seed = format!("{now} {count} {}", std::process::id());
    let hash = digest(0, seed.as_bytes());
    (hash ^ (hash >> 32)) as u32
}
