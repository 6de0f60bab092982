//! Plays a hostile client against a server.

pub(crate) mod connections;
pub(crate) mod h2;
pub(crate) mod messages;
pub(crate) mod pipes;
