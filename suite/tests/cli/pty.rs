//! A terminal for the command: what it shows, and what a user types.

use std::ffi::CString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The time within which something has to be shown.
const SOON: Duration = Duration::from_secs(30);

/// A command on a terminal of 100 columns.
pub(crate) struct Pty {
    child: Child,
    reader: JoinHandle<()>,
    shown: Arc<Mutex<Vec<u8>>>,
    terminal: File,
}

impl Pty {
    /// Starts a command whose stdout and stderr are the terminal, and its stdin too if `is_typed`.
    pub(crate) fn start(mut command: Command, is_typed: bool) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("it is ours");
        let size = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("a size");
        let name: CString = ptsname(&terminal, Vec::new()).expect("a name");
        let open = || -> OwnedFd {
            rustix::fs::open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it opens")
        };
        let stdin = if is_typed { open().into() } else { Stdio::null() };
        let child = command.stdin(stdin).stdout(open()).stderr(open()).spawn().expect("it starts");
        drop(command);
        let terminal = File::from(terminal);
        let (shown, mut from) = (Arc::default(), terminal.try_clone().expect("a second handle"));
        let sink: Arc<Mutex<Vec<u8>>> = Arc::clone(&shown);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4_096];
            // Once the command has ended, Linux answers a read with an error.
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                sink.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self { child, reader, shown, terminal }
    }

    /// Types `text`; Enter is `\r`.
    pub(crate) fn enter(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).expect("a terminal");
    }

    /// Waits until `text` has been shown, and forgets everything up to its end. Returns what came before it.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) -> String {
        let end = Instant::now() + SOON;
        loop {
            let mut shown = self.shown.lock().unwrap();
            if let Some(at) = shown.windows(text.len()).position(|it| it == text.as_bytes()) {
                let rest = shown.split_off(at + text.len());
                let before = std::mem::replace(&mut *shown, rest);
                return String::from_utf8_lossy(&before[..at]).into_owned();
            }
            assert!(Instant::now() < end, "no {text:?} in {:?}", String::from_utf8_lossy(&shown));
            drop(shown);
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns what has been shown since the last call of [`Self::until`], and keeps it.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Sends the signal of Ctrl-C, as a terminal does while no line is edited.
    pub(crate) fn interrupt(&self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).expect("it runs");
    }

    /// Waits for the end of the command. Returns its exit status, and what was shown since.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().expect("it ends");
        self.reader.join().expect("no panic");
        let shown = std::mem::take(&mut *self.shown.lock().unwrap());
        // The terminal makes a line break of two characters.
        (status, String::from_utf8(shown).expect("UTF-8").replace("\r\n", "\n"))
    }
}
