//! Tests of the codec: values in, their JSON in different revisions out.

use super::*;
use crate::json::MAX_VALUES;
use crate::model::{
    Content, InputMethod, InputRequired, MediaContent, RawJson, Resource, Tool, ToolAnnotations,
};

fn raw(json: &str) -> RawJson {
    serde_json::value::RawValue::from_string(json.to_owned()).expect("JSON")
}

fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn call(revision: Revision, result: &CallToolResult) -> String {
    written(|out| Encoder::new(revision, None).call_tool(out, result))
}

#[test]
fn sends_structured_content_as_text_too() {
    let result =
        CallToolResult { structured_content: Some(raw(r#"{"a":"b"}"#)), ..CallToolResult::default() };
    let text = r#""content":[{"type":"text","text":"{\"a\":\"b\"}"}]"#;
    assert_eq!(call(Revision::V2025_03_26, &result), format!("{{{text}}}"));
    assert_eq!(
        call(Revision::V2025_06_18, &result),
        format!("{{{text},\"structuredContent\":{{\"a\":\"b\"}}}}")
    );
}

#[test]
fn sends_structured_content_that_is_no_object_as_the_member_of_one_where_it_has_to_be_one() {
    let result = CallToolResult { structured_content: Some(raw("[1]")), ..CallToolResult::default() };
    let text = r#"{"content":[{"type":"text","text":"[1]"}]"#;
    assert_eq!(call(Revision::V2025_03_26, &result), format!("{text}}}"));
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        assert_eq!(call(revision, &result), format!(r#"{text},"structuredContent":{{"result":[1]}}}}"#));
    }
    assert_eq!(
        call(Revision::V2026_07_28, &result),
        r#"{"resultType":"complete","content":[{"type":"text","text":"[1]"}],"structuredContent":[1]}"#
    );
}

#[test]
fn says_in_other_words_what_a_revision_does_not_know() {
    let link = Resource {
        uri: "a://b".into(),
        name: "b".into(),
        description: Some("c".into()),
        ..Resource::default()
    };
    let sound =
        MediaContent { data: "AA==".into(), mime_type: "audio/wav".into(), ..MediaContent::default() };
    let block = |revision, block: &Content| written(|out| content(out, block, revision));
    assert_eq!(
        block(Revision::V2025_03_26, &Content::ResourceLink(link)),
        r#"{"type":"text","text":"b <a://b>: c"}"#
    );
    assert_eq!(
        block(Revision::V2024_11_05, &Content::Audio(sound.clone())),
        r#"{"type":"resource","resource":{"uri":"urn:plainwire:audio","mimeType":"audio/wav","blob":"AA=="}}"#
    );
    assert_eq!(
        block(Revision::V2025_03_26, &Content::Audio(sound)),
        r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#
    );
}

#[test]
fn keeps_schemas_to_the_letter() {
    let schema =
        r#"{"type":"object","$defs":{"z":{"$anchor":"q"}},"x-unknown":1,"properties":{"b":{},"a":{}}}"#;
    let it = Tool {
        annotations: Some(ToolAnnotations { read_only_hint: Some(true), ..ToolAnnotations::default() }),
        description: Some("d".into()),
        icons: Vec::new(),
        input_schema: raw(schema),
        meta: Some(raw(r#"{"k":1}"#)),
        name: "n".into(),
        output_schema: Some(raw(r#"{"type":"array"}"#)),
        title: Some("T".into()),
    };
    let entry = |revision| written(|out| tool(out, &it, revision));
    assert_eq!(
        entry(Revision::V2024_11_05),
        format!(r#"{{"name":"n","description":"d","inputSchema":{schema}}}"#)
    );
    assert_eq!(
        entry(Revision::V2025_11_25),
        format!(
            r#"{{"name":"n","title":"T","description":"d","inputSchema":{schema},"outputSchema":{{"type":"object","properties":{{"result":{{"type":"array"}}}},"required":["result"]}},"annotations":{{"readOnlyHint":true}},"_meta":{{"k":1}}}}"#
        )
    );
    assert!(entry(Revision::V2026_07_28).contains(r#""outputSchema":{"type":"array"}"#));
}

#[test]
fn an_output_schema_moves_into_that_of_an_object_where_it_means_the_same_there() {
    let listed = |schema: &str, revision| {
        let it = Tool {
            annotations: None,
            description: None,
            icons: Vec::new(),
            input_schema: raw("{}"),
            meta: None,
            name: String::new(),
            output_schema: Some(raw(schema)),
            title: None,
        };
        let text = written(|out| tool(out, &it, revision));
        text.strip_prefix(r#"{"name":"","inputSchema":{}"#).expect("the tool").to_owned()
    };
    let books = r##"{"$schema":"s","type":"array","items":{"$ref":"#/$defs/Book"},"$defs":{"Book":{"type":"object"}}}"##;
    let wrapped = r##"{"$schema":"s","type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/$defs/Book"}}},"required":["result"],"$defs":{"Book":{"type":"object"}}}"##;
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        assert_eq!(listed(books, revision), format!(r#","outputSchema":{wrapped}}}"#));
        assert_eq!(
            listed(r#"{ "type": ["integer", "null"] }"#, revision),
            r#","outputSchema":{"type":"object","properties":{"result":{"type":["integer", "null"]}},"required":["result"]}}"#
        );
        assert_eq!(listed(r#"{"type":"object"}"#, revision), r#","outputSchema":{"type":"object"}}"#);
        for left_out in [
            r#"{"anyOf":[{"type":"object"},{"type":"null"}]}"#,
            r#"{"type":["object","null"]}"#,
            r##"{"type":"array","items":{"$ref":"#"}}"##,
            r##"{"type":"array","items":{"$ref":"#/prefixItems/0"}}"##,
            r##"{"type":"array","items":{"$ref":"#/$defs"}}"##,
            r#"{"$id":"a:b","type":"array"}"#,
            r#"{}"#,
        ] {
            assert_eq!(listed(left_out, revision), "}", "{left_out}");
        }
    }
    assert_eq!(listed(books, Revision::V2025_03_26), "}");
    assert_eq!(listed(books, Revision::V2026_07_28), format!(r#","outputSchema":{books}}}"#));
}

#[test]
fn names_the_server_beside_the_authors_own_meta() {
    let encoder = Encoder::new(Revision::V2026_07_28, Some(&Implementation::new("s", "1")));
    let result = CallToolResult { meta: Some(raw("{ \"k\": 1 }")), ..CallToolResult::default() };
    assert_eq!(
        written(|out| encoder.call_tool(out, &result)),
        r#"{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"},"k": 1}}"#
    );
}

#[test]
fn questions_have_at_most_262_144_values() {
    let texts = |count: usize| vec![r#""""#; count].join(",");
    // The object, its three members and the text.
    let question = |texts: &str| format!(r#"{{"messages":[],"maxTokens":1,"stopSequences":[{texts}]}}"#);
    let (most, over) = (texts(MAX_VALUES - 5), texts(MAX_VALUES - 4));
    let read = |texts: &str| read_input_params(InputMethod::Sample, &question(texts));
    assert!(read(&most).is_ok());
    assert_eq!(
        read(&over).expect_err("too many").message(),
        "expected the parameters of `sampling/createMessage`, but found more than 262144 values (limit `MAX_VALUES`)"
    );
    let half = question(&texts(MAX_VALUES / 2));
    let asked = |name: &str| format!(r#""{name}":{{"method":"sampling/createMessage","params":{half}}}"#);
    let result = |questions: &[String]| format!(r#"{{"inputRequests":{{{}}}}}"#, questions.join(","));
    assert!(InputRequired::parse(&result(&[asked("a")])).is_ok());
    assert_eq!(
        InputRequired::parse(&result(&[asked("a"), asked("b")])).expect_err("too many").message(),
        "expected `inputRequests` to have at most 262144 values (limit `MAX_VALUES`), but found more"
    );
}

#[test]
fn reads_at_most_256_questions_of_a_result() {
    use crate::model::InputRequired;
    let result = |count: usize| {
        let questions: Vec<_> = (0..count).map(|n| format!(r#""{n}":{{"method":"roots/list"}}"#)).collect();
        format!(r#"{{"inputRequests":{{{}}}}}"#, questions.join(","))
    };
    let read = |count| InputRequired::parse(&result(count)).map(|it| it.requests.len());
    assert_eq!(read(256).expect("questions"), 256);
    let error = read(257).expect_err("too many").to_string();
    let expected = "expected `inputRequests` to be an object, but found more than 256 members";
    assert!(error.starts_with(expected), "{error}");
}
