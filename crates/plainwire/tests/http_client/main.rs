//! Clients of HTTP, against our own server and against servers that misbehave.

mod eras;
mod faults;
mod known_eras;
mod script;
mod site;
