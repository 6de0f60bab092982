//! One way to send requests to the REST APIs of Atlassian: Jira, Confluence and Bitbucket, on Cloud and in
//! Data Center.
//!
//! In: [`SiteSettings`] and [`Request`]s. Out: an [`Answer`], a [`Download`], [`Pages`] of a list, or an
//! [`Upstream`] error that says whose fault it is and what to change. Credentials go to the origin of the
//! site only. A read is sent again after failures that pass; a change only if the site surely did not make
//! it. This module knows no product: paths and the shapes of answers are its callers' business.
//!
//! The files, in reading order: `settings`, `credentials` and `secret` say who asks where; `request`, `path`
//! and `form` what is asked; `site` holds them together; `prepare`, `client`, `send`, `exchange`, `receive`
//! and `retry` send; `pages` reads lists; `scope` knows what tokens need; `upstream` has the errors, and `capture` keeps rich text in
//! files to look at.

mod answer;
mod capture;
mod client;
mod credentials;
mod exchange;
mod form;
mod link;
mod pages;
mod path;
mod prepare;
mod receive;
mod request;
mod retry;
mod scope;
mod secret;
mod send;
mod settings;
mod site;
mod upstream;

pub use answer::{Answer, Download};
pub use capture::{Capture, MAX_TEXTS};
pub use credentials::{Asked, Credentials, Grant, Token, TokenSource};
pub use form::Form;
pub use pages::{Page, PageToken, Pages, Style};
pub use path::quote;
pub use plainwire::client::http::address_guard::Permission;
pub use request::{Effect, Method, Request};
pub use scope::needed as needed_scope;
pub use secret::Secret;
pub use settings::{
    ClientCertificate, Deployment, Product, Proxies, Proxy, ProxyScope, SettingFault, SiteSettings,
};
pub use site::Site;
pub use upstream::{Kind, Upstream};
pub use url::Url;
