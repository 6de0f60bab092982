//! The last lines of a server's stderr, for errors. This module also passes all of stderr on to the client's
//! stderr, if the program wants that.
//!
//! In: the child's stderr, of any length. Out: its last lines as text. The child never waits long, and no
//! buffer grows without a limit: output that the client's stderr does not accept in time is dropped, and a
//! line there says how many bytes are missing. A program can take the place of the client's stderr.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use plainwire_proto::json::visible;

use super::Stderr;
use super::passed_to::PassedTo;

/// The most bytes that are kept of stderr. 4 KiB: a panic with a short backtrace.
const MOST_BYTES: usize = 4 << 10;

/// The most lines of stderr in an error.
const MOST_LINES: usize = 20;

/// The most bytes of one read of the child's stderr, and so of one chunk.
const CHUNK: usize = 64 << 10;

/// The most chunks that wait to be written to the client's stderr.
const CHUNKS: usize = 16;

/// The longest time that a child waits for the client's stderr. After that, its output is dropped without a
/// wait until there is room for a chunk again.
const PATIENCE: Duration = Duration::from_millis(500);

/// The pause between two checks whether the queue to the client's stderr has room for a chunk.
const STEP: Duration = Duration::from_millis(5);

/// The last lines of a child's stderr. Shared by the thread that reads stderr, the thread that passes it on,
/// and the code that writes errors.
#[derive(Debug, Default)]
pub(super) struct LastWords(Mutex<Tail>);

/// The end of a child's stderr, as far as it was read.
#[derive(Debug, Default)]
struct Tail {
    /// The last bytes of stderr, at most `MOST_BYTES`.
    bytes: VecDeque<u8>,
    /// Whether stderr had more output before `bytes`, which is not kept.
    is_cut: bool,
    /// Whether stderr has ended, and all of it was passed on if the program wants that.
    is_whole: bool,
}

impl LastWords {
    /// Reads `from`, the child's stderr, on a thread, until every process that can write to it has closed it. `file`
    /// gets a copy; if it can't be written any more, the rest is left out. `to` takes the place of the client's
    /// stderr.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn read(
        mut from: impl Read + Send + 'static,
        stderr: Stderr,
        file: Option<Arc<File>>,
        to: Option<PassedTo>,
    ) -> io::Result<Arc<Self>> {
        let last_words = Arc::new(Self::default());
        let kept = Arc::clone(&last_words);
        let passer =
            if stderr == Stderr::Pass { Some(Passer::start(Arc::clone(&last_words), to)?) } else { None };
        thread::Builder::new().name("plainwire-stderr".to_owned()).spawn(move || {
            let (mut passer, mut file) = (passer, file);
            let mut buffer = vec![0; CHUNK];
            loop {
                match from.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                    Ok(count) => {
                        kept.tail().push(&buffer[..count]);
                        file = file.filter(|file| (&**file).write_all(&buffer[..count]).is_ok());
                        if let Some(passer) = &mut passer {
                            passer.pass(&buffer[..count]);
                        }
                    }
                }
            }
            // With a passer, the thread that writes its chunks sets `is_whole`.
            if passer.is_none() {
                kept.tail().is_whole = true;
            }
        })?;
        Ok(last_words)
    }

    /// Returns whether stderr has ended, and all of it was passed on if the program wants that.
    pub(super) fn is_whole(&self) -> bool {
        self.tail().is_whole
    }

    /// Returns the last lines of stderr, escaped; `None` if there are none.
    pub(super) fn text(&self) -> Option<String> {
        let kept = self.tail();
        let bytes: Vec<u8> = kept.bytes.iter().copied().collect();
        let text = plain(&String::from_utf8_lossy(&bytes));
        let text = match text.split_once('\n') {
            Some((_half, rest)) if kept.is_cut && !rest.trim().is_empty() => rest,
            _ => &text,
        };
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(MOST_LINES)..];
        (!last.is_empty()).then(|| last.join("\n"))
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tail {
    fn push(&mut self, chunk: &[u8]) {
        let last = &chunk[chunk.len().saturating_sub(MOST_BYTES)..];
        let over = (self.bytes.len() + last.len()).saturating_sub(MOST_BYTES);
        self.is_cut |= over > 0 || last.len() < chunk.len();
        self.bytes.drain(..over);
        self.bytes.extend(last);
    }
}

/// The sender of a child's output to the thread that writes it to the client's stderr.
struct Passer {
    /// Whether the newest wait for room was in vain, so that output is now dropped without a wait.
    is_stuck: bool,
    /// The number of bytes that were dropped since the last chunk that was passed on.
    lost: u64,
    to: SyncSender<Vec<u8>>,
}

impl Passer {
    fn start(last_words: Arc<LastWords>, to: Option<PassedTo>) -> io::Result<Self> {
        let (passer, chunks) = Self::with_chunks();
        thread::Builder::new().name("plainwire-pass".to_owned()).spawn(move || {
            match to {
                Some(to) => write_all(&chunks, |text| to(text)),
                // Errors are ignored: stderr may be closed.
                None => write_all(&chunks, |text| drop(io::stderr().write_all(text.as_bytes()))),
            }
            last_words.tail().is_whole = true;
        })?;
        Ok(passer)
    }

    /// Returns a passer, and the receiver of its chunks.
    fn with_chunks() -> (Self, Receiver<Vec<u8>>) {
        let (to, chunks) = sync_channel(CHUNKS);
        (Self { is_stuck: false, lost: 0, to }, chunks)
    }

