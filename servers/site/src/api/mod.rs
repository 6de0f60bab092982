//! The operations of the site: a table of paths, and a file for each part of the API.
//!
//! In: a method and a path. Out: the operation that answers it, or 501.

mod agile;
mod attachment;
mod bulk;
mod comment;
mod desk;
mod development;
mod filter;
mod form;
pub(crate) mod issue;
mod link;
mod metadata;
pub(crate) mod project;
pub(crate) mod search;
mod transition;
mod user;
mod watcher;
mod worklog;
#[cfg(test)]
pub(crate) mod world;

use std::collections::HashMap;

use axum::http::Method;

use crate::fault::{Fault, Result};
use crate::identity;
use crate::operation::{Access, On, Operation, operation};
use crate::work::Deployment;

/// All operations.
const ALL: &[&[Operation]] = &[
    agile::OPERATIONS,
    attachment::OPERATIONS,
    bulk::OPERATIONS,
    comment::OPERATIONS,
    desk::OPERATIONS,
    development::OPERATIONS,
    filter::OPERATIONS,
    form::OPERATIONS,
    identity::oauth::OPERATIONS,
    issue::OPERATIONS,
    link::OPERATIONS,
    metadata::OPERATIONS,
    project::OPERATIONS,
    search::OPERATIONS,
    transition::OPERATIONS,
    user::OPERATIONS,
    watcher::OPERATIONS,
    worklog::OPERATIONS,
];

/// Returns the operations of a deployment.
fn of(deployment: Deployment) -> impl Iterator<Item = &'static Operation> {
    ALL.iter().flat_map(|it| it.iter()).filter(move |it| match it.on {
        On::Both => true,
        On::Cloud => deployment == Deployment::Cloud,
        On::DataCenter => deployment == Deployment::DataCenter,
    })
}

/// Returns the method and the path of each operation of a deployment. A path has `{name}` for its parameters, and `{v}` for the version of
/// the platform's API.
pub fn operations(deployment: Deployment) -> impl Iterator<Item = (&'static str, &'static str)> {
    of(deployment).map(|it| (it.method, it.path))
}

/// The operations of a deployment, by path.
pub(crate) struct Table {
    paths: matchit::Router<HashMap<&'static str, Operation>>,
}

impl Table {
    /// Makes the table of a deployment.
    ///
    /// # Panics
    /// If two paths of the table can't be told apart, which a test would find.
    pub(crate) fn new(deployment: Deployment) -> Self {
        let mut by_path: Vec<(&'static str, HashMap<&'static str, Operation>)> = Vec::new();
        for operation in of(deployment) {
            let at = by_path.iter().position(|(path, _)| *path == operation.path);
            match at.and_then(|at| by_path.get_mut(at)) {
                Some((_, methods)) => drop(methods.insert(operation.method, *operation)),
                None => by_path.push((operation.path, HashMap::from([(operation.method, *operation)]))),
            }
        }
        let mut paths = matchit::Router::new();
        for (path, methods) in by_path {
            paths.insert(path, methods).expect("the paths of the table can be told apart");
        }
        Self { paths }
    }

    /// Returns the operation of a request, and the parameters in its path, decoded.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<(Operation, Vec<(String, String)>)> {
        let lacking = || Fault::lacking(format_args!("{method} {path}"));
        let found = self.paths.at(path.trim_end_matches('/')).map_err(|_| lacking())?;
        let operation = found.value.get(method.as_str()).ok_or_else(lacking)?;
        let decoded =
            |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let params = found.params.iter().map(|(name, value)| (name.to_owned(), decoded(value))).collect();
        Ok((*operation, params))
    }
}
