//! The facts that a client remembers about a server's tools: which arguments a request repeats in HTTP
//! headers, which calls may run twice without harm, and which output schema a result has to fit.
//!
//! In: results of `tools/list`. Out: facts about one tool by its name, until a whole list without the tool was
//! read. The connection task and the HTTP requests both look them up here, so that they decide alike.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "http-client")]
use plainwire_proto::http::{ParamHeader, param_headers_of};
use plainwire_proto::json::shorten;
use plainwire_proto::model::ToolAnnotations;
use serde::Deserialize;
use serde::de::{Deserializer as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::replayable::is_harmless;
use crate::schema::InputSchema;

/// The most tools that are remembered. 10,000: ten times as many as any client can show to a model.
const MAX_TOOLS: usize = 10_000;

/// Largest size of the names and headers of all tools that are remembered, in bytes. 4 MiB: 400 for each tool.
const MAX_BYTES: usize = 4 << 20;

/// Largest size of all output schemas that are remembered, in bytes. 1 MiB: two thousand schemas of usual size.
const MAX_OUTPUT_SCHEMAS: usize = 1 << 20;

/// Largest size of a cursor that is remembered to follow a list to its end, in bytes. After a page with a longer one,
/// no tool is forgotten. 8 KiB: cursors of known servers have less than 1 KiB.
const MAX_CURSOR: usize = 8 << 10;

/// The tools of one connection. Clones share them: the connection task writes, and the HTTP requests and the
/// checks of results read. The lock is held only for one lookup, or while one page is stored.
#[derive(Clone, Default)]
pub(crate) struct KnownTools(Arc<Mutex<Known>>);

/// Invariants: `bytes` and `outputs` are the sums of the sizes of all tools in `by_name`.
#[derive(Default)]
struct Known {
    by_name: HashMap<String, KnownTool>,
    /// The size of the names and headers of all tools, in bytes.
    bytes: usize,
    /// Whether output schemas are remembered, because results are checked.
    keeps_outputs: bool,
    /// The size of the output schemas that are remembered, in bytes.
    outputs: usize,
    reading: Reading,
}

/// The newest reading of the list of tools, from its first page on.
#[derive(Default)]
struct Reading {
    /// Whether there was no room for a tool, so that tools of earlier readings were forgotten.
    is_full: bool,
    /// The cursor of the next page; `None` after the last page, and if the reading can't be followed.
    next: Option<String>,
    /// The number of the reading. Tools have the number of the reading that last named them.
    number: u64,
}

#[derive(Default)]
struct KnownTool {
    #[cfg(feature = "http-client")]
    headers: Vec<ParamHeader>,
    is_harmless: bool,
    /// The output schema, and its size in bytes; `None` if the tool has none, or schemas are not remembered.
    output: Option<(Arc<InputSchema>, usize)>,
    /// The number of the newest reading of the list that named the tool.
    reading: u64,
}

/// The parts of a tool in a list that matter here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'t> {
    annotations: Option<ToolAnnotations>,
    #[serde(borrow)]
    #[cfg_attr(not(feature = "http-client"), expect(dead_code, reason = "a tool without it is none"))]
    input_schema: &'t RawValue,
    #[serde(borrow)]
    name: Cow<'t, str>,
    #[serde(borrow)]
    output_schema: Option<&'t RawValue>,
}

impl KnownTools {
    /// Makes an empty collection. With `keeps_outputs` it also remembers output schemas, which the check of
    /// results needs.
    pub(super) fn new(keeps_outputs: bool) -> Self {
        Self(Arc::new(Mutex::new(Known { keeps_outputs, ..Known::default() })))
    }

