//! The facts that a client remembers about a server's tools: which arguments a request repeats in HTTP
//! headers, which calls may run twice without harm, and which output schema a result has to fit.
//!
//! In: results of `tools/list`. Out: facts about one tool by its name, for as long as the connection lasts.
//! The connection task and the HTTP requests both look them up here, so that they decide alike.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "http-client")]
use plainwire_proto::http::{ParamHeader, param_headers};
use plainwire_proto::json::shorten;
use plainwire_proto::model::Tool;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{ResultCheck, is_harmless};
use crate::schema::InputSchema;

/// The most tools that are remembered. 10,000: ten times as many as any client can show to a model.
const MAX_TOOLS: usize = 10_000;

/// Largest size of all output schemas that are remembered, in bytes. 1 MiB: two thousand schemas of usual size.
const MAX_OUTPUT_SCHEMAS: usize = 1 << 20;

/// The tools of one connection. Clones share them: the connection task writes, and the HTTP requests and the
/// checks of results read. The lock is held only for one lookup, or while one page is stored.
#[derive(Clone, Default)]
pub(crate) struct KnownTools(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    by_name: HashMap<String, KnownTool>,
    /// Whether output schemas are remembered, because results are checked.
    keeps_outputs: bool,
    /// The size of the output schemas that are remembered, in bytes.
    outputs: usize,
}

#[derive(Default)]
struct KnownTool {
    #[cfg(feature = "http-client")]
    headers: Vec<ParamHeader>,
    is_harmless: bool,
    /// The output schema, and its size in bytes; `None` if the tool has none, or schemas are not remembered.
    output: Option<(Arc<InputSchema>, usize)>,
}

impl KnownTools {
    /// Makes an empty collection, which remembers output schemas only if `check` needs them.
    pub(super) fn new(check: ResultCheck) -> Self {
        let keeps_outputs = check != ResultCheck::Off;
        Self(Arc::new(Mutex::new(Known { keeps_outputs, ..Known::default() })))
    }

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
            known.learn(&tool);
        }
    }

    /// Returns the arguments of the tool `name` that a call repeats in HTTP headers. Empty for an unknown
    /// tool.
    #[cfg(feature = "http-client")]
    pub(super) fn headers(&self, name: &str) -> Vec<ParamHeader> {
        self.lock().by_name.get(name).map(|tool| tool.headers.clone()).unwrap_or_default()
    }

    /// Returns whether the tool `name` is read-only or idempotent according to the server. An unknown tool is
    /// not harmless.
    pub(super) fn is_harmless(&self, name: &str) -> bool {
        self.lock().by_name.get(name).is_some_and(|tool| tool.is_harmless)
    }

    /// Returns the output schema of the tool `name`, if it is known.
    pub(super) fn output_schema(&self, name: &str) -> Option<Arc<InputSchema>> {
        self.lock().by_name.get(name)?.output.as_ref().map(|(schema, _)| Arc::clone(schema))
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn learn(&mut self, tool: &Tool) {
        if self.by_name.len() >= MAX_TOOLS && !self.by_name.contains_key(&tool.name) {
            return;
        }
        let before = self.by_name.remove(&tool.name).and_then(|known| known.output);
        self.outputs -= before.map_or(0, |(_, size)| size);
        let output = tool.output_schema.as_ref().filter(|_| self.keeps_outputs).and_then(|schema| {
            let size = schema.get().len();
            if self.outputs + size > MAX_OUTPUT_SCHEMAS {
                let name = shorten(&tool.name);
                tracing::warn!(
                    "results of the tool {name:?} are not checked: expected all output schemas to have at most \
                     {MAX_OUTPUT_SCHEMAS} bytes, but found more"
                );
                return None;
            }
            self.outputs += size;
            Some((Arc::new(InputSchema::of_server(schema.clone())), size))
        });
        self.by_name.insert(tool.name.clone(), KnownTool { output, ..KnownTool::of(tool) });
    }
}

impl KnownTool {
    /// Returns what `tool` says about itself, without its output schema.
    fn of(tool: &Tool) -> Self {
        Self {
            #[cfg(feature = "http-client")]
            headers: headers(tool),
            is_harmless: is_harmless(tool.annotations.as_ref()),
            output: None,
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

    #[test]
    fn remembers_output_schemas_up_to_their_limit_and_only_for_checks() {
        let listed = |name: &str, description: usize| {
            let text = "x".repeat(description);
            format!(
                r#"{{"tools":[{{"name":"{name}","inputSchema":{{}},"outputSchema":{{"type":"object","description":"{text}"}}}}]}}"#
            )
        };
        let tools = KnownTools::new(ResultCheck::Warn);
        for (name, size, is_known) in
            [("a", 1 << 19, true), ("b", 1 << 19, false), ("a", 9, true), ("b", 1 << 19, true)]
        {
            tools.learn(&listed(name, size));
            assert_eq!(tools.output_schema(name).is_some(), is_known, "{name} {size}");
        }
        let tools = KnownTools::new(ResultCheck::Off);
        tools.learn(&listed("a", 9));
        assert!(tools.output_schema("a").is_none());
    }
}
