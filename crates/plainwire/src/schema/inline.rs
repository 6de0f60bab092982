//! Inlining of definitions: replaces a `$ref` by its definition, where an [`InlineRule`] allows it.
//!
//! In: a schema with definitions. Out: the same schema with fewer definitions. A recursive type stays a
//! reference, so that inlining always ends; unused definitions are removed. A schema is left unchanged if it
//! has references other than those to its root or to its definitions, because moving a part of it could
//! change their meaning.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::merge::{Merge, merge};
use super::walk::{self, Keywords};

/// The rule by which a definition is inlined. A definition that is recursive, or nested too deep, never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InlineRule {
    /// A definition is inlined if the text of the whole schema stays within [`MAX_TEXT`].
    Always,
    /// A definition is inlined if this does not lengthen the text of the whole schema.
    Shorter,
}

/// Schemas with more definitions than this are left unchanged: each definition costs a walk over the schema.
const MAX_DEFS: usize = 256;

/// Definitions whose schema is nested deeper than this are not inlined. Many JSON parsers stop at 128 levels.
const MAX_DEPTH: usize = 32;

/// Largest schema that inlining by [`InlineRule::Always`] may produce, in bytes of text.
const MAX_TEXT: usize = 256 * 1024;

/// Moves the definitions of `root` to the positions where they are used, if `rule` allows it, and removes
/// unused ones. Does nothing if there are more than [`MAX_DEFS`] definitions, or if moving a schema could
/// change the meaning of a reference.
pub(super) fn inline(root: &mut Value, rule: InlineRule) {
    let Some(key) = definitions_of(root) else { return };
    let Some(Value::Object(mut defs)) = root.as_object_mut().and_then(|root| root.remove(key)) else {
        return;
    };
    if is_plain(root, key, &defs) && defs.len() <= MAX_DEFS {
        let names: Names = defs.keys().map(|name| (reference(key, name), name.clone())).collect();
        keep_used(root, &names, &mut defs);
        for name in leaves_first(&names, &defs) {
            move_to_uses(root, &reference(key, &name), &mut defs, &name, rule);
        }
        keep_used(root, &names, &mut defs);
    }
    if !defs.is_empty()
        && let Some(root) = root.as_object_mut()
    {
        root.insert(key.to_owned(), Value::Object(defs));
    }
}

/// Returns the keyword that holds the definitions of a schema: `$defs` or `definitions`. `None` if the schema
/// has neither, or both.
fn definitions_of(root: &Value) -> Option<&'static str> {
    match (root.get("$defs"), root.get("definitions")) {
        (Some(Value::Object(_)), None) => Some("$defs"),
        (None, Some(Value::Object(_))) => Some("definitions"),
        _ => None,
    }
}

