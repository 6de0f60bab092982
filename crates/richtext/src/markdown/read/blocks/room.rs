//! Keeps blocks beyond the limit of nodes as raw source.
//!
//! A top-level block is read whole or kept raw whole. A part of it would not be Markdown by itself: it would
//! lack the prefixes of its lines (`> `) or the lines before a table row.

use std::ops::Range;

use pulldown_cmark::Event;

use super::super::Rest;
use super::super::group::{self, Item};
use super::super::inline::Placed;
use super::Read;
use crate::tree::{Kind, Node, Span};

impl<'p> Read<'_, '_, 'p> {
    /// Handles an event. Returns false if the limit was reached and everything from the current block on is
    /// kept as raw source.
    pub(super) fn take(
        &mut self,
        event: Event<'p>,
        range: Range<usize>,
        events: &mut impl Iterator<Item = Placed<'p>>,
        rest: Rest,
    ) -> bool {
        let room = &self.prepared.room;
        let top = self.frames.get(1).map(|it| it.placed.start);
        let start = top.unwrap_or(range.start);
        if top.is_none() {
            self.left = room.left();
        }
        let is_read = !room.is_full()
            || matches!(event, Event::End(_))
            // The first event of a top-level block has to be handled to find where the block ends.
            || top.is_none() && rest == Rest::ByBlock;
        let begins = usize::from(!is_read && matches!(event, Event::Start(_)));
        if is_read {
            self.event(event, range, events);
            if !room.has_refused() {
                return true;
            }
        }
        match rest {
            Rest::Whole => self.keep_rest(start),
            Rest::ByBlock => self.keep_block(start, begins, events),
        }
        rest == Rest::ByBlock
    }

    /// Marks the block with the events `found` as too large if its `parts` (events other than text, soft
    /// breaks and ends of tags) are more than twice the nodes that may still be made. So a block that is too
    /// large is given up before all its events are in memory.
    pub(super) fn check_parts(&self, parts: usize, found: &[Placed<'p>]) {
        if parts / 2 > self.prepared.room.left()
            && let Some((_, placed)) = found.first()
        {
            self.prepared.room.refuse(self.prepared.source_at(placed.start));
        }
    }

    /// Keeps everything from the block at `start` to the end of the text as one raw block. If a directive or
    /// HTML element is still open at `start`, or attributes belong to the block, the raw block begins with
    /// these.
    fn keep_rest(&mut self, start: usize) {
        self.leave();
        let start = self.line_start(start);
        self.drop_from(start);
        let mut span = self.span(&(start..self.text.len()));
        let items = &mut self.frames[0].items;
        let open = group::first_open(items).unwrap_or(items.len());
        let is_of_next = |it: &Item<'_>| matches!(it, Item::Attrs { .. } | Item::Separator);
        let kept = items[..open].iter().rposition(|it| !is_of_next(it)).map_or(0, |it| it + 1);
        span.start = items[kept..].iter().find_map(place).map_or(span.start, |it| it.start);
        items.truncate(kept);
        self.prepared.room.refuse(span.start as usize);
        self.add_raw(span);
    }

    /// Keeps the top-level block that begins at `start` as raw source, and skips its events. `begun` is the
    /// number of start events that were consumed but have no frame in `frames`.
    fn keep_block(&mut self, start: usize, begun: usize, events: &mut impl Iterator<Item = Placed<'p>>) {
        let span = match self.frames.get(1) {
            Some(block) => self.span(&block.placed),
            None => match self.last_span() {
                Some(span) => span,
                None => return self.prepared.room.give_back(self.left),
            },
        };
        let is_begin = |it: &&Placed<'_>| matches!(it.0, Event::Start(_));
        let is_end = |it: &&Placed<'_>| matches!(it.0, Event::End(_));
        let begins = self.run.iter().filter(is_begin).count();
        let mut open = self.frames.len() - 1 + begun + begins - self.run.iter().filter(is_end).count();
        while open > 0
            && let Some((event, _)) = events.next()
        {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                _ => {}
            }
        }
        self.leave();
        self.drop_from(start);
        self.prepared.room.refuse(span.start as usize);
        self.prepared.room.give_back(self.left);
        if !(self.keep)(span.of(self.prepared.source)) {
            self.bare.push(span.start);
        }
        self.add_raw(span);
    }

    /// Adds the source at `span` as a raw node.
    fn add_raw(&mut self, span: Span) {
        let raw = Node::raw(Kind::RawBlock, "markdown", span.of(self.prepared.source)).at(span, span);
        self.add(Item::Node(raw));
    }

    /// Returns the span of the last top-level node; `None` if the last top-level item is a directive, tag,
    /// comment or line of attributes.
    fn last_span(&self) -> Option<Span> {
        match self.frames[0].items.last() {
            Some(Item::Node(node)) => Some(node.span),
            Some(_) => None,
            None => self.settled.last().map(|it| it.span),
        }
    }

    /// Closes all open blocks except the document, and drops what was read of them.
    fn leave(&mut self) {
        self.frames.truncate(1);
        self.run.clear();
        self.depth = self.frames[0].opened;
    }

    /// Drops the top-level items that begin at `start`, an offset in the prepared text, or behind it.
    fn drop_from(&mut self, start: usize) {
        let from = self.prepared.source_at(start) as u32;
        let is_behind = |it: Span| it.start >= from;
        while self.settled.last().is_some_and(|it| is_behind(it.span)) {
            self.settled.pop();
        }
        let items = &mut self.frames[0].items;
        while items.last().and_then(place).is_some_and(is_behind) {
            items.pop();
        }
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |it| it + 1)
    }
}

/// Returns the span of an item; `None` for an empty comment between lists.
fn place(item: &Item<'_>) -> Option<Span> {
    match item {
        Item::Node(node) => Some(node.span),
        Item::Open { span, .. }
        | Item::Close { span, .. }
        | Item::Attrs { span, .. }
        | Item::Tag { span, .. } => Some(*span),
        Item::Separator => None,
    }
}
