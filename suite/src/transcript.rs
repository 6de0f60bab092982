//! Transcripts: who said what on one connection, as text that people read and tests play again.
//!
//! In: a file of `-- client --` and `-- server --` sections. Out: its steps; what a server really says to them; the
//! file anew. A line is one frame, byte for byte, but for one member: see below. A transcript knows nothing of JSON.
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
//! # What is random
//!
//! A sealed `requestState` is another one in each run. In what the server says its text is written as `{state 1}`,
//! `{state 2}` and so on, in order of appearance; the same text keeps its number. Where the client says `{state 1}`, it
//! sends what the server said there. So `"requestState":"{state 1}"` sends a state back as it came, and
//! `"requestState":"{state 1}x"` sends one that was tampered with. An `elicitationId`, which nobody sends back, is written
//! as `{random}`.
//!
//! In the same way `{nextCursor}` of a client is the last cursor that the server gave.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use plainwire::Server;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, Lines};

/// A connection as it is written down.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Where it was read.
    pub path: PathBuf,
    /// What was said, in order.
    pub steps: Vec<Step>,
}

/// Something the client says, and what the server says to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The frames of the client.
    pub client: Vec<String>,
    /// The line of the file at which the server's section begins, counted from 1.
    pub line: usize,
    /// The comment above, line by line, with its `#`.
    pub notes: Vec<String>,
    /// The frames of the server.
    pub server: Vec<String>,
}

/// How long a server has to be silent before the client goes on. The clock of the player jumps, so that this takes no
/// time: it says that nobody has anything left to do.
const SILENCE: Duration = Duration::from_secs(3600);

impl Transcript {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it can't be read, or has text outside its sections.
    pub fn read(path: &Path) -> io::Result<Self> {
        let text = fs::read_to_string(path)?;
        Ok(Self { path: path.to_owned(), steps: parse(&text).map_err(|at| misplaced(path, at))? })
    }

    /// Returns the transcripts of `folder` and below, in order.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_all(folder: &Path) -> io::Result<Vec<Self>> {
        crate::files_below(folder, ".txt").iter().map(|path| Self::read(path)).collect()
    }

    /// Returns the file with the server saying what it said in `played`.
    pub fn text(&self, played: &[Vec<String>]) -> String {
        let steps = self.steps.iter().zip(played).map(|(step, said)| {
            let notes: String = step.notes.iter().map(|note| format!("{note}\n")).collect();
            let section = |who: &str, lines: &[String]| {
                lines.iter().fold(format!("-- {who} --\n"), |text, line| text + line + "\n")
            };
            let blank = if notes.is_empty() { "" } else { "\n" };
            format!("{notes}{blank}{}{}", section("client", &step.client), section("server", said))
        });
        steps.collect::<Vec<_>>().join("\n")
    }

    /// Plays the client's part to `server`: one frame at a time, the next one when the server is silent.
    ///
    /// Returns what the server said to each step; what it still says when the client has left stands last. Call it with
    /// the clock of the runtime paused.
    ///
    /// # Errors
    /// If the server stops, or says something that is no text.
    pub async fn play(&self, server: Server) -> io::Result<Vec<Vec<String>>> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(theirs);
        let (served, said) = tokio::join!(server.serve(reader, writer), speak(&self.steps, ours));
        served.map_err(io::Error::other)?;
        said
    }
}

async fn speak(steps: &[Step], stream: tokio::io::DuplexStream) -> io::Result<Vec<Vec<String>>> {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut answers = BufReader::new(reader).lines();
    let mut said = Vec::new();
    let mut cursor = String::new();
    let mut states = States::default();
    for step in steps {
        let mut heard = Vec::new();
        for line in &step.client {
            let line = states.sent(&line.replace("{nextCursor}", &cursor)) + "\n";
            writer.write_all(line.as_bytes()).await?;
            let now = listen(&mut answers).await?;
            let now: Vec<_> = now.iter().map(|answer| states.written(answer)).collect();
            if let Some(next) = now.iter().rev().find_map(|answer| next_cursor(answer)) {
                cursor = next.to_owned();
            }
            heard.extend(now);
        }
        said.push(heard);
    }
    writer.shutdown().await?;
    let rest = listen(&mut answers).await?;
    if let Some(last) = said.last_mut() {
        last.extend(rest);
    }
    Ok(said)
}

/// The texts that stand for `{state 1}`, `{state 2}` and so on.
#[derive(Default)]
struct States(Vec<String>);

impl States {
    /// What stands in front of a state. Inside of a JSON string it would have backslashes.
    const NAME: &str = "\"requestState\":\"";

