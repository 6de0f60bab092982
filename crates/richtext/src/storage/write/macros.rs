//! Writes macros: those for nodes that ADF has, such as panels and code blocks, and those for extensions.

use std::borrow::Cow;

use super::super::{escape, names};
use super::Writer;
use super::block::is_breakout;
use super::tag::Tag;
use crate::tree::{Kind, MACRO, MarkKind, Node, Value};
use crate::values::{colours, macros, parameters};

impl Writer {
    /// Writes the start tag of the macro `name` for a node that ADF has, and returns the element's name.
    /// `kind` is the node's kind, if the reader would take the macro for another kind.
    fn open_macro(&mut self, node: &Node<'_>, name: &str, used: &[&str], kind: Option<Kind>) -> &'static str {
        let element = element(node);
        let is_absent = node.text_of("storage:version") == Some("none");
        let version = node.text_of("ac:schema-version").or((!is_absent).then_some("1"));
        let told: &[MarkKind] = if breakout(node).is_some() { &[MarkKind::Breakout] } else { &[] };
        let mut tag = Tag::of(element, node).but(used).but_marks(told);
        if let Some(kind) = kind {
            tag = tag.kind(kind);
        }
        let version = version.map(|it| ("ac:schema-version", it));
        let native: Vec<_> = [("ac:name", name)].into_iter().chain(version).collect();
        self.tag(tag, &native);
        element
    }

    fn param(&mut self, name: &str, value: &str) {
        self.out.push_str("<ac:parameter");
        self.attribute("ac:name", name);
        self.out.push('>');
        escape::encode(&mut self.out, value);
        self.close("ac:parameter");
    }

    /// Writes the macro's parameters: the ADF attributes in `known` under their macro names, the attributes
    /// `param:NAME`, and the breakout mark.
    fn params(&mut self, node: &Node<'_>, known: &[(&str, &str)]) {
        for attr in &node.attrs {
            let other = attr.name.strip_prefix("param:");
            let name = other.or_else(|| known.iter().find(|it| it.0 == attr.name).map(|it| it.1));
            if let Some(name) = name {
                self.param(name, attr.value.shown());
            }
        }
        let [mode, width] = breakout(node).unwrap_or_default();
        for (name, value) in [("breakoutMode", mode), ("breakoutWidth", width)] {
            value.into_iter().for_each(|it| self.param(name, it));
        }
        for extra in node.attrs.iter().filter(|it| it.name == "storage:extra") {
            self.out.push_str(extra.value.shown());
        }
    }

    fn rich_body(&mut self, node: &Node<'_>) {
        self.out.push_str("<ac:rich-text-body>");
        self.blocks(&node.children, node.kind);
        self.out.push_str("</ac:rich-text-body>");
    }

    pub(super) fn panel(&mut self, node: &Node<'_>) {
        let panel_type = node.text_of("panelType").unwrap_or_default();
        let Some(name) = macros::panel_macro(panel_type) else { return self.raw_adf(node) };
        let custom = [
            ("panelIcon", "panelIcon"),
            ("panelIconId", "panelIconId"),
            ("panelIconText", "panelIconText"),
            ("panelColor", "bgColor"),
        ];
        let mut said: Vec<_> =
            custom.into_iter().filter(|it| panel_type == "custom" && node.text_of(it.0).is_some()).collect();
        // The reader takes a custom panel in the colour of a note, or without one, for a note.
        // `data-plainwire` then carries the type.
        let told =
            panel_type != "custom" || said.iter().any(|it| it.0 != "panelColor" || !is_note_colour(node));
        said.truncate(if told { said.len() } else { 0 });
        let mut used: Vec<_> = said.iter().map(|it| it.0).collect();
        used.extend(told.then_some("panelType"));
        let element = self.open_macro(node, name, &used, None);
        self.params(node, &said);
        self.rich_body(node);
        self.close(element);
    }

    pub(super) fn expand(&mut self, node: &Node<'_>, parent: Kind) {
        let title = node.text_of("title");
        let nested =
            matches!(parent, Kind::TableCell | Kind::TableHeader | Kind::Expand | Kind::NestedExpand);
        let usual = nested == (node.kind == Kind::NestedExpand);
        let used: &[&str] = if title.is_some() { &["title"] } else { &[] };
        let element = self.open_macro(node, "expand", used, (!usual).then_some(node.kind));
        self.params(node, &[("title", "title")][..used.len()]);
        self.rich_body(node);
        self.close(element);
    }

    pub(super) fn code(&mut self, node: &Node<'_>) {
        let form = node.text_of("storage:form").unwrap_or_default();
        if !node.children.iter().all(|it| it.kind == Kind::Text && it.marks.is_empty()) {
            return self.raw_adf(node);
        }
        let language = node.text_of("language");
        if form == "pre" && language.is_none() && breakout(node).is_none() {
            self.tag(Tag::of("pre", node), &[]);
            node.children.iter().for_each(|it| escape::encode(&mut self.out, &it.text));
            return self.close("pre");
        }
        let noformat = form == "noformat" && language.is_none();
        let name = if noformat { form } else { "code" };
        let used: &[&str] = if language.is_some() { &["language"] } else { &[] };
        let element = self.open_macro(node, name, used, None);
        self.params(node, &[("language", "language")][..used.len()]);
        self.out.push_str("<ac:plain-text-body>");
        self.data(&node.children);
        self.out.push_str("</ac:plain-text-body>");
        self.close(element);
    }

    /// Writes a status node as the macro `status`. The caller has checked that the node has a text and a
    /// known colour.
    pub(super) fn status(&mut self, node: &Node<'_>) {
        let colour = node.text_of("color").unwrap_or_default();
        let element = self.open_macro(node, "status", &["text", "color"], None);
        self.param("title", node.text_of("text").unwrap_or_default());
        let name = node.text_of("storage:form").filter(|it| *it == "color").unwrap_or("colour");
        match colour {
            "neutral" if name == "color" => self.param(name, "Grey"),
            "neutral" => {}
            it if colours::is_hex(it) => self.param(name, it),
            it => self.param(name, macros::status_of_adf(it).unwrap_or(it)),
        }
        self.params(node, &[]);
        self.close(element);
    }

    /// Writes an extension node as the macro that it stands for; as raw ADF if it stands for no macro or a
    /// macro can't express it.
    pub(super) fn extension(&mut self, node: &Node<'_>) {
        let given = node.get("parameters");
        let parts = match given {
            None => Some(parameters::Parts::default()),
            Some(Value::Json(text)) => parameters::read(text),
            Some(Value::Str(_)) => None,
        };
        let name = node.text_of("extensionKey").unwrap_or_default();
        let ours = node.text_of("extensionType") == Some(MACRO)
            && !has_node(name)
            && node.text_of("ac:name").is_none();
        let bodied = node.kind == Kind::BodiedExtension;
        let Some(parts) = parts.filter(|it| ours && (it.body.is_none() || !bodied)) else {
            return self.raw_adf(node);
        };
        let element = element(node);
        let layout = node.text_of("layout").filter(|_| node.kind != Kind::InlineExtension);
        let extra =
            if given.is_none() { Some(Cow::Borrowed(names::ABSENT)) } else { parts.extra.map(Cow::Owned) };
        let mut native = vec![("ac:name", name)];
        native.extend(parts.version.as_deref().map(|it| ("ac:schema-version", it)));
        native.extend(layout.map(|it| ("data-layout", it)));
        native.extend(parts.macro_id.as_deref().map(|it| ("ac:macro-id", it)));
        native.extend(extra.as_deref().filter(|_| self.keep_raw).map(|it| (names::EXTRA_PARAMETERS, it)));
        let mut used = vec!["extensionKey", "extensionType", "parameters"];
        used.extend(layout.map(|_| "layout"));
        self.tag(Tag::of(element, node).but(&used), &native);
        for (name, value, markup) in &parts.params {
            match markup {
                None => self.param(name, value),
                Some(markup) => self.markup_param(name, markup),
            }
        }
        for extra in node.attrs.iter().filter(|it| it.name == "storage:extra") {
            self.out.push_str(extra.value.shown());
        }
        if let Some(body) = &parts.body {
            self.out.push_str("<ac:plain-text-body>");
            self.data(&[Node::of_text(&**body)]);
            self.out.push_str("</ac:plain-text-body>");
        }
        if bodied {
            self.rich_body(node);
        }
        self.close(element);
    }

    fn markup_param(&mut self, name: &str, markup: &str) {
        self.out.push_str("<ac:parameter");
        self.attribute("ac:name", name);
        self.out.push('>');
        self.out.push_str(markup);
        self.close("ac:parameter");
    }
}

/// Returns whether the reader turns a macro called `name` into a node that is not an extension.
fn has_node(name: &str) -> bool {
    names::is_block_macro(name) || matches!(name, "status" | "plainwire-raw")
}

fn element(node: &Node<'_>) -> &'static str {
    if node.text_of("storage:element") == Some("ac:macro") { "ac:macro" } else { "ac:structured-macro" }
}

/// Returns whether a custom panel has the colour of ADF's `note`, so that the reader would take it for a
/// note.
fn is_note_colour(node: &Node<'_>) -> bool {
    node.text_of("panelColor").is_some_and(|it| it.eq_ignore_ascii_case("#EAE6FF"))
}

/// Returns the mode and the width of the node's breakout mark, if the macro for the node has parameters for
/// the two.
fn breakout<'n>(node: &'n Node<'_>) -> Option<[Option<&'n str>; 2]> {
    if !matches!(node.kind, Kind::CodeBlock | Kind::Expand | Kind::NestedExpand) {
        return None;
    }
    let mark = node.mark(MarkKind::Breakout).filter(|it| is_breakout(it))?;
    Some([mark.text("mode"), mark.get("width").map(Value::shown)])
}
