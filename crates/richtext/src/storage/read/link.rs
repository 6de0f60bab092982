//! Reads links: to web addresses, and to content of Confluence.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use super::super::{names, xml};
use super::Reader;
use super::inline::Run;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node};
use crate::values::hrefs::{self, Target};

/// The target of a resource element (`ri:…`), which names content of Confluence or a web address.
pub(super) struct Resource<'a> {
    pub(super) href: Cow<'a, str>,
    /// The attributes of the element that are not part of `href`.
    pub(super) attrs: ThinVec<Attr<'a>>,
}

impl<'x, 'a> Reader<'x, 'a> {
    /// Reads an `a` element: as a link mark, as an inline card, or without `href` as a mark `html:a`. Returns
    /// `false` if a link has nothing to mark.
    pub(super) fn anchor(&mut self, index: usize, run: &Run<'a>, nodes: &mut ThinVec<Node<'a>>) -> bool {
        let Some(href) = self.xml.attribute(index, "href") else {
            let mut mark = Mark::new(MarkKind::Other).with("/type", "html:a");
            mark.attrs.extend(self.said(index, &[]));
            let mark = self.finish_mark(index, mark);
            return self.held(index, thin_vec![mark], run, nodes);
        };
        if let Some(card) = self.inline_card(index, &href) {
            nodes.push(run.place(card));
            return true;
        }
        let within = hrefs::exact(&href).is_some();
        let mut mark = Mark::new(MarkKind::Link).with("href", href);
        mark.attrs.extend(self.xml.attribute(index, "title").map(|it| Attr::string("title", it)));
        mark.attrs.extend(self.said(index, &["href", "title"]));
        if within {
            mark = mark.with("storage:form", "a");
        }
        let mark = self.finish_mark(index, mark);
        self.held(index, thin_vec![mark], run, nodes)
    }

    fn inline_card(&self, index: usize, href: &Cow<'a, str>) -> Option<Node<'a>> {
        self.xml.attribute(index, "data-card-appearance").filter(|it| *it == "inline")?;
        let text = self.plain(index)?;
        let mut card = self.element(index, Kind::InlineCard, &["href", "data-card-appearance"]);
        card.attrs.insert(0, Attr::string("url", href.clone()));
        if hrefs::exact(href).is_some() {
            card = card.with("storage:form", "a");
        }
        if text != *href {
            card = card.with("storage:text", text);
        }
        Some(self.finish(index, card))
    }

    /// Reads an `a` element that is between blocks and that Confluence shows as a card; returns `None` for
    /// any other `a` element.
    pub(super) fn card(&self, index: usize) -> Option<Node<'a>> {
        let kind = match &*self.xml.attribute(index, "data-card-appearance")? {
            "block" => Kind::BlockCard,
            "embed" => Kind::EmbedCard,
            _ => return None,
        };
        let href = self.xml.attribute(index, "href")?;
        let text = self.plain(index)?;
        let mut card =
            self.element(index, kind, &["href", "data-card-appearance", "data-layout", "data-width"]);
        card.attrs.insert(0, Attr::string("url", href.clone()));
        card.attrs.extend(self.xml.attribute(index, "data-layout").map(|it| Attr::string("layout", it)));
        card.attrs
            .extend(self.xml.attribute(index, "data-width").map(|it| number("width", "html:data-width", it)));
        if text != href {
            card = card.with("storage:text", text);
        }
        Some(self.finish(index, card))
    }

