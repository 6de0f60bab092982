//! Writes blocks of HTML, layouts and tasks.

use std::borrow::Cow;

use super::super::xml::Xml;
use super::super::{layout, names, read, style};
use super::Writer;
use super::link::json_number;
use super::tag::Tag;
use crate::tree::{Holds, Kind, MarkKind, Node, Value};

impl Writer {
    /// Writes a block inside a node of kind `parent`.
    pub(super) fn block(&mut self, node: &Node<'_>, parent: Kind) {
        if read::is_usual(node) || node.text_of("storage:form") == Some("ac:adf-extension") {
            return self.adf_extension(node);
        }
        match node.kind {
            _ if node.text_of("storage:form") == Some("fab:adf") => self.embedded(node),
            // Our readers never make such a node, but ADF from other sources may hold it.
            it if it.holds() == Holds::Inlines && node.children.iter().any(|it| !it.kind.is_inline()) => {
                self.raw_adf(node)
            }
            Kind::Paragraph => self.text_block(node, "p"),
            Kind::Heading => self.heading(node),
            Kind::BulletList if holds_only(node, &[Kind::ListItem]) => self.container(node, "ul"),
            Kind::OrderedList if holds_only(node, &[Kind::ListItem]) => self.ordered_list(node),
            Kind::ListItem if matches!(parent, Kind::BulletList | Kind::OrderedList) => {
                self.container(node, "li")
            }
            Kind::Blockquote => self.container(node, "blockquote"),
            Kind::TaskList if is_task_list(node) => self.task_list(node),
            Kind::TaskItem | Kind::BlockTaskItem if parent == Kind::TaskList => self.task(node),
            Kind::Rule => self.lone_tag(Tag::of("hr", node), &[]),
            Kind::Group => self.group(node),
            Kind::LayoutSection if holds_only(node, &[Kind::LayoutColumn]) => {
                self.out.push_str("<ac:layout>");
                self.section(node);
                self.out.push_str("</ac:layout>");
            }
            Kind::Table => self.table(node),
            Kind::CodeBlock => self.code(node),
            Kind::Panel => self.panel(node),
            Kind::Expand | Kind::NestedExpand => self.expand(node, parent),
            Kind::Extension | Kind::BodiedExtension => self.extension(node),
            Kind::MediaSingle => self.media_single(node),
            Kind::BlockCard | Kind::EmbedCard => self.card(node),
            Kind::RawBlock => self.raw(node),
            _ => self.raw_adf(node),
        }
    }

    fn heading(&mut self, node: &Node<'_>) {
        let level = node.get("level");
        match level.and_then(|it| it.as_integer()).filter(|it| (1..=6).contains(it)) {
            Some(it) if matches!(level, Some(Value::Json(text)) if text.len() == 1) => {
                self.text_block(
                    node,
                    ["h1", "h2", "h3", "h4", "h5", "h6"][usize::try_from(it - 1).unwrap_or(0)],
                );
            }
            _ => self.raw_adf(node),
        }
    }

    fn text_block(&mut self, node: &Node<'_>, name: &'static str) {
        let style = block_style(node);
        let native: &[(&str, &str)] =
            if style.is_empty() && node.get("html:style").is_none() { &[] } else { &[("style", &style)] };
        let mut used = vec!["html:style"];
        used.extend((name != "p").then_some("level"));
        let told: Vec<_> = told_marks(node).collect();
        let mut tag = Tag::of(name, node).but(&used).but_marks(&told);
        if name == "p" && is_lone_picture(node) {
            tag = tag.kind(Kind::Paragraph);
        }
        self.tag(tag, native);
        self.inlines(&node.children);
        self.close(name);
    }

    fn container(&mut self, node: &Node<'_>, name: &'static str) {
        self.tag(Tag::of(name, node), &[]);
        self.comments(node);
        self.blocks(&node.children, node.kind);
        self.close(name);
    }

    fn ordered_list(&mut self, node: &Node<'_>) {
        match node.get("order") {
            Some(Value::Json(order)) if style::is_number(order) => {
                self.tag(Tag::of("ol", node).but(&["order"]), &[("start", order)]);
                self.comments(node);
                self.blocks(&node.children, node.kind);
                self.close("ol");
            }
            _ => self.container(node, "ol"),
        }
    }

    /// Writes the comments that the reader kept as attributes of `node`.
    pub(super) fn comments(&mut self, node: &Node<'_>) {
        for comment in node.attrs.iter().filter(|it| it.name == "storage:comment") {
            self.out.push_str(comment.value.shown());
        }
    }

