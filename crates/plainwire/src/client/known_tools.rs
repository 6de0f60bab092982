//! The facts that a client remembers about a server's tools: which arguments a request repeats in HTTP
//! headers, and which calls may run twice without harm.
//!
//! In: results of `tools/list`. Out: facts about one tool by its name, for as long as the connection lasts.
//! The connection task and the HTTP requests both look them up here, so that they decide alike.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "http-client")]
use plainwire_proto::http::{ParamHeader, param_headers};
use plainwire_proto::model::Tool;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::is_harmless;

/// The most tools that are remembered. 10,000: ten times as many as any client can show to a model.
const MAX_TOOLS: usize = 10_000;

/// The tools of one connection. Clones share them: the connection task writes, and the HTTP requests read.
/// The lock is held only for one lookup, or while one page is stored.
#[derive(Clone, Default)]
pub(crate) struct KnownTools(Arc<Mutex<HashMap<String, KnownTool>>>);

#[derive(Default)]
struct KnownTool {
    #[cfg(feature = "http-client")]
    headers: Vec<ParamHeader>,
    is_harmless: bool,
}

impl KnownTools {
    /// Remembers the tools in `result`, the result of one `tools/list`.
    pub(super) fn learn(&self, result: &str) {
        #[derive(Deserialize)]
        struct Page<'a> {
            #[serde(borrow)]
            tools: Vec<&'a RawValue>,
        }
        let Ok(page) = serde_json::from_str::<Page<'_>>(result) else { return };
        let mut known = self.lock();
        for tool in page.tools {
            let Ok(tool) = serde_json::from_str::<Tool>(tool.get()) else { continue };
            if known.len() < MAX_TOOLS || known.contains_key(&tool.name) {
                known.insert(tool.name.clone(), KnownTool::of(&tool));
            }
        }
    }

    /// Returns the arguments of the tool `name` that a call repeats in HTTP headers. Empty for an unknown
    /// tool.
    #[cfg(feature = "http-client")]
    pub(super) fn headers(&self, name: &str) -> Vec<ParamHeader> {
        self.lock().get(name).map(|tool| tool.headers.clone()).unwrap_or_default()
    }

    /// Returns whether the tool `name` is read-only or idempotent according to the server. An unknown tool is
    /// not harmless.
    pub(super) fn is_harmless(&self, name: &str) -> bool {
        self.lock().get(name).is_some_and(|tool| tool.is_harmless)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, KnownTool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownTool {
    fn of(tool: &Tool) -> Self {
        Self {
            #[cfg(feature = "http-client")]
            headers: headers(tool),
            is_harmless: is_harmless(tool.annotations.as_ref()),
        }
    }
}

#[cfg(feature = "http-client")]
fn headers(tool: &Tool) -> Vec<ParamHeader> {
    let schema = serde_json::from_str(tool.input_schema.get()).unwrap_or_default();
    param_headers(&schema).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_list_decides_whether_a_tool_is_harmless() {
        let tools = KnownTools::default();
        assert!(!tools.is_harmless("a"), "unknown");
        tools.learn(
            r#"{"tools":[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":1}]}"#,
        );
        assert!(tools.is_harmless("a"));
        tools.learn(r#"{"tools":[{"name":"a","inputSchema":{}}]}"#);
        assert!(!tools.is_harmless("a"));
    }

    #[test]
    fn remembers_so_many_tools_and_no_more() {
        let tools = KnownTools::default();
        let listed = |n: usize| {
            format!(r#"{{"name":"t{n}","inputSchema":{{}},"annotations":{{"idempotentHint":true}}}}"#)
        };
        let list: Vec<String> = (0..=MAX_TOOLS).map(listed).collect();
        tools.learn(&format!(r#"{{"tools":[{}]}}"#, list.join(",")));
        assert!(
            tools.is_harmless(&format!("t{}", MAX_TOOLS - 1)) && !tools.is_harmless(&format!("t{MAX_TOOLS}"))
        );
    }
}
