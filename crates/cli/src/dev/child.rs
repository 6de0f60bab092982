//! The child processes of `plainwire dev`, servers and builds: how they are started and ended, and their logs.
//!
//! In: a command line, and what a process writes. Out: a command, signals, and on stderr the log, escaped.

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::output;

/// The maximal number of bytes of a line of a log. A longer one is left out.
const MAX_LOG_LINE: usize = 64 << 10;

/// The time for a server to exit after its input was closed.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// Puts a server or a build, on Unix, into a process group of its own: if the command is a script that starts the real one,
/// both are ended together.
pub(super) fn in_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Kills a server and the group that it leads, which may be gone.
pub(super) fn kill_group(server: &mut Child) {
    #[cfg(unix)]
    signal_group(server, rustix::process::Signal::KILL);
    #[cfg(not(unix))]
    let _ = server.kill();
}

/// Sends a signal to the group that a server leads. The group may be gone.
#[cfg(unix)]
pub(super) fn signal_group(server: &Child, signal: rustix::process::Signal) {
    let pid = i32::try_from(server.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// Shows the lines of a log until its end.
pub(super) fn show(log: impl Read) {
    log_lines(log, MAX_LOG_LINE, output::note);
}

/// Reads the lines of a log, each of at most `most` bytes, with their blanks: a compiler points at columns. A longer line
/// is left out, with a note.
fn log_lines(log: impl Read, most: usize, mut take: impl FnMut(&str)) {
    let mut log = BufReader::new(log);
    loop {
        let mut line = Vec::new();
        // Room for the end of the line, which may have two bytes.
        match log.by_ref().take(most as u64 + 2).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {
                let is_whole = line.last() == Some(&b'\n');
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\r', '\n']);
                if text.len() <= most {
                    take(text);
                    continue;
                }
                take(&format!("a line of more than {most} bytes is left out"));
                if !is_whole && log.skip_until(b'\n').is_err() {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Returns the command of these words. Its stderr is a pipe.
pub(super) fn command(words: &[OsString]) -> Command {
    let (program, arguments) =
        words.split_first().map_or(("".as_ref(), words), |(program, rest)| (&**program, rest));
    let mut command = Command::new(program);
    command.args(arguments).stderr(Stdio::piped());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_log_over_the_limit_is_left_out() {
        let (mut shown, log) = (Vec::new(), format!("  ^ here\n\n{}\n0123456789\r\nlast", "x".repeat(11)));
        log_lines(log.as_bytes(), 10, |line| shown.push(line.to_owned()));
        assert_eq!(shown, ["  ^ here", "", "a line of more than 10 bytes is left out", "0123456789", "last"]);
        assert_eq!(MAX_LOG_LINE, 64 << 10);
    }
}
