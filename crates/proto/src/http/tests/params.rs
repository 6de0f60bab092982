//! Tests of arguments in headers: valid and invalid annotations in schemas, and calls whose headers agree
//! with the body or do not.
//!
//! Source: 2026-07-28 `streamable-http` "Custom Headers from Tool Parameters"; conformance
//! `http-custom-header-server-validation`.

use serde_json::{Value, json};

use super::*;

fn annotated(name: &str, kind: &str) -> Value {
    json!({ "type": kind, "x-mcp-header": name })
}

fn tool() -> Vec<ParamHeader> {
    let schema = json!({ "type": "object", "properties": {
        "region": annotated("Region", "string"),
        "count": annotated("Count", "integer"),
        "deep": { "type": "object", "properties": { "flag": annotated("Flag", "boolean") } },
        "query": { "type": "string" },
    }});
    param_headers(&schema).expect("a schema that is in order")
}

#[test]
fn finds_annotations_along_properties() {
    let found: Vec<_> =
        tool().iter().map(|it| format!("{} {} {:?}", it.header, it.path.join("/"), it.kind)).collect();
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(
        sorted,
        [
            "mcp-param-count count Integer",
            "mcp-param-flag deep/flag Boolean",
            "mcp-param-region region String"
        ]
    );
    assert_eq!(param_headers(&json!(true)), Ok(vec![]));
}

#[test]
fn refuses_annotations_that_no_client_could_follow() {
    let properties = |it: Value| json!({ "type": "object", "properties": it });
    let a = || annotated("A", "string");
    let mut deep = a();
    for _ in 0..200 {
        deep = properties(json!({ "d": deep }));
    }
    for (schema, ok) in [
        // The header name MUST NOT be empty, is a token, and has no control characters.
        (properties(json!({ "a": annotated("", "string") })), false),
        (properties(json!({ "a": annotated("a b", "string") })), false),
        (properties(json!({ "a": annotated("a\r\nb", "string") })), false),
        (properties(json!({ "a": annotated("a:", "string") })), false),
        (properties(json!({ "a": annotated("é", "string") })), false),
        (properties(json!({ "a": { "type": "string", "x-mcp-header": 7 } })), false),
        (properties(json!({ "a": annotated("a!#$%&'*+-.^_`|~9", "string") })), true),
        // The header names of a schema are unique, ignoring case.
        (properties(json!({ "a": annotated("A", "string"), "b": annotated("a", "string") })), false),
        (properties(json!({ "a": annotated("A", "string"), "b": properties(json!({ "c": a() })) })), false),
        // The annotated property has a primitive type other than `number`.
        (properties(json!({ "a": annotated("A", "number") })), false),
        (properties(json!({ "a": annotated("A", "object") })), false),
        (properties(json!({ "a": annotated("A", "array") })), false),
        (properties(json!({ "a": annotated("A", "null") })), false),
        (properties(json!({ "a": { "x-mcp-header": "A" } })), false),
        (properties(json!({ "a": { "x-mcp-header": "A", "$ref": "#/$defs/a" } })), false),
        (properties(json!({ "a": { "x-mcp-header": "A", "type": ["string", "null"] } })), true),
        (properties(json!({ "a": { "x-mcp-header": "A", "type": ["null", "integer"] } })), true),
        (properties(json!({ "a": { "x-mcp-header": "A", "type": ["string", "integer"] } })), false),
        (a(), false),
        // The annotated property is reached through `properties` only.
        (json!({ "items": a() }), false),
        (json!({ "oneOf": [a()] }), false),
        (json!({ "anyOf": [properties(json!({ "a": a() }))] }), false),
        (json!({ "allOf": [a()] }), false),
        (json!({ "not": a() }), false),
        (json!({ "if": a() }), false),
        (json!({ "then": a() }), false),
        (json!({ "else": a() }), false),
        (json!({ "additionalProperties": a() }), false),
        (json!({ "patternProperties": { "x": a() } }), false),
        (json!({ "$defs": { "x": properties(json!({ "a": a() })) } }), false),
        (properties(json!({ "a": { "type": "array", "items": properties(json!({ "b": a() })) } })), false),
        (json!({ "prefixItems": [a()] }), false),
        // An `x-mcp-header` in data, or as the name of a property, is no annotation.
        (json!({ "default": a(), "const": a(), "enum": [a()], "examples": [a()] }), true),
        (properties(json!({ "x-mcp-header": { "type": "string" } })), true),
        (json!({ "$defs": { "x-mcp-header": { "type": "string" } } }), true),
        (deep, false),
    ] {
        assert_eq!(param_headers(&schema).is_ok(), ok, "{schema}");
    }
}

