//! Writes start tags.
//!
//! In: the attributes of a node or a mark. Out: attributes of the element. Attributes that the element cannot
//! express go into `data-plainwire` if [`Writer::keep_raw`] is set, and are left out otherwise.

use super::super::read::EXTRA;
use super::super::{escape, names};
use super::Writer;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Value};
use crate::values::json::quote;

/// A start tag that is being written.
pub(super) struct Tag<'t, 'a> {
    element: &'t str,
    attrs: &'t [Attr<'a>],
    marks: &'t [Mark<'a>],
    /// The names of the attributes that the caller writes in another way, so that the tag leaves them out.
    used: &'t [&'t str],
    used_marks: &'t [MarkKind],
    /// The kind of the node, if the reader would take the element for another kind; written into
    /// `data-plainwire`.
    kind: Option<Kind>,
    /// The names of the attributes that have been written so far.
    written: Vec<&'t str>,
    /// The number of names at the start of `written` that are native attributes (those that storage format
    /// itself defines). The value of a native attribute comes from the node's first attribute with that name,
    /// so that attribute is not written again.
    native: usize,
}

impl<'t, 'a> Tag<'t, 'a> {
    /// Creates the tag for a node, with the node's attributes and, unless it is inline, its marks.
    pub(super) fn of(element: &'t str, node: &'t Node<'a>) -> Self {
        let marks: &[Mark<'a>] = if node.kind.is_inline() { &[] } else { &node.marks };
        Self {
            element,
            attrs: &node.attrs,
            marks,
            used: &[],
            used_marks: &[],
            kind: None,
            written: Vec::new(),
            native: 0,
        }
    }

    /// Creates the tag for the element of a mark, with the mark's attributes.
    pub(super) fn of_mark(element: &'t str, mark: &'t Mark<'a>) -> Self {
        Self {
            element,
            attrs: &mark.attrs,
            marks: &[],
            used: &[],
            used_marks: &[],
            kind: None,
            written: Vec::new(),
            native: 0,
        }
    }

    /// Leaves the attributes with the names `used` out of the tag.
    pub(super) fn but(mut self, used: &'t [&'t str]) -> Self {
        self.used = used;
        self
    }

    /// Leaves marks of the kinds `used` out of the tag.
    pub(super) fn but_marks(mut self, used: &'t [MarkKind]) -> Self {
        self.used_marks = used;
        self
    }

    /// Records the node's kind in the tag, for an element that would be read as another kind.
    pub(super) fn kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }
}

impl Writer {
    /// Writes `<`, the name of the tag, and its native attributes, which storage format itself defines.
    /// [`Self::finish`] writes the other attributes.
    pub(super) fn open<'t>(&mut self, tag: &mut Tag<'t, '_>, native: &[(&'t str, &str)]) {
        self.out.push('<');
        self.out.push_str(tag.element);
        for (name, value) in native {
            self.attribute(name, value);
            tag.written.push(name);
        }
        tag.native = native.len();
    }

    /// Writes a whole start tag, with the `native` attributes first.
    pub(super) fn tag<'t>(&mut self, mut tag: Tag<'t, '_>, native: &[(&'t str, &str)]) {
        self.open(&mut tag, native);
        self.finish(tag);
        self.out.push('>');
    }

    /// Writes a whole empty-element tag (`<br />`), with the `native` attributes first.
    pub(super) fn lone_tag<'t>(&mut self, mut tag: Tag<'t, '_>, native: &[(&'t str, &str)]) {
        self.open(&mut tag, native);
        self.finish(tag);
        self.out.push_str(" />");
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape::encode_value(&mut self.out, value);
        self.out.push('"');
    }

    /// Writes the attributes of the tag that are not yet written. Those that the element cannot express, and
    /// the marks, go into `data-plainwire`.
    fn finish(&mut self, mut tag: Tag<'_, '_>) {
        let mut rest = Vec::new();
        for attr in tag.attrs.iter().filter(|it| !tag.used.contains(&&*it.name)) {
            match spelled(tag.element, attr) {
                Spelled::As(name) if !tag.written.contains(&name) => {
                    self.attribute(name, attr.value.shown());
                    tag.written.push(name);
                }
                Spelled::As(name) if tag.written[..tag.native].contains(&name) => {
                    let told = tag.written.iter().position(|it| *it == name).unwrap_or_default();
                    tag.written[told] = tag.written[tag.native - 1];
                    tag.written[tag.native - 1] = name;
                    tag.native -= 1;
                }
                Spelled::Elsewhere => {}
                _ if says_nothing(attr) => {}
                _ => rest.push(attr),
            }
        }
        let marks: Vec<_> = tag.marks.iter().filter(|it| !tag.used_marks.contains(&it.kind)).collect();
        if self.keep_raw && (!rest.is_empty() || !marks.is_empty() || tag.kind.is_some()) {
            let extra = extra(tag.kind.and_then(Kind::adf_name), &rest, &marks);
            self.attribute(EXTRA, &extra);
        }
    }
}

