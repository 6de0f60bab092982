//! Tests of modern requests: each required field and header, and which of several errors is reported.

use super::*;

const METHOD_LIST: (&str, &str) = (METHOD, "tools/list");

/// Returns `ok` if the request is accepted, and otherwise the status and the error code.
fn verdict(frame: &str, headers: Pairs<'_>, endpoint: Endpoint<'_>) -> String {
    let Ok(Message::Request { method, params, .. }) = parse(frame) else { panic!("no request: {frame}") };
    let method = method.string(frame).expect("a string");
    match check_modern(frame, &method, &params, headers, endpoint) {
        Ok(()) => "ok".to_owned(),
        Err(refusal) => {
            assert_eq!(refusal.revision, Revision::NEWEST);
            code(&refusal)
        }
    }
}

#[track_caller]
fn check(frame: &str, headers: Pairs<'_>, expected: &str) {
    assert_eq!(verdict(frame, headers, ALL), expected, "{frame} {headers:?}");
}

fn with_meta(meta: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{{meta}}}}}}}"#)
}

#[test]
fn the_fields_of_meta_come_first() {
    // Conformance `server-stateless`: a missing field is -32602, whatever the headers are. `clientInfo` may
    // be missing.
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    for headers in [&[V26, METHOD_LIST][..], &[], &[V25C]] {
        check(&with_meta(""), headers, "400 -32602");
        check(&with_meta(version), headers, "400 -32602");
        check(&with_meta(capabilities), headers, "400 -32602");
        check(
            &with_meta(&format!(r#"{version},"io.modelcontextprotocol/clientCapabilities":[]"#)),
            headers,
            "400 -32602",
        );
        let number = r#""io.modelcontextprotocol/protocolVersion":20260728"#;
        check(&with_meta(&format!("{number},{capabilities}")), headers, "400 -32602");
    }
    check(&with_meta(&format!("{version},{capabilities}")), &[V26, METHOD_LIST], "ok");
}

#[test]
fn the_header_has_the_version_of_the_body_and_then_it_is_served() {
    let of = |version: &str| {
        with_meta(&format!(
            r#""io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}"#
        ))
    };
    check(&of("2026-07-28"), &[METHOD_LIST], "400 -32020");
    check(&of("2026-07-28"), &[V25C, METHOD_LIST], "400 -32020");
    check(&of("2026-07-28"), &[V26, V25C, METHOD_LIST], "400 -32020");
    check(&of("2026-07-28"), &[(VERSION, "\t2026-07-28 "), METHOD_LIST], "ok");
    // A wrong header is reported before a version that is not served.
    check(&of("2099-01-01"), &[V26, METHOD_LIST], "400 -32020");
    check(&of("2099-01-01"), &[UNKNOWN], "400 -32022");
    // In `_meta`, the version of a legacy revision counts as not served.
    check(&of("2025-11-25"), &[V25C, METHOD_LIST], "400 -32022");
    let old = Endpoint { revisions: &[Revision::V2025_11_25] };
    assert_eq!(verdict(&of("2026-07-28"), &[V26, METHOD_LIST], old), "400 -32022");
}

#[test]
fn the_header_has_the_method_of_the_body() {
    // Conformance `http-header-validation`.
    let list = modern("tools/list", "");
    for (value, expected) in [
        ("tools/list", "ok"),
        ("  tools/list\t ", "ok"),
        ("prompts/list", "400 -32020"),
        ("TOOLS/LIST", "400 -32020"),
        ("", "400 -32020"),
        // Only the headers for names and parameters may be in base64.
        ("=?base64?dG9vbHMvbGlzdA==?=", "400 -32020"),
    ] {
        check(&list, &[V26, ("MCP-METHOD", value)], expected);
    }
    check(&list, &[V26], "400 -32020");
    check(&list, &[V26, METHOD_LIST, METHOD_LIST], "ok");
    check(&list, &[V26, METHOD_LIST, (METHOD, "ping")], "400 -32020");
    // A header that is not ASCII is refused, although the body has the same text.
    check(&modern("é", ""), &[V26, (METHOD, "é")], "400 -32020");
}

#[test]
fn the_header_has_the_name_of_the_body() {
    let call = modern("tools/call", r#","name":"a b""#);
    let m = (METHOD, "tools/call");
    for (value, expected) in [
        ("a b", "ok"),
        (" \ta b\t ", "ok"),
        ("=?base64?YSBi?=", "ok"),
        ("A b", "400 -32020"),
        ("a%20b", "400 -32020"),
        ("=?BASE64?YSBi?=", "400 -32020"),
        ("=?base64?YSB?=", "400 -32020"),
        ("=?base64?/w==?=", "400 -32020"),
    ] {
        check(&call, &[V26, m, ("Mcp-Name", value)], expected);
    }
    check(&call, &[V26, m], "400 -32020");
    check(&call, &[V26, m, (NAME, "a b"), (NAME, "b")], "400 -32020");
    let escaped = modern("tools/call", r#","name":"caf\u00e9""#);
    check(&escaped, &[V26, m, (NAME, "=?base64?Y2Fmw6k=?=")], "ok");
    check(&escaped, &[V26, m, (NAME, "café")], "400 -32020");
}

#[test]
fn each_method_has_its_source_of_the_name() {
    let both = r#","name":"n","uri":"u""#;
    for (method, source) in [("tools/call", "n"), ("prompts/get", "n"), ("resources/read", "u")] {
        for name in ["n", "u"] {
            let expected = if name == source { "ok" } else { "400 -32020" };
            check(&modern(method, both), &[V26, (METHOD, method), (NAME, name)], expected);
        }
    }
    // For other methods, `Mcp-Name` is not needed, and is ignored if it is sent.
    check(&modern("tools/list", both), &[V26, METHOD_LIST], "ok");
    check(&modern("tools/list", both), &[V26, METHOD_LIST, (NAME, "x")], "ok");
}

#[test]
fn a_name_that_the_body_lacks_is_left_to_the_method() {
    let m = (METHOD, "tools/call");
    check(&modern("tools/call", ""), &[V26, m], "ok");
    check(&modern("tools/call", r#","name":7"#), &[V26, m], "ok");
    check(&modern("tools/call", ""), &[V26, m, (NAME, "x")], "400 -32020");
}
