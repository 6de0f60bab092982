//! Reads macros: those that ADF has a node for, and all others.

use std::borrow::Cow;

use super::super::{names, xml};
use super::{Reader, Scope};
use crate::tree::{Attr, Kind, MACRO, Node};
use crate::values::{colours, macros, parameters};

/// The parts of a macro element.
pub(super) struct Macro<'a> {
    pub(super) name: Cow<'a, str>,
    params: Vec<Param<'a>>,
    plain_body: Option<usize>,
    rich_body: Option<usize>,
    /// The source of the child elements that are neither a parameter nor a body.
    extra: Cow<'a, str>,
}

struct Param<'a> {
    name: Cow<'a, str>,
    text: Cow<'a, str>,
    /// The source of the parameter's value, if that is more than text.
    markup: Option<&'a str>,
}

impl<'a> Macro<'a> {
    /// Returns the text of the parameter called `name`.
    pub(super) fn param(&self, name: &str) -> Option<&Cow<'a, str>> {
        self.params.iter().find(|it| it.name == name).map(|it| &it.text)
    }

    /// Returns the text of the macro's plain-text body; `None` if it has no such body.
    pub(super) fn body_text(&self, reader: &Reader<'_, 'a>) -> Option<Cow<'a, str>> {
        Some(reader.code_text(self.plain_body?).map(|it| it.text).unwrap_or_default())
    }

    fn is_plain(&self) -> bool {
        self.params.iter().all(|it| it.markup.is_none())
    }
}

