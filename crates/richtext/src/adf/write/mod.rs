//! Writes a tree as ADF: compact JSON.
//!
//! In: nodes of any format. Out: JSON that the schema allows, provided the nodes were valid in their source.
//! A node that is not allowed in its position is [repaired](repair) first. Attributes and marks of other
//! formats are left out, and so are marks of ADF that are not allowed in their position. Keys are in
//! Atlassian's order: `type`, `attrs`, `content`, `marks`, and for text `type`, `text`, `marks`.

mod fit;
mod marks;
mod needs;
mod picture;
mod repair;

use self::needs::Needs;
use self::repair::Repair;
use thin_vec::{ThinVec, thin_vec};

use super::scan;
use super::schema::Model;
use super::text::cleaned;
use super::{ELEMENT, RAW, tree_name};
use crate::plainer::plainer;
use crate::tree::{Attr, Holds, Kind, Node, Value};
use crate::values::json::quote;

/// Returns the JSON of a whole document with these blocks. `keep_raw` is as in [`Repair`].
pub(super) fn document(blocks: &[Node<'_>], keep_raw: bool) -> String {
    let mut writer = Writer { keep_raw, ..Writer::new(Strictness::Valid) };
    writer.out.push_str("{\"version\":1,\"type\":\"doc\",\"content\":[");
    writer.repaired(blocks, None);
    writer.out.push_str("]}");
    writer.out
}

/// Returns the JSON of `nodes` as they appear in `parent`, with commas between them. `keep_raw` is as in [`Repair`].
pub(super) fn part(nodes: &[Node<'_>], parent: Option<&Node<'_>>, keep_raw: bool) -> String {
    let mut writer = Writer { keep_raw, ..Writer::new(Strictness::Valid) };
    if let Some(parent) = parent {
        // With the parent's offset, ids generated in one parent differ from those in another.
        writer.path.push(parent.span.start as usize);
        writer.siblings_of_column = parent.children.len();
    }
    writer.repaired(nodes, parent.map(|it| it.kind));
    writer.out
}

/// Returns the JSON of `node` with all its attributes and marks, whether or not the schema allows them.
pub(super) fn verbatim(node: &Node<'_>) -> String {
    let mut writer = Writer::new(Strictness::Verbatim);
    writer.node(node, None);
    writer.out
}

/// Returns the JSON of each node that the schema allows in place of `node`, in a paragraph if `node` is inline, otherwise in
/// the document.
pub(crate) fn valid_json(node: &Node<'_>) -> Vec<String> {
    let parent = node.kind.is_inline().then_some(Kind::Paragraph);
    let plain = without_raw(node);
    let valid = plain.iter().flat_map(|it| Repair { keep_raw: false }.repair(it, parent));
    let json = |node: Node<'_>| {
        let mut writer = Writer { keep_raw: false, ..Writer::new(Strictness::Valid) };
        writer.node(&node, parent);
        writer.out
    };
    valid.map(json).collect()
}

/// Appends `"name":value` to `out`. A [`Value::Json`] whose text is not JSON becomes a string.
pub(super) fn attr(out: &mut String, name: &str, value: &Value<'_>) {
    quote(out, name);
    out.push(':');
    match value {
        Value::Json(json) if scan::is_json(json) => out.push_str(&cleaned(json)),
        Value::Str(text) | Value::Json(text) => quote(out, text),
    }
}

/// Returns whether these nodes and their descendants have as many children as the schema requires.
pub(super) fn are_full(nodes: &[Node<'_>]) -> bool {
    nodes.iter().all(|it| fit::is_full(it) && are_full(&it.children))
}

/// The treatment of attributes and marks that the schema does not allow.
#[derive(Clone, Copy, PartialEq)]
enum Strictness {
    /// Attributes of other formats and marks that the schema does not allow are left out. Missing attributes
    /// that the schema requires are added.
    Valid,
    /// All attributes and marks are written, and none is added.
    Verbatim,
}

struct Writer {
    out: String,
    strictness: Strictness,
    /// The indices of the nodes around the current node and of the current node, each among its siblings, the
    /// outermost first. A missing `localId` is generated from this path.
    path: Vec<usize>,
    /// The number of columns in the layout section that is being written, from which the default width of a
    /// column is computed.
    siblings_of_column: usize,
    /// True if source that ADF has no place for is kept in extensions [`RAW`].
    keep_raw: bool,
}

impl Writer {
    fn new(strictness: Strictness) -> Self {
        Self { out: String::new(), strictness, path: Vec::new(), siblings_of_column: 0, keep_raw: true }
    }

    fn repaired(&mut self, nodes: &[Node<'_>], parent: Option<Kind>) {
        let mut index = 0;
        let plain;
        let nodes = if !self.keep_raw && nodes.iter().any(has_raw) {
            plain = nodes.iter().flat_map(without_raw).collect::<Vec<_>>();
            &plain[..]
        } else {
            nodes
        };
        for node in nodes {
            let repaired;
            let fitted = if fit::fits(node, parent) {
                std::slice::from_ref(node)
            } else {
                repaired = Repair { keep_raw: self.keep_raw }.repair(node, parent);
                &repaired[..]
            };
            for node in fitted {
                self.sibling(node, parent, index);
                index += 1;
            }
        }
    }

    fn siblings(&mut self, nodes: &[Node<'_>], parent: Kind) {
        for (index, node) in nodes.iter().enumerate() {
            if parent == Kind::LayoutSection {
                self.siblings_of_column = nodes.len();
            }
            self.sibling(node, Some(parent), index);
        }
    }

    fn sibling(&mut self, node: &Node<'_>, parent: Option<Kind>, index: usize) {
        if index > 0 {
            self.out.push(',');
        }
        self.path.push(index);
        self.node(node, parent);
        self.path.pop();
    }

    fn node(&mut self, node: &Node<'_>, parent: Option<Kind>) {
        let own = || if self.strictness == Strictness::Verbatim { tree_name(node.kind) } else { None };
        let Some(name) = node.kind.adf_name().or_else(own) else { return self.foreign(node, parent) };
        self.out.push_str("{\"type\":\"");
        self.out.push_str(name);
        self.out.push('"');
        if node.kind == Kind::Text {
            self.out.push_str(",\"text\":");
            quote(&mut self.out, &node.text);
        }
        self.attrs(node, Needs::of(node, self.siblings_of_column));
        self.content(node);
        self.marks(node, node.kind, parent);
        self.keys(node);
        self.out.push('}');
    }

    /// Writes a raw node, or a node of another kind that ADF does not have: raw ADF as it is, any other as an
    /// extension [`RAW`].
    fn foreign(&mut self, node: &Node<'_>, parent: Option<Kind>) {
        let format = node.text_of("/format").unwrap_or("adf");
        if format == "adf" && is_verbatim(node) {
            return self.out.push_str(&cleaned(&node.text));
        }
        let kind = if node.kind.is_inline() { Kind::InlineExtension } else { Kind::Extension };
        let mut source = String::from("{\"source\":");
        quote(&mut source, &node.text);
        source.push('}');
        let mut raw = Node::new(kind).with("extensionType", RAW).with("extensionKey", format.to_owned());
        raw = raw.with_json("parameters", source);
        raw.attrs.extend(node.attrs.iter().filter(|it| it.name != "/format").cloned());
        raw.marks.clone_from(&node.marks);
        self.node(&raw, parent);
    }

    fn attrs(&mut self, node: &Node<'_>, needs: Needs) {
        let start = self.out.len();
        self.out.push_str(",\"attrs\":{");
        let inside = self.out.len();
        let strictness = self.strictness;
        if let Some(element) = node.get("/type").filter(|_| node.kind == Kind::Group) {
            attr(&mut self.out, ELEMENT, element);
        }
        for attr in node.attrs.iter().filter(|it| has_place(it, strictness)) {
            self.comma(inside);
            match &attr.value {
                Value::Str(text)
                    if text.is_empty()
                        && strictness == Strictness::Valid
                        && needs.is_never_empty(&attr.name) =>
                {
                    self::attr(&mut self.out, &attr.name, &Value::Str(" ".into()));
                }
                value => self::attr(&mut self.out, &attr.name, value),
            }
        }
        if self.strictness == Strictness::Valid {
            needs.missing(node, self.out.len() > inside, |name, value| {
                self.comma(inside);
                let value = value.unwrap_or_else(|| Value::Str(needs::local_id(&self.path, node).into()));
                attr(&mut self.out, name, &value);
            });
        }
        self.odd_attrs(&node.attrs, inside);
        if self.out.len() == inside && !needs.object && node.get("/attrs").is_none() {
            return self.out.truncate(start);
        }
        self.out.push('}');
    }

    /// Writes the members of the attribute `/attrs` into the JSON object `attrs`, which begins at the offset
    /// `inside` of the output. These members are the ADF attributes whose names mean something else in the
    /// tree: names with a colon, or with a `/` at the start.
    fn odd_attrs(&mut self, attrs: &[Attr<'_>], inside: usize) {
        let odd = attrs.iter().find(|it| it.name == "/attrs").map(|it| &it.value);
        let Some(Value::Json(json)) = odd else { return };
        let members = json.trim().strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        if let Some(members) = members.filter(|it| !it.trim().is_empty() && is_object(json)) {
            self.comma(inside);
            self.out.push_str(&cleaned(members));
        }
    }

    fn comma(&mut self, inside: usize) {
        if self.out.len() > inside {
            self.out.push(',');
        }
    }

    fn content(&mut self, node: &Node<'_>) {
        if node.kind.holds() == Holds::Nothing {
            return;
        }
        if node.children.is_empty() {
            if needs::content(node.kind) && node.get("/content").is_none() {
                self.out.push_str(",\"content\":[]");
            }
            return;
        }
        self.out.push_str(",\"content\":[");
        self.siblings(&node.children, node.kind);
        self.out.push(']');
    }

    fn marks(&mut self, node: &Node<'_>, kind: Kind, parent: Option<Kind>) {
        if node.marks.is_empty() {
            return;
        }
        let allowed = match self.strictness {
            Strictness::Verbatim => None,
            Strictness::Valid => Model::of(parent).map(|it| it.marks(kind)),
        };
        marks::write(&mut self.out, &node.marks, allowed);
    }

    /// Writes the JSON keys of the node that the tree keeps in attributes `/key`. `attrs`, `content`, `marks`
    /// and `text` are among them if the source had them empty or with the wrong type.
    fn keys(&mut self, node: &Node<'_>) {
        for attr in &node.attrs {
            let Some(key) = attr.name.strip_prefix('/') else { continue };
            let is_written = match key {
                "type" | "format" => true,
                "attrs" => matches!(&attr.value, Value::Json(json) if is_object(json)),
                "content" => !node.children.is_empty(),
                "marks" => !node.marks.is_empty(),
                "text" => node.kind == Kind::Text,
                _ => false,
            };
            if !is_written {
                self.out.push(',');
                self::attr(&mut self.out, key, &attr.value);
            }
        }
    }
}

/// Returns whether the attribute is written as a member of the JSON object `attrs`.
fn has_place(attr: &Attr<'_>, strictness: Strictness) -> bool {
    !attr.name.starts_with('/') && (!attr.is_foreign() || strictness == Strictness::Verbatim)
}

/// Returns whether raw ADF can be written unchanged: it is one object, or several objects with commas between
/// them, copied verbatim from an array in the source.
fn is_verbatim(node: &Node<'_>) -> bool {
    let stood_so = node.span.len() == node.text.len();
    is_object(&node.text) || stood_so && scan::are_values(&node.text, |it| it == b'{')
}

/// Returns whether `node` is source of another format, or contains such source.
fn has_raw(node: &Node<'_>) -> bool {
    is_raw(node) || node.children.iter().any(has_raw)
}

fn is_raw(node: &Node<'_>) -> bool {
    node.kind.is_verbatim() && !(fit::format(node) == "adf" && is_verbatim(node))
}

/// Returns `node` with text in place of source of other formats.
fn without_raw<'a>(node: &Node<'a>) -> ThinVec<Node<'a>> {
    if is_raw(node) {
        return plainer(node);
    }
    let children = node.children.iter().flat_map(without_raw).collect();
    thin_vec![Node { children, ..node.clone() }]
}

fn is_object(json: &str) -> bool {
    json.trim_start().starts_with('{') && scan::is_json(json)
}
