//! Writes blocks, each in the first of these forms that carries all of it: CommonMark, CommonMark with
//! attributes in braces, a directive, ADF in a fence.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::super::attrs::{self, AttrPosition};
use super::super::names::CRLF;
use super::escape::Within;
use super::inline::Inline;
use super::lists::merge;
use super::out::Out;
use super::{directive, table};
use crate::Flavor;
use crate::lean::{is_unseen, lean};
use crate::tree::{Attr, Kind, MarkKind, Node, Value};
use crate::values::parameters;

/// A writer of blocks to `out`.
pub(super) struct Blocks {
    pub(super) out: Out,
    pub(super) flavor: Flavor,
    /// The names of the directives and HTML elements around the current position, the outermost first.
    pub(super) within: Vec<&'static str>,
    /// True if the next list has the second of the two signs that tell adjacent lists apart.
    pub(super) is_second: bool,
    /// True if the next siblings are written without what an edit leaves as it is.
    pub(super) is_lean: bool,
    /// True if a cell of HTML with one line of text is written on one line.
    pub(super) is_compact: bool,
}

impl Blocks {
    pub(super) fn new(flavor: Flavor) -> Self {
        Self {
            out: Out::new(),
            flavor,
            within: Vec::new(),
            is_second: false,
            is_lean: false,
            is_compact: false,
        }
    }