    /// Returns a frame of the server as it is written down.
    fn written(&mut self, frame: &str) -> String {
        let mut parts = frame.split(Self::NAME);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (state, rest) = part.split_once('"').unwrap_or((part, ""));
            let known = self.0.iter().position(|it| it == state);
            let n = known.unwrap_or_else(|| {
                self.0.push(state.to_owned());
                self.0.len() - 1
            });
            text += &format!("{}{{state {}}}\"{rest}", Self::NAME, n + 1);
        }
        without_ids(&text)
    }

    /// Returns a line of the client as it is sent.
    fn sent(&self, line: &str) -> String {
        let numbered = self.0.iter().enumerate();
        numbered
            .fold(line.to_owned(), |line, (n, state)| line.replace(&format!("{{state {}}}", n + 1), state))
    }
}

/// Writes `{random}` for the random name of a page that somebody is asked to open.
fn without_ids(text: &str) -> String {
    const NAME: &str = "\"elicitationId\":\"";
    match text.split_once(NAME).and_then(|(before, rest)| Some((before, rest.split_once('"')?.1))) {
        Some((before, rest)) => format!("{before}{NAME}{{random}}\"{rest}"),
        None => text.to_owned(),
    }
}

fn next_cursor(answer: &str) -> Option<&str> {
    answer.split_once("\"nextCursor\":\"")?.1.split('"').next()
}

/// Returns what is said until silence.
async fn listen(answers: &mut Lines<BufReader<impl AsyncRead + Unpin>>) -> io::Result<Vec<String>> {
    let mut heard = Vec::new();
    // Cancel safe: `next_line` keeps what it has read of a line.
    while let Ok(line) = tokio::time::timeout(SILENCE, answers.next_line()).await {
        match line? {
            Some(line) => heard.push(line),
            None => break,
        }
    }
    Ok(heard)
}

/// Reads the steps, or says in which line something stands that belongs nowhere.
fn parse(text: &str) -> Result<Vec<Step>, usize> {
    enum Part {
        Notes,
        Client,
        Server,
    }
    let mut steps = vec![Step::default()];
    let mut part = Part::Notes;
    for (n, line) in text.lines().enumerate() {
        if matches!(part, Part::Server) && (line == "-- client --" || line.starts_with('#')) {
            steps.push(Step::default());
            part = Part::Notes;
        }
        let step = steps.last_mut().expect("there is a first step from the beginning");
        match (line, &part) {
            ("", _) => {}
            ("-- client --", Part::Notes) => part = Part::Client,
            ("-- server --", Part::Client) => {
                step.line = n + 1;
                part = Part::Server;
            }
            (note, Part::Notes) if note.starts_with('#') => step.notes.push(note.to_owned()),
            (header, _) if header.starts_with("-- ") => return Err(n + 1),
            (frame, Part::Client) => step.client.push(frame.to_owned()),
            (frame, Part::Server) => step.server.push(frame.to_owned()),
            (_, Part::Notes) => return Err(n + 1),
        }
    }
    Ok(steps)
}

fn misplaced(path: &Path, line: usize) -> io::Error {
    io::Error::other(format!(
        "{}:{line}: expected a comment, `-- client --`, `-- server --` or a frame in one of those",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_writes() {
        let text = "# About.\n# More.\n\n-- client --\na\nb\n-- server --\nc\n\n-- client --\nd\n-- server --\n\n# Why.\n\n-- client --\n-- server --\ne\n";
        let transcript = Transcript { path: PathBuf::new(), steps: parse(text).expect("a transcript") };
        let said: Vec<_> = transcript.steps.iter().map(|step| step.server.clone()).collect();
        assert_eq!(said, [vec!["c"], vec![], vec!["e"]]);
        assert_eq!(transcript.steps[0].line, 7);
        assert_eq!(transcript.text(&said), text);
    }

    #[test]
    fn writes_numbers_for_states_and_sends_the_states() {
        let mut states = States::default();
        let frame = |state: &str| format!(r#"{{"id":1,"result":{{"requestState":"{state}","a":"b"}}}}"#);
        assert_eq!(states.written(&frame("xyz")), frame("{state 1}"));
        assert_eq!(states.written(&frame("uvw")), frame("{state 2}"));
        assert_eq!(states.written(&frame("xyz")), frame("{state 1}"));
        assert_eq!(states.sent("{state 2} {state 1}x {state 3}"), "uvw xyzx {state 3}");
        let quoted = r#"{"text":"\"requestState\":\"abc\""}"#;
        assert_eq!(states.written(quoted), quoted);
    }

    #[test]
    fn refuses_text_that_belongs_nowhere() {
        for (text, line) in
            [("a", 1), ("-- server --", 1), ("-- client --\n-- client --", 2), ("\n-- x --", 2)]
        {
            assert_eq!(parse(text), Err(line), "{text:?}");
        }
    }
}
