//! Clients of HTTP, against our own server and against servers that misbehave.

mod eras;
mod faults;
mod script;
mod site;