    fn group(&mut self, node: &Node<'_>) {
        let shown = node.text_of("/type").unwrap_or_default();
        if shown == "ac:layout" && holds_only(node, &[Kind::LayoutSection]) {
            self.tag(Tag::of("ac:layout", node).but(&["/type"]), &[]);
            self.sections(&node.children);
            return self.close("ac:layout");
        }
        let name = if shown == "ac:inline-comment-marker" {
            shown
        } else {
            shown.strip_prefix("html:").unwrap_or_default()
        };
        let held = super::part(&node.children, Some(node), self.keep_raw);
        if is_group(name, &held) {
            self.tag(Tag::of(name, node).but(&["/type"]), &[]);
            self.out.push_str(&held);
            return self.close(name);
        }
        self.tag(Tag::of("div", node), &[]);
        self.out.push_str(&held);
        self.close("div");
    }

    pub(super) fn sections(&mut self, sections: &[Node<'_>]) {
        sections.iter().for_each(|it| self.section(it));
    }

    fn section(&mut self, node: &Node<'_>) {
        let kind = section_kind(node);
        let mark = node.mark(MarkKind::Breakout).filter(|it| is_breakout(it));
        let mode = mark.and_then(|it| it.text("mode"));
        let width = mark.and_then(|it| it.get("width")).map(Value::shown);
        let mut native = vec![("ac:type", &*kind)];
        native.extend(mode.map(|it| ("ac:breakout-mode", it)));
        native.extend(width.map(|it| ("ac:breakout-width", it)));
        let told: &[MarkKind] = if mark.is_some() { &[MarkKind::Breakout] } else { &[] };
        self.tag(Tag::of("ac:layout-section", node).but(&["ac:type"]).but_marks(told), &native);
        self.columns(&node.children, node);
        self.close("ac:layout-section");
    }

    /// Writes `columns`, which are columns of the layout section `section`.
    pub(super) fn columns(&mut self, columns: &[Node<'_>], section: &Node<'_>) {
        let kind = section_kind(section);
        for (index, column) in columns.iter().enumerate() {
            let at = section
                .children
                .iter()
                .position(|it| it == column)
                .filter(|_| columns.len() != section.children.len());
            let usual = layout::width(&kind, section.children.len(), at.unwrap_or(index));
            let width = json_number(column, "width");
            let shown = width.unwrap_or_default();
            let native: &[(&str, &str)] = if shown == usual { &[] } else { &[("data-width", shown)] };
            let used: &[&str] = if width.is_some() { &["width"] } else { &[] };
            self.tag(Tag::of("ac:layout-cell", column).but(used), native);
            self.blocks(&column.children, Kind::LayoutColumn);
            self.close("ac:layout-cell");
        }
    }

    fn task_list(&mut self, node: &Node<'_>) {
        let id = node.text_of("localId");
        let native: Vec<_> = id.map(|it| ("ac:task-list-id", it)).into_iter().collect();
        self.tag(Tag::of("ac:task-list", node).but(&["localId"]), &native);
        self.comments(node);
        self.blocks(&node.children, Kind::TaskList);
        self.close("ac:task-list");
    }

    fn task(&mut self, node: &Node<'_>) {
        let block = node.kind == Kind::BlockTaskItem;
        let state = node.text_of("state").unwrap_or_default();
        let status = match (state, node.text_of("ac:task-status")) {
            ("TODO", Some(status)) => status,
            ("DONE", _) => "complete",
            _ => "incomplete",
        };
        let id = node.text_of("localId");
        let mut used = vec!["ac:task-id", "ac:task-status"];
        used.extend(matches!(state, "TODO" | "DONE").then_some("state"));
        used.extend(id.map(|_| "localId"));
        let mut tag = Tag::of("ac:task", node).but(&used);
        if block
            && !node
                .children
                .iter()
                .any(|it| !it.kind.is_inline() && !matches!(it.kind, Kind::Extension | Kind::RawBlock))
        {
            tag = tag.kind(Kind::BlockTaskItem);
        }
        self.tag(tag, &[]);
        self.held("ac:task-id", node.text_of("ac:task-id"));
        self.held("ac:task-uuid", id);
        self.held("ac:task-status", Some(status));
        self.out.push_str("<ac:task-body>");
        let wrapped = node.text_of("storage:form") == Some("placeholder-inline-tasks");
        self.out.push_str(if wrapped { "<span class=\"placeholder-inline-tasks\">" } else { "" });
        self.blocks(&node.children, node.kind);
        self.out.push_str(if wrapped { "</span>" } else { "" });
        self.out.push_str("</ac:task-body></ac:task>");
    }

    /// Writes the element `name` with this text and nothing else; writes nothing if `text` is `None`.
    fn held(&mut self, name: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        self.out.push_str(&format!("<{name}>"));
        super::super::escape::encode(&mut self.out, text);
        self.close(name);
    }
}

/// Returns whether the reader would read the paragraph as a picture that is a block: it contains one picture
/// without marks, and no other text than white space.
fn is_lone_picture(node: &Node<'_>) -> bool {
    let blank =
        |it: &Node<'_>| it.kind == Kind::Text && it.marks.is_empty() && it.text.trim_ascii().is_empty();
    let mut held = node.children.iter().filter(|it| !blank(it));
    held.next().is_some_and(|it| it.kind == Kind::Image && it.marks.is_empty()) && held.next().is_none()
}

/// Returns whether a group whose content is written as `held` can be the element `name`, so that it is read
/// as a group again.
fn is_group(name: &str, held: &str) -> bool {
    if name == "ac:inline-comment-marker" {
        return has_blocks(held);
    }
    // The reader gives these elements another meaning.
    let other = matches!(name, "ul" | "ol" | "table" | "blockquote" | "colgroup" | "");
    let text =
        matches!(name, "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "pre") || !names::is_block(name);
    names::is_name(name)
        && !name.contains(':')
        && !other
        && !names::is_void(name)
        && (!text || has_blocks(held))
}

/// Returns whether the markup `held` contains a block, so that an element around it is read as a block too.
fn has_blocks(held: &str) -> bool {
    let (xml, _) = Xml::parse(held);
    xml.between(0, xml.items.len()).any(|it| xml.item(it).block)
}

/// Returns whether the list can be written as a task list. A `taskItem` that contains a block rules out the
/// whole list.
fn is_task_list(node: &Node<'_>) -> bool {
    let fits = |it: &Node<'_>| it.kind != Kind::TaskItem || it.children.iter().all(|it| it.kind.is_inline());
    holds_only(node, &[Kind::TaskItem, Kind::BlockTaskItem, Kind::TaskList]) && node.children.iter().all(fits)
}

/// Returns whether each child of the node is of one of these kinds.
pub(super) fn holds_only(node: &Node<'_>, kinds: &[Kind]) -> bool {
    node.children.iter().all(|it| kinds.contains(&it.kind))
}

/// Returns whether storage format can express all attributes of this breakout mark.
pub(super) fn is_breakout(mark: &crate::tree::Mark<'_>) -> bool {
    let mode = matches!(mark.text("mode"), Some("wide" | "full-width"));
    let width = match mark.get("width") {
        None => true,
        Some(Value::Json(width)) => style::is_number(width),
        Some(Value::Str(_)) => false,
    };
    mode && width && mark.attrs.len() == 1 + usize::from(mark.get("width").is_some())
}

fn section_kind<'n>(node: &'n Node<'_>) -> Cow<'n, str> {
    let widths: Vec<_> =
        node.children.iter().map(|it| json_number(it, "width").unwrap_or_default()).collect();
    node.text_of("ac:type").map_or_else(|| Cow::Borrowed(layout::kind(&widths)), Cow::Borrowed)
}

/// Returns the marks of a text block that are written in its `style` attribute.
fn told_marks(node: &Node<'_>) -> impl Iterator<Item = MarkKind> {
    let marks = node.marks.iter().filter(|it| it.attrs.len() == 1);
    marks.filter_map(|mark| match mark.kind {
        MarkKind::Alignment => matches!(mark.text("align"), Some("center" | "end")).then_some(mark.kind),
        MarkKind::Indentation => match mark.get("level") {
            Some(Value::Json(level)) => {
                matches!(&**level, "1" | "2" | "3" | "4" | "5" | "6").then_some(mark.kind)
            }
            _ => None,
        },
        _ => None,
    })
}

fn block_style(node: &Node<'_>) -> String {
    let mut parts = Vec::new();
    for kind in told_marks(node) {
        let Some(mark) = node.mark(kind) else { continue };
        parts.push(match mark.text("align") {
            Some("center") => "text-align: center;".to_owned(),
            Some(_) => "text-align: right;".to_owned(),
            None => {
                let level = mark.get("level").and_then(Value::as_integer).unwrap_or(1);
                format!("margin-left: {}.0px;", level * 30)
            }
        });
    }
    parts.extend(node.text_of("html:style").map(str::to_owned));
    parts.join(" ")
}
