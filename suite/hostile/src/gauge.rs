//! The memory, descriptors and tasks that a process uses.
//!
//! A program under test reads its own numbers, since only it knows its tasks, and tells them to whoever
//! connects to its port.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;

/// The numbers of a process at one time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    /// Memory in use, in KiB.
    pub(crate) memory: usize,
    /// The most memory that was in use since the process began or the peak was reset, in KiB.
    pub(crate) peak: usize,
    pub(crate) descriptors: usize,
    pub(crate) tasks: usize,
}

impl Reading {
    /// Reads the numbers of this process, whose runtime is `handle`.
    pub(crate) fn of_this_process(handle: &Handle) -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let descriptors = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        Self {
            memory: field("VmRSS:").unwrap_or_default(),
            peak: field("VmHWM:").unwrap_or_default(),
            descriptors,
            tasks: handle.metrics().num_alive_tasks(),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let numbers: Option<Vec<usize>> = line.split_whitespace().map(|it| it.parse().ok()).collect();
        let [memory, peak, descriptors, tasks] = numbers?[..] else { return None };
        Some(Self { memory, peak, descriptors, tasks })
    }

    /// Asks a program under test at its port. `None` if it does not answer within two seconds.
    pub(crate) fn ask(port: SocketAddr) -> Option<Self> {
        let mut stream = TcpStream::connect_timeout(&port, Duration::from_secs(2)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
        let mut line = String::new();
        stream.read_to_string(&mut line).ok()?;
        Self::parse(&line)
    }
}

/// Starts a thread that tells the numbers of this process to whoever connects. Returns its port.
pub(crate) fn serve(handle: Handle) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?;
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            // The two descriptors of this thread and its connection are in every reading.
            let Reading { memory, peak, descriptors, tasks } = Reading::of_this_process(&handle);
            let _ = write!(stream, "{memory} {peak} {descriptors} {tasks}");
        }
    });
    Ok(port)
}

/// Makes the peak of the memory of this process begin anew.
pub(crate) fn reset_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}
