//! Reads pictures: a `mediaSingle` between blocks, an `Image` within text.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use super::super::style;
use super::link::Resource;
use super::{Reader, Scope, inline};
use crate::tree::{Attr, Kind, Mark, MarkKind, Node};
use crate::values::hrefs;

/// The parts of an `ac:image` element.
struct Picture<'a> {
    resource: usize,
    target: Resource<'a>,
    caption: Option<usize>,
    marks: ThinVec<Mark<'a>>,
}

impl<'a> Reader<'_, 'a> {
    /// Reads the picture at `index` as a block. The node gets the span of the item at `holder`, which is the
    /// picture itself or the paragraph around it.
    pub(super) fn media_single(&mut self, index: usize, holder: usize, scope: Scope) -> Option<Node<'a>> {
        let mut picture = self.parts_of_picture(index)?;
        let mut node = self.element(holder, Kind::MediaSingle, &[]);
        if holder != index {
            // The local id of the picture takes precedence over that of its paragraph.
            node.attrs
                .iter_mut()
                .filter(|it| it.name == "localId")
                .for_each(|it| it.name = "html:local-id".into());
        } else {
            node.attrs.clear();
        }
        self.size(index, &mut node);
        let mut known = vec!["ac:alt", "ac:href", "ac:layout", "ac:width", "ac:custom-width"];
        known.extend(self.sizes(index).map(|it| it.0));
        node.attrs.extend(self.said(index, &known));
        if holder != index {
            node = node.with("storage:form", "p");
        }
        node.children.push(self.media(index, &mut picture));
        if let Some(caption) = picture.caption {
            let mut held = self.element(caption, Kind::Caption, &[]);
            let paragraph = self.lone_paragraph(caption);
            match paragraph {
                Some(paragraph) => held.inner = self.xml.item(paragraph).inner(),
                None => held.attrs.push(Attr::string("storage:form", "bare")),
            }
            let run = inline::Run::within(held.inner, scope.depth + 2);
            self.inlines(self.xml.children(paragraph.unwrap_or(caption)), &run, &mut held.children);
            node.children.push(self.finish(caption, held));
            node.children.sort_by_key(|it| it.span.start);
        }
        Some(if holder == index { self.finish(index, node) } else { node })
    }

    /// Reads the layout and the width of the picture into attributes of `node`.
    fn size(&self, index: usize, node: &mut Node<'a>) {
        let said = |name| self.xml.attribute(index, name);
        let layout = said("ac:layout");
        let aligned = match said("ac:align").as_deref() {
            Some("center") => "center",
            Some("right") => "align-end",
            _ => "align-start",
        };
        let known = ["center", "wrap-left", "wrap-right", "wide", "full-width", "align-start", "align-end"];
        match layout {
            Some(layout) if known.contains(&&*layout) => node.attrs.push(Attr::string("layout", layout)),
            Some(layout) => {
                node.attrs.extend([Attr::string("layout", aligned), Attr::string("ac:layout", layout)])
            }
            None => node.attrs.push(Attr::string("layout", aligned)),
        }
        let custom = said("ac:custom-width");
        match said("ac:width") {
            Some(width) if style::is_number(&width) => {
                node.attrs.extend([Attr::json("width", width), Attr::string("widthType", "pixel")]);
                if custom.as_deref() != Some("true") {
                    node.attrs.push(Attr::string("ac:custom-width", custom.unwrap_or_default()));
                }
            }
            width => {
                node.attrs.extend(width.map(|it| Attr::string("ac:width", it)));
                node.attrs.extend(custom.map(|it| Attr::string("ac:custom-width", it)));
            }
        }
    }

    /// Returns the original width and height of the picture as attributes, each with the name that storage
    /// format has for it.
    fn sizes(&self, index: usize) -> impl Iterator<Item = (&'static str, Attr<'a>)> {
        let names = [("ac:original-width", "width"), ("ac:original-height", "height")];
        names.into_iter().filter_map(move |(written, name)| {
            let value = self.xml.attribute(index, written).filter(|it| style::is_number(it))?;
            Some((written, Attr::json(name, value)))
        })
    }

    fn media(&self, index: usize, picture: &mut Picture<'a>) -> Node<'a> {
        let span = self.xml.item(picture.resource).span();
        self.room.take(1);
        let mut media = Node::new(Kind::Media).at(span, span).with("type", "external");
        media.attrs.push(Attr::string("url", std::mem::take(&mut picture.target.href)));
        media.attrs.extend(self.xml.attribute(index, "ac:alt").map(|it| Attr::string("alt", it)));
        media.attrs.extend(self.sizes(index).map(|it| it.1));
        media.attrs.append(&mut picture.target.attrs);
        media.marks.append(&mut picture.marks);
        self.finish(picture.resource, media)
    }

    /// Reads a picture within text; returns `None` if an inline picture can't carry all of it, such as a
    /// caption.
    pub(super) fn picture(&self, index: usize) -> Option<Node<'a>> {
        let picture = self.parts_of_picture(index)?;
        if picture.caption.is_some() || !picture.marks.is_empty() || self.says_any(index, "ri:") {
            return None;
        }
        let mut node = self.element(index, Kind::Image, &["ac:alt", "ac:title", "ac:width", "ac:height"]);
        node.inner = node.span;
        let mut attrs = thin_vec![Attr::string("url", picture.target.href)];
        attrs.extend(self.sized(index, ["ac:alt", "ac:title", "ac:width", "ac:height"]));
        node.attrs.splice(0..0, attrs);
        node.attrs.extend(picture.target.attrs);
        Some(self.finish(index, node))
    }

    /// Reads an HTML `img`; returns `None` if it has no address.
    pub(super) fn html_picture(&self, index: usize) -> Option<Node<'a>> {
        let url = self.xml.attribute(index, "src")?;
        let mut node = self.element(index, Kind::Image, &["src", "alt", "title", "width", "height"]);
        node.inner = node.span;
        let mut attrs = thin_vec![Attr::string("url", url)];
        attrs.extend(self.sized(index, ["alt", "title", "width", "height"]));
        node.attrs.splice(0..0, attrs);
        Some(self.finish(index, node.with("storage:form", "img")))
    }

    fn sized(&self, index: usize, names: [&'static str; 4]) -> ThinVec<Attr<'a>> {
        let known = ["alt", "title", "width", "height"].into_iter().zip(names);
        known
            .filter_map(|(name, written)| {
                let value: Cow<'a, str> = self.xml.attribute(index, written)?;
                let numeric = matches!(name, "width" | "height") && style::is_number(&value);
                Some(if numeric { Attr::json(name, value) } else { Attr::string(name, value) })
            })
            .collect()
    }

    fn parts_of_picture(&self, index: usize) -> Option<Picture<'a>> {
        let (mut resource, mut caption) = (None, None);
        let mut marks = ThinVec::new();
        marks.extend(
            self.xml.attribute(index, "ac:href").map(|it| Mark::new(MarkKind::Link).with("href", it)),
        );
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            let repeated = match self.xml.name(child) {
                "ri:attachment" | "ri:url" => resource.replace(child).is_some(),
                "ac:caption" if !self.xml.item(child).has_blocks || self.lone_paragraph(child).is_some() => {
                    caption.replace(child).is_some()
                }
                "ac:adf-mark" => {
                    marks.push(self.border(child)?);
                    false
                }
                _ => true,
            };
            if repeated {
                return None;
            }
        }
        let resource = resource?;
        let mut target = self.resource(resource, None)?;
        target.attrs.retain(|it| !(it.name == "storage:form" && it.value.as_str() == Some("ri:url")));
        if self.xml.name(resource) == "ri:url" && hrefs::exact(&target.href).is_some() {
            target.attrs.push(Attr::string("storage:form", "ri:url"));
        }
        Some(Picture { resource, target, caption, marks })
    }

    /// Returns the paragraph that is all of a caption, without attributes and blocks in it.
    fn lone_paragraph(&self, caption: usize) -> Option<usize> {
        let mut held = self.xml.children(caption).filter(|it| !self.xml.is_blank(*it));
        let only = held.next().filter(|it| self.xml.name(*it) == "p" && !self.xml.item(*it).self_closing)?;
        let is_bare = self.xml.attributes(only).next().is_none() && !self.xml.item(only).has_blocks;
        (is_bare && held.next().is_none()).then_some(only)
    }

    fn border(&self, index: usize) -> Option<Mark<'a>> {
        self.xml.attribute(index, "key").filter(|it| *it == "border")?;
        let mut mark = Mark::new(MarkKind::Border);
        mark.attrs
            .push(Attr::json("size", self.xml.attribute(index, "size").filter(|it| style::is_number(it))?));
        mark.attrs.push(Attr::string("color", self.xml.attribute(index, "color")?));
        let plain = self.xml.attributes(index).count() == 3 && self.xml.children(index).next().is_none();
        plain.then_some(mark)
    }
}