    /// Writes siblings with a blank line between them, and with an empty comment between lists that would be
    /// read as one.
    pub(super) fn siblings(&mut self, nodes: &[Node<'_>]) {
        self.each(nodes, |_, _| {});
    }

    /// Writes siblings like [`Blocks::siblings`]. After each block or run of inline nodes it calls `written`
    /// with the number of siblings written so far and the length of the output in bytes. An empty paragraph that an edit does
    /// not see counts as written.
    pub(super) fn each(&mut self, nodes: &[Node<'_>], mut written: impl FnMut(usize, usize)) {
        let is_lean = std::mem::take(&mut self.is_lean);
        let hides = is_lean && !nodes.iter().all(is_unseen);
        let (mut at, mut is_second, mut before) = (0, false, None);
        while at < nodes.len() {
            if hides && is_unseen(&nodes[at]) {
                at += 1;
                written(at, self.out.text.len());
                continue;
            }
            if let Some(before) = before {
                self.out.blank();
                self.divide(before, &nodes[at], &mut is_second);
            }
            let runs = nodes[at..].iter().take_while(|it| it.kind.is_inline()).count();
            if runs > 0 {
                let lean: Vec<Node<'_>> =
                    nodes[at..at + runs].iter().map(|it| shown(it, is_lean).into_owned()).collect();
                self.inline(&lean, Within::default());
            } else {
                self.block(&shown(&nodes[at], is_lean), false);
            }
            before = Some(&nodes[at]);
            at += runs.max(1);
            written(at, self.out.text.len());
        }
        self.is_lean = is_lean;
    }

    /// Keeps the sibling lists `a` and `b` apart, which would be read as one: the second has another sign, or an empty comment
    /// before it. `is_second` is whether `a` has the second of the two signs, and becomes whether `b` has it.
    pub(super) fn divide(&mut self, a: &Node<'_>, b: &Node<'_>, is_second: &mut bool) {
        let is_divided = merge(a, b);
        if is_divided && (b.kind == Kind::OrderedList || self.flavor == Flavor::Plain) {
            self.out.push("<!-- -->");
            self.out.blank();
        }
        *is_second = is_divided && !*is_second;
        self.is_second = *is_second;
    }

    /// Writes a block. `first` is whether the block is the first child of a list item.
    pub(super) fn block(&mut self, node: &Node<'_>, first: bool) {
        if self.try_block(node, first).is_none() {
            self.fence("adf", &crate::adf::node_json(node));
        }
    }

    /// Writes the block; `None`, with nothing written, if only ADF can carry it.
    fn try_block(&mut self, node: &Node<'_>, first: bool) -> Option<()> {
        match node.kind {
            Kind::Paragraph => self.paragraph(node)?,
            Kind::Heading => self.heading(node)?,
            Kind::BulletList | Kind::OrderedList => self.list(node)?,
            Kind::TaskList => self.tasks(node)?,
            Kind::Blockquote => {
                self.given(node, &[])?;
                let before = self.out.enter(if node.children.is_empty() { ">" } else { "> " }, "> ");
                self.siblings(&node.children);
                self.out.leave(before);
            }
            Kind::CodeBlock => self.code(node)?,
            Kind::Rule => {
                self.given(node, &[])?;
                self.out.push(if first { "***" } else { "---" });
            }
            Kind::Table => table::write(self, node)?,
            Kind::RawBlock => self.raw(node)?,
            Kind::Panel if self.flavor == Flavor::Plain => self.alert(node),
            Kind::Expand | Kind::NestedExpand if self.flavor == Flavor::Plain => self.details(node),
            Kind::MediaSingle if self.picture(node).is_some() => {}
            _ => self.directive(node)?,
        }
        Some(())
    }

    /// Writes the attributes of a block, except those named in `without`, on a line before the block. Returns
    /// `None`, with nothing written, if such a line can't carry them.
    pub(super) fn given(&mut self, node: &Node<'_>, without: &[&str]) -> Option<()> {
        let mut given = attrs::of_node(node)?;
        given.retain(|it| !without.contains(&&*it.name));
        if given.is_empty() {
            return Some(());
        }
        if !attrs::fit_block(&given) {
            return None;
        }
        self.line(&given);
        Some(())
    }

    fn line(&mut self, given: &[Attr<'_>]) {
        let mut text = String::new();
        directive::braces(&mut text, given, AttrPosition::Line);
        self.out.push(&text);
        self.out.blank();
    }

    pub(super) fn inline(&mut self, nodes: &[Node<'_>], within: Within) {
        Inline::new(&mut self.out, self.flavor, within).block(nodes);
    }

    fn paragraph(&mut self, node: &Node<'_>) -> Option<()> {
        let given = attrs::of_node(node)?;
        let empty = node.children.iter().all(|it| it.kind == Kind::Text && it.text.is_empty());
        if !given.is_empty() && !(if empty { attrs::fit_block(&given) } else { attrs::fit_text(&given) }) {
            return None;
        }
        if node.children.iter().any(|it| !it.kind.is_inline()) {
            return None;
        }
        if empty {
            if !given.is_empty() {
                self.line(&given);
            }
            self.out.push("<!-- empty paragraph -->");
            return Some(());
        }
        let within = Within { followed: !given.is_empty(), ..Within::default() };
        let mut inline = Inline::new(&mut self.out, self.flavor, within);
        // Markdown's own syntax for a picture alone in a paragraph would be read as a block.
        inline.alone = node.children.len() == 1 && self.flavor == Flavor::Extended;
        inline.block(&node.children);
        if !given.is_empty() {
            self.out.line();
            let mut text = String::new();
            directive::braces(&mut text, &given, AttrPosition::Text);
            self.out.push(&text);
        }
        Some(())
    }

    fn heading(&mut self, node: &Node<'_>) -> Option<()> {
        let Some(Value::Json(level)) = node.get("level") else { return None };
        let level: usize = level.parse().ok().filter(|it| (1..=6).contains(it))?;
        let mut given = attrs::of_node(node)?;
        given.retain(|it| it.name != "level");
        if !given.is_empty() && !attrs::fit_text(&given)
            || node.children.iter().any(|it| !it.kind.is_inline())
        {
            return None;
        }
        self.out.push(&"######"[..level]);
        if !node.children.is_empty() {
            self.out.push(" ");
            self.inline(&node.children, Within { heading: true, ..Within::default() });
        }
        if !given.is_empty() {
            let mut text = String::from(" ");
            directive::braces(&mut text, &given, AttrPosition::Text);
            self.out.push(&text);
        }
        Some(())
    }

    fn code(&mut self, node: &Node<'_>) -> Option<()> {
        let plain =
            |it: &Node<'_>| it.kind == Kind::Text && it.marks.is_empty() && !it.text.contains(['\r', '\0']);
        if !node.children.iter().all(plain) {
            return None;
        }
        let mut given = attrs::of_node(node)?;
        let mut info = String::new();
        if let Some(at) = given.iter().position(|it| it.name == "language")
            && let Some(language) = given[at].value.as_str()
            && (is_language(language) || given.len() == 1 && is_info(language))
        {
            info.push_str(language);
            given.remove(at);
        }
        if !given.is_empty() {
            info.push_str(if info.is_empty() { "{" } else { " {" });
            for (at, attr) in given.iter().enumerate() {
                info.push_str(if at > 0 { " " } else { "" });
                let name = if attr.name == "hideLineNumbers" { "hide-lines" } else { &*attr.name };
                match &attr.value {
                    Value::Json(text) if text == "true" => info.push_str(name),
                    value => attrs::write(&mut info, name, value, AttrPosition::Text),
                }
            }
            info.push('}');
        }
        let text: String = node.children.iter().map(|it| &*it.text).collect();
        self.fence(&info, &text);
        Some(())
    }

    /// Writes `text` in a fence with the info string `info`. The fence has more backticks than any run of
    /// them in `text`.
    fn fence(&mut self, info: &str, text: &str) {
        let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        self.out.push(&fence);
        self.out.push(info);
        self.out.line();
        if !text.is_empty() {
            self.out.lines(text);
            self.out.line();
        }
        self.out.push(&fence);
    }

    fn raw(&mut self, node: &Node<'_>) -> Option<()> {
        let format = node.text_of("/format")?;
        if !matches!(format, "markdown" | "storage" | "wiki" | "adf") {
            return None;
        }
        self.given(node, &["/format"])?;
        match format {
            "markdown" => self.out.lines(&node.text),
            // A fence can't keep CR LF, because its lines end like all lines of the Markdown, so the info
            // string records it.
            _ if has_only_crlf(&node.text) => {
                self.fence(&format!("{format}{CRLF}"), &node.text.replace("\r\n", "\n"));
            }
            _ => self.fence(format, &node.text),
        }
        Some(())
    }

    fn alert(&mut self, node: &Node<'_>) {
        let name = match node.text_of("panelType") {
            Some("info") => Some("> [!NOTE]"),
            Some("success") => Some("> [!TIP]"),
            Some("note") => Some("> [!IMPORTANT]"),
            Some("warning") => Some("> [!WARNING]"),
            Some("error") => Some("> [!CAUTION]"),
            _ => None,
        };
        if let Some(name) = name {
            self.out.push(name);
            self.out.line();
        }
        let before = self.out.enter("> ", "> ");
        self.siblings(&node.children);
        self.out.leave(before);
    }

    fn details(&mut self, node: &Node<'_>) {
        self.out.push("<details>");
        self.out.line();
        let title = node.text_of("title").unwrap_or_default();
        let escaped = title.replace('&', "&amp;").replace('<', "&lt;").replace('\n', " ");
        self.out.push(&format!("<summary>{escaped}</summary>"));
        self.out.blank();
        self.siblings(&node.children);
        self.out.blank();
        self.out.push("</details>");
    }

    fn picture(&mut self, node: &Node<'_>) -> Option<()> {
        picture(node, false).map(|it| self.out.push(&it))
    }

    /// Writes a macro with a plain text body as a fence with the name of the macro: ` ```plantuml {macro} `. Returns `None`, with
    /// nothing written, if a fence can't carry it.
    fn macro_fence(&mut self, name: &str, given: &[Attr<'_>]) -> Option<()> {
        let (body, others): (Vec<_>, Vec<_>) = given.iter().partition(|it| it.name == parameters::BODY);
        let ([body], "macro") = (&body[..], name) else { return None };
        let (key, others) = others.split_first()?;
        let (key, body) = (key.value.as_str()?, body.value.shown());
        if !is_language(key) || body.is_empty() || body.contains(['\r', '\0']) || self.flavor == Flavor::Plain
        {
            return None;
        }
        let mut info = format!("{key} {{macro");
        for attr in others {
            info.push(' ');
            attrs::write(&mut info, &attr.name, &attr.value, AttrPosition::Text);
        }
        info.push('}');
        if info.contains('`') {
            return None;
        }
        self.fence(&info, body);
        Some(())
    }

    fn directive(&mut self, node: &Node<'_>) -> Option<()> {
        let (name, given) = directive::block(node, self.within.last().copied())?;
        if node.kind == Kind::Extension && self.macro_fence(name, &given).is_some() {
            return Some(());
        }
        let body = match node.kind {
            Kind::MediaSingle => &node.children[1..],
            _ => &node.children[..],
        };
        if !holds(node, body) {
            return None;
        }
        let leaf = match node.kind {
            Kind::BlockCard | Kind::EmbedCard | Kind::Extension | Kind::SyncBlock | Kind::Media => true,
            Kind::MediaSingle => body.is_empty(),
            _ => false,
        };
        let colons = if leaf { 2 } else { 2 + height(node) };
        let mut line = ":".repeat(colons);
        line.push_str(name);
        directive::braces(&mut line, &given, AttrPosition::Line);
        self.out.push(&line);
        if leaf {
            return Some(());
        }
        self.out.line();
        self.within.push(name);
        match node.kind {
            Kind::DecisionList => self.decisions(body),
            Kind::MediaSingle => self.caption(&body[0]),
            _ => self.siblings(body),
        }
        self.within.pop();
        if !body.is_empty() {
            self.out.line();
        }
        self.out.push(&line[..colons]);
        Some(())
    }

    fn caption(&mut self, caption: &Node<'_>) {
        let text = Node { kind: Kind::Paragraph, attrs: ThinVec::new(), ..caption.clone() };
        self.block(&text, false);
    }
}

/// Returns what is written of `node`: all of it, or without what an edit leaves as it is.
fn shown<'n, 'a>(node: &'n Node<'a>, is_lean: bool) -> Cow<'n, Node<'a>> {
    if is_lean { lean(node) } else { Cow::Borrowed(node) }
}

/// Returns whether `body`, as the content of the directive for `node`, is read back as the same nodes.
fn holds(node: &Node<'_>, body: &[Node<'_>]) -> bool {
    let decision = |it: &Node<'_>| {
        let plain = it.attrs.iter().all(|it| it.name == "state" || !attrs::is_carried(it));
        let known = matches!(it.text_of("state"), Some("DECIDED" | "UNDECIDED"));
        it.kind == Kind::DecisionItem
            && plain
            && known
            && it.marks.is_empty()
            && it.children.iter().all(|it| it.kind.is_inline())
    };
    match node.kind {
        Kind::DecisionList => !body.is_empty() && body.iter().all(decision),
        Kind::MediaGroup => body.iter().all(|it| it.kind == Kind::Media),
        Kind::LayoutSection => body.iter().all(|it| it.kind == Kind::LayoutColumn),
        Kind::MediaSingle => true,
        _ => true,
    }
}

/// Returns the number of container directives on the longest path from `node` down, including that of `node`.
fn height(node: &Node<'_>) -> usize {
    let within = node.children.iter().filter(|it| !it.kind.is_inline()).map(height).max().unwrap_or(0);
    let contains = match node.kind {
        Kind::MediaSingle => node.children.len() > 1,
        Kind::Panel
        | Kind::Expand
        | Kind::NestedExpand
        | Kind::LayoutSection
        | Kind::LayoutColumn
        | Kind::MediaGroup
        | Kind::BodiedExtension
        | Kind::BodiedSyncBlock
        | Kind::DecisionList
        | Kind::Group
        | Kind::MultiBodiedExtension
        | Kind::ExtensionFrame => true,
        _ => false,
    };
    within + usize::from(contains)
}

/// Returns whether all of `text` would be read as a language if it were the info string of a fence.
fn is_info(text: &str) -> bool {
    let plain = |it: char| !it.is_control() && !"`~\\&".contains(it);
    !text.is_empty()
        && text.trim() == text
        && text.chars().all(plain)
        && super::super::read::is_language(text)
}

fn is_language(text: &str) -> bool {
    let plain = |it: char| it.is_ascii_alphanumeric() || "+#._-".contains(it);
    !text.is_empty() && text.chars().all(plain) && !matches!(text, "adf" | "storage" | "csf" | "wiki")
}

/// Returns whether `text` has at least one line end, and all of its line ends are CR LF.
fn has_only_crlf(text: &str) -> bool {
    let count = |sign: u8| memchr::memchr_iter(sign, text.as_bytes()).count();
    let both = text.matches("\r\n").count();
    both > 0 && count(b'\n') == both && count(b'\r') == both
}

/// Returns a media single as `![alt](url "title")`, or as a link around such a picture; `None` if this syntax does not carry all
/// of the node. `in_cell` is whether it is in a pipe table.
pub(super) fn picture(node: &Node<'_>, in_cell: bool) -> Option<String> {
    let [media] = &node.children[..] else { return None };
    let centered = attrs::of_node(node)?;
    let placed = matches!(&centered[..], [it] if it.name == "layout" && it.value.as_str() == Some("center"));
    let known = |it: &Attr<'_>| {
        it.value.as_str().is_some_and(|text| match &*it.name {
            "type" => text == "external",
            "url" => true,
            "alt" | "html:title" => !text.is_empty(),
            _ => false,
        })
    };
    let carried = media.attrs.iter().filter(|it| attrs::is_carried(it));
    let url = media.text_of("url")?;
    media.text_of("type")?;
    if !placed || media.kind != Kind::Media || !carried.clone().all(known) {
        return None;
    }
    let mut text = String::new();
    let (alt, title) = (media.text_of("alt"), media.text_of("html:title"));
    match &media.marks[..] {
        [] => directive::picture(&mut text, url, alt, title, in_cell),
        [link] if link.kind == MarkKind::Link && directive::is_plain_link(link) => {
            text.push('[');
            directive::picture(&mut text, url, alt, title, in_cell);
            let (href, title) = (link.text("href").unwrap_or_default(), link.text("title"));
            super::span::destination(&mut text, href, title, in_cell);
        }
        _ => return None,
    }
    Some(text)
}
