//! Writes macros: code blocks, panels, expands, layouts and extensions.

use std::borrow::Cow;

use super::Writer;
use super::block::{is_confluence, only};
use crate::tree::{Kind, MACRO, Node};
use crate::values::{json, macros, parameters};
use crate::wiki::names::{self, Class, DEFAULT_LANGUAGE};
use crate::wiki::params;
use crate::wiki::read::Container;

/// Returns the macro parameters of `node` (its attributes `param:NAME`) that ADF has no attribute for.
fn own_params<'n>(node: &'n Node<'_>) -> impl Iterator<Item = (&'n str, &'n str)> {
    node.attrs.iter().filter_map(|it| Some((it.name.strip_prefix("param:")?, it.value.shown())))
}

/// Returns the parameters that ADF has no attribute for as markup; `None` if one of them can't be written.
pub(super) fn params_of(node: &Node<'_>) -> Option<String> {
    params::write(own_params(node))
}

impl Writer {
    /// Returns `{name:params}`, the blocks of `node`, and `{name}`; `None` inside a macro of that name if
    /// there are no `params`, because the tag would close that macro.
    pub(super) fn body(&mut self, name: &str, params: String, node: &Node<'_>) -> Option<String> {
        // A tag without parameters would close the macro around it.
        if params.is_empty() && self.open.iter().any(|it| it == name) {
            return None;
        }
        self.open.push(name.to_owned());
        let body = self.blocks(&node.children, Container::Block);
        self.open.pop();
        let lines = if body.is_empty() { "\n".to_owned() } else { format!("\n{body}\n") };
        Some(format!("{{{name}{params}}}{lines}{{{name}}}"))
    }

    /// Returns the markup of a code block; `None` if markup cannot express all of it. Without a language it
    /// is a `{noformat}`, because a bare `{code}` means Java.
    pub(super) fn code(&self, node: &Node<'_>) -> Option<String> {
        only(node, &["language"])?;
        if node.children.iter().any(|it| it.kind != Kind::Text || !it.marks.is_empty()) {
            return None;
        }
        let text: String = node.children.iter().map(|it| it.text.as_ref()).collect();
        let language = node.text_of("language");
        let is_default = node.text_of("wiki:form") == Some("code") && language == Some(DEFAULT_LANGUAGE);
        let name = if language.is_none() { "noformat" } else { "code" };
        if text.contains(&format!("{{{name}}}")) || (text.is_empty() && !node.children.is_empty()) {
            return None;
        }
        let key = node.text_of("wiki:language").unwrap_or_default();
        let shown = language.filter(|_| !is_default).map(|it| (key, it));
        let params = params::write(shown.into_iter().chain(own_params(node)))?;
        let is_tight =
            node.text_of("wiki:lines").is_some() && !text.starts_with('\n') && !text.ends_with('\n');
        let is_tight = is_tight && !text.starts_with("\r\n");
        let line = if is_tight { "" } else { "\n" };
        Some(format!("{{{name}{params}}}{line}{text}{line}{{{name}}}"))
    }

    pub(super) fn panel(&mut self, node: &Node<'_>) -> Option<String> {
        only(node, &["panelType"])?;
        let kind = node.text_of("panelType")?;
        if is_confluence(self.dialect) {
            let name = macros::panel_macro(kind).filter(|_| kind != "custom")?;
            return self.body(name, params::write(own_params(node))?, node);
        }
        let background = names::BACKGROUNDS.iter().find(|it| it.1 == kind)?.0;
        let said = node.text_of("param:bgColor").map(str::trim);
        let found = names::BACKGROUNDS.iter().find(|it| Some(it.0) == said).map_or("info", |it| it.1);
        if found == kind {
            return self.body("panel", params::write(own_params(node))?, node);
        }
        let others = own_params(node).filter(|it| it.0 != "bgColor");
        self.body("panel", params::write(others.chain([("bgColor", background)]))?, node)
    }

