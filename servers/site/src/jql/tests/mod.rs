//! Tests of JQL against a small world in memory. What each issue is stands in `world`.

mod errors;
mod grammar;
mod limits;
mod search;
mod texts;
mod times;
mod world;
