//! A small company in a new site: its people, its projects, and eighteen months of their work.
//!
//! In: an empty site, a number from which the data follow, and the day that counts as today. Out: rows. Issues come to be and change by
//! the operations of [`crate::issue`], each at its time, so that their history is what they would have left. Nothing happens after the
//! beginning of today, and no clock is read.

use jiff::civil::Date;

mod birth;
mod boards;
mod calendar;
mod desk;
mod edits;
mod event;
mod fields;
mod files;
mod life;
mod outline;
mod people;
mod projects;
mod random;
mod rich;
mod scheme;
mod screens;
mod serving;
mod showcase;
mod stage;
mod stock;
mod thread;
mod ties;
mod writing;

pub use people::{Account, accounts};

use self::calendar::Calendar;
use self::random::Random;
use crate::fault::Result;
use crate::store::Store;
use crate::work::Work;

/// The e-mail address of the demo user. The user name and the password are `demo`, the token is `demo-token`.
pub const DEMO_EMAIL: &str = "demo@plainwire.example";

/// Fills an empty site in one transaction. The same seed and day give the same site, byte for byte. `progress` is told what part of the
/// events is done: how many, of how many.
///
/// # Errors
/// Those of SQLite; one of them if the site is not empty.
pub fn fill(store: &Store, seed: u64, today: Date, progress: &mut dyn FnMut(usize, usize)) -> Result<()> {
    let calendar = Calendar::before(today);
    store.run(calendar.end, |work| {
        let sprints = boards::sprints(&calendar);
        people::add(work)?;
        scheme::add(work)?;
        projects::add(work, &calendar)?;
        fields::add(work)?;
        screens::add(work)?;
        boards::add(work, &calendar, &sprints)?;
        desk::add(work)?;
        properties(work)?;
        let mut random = Random::new(seed);
        let outlines = outline::all(&mut random, &calendar);
        let setting = life::Setting {
            calendar: &calendar,
            deployment: work.deployment,
            outlines: &outlines,
            sprints: &sprints,
        };
        let (mut events, fates) = life::all(setting, &mut random);
        events.extend(ties::all(setting, &fates, &mut random));
        stage::perform(work, &outlines, events, random, progress)
    })
}

/// Adds properties of projects, boards and sprints.
fn properties(work: &Work<'_>) -> Result<()> {
    let rows = [
        ("project", projects::SHOP, "chat.channel", r##"{"name":"#storefront","notify":true}"##),
        (
            "project",
            projects::HELP,
            "opening.hours",
            r#"{"from":"08:00","to":"18:00","zone":"Europe/Vienna"}"#,
        ),
        ("board", 1, "wall.colour", r#""green""#),
        ("sprint", 1, "retrospective", r#"{"good":["pairing"],"bad":["three releases in one week"]}"#),
    ];
    for row in rows {
        work.run("INSERT INTO property (kind, entity_id, key, value) VALUES (?1, ?2, ?3, ?4)", row)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