    /// Reads an `ac:link`, a link to content of Confluence. With a body it becomes a mark, without one a
    /// card; a link to a user becomes a mention. Returns `false` if the reader does not understand it.
    pub(super) fn resource_link(
        &mut self,
        index: usize,
        run: &Run<'a>,
        nodes: &mut ThinVec<Node<'a>>,
    ) -> bool {
        let Some((resource, body)) = self.parts(index).filter(|_| !self.says_any(index, "ri:")) else {
            return false;
        };
        let anchor = self.xml.attribute(index, "ac:anchor");
        let mut attrs = self.said(index, &["ac:anchor"]);
        if let Some(person) = resource.filter(|it| self.xml.name(*it) == "ri:user") {
            let mention = anchor.is_none().then(|| self.mention(index, person, body, attrs)).flatten();
            return mention.map(|it| nodes.push(run.place(it))).is_some();
        }
        let Some(target) = self.target(resource, anchor) else { return false };
        attrs.splice(0..0, target.attrs);
        match body {
            None => {
                self.room.take(1);
                let mut card = Node::new(Kind::InlineCard).with("url", target.href);
                card.span = self.xml.item(index).span();
                card.inner = card.span;
                card.attrs.extend(attrs);
                nodes.push(run.place(self.finish(index, card)));
                true
            }
            Some(body) => {
                let mut mark = Mark::new(MarkKind::Link).with("href", target.href);
                mark.attrs.extend(attrs);
                let mark = self.finish_mark(index, mark);
                self.link_body(index, body, mark, run, nodes)
            }
        }
    }

    /// Returns whether the names of all attributes of the element begin with `prefix`, are valid and are
    /// distinct.
    fn says_only(&self, index: usize, prefix: &str) -> bool {
        let names: Vec<_> = self.xml.attributes(index).map(|it| it.name).collect();
        let once = |(at, name): (usize, &&str)| !names[..at].contains(name);
        names.iter().all(|it| it.starts_with(prefix) && names::is_name(it))
            && names.iter().enumerate().all(once)
    }

    /// Returns whether the name of any attribute of the element begins with `prefix`.
    pub(super) fn says_any(&self, index: usize, prefix: &str) -> bool {
        self.xml.attributes(index).any(|it| it.name.starts_with(prefix))
    }