    pub(super) fn expand(&mut self, node: &Node<'_>) -> Option<String> {
        only(node, &["title"])?;
        if !is_confluence(self.dialect) {
            return None;
        }
        let title = node.text_of("title");
        let key = match node.text_of("wiki:form") {
            Some("title=") => "title",
            _ if title.is_some_and(|it| it.contains('=') || it.is_empty()) => "title",
            _ => "",
        };
        let params = params::write(title.map(|it| (key, it)).into_iter().chain(own_params(node)))?;
        self.body("expand", params, node)
    }

    pub(super) fn layout(&mut self, node: &Node<'_>) -> Option<String> {
        only(node, &["width"])?;
        if !is_confluence(self.dialect) {
            return None;
        }
        let is_section = node.kind == Kind::LayoutSection;
        let is_shared = node.text_of("wiki:width").is_some();
        let width = node.get("width").filter(|_| !is_shared).map(|it| format!("{}%", it.shown()));
        let said = width.as_deref().map(|it| ("width", it));
        let params = params::write(said.into_iter().chain(own_params(node)))?;
        self.body(if is_section { "section" } else { "column" }, params, node)
    }

    pub(super) fn bodied(&mut self, node: &Node<'_>) -> Option<String> {
        let (name, params, body) = self.said(node)?;
        let is_known = names::class(&name, self.dialect) == Some(Class::Unknown);
        if !is_known || body.is_some() || self.singles.contains(&name) {
            return None;
        }
        self.bodied.insert(name.clone());
        self.body(&name, params, node)
    }

    pub(super) fn extension(&mut self, node: &Node<'_>, place: Container) -> Option<String> {
        let (name, params, body) = self.said(node)?;
        let class = names::class(&name, self.dialect)?;
        match (class, body) {
            (Class::Plain, Some(body)) if !body.contains(&format!("{{{name}}}")) => {
                Some(format!("{{{name}{params}}}{body}{{{name}}}"))
            }
            (Class::Unknown, None) if place == Container::Block && self.is_new(&name) => {
                Some(format!("{{{name}{params}}}"))
            }
            (Class::Single, None) if place == Container::Block && name != "anchor" => {
                Some(format!("{{{name}{params}}}"))
            }
            _ => None,
        }
    }

    /// Returns the tag of a macro within text; `None` if markup can't express the macro there.
    pub(super) fn inline_extension(&mut self, node: &Node<'_>) -> Option<String> {
        let (name, params, body) = self.said(node)?;
        let is_single = match names::class(&name, self.dialect)? {
            Class::Single => true,
            Class::Unknown => self.is_new(&name),
            _ => false,
        };
        (is_single && body.is_none()).then(|| format!("{{{name}{params}}}"))
    }

    /// Records `name` as that of an unknown macro written without a body. Returns whether no macro of this
    /// name was written before.
    fn is_new(&mut self, name: &str) -> bool {
        !self.bodied.contains(name) && self.singles.insert(name.to_owned())
    }

    /// Returns the name, the parameters as markup and the plain-text body of a macro; `None` if markup cannot
    /// express all of them.
    fn said(&self, node: &Node<'_>) -> Option<(String, String, Option<String>)> {
        only(node, &["extensionType", "extensionKey", "parameters", "text"])?;
        if node.text_of("extensionType") != Some(MACRO) || !node.marks.is_empty() {
            return None;
        }
        let name = node.text_of("extensionKey")?;
        let is_name = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_');
        if !name.starts_with(|it: char| it.is_ascii_alphabetic())
            || !name.bytes().all(is_name)
            || name.len() > 64
        {
            return None;
        }
        let parts = match node.get("parameters") {
            Some(value) => read_params(value.shown())?,
            None => parameters::Parts::default(),
        };
        let params = params::write(parts.params.iter().map(|it| (&*it.0, &*it.1)))?;
        Some((name.to_owned(), params, parts.body.map(Cow::into_owned)))
    }
}

/// Parses the JSON parameters of a macro; returns `None` if markup cannot express them. Metadata, which only
/// identifies the macro, is ignored.
fn read_params(text: &str) -> Option<parameters::Parts<'_>> {
    if json::members(text)?.is_empty() {
        return Some(parameters::Parts::default());
    }
    let parts = parameters::read(text)?;
    let extra = parts.extra.as_deref().and_then(json::members).unwrap_or_default();
    extra.iter().all(|it| it.0 == "macroMetadata").then_some(parts)
}
