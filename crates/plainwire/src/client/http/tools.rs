//! What was heard of tools: which arguments stand in headers, and which calls may be made twice.
//!
//! In: answers to `tools/list`. Out: answers to questions about one tool, for as long as the connection lasts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use plainwire_proto::http::{ParamHeader, param_headers};
use plainwire_proto::model::Tool;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::client::is_harmless;

/// Tools of which something is remembered. 10,000: ten times what any client can show to a model.
const MOST: usize = 10_000;

#[derive(Default)]
pub(super) struct Tools(Mutex<HashMap<String, Known>>);

#[derive(Clone, Default)]
struct Known {
    headers: Vec<ParamHeader>,
    is_replayable: bool,
}

impl Tools {
    /// Takes note of the tools in an answer to `tools/list`.
    pub(super) fn learn(&self, frame: &str) {
        #[derive(Deserialize)]
        struct Answer<'a> {
            #[serde(borrow)]
            result: Page<'a>,
        }
        #[derive(Deserialize)]
        struct Page<'a> {
            #[serde(borrow)]
            tools: Vec<&'a RawValue>,
        }
        let Ok(answer) = serde_json::from_str::<Answer<'_>>(frame) else { return };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for tool in answer.result.tools {
            let Ok(tool) = serde_json::from_str::<Tool>(tool.get()) else { continue };
            if known.len() < MOST || known.contains_key(&tool.name) {
                known.insert(tool.name.clone(), Known::of(&tool));
            }
        }
    }

    pub(super) fn headers(&self, name: &str) -> Vec<ParamHeader> {
        self.of(name).headers
    }

    /// Whether a call that may have run can be made again: the server says that it changes nothing, or nothing more.
    pub(super) fn is_replayable(&self, name: &str) -> bool {
        self.of(name).is_replayable
    }

    fn of(&self, name: &str) -> Known {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned().unwrap_or_default()
    }
}

impl Known {
    fn of(tool: &Tool) -> Self {
        let schema = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
        Self {
            headers: param_headers(&schema).unwrap_or_default(),
            is_replayable: is_harmless(tool.annotations.as_ref()),
        }
    }
}
