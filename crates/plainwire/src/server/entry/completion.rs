//! Completions: what an argument of a prompt or a variable of a template might be.
//!
//! In: what has been typed, and the other arguments so far. Out: values, the best first. It is run like any other
//! handler, with the same guard against panics and deadlines.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;

use plainwire_proto::model::{CompleteRequest, Completion};

use crate::server::handler::{Outcome, Rejected, Run, ToolError};

/// What is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completing {
    /// What the other arguments are, as far as the client knows and says.
    pub arguments: BTreeMap<String, String>,
    /// What has been typed so far, perhaps nothing.
    pub value: String,
}

/// What a completion may return: values, or a `Result` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a completion",
    label = "a completion returns a `Vec<String>`, or a `Result` of one"
)]
pub trait IntoCompletion: Send + 'static {
    /// Turns the value into what it holds.
    ///
    /// # Errors
    /// The handler's own error.
    fn into_completion(self) -> Result<Vec<String>, ToolError>;
}

impl IntoCompletion for Vec<String> {
    fn into_completion(self) -> Result<Vec<String>, ToolError> {
        Ok(self)
    }
}

impl<E: Into<ToolError> + Send + 'static> IntoCompletion for Result<Vec<String>, E> {
    fn into_completion(self) -> Result<Vec<String>, ToolError> {
        self.map_err(Into::into)
    }
}

/// The completions of one entry, by argument.
pub(crate) type Completers = HashMap<String, Run>;

/// Adds the completion of `argument` to those of an entry that has `known` arguments. Returns what is wrong with it.
pub(crate) fn add<'k, F, Fut>(
    completers: &mut Completers,
    mut known: impl Iterator<Item = &'k str>,
    argument: String,
    handler: F,
) -> Option<String>
where
    F: Fn(Completing) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoCompletion> + Send + 'static,
{
    if !known.any(|name| name == argument) {
        return Some(format!(
            "expected an argument to complete, but found `{argument}`, which it does not have"
        ));
    }
    if completers.contains_key(&argument) {
        return Some(format!("expected one completion of `{argument}`, but found two"));
    }
    let run: Run = Arc::new(move |call| {
        let it =
            CompleteRequest::parse(call.arguments).map_err(|error| Rejected(error.message().to_owned()))?;
        let completed = handler(Completing { arguments: it.arguments, value: it.value });
        Ok(Box::pin(async move {
            let values = completed.await.into_completion();
            values.map_or_else(Outcome::failed, |values| Outcome::Completion(Completion::of(values)))
        }))
    });
    completers.insert(argument, run);
    None
}
