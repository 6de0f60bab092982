//! Reads the attributes of an element.
//!
//! In: the attributes of a start tag. Out: attributes of the node: `local-id` and `ac:local-id` become
//! `localId`, other names with `ac:` or `ri:` stay, and all others become `html:NAME`. ADF properties that
//! storage format lacks come from `data-plainwire`, as JSON.

use std::borrow::Cow;

use thin_vec::ThinVec;

use super::Reader;
use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Value};
use crate::values::json;

/// The name of the attribute with the ADF properties that storage format lacks:
/// `{"type":"…","attrs":{…},"marks":[{"type":"…","attrs":{…}}]}`. Each member is present only if needed.
pub(in super::super) const EXTRA: &str = "data-plainwire";

impl<'a> Reader<'_, 'a> {
    /// Creates a node of this kind for the element at `index`, with the element's attributes except
    /// `data-plainwire` and those in `known`.
    pub(super) fn element(&self, index: usize, kind: Kind, known: &[&str]) -> Node<'a> {
        self.room.take(1);
        let item = self.xml.item(index);
        let mut node = Node::new(kind).at(item.span(), item.inner());
        node.attrs = self.said(index, known);
        node
    }

    /// Returns the attributes of the element at `index` except `data-plainwire` and those in `known`.
    pub(super) fn said(&self, index: usize, known: &[&str]) -> ThinVec<Attr<'a>> {
        let said = self.xml.attributes(index).filter(|it| it.name != EXTRA && !known.contains(&it.name));
        said.map(|it| match it.name {
            "local-id" | "ac:local-id" => Attr::string("localId", it.value()),
            name if name.starts_with("ac:") || name.starts_with("ri:") => Attr::string(name, it.value()),
            name => Attr::string(format!("html:{name}"), it.value()),
        })
        .collect()
    }

    /// Applies the element's `data-plainwire` to `node`: its type and its attributes take precedence over
    /// those that the element implies, and its marks are added.
    pub(super) fn finish(&self, index: usize, mut node: Node<'a>) -> Node<'a> {
        let Some(extra) = self.xml.attribute(index, EXTRA) else { return node };
        let Some(members) = json::members(&extra) else {
            return node.with(format!("html:{EXTRA}"), extra.into_owned());
        };
        for (name, value) in members {
            match &*name {
                "type" => {
                    node.kind =
                        json::string(value).and_then(|it| same_shape(&it, node.kind)).unwrap_or(node.kind)
                }
                "attrs" => set_all(&mut node.attrs, value),
                "marks" => node
                    .marks
                    .extend(json::elements(value).unwrap_or_default().iter().filter_map(|it| mark(it))),
                _ => {}
            }
        }
        node
    }

    /// Returns the mark that the element's `data-plainwire` describes.
    pub(super) fn extra_mark(&self, index: usize) -> Option<Mark<'a>> {
        mark(&self.xml.attribute(index, EXTRA)?)
    }

    /// Returns `mark` with the attributes from the element's `data-plainwire` added.
    pub(super) fn finish_mark(&self, index: usize, mut mark: Mark<'a>) -> Mark<'a> {
        let extra = self.xml.attribute(index, EXTRA);
        let members = extra.as_deref().and_then(json::members).unwrap_or_default();
        members.iter().filter(|it| it.0 == "attrs").for_each(|it| set_all(&mut mark.attrs, it.1));
        mark
    }
}

/// Returns the kind called `name` in ADF, if it can replace `read`, the kind that the element implies: both
/// may contain the same nodes, and both are inline or neither is.
fn same_shape(name: &str, read: Kind) -> Option<Kind> {
    Kind::of_adf(name).filter(|it| it.holds() == read.holds() && it.is_inline() == read.is_inline())
}

fn mark<'a>(text: &str) -> Option<Mark<'a>> {
    let members = json::members(text)?;
    let name = json::string(members.iter().find(|it| it.0 == "type")?.1)?;
    let mut mark = match MarkKind::of_adf(&name) {
        Some(kind) => Mark::new(kind),
        None => Mark::new(MarkKind::Other).with("/type", name.into_owned()),
    };
    members.iter().filter(|it| it.0 == "attrs").for_each(|it| set_all(&mut mark.attrs, it.1));
    Some(mark)
}

/// Adds the members of the JSON `object` to `attrs`. The name of an ADF attribute is unique, so the new value
/// replaces the old one. A name with a colon, which is not ADF's, may occur twice: the writer puts the first
/// value on the element and the second one into `data-plainwire`.
fn set_all(attrs: &mut ThinVec<Attr<'_>>, object: &str) {
    let members = json::members(object).unwrap_or_default();
    attrs.retain(|it| it.is_foreign() || members.iter().all(|member| member.0 != it.name));
    for (name, value) in members {
        let value = match json::string(value) {
            Some(text) => Value::Str(Cow::Owned(text.into_owned())),
            None => Value::Json(Cow::Owned(value.to_owned())),
        };
        attrs.push(Attr { name: Cow::Owned(name.into_owned()), value });
    }
}
