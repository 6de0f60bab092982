//! An edit put back.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Conflict, Entry, Restored, Sidecar, SidecarError};
use crate::align::{Op, align};
use crate::compare::similarity;
use crate::document::Document;
use crate::format::Format;
use crate::loss::Loss;
use crate::merge::{Edit, merge, rich, written};
use crate::spelling::{self, Spelling};
use crate::tree::{Kind, Node, Span};

/// What became of an entry.
enum Piece {
    /// It is as it was.
    Copied(usize),
    /// It is there, with these blocks of the edited Markdown for its own.
    Edited(usize, Vec<Block>),
    /// A block that is new.
    New(usize),
}

/// A block of the edited Markdown.
struct Block {
    at: usize,
    /// Whether it is as it was.
    kept: bool,
}

impl Sidecar {
    /// The source with what was edited in `markdown`.
    ///
    /// # Errors
    ///
    /// If the sidecar belongs to another document.
    pub fn restore(&self, markdown: &str) -> Result<Restored, SidecarError> {
        let edited = Document::read(Format::EDITED, markdown);
        let pieces = self.pieces(&edited)?;
        let spelling = spelling::of(self.format());
        if self.entries.is_empty() && !pieces.is_empty() && self.format() == Format::Adf {
            // There is no block whose place says where in the JSON a new one belongs.
            let (_, losses) = written(spelling.as_ref(), &edited.blocks);
            let text = spelling.document(&edited.blocks);
            return Ok(Restored {
                text,
                conflicts: Vec::new(),
                losses,
                diagnostics: edited.diagnostics,
                copied: 0,
            });
        }
        let left = left(&self.entries, &pieces);
        let mut restoring = Restoring {
            sidecar: self,
            spelling: spelling.as_ref(),
            edited: &edited.blocks,
            moves: moves(&self.entries, &left, &pieces, &edited),
            left,
            text: String::with_capacity(markdown.len() * 2),
            conflicts: Vec::new(),
            losses: Vec::new(),
            written: false,
            copied: 0,
        };
        restoring.text.push_str(self.entries.first().map_or(&self.after, |it| &it.before));
        pieces.iter().for_each(|it| restoring.add(it));
        restoring.gone();
        if !self.entries.is_empty() {
            restoring.text.push_str(&self.after);
        }
        let Restoring { text, conflicts, losses, copied, .. } = restoring;
        Ok(Restored { text, conflicts, losses, diagnostics: edited.diagnostics, copied })
    }

    /// What became of each entry, and what is new, in order.
    fn pieces(&self, edited: &Document<'_>) -> Result<Vec<Piece>, SidecarError> {
        let old: Vec<(usize, &str)> = self
            .entries
            .iter()
            .enumerate()
            .flat_map(|(at, it)| it.markdown.iter().map(move |it| (at, it.as_str())))
            .collect();
        let new: Vec<&str> = edited.blocks.iter().map(|it| it.span.of(edited.source)).collect();
        let numbers = |texts: &mut dyn Iterator<Item = &str>| texts.map(number).collect::<Vec<u64>>();
        let before: RefCell<Vec<Option<Node<'_>>>> = RefCell::new(vec![None; old.len()]);
        let score = |i: usize, j: usize| {
            let mut cached = before.borrow_mut();
            let node = cached[i].get_or_insert_with(|| single(old[i].1));
            similarity(node, &edited.blocks[j])
        };
        let ops = align(&numbers(&mut old.iter().map(|it| it.1)), &numbers(&mut new.iter().copied()), score);
        if old.len() > 1 && !new.is_empty() && !ops.iter().any(|it| belongs(it, &old, &new)) {
            return Err(SidecarError::OtherDocument);
        }
        Ok(self.gathered(&ops, &old))
    }

    fn gathered(&self, ops: &[Op], old: &[(usize, &str)]) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut next = 0; // the entry whose turn it is
        let later = later(ops, old);
        for (at, op) in ops.iter().enumerate() {
            match *op {
                Op::Keep(i, j) | Op::Pair(i, j) => {
                    self.unseen(&mut next, old[i].0, &mut pieces);
                    let block = Block { at: j, kept: matches!(op, Op::Keep(..)) };
                    match pieces.last_mut() {
                        Some(Piece::Edited(entry, blocks)) if *entry == old[i].0 => blocks.push(block),
                        _ => pieces.push(Piece::Edited(old[i].0, vec![block])),
                    }
                    next = old[i].0 + 1;
                }
                Op::Insert(j) => {
                    // Between two blocks of one entry it belongs to the entry.
                    match pieces.last_mut() {
                        Some(Piece::Edited(entry, blocks)) if later[at] == Some(*entry) => {
                            blocks.push(Block { at: j, kept: false })
                        }
                        _ => pieces.push(Piece::New(j)),
                    }
                }
                Op::Delete(_) => {}
            }
        }
        self.unseen(&mut next, self.entries.len(), &mut pieces);
        pieces.into_iter().map(|it| self.whole(it)).collect()
    }

    /// An entry all of whose blocks are as they were is copied.
    fn whole(&self, piece: Piece) -> Piece {
        match piece {
            Piece::Edited(entry, blocks)
                if blocks.len() == self.entries[entry].markdown.len() && blocks.iter().all(|it| it.kept) =>
            {
                Piece::Copied(entry)
            }
            piece => piece,
        }
    }

    /// Entries that Markdown shows nothing of stay where they are.
    fn unseen(&self, next: &mut usize, until: usize, pieces: &mut Vec<Piece>) {
        while *next < until {
            if self.entries[*next].markdown.is_empty() {
                pieces.push(Piece::Copied(*next));
            }
            *next += 1;
        }
    }
}

