//! Comparison of attributes and marks.

use std::borrow::Cow;

use crate::loss::LossKind;
use crate::tree::{Attr, Kind, Mark, Node, Value};

/// Returns whether two nodes have equal kind, text, attributes and marks. Identifiers must be equal too,
/// except those in marks and in a macro's `parameters`. Does not look at children.
pub(super) fn alike(ours: &Node<'_>, theirs: &Node<'_>) -> bool {
    ours.kind == theirs.kind && ours.text == theirs.text && differences(ours, theirs).is_empty()
}

/// Returns the differences between the attributes and marks of two nodes, each with its gravity and a
/// message.
pub(super) fn differences(ours: &Node<'_>, theirs: &Node<'_>) -> Vec<(LossKind, String)> {
    let mut found = Vec::new();
    if ours.attrs != theirs.attrs {
        compare(&ours.attrs, &theirs.attrs, label(ours), &mut found);
    }
    if !same_marks(&ours.marks, &theirs.marks) {
        let (expected, found_marks) = (names(&ours.marks), names(&theirs.marks));
        found.push((
            LossKind::Attribute,
            format!("expected the marks [{expected}], but found [{found_marks}]"),
        ));
    }
    found
}

/// Returns the name of an attribute whose absence loses no content: the `text` of a mention that has an `id`.
/// A product shows the user's name from the id, also where the text is absent.
fn label(node: &Node<'_>) -> Option<&'static str> {
    (node.kind == Kind::Mention && node.get("id").is_some()).then_some("text")
}

/// Adds the differences between two lists of attributes to `found`. If the attribute named `label` is absent
/// from one list, that counts only as the loss of an identifier.
fn compare(ours: &[Attr<'_>], theirs: &[Attr<'_>], label: Option<&str>, found: &mut Vec<(LossKind, String)>) {
    let missing = |attr: &Attr<'_>| {
        if label == Some(&attr.name) || attr.is_default() { LossKind::Identity } else { kind_of(attr) }
    };
    let of = |attrs: &[Attr<'_>], name: &str| {
        attrs.iter().find(|it| it.name == name).map(|it| it.value.shown().to_owned())
    };
    // Confluence takes a macro without a version for one of version 1.
    let counts = |it: &&Attr<'_>| it.name != "storage:version";
    for attr in ours.iter().filter(counts) {
        let Some(their) = theirs.iter().find(|it| it.name == attr.name) else {
            found.push((
                missing(attr),
                format!("expected {} = {:?}, but found none", attr.name, attr.value.shown()),
            ));
            continue;
        };
        if !same_value(&attr.name, &attr.value, &their.value) {
            let (expected, actual) = (attr.value.shown(), their.value.shown());
            found.push((
                kind_of(attr),
                format!("expected {} = {expected:?}, but found {actual:?}", attr.name),
            ));
        }
    }
    for attr in theirs.iter().filter(counts).filter(|it| of(ours, &it.name).is_none()) {
        // A cell that names no width has that of its column.
        let kind = if attr.name == "colwidth" { LossKind::Identity } else { missing(attr) };
        found.push((kind, format!("expected no {}, but found {:?}", attr.name, attr.value.shown())));
    }
}

fn kind_of(attr: &Attr<'_>) -> LossKind {
    if attr.is_incidental() { LossKind::Identity } else { LossKind::Attribute }
}

/// Returns whether two values of the attribute `name` have equal meaning. The spelling of JSON makes no
/// difference, nor do the identifiers in a macro's `parameters`.
pub(crate) fn same_value(name: &str, ours: &Value<'_>, theirs: &Value<'_>) -> bool {
    match (ours, theirs) {
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Json(a), Value::Json(b)) => {
            a == b || meaning(name, a).is_some_and(|it| Some(it) == meaning(name, b))
        }
        _ => false,
    }
}

/// Parses `json`, the value of the attribute `name`. Leaves out the `macroMetadata` of a macro's
/// `parameters`, which has only identifiers. Returns `None` if `json` is not JSON.
fn meaning(name: &str, json: &str) -> Option<serde_json::Value> {
    let mut value: serde_json::Value = serde_json::from_str(json).ok()?;
    if name == "parameters"
        && let Some(parameters) = value.as_object_mut()
    {
        parameters.remove("macroMetadata");
    }
    Some(value)
}

/// Returns whether two lists of marks are equal, in any order and apart from identifiers in their attributes.
pub(crate) fn same_marks(ours: &[Mark<'_>], theirs: &[Mark<'_>]) -> bool {
    ours == theirs
        || (ours.len() == theirs.len() && ours.iter().all(|a| theirs.iter().any(|b| same_mark(a, b))))
}

fn same_mark(ours: &Mark<'_>, theirs: &Mark<'_>) -> bool {
    let mut found = Vec::new();
    if ours.attrs != theirs.attrs {
        compare(&ours.attrs, &theirs.attrs, None, &mut found);
    }
    ours.kind == theirs.kind && found.iter().all(|it| it.0 == LossKind::Identity)
}

fn names(marks: &[Mark<'_>]) -> String {
    let shown = |mark: &Mark<'_>| {
        let attrs: Vec<String> =
            mark.attrs.iter().map(|it| format!("{}={}", it.name, it.value.shown())).collect();
        if attrs.is_empty() {
            mark.name().to_owned()
        } else {
            format!("{}({})", mark.name(), attrs.join(" "))
        }
    };
    marks.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Returns the text of an attribute's value for hashing: without identifiers, and with JSON in a canonical
/// spelling.
pub(super) fn canonical<'v>(name: &str, value: &'v Value<'_>) -> Cow<'v, str> {
    match value {
        Value::Str(text) => Cow::Borrowed(text),
        // Whole numbers, such as levels, have only one spelling, so they need not be parsed.
        Value::Json(text) if text.bytes().all(|it| it.is_ascii_digit()) && !text.starts_with('0') => {
            Cow::Borrowed(text)
        }
        Value::Json(text) => {
            meaning(name, text).map_or(Cow::Borrowed(text.as_ref()), |it| Cow::Owned(it.to_string()))
        }
    }
}

/// Returns whether the attribute counts as content, not as an identifier or a choice of spelling.
pub(super) fn says(attr: &Attr<'_>) -> bool {
    !attr.is_incidental()
}

impl Node<'_> {
    /// Returns whether the node is rich: of any kind but paragraphs, headings, lists, tasks, quotes, code blocks,
    /// rules, tables, text and line breaks. If an edit removes a rich node, the user gets a conflict.
    pub(crate) fn is_rich(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Paragraph
                | Kind::Heading
                | Kind::BulletList
                | Kind::OrderedList
                | Kind::ListItem
                | Kind::TaskList
                | Kind::TaskItem
                | Kind::Blockquote
                | Kind::CodeBlock
                | Kind::Rule
                | Kind::Table
                | Kind::TableRow
                | Kind::TableHeader
                | Kind::TableCell
                | Kind::Text
                | Kind::HardBreak
        )
    }
}
