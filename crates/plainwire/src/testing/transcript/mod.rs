//! Transcripts: the frames of one connection as text that people read and tests replay.
//!
//! In: text, a trace, or a [recorded](record()) session. Out: its steps; the frames that a server really
//! sends in reply to the client's frames; or a check of the frames that a client really sends. A line is one
//! frame, byte for byte, except for random values.
//!
//! ```text
//! # What the file shows, and which rule or bug it pins.
//!
//! -- client --
//! {"jsonrpc":"2.0","id":1,"method":"ping"}
//! -- server --
//! {"jsonrpc":"2.0","id":1,"result":{}}
//! ```
//!
//! Notes begin with `#`, so a frame can't begin with `#`. Empty lines are ignored.
//!
//! # Random values
//!
//! A sealed `requestState` is different in each run. Its text is written as `{state 1}`, `{state 2}` and so
//! on, in order of appearance; equal texts have equal numbers. `{state 1}` in a frame of the client is
//! replaced by the text that the server sent. So `"requestState":"{state 1}"` sends a state back unchanged,
//! and `"requestState":"{state 1}x"` sends one that was tampered with. An `elicitationId`, which clients
//! never send back, is written as `{random}`. `{nextCursor}` in a frame of the client is replaced by the
//! newest `nextCursor` that the server has sent.
//!
//! Times and other values that change in each run are not replaced. Make your server return constant ones in
//! a test.

use std::fmt;
use std::path::Path;

use super::lock;
use crate::error::{Error, Result};
use crate::server::Server;

mod play;
mod random;
mod record;

pub use record::{Recording, record};

/// The frames of one connection, in steps.
///
/// Its `Display` is the text of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// Frames of the client, and the frames that the server sends in reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The frames of the client.
    pub client: Vec<String>,
    /// The number of the line `-- server --` of the step in the file, counted from 1. `None` if the step has
    /// no such line, or was not parsed from a file.
    pub line: Option<usize>,
    /// The notes above the step, line by line, with their `#`.
    pub notes: Vec<String>,
    /// The frames of the server.
    pub server: Vec<String>,
}

/// Replays the transcript in the file `path` to `server`, and compares the frames of the server with those in
/// the file.
///
/// A step without a `-- server --` section gets one, unless another step differs: the present frames of the
/// server are written into the file, and the check fails once, so that you review them. To accept a change,
/// delete the section and run the test again. See [`Transcript::play`] for clocks.
///
/// ```no_run
/// # use plainwire::Server;
/// # fn server() -> Server { Server::new("demo") }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// // In a test: #[tokio::test(start_paused = true)]
/// plainwire::testing::transcript::check("tests/lifecycle.txt", server()).await
/// # }
/// ```
///
/// # Errors
/// [`Error::Mismatch`] with the first frame that differs in each step, and its line; also for steps that were
/// filled in, and for a file that is no transcript. [`Error::Io`] if the file can't be read or written; and
/// the errors of [`Transcript::play`].
pub async fn check(path: impl AsRef<Path>, server: Server) -> Result<()> {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).map_err(|error| {
        let source = std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        Error::Io { doing: "reading a transcript", source }
    })?;
    let written = Transcript::parse(&text).map_err(|error| at(path, &error.to_string()))?;
    if written.steps.iter().all(|step| step.client.is_empty()) {
        return Err(at(path, "expected at least one frame of the client, but found none"));
    }
    let played = written.play(server).await?;
    if let Some(difference) = written.difference(&played) {
        let hint = "to accept it, delete the `-- server --` section and run the test again";
        return Err(at(path, &format!("{difference}{hint}")));
    }
    if written.steps.iter().any(|step| step.line.is_none()) {
        lock::write(path, &played.to_string())?;
        return Err(at(path, "wrote the frames of the server: review and commit them"));
    }
    Ok(())
}

fn at(path: &Path, message: &str) -> Error {
    Error::Mismatch { message: format!("{}: {message}", path.display()) }
}

