//! Which requests may be made again although they may have had their effect: the one rule, for all transports.
//!
//! In: a method, and what the server says of its tools. A tool counts as harmful unless the server has said otherwise, and so
//! does a method that is none of the protocol's.

use plainwire_proto::model::ToolAnnotations;

/// Whether a request may be made twice. `is_harmless` is asked about tools.
pub(crate) fn is_replayable(
    method: &str,
    name: Option<&str>,
    is_harmless: impl FnOnce(&str) -> bool,
) -> bool {
    match method {
        "tools/call" => name.is_some_and(is_harmless),
        // They read, or set what is set then in any case.
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

/// Whether the server says that a call changes nothing, or nothing more.
pub(crate) fn is_harmless(hints: Option<&ToolAnnotations>) -> bool {
    let says = |hint: Option<bool>| hint == Some(true);
    hints.is_some_and(|hints| says(hints.read_only_hint) || says(hints.idempotent_hint))
}
