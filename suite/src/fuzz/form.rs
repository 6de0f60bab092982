//! Fuzz target for forms: a form that is written for a revision can be read and gives the same text again,
//! accepted answers fit, and errors are short.

use plainwire::proto::form::Form;
use plainwire::proto::revision::Revision;
use serde_json::{Map, Value};

/// Reads a schema from the first line and an answer from the second line. Up to eight further lines are what
/// a user types into the fields.
pub fn form(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.split('\n');
    let form = match Form::parse(lines.next().unwrap_or_default()) {
        Ok(form) => form,
        Err(why) => return is_short(&why),
    };
    assert!(form.fields.len() <= Form::MAX_FIELDS);
    for revision in Revision::ALL {
        let mut out = Vec::new();
        match form.write(&mut out, revision) {
            Ok(()) => again(&form, &out, revision),
            Err(unsupported) => {
                is_short(&unsupported.to_string());
                assert!(out.is_empty(), "{}", String::from_utf8_lossy(&out));
            }
        }
    }
    if let Ok(Value::Object(answer)) = serde_json::from_str(lines.next().unwrap_or_default()) {
        answered(&form, answer);
    }
    for line in lines.take(8) {
        typed(&form, line);
    }
}

/// Checks that a form that was written for `revision` can be read, and that writing it again gives the same
/// text. Older revisions leave out parts, but the names of the fields stay.
fn again(form: &Form, written: &[u8], revision: Revision) {
    let text = std::str::from_utf8(written).expect("UTF-8 is written");
    assert!(!text.contains(['\n', '\r']), "{text}");
    let read = Form::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
    let mut twice = Vec::new();
    read.write(&mut twice, revision).unwrap_or_else(|why| panic!("{text}: {why}"));
    assert_eq!(text, String::from_utf8_lossy(&twice));
    let names = |form: &Form| form.fields.iter().map(|it| (it.name.clone(), it.required)).collect::<Vec<_>>();
    assert_eq!(names(&read), names(form), "{text}");
}

fn answered(form: &Form, answer: Map<String, Value>) {
    match form.check(&answer) {
        Ok(()) => {
            let filled = form.with_defaults(answer);
            assert_eq!(form.with_defaults(filled.clone()), filled);
            let required = form.fields.iter().filter(|field| field.required);
            required.for_each(|field| assert!(filled.contains_key(&field.name), "{filled:?}"));
        }
        Err(why) => is_short(&why),
    }
}

/// Checks for each field: if `line` can be read as a value of the field, the value fits the field.
fn typed(form: &Form, line: &str) {
    for field in &form.fields {
        match field.read(line) {
            Ok(Some(value)) if line.trim().is_empty() => assert_eq!(Some(value), field.default_value()),
            Ok(Some(value)) => assert_eq!(field.check(&value), Ok(()), "{line:?} for {field:?}"),
            Ok(None) => assert!(line.trim().is_empty() && !field.required, "{line:?} for {field:?}"),
            Err(why) => is_short(&why),
        }
    }
}

fn is_short(why: &str) {
    assert!(why.chars().count() <= 1000 && !why.contains('\n'), "{why}");
}
