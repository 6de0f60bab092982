//! Checks attributes and marks against the schema, for trees from other formats. The writer repairs the
//! structure of such a tree, but not values that an author wrote in attributes.

use std::collections::BTreeMap;

use super::rule::Rule;
use super::table::*;
use super::value::Value as Checked;
use crate::diagnostic::Diagnostic;
use crate::tree::{Attr, Kind, Mark, Node, Span, Value};
use crate::values::json::{members, quote};

/// The most complaints (diagnostics about violations of the schema) that are reported.
const MAX_COMPLAINTS: usize = 100;

/// Returns a diagnostic for each violation of the schema in the attributes and marks of `nodes` and their
/// descendants, and for each raw ADF node among them; at most 100. The spans are those of the nodes.
pub(crate) fn complaints(nodes: &[Node<'_>]) -> Vec<Diagnostic> {
    let mut found = all_of(nodes, complain);
    found.truncate(MAX_COMPLAINTS);
    found
}

/// Returns the violations of the schema that occur more often in `edited` than in `base` (the nodes before
/// the edit); at most 100. A missing attribute is a violation too.
pub(crate) fn new_complaints(base: &[Node<'_>], edited: &[Node<'_>]) -> Vec<Diagnostic> {
    let with_missing = |node: &Node<'_>, found: &mut Vec<Diagnostic>| {
        complain(node, found);
        missing(node, found);
    };
    let mut old: BTreeMap<String, usize> = BTreeMap::new();
    for it in all_of(base, with_missing) {
        *old.entry(it.message).or_default() += 1;
    }
    let mut found = all_of(edited, with_missing);
    found.retain(|it| match old.get_mut(&it.message) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    found.truncate(MAX_COMPLAINTS);
    found
}

/// Returns the diagnostics that `look` adds for each of `nodes` and their descendants, in the order of the
/// text.
fn all_of(nodes: &[Node<'_>], look: impl Fn(&Node<'_>, &mut Vec<Diagnostic>)) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut open: Vec<&Node<'_>> = nodes.iter().rev().collect();
    while let Some(node) = open.pop() {
        look(node, &mut found);
        open.extend(node.children.iter().rev());
    }
    found
}

/// Adds a diagnostic to `found` for each attribute and mark of the node that violates the schema, and for a
/// raw ADF node.
fn complain(node: &Node<'_>, found: &mut Vec<Diagnostic>) {
    match node.kind {
        Kind::Text => {}
        Kind::RawBlock | Kind::RawInline if node.text_of("/format") == Some("adf") => {
            let name = members(&node.text).and_then(|it| it.into_iter().find(|it| it.0 == "type"));
            let name = name.map_or("none", |it| it.1.trim());
            found.push(Diagnostic::new(node.span, format!("expected a node type of ADF, but found {name}")));
        }
        kind => {
            if let Some(name) = kind.adf_name() {
                attrs(name, rule_of(name), &node.attrs, node.span, found);
            }
        }
    }
    if let (Kind::Date, Some(day)) = (node.kind, node.get("timestamp"))
        && day.as_integer().is_none()
    {
        let found_day = day.shown();
        let message = format!("date: expected a day such as 2026-02-28, but found {found_day:?}");
        found.push(Diagnostic::new(node.span, message));
    }
    for mark in &node.marks {
        mark_of(mark, node.span, found);
    }
}

/// Adds a diagnostic to `found` if the node is a status, mention or panel without the attribute that gives it
/// its meaning.
fn missing(node: &Node<'_>, found: &mut Vec<Diagnostic>) {
    let needed = match node.kind {
        Kind::Status => "color",
        Kind::Mention => "id",
        Kind::Panel => "panelType",
        _ => return,
    };
    if node.get(needed).is_none() {
        let name = node.text_of("text").map_or(String::new(), |it| format!(" {it:?}"));
        let kind = node.kind.adf_name().unwrap_or_default();
        let message = format!("{kind}{name}: expected `{needed}`, but found none");
        found.push(Diagnostic::new(node.span, message));
    }
}

fn mark_of(mark: &Mark<'_>, span: Span, found: &mut Vec<Diagnostic>) {
    let name = mark.name();
    let rule = rule_of_mark(name);
    // A name with a colon belongs to another format. Any other unknown mark is a mistake.
    if rule.is_none() && !name.contains(':') {
        found.push(Diagnostic::new(span, format!("expected a mark of ADF, but found `{name}`")));
    }
    attrs(name, rule, &mark.attrs, span, found);
}

