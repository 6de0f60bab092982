//! Output that waits for the end of the questions to the user.
//!
//! In: text for stderr and stdout while a question is open. Out: the same text in the same order once none is open.
//! Of stderr, whose text a server can send without end, at most [`MAX_HELD`] bytes are kept; a line says how much was
//! left out. Of stdout, everything is kept: it is the result of the one command that runs.

/// The maximal number of bytes for stderr that wait, about 200 lines of a log.
const MAX_HELD: usize = 16 << 10;

/// The stream that a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stderr,
    Stdout,
}

/// The texts that wait.
#[derive(Debug)]
pub(crate) struct Held {
    /// The number of bytes for stderr in `texts`. Invariant: at most [`MAX_HELD`].
    bytes: usize,
    /// The number of bytes for stderr that were left out.
    left_out: u64,
    texts: Vec<(Stream, String)>,
}

impl Held {
    pub(crate) const fn new() -> Self {
        Self { bytes: 0, left_out: 0, texts: Vec::new() }
    }

    /// Keeps a text. Of a text for stderr, the lines for which there is no room are only counted, and so are all later
    /// texts.
    pub(crate) fn keep(&mut self, to: Stream, mut text: String) {
        if to == Stream::Stderr {
            let room = if self.left_out > 0 { 0 } else { MAX_HELD - self.bytes };
            let kept = if text.len() > room { whole_lines(&text, room) } else { text.len() };
            self.left_out = self.left_out.saturating_add((text.len() - kept) as u64);
            text.truncate(kept);
            self.bytes += kept;
            if kept == 0 {
                return;
            }
        }
        self.texts.push((to, text));
    }

    /// Returns the texts, and with them the line about those that were left out.
    pub(crate) fn take(&mut self) -> Vec<(Stream, String)> {
        let Self { left_out, mut texts, .. } = std::mem::replace(self, Self::new());
        if left_out > 0 {
            let note = format!("({left_out} bytes of output were left out while the question was open)\n");
            texts.push((Stream::Stderr, note));
        }
        texts
    }
}

/// Returns the number of bytes of the whole lines in the first `room` bytes of `text`; without a line end, of whole
/// characters.
fn whole_lines(text: &str, room: usize) -> usize {
    let end = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text[..end].rfind('\n').map_or(end, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_kib_for_stderr_wait_and_a_line_says_how_much_does_not() {
        let mut held = Held::new();
        for text in ["x".repeat(10 << 10), "y".repeat(6 << 10), "z".to_owned(), String::new(), "é".to_owned()]
        {
            held.keep(Stream::Stderr, text);
        }
        held.keep(Stream::Stdout, "r".repeat(100_000));
        let texts = held.take();
        let lengths: Vec<_> = texts.iter().map(|(to, text)| (*to, text.len())).collect();
        assert_eq!(
            lengths[..3],
            [(Stream::Stderr, 10_240), (Stream::Stderr, 6_144), (Stream::Stdout, 100_000)]
        );
        assert_eq!(texts[3].1, "(3 bytes of output were left out while the question was open)\n");
        assert_eq!(held.take(), []);
        held.keep(Stream::Stderr, "again".to_owned());
        assert_eq!(held.take(), [(Stream::Stderr, "again".to_owned())]);
        // One long text: its first lines wait.
        held.keep(Stream::Stderr, "0123456\n".repeat(3_000));
        let texts = held.take();
        assert_eq!((texts[0].1.len(), texts[0].1.ends_with('\n')), (16_384, true));
        assert_eq!(texts[1].1, "(7616 bytes of output were left out while the question was open)\n");
    }
}
