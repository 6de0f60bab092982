//! The client: calls, lists, listens, questions, and its connections to processes and over HTTP.

mod cache;
mod calls;
#[path = "../support/collected_logs.rs"]
mod collected_logs;
mod connecting;
mod greedy_servers;
#[cfg(all(feature = "http", feature = "http-client"))]
mod http;
mod listening;
mod lost_connection;
mod pages;
#[cfg(unix)]
mod process;
mod questions;
mod results;
mod rounds;
#[path = "../support/scripted_server.rs"]
mod scripted_server;
mod tapped;
mod trace;
mod trace_context;