    /// Remembers the tools in `result`, the result of one `tools/list` with these `params`. If it is the last page of a
    /// list, of which all pages were read in order, forgets the tools that are not in the list.
    pub(super) fn learn(&self, params: &str, result: &str) {
        #[derive(Deserialize)]
        struct Asked<'a> {
            #[serde(borrow)]
            cursor: Option<Cow<'a, str>>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Page<'a> {
            next_cursor: Option<String>,
            #[serde(borrow)]
            tools: &'a RawValue,
        }
        let Ok(page) = serde_json::from_str::<Page<'_>>(result) else { return };
        let cursor = serde_json::from_str::<Asked<'_>>(params).ok().and_then(|it| it.cursor);
        let mut known = self.lock();
        let follows = match &cursor {
            None => true,
            Some(cursor) => known.reading.next.as_deref() == Some(&**cursor),
        };
        if cursor.is_none() {
            known.reading = Reading { number: known.reading.number + 1, ..Reading::default() };
        }
        let mut tools = serde_json::Deserializer::from_str(page.tools.get());
        let is_read = tools.deserialize_seq(Tools(&mut known)).is_ok();
        if follows {
            if is_read && page.next_cursor.is_none() {
                known.forget_older();
            }
            known.reading.next = page.next_cursor.filter(|next| is_read && next.len() <= MAX_CURSOR);
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

/// A visitor that reads the tools of a page one by one, so that a page of very many values takes no memory for
/// them.
struct Tools<'k>(&'k mut Known);

impl<'de> Visitor<'de> for Tools<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tools")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(tool) = list.next_element::<&RawValue>()? {
            if let Ok(tool) = serde_json::from_str::<Listed<'_>>(tool.get()) {
                self.0.learn(&tool);
            }
        }
        Ok(())
    }
}

impl Known {
    fn learn(&mut self, tool: &Listed<'_>) {
        if let Some(before) = self.by_name.remove(&*tool.name) {
            self.bytes -= before.size(&tool.name);
            self.outputs -= before.output_size();
        }
        let mut known = KnownTool::of(tool);
        known.reading = self.reading.number;
        let size = known.size(&tool.name);
        if !self.has_room(size) && !std::mem::replace(&mut self.reading.is_full, true) {
            self.forget_older();
            if !self.has_room(size) {
                tracing::warn!(
                    "not all tools of the server are remembered: expected at most {MAX_TOOLS}, and their names and \
                     headers to have at most {MAX_BYTES} bytes together, but found more"
                );
            }
        }
        if self.has_room(size) {
            known.output = self.output(tool);
            self.bytes += size;
            self.outputs += known.output_size();
            self.by_name.insert(tool.name.clone().into_owned(), known);
        }
    }

    fn has_room(&self, size: usize) -> bool {
        self.by_name.len() < MAX_TOOLS && self.bytes + size <= MAX_BYTES
    }

    /// Returns the output schema of a tool and its size, if it is to be remembered.
    fn output(&self, tool: &Listed<'_>) -> Option<(Arc<InputSchema>, usize)> {
        let schema = tool.output_schema.filter(|_| self.keeps_outputs)?;
        let size = schema.get().len();
        if self.outputs + size > MAX_OUTPUT_SCHEMAS {
            let name = shorten(&tool.name);
            tracing::warn!(
                "results of the tool {name:?} are not checked: expected all output schemas to have at most \
                 {MAX_OUTPUT_SCHEMAS} bytes, but found more"
            );
            return None;
        }
        Some((Arc::new(InputSchema::of_server(schema.to_owned())), size))
    }

    /// Forgets the tools that the newest reading of the list has not named.
    fn forget_older(&mut self) {
        let Self { by_name, bytes, outputs, reading, .. } = self;
        by_name.retain(|name, tool| {
            let stays = tool.reading == reading.number;
            if !stays {
                *bytes -= tool.size(name);
                *outputs -= tool.output_size();
            }
            stays
        });
    }
}

impl KnownTool {
    /// Returns what `tool` says about itself, without its output schema.
    fn of(tool: &Listed<'_>) -> Self {
        Self {
            #[cfg(feature = "http-client")]
            headers: param_headers_of(tool.input_schema.get()).unwrap_or_default(),
            is_harmless: is_harmless(tool.annotations.as_ref()),
            output: None,
            reading: 0,
        }
    }