#[test]
fn reads_the_text_of_a_schema_only_for_an_annotation_and_within_a_limit() {
    let schema = |keyword: &str, length: usize| {
        let fixed = format!(r#"{{"properties":{{"a":{{"type":"string","{keyword}":"A"}}}},"title":""}}"#);
        let at = fixed.len() - 2;
        format!("{}{}{}", &fixed[..at], "x".repeat(length - fixed.len()), &fixed[at..])
    };
    const MOST: usize = 256 << 10;
    let a =
        ParamHeader { header: "mcp-param-a".to_owned(), path: vec!["a".to_owned()], kind: Primitive::String };
    for keyword in ["x-mcp-header", "x\\u002Dmcp-header", "x-mcp-h\\u0065ader", "\\u0078-mcp-header"] {
        assert_eq!(param_headers_of(&schema(keyword, MOST)), Ok(vec![a.clone()]), "{keyword}");
        let why = "expected a schema with `x-mcp-header` to have at most 262144 bytes, but found 262145";
        assert_eq!(param_headers_of(&schema(keyword, MOST + 1)), Err(why.to_owned()), "{keyword}");
    }
    // Escapes that are common in other texts.
    for keyword in ["title", "\\u00e9", "\\u0026\\u003c\\u2013"] {
        assert_eq!(param_headers_of(&schema(keyword, MOST + 1)), Ok(vec![]), "{keyword}");
    }
    let deep = format!("{}{}", r#"{"properties":{"x-mcp-header":"#.repeat(200), "}".repeat(400));
    assert!(param_headers_of(&deep).is_err(), "a schema that can't be read");
}

#[test]
fn the_headers_of_a_tool_have_a_limit_in_bytes() {
    // The path counts with each argument at its end: 10 times 4,000 bytes, `0` and `mcp-param-h0`.
    let schema = |rest: usize| {
        let inner: serde_json::Map<String, Value> =
            (0..10).map(|n| (n.to_string(), annotated(&format!("H{n}"), "string"))).collect();
        json!({ "properties": {
            "o".repeat(4_000): { "properties": inner },
            "r".repeat(rest - "mcp-param-r".len()): annotated("R", "boolean"),
        } })
    };
    const REST: usize = (64 << 10) - 10 * 4_013;
    assert_eq!(param_headers(&schema(REST)).map(|found| found.len()), Ok(11));
    let why = "expected the headers of a tool, with the paths to their arguments, to have at most 65536 bytes, but found more";
    assert_eq!(param_headers(&schema(REST + 1)).map(|found| found.len()), Err(why.to_owned()));
}

#[test]
fn headers_say_what_the_arguments_say() {
    let region = |value| ("Mcp-Param-Region", value);
    let count = |value| ("mcp-param-count", value);
    let cases: [(&str, Pairs<'_>, bool); 42] = [
        (r#"{"region":"eu"}"#, &[region("eu")], true),
        (r#"{"region":"eu"}"#, &[region("  eu\t")], true),
        (r#"{"region":"eu"}"#, &[region("EU")], false),
        (r#"{"region":"eu"}"#, &[region("eu"), region("eu")], true),
        (r#"{"region":"eu"}"#, &[region("eu"), region("us")], false),
        // The server MUST reject a call with a value in the body but without the header. It MUST NOT expect a
        // header for a null or missing argument.
        (r#"{"region":"eu"}"#, &[], false),
        (r#"{"region":null}"#, &[], true),
        ("{}", &[], true),
        (r#"{"query":"x"}"#, &[], true),
        (r#"{"region":""}"#, &[], false),
        (r#"{"region":""}"#, &[region("")], true),
        // A header for a null or missing argument is refused.
        (r#"{"region":null}"#, &[region("eu")], false),
        ("{}", &[region("eu")], false),
        ("{}", &[region("")], false),
        // A header that the schema does not declare is ignored.
        ("{}", &[("Mcp-Param-Other", "x")], true),
        // Values in base64: conformance `http-custom-header-server-validation`.
        (r#"{"region":"Hello"}"#, &[region("=?base64?SGVsbG8=?=")], true),
        (r#"{"region":"Hello"}"#, &[region("=?base64?SGVsbG8?=")], false),
        (r#"{"region":"Hello"}"#, &[region("=?base64?SGVs!!!bG8=?=")], false),
        (r#"{"region":"SGVsbG8="}"#, &[region("SGVsbG8=")], true),
        (r#"{"region":"=?base64?SGVsbG8="}"#, &[region("=?base64?SGVsbG8=")], true),
        (r#"{"region":"é"}"#, &[region("é")], false),
        (r#"{"region":"\u00e9"}"#, &[region("=?base64?w6k=?=")], true),
        (r#"{"region":"a\nb"}"#, &[region("a\nb")], false),
        // Numbers are compared by value.
        (r#"{"count":42}"#, &[count("42")], true),
        (r#"{"count":42}"#, &[count("42.0")], true),
        (r#"{"count":42.0}"#, &[count("42")], true),
        (r#"{"count":4.2e1}"#, &[count("=?base64?NDI=?=")], true),
        (r#"{"count":-7}"#, &[count("-7")], true),
        (r#"{"count":0}"#, &[count("-0")], true),
        (r#"{"count":42}"#, &[count("43")], false),
        (r#"{"count":42}"#, &[count("+42")], false),
        (r#"{"count":42}"#, &[count("42.5")], false),
        (r#"{"count":42.5}"#, &[count("42.5")], false),
        (r#"{"count":9007199254740991}"#, &[count("9007199254740991")], true),
        (r#"{"count":9007199254740992}"#, &[count("9007199254740992")], false),
        (r#"{"count":-9007199254740992}"#, &[count("-9007199254740992")], false),
        // Arguments in nested objects, and of each type.
        (r#"{"deep":{"flag":true}}"#, &[("Mcp-Param-Flag", "true")], true),
        (r#"{"deep":{"flag":true}}"#, &[("Mcp-Param-Flag", "True")], false),
        (r#"{"deep":{"flag":true}}"#, &[], false),
        (r#"{"deep":7}"#, &[], true),
        (r#"{"region":["eu"]}"#, &[region("eu")], false),
        // A member that appears twice: two programs may read it as two different calls.
        (r#"{"region":"eu","\u0072egion":"us"}"#, &[region("us")], false),
    ];
    let tool = tool();
    for (arguments, headers, ok) in cases {
        let found = check_params(&tool, Some(arguments), headers);
        assert_eq!(found.is_ok(), ok, "{arguments} {headers:?} {found:?}");
        if let Err(error) = found {
            assert_eq!(error.kind(), &ErrorKind::HeaderMismatch);
        }
    }
    assert_eq!(check_params(&tool, None, [("a", "b")].as_slice()), Ok(()));
    assert!(check_params(&tool, None, [region("eu")].as_slice()).is_err());
}

#[test]
fn values_are_encoded_as_the_specification_shows() {
    for (text, value) in [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("\tx", "=?base64?CXg=?="),
        ("x ", "=?base64?eCA=?="),
        ("a\tb c", "a\tb c"),
        ("=?base64?open", "=?base64?open"),
        ("\u{7f}", "=?base64?fw==?="),
        ("", ""),
        // The prefix and the suffix of the encoding overlap in this value. It counts as a value that looks
        // encoded, so it is encoded.
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
    ] {
        assert_eq!(encode_value(text), value);
        assert_eq!(decode_value(value).as_deref(), Ok(text));
    }
    assert_eq!(decode_value("=?base64??=").as_deref(), Ok(""));
}

#[test]
fn a_client_sends_what_a_server_takes() {
    let arguments = r#"{"region":" Zürich","count":4.0,"deep":{"flag":false},"query":"x"}"#;
    let mut values = param_values(&tool(), Some(arguments)).expect("values");
    assert_eq!(check_params(&tool(), Some(arguments), values.as_slice()), Ok(()));
    values.sort();
    let pairs: Vec<_> = values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        pairs,
        [
            ("mcp-param-count", "4"),
            ("mcp-param-flag", "false"),
            ("mcp-param-region", "=?base64?IFrDvHJpY2g=?="),
        ]
    );
    assert_eq!(param_values(&tool(), Some(r#"{"region":null}"#)), Ok(vec![]));
    assert_eq!(param_values(&tool(), None), Ok(vec![]));
    assert!(param_values(&tool(), Some(r#"{"count":1e300}"#)).is_err());
}