    /// Returns the indices of the resource element and of the body element in the link at `index`, each
    /// `None` if the link lacks it. Returns `None` if the link contains anything else, or two resources or
    /// bodies.
    fn parts(&self, index: usize) -> Option<(Option<usize>, Option<usize>)> {
        let (mut resource, mut body) = (None, None);
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            let name = self.xml.name(child);
            let slot = match name {
                "ac:plain-text-link-body" | "ac:link-body" => &mut body,
                _ if name.starts_with("ri:") => &mut resource,
                _ => return None,
            };
            if slot.replace(child).is_some() {
                return None;
            }
        }
        Some((resource, body))
    }

    fn link_body(
        &mut self,
        index: usize,
        body: usize,
        mark: Mark<'a>,
        run: &Run<'a>,
        nodes: &mut ThinVec<Node<'a>>,
    ) -> bool {
        let plain = self.xml.name(body) == "ac:plain-text-link-body";
        if self.xml.attributes(body).next().is_some() || plain && self.plain(body).is_none() {
            return false;
        }
        let inner = run.marked(self.xml.item(index).span(), thin_vec![mark]);
        let before = nodes.len();
        self.inlines(self.xml.children(body), &inner, nodes);
        // The writer puts plain text into a plain-text body, so another body is recorded.
        if let [node] = &mut nodes[before..]
            && node.kind == Kind::Text
            && node.marks.len() == 1
            && !plain
        {
            node.marks[0].attrs.push(Attr::string("storage:body", "ac:link-body"));
        }
        nodes.len() > before
    }

    fn mention(
        &self,
        index: usize,
        person: usize,
        body: Option<usize>,
        attrs: ThinVec<Attr<'a>>,
    ) -> Option<Node<'a>> {
        if !self.xml.children(person).all(|it| self.xml.is_blank(it)) || !self.says_only(person, "ri:") {
            return None;
        }
        let id = ["ri:account-id", "ri:userkey", "ri:username"]
            .into_iter()
            .find_map(|it| self.xml.attribute(person, it));
        self.room.take(1);
        let mut node = Node::new(Kind::Mention).with("id", id?);
        node.span = self.xml.item(index).span();
        node.inner = node.span;
        node.attrs.extend(self.said(person, &["ri:account-id"]));
        node.attrs.extend(attrs);
        if let Some(body) = body {
            let name = self.xml.name(body);
            node = node.with("text", self.plain(body)?).with("storage:body", name);
        }
        Some(self.finish(index, node))
    }

    /// Returns the target of a link with this resource element and this anchor. Without a resource, the
    /// target is the anchor on the page that contains the link.
    fn target(&self, resource: Option<usize>, anchor: Option<Cow<'a, str>>) -> Option<Resource<'a>> {
        let Some(resource) = resource else {
            let href = Target::Anchor { anchor: anchor? }.href();
            return Some(Resource { href: href.into(), attrs: ThinVec::new() });
        };
        self.resource(resource, anchor)
    }

    /// Returns the target of the `ri:…` element at `index`, with `anchor` on it; `None` if the reader does
    /// not understand the element.
    pub(super) fn resource(&self, index: usize, anchor: Option<Cow<'a, str>>) -> Option<Resource<'a>> {
        if !self.says_only(index, "ri:") {
            return None;
        }
        let said = |name: &str| self.xml.attribute(index, name);
        let mut container = None;
        if self.xml.children(index).any(|it| !self.xml.is_blank(it)) {
            container = Some(Attr::string("storage:container", self.xml.inner(index)));
        }
        let name = self.xml.name(index);
        if container.is_some() && (name != "ri:attachment" || !xml::is_sound(self.xml.inner(index))) {
            return None;
        }
        let (space, title) = (said("ri:space-key"), said("ri:content-title"));
        let place = ["ri:space-key", "ri:content-title"];
        let (target, known) = match name {
            "ri:page" | "ri:blog-post" => (page(space.clone(), title.clone(), anchor), &place[..]),
            "ri:space" => (page(Some(space.clone()?), None, anchor), &place[..1]),
            "ri:attachment" => {
                (Target::Attachment { name: said("ri:filename")?, anchor }, &["ri:filename"][..])
            }
            "ri:shortcut" if anchor.is_none() => {
                let (key, parameter) = (said("ri:key")?, said("ri:parameter")?);
                (Target::Shortcut { key, parameter }, &["ri:key", "ri:parameter"][..])
            }
            "ri:url" if anchor.is_none() => return self.address(index),
            _ => return None,
        };
        let mut attrs = self.said(index, known);
        attrs.extend(container);
        attrs.extend(unusual(name, space.is_some(), title.is_some_and(|it| !it.is_empty())));
        Some(Resource { href: target.href().into(), attrs })
    }

    fn address(&self, index: usize) -> Option<Resource<'a>> {
        let href = self.xml.attribute(index, "ri:value")?;
        let mut attrs = self.said(index, &["ri:value"]);
        attrs.push(Attr::string("storage:form", "ri:url"));
        Some(Resource { href, attrs })
    }
}

fn page<'h>(
    space: Option<Cow<'h, str>>,
    title: Option<Cow<'h, str>>,
    anchor: Option<Cow<'h, str>>,
) -> Target<'h> {
    Target::Page { space: space.unwrap_or_default(), title: title.unwrap_or_default(), anchor }
}

/// Returns the element's name as the attribute `storage:form`, if the writer would choose another element for
/// the same address; otherwise `None`.
fn unusual<'a>(name: &'a str, has_space: bool, has_title: bool) -> Option<Attr<'a>> {
    let usual = match name {
        "ri:page" => has_title || !has_space,
        "ri:space" => !has_title && has_space,
        "ri:blog-post" => false,
        _ => true,
    };
    (!usual).then(|| Attr::string("storage:form", name))
}

/// Returns an attribute with `value`: under the ADF name `name` if it is a number, otherwise under `foreign`,
/// a name for HTML attributes that ADF lacks.
pub(super) fn number<'a>(name: &'static str, foreign: &'static str, value: Cow<'a, str>) -> Attr<'a> {
    if super::super::style::is_number(&value) {
        Attr::json(name, value)
    } else {
        Attr::string(foreign, value)
    }
}
