//! What would change in a configuration file, without what is secret in it.
//!
//! In: two texts. Out: lines. Values that are not of the entry itself are shown as `…`, comments as well, and of the
//! entry itself those of variables and headers, unless they are a reference to a variable.

use jsonc_parser::cst::{CstContainerNode, CstLeafNode, CstNode, CstRootNode};

use super::edit::{Where, parse};
use crate::visible;

/// Lines around the change.
const CONTEXT: usize = 3;

/// Returns what differs, as lines that begin with `+`, `-` or a blank.
pub(super) fn difference(before: &str, after: &str, at: Where<'_>) -> Vec<String> {
    let (before, after) = (masked(before, at), masked(after, at));
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if before == after {
        return vec!["  (only values that are not shown)".to_owned()];
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

/// The text without secrets.
fn masked(text: &str, at: Where<'_>) -> String {
    // Both texts were read already.
    let Ok(root) = parse(text.trim_start_matches('\u{feff}')) else { return String::new() };
    root.children().into_iter().for_each(|it| mask(&it, &mut Vec::new(), at));
    CstRootNode::to_string(&root)
}

/// Masks a node; `path` has the names of the members that it stands in.
fn mask(node: &CstNode, path: &mut Vec<String>, at: Where<'_>) {
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
            // Its name is a string too, and stays. Comments may stand between the two.
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

fn is_shown(path: &[String], text: &str, at: Where<'_>) -> bool {
    match path {
        [list, name, rest @ ..] if list == at.list && name == at.name => {
            let secret = rest.first().is_some_and(|it| it == "env" || it == "headers");
            !secret || text.contains("${")
        }
        _ => false,
    }
}
