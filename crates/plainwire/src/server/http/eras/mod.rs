//! The two eras over HTTP: modern requests that describe themselves, and legacy sessions (Streamable HTTP and
//! HTTP+SSE).

pub(crate) mod http_sse;
mod legacy;
mod modern;
pub(crate) mod one_stream;
mod resuming;

pub(crate) use http_sse::{Opened, PATHS, Sse};
pub(crate) use legacy::{PostedInSession, no_session, store_failed};
