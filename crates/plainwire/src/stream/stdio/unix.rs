//! Descriptors on Unix: private copies, replacements for descriptors 0 and 1, and the fastest way to read and
//! write each kind.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::fs::{FileType, Mode, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::process::{Pid, getppid};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::threads;
use crate::stream::Stream;

/// Interval of the check that the parent process still lives. Normally input ends as soon as the parent does;
/// this check is for the case that another process still holds the parent's end of the pipe.
const PARENT_CHECK: Duration = Duration::from_secs(2);

pub(super) fn take() -> io::Result<Stream> {
    let (stdin, stdout, stderr) = (rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr());
    // A descriptor that is the same file as stderr must stay blocking: other programs write to that file too.
    let (shared_in, shared_out) = (same_file(stdin, stderr)?, same_file(stdout, stderr)?);
    let input = copy(stdin)?;
    let output = copy(stdout)?;
    rustix::stdio::dup2_stdout(stderr)?;
    rustix::stdio::dup2_stdin(rustix::fs::open(
        "/dev/null",
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)?;
    // The writer is created first because it is dropped last. If input and output are one socket, the writer
    // has saved the original flags, so it has to be the one that restores them last.
    let writer = writer(output, shared_out)?;
    Ok(Stream { reader: Box::new(WhileParentLives::new(reader(input, shared_in)?)), writer })
}

/// Returns a reader for a descriptor. It uses readiness events for pipes and sockets that are not `shared`,
/// and a thread for everything else. `shared` means that the descriptor is the same file as stderr, to which
/// other programs may write, so that it must stay blocking.
pub(crate) fn reader(fd: OwnedFd, shared: bool) -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    let restore = Restore::new(fd.as_fd())?;
    Ok(match kind(fd.as_fd())? {
        FileType::Fifo if !shared => Box::new(Restoring::pipe(pipe::Receiver::from_owned_fd(fd)?, restore)),
        FileType::Socket if !shared => Box::new(Restoring::other(socket(fd)?, restore)),
        _ => Box::new(Restoring::other(threads::Reader::new(blocking(fd)?), restore)),
    })
}

/// Returns a writer for a descriptor, by the same rules as [`reader`].
pub(crate) fn writer(fd: OwnedFd, shared: bool) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    let restore = Restore::new(fd.as_fd())?;
    Ok(match kind(fd.as_fd())? {
        FileType::Fifo if !shared => Box::new(Restoring::pipe(pipe::Sender::from_owned_fd(fd)?, restore)),
        FileType::Socket if !shared => Box::new(Restoring::other(socket(fd)?, restore)),
        _ => Box::new(Restoring::other(threads::Writer::new(blocking(fd)?), restore)),
    })
}

/// Makes a descriptor blocking, so that a thread can wait in the system call. Another program may have left
/// it non-blocking.
fn blocking(fd: OwnedFd) -> io::Result<File> {
    fcntl_setfl(&fd, fcntl_getfl(&fd)? - OFlags::NONBLOCK)?;
    Ok(File::from(fd))
}

/// Enlarges a pipe to 1 MiB, so that a large message passes in one read or write and not in sixteen wake-ups:
/// 2 to 3 times the throughput at 1 MB. Only done for pipes that carry such messages, because Linux limits
/// the total size of all pipes of a user. If the kernel refuses, the pipe keeps its size.
#[cfg(target_os = "linux")]
fn widen(fd: &OwnedFd) {
    const WIDE: usize = 1 << 20;
    if rustix::pipe::fcntl_getpipe_size(fd).is_ok_and(|bytes| bytes < WIDE) {
        let _ = rustix::pipe::fcntl_setpipe_size(fd, WIDE);
    }
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &OwnedFd) {}

fn copy(fd: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 3)?)
}

fn kind(fd: BorrowedFd<'_>) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(fstat(fd)?.st_mode))
}

fn same_file(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> io::Result<bool> {
    let (one, other) = (fstat(one)?, fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let socket = StdUnixStream::from(fd);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}

/// A guard that restores the flags of a descriptor when it is dropped. `O_NONBLOCK` belongs to the pipe, not
/// to the process: the next command of a shell reads the same pipe and does not expect the flag.
struct Restore {
    fd: OwnedFd,
    flags: OFlags,
}

impl Restore {
    fn new(fd: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { fd: copy(fd)?, flags: fcntl_getfl(fd)? })
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        let _ = fcntl_setfl(&self.fd, self.flags);
    }
}

/// A stream that restores the flags of its descriptor when it is dropped.
struct Restoring<S> {
    inner: S,
    /// Whether the stream is a pipe that has not carried a large message yet, and so was not enlarged.
    narrow: bool,
    restore: Restore,
}

/// Number of bytes in one read or write from which a message counts as large: the default size of a pipe on
/// Linux.
const LARGE: usize = 64 * 1024;

impl<S> Restoring<S> {
    fn pipe(inner: S, restore: Restore) -> Self {
        Self { inner, narrow: true, restore }
    }

    fn other(inner: S, restore: Restore) -> Self {
        Self { inner, narrow: false, restore }
    }

    /// Enlarges the pipe when it carries its first large message. `bytes` is the size of one read or write.
    fn carries(&mut self, bytes: usize) {
        if self.narrow && bytes >= LARGE {
            self.narrow = false;
            widen(&self.restore.fd);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Restoring<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_read(cx, buffer);
        self.carries(buffer.filled().len());
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Restoring<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.carries(bytes.len());
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// A reader that also ends when the parent of this process has ended.
struct WhileParentLives {
    inner: Box<dyn AsyncRead + Send + Unpin>,
    /// The id of the parent process when this reader was made.
    parent: Option<Pid>,
    timer: Interval,
}

impl WhileParentLives {
    fn new(inner: Box<dyn AsyncRead + Send + Unpin>) -> Self {
        let mut timer = interval(PARENT_CHECK);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { inner, parent: getppid(), timer }
    }
}

impl AsyncRead for WhileParentLives {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(result) = Pin::new(&mut self.inner).poll_read(cx, buffer) {
            return Poll::Ready(result);
        }
        while self.timer.poll_tick(cx).is_ready() {
            if getppid() != self.parent {
                tracing::info!("the parent process has ended");
                return Poll::Ready(Ok(()));
            }
        }
        Poll::Pending
    }
}
