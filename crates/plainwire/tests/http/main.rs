//! Servers over Streamable HTTP and HTTP+SSE: requests in, responses and streams out.

mod blocking_tools;
mod caller_limits;
mod compress;
mod connections;
mod cut_streams;
mod disconnects;
mod draining;
mod endpoint;
mod http2;
mod http_sse;
mod memory;
mod modern;
mod passed_headers;
mod refusals;
mod replicas;
mod requests;
mod sessions;
mod sockets;
#[path = "../support/store_double.rs"]
mod store_double;
mod store_failures;
mod streams;
mod support;
#[cfg(feature = "tls")]
mod tls;
mod tools_by_query;
mod untaken;
