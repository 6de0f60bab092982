//! A stand-in Atlassian site: Jira's REST APIs over SQLite, with a small company in it, for demos, tests and teaching.
//!
//! In: the choice of [`Settings`], and HTTP requests. Out: what Jira Cloud or Jira Data Center would answer, by their published OpenAPI
//! documents; 501 for what this site lacks. It sends nothing anywhere, and knows nothing of the programs that ask it.

mod api;
mod call;
mod clock;
mod duration;
mod fault;
pub mod field;
mod http;
pub mod identity;
pub mod issue;
pub mod jql;
mod operation;
pub mod permission;
mod person;
mod runtime;
mod screen;
pub mod seed;
mod serving;
pub mod store;
pub mod text;
pub mod time;
mod view;
mod work;

pub use api::operations;
pub use fault::{Fault, Result};
pub use http::{Exchange, Tap};
pub use serving::{Account, Settings, Site, Unusable};
pub use work::{Deployment, Work};
