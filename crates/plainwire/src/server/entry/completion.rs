//! Completions: suggested values for an argument of a prompt or a variable of a template.
//!
//! In: the text typed so far, and the values of the other arguments. Out: values, the best first. A
//! completion runs like any other handler, with the same treatment of panics and deadlines, but without
//! layers.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;

use plainwire_proto::model::{CompleteRequest, Completion};

use crate::schema::arguments::Rejected;
use crate::server::handler::Run;
use crate::server::result::{Outcome, ToolError};

/// The input of a completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completing {
    /// The values of the other arguments, by name, as far as the client knows them and sends them.
    pub arguments: BTreeMap<String, String>,
    /// The text that the user has typed so far for the argument to complete; possibly empty.
    pub value: String,
}

/// A type that a completion may return: values, or a `Result` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be returned from a completion",
    label = "a completion returns a `Vec<String>`, or a `Result` of one"
)]
pub trait IntoCompletion: Send + 'static {
    /// Converts the value into the suggested values.
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

/// The completion handlers of one entry, by the name of the argument.
pub(crate) type Completers = HashMap<String, Run>;

/// Adds `handler` to `completers`, as the completion of `argument`. `known` are the names of the entry's
/// arguments. Returns an error message, and adds nothing, if `argument` is not one of them or already has a
/// completion.
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
