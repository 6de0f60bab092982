//! The check of results against the output schemas of their tools.
//!
//! In: the result of a call, and the output schema that the server listed for the tool. Out: the result, with a
//! warning in the log if it does not fit, or an error. A program that asks for no check pays nothing.

use plainwire_proto::json::shorten;
use plainwire_proto::model::CallToolResult;

use super::known_tools::KnownTools;
use crate::error::{Error, Result};
use crate::schema::arguments::{Rejected, fits_exactly};

/// The treatment of results that do not fit the output schema of their tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultCheck {
    /// Results are not checked.
    #[default]
    Off,
    /// A result that does not fit is reported in the log as a warning, and returned.
    Warn,
    /// A result that does not fit is an [`Error::Decode`]. Results of tools whose output schema is not known pass.
    Refuse,
}

impl ResultCheck {
    /// Checks a result of the tool `name`. A result with `isError` and a result of a tool without a known
    /// output schema pass.
    pub(super) fn check(self, tools: &KnownTools, name: &str, result: &CallToolResult) -> Result<()> {
        if self == Self::Off || result.is_error {
            return Ok(());
        }
        let Some(schema) = tools.output_schema(name) else { return Ok(()) };
        let checked = match &result.structured_content {
            Some(content) => fits_exactly(content.get(), &schema),
            // A `null` that the server sent looks the same here as no member at all.
            None => fits_exactly("null", &schema)
                .map_err(|_| Rejected("expected `structuredContent`, but found nothing".to_owned())),
        };
        match (checked, self) {
            (Ok(()), _) => Ok(()),
            (Err(Rejected(why)), Self::Refuse) => {
                let message = format!(
                    "the result of the tool {:?} does not fit its output schema: {why}",
                    shorten(name)
                );
                Err(Error::Decode { message })
            }
            (Err(Rejected(why)), _) => {
                tracing::warn!(
                    "the result of the tool {:?} does not fit its output schema: {why}",
                    shorten(name)
                );
                Ok(())
            }
        }
    }
}
