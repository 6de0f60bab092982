//! Reads blocks of HTML, layouts, and elements that have no meaning in the tree.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use super::super::xml::Sort;
use super::super::{names, style};
use super::{Reader, Scope, inline};
use crate::tree::{Kind, Mark, MarkKind, Node, Span, add};

impl<'a> Reader<'_, 'a> {
    /// Reads the block at `index` and adds its node to `blocks`; adds a raw block if the element is not
    /// understood.
    pub(super) fn block(&mut self, index: usize, scope: Scope, blocks: &mut ThinVec<Node<'a>>) {
        if self.is_too_deep(index, scope.depth) {
            blocks.push(self.raw(index, Kind::RawBlock));
            return;
        }
        let name = self.xml.name(index);
        let block = match name {
            "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if !self.xml.item(index).has_blocks => {
                self.text_block(index, scope)
            }
            "ul" | "ol" => self.list(index, scope),
            "table" => self.table(index, scope),
            "blockquote" => self.container(index, Kind::Blockquote, scope),
            "hr" => Some(self.finish(index, self.element(index, Kind::Rule, &[]))),
            "pre" if !self.xml.item(index).has_blocks => self.preformatted(index, scope),
            "ac:layout" => self.layout(index, scope),
            "ac:task-list" => self.task_list(index, scope),
            "ac:adf-extension" => self.adf_extension(index, scope),
            "ac:image" => self.media_single(index, index, scope),
            it if names::is_macro(it) => self.block_macro(index, scope),
            it if it.contains(':') && it != "ac:inline-comment-marker" => None,
            _ => self.group(index, scope),
        };
        if block.is_none() && self.room.is_full() {
            self.room.refuse(self.xml.item(index).span().start as usize);
        }
        add(blocks, block.unwrap_or_else(|| self.raw(index, Kind::RawBlock)));
    }

    /// Reads the inline item at `index` as a block of its own, because it is between blocks and no text is
    /// beside it.
    pub(super) fn alone(&mut self, index: usize, scope: Scope, blocks: &mut ThinVec<Node<'a>>) {
        let block = match self.xml.name(index) {
            "a" => self.card(index),
            "ac:image" => self.media_single(index, index, scope),
            "ac:adf-extension" => self.adf_extension(index, scope),
            "fab:adf" => self.embedded(index, Kind::RawBlock),
            it if names::is_macro(it) => self.block_macro(index, scope),
            _ => None,
        };
        add(blocks, block.unwrap_or_else(|| self.raw(index, Kind::RawBlock)));
    }

    /// Reads a paragraph or a heading.
    fn text_block(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let name = self.xml.name(index);
        if name == "p"
            && let Some(picture) = self.lone_picture(index, scope)
        {
            return Some(picture);
        }
        let kind = if name == "p" { Kind::Paragraph } else { Kind::Heading };
        let mut node = self.element(index, kind, &["style"]);
        if let Some(level) = name.strip_prefix('h') {
            node = node.with_json("level", level);
        }
        self.set(index, &mut node);
        let run = inline::Run::within(node.inner, scope.depth + 1);
        self.inlines(self.xml.children(index), &run, &mut node.children);
        Some(self.finish(index, node))
    }

    /// Reads the paragraph at `index` as a picture that is a block, if it contains nothing but a picture;
    /// otherwise returns `None`.
    fn lone_picture(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let mut held = self.xml.children(index).filter(|it| !self.xml.is_blank(*it));
        let picture = held.next().filter(|it| self.xml.name(*it) == "ac:image")?;
        let plain = self.xml.attributes(picture).all(|it| it.name.starts_with("ac:"));
        let extra = self.xml.attribute(index, super::attrs::EXTRA).is_some();
        if held.next().is_some() || !plain || extra {
            return None;
        }
        self.media_single(picture, index, scope)
    }

    /// Adds the alignment and the indentation in the block's `style` to `node` as marks.
    fn set(&self, index: usize, node: &mut Node<'a>) {
        let Some(written) = self.xml.attribute(index, "style") else { return };
        let known: [style::Known; 2] =
            [("text-align", style::alignment), ("margin-left", style::indentation)];
        let ([align, level], rest) = style::take(&written, known);
        if align.is_none() && level.is_none() || !rest.is_empty() {
            node.attrs.push(crate::tree::Attr::string("html:style", rest));
        }
        node.marks.extend(align.map(|it| Mark::new(MarkKind::Alignment).with("align", it)));
        node.marks.extend(level.map(|it| {
            let mut mark = Mark::new(MarkKind::Indentation);
            mark.attrs.push(crate::tree::Attr::json("level", it));
            mark
        }));
    }

    fn list(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let ordered = self.xml.name(index) == "ol";
        let start = self.xml.attribute(index, "start").filter(|it| ordered && style::is_number(it));
        let known: &[&str] = if start.is_some() { &["start"] } else { &[] };
        let kind = if ordered { Kind::OrderedList } else { Kind::BulletList };
        let mut node = self.element(index, kind, known);
        if let Some(start) = start {
            node = node.with_json("order", start);
        }
        for child in self.xml.children(index) {
            self.room_for(child)?;
            self.list_item(child, scope.deeper(), &mut node);
        }
        Some(self.finish(index, node))
    }

    /// Reads a child of a list element into `list`. A comment becomes an attribute of the list; any other
    /// content that is not in an item gets an item of its own.
    fn list_item(&mut self, index: usize, scope: Scope, list: &mut Node<'a>) {
        if self.xml.is_blank(index) {
            return;
        }
        if self.xml.name(index) == "li" {
            if self.is_too_deep(index, scope.depth) {
                let span = self.xml.item(index).span();
                list.children.push(
                    Node::new(Kind::ListItem)
                        .at(span, span)
                        .holding(thin_vec![self.raw(index, Kind::RawBlock)]),
                );
                return;
            }
            let item = self.container(index, Kind::ListItem, scope);
            list.children.extend(item);
            return;
        }
        if self.xml.item(index).sort == Sort::Aside {
            list.attrs.push(crate::tree::Attr::string("storage:comment", self.xml.raw(index)));
            return;
        }
        let next = self.xml.item(index).next as usize;
        let held = self.blocks(self.xml.between(index, next), scope);
        let (Some(first), Some(last)) = (held.first(), held.last()) else { return };
        let span = Span { start: first.span.start, end: last.span.end };
        self.room.take(1);
        list.children.push(Node::new(Kind::ListItem).at(span, span).holding(held));
    }

    /// Reads an element that contains blocks as a node of this kind.
    pub(super) fn container(&mut self, index: usize, kind: Kind, scope: Scope) -> Option<Node<'a>> {
        let mut node = self.element(index, kind, &[]);
        node.children = self.blocks(self.xml.children(index), scope.deeper());
        Some(self.finish(index, node))
    }

    /// Reads an element that has no meaning in the tree as a group with its content. The group keeps the
    /// element's name.
    pub(super) fn group(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let name = self.xml.name(index);
        let shown = if name.contains(':') { Cow::Borrowed(name) } else { Cow::Owned(format!("html:{name}")) };
        let mut node = self.element(index, Kind::Group, &[]);
        node.attrs.insert(0, crate::tree::Attr::string("/type", shown));
        node.children = self.blocks(self.xml.children(index), scope.deeper());
        Some(self.finish(index, node))
    }

    /// Reads a `pre` as a code block; as a group if it contains anything but text.
    fn preformatted(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let plain =
            self.xml.children(index).all(|it| matches!(self.xml.item(it).sort, Sort::Text | Sort::Data));
        if !plain {
            return self.group(index, scope);
        }
        let mut node = self.element(index, Kind::CodeBlock, &[]).with("storage:form", "pre");
        node.children.extend(self.code_text(index));
        Some(self.finish(index, node))
    }

    /// Returns the text of an element whose white space is significant, such as code; `None` if it is empty.
    pub(super) fn code_text(&self, index: usize) -> Option<Node<'a>> {
        let inner = self.xml.item(index).inner();
        let mut node = self.spelled(inner);
        let data = |it: &usize| self.xml.item(*it).sort == Sort::Data;
        // White space around a CDATA section formats the source and is not part of the code.
        if self.xml.children(index).any(|it| data(&it))
            && self.xml.children(index).all(|it| data(&it) || self.xml.is_blank(it))
        {
            let mut sections = self.xml.children(index).filter(data);
            let first = sections.next()?;
            let last = sections.last().unwrap_or(first);
            node = self.spelled(Span {
                start: self.xml.item(first).span().start,
                end: self.xml.item(last).span().end,
            });
        }
        (!node.text.is_empty()).then_some(node)
    }

    /// Returns the text node for the source at `span`, decoded.
    pub(super) fn spelled(&self, span: Span) -> Node<'a> {
        self.room.take(1);
        Node::of_text(super::super::escape::decode(span.of(self.xml.source))).at(span, span)
    }

    /// Reads a layout: returns its only section, or a group of its sections. Returns `None` if it contains
    /// anything else.
    fn layout(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let mut node = self.element(index, Kind::Group, &[]);
        node.attrs.insert(0, crate::tree::Attr::string("/type", "ac:layout"));
        let bare = node.attrs.len() == 1 && self.xml.attribute(index, super::attrs::EXTRA).is_none();
        let inner = scope.deeper();
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            if self.xml.name(child) != "ac:layout-section" {
                return None;
            }
            self.room_for(child)?;
            node.children.push(self.layout_section(child, inner)?);
        }
        if bare && node.children.len() == 1 {
            let mut section = node.children.pop()?;
            section.span = node.span;
            return Some(section);
        }
        Some(self.finish(index, node))
    }

    fn layout_section(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let mut node =
            self.element(index, Kind::LayoutSection, &["ac:type", "ac:breakout-mode", "ac:breakout-width"]);
        let cells: Vec<_> = self.xml.children(index).filter(|it| !self.xml.is_blank(*it)).collect();
        if cells.iter().any(|it| self.xml.name(*it) != "ac:layout-cell") {
            return None;
        }
        let kind = self.xml.attribute(index, "ac:type").unwrap_or_default();
        for (at, cell) in cells.iter().enumerate() {
            self.room_for(*cell)?;
            let column =
                self.layout_column(*cell, super::super::layout::width(&kind, cells.len(), at), scope);
            node.children.push(column);
        }
        let widths: Vec<_> =
            node.children.iter().map(|it| it.get("width").map_or("", |it| it.shown())).collect();
        if super::super::layout::kind(&widths) != kind {
            node = node.with("ac:type", kind.into_owned());
        }
        let mode = self.xml.attribute(index, "ac:breakout-mode");
        let width = self.xml.attribute(index, "ac:breakout-width");
        self.breakout(&mut node, mode, width, "ac:breakout-mode", "ac:breakout-width");
        Some(self.finish(index, node))
    }

    fn layout_column(&mut self, index: usize, width: Cow<'static, str>, scope: Scope) -> Node<'a> {
        // An empty value means that the column has no width.
        let own = self.xml.attribute(index, "data-width").filter(|it| it.is_empty() || style::is_number(it));
        let known: &[&str] = if own.is_some() { &["data-width"] } else { &[] };
        let mut node = self.element(index, Kind::LayoutColumn, known);
        let width = own.unwrap_or(width);
        if !width.is_empty() {
            node = node.with_json("width", width);
        }
        node.children = self.blocks(self.xml.children(index), scope.deeper().deeper());
        self.finish(index, node)
    }

    /// Adds a breakout mark, for a block that is wider than the text around it. If ADF's mark cannot hold
    /// `mode` and `width`, they become attributes with the names `mode_name` and `width_name`.
    pub(super) fn breakout(
        &self,
        node: &mut Node<'a>,
        mode: Option<Cow<'a, str>>,
        width: Option<Cow<'a, str>>,
        mode_name: &'static str,
        width_name: &'static str,
    ) {
        let width_fits = width.as_ref().is_none_or(|it| style::is_number(it));
        if let Some(mode) = mode.as_ref().filter(|it| matches!(&***it, "wide" | "full-width") && width_fits) {
            let mut mark = Mark::new(MarkKind::Breakout).with("mode", mode.clone());
            mark.attrs.extend(width.map(|it| crate::tree::Attr::json("width", it)));
            node.marks.push(mark);
            return;
        }
        node.attrs.extend(mode.map(|it| crate::tree::Attr::string(mode_name, it)));
        node.attrs.extend(width.map(|it| crate::tree::Attr::string(width_name, it)));
    }
}
