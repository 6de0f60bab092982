//! Bytes of a fuzzer, read as choices, counts and texts.
//!
//! In: bytes. Out: numbers and texts. After the last byte, numbers are 0 and texts are empty. An inserted or
//! removed byte only shifts the choices after it, so that a fuzzer's mutations stay useful.

/// The bytes that were not read yet.
pub(super) struct Bytes<'d>(&'d [u8]);

impl<'d> Bytes<'d> {
    pub(super) fn new(data: &'d [u8]) -> Self {
        Self(data)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()).checked_rem(end).unwrap_or(0)
    }

    pub(super) fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    /// Reads a byte that is a length, and returns that many bytes after it, or all if there are fewer.
    pub(super) fn some(&mut self) -> &'d [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (some, rest) = self.0.split_at(length);
        self.0 = rest;
        some
    }

    /// Like [`Self::some`], as text; invalid UTF-8 is replaced.
    pub(super) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.some()).into_owned()
    }

    /// Returns all remaining bytes.
    pub(super) fn rest(&self) -> &'d [u8] {
        self.0
    }
}
