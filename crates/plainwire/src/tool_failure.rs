//! The failure of a tool, with the parts that are for programs.
//!
//! In: the result of a tool that failed. Out: the parts that the server, if it is made with Plainwire, has put into
//! its `_meta`.

use plainwire_proto::model::CallToolResult;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The failure of a tool, as a server made with Plainwire describes it for programs: the parts of its
/// [`ToolError`](struct@crate::ToolError). The server sends them in `_meta["plainwire/error"]` of the result.
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize)]
pub struct ToolFailure {
    /// The code, such as `not_found`.
    pub code: String,
    /// The message, without the hint.
    pub message: String,
    /// The hint: what the caller can do about the failure.
    #[serde(default)]
    pub hint: Option<String>,
    /// Whether the same call may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// Further data of the tool, as JSON.
    #[serde(default)]
    pub details: Option<Box<RawValue>>,
}

impl ToolFailure {
    /// Returns the failure that `result` describes; `None` if the tool did not fail, or if the server sent no
    /// such description.
    pub fn of(result: &CallToolResult) -> Option<Self> {
        #[derive(Deserialize)]
        struct Meta {
            #[serde(rename = "plainwire/error")]
            failure: ToolFailure,
        }
        let meta = result.meta.as_ref().filter(|_| result.is_error)?;
        serde_json::from_str::<Meta>(meta.get()).ok().map(|it| it.failure)
    }
}