struct Restoring<'r, 'e> {
    sidecar: &'r Sidecar,
    spelling: &'r dyn Spelling,
    edited: &'r [Node<'e>],
    /// Entries that are not where they were.
    left: BTreeSet<usize>,
    /// The entries that new blocks say word for word: they were moved.
    moves: BTreeMap<usize, usize>,
    text: String,
    conflicts: Vec<Conflict>,
    losses: Vec<Loss>,
    written: bool,
    copied: usize,
}

impl Restoring<'_, '_> {
    fn add(&mut self, piece: &Piece) {
        match piece {
            Piece::Copied(entry) => {
                self.copied += 1;
                let text = &self.sidecar.entries[*entry].source;
                self.push(Some(*entry), text);
            }
            Piece::Edited(entry, blocks) => {
                let text = self.edit(*entry, blocks);
                self.push(Some(*entry), &text);
            }
            Piece::New(block) => {
                let text = match self.moves.get(block) {
                    Some(entry) => self.sidecar.entries[*entry].source.clone(),
                    None => {
                        let (text, losses) = written(self.spelling, &self.edited[*block..=*block]);
                        self.losses.extend(losses);
                        text
                    }
                };
                self.push(None, &text);
            }
        }
    }

    /// Adds the text of an entry, or of something new, after what has to stand before it.
    fn push(&mut self, entry: Option<usize>, text: &str) {
        let sidecar = self.sidecar;
        if text.is_empty() && entry.is_none_or(|it| !sidecar.entries[it].source.is_empty()) {
            // The format has nothing for it: then nothing separates it either.
            return;
        }
        if self.written {
            match entry {
                Some(entry) if entry > 0 => self.text.push_str(&sidecar.entries[entry].before),
                _ => self.text.push_str(self.spelling.between(None)),
            }
        }
        self.written = true;
        self.text.push_str(text);
    }

    fn edit(&mut self, entry: usize, blocks: &[Block]) -> String {
        let Entry { source, markdown, .. } = &self.sidecar.entries[entry];
        let (ours, _) = self.spelling.read(source);
        let text = markdown.join("\n\n");
        let base = Document::read(Format::EDITED, &text);
        let edited: Vec<Node<'_>> = blocks.iter().map(|it| self.edited[it.at].clone()).collect();
        let region = Span::new(0, source.len());
        let merged = merge(
            self.spelling,
            source,
            region,
            None,
            Edit { ours: &ours, base: &base.blocks, edited: &edited },
        );
        self.conflicts.extend(merged.gone.into_iter().map(|it| Conflict { what: it.what, block: entry }));
        self.losses.extend(merged.losses);
        merged.text
    }

    /// Rich blocks of entries that are not there any more.
    fn gone(&mut self) {
        let moved: BTreeSet<usize> = self.moves.values().copied().collect();
        for at in self.left.difference(&moved) {
            let (ours, _) = self.spelling.read(&self.sidecar.entries[*at].source);
            self.conflicts.extend(rich(&ours).into_iter().map(|what| Conflict { what, block: *at }));
        }
        self.conflicts.sort_by_key(|it| it.block);
    }
}

/// The entries that no piece is.
fn left(entries: &[Entry], pieces: &[Piece]) -> BTreeSet<usize> {
    let kept = |it: &Piece| match it {
        Piece::Copied(entry) | Piece::Edited(entry, _) => Some(*entry),
        Piece::New(_) => None,
    };
    let kept: BTreeSet<usize> = pieces.iter().filter_map(kept).collect();
    (0..entries.len()).filter(|it| !kept.contains(it)).collect()
}

/// New blocks that say word for word what an entry said that is `left`, each entry once.
fn moves(
    entries: &[Entry],
    left: &BTreeSet<usize>,
    pieces: &[Piece],
    edited: &Document<'_>,
) -> BTreeMap<usize, usize> {
    let mut waiting: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for at in left.iter().rev() {
        if let [only] = entries[*at].markdown.as_slice() {
            waiting.entry(only).or_default().push(*at);
        }
    }
    let mut moved = |block: &usize| waiting.get_mut(edited.blocks[*block].span.of(edited.source))?.pop();
    let new = pieces.iter().filter_map(|it| if let Piece::New(block) = it { Some(block) } else { None });
    new.filter_map(|block| Some((*block, moved(block)?))).collect()
}

/// The one block of a text of Markdown.
fn single(markdown: &str) -> Node<'_> {
    let mut document = Document::read(Format::EDITED, markdown);
    match document.blocks.len() {
        1 => document.blocks.remove(0),
        _ => Node::raw(Kind::RawBlock, "markdown", markdown),
    }
}

/// Whether something that is still there shows that the Markdown is this sidecar's.
fn belongs(op: &Op, old: &[(usize, &str)], new: &[&str]) -> bool {
    match op {
        Op::Keep(..) => true,
        Op::Pair(i, j) => {
            let (was, is) = (single(old[*i].1), single(new[*j]));
            similarity(&was, &is) > 30
        }
        Op::Delete(_) | Op::Insert(_) => false,
    }
}

/// For each step the entry of the next block that is still there.
fn later(ops: &[Op], old: &[(usize, &str)]) -> Vec<Option<usize>> {
    let mut next = None;
    let step = |op: &Op| {
        if let Op::Keep(i, _) | Op::Pair(i, _) = op {
            next = Some(old[*i].0);
        }
        next
    };
    let mut all: Vec<Option<usize>> = ops.iter().rev().map(step).collect();
    all.reverse();
    all
}

/// Equal for equal texts.
fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
