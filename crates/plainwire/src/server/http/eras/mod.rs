//! The two eras over HTTP: requests that describe themselves (modern), and sessions (legacy, HTTP+SSE).

pub(crate) mod http_sse;
mod legacy;
mod modern;
pub(crate) mod one_stream;

pub(crate) use http_sse::{Opened, PATHS, Sse};
pub(crate) use legacy::{no_session, store_failed};
