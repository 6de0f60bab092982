//! Merges an edit of inline nodes: splices characters into a text of the source, or writes the changed runs
//! of text anew.

use std::borrow::Cow;
use std::ops::Range;

use thin_vec::ThinVec;

use super::siblings::Piece;
use super::{Merge, Reach};
use crate::compare::{Unit, Units, hunks, same_marks};
use crate::graft;
use crate::tree::{Kind, Mark, Node, Span};

/// A difference between the Markdown before and after the edit: a range of [units](Units) before the edit,
/// and the range of units after the edit that replaces it. The first range also applies to the units of the
/// source.
type Hunk = (Range<usize>, Range<usize>);

/// A byte range of the source, and the text that replaces it.
type Splice = (Range<usize>, String);

impl Merge<'_> {
    /// Returns the new text of `region`, the part of the source with the siblings `ours`. Returns `None` if
    /// the nodes of source and Markdown do not correspond character by character, or if the reach of this
    /// merge is wider than [`Reach::Runs`].
    pub(super) fn inlines(
        &self,
        ours: &[Node<'_>],
        base: &[Node<'_>],
        edited: &[Node<'_>],
        parent: Option<&Node<'_>>,
        region: Span,
    ) -> Option<String> {
        let runs = Runs { ours, base, edited, a: Units::of(ours), b: Units::of(base), e: Units::of(edited) };
        if self.reach > Reach::Runs || !runs.go_together() {
            return None;
        }
        let changed = hunks(&runs.b, &runs.e);
        let within =
            if parent.is_some_and(|it| it.kind == Kind::CodeBlock) { Kind::CodeBlock } else { Kind::Text };
        let splices =
            || changed.iter().map(|it| self.spliced(&runs, it, within, region)).collect::<Option<_>>();
        // If a change can't be spliced, only the changed runs are written anew, not the whole block.
        Some(match (self.reach == Reach::Text).then(splices).flatten() {
            Some(splices) => spliced(self.source, region, splices),
            None => self.rewritten(&runs, &changed, parent, region),
        })
    }

    /// Returns the hunk as a change of characters within one text node of the source. Returns `None` if the
    /// hunk goes beyond one node or would leave it empty, or if it begins or ends inside characters that the
    /// source spells as a unit, such as an entity.
    fn spliced(
        &self,
        runs: &Runs<'_, '_, '_, '_>,
        hunk: &Hunk,
        within: Kind,
        region: Span,
    ) -> Option<Splice> {
        let (at, start) = runs.place(hunk)?;
        let node = &runs.ours[at];
        let removed: usize = runs.a[hunk.0.clone()].iter().filter_map(|it| it.char).map(char::len_utf8).sum();
        let new: String = runs.e[hunk.1.clone()].iter().filter_map(|it| it.char).collect();
        if new.is_empty() && removed == node.text.len() {
            return None;
        }
        let spelled = node.inner.of(self.source);
        let from = self.spelling.place(spelled, within, start)?;
        let to = self.spelling.place(spelled, within, start + removed)?;
        // At an end of the node, the source next to it decides how the text has to be spelled.
        let base = node.inner.start as usize;
        let (before, after) = (&spelled[..from], &spelled[to..]);
        let before = if from == 0 { &self.source[region.start as usize..base] } else { before };
        let after = if after.is_empty() { &self.source[base + to..region.end as usize] } else { after };
        let text = self.spelling.text(&new, within, before, after);
        Some((base + from..base + to, text))
    }

    /// Returns the new text of `region`: [groups](Group) that no hunk in `changed` touches are copied, the
    /// others are written anew.
    fn rewritten(
        &self,
        runs: &Runs<'_, '_, '_, '_>,
        changed: &[Hunk],
        parent: Option<&Node<'_>>,
        region: Span,
    ) -> String {
        let groups = groups(runs.ours);
        let mut pieces: Vec<Piece> = Vec::new();
        let mut fresh: ThinVec<Node<'_>> = ThinVec::new();
        let mut unit = 0;
        for (at, group) in groups.iter().enumerate() {
            let end = unit + runs.a[unit..].iter().take_while(|it| group.nodes.contains(&it.node())).count();
            // An insertion before the group's first character does not touch the group.
            for hunk in changed.iter().filter(|it| end > unit && it.0.start == unit && it.0.is_empty()) {
                runs.inserted(hunk, &mut fresh);
            }
            let touches = |it: &Hunk| it.0.start < end && (it.0.end > unit || it.0.start > unit);
            if !changed.iter().any(touches) {
                self.flush(&mut fresh, parent, &mut pieces);
                let text = group.span.of(self.source).to_owned();
                pieces.push(Piece::Ours(at, text));
            } else {
                runs.remaining(unit..end, changed, &mut fresh);
            }
            unit = end;
        }
        for hunk in changed.iter().filter(|it| it.0.start == runs.a.len() && it.0.is_empty()) {
            runs.inserted(hunk, &mut fresh);
        }
        self.flush(&mut fresh, parent, &mut pieces);
        let spans: Vec<Span> = groups.iter().map(|it| it.span).collect();
        self.joined(&pieces, &spans, parent, region)
    }

    /// Writes the nodes in `fresh`, if any, as a new piece, and empties `fresh`.
    fn flush(&self, fresh: &mut ThinVec<Node<'_>>, parent: Option<&Node<'_>>, pieces: &mut Vec<Piece>) {
        if !fresh.is_empty() {
            pieces.push(Piece::New(self.part(fresh, parent)));
            fresh.clear();
        }
    }
}

/// Returns the `region` of `source` with the splices applied.
fn spliced(source: &str, region: Span, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|it| it.0.start);
    let (mut text, mut at) = (String::new(), region.start as usize);
    for (range, new) in splices {
        text.push_str(&source[at..range.start.max(at)]);
        text.push_str(&new);
        at = range.end.max(at);
    }
    text.push_str(&source[at..region.end as usize]);
    text
}

/// Sibling nodes that can only be copied together, because they have one span.
struct Group {
    /// The span of each of the nodes.
    span: Span,
    /// The indices of the nodes among their siblings.
    nodes: Range<usize>,
}

fn groups(nodes: &[Node<'_>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        match groups.last_mut() {
            Some(last) if last.span == node.span => last.nodes.end = at + 1,
            _ => groups.push(Group { span: node.span, nodes: at..at + 1 }),
        }
    }
    groups
}