impl<'a> Reader<'_, 'a> {
    /// Reads the macro at `index`, which is a block; returns `None` if the macro is malformed.
    pub(super) fn block_macro(&mut self, index: usize, scope: Scope) -> Option<Node<'a>> {
        let found = self.parts_of_macro(index)?;
        if found.name == "plainwire-raw" {
            return self.plainwire(index, &found, Kind::RawBlock);
        }
        let known = match &*found.name {
            "code" | "noformat" => self.code(index, &found),
            "expand" => self.expand(index, &found, scope),
            name => macros::panel_type(name).and_then(|it| self.panel(index, &found, it, scope)),
        };
        known.or_else(|| self.any_block_macro(index, &found, scope))
    }

    /// Reads the macro at `index`, which is within text; returns `None` if the macro is malformed or has a
    /// body of blocks.
    pub(super) fn inline_macro(&mut self, index: usize) -> Option<Node<'a>> {
        let found = self.parts_of_macro(index)?;
        match &*found.name {
            "plainwire-raw" => return self.plainwire(index, &found, Kind::RawInline),
            "status" => {
                if let Some(status) = self.status(index, &found) {
                    return Some(status);
                }
            }
            _ => {}
        }
        found.rich_body.is_none().then(|| self.extension(index, &found, Kind::InlineExtension))
    }

    fn parts_of_macro(&self, index: usize) -> Option<Macro<'a>> {
        let name = self.xml.attribute(index, "ac:name")?;
        let mut found =
            Macro { name, params: Vec::new(), plain_body: None, rich_body: None, extra: Cow::Borrowed("") };
        for child in self.xml.children(index).filter(|it| !self.xml.is_blank(*it)) {
            let bare = self.xml.attributes(child).next().is_none();
            let repeated = match self.xml.name(child) {
                "ac:parameter" if self.xml.attributes(child).all(|it| it.name == "ac:name") => {
                    found.params.push(self.param(child));
                    false
                }
                "ac:plain-text-body" if bare && self.plain(child).is_some() => {
                    found.plain_body.replace(child).is_some()
                }
                "ac:rich-text-body" if bare => found.rich_body.replace(child).is_some(),
                _ => {
                    found.extra += self.xml.raw(child);
                    false
                }
            };
            if repeated {
                return None;
            }
        }
        let sound = (found.extra.is_empty() || xml::is_sound(&found.extra))
            && found.params.iter().all(|it| it.markup.is_none_or(xml::is_sound));
        (sound && (found.plain_body.is_none() || found.rich_body.is_none())).then_some(found)
    }

    fn param(&self, index: usize) -> Param<'a> {
        let name = self.xml.attribute(index, "ac:name").unwrap_or_default();
        if let Some(text) = self.plain(index) {
            return Param { name, text, markup: None };
        }
        let titles =
            ["ri:content-title", "ri:filename", "ri:space-key", "ri:account-id", "ri:userkey", "ri:value"];
        let shown = (index + 1..self.xml.item(index).next as usize)
            .find_map(|it| titles.iter().find_map(|name| self.xml.attribute(it, name)));
        Param { name, text: shown.unwrap_or_default(), markup: Some(self.xml.inner(index)) }
    }

    /// Creates a node of this kind for a macro that ADF has a node for, with the macro's attributes and its
    /// parameters except those in `known`.
    fn known_macro(&self, index: usize, found: &Macro<'a>, kind: Kind, known: &[&str]) -> Node<'a> {
        let mut node = self.element(index, kind, &["ac:name", "ac:schema-version"]);
        match self.xml.attribute(index, "ac:schema-version") {
            Some(version) if version == "1" => {}
            Some(version) => node.attrs.push(Attr::string("ac:schema-version", version)),
            None => node.attrs.push(Attr::string("storage:version", "none")),
        }
        let others = found.params.iter().filter(|it| !known.contains(&&*it.name));
        node.attrs.extend(others.map(|it| Attr::string(format!("param:{}", it.name), it.text.clone())));
        self.form(index, found, &mut node);
        node
    }

    /// Records in `storage:` attributes of `node` what is unusual in the spelling of the macro: unknown child
    /// elements, and the old element name `ac:macro`.
    fn form(&self, index: usize, found: &Macro<'a>, node: &mut Node<'a>) {
        if !found.extra.is_empty() {
            node.attrs.push(Attr::string("storage:extra", found.extra.clone()));
        }
        if self.xml.name(index) == "ac:macro" {
            node.attrs.push(Attr::string("storage:element", "ac:macro"));
        }
    }

    fn panel(
        &mut self,
        index: usize,
        found: &Macro<'a>,
        panel_type: &'static str,
        scope: Scope,
    ) -> Option<Node<'a>> {
        if !found.is_plain() || found.plain_body.is_some() {
            return None;
        }
        let icon = ["panelIcon", "panelIconId", "panelIconText"].iter().any(|it| found.param(it).is_some());
        // The colour of ADF's `note`, which Confluence also writes as a `panel` macro.
        let coloured = found.param("bgColor").is_some_and(|it| !it.eq_ignore_ascii_case("#EAE6FF"));
        let custom = found.name == "panel" && (icon || coloured);
        let known: &[&str] =
            if custom { &["panelIcon", "panelIconId", "panelIconText", "bgColor"] } else { &[] };
        let mut node = self.known_macro(index, found, Kind::Panel, known);
        let mut said = vec![Attr::string("panelType", if custom { "custom" } else { panel_type })];
        let names = [
            ("panelIcon", "panelIcon"),
            ("panelIconId", "panelIconId"),
            ("panelIconText", "panelIconText"),
            ("bgColor", "panelColor"),
        ];
        let custom_ones = found.params.iter().filter(|_| custom);
        said.extend(custom_ones.filter_map(|param| {
            let name = names.iter().find(|it| it.0 == param.name)?.1;
            Some(Attr::string(name, param.text.clone()))
        }));
        node.attrs.splice(0..0, said);
        Some(self.with_body(index, found, node, scope))
    }

    fn expand(&mut self, index: usize, found: &Macro<'a>, scope: Scope) -> Option<Node<'a>> {
        if !found.is_plain() || found.plain_body.is_some() {
            return None;
        }
        let kind = if scope.nested { Kind::NestedExpand } else { Kind::Expand };
        let mut node = self.known_macro(index, found, kind, &["title", "breakoutMode", "breakoutWidth"]);
        node.attrs.splice(0..0, found.param("title").map(|it| Attr::string("title", it.clone())));
        self.breakout_params(found, &mut node);
        Some(self.with_body(index, found, node, scope.nested()))
    }

    fn code(&self, index: usize, found: &Macro<'a>) -> Option<Node<'a>> {
        if !found.is_plain() || found.rich_body.is_some() {
            return None;
        }
        let noformat = found.name == "noformat";
        let known: &[&str] = if noformat {
            &["breakoutMode", "breakoutWidth"]
        } else {
            &["language", "breakoutMode", "breakoutWidth"]
        };
        let mut node = self.known_macro(index, found, Kind::CodeBlock, known);
        let language = found.param("language").filter(|_| !noformat);
        node.attrs.splice(0..0, language.map(|it| Attr::string("language", it.clone())));
        if noformat {
            node = node.with("storage:form", "noformat");
        }
        self.breakout_params(found, &mut node);
        node.inner = found.plain_body.map_or(node.inner, |it| self.xml.item(it).inner());
        node.children.extend(found.plain_body.and_then(|it| self.code_text(it)));
        Some(self.finish(index, node))
    }

    fn breakout_params(&self, found: &Macro<'a>, node: &mut Node<'a>) {
        let said = |name| found.param(name).cloned();
        self.breakout(
            node,
            said("breakoutMode"),
            said("breakoutWidth"),
            "param:breakoutMode",
            "param:breakoutWidth",
        );
    }

    fn status(&self, index: usize, found: &Macro<'a>) -> Option<Node<'a>> {
        let text = found.param("title").filter(|it| !it.is_empty())?;
        let american = found.param("colour").is_none() && found.param("color").is_some();
        let written = found.param("colour").or_else(|| found.param("color")).cloned().unwrap_or_default();
        let lower = written.to_ascii_lowercase();
        let colour = match &*lower {
            "" | "gray" => "neutral",
            _ if colours::is_hex(&written) => &written,
            _ => macros::status_of_macro(&lower)?,
        };
        if !found.is_plain() || found.plain_body.is_some() || found.rich_body.is_some() {
            return None;
        }
        let known = if american { ["title", "color"] } else { ["title", "colour"] };
        let mut node = self.known_macro(index, found, Kind::Status, &known);
        let said = [Attr::string("text", text.clone()), Attr::string("color", colour.to_owned())];
        node.attrs.splice(0..0, said);
        if american && !written.is_empty() {
            node = node.with("storage:form", "color");
        }
        node.inner = node.span;
        Some(self.finish(index, node))
    }

    fn any_block_macro(&mut self, index: usize, found: &Macro<'a>, scope: Scope) -> Option<Node<'a>> {
        let kind = if found.rich_body.is_some() { Kind::BodiedExtension } else { Kind::Extension };
        let node = self.extension(index, found, kind);
        Some(if found.rich_body.is_some() { self.with_body(index, found, node, scope) } else { node })
    }

    /// Reads the macro's body of blocks, if it has one, into `node`.
    fn with_body(&mut self, index: usize, found: &Macro<'a>, mut node: Node<'a>, scope: Scope) -> Node<'a> {
        if let Some(body) = found.rich_body {
            node.inner = self.xml.item(body).inner();
            node.children = self.blocks(self.xml.children(body), scope.deeper());
        }
        if node.kind == Kind::BodiedExtension { node } else { self.finish(index, node) }
    }

    /// Creates the extension node, of this kind, for a macro that ADF has no node for.
    fn extension(&self, index: usize, found: &Macro<'a>, kind: Kind) -> Node<'a> {
        let mut known = vec!["ac:name", "ac:schema-version", "ac:macro-id", names::EXTRA_PARAMETERS];
        // ADF has no `layout` on inline nodes.
        let layout = self.xml.attribute(index, "data-layout").filter(|_| kind != Kind::InlineExtension);
        let layout = layout.map(|it| Attr::string("layout", it));
        known.extend(layout.as_ref().map(|_| "data-layout"));
        let mut node = self.element(index, kind, &known);
        let said = [Attr::string("extensionType", MACRO), Attr::string("extensionKey", found.name.clone())];
        let absent = found.params.is_empty()
            && self.xml.attribute(index, names::EXTRA_PARAMETERS).is_some_and(|it| it == names::ABSENT);
        let params = (!absent).then(|| Attr::json("parameters", self.parameters(index, found)));
        node.attrs.splice(0..0, said.into_iter().chain(params).chain(layout));
        self.form(index, found, &mut node);
        if kind == Kind::Extension {
            node.inner = node.span;
        }
        self.finish(index, node)
    }

    /// Returns the parameters and the plain-text body of the macro as ADF's JSON.
    fn parameters(&self, index: usize, found: &Macro<'a>) -> String {
        let body = found.body_text(self);
        let mut params: Vec<_> = found.params.iter().map(|it| (&*it.name, &*it.text, it.markup)).collect();
        params.extend(body.as_deref().map(|it| (parameters::BODY, it, None)));
        let said = |name| self.xml.attribute(index, name);
        let extra = said(names::EXTRA_PARAMETERS);
        parameters::write(
            &params,
            said("ac:macro-id").as_deref(),
            said("ac:schema-version").as_deref(),
            extra.as_deref(),
        )
    }
}
