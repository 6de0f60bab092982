//! Servers that run as child processes: each failure has its error, within its time, and leaves no process
//! behind.

mod cut_answers;
mod environment;
mod exits;
mod handshakes;
mod hosts;
mod restarts;
mod shutdown;
mod stderr;
mod support;
