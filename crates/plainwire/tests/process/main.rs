//! Servers that run as children: each way to fail has its error, within its time, and nothing of them is left.
#![cfg(unix)]

mod deaths;
mod endings;
mod handshakes;
mod hosts;
mod offsets;
mod restarts;
mod stderr;
mod support;