    fn pass(&mut self, bytes: &[u8]) {
        let mut chunk = Vec::with_capacity(bytes.len());
        if self.lost > 0 {
            let note = format!("\n[{} bytes of a server's stderr were left out here]\n", self.lost);
            chunk.extend_from_slice(note.as_bytes());
        }
        chunk.extend_from_slice(bytes);
        let began = Instant::now();
        loop {
            match self.to.try_send(chunk) {
                Ok(()) => {
                    (self.is_stuck, self.lost) = (false, 0);
                    return;
                }
                Err(TrySendError::Disconnected(_)) => return,
                Err(TrySendError::Full(back)) => {
                    if self.is_stuck || began.elapsed() >= PATIENCE {
                        self.is_stuck = true;
                        self.lost = self.lost.saturating_add(bytes.len() as u64);
                        return;
                    }
                    chunk = back;
                    thread::sleep(STEP);
                }
            }
        }
    }
}

/// Passes the text of all chunks to `write`, in whole lines, so that lines of several servers do not mix.
fn write_all(chunks: &Receiver<Vec<u8>>, write: impl Fn(&str)) {
    let mut rest = Vec::new();
    for chunk in chunks {
        rest.extend_from_slice(&chunk);
        let whole = match rest.iter().rposition(|&byte| byte == b'\n') {
            Some(at) => at + 1,
            None if rest.len() < MOST_BYTES => continue,
            // A long line is written in parts. Half a character waits for its other half.
            None => match std::str::from_utf8(&rest) {
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                _ => rest.len(),
            },
        };
        let text = plain(&String::from_utf8_lossy(&rest[..whole]));
        rest.drain(..whole);
        write(&text);
    }
    if !rest.is_empty() {
        write(&plain(&String::from_utf8_lossy(&rest)));
    }
}

/// Returns `text` in a form that a terminal only shows and does not obey. Line breaks stay, and tabs become
/// blanks. Colours (`ESC [`, numbers, `m`) are left out. Other control characters, and invisible ones, are
/// escaped, as in `\u{1b}`.
fn plain(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\t', " ");
    let lines = text.split('\n').map(|line| visible(&without_colours(line), usize::MAX));
    lines.collect::<Vec<_>>().join("\n")
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').strip_prefix('m') {
            Some(text) => plain.push_str(text),
            None => plain.extend(["\u{1b}[", part]),
        }
    }
    plain
}

/// Returns an error text with the last lines on stderr behind it, if there are any.
pub(crate) fn with_last_words(why: &str, words: Option<String>) -> String {
    match words {
        Some(words) => format!("{why}; its last words on stderr:\n{words}"),
        None => why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    fn kept(chunks: &[&str]) -> Option<String> {
        let last_words = LastWords::default();
        for chunk in chunks {
            last_words.tail().push(chunk.as_bytes());
        }
        assert!(last_words.tail().bytes.len() <= MOST_BYTES);
        last_words.text()
    }

    #[test]
    fn keeps_the_last_lines_and_no_more() {
        assert_eq!(kept(&[]), None);
        assert_eq!(kept(&["\n \n"]), None);
        assert_eq!(kept(&["one\ntw", "o\n"]).as_deref(), Some("one\ntwo"));
        let lines: Vec<String> = (0..100).map(|n| format!("line {n}\n")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let text = kept(&lines).expect("lines");
        assert_eq!((text.lines().count(), text.lines().next()), (MOST_LINES, Some("line 80")));
    }

    #[test]
    fn leaves_out_half_a_line_at_the_beginning_unless_there_is_nothing_else() {
        let long = "x".repeat(3_000);
        let text = kept(&[&long, "y", &long, "\nthe end\n"]).expect("lines");
        assert_eq!(text, "the end");
        assert_eq!(kept(&[&"z".repeat(3 * CHUNK)]).map(|text| text.len()), Some(MOST_BYTES));
    }

    #[test]
    fn so_many_chunks_wait_to_be_passed_on_and_no_more() {
        let (mut passer, chunks) = Passer::with_chunks();
        for _ in 0..16 {
            passer.pass(b"kept");
        }
        assert_eq!((passer.is_stuck, passer.lost), (false, 0));
        // As if one had waited for room in vain: the test need not wait.
        passer.is_stuck = true;
        passer.pass(b"lost");
        assert_eq!((passer.lost, chunks.try_iter().count()), (4, 16));
    }

    /// A source that is at its end, and reports the size of the buffer of each read.
    struct Measuring(Sender<usize>);

    impl Read for Measuring {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let _ = self.0.send(buffer.len());
            Ok(0)
        }
    }

    #[test]
    fn a_chunk_has_at_most_64_kib() {
        let (sizes, read) = channel();
        LastWords::read(Measuring(sizes), Stderr::Keep, None, None).expect("a thread");
        assert_eq!(read.recv_timeout(Duration::from_secs(10)), Ok(64 << 10));
    }

    #[test]
    fn shows_nothing_that_a_terminal_obeys() {
        let text =
            kept(&["\u{1b}[1;31merror\u{1b}[0m:\tno \u{7}bell\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}\r\n"]);
        let expected = r"error: no \u{7}bell\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}";
        assert_eq!(text.as_deref(), Some(expected));
    }
}
