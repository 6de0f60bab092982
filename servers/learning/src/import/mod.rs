//! Reading what other programs have saved: bookmarks, OPML, and the export of a vault.
//!
//! In: a text. Out: resources that are checked, and how many entries were none. [`crate::vault`] adds all of them or none.

use plainwire::prelude::*;

mod netscape;
mod opml;
pub(crate) mod own;

use crate::infer::{self, Known};
use crate::resource::{MAX_TAGS, Resource};

/// The largest file, in bytes.
pub const MAX_FILE: usize = 64 << 20;

/// The largest number of tags that an entry gets from its folders.
const MAX_FOLDERS: usize = 5;

/// The form of a file.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ImportForm {
    /// A Netscape bookmark file, which all browsers write.
    Bookmarks,
    /// OPML, which readers of feeds write.
    Opml,
    /// The JSON that `export_results` writes.
    Vault,
}

/// The entries of a file.
#[derive(Debug, Default)]
pub struct Entries {
    /// The entries that are resources.
    pub resources: Vec<Resource>,
    /// The number of entries that have no address of a page, such as `javascript:`.
    pub skipped: usize,
}

/// A text that is not what it should be, with a sentence that says where.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

/// An entry of a file of another program.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    url: String,
    description: String,
    tags: Vec<String>,
    /// The innermost folders in which it is, from inside.
    folders: Vec<String>,
    /// Seconds since 1970.
    added: Option<i64>,
}

/// Reads a text in a form, or in the form that it looks like.
///
/// # Errors
/// A text in no form, or with a mistake.
pub fn read(text: &str, form: Option<ImportForm>) -> Result<Entries, Unreadable> {
    let text = text.trim_start_matches('\u{feff}');
    let Some(form) = form.or_else(|| recognise(text)) else {
        return Err(Unreadable(
            "expected a bookmark file (`<!DOCTYPE NETSCAPE-Bookmark-file-1>`), OPML (`<opml>`) or an export of this server \
             (`{\"schema\": \"learning:v1\"`), but found none of them"
                .to_owned(),
        ));
    };
    let entries = match form {
        ImportForm::Bookmarks => netscape::read(text),
        ImportForm::Opml => opml::read(text)?,
        ImportForm::Vault => return own::read(text),
    };
    match entries.resources.len() + entries.skipped {
        0 => Err(Unreadable("expected entries with addresses, but found none".to_owned())),
        _ => Ok(entries),
    }
}

fn recognise(text: &str) -> Option<ImportForm> {
    let start: String = text.trim_start().chars().take(2_000).collect::<String>().to_ascii_lowercase();
    match () {
        () if start.starts_with('{') => Some(ImportForm::Vault),
        () if start.contains("netscape-bookmark-file") || start.starts_with("<dl") => {
            Some(ImportForm::Bookmarks)
        }
        () if start.contains("<opml") => Some(ImportForm::Opml),
        () => None,
    }
}

impl Entries {
    /// Adds an entry, if it has the address of a page. What it does not say is inferred.
    fn push(&mut self, it: Entry) {
        let known = Known {
            title: it.title,
            description: it.description,
            labels: it.tags.into_iter().chain(it.folders).take(MAX_TAGS).collect(),
            ..Known::default()
        };
        let mut resource = infer::resource(&it.url, known);
        resource.added_at =
            it.added.and_then(|it| jiff::Timestamp::from_second(it).ok()).map(|it| it.to_string());
        match resource.check() {
            Ok(()) => self.resources.push(resource),
            Err(_) => self.skipped += 1,
        }
    }
}
