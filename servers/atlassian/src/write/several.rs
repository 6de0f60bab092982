//! Several changes in one call.
//!
//! In: plans that do not depend on each other. Out: what became of each, and one handle that takes back all that were made. A plan that
//! fails does not stop the others.

use plainwire::prelude::*;
use serde_json::Map;

use super::apply::Made;
use super::{Change, Inverse, Plan, Record, Restore, Writer};

/// What became of several plans.
#[derive(Debug)]
pub struct Each {
    /// The changes that were made, with one handle for all.
    pub change: Change,
    /// For each plan the answers that it kept, or its error. Empty for a preview.
    pub outcomes: Vec<Result<Map<String, Value>, ToolError>>,
}

impl Writer<'_> {
    /// Makes each change, or shows all. `summary` is the sentence for all of them, and `target` what they have in common.
    ///
    /// # Errors
    /// The first error, if no change was made.
    pub async fn write_each(
        &self,
        summary: String,
        target: String,
        plans: Vec<Plan>,
        is_preview: bool,
    ) -> Result<Each, ToolError> {
        let key = Some(target.clone()).filter(|it| !it.is_empty());
        let mut change = Change { is_preview, summary: summary.clone(), key, ..Change::default() };
        let mut outcomes = Vec::new();
        if is_preview {
            for plan in plans {
                change.changes.extend(plan.changes);
                change.warnings.extend(plan.warnings);
            }
            return Ok(Each { change, outcomes });
        }
        let mut inverse: Vec<Restore> = Vec::new();
        let mut tool = "";
        for plan in plans {
            tool = plan.tool;
            change.warnings.extend(plan.warnings.iter().cloned());
            match self.carry_out(plan, &mut change.warnings).await {
                Ok(Made { kept, record }) => {
                    change.changes.extend(record.changes);
                    if let Inverse::Steps(steps) = record.inverse {
                        // The last change is taken back first.
                        inverse.splice(0..0, steps);
                    }
                    outcomes.push(Ok(kept));
                }
                Err(error) => outcomes.push(Err(error)),
            }
        }
        if let Some(Err(first)) = outcomes.first()
            && outcomes.iter().all(Result::is_err)
        {
            return Err(first.clone());
        }
        let inverse = Inverse::Steps(inverse);
        let changes = change.changes.clone();
        self.keep(Record { tool: tool.to_owned(), target, summary, changes, inverse }, &mut change).await;
        Ok(Each { change, outcomes })
    }
}
