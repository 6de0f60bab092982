//! The client of OAuth against an authorization server and a protected server of our own, which can misbehave.

mod discovering;
mod keeping;
mod leaving;
mod programs;
mod refreshing;
mod registering;
mod scopes;
mod secrets;
mod signing_in;
mod web;
mod world;