impl Transcript {
    /// Parses the text of a transcript file.
    ///
    /// # Errors
    /// [`Error::Decode`] with the first line that is out of place.
    pub fn parse(text: &str) -> Result<Self> {
        steps(text).map(|steps| Self { steps }).map_err(|line| {
            let expected = "a note, `-- client --`, `-- server --` or a frame in one of those";
            Error::Decode { message: format!("expected {expected} in line {line}") }
        })
    }

    /// Parses a trace, as the option `--trace=FILE` of the command-line program and
    /// [`Tap::lines`](crate::stream::Tap::lines) write it, on the side of the client or of the server. The
    /// side that sends the first frame counts as the client.
    ///
    /// Secrets are masked in a trace: each byte is a `*`.
    ///
    /// # Errors
    /// [`Error::Decode`] with the first line that is no frame of a trace.
    pub fn from_trace(text: &str) -> Result<Self> {
        let frames = text.lines().enumerate().map(|(n, line)| {
            traced(line).ok_or_else(|| {
                let found = plainwire_proto::json::shorten(line);
                let message =
                    format!("expected a time, an arrow and a frame in line {}, but found {found:?}", n + 1);
                Error::Decode { message }
            })
        });
        let frames: Vec<(&str, &str)> = frames.collect::<Result<_>>()?;
        let first = frames.first().map_or("", |(arrow, _)| arrow);
        let who = |arrow| if arrow == first { Side::Client } else { Side::Server };
        Ok(Self::of(frames.into_iter().map(|(arrow, frame)| (who(arrow), frame))))
    }

    /// Returns, for each step, the first frame of the server that differs from `played`, as text that ends in
    /// a line break; `None` if no frame differs.
    ///
    /// Steps without a `-- server --` section ([`Step::line`] is `None`) are not compared.
    pub fn difference(&self, played: &Self) -> Option<String> {
        let nothing = Step::default();
        let said = played.steps.iter().chain(std::iter::repeat(&nothing));
        let mut text = String::new();
        for (step, said) in self.steps.iter().zip(said).filter(|(step, said)| step.server != said.server) {
            let Some(line) = step.line else { continue };
            let differs = |n: &usize| step.server.get(*n) != said.server.get(*n);
            let at = (0..).find(differs).unwrap_or_default();
            let show = |lines: &[String]| lines.get(at).map_or("(nothing)".to_owned(), String::clone);
            text += &format!(
                "line {}\n expected: {}\n but found: {}\n",
                line + 1 + at,
                show(&step.server),
                show(&said.server)
            );
        }
        (!text.is_empty()).then_some(text)
    }

    /// Groups frames, in the order in which they were sent, into steps, and replaces random values. A frame
    /// of the client after one of the server begins a step.
    fn of<'f>(frames: impl IntoIterator<Item = (Side, &'f str)>) -> Self {
        let mut random = random::Random::default();
        let mut steps: Vec<Step> = Vec::new();
        let mut last = Side::Server;
        for (side, frame) in frames {
            if steps.is_empty() || (side, last) == (Side::Client, Side::Server) {
                steps.push(Step::default());
            }
            last = side;
            let step = steps.last_mut().expect("a step was pushed if there was none");
            match side {
                Side::Client => step.client.push(random.write_client(frame)),
                Side::Server => step.server.push(random.write_server(frame)),
            }
        }
        Self { steps }
    }
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, step) in self.steps.iter().enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            step.notes.iter().try_for_each(|note| writeln!(f, "{note}"))?;
            if !step.notes.is_empty() {
                writeln!(f)?;
            }
            for (who, lines) in [("client", &step.client), ("server", &step.server)] {
                writeln!(f, "-- {who} --")?;
                lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
            }
        }
        Ok(())
    }
}

/// The side of a connection that sends a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Client,
    Server,
}

/// Splits a line of a trace into its arrow and its frame; `None` for other text.
fn traced(line: &str) -> Option<(&str, &str)> {
    let mut parts = line.splitn(3, ' ');
    let (time, arrow, frame) = (parts.next()?, parts.next()?, parts.next()?);
    let is_time = time.contains('.') && time.chars().all(|c| c == '.' || c.is_ascii_digit());
    (is_time && matches!(arrow, "<-" | "->")).then_some((arrow, frame))
}

