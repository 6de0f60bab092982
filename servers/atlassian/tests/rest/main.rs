//! Requests to a site that is played by a script on this machine: what it answers, and what it was asked.

mod errors;
mod oauth;
mod pages;
mod redirects;
mod requests;
mod retries;
mod settings;
mod support;
mod tls;
