//! Splits a stream of bytes into frames: lines of limited length.
//!
//! In: the bytes of each read from the stream. Out: [`Frame`]s. A line over the limit is reported once and
//! skipped, so that the next line is read as usual; if all frames are taken after each read, the buffer stays
//! within the limit plus 64 KiB. The content of frames is not parsed.

/// A frame, or the report of a line over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'b> {
    /// The bytes of a line without its line break and surrounding white space; never blank.
    Line(&'b [u8]),
    /// The first bytes of a line over the limit, at most 4,096.
    TooLong(&'b [u8]),
}

/// A buffer of bytes that were read from a stream and are not split into frames yet.
#[derive(Debug)]
pub struct Lines {
    buffer: Vec<u8>,
    /// The offset at which the current line begins. Invariant: `start <= scanned <= filled <= buffer.len()`;
    /// there is no line break in `start..scanned`.
    start: usize,
    /// The offset up to which the current line was searched for its line break.
    scanned: usize,
    /// The offset at which the bytes read so far end.
    filled: usize,
    /// Largest length of a line in bytes, without its line break.
    limit: usize,
    /// Whether the stream is inside a line over the limit, whose bytes are dropped up to its line break.
    skipping: bool,
}

/// Smallest size in bytes of an allocated buffer: the default capacity of a pipe on Linux, and so the most
/// that one read from such a pipe returns.
const READ: usize = 64 * 1024;

/// Size in bytes above which an empty buffer is freed. 4 MiB keeps a stream of megabyte messages from
/// allocating and freeing its buffer again and again.
const KEEP: usize = 4 * 1024 * 1024;

/// Largest length in bytes of [`Frame::TooLong`]: usually enough to find the id of the message.
const PREFIX: usize = 4096;

impl Lines {
    /// Creates an empty buffer for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, scanned: 0, filled: 0, limit, skipping: false }
    }

    /// Returns whether at most `limit` bytes were read and not yet taken as lines.
    pub fn has_room(&self) -> bool {
        self.filled - self.start <= self.limit
    }

    /// Returns the free part of the buffer, for the next read to write into; never empty. Call
    /// [`Self::filled`] after the read.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start == self.filled {
            (self.start, self.scanned, self.filled) = (0, 0, 0);
            if self.buffer.len() > KEEP {
                self.buffer = Vec::new();
            }
        }
        if self.buffer.len() - self.filled < READ / 2 && self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.scanned -= self.start;
            self.filled -= self.start;
            self.start = 0;
        }
        if self.buffer.len() - self.filled < READ / 2 {
            let larger = (self.buffer.len() * 2).clamp(READ, (self.limit + READ).max(self.filled + READ));
            self.buffer.resize(larger, 0);
        }
        &mut self.buffer[self.filled..]
    }

    /// Records that a read put `count` bytes at the beginning of [`Self::space`].
    pub fn filled(&mut self, count: usize) {
        self.filled = (self.filled + count).min(self.buffer.len());
    }

    /// Returns the next complete frame, or the report of a line over the limit; `None` if more bytes are
    /// needed. Blank lines are skipped.
    pub fn next_frame(&mut self) -> Option<Frame<'_>> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.filled]) else {
                self.scanned = self.filled;
                if self.skipping {
                    self.start = self.filled;
                } else if self.filled - self.start > self.limit {
                    self.skipping = true;
                    let prefix = self.start..self.start + PREFIX.min(self.filled - self.start);
                    self.start = self.filled;
                    return Some(Frame::TooLong(&self.buffer[prefix]));
                }
                return None;
            };
            let line = self.start..self.scanned + found;
            self.start = line.end + 1;
            self.scanned = self.start;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.len() > self.limit {
                return Some(Frame::TooLong(&self.buffer[line.start..line.start + PREFIX.min(line.len())]));
            }
            if !self.buffer[line.clone()].trim_ascii().is_empty() {
                return Some(Frame::Line(self.buffer[line].trim_ascii()));
            }
        }
    }

    /// Returns the bytes that [`Self::next_frame`] has not returned yet, without surrounding white space. If
    /// the stream ends without a line break, these bytes are its last line. Inside a line over the limit,
    /// returns no bytes.
    pub fn rest(&self) -> &[u8] {
        if self.skipping { &[] } else { self.buffer[self.start..self.filled].trim_ascii() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(lines: &mut Lines, mut bytes: &[u8], step: usize) -> Vec<String> {
        let mut seen = Vec::new();
        while !bytes.is_empty() {
            let space = lines.space();
            let n = bytes.len().min(space.len()).min(step);
            space[..n].copy_from_slice(&bytes[..n]);
            lines.filled(n);
            bytes = &bytes[n..];
            while let Some(frame) = lines.next_frame() {
                seen.push(match frame {
                    Frame::Line(line) => String::from_utf8_lossy(line).into_owned(),
                    Frame::TooLong(prefix) => format!("too long: {}", prefix.len()),
                });
            }
        }
        seen
    }

    #[test]
    fn finds_lines_however_they_are_cut() {
        for step in [1, 2, 3, 1000] {
            let mut lines = Lines::new(100);
            assert_eq!(feed(&mut lines, b"one\r\n\n  \ntwo\nthr", step), ["one", "two"], "step {step}");
            assert_eq!(lines.rest(), b"thr");
        }
    }

    #[test]
    fn reports_a_line_over_the_limit_once_and_stays_in_sync() {
        for step in [7, 1 << 20] {
            let mut lines = Lines::new(1000);
            let mut bytes = vec![b'x'; 200_000];
            bytes.extend_from_slice(b"\nnext\n");
            let seen = feed(&mut lines, &bytes, step);
            assert_eq!(seen.len(), 2, "{seen:?}");
            assert!(seen[0].starts_with("too long"), "{seen:?}");
            assert_eq!(seen[1], "next");
            assert!(lines.buffer.len() <= 1000 + 2 * READ, "{}", lines.buffer.len());
        }
    }

    #[test]
    fn takes_a_line_of_exactly_the_limit() {
        let mut lines = Lines::new(1000);
        let mut bytes = vec![b'x'; 1000];
        bytes.push(b'\n');
        assert_eq!(feed(&mut lines, &bytes, 64)[0].len(), 1000);
    }

    #[test]
    fn gives_a_large_buffer_back() {
        let mut lines = Lines::new(16 << 20);
        let mut bytes = vec![b'x'; 8 << 20];
        bytes.push(b'\n');
        feed(&mut lines, &bytes, 1 << 16);
        lines.space();
        assert!(lines.buffer.len() <= KEEP);
    }
}
