//! An MCP server for the products of Atlassian, on Cloud and in Data Center.
//!
//! [`rest`] sends requests to their REST APIs: limits, retries, pages, and errors that a model can act on.
//!
//! ```no_run
//! use plainwire_atlassian::rest::{Credentials, Product, Request, Secret, Site, SiteSettings};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let mut settings = SiteSettings::new(Product::Jira, "https://example.atlassian.net".parse()?);
//! settings.credentials = Credentials::Basic { user: "ada@example.com".into(), secret: Secret::new("…") };
//! let site = Site::new(settings)?;
//! let key = "ABC-1";
//! let issue: serde_json::Value = match site.json(Request::get(["rest", "api", "3", "issue", key])).await {
//!     Ok(issue) => issue,
//!     Err(error) => return Err(error.message().into()),
//! };
//! # Ok(())
//! # }
//! ```

#![allow(
    clippy::too_many_arguments,
    reason = "the parameters of a tool are its arguments, and a struct would hide them"
)]

pub mod doctor;
pub mod jira;
mod prompts;
mod resources;
pub mod rest;
mod runtime;
mod server;
pub mod settings;
mod tools;
pub mod write;

pub use server::{Atlassian, Unusable};
pub use tools::by_url::ByUrl;
pub use tools::names::Names;
pub use tools::toolsets::Choice;
