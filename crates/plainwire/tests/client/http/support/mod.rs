//! Servers on ports of their own (one of this crate, and scripted ones), and a proxy that cuts connections
//! off.

pub(crate) mod proxy;
pub(crate) mod scripted_server;
pub(crate) mod site;
