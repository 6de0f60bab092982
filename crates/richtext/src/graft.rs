//! Carries over to an edited node the data of its original that Markdown did not show: identifiers, the
//! spelling of numbers, other attributes and marks.
//!
//! In all functions `ours` is from the source, `base` from its Markdown before the edit, and `edited` from
//! the Markdown after the edit.

use thin_vec::ThinVec;

use crate::compare::{print, same_marks, same_value, similarity};
use crate::lean::{seen, with_unseen};
use crate::matching::{Match, matches};
use crate::spelling::Spelling;
use crate::tree::{Attr, Kind, Mark, Node, Value};
use crate::values::parameters;

/// Returns whether the edit left the kind, text, marks and attributes of a node unchanged. The children do
/// not matter.
pub(crate) fn same_head(base: &Node<'_>, edited: &Node<'_>) -> bool {
    base.kind == edited.kind
        && base.text == edited.text
        && same_marks(&base.marks, &edited.marks)
        && base.attrs.len() == edited.attrs.len()
        && base
            .attrs
            .iter()
            .all(|it| edited.get(&it.name).is_some_and(|value| same_value(&it.name, &it.value, value)))
}

/// Returns whether the node after the edit, with what Markdown does not show, has the head of the node in the source: the edit
/// only says what the Markdown before it left out.
pub(crate) fn has_head_of(ours: &Node<'_>, base: &Node<'_>, edited: &Node<'_>) -> bool {
    let own = head(ours);
    base.text == edited.text && same_head(&own, &node(&own, &head(base), &head(edited)))
}

/// Returns the node without its text and its children.
fn head<'a>(node: &Node<'a>) -> Node<'a> {
    Node { children: ThinVec::new(), text: "".into(), ..node.clone() }
}

/// Returns the edited node, and adds the attributes and marks that `ours` has and `base` lacks. Attributes
/// and marks that the edit did not change are copied from `ours`. Does the same for the descendants.
pub(crate) fn node<'x>(ours: &Node<'x>, base: &Node<'_>, edited: &Node<'x>) -> Node<'x> {
    let mut node = edited.clone();
    node.attrs = attrs(&ours.attrs, &base.attrs, &edited.attrs);
    leave_out_stale(&mut node, base, edited);
    node.marks = marks(&ours.marks, &base.marks, &edited.marks);
    node.children = siblings(&ours.children, &base.children, &edited.children);
    node
}

/// Leaves out what the source says beside an attribute that the edit changed: other identifiers of a person, the colours and the
/// icon of a panel, the widths of the columns of a cell.
fn leave_out_stale(node: &mut Node<'_>, base: &Node<'_>, edited: &Node<'_>) {
    let (key, stale): (&str, &[&str]) = match node.kind {
        Kind::Mention => ("id", &["ri:", "accessLevel", "userType"]),
        Kind::Panel => ("panelType", &["param:bgColor", "panelColor", "panelIcon"]),
        Kind::TableCell | Kind::TableHeader => ("colspan", &["colwidth"]),
        _ => return,
    };
    let (was, is) = (base.get(key).map(Value::shown), edited.get(key).map(Value::shown));
    if was == is {
        return;
    }
    let by_name = |it: &Attr<'_>| {
        node.kind == Kind::Mention && it.name.starts_with("ri:") && Some(it.value.shown()) == was
    };
    // A person who was named by a name is named by the new one.
    let kept: Vec<String> =
        node.attrs.iter().filter(|it| by_name(it)).map(|it| it.name.to_string()).collect();
    let is_stale =
        |it: &Attr<'_>| stale.iter().any(|name| it.name.starts_with(name)) && edited.get(&it.name).is_none();
    node.attrs.retain(|it| !is_stale(it));
    let is = is.unwrap_or_default().to_owned();
    node.attrs.extend(
        kept.into_iter().map(|name| Attr { name: name.into(), value: Value::Str(is.clone().into()) }),
    );
}

fn attrs<'x>(ours: &[Attr<'x>], base: &[Attr<'_>], edited: &[Attr<'x>]) -> ThinVec<Attr<'x>> {
    let of = |attrs: &[Attr<'_>], name: &str| attrs.iter().any(|it| it.name == name);
    let mut all: ThinVec<Attr<'x>> = ThinVec::new();
    for attr in ours {
        let was = base.iter().find(|it| it.name == attr.name);
        match (was, edited.iter().find(|it| it.name == attr.name)) {
            (Some(was), Some(is)) if same_value(&attr.name, &was.value, &is.value) => all.push(attr.clone()),
            (Some(was), Some(is)) if attr.name == "parameters" => all.push(parameters(attr, was, is)),
            (_, Some(is)) => all.push(is.clone()),
            (Some(_), None) => {}
            (None, None) => all.push(attr.clone()),
        }
    }
    // What both have from before the edit was made up for the Markdown, such as the id of an emoji.
    let is_old = |attr: &Attr<'_>| {
        base.iter().any(|it| it.name == attr.name && same_value(&it.name, &it.value, &attr.value))
    };
    all.extend(edited.iter().filter(|it| !of(ours, &it.name) && !is_old(it)).cloned());
    all
}

