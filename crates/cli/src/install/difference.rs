//! The difference between two versions of a configuration file, without secrets.
//!
//! In: two texts. Out: lines. `…` replaces all comments, and all strings and numbers outside the entry.
//! Inside the entry it replaces the values of environment variables and headers, unless they refer to a
//! variable with `${`. Keys, `true`, `false` and `null` are always shown.

use jsonc_parser::cst::{CstContainerNode, CstLeafNode, CstNode, CstRootNode};

use super::edit::EntryPath;
use crate::jsonc::parse;
use crate::visible;

/// The maximal number of unchanged lines that are shown before the change, and after it.
const CONTEXT: usize = 3;

/// Returns the difference as lines that begin with `+`, `-` or a blank. If nothing differs but values that `…`
/// replaces, one line says so.
pub(super) fn difference(before: &str, after: &str, at: EntryPath<'_>) -> Vec<String> {
    let (before, after) = (masked(before, at), masked(after, at));
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if before == after {
        return vec!["  (only hidden values differ)".to_owned()];
    }
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (gone, come) = (&before[head..before.len() - tail], &after[head..after.len() - tail]);
    let above = &before[head.saturating_sub(CONTEXT)..head];
    let below = &before[before.len() - tail..][..tail.min(CONTEXT)];
    let lines = |mark: char, lines: &[&str]| -> Vec<String> {
        lines.iter().map(|it| format!("{mark} {}", visible::line(it)).trim_end().to_owned()).collect()
    };
    [lines(' ', above), lines('-', gone), lines('+', come), lines(' ', below)].concat()
}

/// Returns the text with `…` in place of everything that may be secret.
fn masked(text: &str, at: EntryPath<'_>) -> String {
    // Both texts have been parsed before, so this does not fail.
    let Ok(root) = parse(text.trim_start_matches('\u{feff}')) else { return String::new() };
    root.children().into_iter().for_each(|it| mask(&it, &mut Vec::new(), at));
    CstRootNode::to_string(&root)
}

/// Masks a node and the nodes in it. `path` has the keys of the members that contain the node, outermost
/// first.
fn mask(node: &CstNode, path: &mut Vec<String>, at: EntryPath<'_>) {
    match node {
        CstNode::Leaf(CstLeafNode::Comment(comment)) => {
            comment.set_raw_value(if comment.is_line_comment() { "// …" } else { "/* … */" }.to_owned());
        }
        CstNode::Leaf(CstLeafNode::StringLit(it)) => {
            let text = it.decoded_value().unwrap_or_default();
            if !is_shown(path, &text, at) {
                it.set_raw_value("\"…\"".to_owned());
            }
        }
        CstNode::Leaf(CstLeafNode::NumberLit(it)) if !is_shown(path, "", at) => {
            it.set_raw_value("…".to_owned())
        }
        CstNode::Leaf(_) => {}
        CstNode::Container(CstContainerNode::ObjectProp(member)) => {
            path.push(member.decoded_name().unwrap_or_default());
            let value = member.value();
            // The first child is the member's key: also a string, but not masked. Comments may be between key
            // and value.
            for child in member.children().into_iter().skip(1) {
                if child.is_comment() || value.is_some() {
                    mask(&child, path, at);
                }
            }
            path.pop();
        }
        CstNode::Container(container) => {
            container.children().into_iter().for_each(|it| mask(&it, path, at));
        }
    }
}

fn is_shown(path: &[String], text: &str, at: EntryPath<'_>) -> bool {
    match path {
        [list, name, rest @ ..] if list == at.list && name == at.name => {
            let secret = rest.first().is_some_and(|it| it == "env" || it == "headers");
            !secret || text.contains("${")
        }
        _ => false,
    }
}
