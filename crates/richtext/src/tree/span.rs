//! Byte ranges in a source.

use std::ops::Range;

/// The bytes `start..end` of a source. The spans that readers make are on character boundaries. A source has
/// at most [`crate::MAX_SOURCE`] bytes, so an offset fits into 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span of these byte offsets.
    ///
    /// # Panics
    ///
    /// If an offset is 4 GiB or more. Readers refuse such a source before they make spans.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let offset = |it: usize| u32::try_from(it).expect("a source is under 4 GiB");
        Self { start: offset(start), end: offset(end) }
    }

    /// Returns the empty span at the byte `offset`.
    #[must_use]
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Returns the part of `source` that the span covers; empty if the span ends after `source` or is not on
    /// character boundaries.
    #[must_use]
    pub fn of<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.range()).unwrap_or_default()
    }

    /// Returns the span moved forward by `by` bytes.
    #[must_use]
    pub(crate) fn shifted(self, by: usize) -> Self {
        Self::new(self.start as usize + by, self.end as usize + by)
    }

    /// Returns the span as a range of byte offsets.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the number of bytes in the span.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range().len()
    }

    /// Returns whether the span is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// Returns whether all of `other` lies within this span.
    #[must_use]
    pub fn holds(&self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
