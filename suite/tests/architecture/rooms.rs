//! The table of rooms: the other rooms of its crate that each room may use, and the size to which it may
//! grow.
//!
//! A room is a folder of modules, or a file beside such folders. `lib.rs` and `main.rs` put a crate together
//! and may use every room. If a folder contains rooms (`server`, `client`), the room of the folder is the
//! files directly in it.
//!
//! Size limits are in lines of logic, without tests. If a room exceeds its limit, look for a concept that is
//! now in two rooms. Raise the limit only with a reason in the commit.

/// A room: a folder or a file below `crates/<krate>/src`.
pub(crate) struct Room {
    pub(crate) krate: &'static str,
    /// The path of the folder or file below `src`.
    pub(crate) path: &'static str,
    /// The largest number of lines of logic that the room may have.
    pub(crate) max_lines: usize,
    /// The paths of the rooms of the same crate that the code of this room may name.
    pub(crate) may_use: &'static [&'static str],
}

const fn room(
    krate: &'static str,
    path: &'static str,
    max_lines: usize,
    may_use: &'static [&'static str],
) -> Room {
    Room { krate, path, max_lines, may_use }
}

/// The rooms that may use each other in a circle, by crate, with the reason for each.
///
/// `client`: the public types of the client send commands to its connection, which answers with these types.
/// `http` looks up in the files of `client` which tools are harmless. `error` and `model` of `proto`: results
/// contain errors, and errors quote models. `diagnostic` and `tree` of `richtext`: a diagnostic has a span of
/// the tree, and reading a tree collects diagnostics. `spelling` of `richtext` is the list of formats. Each
/// format implements it, and documents are read through it.
pub(crate) const MAY_BE_IN_A_CIRCLE: &[(&str, &[&str])] = &[
    ("plainwire", &["client", "client/connection", "client/http"]),
    ("proto", &["error.rs", "model"]),
    ("richtext", &["adf", "diagnostic.rs", "document.rs", "markdown", "spelling", "storage", "tree", "wiki"]),
];