/// Returns the edited parameters of a macro, with the members that Markdown did not show, such as `macroMetadata`, which
/// has the id of the macro.
fn parameters<'x>(ours: &Attr<'_>, base: &Attr<'_>, edited: &Attr<'x>) -> Attr<'x> {
    let (own, shown, is) = (ours.value.shown(), base.value.shown(), edited.value.shown());
    match parameters::merged(own, shown, is) {
        Some(json) => Attr::json("parameters", json),
        None => edited.clone(),
    }
}

/// Returns the edited marks. A mark that the edit did not change is copied from `ours`. Marks of kinds that
/// only `ours` has are added.
fn marks<'x>(ours: &[Mark<'x>], base: &[Mark<'_>], edited: &[Mark<'x>]) -> ThinVec<Mark<'x>> {
    let kept = |mark: &Mark<'x>| {
        let was = base.iter().find(|it| it.kind == mark.kind)?;
        let own = ours.iter().find(|it| it.kind == mark.kind)?;
        same_marks(std::slice::from_ref(was), std::slice::from_ref(mark)).then(|| own.clone())
    };
    let mut all: ThinVec<Mark<'x>> = edited.iter().map(|it| kept(it).unwrap_or_else(|| it.clone())).collect();
    let unseen = |it: &&Mark<'x>| !base.iter().chain(edited.iter()).any(|mark| mark.kind == it.kind);
    all.extend(ours.iter().filter(unseen).cloned());
    all
}

/// Returns the edited nodes. Those that have an original get its data. Returns all of them unchanged if
/// `ours` and `base` do not have nodes of the same kinds in the same order; among inline nodes, text does not
/// count.
pub(crate) fn siblings<'x>(ours: &[Node<'x>], base: &[Node<'_>], edited: &[Node<'x>]) -> ThinVec<Node<'x>> {
    let inline = ours.iter().chain(edited).any(|it| it.kind.is_inline());
    // Text may be split into nodes differently in the source. Only nodes that are not text correspond one to
    // one.
    let all_ours = ours;
    let (ours, base): (Vec<&Node<'x>>, Vec<&Node<'_>>) = if inline {
        let objects = |it: &&Node<'_>| it.kind != Kind::Text;
        (ours.iter().filter(|it| objects(it)).collect(), base.iter().filter(|it| objects(it)).collect())
    } else {
        (seen(ours, base), base.iter().collect())
    };
    if ours.len() != base.len() || ours.iter().zip(&base).any(|it| it.0.kind != it.1.kind) {
        return edited.into();
    }
    let targets: Vec<usize> =
        (0..edited.len()).filter(|&it| !inline || edited[it].kind != Kind::Text).collect();
    let old: Vec<u64> = base.iter().map(|it| print(it)).collect();
    let new: Vec<u64> = targets.iter().map(|&it| print(&edited[it])).collect();
    let mut all = ThinVec::from(edited);
    let mut places: Vec<Option<usize>> = vec![None; edited.len()];
    let found = matches(&old, &new, |i, j| similarity(base[i], &edited[targets[j]]));
    for (&target, found) in targets.iter().zip(found) {
        if let Some(Match { at, is_equal, .. }) = found {
            let it = if is_equal { ours[at].clone() } else { node(ours[at], base[at], &edited[target]) };
            all[target] = it;
            places[target] = Some(at);
        }
    }
    if inline || all_ours.len() == ours.len() { all } else { with_unseen(all, &places, &ours, all_ours) }
}

/// Returns `edited`, a copy of the block with this `source` and this Markdown, with what the Markdown does
/// not show but its identifiers.
pub(crate) fn copy<'x>(
    spelling: &dyn Spelling,
    source: &'x str,
    markdown: &str,
    edited: &Node<'x>,
) -> Node<'x> {
    let base = crate::markdown::blocks_where(markdown, &|_| true).blocks;
    match (&spelling.read(source).0[..], &base[..]) {
        ([ours], [base]) if ours.kind == base.kind => without_ids(node(ours, base, edited)),
        _ => edited.clone(),
    }
}

/// Returns the node without the identifiers in it, for a copy of it. It keeps the version of a macro.
pub(crate) fn without_ids<'a>(mut node: Node<'a>) -> Node<'a> {
    node.attrs.retain(|it| !it.is_identifier());
    for attr in node.attrs.iter_mut().filter(|it| it.name == "parameters") {
        if let Some(json) = parameters::without_id(attr.value.shown()) {
            attr.value = Value::Json(json.into());
        }
    }
    node.children = node.children.into_iter().map(without_ids).collect();
    node
}
