//! Users, pages and files that a text refers to, and their names, addresses and ids.
//!
//! In: a document and a [`Resolver`]. Out: the document with the data that the target format needs: names of
//! users, addresses of pages, ids of files. Nothing here sends a request to a server:
//! [`Document::references`] lists what to look up, and the resolver answers from what it knows by then.

mod resolve;
mod table;

pub(crate) use resolve::{identify, newly_named, renamed};
use serde::{Deserialize, Serialize};

use crate::document::Document;
use crate::format::Format;

/// A user. Facts that are not known are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct User {
    /// The Atlassian account id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// The user key on a self-hosted server (`ri:userkey`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_key: Option<String>,
    /// The login name on a self-hosted server (`ri:username`, `[~jdoe]`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The display name, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A page. Facts that are not known are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Page {
    /// The key of the page's space; `None` if it is unknown. A link without a space leads to a page in the
    /// space of the page that contains the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The page's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The address in a browser, without `#` and the anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// An attached file. Facts that are not known are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Attachment {
    /// The name of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The page that the file is attached to. `None`: the page that contains the text, or, for a file with a
    /// media id, an unknown page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// The id in Atlassian's media services, a UUID; not the id of the attachment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_id: Option<String>,
    /// The name of the collection in the media services that contains the file, such as `contentId-123`;
    /// `None` in Jira.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The address from which the file can be downloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Looks up users, pages and files.
///
/// The argument of a method has the fields that the text states; the result has all known fields. `None`
/// leaves the text as it is. An implementation that needs a server sends its requests beforehand, for all of
/// [`Document::references`] at once, and then answers from [`Names`].
pub trait Resolver {
    /// Returns the user that `asked` describes, with all known fields; `None` if it is unknown. The default
    /// implementation knows no users.
    fn user(&self, asked: &User) -> Option<User> {
        let _ = asked;
        None
    }

    /// Returns the page that `asked` describes, with all known fields; `None` if it is unknown. The default
    /// implementation knows no pages.
    fn page(&self, asked: &Page) -> Option<Page> {
        let _ = asked;
        None
    }

    /// Returns the file that `asked` describes, with all known fields; `None` if it is unknown. The default
    /// implementation knows no files.
    fn attachment(&self, asked: &Attachment) -> Option<Attachment> {
        let _ = asked;
        None
    }
}

/// The users, pages and files that a text refers to. Once their fields are filled in, this is a [`Resolver`].
///
/// As a resolver it returns the only entry that agrees with the argument in at least one of these fields and
/// differs in none of them: account id, user key and login name of a user (the display name only if the
/// argument has none of the three); title and address of a page; name and media id of a file. If argument and
/// entry both have the space of a page, the spaces must be equal; an argument with neither title nor address
/// finds an entry without a title in its space. The page that a file is attached to must match in the same
/// way; if only the argument or only the entry has this page, the argument needs a media id. If two different
/// entries match, the result is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Names {
    /// Users in mentions.
    pub users: Vec<User>,
    /// Pages in links and cards.
    pub pages: Vec<Page>,
    /// Files in pictures, media and links.
    pub attachments: Vec<Attachment>,
}

impl Document<'_> {
    /// Returns the users, pages and files that this document refers to, each once, in the order of the text:
    /// in mentions, links, cards, pictures and media. Every web address of a link or card is listed as a
    /// page, because it may be one.
    #[must_use]
    pub fn references(&self) -> Names {
        resolve::references(&self.blocks)
    }

    /// Fills in data that the target format `to` needs and this document lacks:
    ///
    /// | Target format | Data |
    /// |---|---|
    /// | all formats | name of a mention without one; id of a mention with only a name |
    /// | ADF, storage format, wiki markup | account id of a mention with only a login name or key |
    /// | ADF | addresses of pages and files in links and cards; media ids of pictures that name a file |
    /// | storage format, wiki markup | page titles in links and cards; names of files with only a media id |
    /// | Markdown for reading ([`Flavor::Plain`](crate::Flavor)) | page titles in inline cards; file names |
    ///
    /// Existing display names, account ids and media ids are not replaced by others that `resolver` has; only
    /// a file name replaces a media id. The source stays unchanged, and so does everything that a
    /// [`Sidecar`](crate::Sidecar) or a [`Section`](crate::Section) restores from it.
    pub fn resolve(&mut self, resolver: &dyn Resolver, to: Format) {
        resolve::resolve(&mut self.blocks, resolver, to);
    }
}