#[rustfmt::skip]
pub(crate) const ROOMS: &[Room] = &[
    // proto
    room("proto", "base64.rs", 150, &[]),
    room("proto", "codec", 1200, &["cursor.rs", "error.rs", "form", "json", "model", "revision.rs"]),
    room("proto", "cursor.rs", 150, &[]),
    room("proto", "envelope", 700, &["error.rs", "json", "revision.rs"]),
    room("proto", "error.rs", 300, &["json", "model", "revision.rs"]),
    room("proto", "form", 1200, &["json", "revision.rs"]),
    room("proto", "frame.rs", 150, &[]),
    room("proto", "http", 1150, &["base64.rs", "envelope", "error.rs", "json", "revision.rs"]),
    room("proto", "json", 850, &[]),
    room("proto", "model", 1750, &["error.rs", "json", "revision.rs"]),
    room("proto", "peer", 3800, &["codec", "cursor.rs", "envelope", "error.rs", "json", "model", "revision.rs"]),
    room("proto", "revision.rs", 250, &[]),
    room("proto", "seal", 450, &["base64.rs", "json"]),
    room("proto", "sse", 350, &[]),
    room("proto", "testing.rs", 200, &["peer"]),
    // plainwire: the rooms that all use, the server from its lowest room up, the client, and the rooms that
    // use both
    room("plainwire", "error.rs", 250, &["tool_failure.rs"]),
    room("plainwire", "log.rs", 200, &["runtime"]),
    room("plainwire", "runtime", 1100, &[]),
    room("plainwire", "stream", 950, &[]),
    room("plainwire", "schema", 4250, &[]),
    room("plainwire", "tool_failure.rs", 60, &[]),
    room("plainwire", "trace_context.rs", 250, &[]),
    room("plainwire", "server/result", 1000, &["schema"]),
    room("plainwire", "server/roots", 450, &["server/result"]),
    room("plainwire", "server/audit", 100, &["server/audit/entry.rs"]),
    room("plainwire", "server/audit/entry.rs", 100, &["log.rs", "runtime"]),
    room("plainwire", "server/principal.rs", 100, &[]),
    room("plainwire", "server/changes.rs", 350, &[]),
    room("plainwire", "server/asking", 1050, &["runtime", "schema", "server/principal.rs", "server/result"]),
    room("plainwire", "server/context", 1700, &["runtime", "server/asking", "server/changes.rs", "server/principal.rs", "server/result", "server/roots", "trace_context.rs"]),
    room("plainwire", "server/handler", 500, &["runtime", "schema", "server/context", "server/principal.rs", "server/result"]),
    room("plainwire", "server/layer", 750, &["runtime", "schema", "server/context", "server/handler", "server/result"]),
    room("plainwire", "server/presentation/tree.rs", 150, &[]),
    room("plainwire", "server/presentation/markdown", 650, &["server/presentation/tree.rs"]),
    room("plainwire", "server/presentation/template", 450, &["server/presentation/markdown", "server/presentation/tree.rs"]),
    room("plainwire", "server/presentation", 1050, &["schema", "server/asking", "server/context", "server/entry", "server/layer", "server/presentation/markdown", "server/presentation/template", "server/presentation/tree.rs", "server/result"]),
    room("plainwire", "server/entry", 2500, &["error.rs", "schema", "server/context", "server/handler", "server/layer", "server/result"]),
    room("plainwire", "server/outputs/store/contract.rs", 300, &["server/outputs/store"]),
    room("plainwire", "server/outputs/store", 750, &["runtime"]),
    room("plainwire", "server/outputs", 1700, &["runtime", "schema", "server/context", "server/entry", "server/handler", "server/outputs/store", "server/outputs/store/contract.rs", "server/presentation", "server/principal.rs", "server/result"]),
    room("plainwire", "server/layering.rs", 60, &["server/layer", "server/outputs", "server/presentation"]),
    room("plainwire", "server/subscribed.rs", 150, &["runtime", "server/changes.rs"]),
    room("plainwire", "server/hooks.rs", 50, &["error.rs", "server/subscribed.rs"]),
    room("plainwire", "server/catalog/pace.rs", 100, &[]),
    room("plainwire", "server/catalog", 1050, &["error.rs", "schema", "server/catalog/pace.rs", "server/changes.rs", "server/context", "server/entry", "server/handler", "server/layer", "server/layering.rs", "server/outputs", "server/presentation", "server/result"]),
    room("plainwire", "server/catalog/pages.rs", 100, &["server/catalog", "server/entry"]),
    room("plainwire", "server/catalog/selection.rs", 150, &["runtime", "server/catalog"]),
    room("plainwire", "server/built.rs", 100, &["runtime", "server/asking", "server/catalog", "server/context", "server/principal.rs", "stream"]),
    room("plainwire", "server/connection", 1950, &["error.rs", "runtime", "schema", "server/asking", "server/built.rs", "server/catalog", "server/catalog/pace.rs", "server/catalog/selection.rs", "server/changes.rs", "server/context", "server/handler", "server/principal.rs", "server/result", "stream"]),
    room("plainwire", "server", 750, &["error.rs", "log.rs", "runtime", "schema", "server/asking", "server/built.rs", "server/catalog", "server/connection", "server/context", "server/entry", "server/hooks.rs", "server/layer", "server/layering.rs", "server/outputs", "server/presentation", "server/principal.rs", "server/subscribed.rs", "stream"]),
    room("plainwire", "server/store", 3050, &["runtime"]),
    room("plainwire", "server/http", 6750, &["error.rs", "runtime", "server", "server/built.rs", "server/catalog/selection.rs", "server/changes.rs", "server/connection", "server/context", "server/principal.rs", "server/store", "stream"]),
    room("plainwire", "client/process/passed_to.rs", 50, &[]),
    room("plainwire", "client/process", 1300, &["client/process/passed_to.rs", "error.rs", "stream"]),
    room("plainwire", "client/replayable.rs", 100, &[]),
    room("plainwire", "client/known_tools.rs", 300, &["client/replayable.rs", "schema"]),
    room("plainwire", "client/http", 1850, &["client", "client/known_tools.rs", "error.rs"]),
    room("plainwire", "client/connection", 2300, &["client", "client/http", "client/known_tools.rs", "client/process", "error.rs", "runtime", "stream"]),
    room("plainwire", "client", 3600, &["client/connection", "client/http", "client/known_tools.rs", "client/process", "client/replayable.rs", "error.rs", "runtime", "schema", "stream", "tool_failure.rs", "trace_context.rs"]),
    room("plainwire", "client/config", 1150, &["client", "client/http", "error.rs"]),
    room("plainwire", "client/host", 2150, &["client", "client/process", "error.rs", "runtime", "schema"]),
    room("plainwire", "json.rs", 100, &["server/result"]),
    room("plainwire", "kind.rs", 150, &["error.rs"]),
    room("plainwire", "in_process.rs", 100, &["client", "server", "server/connection", "stream"]),
    room("plainwire", "run.rs", 150, &["error.rs", "server", "server/http"]),
    room("plainwire", "without_http.rs", 50, &["error.rs", "server"]),
    room("plainwire", "testing", 1900, &["client", "error.rs", "server", "server/connection", "stream"]),
    room("plainwire", "handler.rs", 100, &["json.rs", "runtime", "schema", "server", "server/asking", "server/context", "server/entry", "server/handler", "server/result", "trace_context.rs"]),
    room("plainwire", "macros.rs", 200, &[]),
    room("plainwire", "prelude.rs", 100, &["error.rs", "json.rs", "server", "server/asking", "server/context", "server/entry", "server/principal.rs", "server/result"]),
    // oauth
    room("oauth", "session", 850, &["store"]),
    room("oauth", "store", 950, &[]),
    // richtext
    room("richtext", "adf", 4350, &["diagnostic.rs", "document.rs", "format.rs", "plainer.rs", "spelling", "tree", "values"]),
    room("richtext", "align.rs", 300, &[]),
    room("richtext", "compare", 1000, &["align.rs", "empty_lines.rs", "loss.rs", "tree", "values"]),
    room("richtext", "convert.rs", 150, &["adf", "compare", "diagnostic.rs", "document.rs", "format.rs", "loss.rs", "markdown", "spelling", "storage", "tree", "unshown.rs"]),
    room("richtext", "counts.rs", 50, &[]),
    room("richtext", "diagnostic.rs", 150, &["tree"]),
    room("richtext", "dice.rs", 100, &[]),
    room("richtext", "document.rs", 100, &["diagnostic.rs", "format.rs", "spelling", "tree"]),
    room("richtext", "emoji.rs", 150, &["tree", "values"]),
    room("richtext", "empty_lines.rs", 100, &["tree"]),
    room("richtext", "format.rs", 100, &[]),
    room("richtext", "graft.rs", 250, &["compare", "lean.rs", "markdown", "matching.rs", "spelling", "tree", "values"]),
    room("richtext", "in_order.rs", 150, &["align.rs", "counts.rs"]),
    room("richtext", "keeping.rs", 50, &["format.rs", "spelling"]),
    room("richtext", "lean.rs", 250, &["emoji.rs", "tree", "values"]),
    room("richtext", "legal.rs", 100, &["adf", "compare", "diagnostic.rs", "format.rs", "names", "storage", "tree"]),
    room("richtext", "loss.rs", 100, &["diagnostic.rs", "tree"]),
    room("richtext", "markdown", 7600, &["adf", "diagnostic.rs", "emoji.rs", "format.rs", "lean.rs", "spelling", "tree", "values"]),
    room("richtext", "matching.rs", 200, &["align.rs", "in_order.rs"]),
    room("richtext", "merge", 1000, &["compare", "counts.rs", "document.rs", "format.rs", "graft.rs", "lean.rs", "loss.rs", "matching.rs", "spelling", "tree", "values"]),
    room("richtext", "minimize.rs", 200, &["convert.rs", "document.rs", "format.rs", "loss.rs", "spelling", "tree"]),
    room("richtext", "names", 650, &["diagnostic.rs", "document.rs", "format.rs", "tree", "values"]),
    room("richtext", "plainer.rs", 250, &["compare", "tree", "values"]),
    room("richtext", "section", 450, &["document.rs", "format.rs", "keeping.rs", "legal.rs", "loss.rs", "markdown", "merge", "names", "sidecar", "spelling", "tree", "unshown.rs", "values"]),
    room("richtext", "sidecar", 1050, &["adf", "compare", "diagnostic.rs", "document.rs", "format.rs", "graft.rs", "keeping.rs", "legal.rs", "loss.rs", "markdown", "matching.rs", "merge", "names", "spelling", "storage", "tree", "unshown.rs"]),
    room("richtext", "spelling", 100, &["adf", "diagnostic.rs", "format.rs", "markdown", "storage", "tree", "wiki"]),
    room("richtext", "storage", 5750, &["adf", "diagnostic.rs", "format.rs", "plainer.rs", "spelling", "tree", "values"]),
    room("richtext", "tree", 1050, &["diagnostic.rs"]),
    room("richtext", "unshown.rs", 200, &["diagnostic.rs", "format.rs", "loss.rs", "names", "tree", "values"]),
    room("richtext", "values", 1150, &[]),
    room("richtext", "wiki", 4750, &["adf", "diagnostic.rs", "empty_lines.rs", "format.rs", "plainer.rs", "spelling", "tree", "values"]),
    // inspect
    room("inspect", "lint", 1050, &[]),
    room("inspect", "tokens", 600, &[]),
    // cli
    room("cli", "args", 650, &["atlassian", "convert", "patterns.rs", "serve"]),
    room("cli", "arguments", 500, &[]),
    room("cli", "atlassian", 900, &[]),
    room("cli", "completion", 750, &["args", "arguments"]),
    room("cli", "convert", 800, &[]),
    room("cli", "demo", 300, &["demo/jira.rs"]),
    room("cli", "demo/jira.rs", 150, &[]),
    room("cli", "dev", 2450, &["args", "dev/build.rs", "dev/build_process.rs", "dev/changes.rs", "dev/child.rs", "dev/set_up.rs", "dev/signals.rs", "dev/watch.rs"]),
    room("cli", "dev/build.rs", 100, &["exit", "quote"]),
    room("cli", "dev/build_process.rs", 150, &["dev/child.rs"]),
    room("cli", "dev/changes.rs", 150, &[]),
    room("cli", "dev/child.rs", 150, &[]),
    room("cli", "dev/set_up.rs", 100, &[]),
    room("cli", "dev/signals.rs", 100, &[]),
    room("cli", "dev/watch.rs", 150, &[]),
    room("cli", "elicit", 450, &[]),
    room("cli", "install", 850, &["args"]),
    room("cli", "serve", 350, &["patterns.rs", "serve/atlassian.rs", "serve/library.rs", "serve/served.rs", "serve/site.rs"]),
    room("cli", "serve/atlassian.rs", 300, &["atlassian", "serve/library.rs", "serve/served.rs", "serve/site.rs"]),
    room("cli", "serve/library.rs", 150, &[]),
    room("cli", "serve/served.rs", 250, &[]),
    room("cli", "serve/site.rs", 150, &["serve/library.rs"]),
    room("cli", "shell", 650, &["args", "completion", "elicit"]),
];
