//! Collects the users, pages and files that a tree refers to, and fills in their data from a [`Resolver`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use thin_vec::ThinVec;

use super::{Attachment, Names, Page, Resolver, User};
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::format::{Flavor, Format};
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Span};
use crate::values::hrefs::Target;

/// Attributes that only storage format has, of a reference to a page or a file. They are removed when a media
/// id or an address is set, because the id or address replaces the reference.
const OF_THE_REFERENCE: [&str; 4] =
    ["storage:container", "storage:form", "ri:version-at-save", "ri:content-id"];

pub(super) fn references(blocks: &[Node<'_>]) -> Names {
    let mut found = Found::default();
    blocks.iter().for_each(|it| found.node(it));
    found.names
}

pub(super) fn resolve(blocks: &mut [Node<'_>], resolver: &dyn Resolver, to: Format) {
    let resolving = Resolving { resolver, to };
    blocks.iter_mut().for_each(|it| resolving.node(it));
}

/// Sets the id of each mention that has none, in `blocks` and their descendants, if `resolver` knows the
/// user.
pub(crate) fn identify(blocks: &mut [Node<'_>], resolver: &dyn Resolver) {
    for node in blocks {
        if node.kind == Kind::Mention && node.get("id").is_none() {
            let known = resolver.user(&user(node));
            known.into_iter().for_each(|it| identified(&mut node.attrs, it));
        }
        identify(&mut node.children, resolver);
    }
}

/// Returns a diagnostic for each mention in `edited` whose id occurs in `base`, but only with other names.
/// The id decides which user is mentioned, so the new name has no effect.
pub(crate) fn renamed(base: &[Node<'_>], edited: &[Node<'_>]) -> Vec<Diagnostic> {
    let names = names_of(base);
    let mut found = Vec::new();
    each_mention(edited, &mut |span, id, name| {
        let known =
            names.get(id).and_then(|it| Some((it.first()?, name.filter(|name| !it.contains(*name))?)));
        if let Some((known, name)) = known {
            let message = format!("mention: expected the name {known:?} for the id {id}, but found {name:?}");
            found.push(Diagnostic::new(span, message));
        }
    });
    found
}

/// Returns a diagnostic for each mention with a name in `edited` whose id occurs in `base`, but only without a name.
/// Formats that have only the id can't keep the name.
pub(crate) fn newly_named(base: &[Node<'_>], edited: &[Node<'_>]) -> Vec<Diagnostic> {
    let names = names_of(base);
    let mut found = Vec::new();
    each_mention(edited, &mut |span, id, name| {
        if let (Some(name), Some(true)) = (name, names.get(id).map(BTreeSet::is_empty)) {
            found.push(Diagnostic::new(span, format!("mention: expected text = {name:?}, but found none")));
        }
    });
    found
}

/// Returns the id of each mention in `nodes` and their descendants, with all names that it has there.
fn names_of(nodes: &[Node<'_>]) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    each_mention(nodes, &mut |_, id, name| {
        names.entry(id.to_owned()).or_default().extend(name.map(str::to_owned));
    });
    names
}

/// Calls `found` with the span, the id and the name (`None`: it has none) of each mention that has an id.
fn each_mention(nodes: &[Node<'_>], found: &mut dyn FnMut(Span, &str, Option<&str>)) {
    for node in nodes {
        if let (Kind::Mention, Some(id)) = (node.kind, node.text_of("id")) {
            found(node.span, id, node.text_of("text"));
        }
        each_mention(&node.children, found);
    }
}

/// Sets the `id` of a mention to the account id in `known`, or else to the user key or login name on a
/// self-hosted server. An old key or login name is removed.
fn identified(attrs: &mut ThinVec<Attr<'_>>, known: User) {
    attrs.retain(|it| !matches!(&*it.name, "ri:userkey" | "ri:username"));
    let User { account_id, user_key, username, .. } = known;
    let own = [("", account_id), ("ri:userkey", user_key), ("ri:username", username)];
    if let Some((name, id)) = own.into_iter().find_map(|it| Some((it.0, it.1?))) {
        set(attrs, "id", id.clone());
        if !name.is_empty() {
            set(attrs, name, id);
        }
    }
}

/// The page or file that an address refers to. The address is a web address or one such as
/// `confluence:SPACE/Title`.
enum AddressTarget {
    /// A page, and the anchor on it, if the address has one.
    Page(Page, Option<String>),
    /// An attached file.
    Attachment(Attachment),
}

/// The references found so far: as lists in the order of the text, and as sets to find duplicates.
#[derive(Default)]
struct Found {
    names: Names,
    users: BTreeSet<User>,
    pages: BTreeSet<Page>,
    attachments: BTreeSet<Attachment>,
}

impl Found {
    fn node(&mut self, node: &Node<'_>) {
        match node.kind {
            Kind::Mention => once(user(node), &mut self.users, &mut self.names.users),
            Kind::InlineCard | Kind::BlockCard | Kind::EmbedCard => {
                self.place(place(node, node.text_of("url")))
            }
            Kind::Media | Kind::MediaInline | Kind::Image => {
                if let Some(it) = file(node) {
                    once(it, &mut self.attachments, &mut self.names.attachments);
                }
            }
            _ => {}
        }
        for mark in node.marks.iter().filter(|it| it.kind == MarkKind::Link) {
            self.place(place_of(mark.text("href"), mark.text("storage:container")));
        }
        node.children.iter().for_each(|it| self.node(it));
    }

    fn place(&mut self, place: Option<AddressTarget>) {
        match place {
            Some(AddressTarget::Page(it, _)) => once(it, &mut self.pages, &mut self.names.pages),
            Some(AddressTarget::Attachment(it)) => {
                once(it, &mut self.attachments, &mut self.names.attachments)
            }
            None => {}
        }
    }
}

/// Appends `it` to `all`, and adds it to `seen`, unless `seen` already contains it.
fn once<T: Ord + Clone>(it: T, seen: &mut BTreeSet<T>, all: &mut Vec<T>) {
    if seen.insert(it.clone()) {
        all.push(it);
    }
}

struct Resolving<'r> {
    resolver: &'r dyn Resolver,
    to: Format,
}

impl Resolving<'_> {
    fn node(&self, node: &mut Node<'_>) {
        match node.kind {
            Kind::Mention => self.mention(node),
            Kind::InlineCard | Kind::BlockCard | Kind::EmbedCard => self.card(node),
            Kind::Media | Kind::MediaInline | Kind::Image => self.file(node),
            _ => {}
        }
        for mark in node.marks.iter_mut().filter(|it| it.kind == MarkKind::Link) {
            self.link(mark);
        }
        node.children.iter_mut().for_each(|it| self.node(it));
    }

    fn mention(&self, node: &mut Node<'_>) {
        let asked = user(node);
        let Some(known) = self.resolver.user(&asked) else { return };
        if let (None, Some(name)) = (&asked.name, &known.name) {
            set(&mut node.attrs, "text", format!("@{name}"));
        }
        // Edited Markdown goes back to the server that the login name came from, so the login name stays.
        let is_kept = matches!(self.to, Format::Markdown(_)) && node.get("id").is_some();
        if asked.account_id.is_none() && !is_kept && (known.account_id.is_some() || node.get("id").is_none())
        {
            identified(&mut node.attrs, User { name: None, ..known });
        }
    }

    fn card(&self, node: &mut Node<'_>) {
        let Some(place) = place(node, node.text_of("url")) else { return };
        if self.to == Format::Markdown(Flavor::Plain) {
            return self.titled(node, place);
        }
        if let Some(href) = self.href(place) {
            set(&mut node.attrs, "url", href);
        }
    }

    /// Replaces an inline card of a page by a link that shows the page's title, for people who read Markdown.
    /// Does nothing for other cards, or if the title is not known.
    fn titled(&self, node: &mut Node<'_>, place: AddressTarget) {
        let AddressTarget::Page(asked, _) = place else { return };
        let (Kind::InlineCard, Some(url)) = (node.kind, node.text_of("url")) else { return };
        let Some(title) = self.resolver.page(&asked).and_then(|it| it.title) else { return };
        let link = Mark::new(MarkKind::Link).with("href", url.to_owned());
        let mut shown = Node::of_text(title).at(node.span, node.inner).marked(link);
        shown.marks.append(&mut node.marks);
        *node = shown;
    }

    fn link(&self, mark: &mut Mark<'_>) {
        let place = place_of(mark.text("href"), mark.text("storage:container"));
        if let Some(href) = place.and_then(|it| self.href(it)) {
            set(&mut mark.attrs, "href", href);
            mark.attrs.retain(|it| !OF_THE_REFERENCE.contains(&&*it.name));
        }
    }

    /// Returns the address of `place` for the target format; `None` if the existing address fits that format,
    /// or if `resolver` does not know another.
    fn href(&self, place: AddressTarget) -> Option<String> {
        match (place, self.to) {
            (AddressTarget::Page(asked, anchor), Format::Adf) if asked.url.is_none() => {
                let url = self.resolver.page(&asked)?.url?;
                Some(anchor.map_or(url.clone(), |it| format!("{url}#{it}")))
            }
            (AddressTarget::Page(asked, anchor), Format::Storage | Format::Wiki(_))
                if asked.url.is_some() =>
            {
                let Page { space, title, .. } = self.resolver.page(&asked)?;
                let (space, title) = (space.unwrap_or_default().into(), title?.into());
                Some(Target::Page { space, title, anchor: anchor.map(Cow::Owned) }.href())
            }
            (AddressTarget::Attachment(asked), Format::Adf) => self.resolver.attachment(&asked)?.url,
            _ => None,
        }
    }

    fn file(&self, node: &mut Node<'_>) {
        let Some(asked) = file(node) else { return };
        match self.to {
            Format::Adf if asked.media_id.is_none() => self.with_id(node, &asked),
            Format::Storage | Format::Wiki(_) | Format::Markdown(Flavor::Plain) if asked.name.is_none() => {
                self.with_name(node, &asked);
            }
            _ => {}
        }
    }

    /// Replaces the file name in a picture or media node by the media id, if the resolver knows it: ADF
    /// refers to an attached file only by its media id.
    fn with_id(&self, node: &mut Node<'_>, asked: &Attachment) {
        let Some(known) = self.resolver.attachment(asked) else { return };
        let Some(id) = known.media_id else { return };
        node.attrs
            .retain(|it| it.name != "url" && it.name != "type" && !OF_THE_REFERENCE.contains(&&*it.name));
        let said =
            [("type", "file".to_owned()), ("id", id), ("collection", known.collection.unwrap_or_default())];
        node.attrs.splice(0..0, said.map(|(name, value)| Attr::string(name, value)));
        if node.kind == Kind::Image {
            node.kind = Kind::MediaInline;
        }
    }

    /// Replaces the media id in a picture or media node by the file name, if the resolver knows it: formats
    /// other than ADF refer to a file by its name.
    fn with_name(&self, node: &mut Node<'_>, asked: &Attachment) {
        let Some(name) = self.resolver.attachment(asked).and_then(|it| it.name) else { return };
        node.attrs.retain(|it| !matches!(&*it.name, "id" | "collection" | "type" | "occurrenceKey"));
        let url = Target::Attachment { name: name.into(), anchor: None }.href();
        node.attrs.insert(0, Attr::string("url", url));
        match node.kind {
            Kind::MediaInline => node.kind = Kind::Image,
            _ => node.attrs.insert(0, Attr::string("type", "external")),
        }
    }
}

/// Returns the fields that the text states about a mentioned user.
fn user(node: &Node<'_>) -> User {
    let said = |name| node.text_of(name).filter(|it| !it.is_empty()).map(str::to_owned);
    let (user_key, username) = (said("ri:userkey"), said("ri:username"));
    let account_id = said("id").filter(|it| Some(it) != user_key.as_ref() && Some(it) != username.as_ref());
    let name = said("text").map(|it| it.strip_prefix('@').map_or(it.clone(), str::to_owned));
    User { account_id, user_key, username, name }
}

/// Returns the fields that the text states about the file that `node` shows; `None` if it shows none.
fn file(node: &Node<'_>) -> Option<Attachment> {
    if let Some(AddressTarget::Attachment(it)) = place(node, node.text_of("url")) {
        return Some(it);
    }
    let media_id = node.text_of("id").filter(|it| !it.is_empty())?.to_owned();
    let collection = node.text_of("collection").filter(|it| !it.is_empty()).map(str::to_owned);
    Some(Attachment { media_id: Some(media_id), collection, ..Attachment::default() })
}

fn place(node: &Node<'_>, url: Option<&str>) -> Option<AddressTarget> {
    place_of(url, node.text_of("storage:container"))
}

/// Returns the page or file that `href` refers to; `None` if it refers to neither and is no web address. For
/// a file, `container` is the element of storage format that names the page the file is attached to.
fn place_of(href: Option<&str>, container: Option<&str>) -> Option<AddressTarget> {
    let href = href?;
    let some = |it: Cow<'_, str>| Some(it.into_owned()).filter(|it| !it.is_empty());
    match Target::of(href) {
        Some(Target::Page { space, title, anchor }) => {
            let page = Page { space: some(space), title: some(title), url: None };
            Some(AddressTarget::Page(page, anchor.map(Cow::into_owned)))
        }
        Some(Target::Attachment { name, .. }) => {
            let page = container.and_then(holder);
            Some(AddressTarget::Attachment(Attachment { name: some(name), page, ..Attachment::default() }))
        }
        Some(_) => None,
        None if href.starts_with("http://") || href.starts_with("https://") => {
            let (url, anchor) = href.split_once('#').map_or((href, None), |it| (it.0, Some(it.1.to_owned())));
            Some(AddressTarget::Page(Page { url: Some(url.to_owned()), ..Page::default() }, anchor))
        }
        None => None,
    }
}

/// Returns the page that `container`, an element `<ri:page …/>` of storage format, names.
fn holder(container: &str) -> Option<Page> {
    let link = format!("<p><ac:link>{container}</ac:link></p>");
    let read = Document::read(Format::Storage, &link);
    let card = read.blocks.first()?.children.first()?;
    match place(card, card.text_of("url"))? {
        AddressTarget::Page(page, _) => Some(page),
        AddressTarget::Attachment(_) => None,
    }
}

/// Sets the attribute `name` to `value`: replaces the existing one, or adds it at the end.
fn set(attrs: &mut ThinVec<Attr<'_>>, name: &'static str, value: String) {
    let new = Attr::string(name, value);
    match attrs.iter_mut().find(|it| it.name == name) {
        Some(attr) => *attr = new,
        None => attrs.push(new),
    }
}
