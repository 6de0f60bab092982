//! The rule that says which requests may be made again although the server may already have processed them.
//! It applies to all transports.
//!
//! In: a method, and the server's annotations of its tools. Out: whether a second request does no harm. A
//! tool counts as harmful unless its annotations say otherwise; a method that the protocol does not define
//! always counts as harmful.

use plainwire_proto::model::ToolAnnotations;

/// Returns whether a request may be made twice. `name` is that of the tool in a `tools/call`; `is_harmless`
/// is called with it.
pub(crate) fn is_replayable(
    method: &str,
    name: Option<&str>,
    is_harmless: impl FnOnce(&str) -> bool,
) -> bool {
    match method {
        "tools/call" => name.is_some_and(is_harmless),
        // These only read, or set a value that a second request sets to the same value.
        "completion/complete"
        | "initialize"
        | "logging/setLevel"
        | "ping"
        | "prompts/get"
        | "prompts/list"
        | "resources/list"
        | "resources/read"
        | "resources/subscribe"
        | "resources/templates/list"
        | "resources/unsubscribe"
        | "server/discover"
        | "subscriptions/listen"
        | "tools/list" => true,
        _ => false,
    }
}

/// Returns whether `hints`, the server's annotations of a tool, say that a call changes nothing, or that a
/// second call changes nothing more.
pub(crate) fn is_harmless(hints: Option<&ToolAnnotations>) -> bool {
    let says = |hint: Option<bool>| hint == Some(true);
    hints.is_some_and(|hints| says(hints.read_only_hint) || says(hints.idempotent_hint))
}
