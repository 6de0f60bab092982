//! The server for Atlassian's products against the stand-in site, in both deployments.
//!
//! Each test has a site of its own. Each exchange is judged by Atlassian's published OpenAPI documents, where they are present.

#![allow(clippy::disallowed_methods, reason = "these tests serve and ask in one program")]
#![allow(clippy::print_stdout, reason = "what was judged, and what was skipped, has to be said")]

mod agile;
mod attachments;
mod audit;
mod bad_days;
mod bad_input;
mod descriptions;
mod desk;
mod development;
mod doctor;
mod documented;
mod every_tool;
mod filters;
mod limits;
mod links;
mod metrics;
mod names;
mod oauth;
#[expect(dead_code, reason = "commands are run in tests/readme.rs; here it compares")]
#[path = "../page/mod.rs"]
mod page;
mod people;
mod projects;
mod prompts;
mod races;
mod reading;
mod resources;
mod samples;
mod scopes;
mod screens;
mod support;
mod tables;
mod trouble;
mod urls;
mod watchers;
mod worklogs;
mod writing;
