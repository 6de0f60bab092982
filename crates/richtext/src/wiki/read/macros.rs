//! Reads macros: makes the node of each macro tag.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use super::{Container, Reader, Tag};
use crate::format::{Dialect, known};
use crate::tree::{Attr, Kind, MACRO, MAX_DEPTH, Node, Span};
use crate::values::{json, macros, parameters};
use crate::wiki::names::{self, Class, DEFAULT_LANGUAGE};
use crate::wiki::params;

/// Returns whether a list item may contain the macro `tag`. Other macros that are blocks end the list.
pub(super) fn may_stand_in_item(tag: Tag<'_>) -> bool {
    tag.class.is_verbatim()
}

impl<'a> Reader<'a> {
    /// Reads the macro `tag`, which is a block, and returns its node.
    pub(super) fn macro_block(&mut self, tag: Tag<'a>) -> Node<'a> {
        let span = Span::new(tag.start, tag.whole_end());
        // A code block holds a text node.
        self.room.take(if tag.class == Class::Code { 2 } else { 1 });
        let Some(close) = tag.close else {
            return extension(Kind::Extension, tag, None).at(span, Span::at(tag.end));
        };
        if self.depth + 4 > MAX_DEPTH && !tag.class.is_verbatim() {
            let message =
                format!("expected at most {MAX_DEPTH} nested nodes, but found a macro that needs more");
            self.report(tag.start, tag.end, &message);
            return Node::raw(Kind::RawBlock, "wiki", &self.source[span.range()]).at(span, span);
        }
        let body = Span::new(tag.end, close);
        match tag.class {
            Class::Code => self.code(tag, body).at(span, self.code_body(body).0),
            Class::Adf => self.adf(tag, body).at(span, body),
            Class::Raw => raw(Kind::RawBlock, tag, body.of(self.source)).at(span, body),
            Class::Plain => {
                extension(Kind::Extension, tag, Some(body.of(self.source))).at(span, Span::at(tag.end))
            }
            _ => {
                let node = self.bodied(tag);
                self.depth += 1;
                let children = self.body(body, tag);
                self.depth -= 1;
                layout(node, tag).at(span, body).holding(children)
            }
        }
    }

    fn body(&mut self, body: Span, tag: Tag<'_>) -> ThinVec<Node<'a>> {
        let mut children = self.blocks(body.start as usize, body.end as usize, Container::Block);
        if tag.class == Class::Layout && tag.name == "section" {
            share_width(&mut children);
        }
        children
    }

    /// Reads the macro `tag`, which is within text, and returns its inline node.
    pub(super) fn inline_macro(&mut self, tag: Tag<'a>) -> Node<'a> {
        let span = Span::new(tag.start, tag.whole_end());
        let body = &self.source[tag.end..tag.close.unwrap_or(tag.end)];
        let node = match tag.class {
            Class::Status => status(tag),
            Class::Adf => self.inline_adf(tag, body),
            Class::Raw => raw(Kind::RawInline, tag, body),
            _ => extension(Kind::InlineExtension, tag, None),
        };
        node.at(span, Span::at(tag.end))
    }

    /// Returns the span of a code block's text: `body` without the line feed after the opening tag and the
    /// one before the closing tag. Also returns whether either of these line feeds is missing.
    fn code_body(&self, body: Span) -> (Span, bool) {
        let text = body.of(self.source);
        let start = if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) };
        let rest = &text[start..];
        let end = if rest.ends_with("\r\n") { 2 } else { usize::from(rest.ends_with('\n')) };
        let span = Span::new(body.start as usize + start, body.end as usize - end);
        (span, start == 0 || end == 0)
    }

    fn code(&self, tag: Tag<'a>, body: Span) -> Node<'a> {
        let (span, is_tight) = self.code_body(body);
        let mut node = Node::new(Kind::CodeBlock);
        if is_tight {
            node = node.with("wiki:lines", "tight");
        }
        for (name, value) in params::read(tag.params) {
            node = match name {
                "" | "lang" | "language" if tag.name == "code" && node.get("language").is_none() => {
                    let node = node.with("language", value);
                    if name.is_empty() { node } else { node.with("wiki:language", name) }
                }
                _ => node.with(format!("param:{name}"), value),
            };
        }
        if tag.name == "code" && node.get("language").is_none() {
            node = node.with("language", DEFAULT_LANGUAGE).with("wiki:form", "code");
        }
        if span.is_empty() {
            return node;
        }
        let text = span.of(self.source);
        // Jira keeps the line ends of the author. In the tree a line end is one character, whatever the
        // format.
        let text =
            if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
        node.holding(thin_vec![Node::of_text(text).at(span, span)])
    }

    /// Creates the node of a macro with a body of blocks, before the body is read.
    fn bodied(&self, tag: Tag<'a>) -> Node<'a> {
        match tag.class {
            Class::Quote => with_params(Node::new(Kind::Blockquote), tag),
            Class::Panel => self.panel(tag),
            Class::Expand => expand(tag),
            _ => extension(Kind::BodiedExtension, tag, None),
        }
    }

    fn panel(&self, tag: Tag<'a>) -> Node<'a> {
        let node = Node::new(Kind::Panel);
        if self.dialect == Dialect::Confluence {
            let kind = macros::panel_type(tag.name).unwrap_or("note");
            return with_params(node.with("panelType", kind), tag);
        }
        let background =
            params::read(tag.params).into_iter().find(|it| it.0 == "bgColor").map(|it| it.1.trim());
        let known = names::BACKGROUNDS.iter().find(|it| Some(it.0) == background);
        let kind = known.map_or("info", |it| it.1);
        let mut node = with_params(node.with("panelType", kind), tag);
        if kind != "info" {
            node.attrs.retain(|it| it.name != "param:bgColor");
        }
        node
    }

    /// Returns the ADF node whose JSON is `body`, the body of the `{adf}` macro `tag`; a raw node, with a
    /// diagnostic, if the body is not the JSON of an ADF block.
    fn adf(&mut self, tag: Tag<'a>, body: Span) -> Node<'a> {
        let node = self.read_adf(tag, body.of(self.source));
        let node = node.filter(|it| !it.kind.is_inline());
        if let Some(mut node) = node {
            put(&mut node, Span::at(body.start as usize), 0);
            return node;
        }
        {
            self.report(tag.start, tag.end, "expected the JSON of an ADF block, but found other text");
            Node::raw(Kind::RawBlock, "wiki", &self.source[tag.start..tag.whole_end()])
        }
    }

    fn inline_adf(&self, tag: Tag<'a>, body: &'a str) -> Node<'a> {
        let node = self.read_adf(tag, body).filter(|it| it.kind.is_inline());
        node.unwrap_or_else(|| Node::raw(Kind::RawInline, "adf", body))
    }

    fn read_adf(&self, tag: Tag<'a>, body: &'a str) -> Option<Node<'a>> {
        json::is_value(body).then(|| crate::adf::read_node(body, &self.room, tag.start))
    }
}

/// Gives the node and its descendants the span `at`, because nodes from JSON have no spans of their own in
/// the markup.
fn put(node: &mut Node<'_>, at: Span, depth: usize) {
    (node.span, node.inner) = (at, at);
    if depth <= MAX_DEPTH {
        node.children.iter_mut().for_each(|it| put(it, at, depth + 1));
    }
}

fn raw<'a>(kind: Kind, tag: Tag<'a>, body: &'a str) -> Node<'a> {
    let format = params::read(tag.params).into_iter().find(|it| it.0 == "format").map_or("", |it| it.1);
    Node::raw(kind, known(format).unwrap_or("wiki"), body)
}

/// Adds the parameters of `tag` to `node`, as attributes `param:NAME`.
fn with_params<'a>(mut node: Node<'a>, tag: Tag<'a>) -> Node<'a> {
    for (name, value) in params::read(tag.params) {
        node.attrs.push(Attr::string(format!("param:{name}"), value));
    }
    node
}

fn expand(tag: Tag<'_>) -> Node<'_> {
    let mut node = Node::new(Kind::Expand);
    for (name, value) in params::read(tag.params) {
        node = match name {
            "" if node.get("title").is_none() => node.with("title", value),
            "title" if node.get("title").is_none() => node.with("title", value).with("wiki:form", "title="),
            _ => node.with(format!("param:{name}"), value),
        };
    }
    node
}

fn status(tag: Tag<'_>) -> Node<'_> {
    let mut text = Cow::Borrowed("");
    let mut colour = "neutral";
    let mut rest = ThinVec::new();
    for (name, value) in params::read(tag.params) {
        let known = || macros::status_of_macro(value.trim());
        match name {
            "title" => text = Cow::Borrowed(value),
            "colour" | "color" if known().is_some() => {
                colour = known().unwrap_or("neutral");
                if name == "color" {
                    rest.push(Attr::string("wiki:form", "color"));
                }
            }
            _ => rest.push(Attr::string(format!("param:{name}"), value)),
        }
    }
    let mut node = Node::new(Kind::Status).with("text", text).with("color", colour);
    node.attrs.extend(rest);
    node
}

/// Returns a layout node instead of `node` for Confluence's `{section}` and `{column}`; returns `node` for
/// all other macros.
fn layout<'a>(mut node: Node<'a>, tag: Tag<'a>) -> Node<'a> {
    if tag.class != Class::Layout {
        return node;
    }
    node = Node::new(if tag.name == "section" { Kind::LayoutSection } else { Kind::LayoutColumn });
    for (name, value) in params::read(tag.params) {
        let percent = value.strip_suffix('%').filter(|it| it.parse::<f64>().is_ok_and(f64::is_finite));
        node = match percent {
            Some(it) if name == "width" && json::is_value(it) => node.with_json("width", it),
            _ => node.with(format!("param:{name}"), value),
        };
    }
    node
}

/// Sets the width of each layout column that states none to an equal part of 100 percent.
fn share_width(columns: &mut [Node<'_>]) {
    let count = columns.iter().filter(|it| it.kind == Kind::LayoutColumn).count();
    for column in columns.iter_mut().filter(|it| it.kind == Kind::LayoutColumn && it.get("width").is_none()) {
        let width = (10_000 / count.max(1)) as f64 / 100.0;
        *column = std::mem::replace(column, Node::new(Kind::Rule))
            .with_json("width", width.to_string())
            .with("wiki:width", "shared");
    }
}

/// Creates the extension node of this kind for the macro `tag`, with its parameters and, if given, its
/// plain-text body.
fn extension<'a>(kind: Kind, tag: Tag<'a>, body: Option<&'a str>) -> Node<'a> {
    let params = parameters::of_texts(params::read(tag.params), body);
    let node = Node::new(kind).with("extensionType", MACRO).with("extensionKey", tag.name);
    node.with_json("parameters", params)
}
