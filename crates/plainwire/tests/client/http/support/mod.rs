//! Servers on ports of their own: one of this crate, scripted ones, and a proxy that cuts connections.

pub(crate) mod proxy;
pub(crate) mod scripted_server;
pub(crate) mod site;