    /// Returns the size of the tool's name and headers, in bytes.
    fn size(&self, name: &str) -> usize {
        #[cfg(feature = "http-client")]
        let headers: usize = {
            let parts = self.headers.iter().flat_map(|it| it.path.iter().chain([&it.header]));
            parts.map(String::len).sum()
        };
        #[cfg(not(feature = "http-client"))]
        let headers = 0;
        name.len() + headers
    }

    fn output_size(&self) -> usize {
        self.output.as_ref().map_or(0, |(_, size)| *size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_list_decides_whether_a_tool_is_harmless() {
        let tools = KnownTools::default();
        assert!(!tools.is_harmless("a"), "unknown");
        tools.learn(
            "{}",
            r#"{"tools":[{"name":"a","inputSchema":{},"annotations":{"readOnlyHint":true}},{"name":1}]}"#,
        );
        assert!(tools.is_harmless("a"));
        tools.learn("{}", r#"{"tools":[{"name":"a","inputSchema":{}}]}"#);
        assert!(!tools.is_harmless("a"));
    }

    #[test]
    fn remembers_so_many_tools_and_no_more() {
        let tools = KnownTools::default();
        let listed = |n: usize| {
            format!(r#"{{"name":"t{n}","inputSchema":{{}},"annotations":{{"idempotentHint":true}}}}"#)
        };
        let list: Vec<String> = (0..=MAX_TOOLS).map(listed).collect();
        tools.learn("{}", &format!(r#"{{"tools":[{}]}}"#, list.join(",")));
        assert!(
            tools.is_harmless(&format!("t{}", MAX_TOOLS - 1)) && !tools.is_harmless(&format!("t{MAX_TOOLS}"))
        );
    }

    /// Returns a page of a list with harmless tools. `next` is the cursor of the next page, or empty.
    fn page(names: &[&str], next: &str) -> String {
        let listed = |name: &&str| {
            format!(r#"{{"name":"{name}","inputSchema":{{}},"annotations":{{"idempotentHint":true}}}}"#)
        };
        let tools: Vec<String> = names.iter().map(listed).collect();
        let next = if next.is_empty() { String::new() } else { format!(r#","nextCursor":"{next}""#) };
        format!(r#"{{"tools":[{}]{next}}}"#, tools.join(","))
    }

    fn known<'n>(tools: &KnownTools, names: &[&'n str]) -> Vec<&'n str> {
        names.iter().copied().filter(|name| tools.is_harmless(name)).collect()
    }

    #[test]
    fn what_left_the_list_is_forgotten_when_the_whole_list_was_read() {
        let tools = KnownTools::default();
        let [first, second, third] = [r#"{"_meta":{}}"#, r#"{"cursor":"2"}"#, r#"{"cursor":"3"}"#];
        let all = ["a", "b", "c", "d", "e"];
        tools.learn(first, &page(&["a", "b"], "2"));
        tools.learn(second, &page(&["c"], ""));
        assert_eq!(known(&tools, &all), ["a", "b", "c"]);
        // The next list has no `b` any more, and no `c`.
        tools.learn(first, &page(&["a"], "2"));
        assert_eq!(known(&tools, &all), ["a", "b", "c"], "the list goes on");
        tools.learn(second, &page(&["d"], ""));
        assert_eq!(known(&tools, &all), ["a", "d"]);
        // Two tasks read the list at the same time: the last page of one is not that of the other.
        tools.learn(first, &page(&["a"], "2"));
        tools.learn(second, &page(&["d"], "3"));
        tools.learn(first, &page(&["a"], "2"));
        tools.learn(third, &page(&["e"], ""));
        assert_eq!(known(&tools, &all), ["a", "d", "e"]);
        tools.learn(second, &page(&["d"], "3"));
        tools.learn(third, &page(&["e"], ""));
        assert_eq!(known(&tools, &all), ["a", "d", "e"]);
        tools.learn(first, &page(&["a", "d"], ""));
        assert_eq!(known(&tools, &all), ["a", "d"]);
        // An answer that is no list changes nothing.
        tools.learn(first, r#"{"tools":7}"#);
        tools.learn(second, &page(&["b"], ""));
        assert_eq!(known(&tools, &all), ["a", "b", "d"]);
    }

    #[test]
    fn a_list_with_a_cursor_of_more_than_8_kib_is_not_followed() {
        for (length, is_followed) in [(8 << 10, true), ((8 << 10) + 1, false)] {
            let tools = KnownTools::default();
            tools.learn("{}", &page(&["a"], ""));
            let cursor = "c".repeat(length);
            tools.learn("{}", &page(&["b"], &cursor));
            tools.learn(&format!(r#"{{"cursor":"{cursor}"}}"#), &page(&[], ""));
            assert_eq!(tools.is_harmless("a"), !is_followed, "{length}");
        }
    }

    #[test]
    fn a_new_list_takes_the_place_of_one_that_filled_the_memory() {
        let tools = KnownTools::default();
        let names = |prefix: &str| (0..MAX_TOOLS).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
        for prefix in ["a", "b"] {
            let names = names(prefix);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (some, others) = names.split_at(MAX_TOOLS / 2);
            tools.learn("{}", &page(some, "2"));
            tools.learn(r#"{"cursor":"2"}"#, &page(others, ""));
            assert_eq!(known(&tools, &names).len(), MAX_TOOLS, "{prefix}");
        }
        assert_eq!(tools.lock().by_name.len(), MAX_TOOLS);
    }

    #[test]
    fn names_of_tools_have_4_mib_together() {
        let tools = KnownTools::default();
        let mebibyte = ["a", "b", "c", "d"].map(|name| name.repeat(1 << 20));
        let mut names: Vec<&str> = mebibyte.iter().map(String::as_str).collect();
        names.push("e");
        tools.learn("{}", &page(&names, ""));
        assert_eq!(known(&tools, &names).len(), 4);
        assert!(!tools.is_harmless("e"));
        let shorter = "s".repeat((1 << 20) - 1);
        *names.first_mut().expect("a name") = &shorter;
        tools.learn("{}", &page(&names, ""));
        assert_eq!(known(&tools, &names).len(), 5);
    }

    #[cfg(feature = "http-client")]
    #[test]
    fn headers_of_tools_count_like_names() {
        let tools = KnownTools::default();
        // Each header has 12 bytes, its name in the schema one, and the path 8,001.
        let outer = "o".repeat(8_000);
        let named = |n: usize| {
            let schema = format!(
                r#"{{"properties":{{"{outer}":{{"properties":{{"h":{{"type":"string","x-mcp-header":"H"}}}}}}}}}}"#
            );
            format!(r#"{{"name":"{n:03}","inputSchema":{schema}}}"#)
        };
        let all: Vec<String> = (0..600).map(named).collect();
        tools.learn("{}", &format!(r#"{{"tools":[{}]}}"#, all.join(",")));
        let with_headers = (0..600).filter(|n| !tools.headers(&format!("{n:03}")).is_empty()).count();
        assert_eq!(with_headers, (4 << 20) / (3 + "mcp-param-h".len() + 8_001));
    }

    #[test]
    fn remembers_output_schemas_up_to_their_limit_and_only_for_checks() {
        let listed = |name: &str, description: usize| {
            let text = "x".repeat(description);
            format!(
                r#"{{"tools":[{{"name":"{name}","inputSchema":{{}},"outputSchema":{{"type":"object","description":"{text}"}}}}]}}"#
            )
        };
        let tools = KnownTools::new(true);
        for (name, size, is_known) in
            [("a", 1 << 19, true), ("b", 1 << 19, false), ("a", 9, true), ("b", 1 << 19, true)]
        {
            // One page of a longer list.
            tools.learn(r#"{"cursor":"c"}"#, &listed(name, size));
            assert_eq!(tools.output_schema(name).is_some(), is_known, "{name} {size}");
        }
        let tools = KnownTools::new(false);
        tools.learn("{}", &listed("a", 9));
        assert!(tools.output_schema("a").is_none());
    }
}
