//! The OAuth client, with authorization servers and a protected server that can be given faults.

mod client_credentials;
mod discovering;
mod plain_http;
mod refreshing;
mod registering;
mod scopes;
mod secrets;
mod signing_in;
mod signing_out;
mod stored_tokens;
mod support;
