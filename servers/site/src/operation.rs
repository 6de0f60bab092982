//! An operation: a method and a path, and the function that answers it.

use crate::call::{Answer, Call};
use crate::fault::Result;
use crate::view::Version;

/// The deployments that have an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Both,
    Cloud,
    DataCenter,
}

/// The callers that an operation answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Anyone,
    SignedIn,
}

/// An operation.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    /// The path with `{name}` for its parameters. `{v}` is the version of the platform's API.
    pub(crate) path: &'static str,
    pub(crate) on: On,
    pub(crate) access: Access,
    /// The form of rich text, if the path names no version.
    pub(crate) version: Version,
    pub(crate) run: fn(&Call<'_>) -> Result<Answer>,
}

/// Makes an operation for those who are signed in.
pub(crate) const fn operation(
    method: &'static str,
    path: &'static str,
    on: On,
    run: fn(&Call<'_>) -> Result<Answer>,
) -> Operation {
    Operation { method, path, on, access: Access::SignedIn, version: Version::V2, run }
}
