//! Tests of deriving forms from types, and of reading answers into them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use plainwire_proto::revision::Revision;
use serde::Deserialize;

use super::*;

/// Returns the properties of the form schema of `T` as they are sent on the wire.
fn properties<T: DeserializeOwned + JsonSchema>() -> Value {
    let mut out = Vec::new();
    of::<T>().expect("a form").write(&mut out, Revision::NEWEST).expect("supported");
    serde_json::from_slice::<Value>(&out).expect("JSON")["properties"].take()
}

fn required<T: DeserializeOwned + JsonSchema>() -> Vec<String> {
    let fields = of::<T>().expect("a form").fields.into_iter();
    fields.filter(|it| it.required).map(|it| it.name).collect()
}

fn answer<T: JsonSchema + DeserializeOwned>(content: Value) -> Result<T, String> {
    read(&of::<T>().expect("a form"), content.as_object().expect("an object"))
}

#[derive(Debug, Default, Deserialize, serde::Serialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Status {
    #[default]
    Active,
    Inactive,
    Pending,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Color {
    /// Like fire
    /// and blood.
    ///
    /// Not for walls.
    Red,
    /// Like grass.
    Green,
    Blue,
}

/// The form that the server for the conformance suite has to request.
#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct User {
    #[schemars(extend("default" = "John Doe"))]
    name: String,
    #[schemars(extend("default" = 30))]
    age: i64,
    #[schemars(extend("default" = 95.5))]
    score: f64,
    #[serde(default)]
    status: Status,
    #[schemars(extend("default" = true))]
    verified: bool,
}

#[test]
fn asks_in_the_order_of_the_declaration() {
    let names = |form: Form| form.fields.into_iter().map(|it| it.name).collect::<Vec<_>>();
    let form = of::<User>().expect("a form");
    assert_eq!(names(form), ["name", "age", "score", "status", "verified"]);
}

#[test]
fn derives_the_form_of_the_conformance_suite() {
    let expected = json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    });
    assert_eq!(properties::<User>(), expected);
    assert_eq!(required::<User>(), ["name", "age", "score", "verified"]);
    let form = of::<User>().expect("a form");
    let user = read::<User>(&form, &form.with_defaults(Map::new())).expect("a user");
    let expected =
        User { name: "John Doe".into(), age: 30, score: 95.5, status: Status::Active, verified: true };
    assert_eq!(user, expected);
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
#[schemars(transparent)]
struct Nickname(#[schemars(length(min = 2))] String);

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Everything {
    /// Where to write to.
    #[schemars(email, title = "Mail")]
    mail: String,
    #[schemars(url)]
    site: Option<String>,
    #[schemars(extend("format" = "date"))]
    day: Option<String>,
    #[schemars(range(min = 1, max = 9))]
    count: u8,
    nick: Box<Nickname>,
    /// The paint.
    color: Option<Color>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 2))]
    colors: Vec<Color>,
    set: Option<HashSet<Status>>,
    tree: BTreeSet<Status>,
    note: Option<String>,
    #[serde(default, rename = "yes")]
    sure: bool,
}

#[test]
fn derives_titles_bounds_formats_and_choices() {
    let titled = json!([{ "const": "Blue", "title": "Blue" }, { "const": "Red", "title": "Like fire and blood." }, { "const": "Green", "title": "Like grass." }]);
    let statuses = json!({ "type": "string", "enum": ["active", "inactive", "pending"] });
    let expected = json!({
        "mail": { "type": "string", "title": "Mail", "description": "Where to write to.", "format": "email" },
        "site": { "type": "string", "format": "uri" },
        "day": { "type": "string", "format": "date" },
        "count": { "type": "integer", "minimum": 1, "maximum": 9 },
        "nick": { "type": "string", "minLength": 2 },
        "color": { "type": "string", "description": "The paint.", "oneOf": titled },
        "colors": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "anyOf": titled } },
        "set": { "type": "array", "items": statuses },
        "tree": { "type": "array", "items": statuses },
        "note": { "type": "string" },
        "yes": { "type": "boolean", "default": false },
    });
    assert_eq!(properties::<Everything>(), expected);
    assert_eq!(required::<Everything>(), ["mail", "count", "nick", "tree"]);
}

#[test]
fn describes_a_field_by_its_own_words_before_those_of_its_type() {
    /// The kind of surface.
    #[derive(Deserialize, JsonSchema)]
    enum Paint {
        Matt,
    }
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Wall {
        /// Outside.
        front: Paint,
        rear: Paint,
    }
    let expected = json!({
        "front": { "type": "string", "description": "Outside.", "enum": ["Matt"] },
        "rear": { "type": "string", "description": "The kind of surface.", "enum": ["Matt"] },
    });
    assert_eq!(properties::<Wall>(), expected);
}

fn everything(with: Value) -> Result<Everything, String> {
    let mut content = json!({ "mail": "a@b", "count": 3, "nick": "ab", "tree": ["active"] });
    let members = content.as_object_mut().expect("an object");
    members.extend(with.as_object().cloned().expect("an object"));
    answer(content)
}

#[test]
fn reads_answers_into_the_type() {
    let read =
        everything(json!({ "count": 4.0, "note": null, "colors": ["Red"], "color": "Blue", "yes": null }));
    let expected = Everything {
        mail: "a@b".into(),
        site: None,
        day: None,
        count: 4,
        nick: Box::new(Nickname("ab".into())),
        color: Some(Color::Blue),
        colors: vec![Color::Red],
        set: None,
        tree: BTreeSet::from([Status::Active]),
        note: None,
        sure: false,
    };
    assert_eq!(read, Ok(expected));
}