enum Spelled<'n> {
    As(&'n str),
    /// The attribute is written in the content of the element, or not at all because it only records how
    /// another format spells the node.
    Elsewhere,
    Nowhere,
}

/// Returns whether the attribute only records that a part of the ADF node, such as `marks`, is present but
/// empty.
fn says_nothing(attr: &Attr<'_>) -> bool {
    attr.name.starts_with('/') && attr.is_incidental()
}

/// Returns how an attribute of the node or mark is written on this element.
fn spelled<'n>(element: &str, attr: &'n Attr<'_>) -> Spelled<'n> {
    let prefixed = element.starts_with("ac:") || element.starts_with("ri:");
    let name = &*attr.name;
    match (name.split_once(':'), &attr.value) {
        (None, Value::Str(_)) if name == "localId" => {
            Spelled::As(if prefixed { "ac:local-id" } else { "local-id" })
        }
        (None, _) => Spelled::Nowhere,
        (Some(("html", name)), Value::Str(_)) if names::is_name(name) && name != EXTRA => Spelled::As(name),
        (Some(("ac" | "ri", _)), Value::Str(_)) if names::is_name(name) => Spelled::As(name),
        (Some(("html" | "ac" | "ri", _)), _) => Spelled::Nowhere,
        _ => Spelled::Elsewhere,
    }
}

/// Returns the JSON for `data-plainwire`: the kind, attributes and marks that no attribute of the element can
/// express.
fn extra(kind: Option<&str>, attrs: &[&Attr<'_>], marks: &[&Mark<'_>]) -> String {
    let mut members = Vec::new();
    members.extend(kind.map(|it| format!("\"type\":\"{it}\"")));
    if !attrs.is_empty() {
        members.push(format!("\"attrs\":{}", object(attrs)));
    }
    if !marks.is_empty() {
        let marks: Vec<_> = marks.iter().map(|it| mark_json(it)).collect();
        members.push(format!("\"marks\":[{}]", marks.join(",")));
    }
    format!("{{{}}}", members.join(","))
}

/// Returns the ADF JSON of a mark.
pub(super) fn mark_json(mark: &Mark<'_>) -> String {
    let mut out = "{\"type\":".to_owned();
    quote(&mut out, mark.name());
    let attrs: Vec<_> = mark.attrs.iter().filter(|it| it.name != "/type").collect();
    if !attrs.is_empty() {
        out.push_str(&format!(",\"attrs\":{}", object(&attrs)));
    }
    out.push('}');
    out
}

fn object(attrs: &[&Attr<'_>]) -> String {
    let mut out = "{".to_owned();
    for (index, attr) in attrs.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        quote(&mut out, &attr.name);
        out.push(':');
        match &attr.value {
            Value::Str(text) => quote(&mut out, text),
            Value::Json(text) => out.push_str(text),
        }
    }
    out.push('}');
    out
}
