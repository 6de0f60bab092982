//! Clients over HTTP, connected to a server of this crate and to scripted servers that misbehave.

mod cache_and_trace;
mod eras;
mod faults;
mod known_eras;
mod limits;
mod refusals;
mod sessions;
mod support;
