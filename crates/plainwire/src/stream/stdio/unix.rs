//! Descriptors on Unix: private copies, the guard on 0 and 1, and the fastest way to read each kind.

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

/// How often to look whether the parent still lives. Its end normally shows as the end of input at once; this is for
/// the case that somebody else holds the other end of the pipe.
const PARENT_CHECK: Duration = Duration::from_secs(2);

pub(super) fn take() -> io::Result<Stream> {
    let (stdin, stdout, stderr) = (rustix::stdio::stdin(), rustix::stdio::stdout(), rustix::stdio::stderr());
    // What is shared with stderr must stay blocking: other programs write to it too.
    let (shared_in, shared_out) = (same_file(stdin, stderr)?, same_file(stdout, stderr)?);
    let input = copy(stdin)?;
    let output = copy(stdout)?;
    rustix::stdio::dup2_stdout(stderr)?;
    rustix::stdio::dup2_stdin(rustix::fs::open(
        "/dev/null",
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)?;
    // The writer comes first because it is dropped last: if both are one socket, it has seen the flags as they were.
    let writer = writer(output, shared_out)?;
    Ok(Stream { reader: Box::new(WhileParentLives::new(reader(input, shared_in)?)), writer })
}

/// Picks the way to read a descriptor: pipes and sockets of our own by readiness, anything else by a thread.
pub(crate) fn reader(fd: OwnedFd, shared: bool) -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    let restore = Restore::new(fd.as_fd())?;
    Ok(match kind(fd.as_fd())? {
        FileType::Fifo if !shared => Box::new(Owning::pipe(pipe::Receiver::from_owned_fd(fd)?, restore)),
        FileType::Socket if !shared => Box::new(Owning::other(socket(fd)?, restore)),
        _ => Box::new(Owning::other(threads::Reader::new(blocking(fd)?), restore)),
    })
}

/// Picks the way to write to a descriptor, as [`reader`] does.
pub(crate) fn writer(fd: OwnedFd, shared: bool) -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    let restore = Restore::new(fd.as_fd())?;
    Ok(match kind(fd.as_fd())? {
        FileType::Fifo if !shared => Box::new(Owning::pipe(pipe::Sender::from_owned_fd(fd)?, restore)),
        FileType::Socket if !shared => Box::new(Owning::other(socket(fd)?, restore)),
        _ => Box::new(Owning::other(threads::Writer::new(blocking(fd)?), restore)),
    })
}

/// A thread waits in the system call, which a descriptor that somebody left non-blocking would not let it.
fn blocking(fd: OwnedFd) -> io::Result<File> {
    fcntl_setfl(&fd, fcntl_getfl(&fd)? - OFlags::NONBLOCK)?;
    Ok(File::from(fd))
}

/// Lets a pipe hold a megabyte, so that a large message passes in one read or write and not in sixteen wake-ups: 2 to 3
/// times the throughput at 1 MB. Only for pipes that carry such messages: what all pipes of a user may hold together is
/// limited. The kernel may refuse, which is fine.
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

/// Gives a descriptor its flags back. `O_NONBLOCK` belongs to the pipe, not to the process: a shell's next command
/// reads the same pipe and does not expect it.
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

/// A stream and the promise to restore its flags.
struct Owning<S> {
    inner: S,
    /// Whether it is a pipe that has not carried a large message yet.
    narrow: bool,
    restore: Restore,
}

/// Bytes in one read or write that make a message large: what a pipe holds on Linux, unless told otherwise.
const LARGE: usize = 64 * 1024;

impl<S> Owning<S> {
    fn pipe(inner: S, restore: Restore) -> Self {
        Self { inner, narrow: true, restore }
    }

    fn other(inner: S, restore: Restore) -> Self {
        Self { inner, narrow: false, restore }
    }

    fn carries(&mut self, bytes: usize) {
        if self.narrow && bytes >= LARGE {
            self.narrow = false;
            widen(&self.restore.fd);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Owning<S> {
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

impl<S: AsyncWrite + Unpin> AsyncWrite for Owning<S> {
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

/// Input that also ends when the parent process does.
struct WhileParentLives {
    inner: Box<dyn AsyncRead + Send + Unpin>,
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
