//! Restores the source of a sidecar with the edit of its Markdown.

use std::collections::BTreeMap;
use std::ops::Range;

use thin_vec::{ThinVec, thin_vec};

use super::edited::Edited;
use super::pieces::{Block, Piece, left};
use super::{Conflict, Restored, Sidecar, SidecarError};
use crate::adf;
use crate::compare::print;
use crate::document::MARK;
use crate::format::Format;
use crate::graft::copy;
use crate::keeping::of_edits;
use crate::legal::{Known, invalid};
use crate::loss::Loss;
use crate::merge::{Brought, Edit, Gone, brought, gone, merge, seam, written};
use crate::names::{Names, Resolver, identify};
use crate::spelling::{Spelling, with_line_ends};
use crate::tree::{Kind, Node, Span};
use crate::unshown::{has_json, json_in_wiki, of_edit};

impl Sidecar {
    /// Returns the source with the edits of `markdown`, which is the edited output of [`split`](Self::split).
    ///
    /// # Errors
    ///
    /// [`OtherDocument`](SidecarError::OtherDocument) if the sidecar belongs to another document.
    pub fn restore(&self, markdown: &str) -> Result<Restored, SidecarError> {
        self.restore_with(markdown, &Names::default())
    }

    /// Like [`restore`](Self::restore), but a mention by name alone (`:mention[@Jane Doe]`) gets the id that
    /// `resolver` knows.
    ///
    /// # Errors
    ///
    /// [`OtherDocument`](SidecarError::OtherDocument) if the sidecar belongs to another document.
    pub fn restore_with(&self, markdown: &str, resolver: &dyn Resolver) -> Result<Restored, SidecarError> {
        let mut edited = Edited::read(markdown, &self.entries);
        identify(&mut edited.read.blocks, resolver);
        let pieces = self.pieces(&edited)?;
        let sources = self.entries.iter().map(|it| &*it.source);
        let spelling = of_edits(self.format(), sources, self.keep_raw);
        if self.entries.is_empty() && !pieces.is_empty() && self.format() == Format::Adf {
            // Without entries no span shows where in the JSON a new block belongs, so the document is written
            // anew. No block is known from before, so all blocks in `edited.read` have their children.
            let (_, losses) = written(spelling.as_ref(), &edited.read.blocks);
            let text = spelling.document(&edited.read.blocks);
            return Ok(Restored {
                text,
                conflicts: Vec::new(),
                invalid: adf::complaints(&edited.read.blocks),
                losses,
                diagnostics: edited.read.diagnostics,
                copied: 0,
            });
        }
        let texts = Texts::of(self, &pieces);
        let mut parts = texts.parts(spelling.as_ref(), &pieces, &edited);
        if self.format() == Format::Adf {
            let known = Known::of(parts.iter().map(|it| &it.base[..]));
            parts.iter_mut().for_each(|it| edited.read.diagnostics.extend(known.make_legal(&mut it.edited)));
        }
        let edits: Vec<Edit<'_, '_, '_, '_>> = parts.iter().map(Part::edit).collect();
        let brought = brought(&edits);
        let mut restoring = Restoring {
            sidecar: self,
            spelling: spelling.as_ref(),
            text: String::with_capacity(markdown.len() * 2),
            last: None,
            losses: Vec::new(),
            copied: 0,
        };
        restoring.text.push_str(self.entries.first().map_or(&self.after, |it| &it.before));
        let mut changed = parts.iter().zip(&brought);
        pieces.iter().for_each(|it| restoring.add(it, &mut changed));
        if !self.entries.is_empty() {
            restoring.text.push_str(&self.after);
        }
        let Restoring { mut text, mut losses, copied, .. } = restoring;
        losses.extend(self.around(&pieces, &edited));
        losses.extend(edited.take_losses());
        let is_known = |address: &str| self.entries.iter().any(|it| it.source.contains(address));
        losses.extend(parts.iter().flat_map(|it| of_edit(self.format(), &it.base, &it.edited, &is_known)));
        // A source that was copied is returned as it is, even JSON that is not a node: if it were read in an
        // array, it would be another tree.
        if self.is_lone_node() && !matches!(pieces[..], [Piece::Copied { is_moved: false, .. }]) {
            let mark = if text.starts_with(MARK) { MARK.len_utf8() } else { 0 };
            text = format!("{}{}", &text[..mark], in_document(spelling.as_ref(), &text[mark..]));
        }
        let entries = self.entries.iter().flat_map(|it| [&*it.before, &*it.source]);
        text = with_line_ends(text, self.format(), &entries.chain([&*self.after]).collect::<Vec<_>>());
        let mut conflicts = conflicts(&parts, &edits, &text);
        conflicts.extend(self.cut_off(&pieces, &edited));
        if matches!(self.format(), Format::Wiki(_)) && has_json(&text) {
            let old: String = self.entries.iter().map(|it| &*it.source).collect();
            edited.read.diagnostics.extend(json_in_wiki(self.format(), &old, &text, &edited.read.blocks));
        }
        let invalid = parts.iter().flat_map(|it| invalid(self.format(), &it.base, &it.edited)).collect();
        Ok(Restored { text, conflicts, losses, diagnostics: edited.read.diagnostics, invalid, copied })
    }

