//! Unwraps raw nodes of other formats from the extension `com.plainwire.raw`.

use std::borrow::Cow;

use super::super::RAW;
use super::super::scan::Scan;
use super::super::text;
use super::Reader;
use crate::format::known;
use crate::tree::{Kind, Node, Value};

impl<'a> Reader<'a> {
    /// Returns the raw node that `node` carries, or `node` itself if it carries none. A raw node is carried
    /// by an extension `com.plainwire.raw` whose `parameters` have a `source` and nothing else.
    pub(super) fn unwrapped(&mut self, node: Node<'a>) -> Node<'a> {
        let kind = match node.kind {
            Kind::Extension => Kind::RawBlock,
            Kind::InlineExtension => Kind::RawInline,
            _ => return node,
        };
        if node.text_of("extensionType") != Some(RAW) {
            return node;
        }
        let format = node.text_of("extensionKey").and_then(known);
        let (Some(format), Some(source)) = (format, node.get("parameters").and_then(source)) else {
            return node;
        };
        let mut raw = Node::raw(kind, format, source).at(node.span, node.span);
        raw.marks = node.marks;
        let own = ["extensionType", "extensionKey", "parameters"];
        raw.attrs.extend(node.attrs.into_iter().filter(|it| !own.contains(&&*it.name)));
        raw
    }
}

/// Returns the string in `{"source": …}`; `None` if `parameters` are anything else.
fn source<'a>(parameters: &Value<'a>) -> Option<Cow<'a, str>> {
    let Value::Json(Cow::Borrowed(json)) = parameters else { return None };
    let json = json.trim_end();
    let mut scan = Scan::new(json);
    scan.expect(b'{', "").ok()?;
    let key = scan.key().ok()?;
    let value = scan.string("").ok()?;
    scan.expect(b'}', "").ok()?;
    if key.spelling != "source" || scan.at != json.len() || text::lone_surrogate(value.spelling).is_some() {
        return None;
    }
    Some(if value.escaped { Cow::Owned(text::decode(value.spelling)) } else { value.spelling.into() })
}
