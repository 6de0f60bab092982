//! Clients of HTTP, against our own server and against servers that misbehave.

mod comforts;
mod eras;
mod faults;
mod known_eras;
mod limits;
mod script;
mod sessions;
mod site;
