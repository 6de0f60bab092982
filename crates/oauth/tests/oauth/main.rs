//! Tests of the OAuth client against a protected server and authorization servers, to which a test can give
//! faults.

mod client_credentials;
mod discovering;
mod endpoints;
mod plain_http;
mod refreshing;
mod registering;
mod scopes;
mod secrets;
mod signing_in;
mod signing_out;
mod stored_tokens;
mod support;