fn attrs(
    name: &str,
    rule: Option<&'static Rule>,
    attrs: &[Attr<'_>],
    span: Span,
    found: &mut Vec<Diagnostic>,
) {
    let Some(rule) = rule else { return };
    for attr in attrs.iter().filter(|it| !it.is_foreign()) {
        let complaint = match attr.name.strip_prefix('/') {
            Some(key) => stray(rule, key),
            None => broken(rule, attr),
        };
        if let Some(complaint) = complaint {
            found.push(Diagnostic::new(span, format!("{name}: {complaint}")));
        }
    }
}

/// Returns the message about `attr`, an attribute of the node or mark that `rule` is for, if it violates the
/// schema; `None` if it is allowed.
fn broken(rule: &'static Rule, attr: &Attr<'_>) -> Option<String> {
    let (mut all, mut rules) = (Vec::new(), Vec::new());
    keys(rule, "attrs", &mut all);
    all.iter().for_each(|it| keys(it, &attr.name, &mut rules));
    if rules.is_empty() {
        return Some(format!("expected no `{}`", attr.name));
    }
    let json = match &attr.value {
        Value::Json(json) => json.to_string(),
        Value::Str(text) => {
            let mut json = String::new();
            quote(&mut json, text);
            json
        }
    };
    let value = Checked::of(&json).ok()?;
    let mut complaints = rules.iter().map(|it| it.check(&value, 0).err());
    let first = complaints.next()??;
    complaints.all(|it| it.is_some()).then(|| format!("{}: {}", attr.name, first.diagnostic.message))
}

/// Returns the message about `key`, a JSON key beside `type` and `attrs`, if the node or mark that `rule` is
/// for can't have it; `None` if it can. `/type` and `/format` are attributes of the tree and always allowed.
fn stray(rule: &'static Rule, key: &str) -> Option<String> {
    let mut rules = Vec::new();
    keys(rule, key, &mut rules);
    (rules.is_empty() && !matches!(key, "type" | "format")).then(|| format!("expected no key `{key}`"))
}

/// Collects in `found` the rules that `rule` and the rules within it (`any_of`, `all_of`) have for the value
/// of `key`.
fn keys(rule: &'static Rule, key: &str, found: &mut Vec<&'static Rule>) {
    found.extend(rule.keys.iter().filter(|it| it.0 == key).map(|it| it.1));
    rule.any_of.iter().chain(rule.all_of).for_each(|it| keys(it, key, found));
}

fn rule_of(name: &str) -> Option<&'static Rule> {
    Some(match name {
        "blockCard" => &BLOCK_CARD_NODE,
        "blockTaskItem" => &BLOCK_TASK_ITEM_NODE,
        "blockquote" => &BLOCKQUOTE_NODE,
        "bodiedExtension" => &BODIED_EXTENSION_NODE,
        "bodiedSyncBlock" => &BODIED_SYNC_BLOCK_NODE,
        "bulletList" => &BULLET_LIST_NODE,
        "caption" => &CAPTION_NODE,
        "codeBlock" => &CODE_BLOCK_NODE,
        "date" => &DATE_NODE,
        "decisionItem" => &DECISION_ITEM_NODE,
        "decisionList" => &DECISION_LIST_NODE,
        "embedCard" => &EMBED_CARD_NODE,
        "emoji" => &EMOJI_NODE,
        "expand" => &EXPAND_NODE,
        "extension" => &EXTENSION_NODE,
        "hardBreak" => &HARD_BREAK_NODE,
        "heading" => &HEADING_NODE,
        "inlineCard" => &INLINE_CARD_NODE,
        "inlineExtension" => &INLINE_EXTENSION_NODE,
        "layoutColumn" => &LAYOUT_COLUMN_NODE,
        "layoutSection" => &LAYOUT_SECTION_NODE,
        "listItem" => &LIST_ITEM_NODE,
        "media" => &MEDIA_NODE,
        "mediaGroup" => &MEDIA_GROUP_NODE,
        "mediaInline" => &MEDIA_INLINE_NODE,
        "mediaSingle" => &MEDIA_SINGLE_NODE,
        "mention" => &MENTION_NODE,
        "nestedExpand" => &NESTED_EXPAND_NODE,
        "orderedList" => &ORDERED_LIST_NODE,
        "panel" => &PANEL_NODE,
        "paragraph" => &PARAGRAPH_NODE,
        "placeholder" => &PLACEHOLDER_NODE,
        "rule" => &RULE_NODE,
        "status" => &STATUS_NODE,
        "syncBlock" => &SYNC_BLOCK_NODE,
        "table" => &TABLE_NODE,
        "tableCell" => &TABLE_CELL_NODE,
        "tableHeader" => &TABLE_HEADER_NODE,
        "tableRow" => &TABLE_ROW_NODE,
        "taskItem" => &TASK_ITEM_NODE,
        "taskList" => &TASK_LIST_NODE,
        _ => return None,
    })
}

fn rule_of_mark(name: &str) -> Option<&'static Rule> {
    Some(match name {
        "alignment" => &ALIGNMENT_MARK,
        "annotation" => &ANNOTATION_MARK,
        "backgroundColor" => &BACKGROUND_COLOR_MARK,
        "border" => &BORDER_MARK,
        "breakout" => &BREAKOUT_MARK,
        "code" => &CODE_MARK,
        "dataConsumer" => &DATA_CONSUMER_MARK,
        "em" => &EM_MARK,
        "fontSize" => &FONT_SIZE_MARK,
        "fragment" => &FRAGMENT_MARK,
        "indentation" => &INDENTATION_MARK,
        "link" => &LINK_MARK,
        "strike" => &STRIKE_MARK,
        "strong" => &STRONG_MARK,
        "subsup" => &SUBSUP_MARK,
        "textColor" => &TEXT_COLOR_MARK,
        "underline" => &UNDERLINE_MARK,
        _ => return None,
    })
}