/// Inline siblings of the source, of its Markdown and of the edited Markdown, each list also as units
/// (characters, and nodes that are not text).
struct Runs<'m, 'o, 'b, 'e> {
    ours: &'m [Node<'o>],
    base: &'m [Node<'b>],
    edited: &'m [Node<'e>],
    /// The units of `ours`.
    a: Units,
    /// The units of `base`.
    b: Units,
    /// The units of `edited`.
    e: Units,
}

impl<'o, 'e> Runs<'_, 'o, '_, 'e> {
    /// Returns whether `ours` and `base` have the same characters, and nodes that are not text at the same
    /// positions.
    fn go_together(&self) -> bool {
        self.a.len() == self.b.len() && self.a.iter().zip(self.b.iter()).all(|it| it.0.char == it.1.char)
    }

    /// Returns the index of the text node in `ours` that contains all of the hunk, and the byte offset in the
    /// text of that node at which the hunk begins. An insertion between two nodes belongs to the first if the
    /// marks of the inserted text are those of that node, otherwise to the second. Returns `None` if no node
    /// fits, for example because the marks change.
    fn place(&self, (gone, new): &Hunk) -> Option<(usize, usize)> {
        let fits = |unit: usize| {
            let marks = self.b.marks(self.b[unit]);
            self.a[unit].char.is_some()
                && self.e[new.clone()].iter().all(|it| it.char.is_some() && self.e.marks(*it) == marks)
        };
        if let Some(first) = gone.clone().next() {
            let node = self.a[first].node();
            let one = gone.clone().all(|it| self.a[it].node() == node && fits(it));
            return one.then_some((node, self.a[first].offset()));
        }
        let before = gone.start.checked_sub(1).filter(|it| fits(*it));
        let after = Some(gone.start).filter(|it| *it < self.a.len() && fits(*it));
        match (before, after) {
            (Some(unit), _) => {
                Some((self.a[unit].node(), self.a[unit].offset() + self.a[unit].char?.len_utf8()))
            }
            (None, Some(unit)) => Some((self.a[unit].node(), self.a[unit].offset())),
            (None, None) => None,
        }
    }

