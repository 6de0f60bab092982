//! What a text only points at: who somebody is, where a page is, which file a picture shows.
//!
//! In: a document, and somebody who knows. Out: the document with what the format it is to be written in needs: names of people, addresses
//! of pages, ids of files. Nothing here asks a server: [`Document::references`] tells what there is to ask, and a [`Resolver`] answers from
//! what it knows by then.

mod resolve;
mod table;

pub(crate) use resolve::{identify, renamed};
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::format::Format;

/// Somebody. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct User {
    /// The Atlassian account id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// The key on a server of one's own (`ri:userkey`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_key: Option<String>,
    /// The name to log in with, on a server of one's own (`ri:username`, `[~jdoe]`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// What people call them, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A page. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Page {
    /// The key of its space; where a text names none, the space the text is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its address in a browser, without `#` and what follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// An attached file. What is not known is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Attachment {
    /// The file's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The page it is attached to, if that is another one than the text's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// Its id in Atlassian's media services, a UUID; not the id of the attachment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_id: Option<String>,
    /// The collection of the media services: `contentId-123`, or nothing in Jira.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// Where it can be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Somebody who knows what a text points at.
///
/// Each question has the fields the text says; the answer has them all, as far as they are known. `None` leaves the text as it is. Who
/// has to ask a server does so before, for all of [`Document::references`] at once, and answers from [`Names`].
pub trait Resolver {
    /// Who this is.
    fn user(&self, asked: &User) -> Option<User> {
        let _ = asked;
        None
    }

    /// Which page this is.
    fn page(&self, asked: &Page) -> Option<Page> {
        let _ = asked;
        None
    }

    /// Which file this is.
    fn attachment(&self, asked: &Attachment) -> Option<Attachment> {
        let _ = asked;
        None
    }
}

/// People, pages and files: what a text refers to, and, filled in, a [`Resolver`].
///
/// As a resolver it answers with the only entry that contradicts nothing that is asked and has one of its fields. If two entries fit, it
/// knows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Names {
    /// Of mentions.
    pub users: Vec<User>,
    /// Of links and cards.
    pub pages: Vec<Page>,
    /// Of pictures, files and links.
    pub attachments: Vec<Attachment>,
}

impl Document<'_> {
    /// Whom and what it refers to, each once, in the order of the text: mentions, links and cards to pages, pictures and files. Any web
    /// address of a link or a card may be a page.
    #[must_use]
    pub fn references(&self) -> Names {
        resolve::references(&self.blocks)
    }

    /// Fills in what `to` needs and this document does not say:
    ///
    /// | For | What |
    /// |---|---|
    /// | all | the name of a mention that has none; the account id of one that has only a name |
    /// | ADF, storage format, wiki markup | the account id of a mention that has only a login name or key |
    /// | ADF | addresses of pages and files that links and cards name; media ids of pictures that name a file |
    /// | storage format, wiki markup | titles of pages that links and cards lead to; names of files of which only the media id is known |
    /// | Markdown to read ([`Flavor::Plain`](crate::Flavor)) | titles of pages that cards show; names of files |
    ///
    /// Names and ids that are there are left alone, even if `resolver` says otherwise. The source, and with it what a
    /// [`Sidecar`](crate::Sidecar) or a [`Section`](crate::Section) brings back, is not touched.
    pub fn resolve(&mut self, resolver: &dyn Resolver, to: Format) {
        resolve::resolve(&mut self.blocks, resolver, to);
    }
}