/// Returns the text of a reference to the definition `name` under the keyword `key`.
fn reference(key: &str, name: &str) -> String {
    format!("#/{key}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns whether every reference points to the root or to one of the definitions, and no schema has an
/// `$id` or an anchor.
fn is_plain(root: &Value, key: &str, defs: &Keywords) -> bool {
    let known: HashSet<String> = defs.keys().map(|name| reference(key, name)).collect();
    let mut odd = |keywords: &Keywords| {
        let refers = keywords.get("$ref").is_some_and(|reference| {
            !reference.as_str().is_some_and(|reference| reference == "#" || known.contains(reference))
        });
        let moves = ["$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef"];
        refers || moves.iter().any(|keyword| keywords.contains_key(*keyword))
    };
    !walk::any(root, &mut odd) && !defs.values().any(|schema| walk::any(schema, &mut odd))
}

/// The text of each reference, mapped to the name of its definition.
type Names = BTreeMap<String, String>;

/// Returns the names of the definitions that a schema refers to directly, each once and sorted.
fn uses(schema: &Value, names: &Names) -> Vec<String> {
    let mut uses = Vec::new();
    walk::any(schema, &mut |keywords| {
        let name = keywords.get("$ref").and_then(Value::as_str).and_then(|it| names.get(it));
        uses.extend(name.cloned());
        false
    });
    uses.sort_unstable();
    uses.dedup();
    uses
}

/// Counts how often the reference to one definition appears in a schema.
fn count(schema: &Value, reference: &str) -> usize {
    let mut count = 0;
    walk::any(schema, &mut |keywords| {
        count += usize::from(keywords.get("$ref").is_some_and(|it| it == reference));
        false
    });
    count
}

/// Removes the definitions that can't be reached from the root.
fn keep_used(root: &Value, names: &Names, defs: &mut Keywords) {
    let mut open: Vec<String> = uses(root, names);
    let mut used = HashSet::new();
    while let Some(name) = open.pop() {
        if let Some(schema) = defs.get(&name)
            && used.insert(name)
        {
            open.extend(uses(schema, names));
        }
    }
    defs.retain(|name, _| used.contains(name));
}

/// For each definition, by name: the names of the definitions that it refers to.
type Edges = HashMap<String, Vec<String>>;

/// Returns the names of the definitions that are not recursive. Each one comes after those that it refers to.
fn leaves_first(names: &Names, defs: &Keywords) -> Vec<String> {
    let edges: Edges = defs.iter().map(|(name, schema)| (name.clone(), uses(schema, names))).collect();
    let mut order = Vec::new();
    let mut seen = HashSet::new();
    for name in defs.keys() {
        visit(name, &edges, &mut seen, &mut order);
    }
    order.retain(|name| !holds_itself(name, &edges));
    order
}

fn visit(name: &str, edges: &Edges, seen: &mut HashSet<String>, order: &mut Vec<String>) {
    if seen.insert(name.to_owned()) {
        for next in edges.get(name).into_iter().flatten() {
            visit(next, edges, seen, order);
        }
        order.push(name.to_owned());
    }
}

/// Returns whether a definition is recursive: it refers to itself, perhaps through other definitions.
fn holds_itself(name: &str, edges: &Edges) -> bool {
    let mut open: Vec<&String> = edges.get(name).into_iter().flatten().collect();
    let mut seen = HashSet::new();
    while let Some(next) = open.pop() {
        if next == name {
            return true;
        }
        if seen.insert(next) {
            open.extend(edges.get(next).into_iter().flatten());
        }
    }
    false
}

/// Replaces all references to the definition `name` by the definition, if `rule` allows it. The definition
/// stays in `defs`.
fn move_to_uses(root: &mut Value, reference: &str, defs: &mut Keywords, name: &str, rule: InlineRule) {
    let Some(schema) = defs.get(name).filter(|schema| !walk::is_deeper(schema, MAX_DEPTH)).cloned() else {
        return;
    };
    let count = count(root, reference) + defs.values().map(|it| count(it, reference)).sum::<usize>();
    let length = schema.to_string().len();
    let fits = match rule {
        InlineRule::Always => {
            let all = root.to_string().len() + defs.values().map(|it| it.to_string().len()).sum::<usize>();
            all + count * length <= MAX_TEXT
        }
        // The text that becomes unnecessary: `{"$ref":"…"}` at each use, and `"name":…,` once.
        InlineRule::Shorter => {
            count == 1 || count * length <= count * (reference.len() + 10) + length + name.len() + 4
        }
    };
    if fits {
        let how = if rule == InlineRule::Always { Merge::Loose } else { Merge::Exact };
        replace(root, reference, &schema, how);
        defs.values_mut().for_each(|inner| replace(inner, reference, &schema, how));
    }
}

/// Replaces each `reference` in a schema by `body`, the definition, merged with the keywords beside the
/// reference. If the two can't be merged, the reference stays.
fn replace(schema: &mut Value, reference: &str, body: &Value, how: Merge) {
    let Value::Object(keywords) = schema else { return };
    if keywords.get("$ref").and_then(Value::as_str) == Some(reference) {
        let mut beside = keywords.clone();
        beside.remove("$ref");
        match body {
            _ if beside.is_empty() => *schema = body.clone(),
            Value::Object(body) => {
                if let Some(merged) = merge(beside, body, how) {
                    *schema = Value::Object(merged);
                }
            }
            Value::Bool(true) => *keywords = beside,
            _ => {}
        }
        return;
    }
    walk::each_mut(keywords, |inner| replace(inner, reference, body, how));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn up_to_256_definitions_move_to_their_place_of_use() {
        let stay = |count: usize| {
            let name = |n: usize| format!("d{n}");
            let properties: Keywords =
                (0..count).map(|n| (name(n), json!({ "$ref": format!("#/$defs/d{n}") }))).collect();
            let defs: Keywords = (0..count).map(|n| (name(n), json!({ "type": "string" }))).collect();
            let mut schema = json!({ "$defs": defs, "properties": properties });
            inline(&mut schema, InlineRule::Always);
            schema["$defs"].as_object().map_or(0, Keywords::len)
        };
        assert_eq!([stay(256), stay(257)], [0, 257]);
    }

    #[test]
    fn references_are_written_out_while_the_text_has_at_most_256_kib() {
        let definition = json!({ "description": "x".repeat(100_000) });
        let root = |title: usize| json!({ "properties": { "p": { "$ref": "#/$defs/d" } }, "title": "x".repeat(title) });
        // The text is counted with the definition at its place and at its use.
        let bytes = root(0).to_string().len() + 2 * definition.to_string().len();
        let is_written_out = |total: usize| {
            let mut schema = root(total - bytes);
            schema["$defs"] = json!({ "d": definition });
            inline(&mut schema, InlineRule::Always);
            schema.get("$defs").is_none()
        };
        assert_eq!([is_written_out(262_144), is_written_out(262_145)], [true, false]);
    }
}