/// Parses the steps of a transcript. The error is the number of the first line that is out of place.
fn steps(text: &str) -> Result<Vec<Step>, usize> {
    enum Section {
        Client,
        Notes,
        Server,
    }
    let mut steps = vec![Step::default()];
    let mut part = Section::Notes;
    for (n, line) in text.lines().enumerate() {
        if !matches!(part, Section::Notes) && (line == "-- client --" || line.starts_with('#')) {
            steps.push(Step::default());
            part = Section::Notes;
        }
        let step = steps.last_mut().expect("the list begins with one step");
        match (line, &part) {
            ("", _) => {}
            ("-- client --", Section::Notes) => part = Section::Client,
            ("-- server --", Section::Client) => {
                step.line = Some(n + 1);
                part = Section::Server;
            }
            (note, Section::Notes) if note.starts_with('#') => step.notes.push(note.to_owned()),
            (header, _) if header.starts_with("-- ") => return Err(n + 1),
            (frame, Section::Client) => step.client.push(frame.to_owned()),
            (frame, Section::Server) => step.server.push(frame.to_owned()),
            (_, Section::Notes) => return Err(n + 1),
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_writes() {
        let text = "# About.\n# More.\n\n-- client --\na\nb\n-- server --\nc\n\n-- client --\nd\n-- server --\n\n# Why.\n\n-- client --\n-- server --\ne\n";
        let transcript = Transcript::parse(text).expect("a transcript");
        let said: Vec<_> = transcript.steps.iter().map(|step| step.server.clone()).collect();
        assert_eq!(said, [vec!["c"], vec![], vec!["e"]]);
        assert_eq!(transcript.steps[0].line, Some(7));
        assert_eq!(transcript.to_string(), text);
    }

    #[test]
    fn reads_steps_without_a_section_of_the_server() {
        let transcript =
            Transcript::parse("-- client --\na\n-- client --\nb\n# Why.\n-- client --\n-- server --");
        let steps = transcript.expect("a transcript").steps;
        let lines: Vec<_> = steps.iter().map(|step| (step.client.join(","), step.line)).collect();
        assert_eq!(lines, [("a".to_owned(), None), ("b".to_owned(), None), (String::new(), Some(7))]);
        assert_eq!(steps[2].notes, ["# Why."]);
    }

    #[test]
    fn refuses_text_that_belongs_nowhere() {
        for (text, line) in
            [("a", 1), ("-- server --", 1), ("-- client --\n-- server --\n-- server --", 3), ("\n-- x --", 2)]
        {
            let error = Transcript::parse(text).expect_err(text).to_string();
            assert!(error.ends_with(&format!(" in line {line}")), "{error}");
        }
    }

    #[test]
    fn says_in_which_line_a_server_says_something_else() {
        let parse = |text| Transcript::parse(text).expect("a transcript");
        let written = parse("-- client --\na\n-- server --\nb\nc\n-- client --\nd\n");
        assert_eq!(written.difference(&written), None);
        let played = parse("-- client --\na\n-- server --\nb\n-- client --\nd\n-- server --\ne");
        let difference = written.difference(&played).expect("`c` is missing");
        assert_eq!(difference, "line 5\n expected: c\n but found: (nothing)\n");
        assert!(written.difference(&Transcript::default()).is_some());
    }

    #[test]
    fn reads_traces_of_either_side() {
        let lines = "1700000000.000001 A {\"id\":1}\n1700000000.100001 A x y\n1700000001.000001 B {}\n1700000002.000001 A z\n";
        for (client, server) in [("->", "<-"), ("<-", "->")] {
            let trace = lines.replace('A', client).replace('B', server);
            let text = Transcript::from_trace(&trace).expect("a trace").to_string();
            assert_eq!(
                text,
                "-- client --\n{\"id\":1}\nx y\n-- server --\n{}\n\n-- client --\nz\n-- server --\n"
            );
        }
        for wrong in ["hello", "1.0 => {}", "a.0 -> {}", "10 -> {}", "1.0 ->"] {
            let error = Transcript::from_trace(&format!("1.0 -> {{}}\n{wrong}")).expect_err(wrong);
            assert!(error.to_string().contains("in line 2"), "{error}");
        }
    }
}