    /// Returns whether the source is a single ADF node without a document around it.
    fn is_lone_node(&self) -> bool {
        let [only] = &self.entries[..] else { return false };
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(&only.source).is_ok();
        self.format() == Format::Adf
            && only.before.trim_start_matches(MARK).trim().is_empty()
            && self.after.trim().is_empty()
            && is_json()
    }
}

/// The Markdown, before the edit, of each entry that the edit changed or removed, by the index of the entry.
struct Texts<'r> {
    sidecar: &'r Sidecar,
    texts: BTreeMap<usize, String>,
}

impl<'r> Texts<'r> {
    fn of(sidecar: &'r Sidecar, pieces: &[Piece]) -> Self {
        let edited = pieces.iter().filter_map(|it| match it {
            Piece::Edited { entry, .. } => Some(*entry),
            Piece::Copied { .. } | Piece::New(_) => None,
        });
        let entries = edited.chain(left(sidecar, pieces));
        let texts = entries.map(|it| (it, sidecar.entries[it].markdown.join("\n\n"))).collect();
        Self { sidecar, texts }
    }

    /// Returns the edited parts: first the pieces whose text is not copied from the source, in order, then
    /// the entries that the edit removed.
    fn parts<'x, 'e: 'x>(
        &'x self,
        spelling: &dyn Spelling,
        pieces: &[Piece],
        edited: &Edited<'e>,
    ) -> Vec<Part<'x>> {
        let block = |it: &Block| edited.block(it.at).clone();
        let of_piece = |it: &Piece| match it {
            Piece::Copied { .. } => None,
            Piece::Edited { entry, blocks, .. } => {
                Some(self.part(spelling, *entry, blocks.iter().map(block).collect()))
            }
            Piece::New(at) => {
                let edited = thin_vec![self.copied(spelling, edited.text(*at), edited.block(*at))];
                Some(Part { entry: None, ours: ThinVec::new(), base: ThinVec::new(), edited })
            }
        };
        let gone = left(self.sidecar, pieces).into_iter().map(|it| self.part(spelling, it, ThinVec::new()));
        pieces.iter().filter_map(of_piece).chain(gone).collect()
    }

    /// Returns the new block `edited`; if it is a copy of an entry, with what its Markdown does not show.
    fn copied<'x, 'e: 'x>(&'x self, spelling: &dyn Spelling, text: &str, edited: &Node<'e>) -> Node<'x> {
        let of = self.sidecar.entries.iter().find(|it| it.markdown == [text]);
        of.map_or_else(|| edited.clone(), |it| copy(spelling, &it.source, text, edited))
    }

    fn part<'x>(&'x self, spelling: &dyn Spelling, entry: usize, edited: ThinVec<Node<'x>>) -> Part<'x> {
        let source = &self.sidecar.entries[entry].source;
        let base = crate::markdown::blocks_where(&self.texts[&entry], &|_| true).blocks;
        let ours = match &base[..] {
            // The entry is raw in the Markdown because the document exceeded the node limit. Read by itself
            // it would have nodes, and no longer correspond to its Markdown.
            [raw] if raw.kind == Kind::RawBlock && raw.text == *source => {
                let span = Span::new(0, source.len());
                thin_vec![Node::raw(Kind::RawBlock, self.sidecar.format().name(), source).at(span, span)]
            }
            _ => spelling.read(source).0,
        };
        Part { entry: Some(entry), ours, base, edited }
    }
}

/// An edited part of the document: an entry of the sidecar whose Markdown changed or was removed, or a new
/// block. It has the nodes of the source (`ours`), of its Markdown (`base`), and of the edited Markdown.
struct Part<'x> {
    /// The index of the entry; `None` for a new block.
    entry: Option<usize>,
    ours: ThinVec<Node<'x>>,
    base: ThinVec<Node<'x>>,
    edited: ThinVec<Node<'x>>,
}

impl<'x> Part<'x> {
    fn edit(&self) -> Edit<'_, 'x, 'x, 'x> {
        Edit { ours: &self.ours, base: &self.base, edited: &self.edited }
    }
}

/// Returns the nodes without Markdown syntax, and the comments, that the edit removed, in the order of the blocks that
/// contained them; those that are not in `text`, the document after the edit.
fn conflicts(parts: &[Part<'_>], edits: &[Edit<'_, '_, '_, '_>], text: &str) -> Vec<Conflict> {
    let gone = parts.iter().zip(gone(edits));
    let conflict = |block, it: Gone| Conflict { what: it.what, block };
    let mut all: Vec<Conflict> = gone
        .flat_map(|(part, gone)| {
            gone.into_iter()
                .filter(|it| it.is_gone_from(text))
                .map(|it| conflict(part.entry.unwrap_or(0), it))
        })
        .collect();
    all.sort_by_key(|it| it.block);
    all
}

/// The state while the restored source is put together from its pieces.
struct Restoring<'r> {
    sidecar: &'r Sidecar,
    spelling: &'r dyn Spelling,
    /// The restored source so far.
    text: String,
    /// The block that was added last; `None` before the first block.
    last: Option<Last>,
    losses: Vec<Loss>,
    copied: usize,
}