    /// Adds the edited units of the hunk to `fresh`, as nodes. If the hunk replaces one node that is not text
    /// by another of its kind, the new node gets the data of the old node that Markdown does not show.
    fn inserted<'x>(&self, hunk: &Hunk, fresh: &mut ThinVec<Node<'x>>)
    where
        'o: 'x,
        'e: 'x,
    {
        if let ([was], [is]) = (&self.a[hunk.0.clone()], &self.e[hunk.1.clone()])
            && was.char.is_none()
            && self.ours[was.node()].kind == self.edited[is.node()].kind
        {
            let base = &self.base[self.b[hunk.0.start].node()];
            return fresh.push(graft::node(&self.ours[was.node()], base, &self.edited[is.node()]));
        }
        let mut own: Option<(usize, Node<'x>)> = None;
        for unit in &self.e[hunk.1.clone()] {
            let (_, node) = match own.take().filter(|it| it.0 == unit.node()) {
                Some(same) => own.insert(same),
                None => own.insert((unit.node(), self.with_own_marks(&self.edited[unit.node()]))),
            };
            add(node, unit, fresh);
        }
    }

    /// Returns the edited node. Each of its marks with attributes is replaced by the source's mark of equal
    /// meaning, if the source has one. Without this, an edit of one half of a link would split the link in
    /// two.
    fn with_own_marks<'x>(&self, node: &Node<'e>) -> Node<'x>
    where
        'o: 'x,
        'e: 'x,
    {
        let mut node: Node<'x> = node.clone();
        for mark in node.marks.iter_mut().filter(|it| !it.attrs.is_empty()) {
            let same = |it: &&Mark<'o>| same_marks(std::slice::from_ref(*it), std::slice::from_ref(mark));
            if let Some(own) = self.ours.iter().flat_map(|it| &it.marks).find(same) {
                *mark = own.clone();
            }
        }
        node
    }

    /// Adds to `fresh` the source units in `range` that no hunk replaces, and the edited units of each hunk
    /// at the hunk's position. Leaves out pure insertions before the first unit: the caller has added them.
    fn remaining<'x>(&self, range: Range<usize>, changed: &[Hunk], fresh: &mut ThinVec<Node<'x>>)
    where
        'o: 'x,
        'e: 'x,
    {
        for at in range.clone() {
            // The caller has added pure insertions before the first unit.
            for hunk in
                changed.iter().filter(|it| it.0.start == at && !(it.0.is_empty() && at == range.start))
            {
                self.inserted(hunk, fresh);
            }
            if !changed.iter().any(|it| it.0.contains(&at)) {
                add(&self.ours[self.a[at].node()], &self.a[at], fresh);
            }
        }
    }
}

/// Adds `unit`, a unit of `node`, to `fresh`. A character is appended to the last node of `fresh` if that is
/// text with equal marks.
fn add<'x>(node: &Node<'x>, unit: &Unit, fresh: &mut ThinVec<Node<'x>>) {
    let Some(char) = unit.char else { return fresh.push(node.clone()) };
    if let Some(last) = fresh.last_mut()
        && last.kind == Kind::Text
        && same_marks(&last.marks, &node.marks)
    {
        return last.text.to_mut().push(char);
    }
    let mut run = node.clone();
    run.text = Cow::Owned(char.to_string());
    fresh.push(run);
}