#[test]
fn names_what_does_not_fit_the_type() {
    for (with, expected) in [
        (json!({ "count": 10 }), "expected `count` to be at most 9, but found 10"),
        (json!({ "mail": "nobody" }), "expected `mail` to be an email address, but found \"nobody\""),
        (
            json!({ "colors": ["Pink"] }),
            "expected `colors[0]` to be one of \"Blue\", \"Red\", \"Green\", but found \"Pink\"",
        ),
        (json!({ "nick": "a" }), "expected `nick` to have at least 2 characters, but found 1"),
        (json!({ "mail": null }), "expected `mail` to be an email address, but found null"),
    ] {
        assert_eq!(everything(with.clone()), Err(expected.to_owned()), "{with}");
    }
    // The range of `i8` is a constraint of the type that the form lacks.
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Odd {
        n: i8,
        s: Option<String>,
    }
    let mut form = of::<Odd>().expect("a form");
    form.fields[0].kind = FieldKind::Number { integer: true, minimum: None, maximum: None, default: None };
    let content = json!({ "n": 300 });
    assert_eq!(
        read::<Odd>(&form, content.as_object().expect("an object")),
        Err("expected `n` to be -128 to 127, but found 300".to_owned())
    );
}

#[test]
fn wraps_what_is_no_struct() {
    assert_eq!(properties::<bool>(), json!({ "value": { "type": "boolean" } }));
    assert_eq!(properties::<String>(), json!({ "value": { "type": "string" } }));
    assert_eq!(properties::<i64>(), json!({ "value": { "type": "integer" } }));
    assert_eq!(properties::<Status>()["value"]["enum"], json!(["active", "inactive", "pending"]));
    assert_eq!(required::<bool>(), ["value"]);
    assert_eq!(required::<Option<i64>>(), [""; 0]);
    assert_eq!(answer::<bool>(json!({ "value": true })), Ok(true));
    assert_eq!(answer::<i64>(json!({ "value": 3.0 })), Ok(3));
    assert_eq!(answer::<Color>(json!({ "value": "Green" })), Ok(Color::Green));
    assert_eq!(answer::<Vec<Color>>(json!({ "value": ["Green"] })), Ok(vec![Color::Green]));
    assert_eq!(answer::<Option<i64>>(json!({})), Ok(None));
    assert_eq!(
        answer::<String>(json!({ "value": 5 })),
        Err("expected `value` to be a string, but found 5".to_owned())
    );
}

#[test]
fn tells_a_struct_with_a_field_called_value_from_a_bare_one() {
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Wrapped {
        value: Option<i64>,
    }
    assert_eq!(answer::<Wrapped>(json!({ "value": 1 })), Ok(Wrapped { value: Some(1) }));
    assert_eq!(answer::<Wrapped>(json!({})), Ok(Wrapped { value: None }));
}

#[test]
fn makes_a_confirmation_of_what_has_no_fields() {
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Unit;
    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    struct Empty {}
    assert_eq!((properties::<Unit>(), properties::<Empty>()), (json!({}), json!({})));
    assert_eq!(answer::<Unit>(json!({})), Ok(Unit));
    assert_eq!(answer::<()>(json!({})), Ok(()));
    assert_eq!(answer::<Empty>(json!({})), Ok(Empty {}));
    assert_eq!(
        answer::<Empty>(json!({ "a": 1 })),
        Err("expected `content` to be empty, but found `a`".to_owned())
    );
}

#[expect(dead_code, reason = "only their schemas count")]
mod unfit {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Inner {
        a: bool,
    }
    #[derive(Deserialize, JsonSchema)]
    pub(super) enum Data {
        A(String),
        B,
    }
    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Of<T> {
        it: T,
    }
    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Recursive {
        next: Vec<Self>,
    }
    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Regex {
        #[schemars(regex(pattern = "^a"))]
        it: String,
    }
    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Unique {
        #[schemars(extend("format" = "uuid"))]
        it: String,
    }
}

#[test]
fn refuses_what_no_form_can_have() {
    use unfit::*;
    #[track_caller]
    fn check<T: DeserializeOwned + JsonSchema>(path: &str, found: &str) {
        let expected =
            format!("expected `{path}` to be a string, number, boolean or choice, but found {found}");
        assert_eq!(of::<T>(), Err(expected));
    }
    check::<Of<Inner>>("properties.it", "an object");
    check::<Of<Option<Inner>>>("properties.it", "an object");
    check::<Of<BTreeMap<String, bool>>>("properties.it", "an object");
    check::<Of<(i32, String)>>("properties.it", "an array without choices");
    check::<Of<Vec<String>>>("properties.it", "an array without choices");
    check::<Of<Data>>("properties.it", "one of several forms");
    check::<Data>("properties.value", "one of several forms");
    check::<Recursive>("properties.next", "an array without choices");
    assert_eq!(
        of::<BTreeMap<String, bool>>(),
        Err("expected a form to have named fields only, but found a map".to_owned())
    );
    assert_eq!(
        of::<Unique>(),
        Err("expected `properties.it` to ask for what forms know, but found `uuid`".to_owned())
    );
    assert_eq!(
        of::<Regex>(),
        Err("expected `properties.it` to ask for what forms know, but found `pattern`".to_owned())
    );
}