/// The block that was added last to the restored source.
struct Last {
    /// The byte range of the block's text in the restored source.
    span: Range<usize>,
    /// The index of the block's entry in the sidecar; `None` if the block is new or moved.
    entry: Option<usize>,
    /// True if the block was copied unchanged from its entry.
    copied: bool,
}

impl<'r> Restoring<'r> {
    /// Adds a piece to the restored source. A piece whose text is not copied takes the next element of
    /// `changed`: its part, and the nodes to write.
    fn add<'p, 'x: 'p>(
        &mut self,
        piece: &Piece,
        changed: &mut impl Iterator<Item = (&'p Part<'x>, &'p Brought<'x>)>,
    ) {
        let source = |entry: usize| &self.sidecar.entries[entry].source;
        match piece {
            Piece::Copied { entry, is_moved: false } => {
                self.copied += 1;
                self.push(Some(*entry), source(*entry), true);
            }
            Piece::Copied { entry, is_moved: true } => self.push(None, source(*entry), false),
            Piece::Edited { .. } | Piece::New(_) => {
                let Some((part, brought)) = changed.next() else { return };
                let text = self.edit(part, brought);
                let stays = matches!(piece, Piece::Edited { is_moved: false, .. });
                self.push(part.entry.filter(|_| stays), &text, false);
            }
        }
    }

    /// Adds the text of a block, after the separator it needs. `entry` is the index of its entry, `None` for
    /// a moved or new block; `copied` is whether the text is the unchanged source of the entry.
    fn push(&mut self, entry: Option<usize>, text: &str, copied: bool) {
        let sidecar = self.sidecar;
        if text.is_empty() && entry.is_none_or(|it| !sidecar.entries[it].source.is_empty()) {
            // A block that the format writes as nothing gets no separator.
            return;
        }
        if let Some(last) = self.last.take() {
            let between = self.between(&last, entry, text, copied).to_owned();
            self.text.push_str(&between);
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.last = Some(Last { span: start..self.text.len(), entry, copied });
    }

    /// Returns the separator between the block `last` and the block with this `text`. If the two were
    /// neighbours in the source, their old separator stays if both are unchanged, or if they were not read as
    /// separate blocks before the edit. Otherwise returns a separator that keeps the blocks apart: the
    /// separator before the block in the source, or else a separator of the format. If no separator keeps
    /// them apart, records a loss.
    fn between(&mut self, last: &Last, entry: Option<usize>, text: &str, copied: bool) -> &'r str {
        let (entries, format) = (&self.sidecar.entries, self.sidecar.format());
        let own = entry.filter(|it| *it > 0).map(|it| entries[it].before.as_str());
        let new = self.spelling.between(None);
        let followed = entry.is_some_and(|it| it > 0 && last.entry == Some(it - 1));
        if let (true, Some(own)) = (followed, own) {
            let source = |it: usize| entries[it].source.as_str();
            let (was, is) = (entry.unwrap_or_default() - 1, entry.unwrap_or_default());
            if (copied && last.copied) || !seam::apart(format, source(was), own, source(is)) {
                return own;
            }
        }
        let before = &self.text[last.span.clone()];
        let wanted: Vec<&'r str> = own.into_iter().chain([new]).collect();
        let found = seam::between(format, before, text, &wanted);
        if found.is_none() {
            self.losses.push(seam::lost(text));
        }
        found.unwrap_or(wanted[0])
    }

    /// Returns the new source text of a part, and records its losses.
    fn edit(&mut self, part: &Part<'_>, brought: &Brought<'_>) -> String {
        let Some(entry) = part.entry else {
            let (text, losses) = written(self.spelling, &brought.edited);
            self.losses.extend(losses);
            return text;
        };
        let source = &self.sidecar.entries[entry].source;
        let edit = Edit { ours: &part.ours, base: &brought.base, edited: &brought.edited };
        let merged = merge(self.spelling, source, Span::new(0, source.len()), None, edit);
        self.losses.extend(merged.losses);
        merged.text
    }
}

/// Returns the new text of a source that was a single ADF node without a document. Adds a document around the
/// text unless it is still one node, because several nodes side by side are not JSON.
fn in_document(spelling: &dyn Spelling, text: &str) -> String {
    let prints = |text: &str| spelling.read(text).0.iter().map(print).collect::<Vec<u64>>();
    let alone = spelling.alone(text);
    if !text.trim().is_empty() && prints(text) == prints(&alone) {
        return text.to_owned();
    }
    let (nodes, _) = spelling.read(&alone);
    if nodes.iter().any(|it| it.kind.is_inline()) {
        return spelling.document(&[Node::new(Kind::Paragraph).holding(nodes)]);
    }
    let empty = spelling.document(&[]);
    let at = empty.find(']').unwrap_or(empty.len());
    format!("{}{text}{}", &empty[..at], &empty[at..])
}
