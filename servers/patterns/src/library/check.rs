//! Reading a data file: either a whole library, or every mistake with its place.
//!
//! In: the text of a file. Out: its patterns. The form is that of `docs/patterns.md`. Its members are in [`super::form`], and
//! [`super::place`] finds the places of values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use plainwire::proto::json::shorten;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Pattern;
use super::form::{FILE, Field, Form, PATTERN};
use super::place::{Members, members, offset, part, value};

/// The largest data file, in bytes.
pub const MAX_FILE: usize = 64 << 20;

/// The largest number of patterns in a file.
pub const MAX_PATTERNS: usize = 100_000;

/// The largest number of characters of an id, and of the name of a category.
const MAX_NAME: usize = 200;

/// The largest number of mistakes that are kept.
const MAX_MISTAKES: usize = 1_000;

/// A mistake in a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line on which the value begins, from 1; 0 if the mistake is in no line, as that of a file that is missing.
    pub line: usize,
    /// The path in the file, such as `patterns[3].title`.
    pub place: String,
    /// The sentence: the value that is expected there, and the one that is found.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        match self.place.is_empty() {
            true => f.write_str(&self.message),
            false => write!(f, "{}: {}", self.place, self.message),
        }
    }
}

/// A data file without mistakes.
#[derive(Debug)]
pub(super) struct DataFile {
    pub(super) source: Option<String>,
    pub(super) patterns: Vec<Pattern>,
}

/// Reads a data file.
///
/// # Errors
/// Every mistake, in the order of the file; at least one.
pub(super) fn read(text: &str) -> Result<DataFile, Vec<Mistake>> {
    let json = text.trim_start_matches('\u{feff}');
    let mut report = Report { text: json, records: Vec::new(), members: Members::new(), found: Vec::new() };
    if text.len() > MAX_FILE {
        report.at(0, "", format!("expected at most {MAX_FILE} bytes, but found {}", text.len()));
        return Err(report.mistakes());
    }
    match members(json) {
        Ok(members) => report.members = members,
        Err(broken) => {
            report.at(broken.offset, "", broken.message);
            return Err(report.mistakes());
        }
    }
    report.find_records();
    let head = report.head();
    let values = report.values();
    report.own_ids(&values);
    report.categories(&values);
    let known: BTreeSet<&str> = values.iter().filter_map(|it| it["id"].as_str()).collect();
    for (at, value) in values.iter().enumerate().filter(|(_, it)| !it.is_null()) {
        let place = format!("patterns[{at}]");
        report.record(value, PATTERN, &[], &place);
        for (nth, id) in value["related"].as_array().into_iter().flatten().enumerate() {
            if let Some(id) = id.as_str().filter(|id| !known.contains(id)) {
                let hint = "an id of a pattern in this file (others belong into `relatedUnresolved`)";
                report.add(&format!("{place}.related[{nth}]"), format!("expected {hint}, but found {id:?}"));
            }
        }
    }
    if !report.found.is_empty() {
        return Err(report.mistakes());
    }
    let mut patterns = Vec::with_capacity(values.len());
    for (at, value) in values.into_iter().enumerate() {
        match Pattern::deserialize(value) {
            Ok(pattern) => patterns.push(pattern),
            Err(error) => report.add(&format!("patterns[{at}]"), error.to_string()),
        }
    }
    if !report.found.is_empty() {
        return Err(report.mistakes());
    }
    patterns.sort_by(|a: &Pattern, b| a.id.cmp(&b.id));
    Ok(DataFile { source: head["source"].as_str().map(str::to_owned), patterns })
}

/// A file that is being read, and the mistakes that were found in it, with their offsets.
struct Report<'a> {
    text: &'a str,
    members: Members<'a>,
    records: Vec<&'a RawValue>,
    found: Vec<(usize, Mistake)>,
}

impl<'a> Report<'a> {
    /// Adds a mistake at a path.
    fn add(&mut self, place: &str, message: impl Into<String>) {
        let inside = place.strip_prefix("patterns[").and_then(|it| it.split_once(']'));
        let record = inside
            .and_then(|(at, rest)| Some((self.records.get(at.parse::<usize>().ok()?)?, rest)))
            .map(|(record, rest)| part(record.get(), rest));
        let value = record.or_else(|| self.members.get(place).map(|it| it.get()));
        self.at(value.map_or(0, |it| offset(self.text, it)), place, message);
    }

    fn at(&mut self, offset: usize, place: &str, message: impl Into<String>) {
        if self.found.len() < MAX_MISTAKES {
            let mistake = Mistake { line: 0, place: place.to_owned(), message: message.into() };
            self.found.push((offset, mistake));
        }
    }

    /// Returns the mistakes in the order of the file, with their lines.
    fn mistakes(mut self) -> Vec<Mistake> {
        self.found.sort_by_key(|it| it.0);
        let (mut line, mut seen) = (1, 0);
        let numbered = self.found.into_iter().map(|(offset, mistake)| {
            line += self.text.as_bytes()[seen..offset].iter().filter(|&&it| it == b'\n').count();
            seen = offset;
            Mistake { line, ..mistake }
        });
        numbered.collect()
    }

    fn find_records(&mut self) {
        let list = self.members.get("patterns").map(|it| serde_json::from_str::<Vec<&'a RawValue>>(it.get()));
        match list {
            Some(Ok(records)) if records.is_empty() => {
                self.add("patterns", "expected at least one pattern, but found none");
            }
            Some(Ok(records)) if records.len() > MAX_PATTERNS => self.add(
                "patterns",
                format!("expected at most {MAX_PATTERNS} patterns, but found {}", records.len()),
            ),
            Some(Ok(records)) => self.records = records,
            Some(Err(_)) => self.add("patterns", "expected a list of patterns, but found another value"),
            None => self.add("patterns", "expected a list of patterns, but found none"),
        }
    }

    /// Checks and returns the members around the patterns.
    fn head(&mut self) -> Value {
        let others: Vec<(String, &str)> = self
            .members
            .iter()
            .filter(|(name, _)| *name != "patterns")
            .map(|(name, raw)| (name.clone(), raw.get()))
            .collect();
        let head = Value::Object(
            others.into_iter().map(|(name, text)| (name.clone(), self.value(text, &name))).collect(),
        );
        self.record(&head, FILE, &["patterns"], "");
        let count = self.records.len();
        match head["count"].as_u64() {
            Some(said) if said != count as u64 && count > 0 => {
                self.add("count", format!("expected {count}, the number of patterns, but found {said}"));
            }
            _ => {}
        }
        head
    }

    /// Returns the patterns; `null` for those that can't be read.
    fn values(&mut self) -> Vec<Value> {
        let records = self.records.clone();
        records
            .iter()
            .enumerate()
            .map(|(at, raw)| self.value(raw.get(), &format!("patterns[{at}]")))
            .collect()
    }

    fn value(&mut self, text: &str, place: &str) -> Value {
        match value(text) {
            Ok(Value::Null) => {
                self.add(place, "expected a value, but found null");
                Value::Null
            }
            Ok(value) => value,
            Err(broken) => {
                self.at(offset(self.text, text) + broken.offset, place, broken.message);
                Value::Null
            }
        }
    }

    fn own_ids(&mut self, values: &[Value]) {
        let mut known = BTreeMap::new();
        for (at, id) in values.iter().enumerate().filter_map(|(at, it)| Some((at, it["id"].as_str()?))) {
            if let Some(first) = known.insert(id, at) {
                let message =
                    format!("expected an id of its own, but found {id:?}, which patterns[{first}] has too");
                self.add(&format!("patterns[{at}].id"), message);
            }
        }
    }

    /// Finds categories that differ only in small and capital letters.
    fn categories(&mut self, values: &[Value]) {
        let mut known = BTreeMap::new();
        for (at, category) in
            values.iter().enumerate().filter_map(|(at, it)| Some((at, it["category"].as_str()?)))
        {
            let (spelling, first) = *known.entry(category.to_lowercase()).or_insert((category, at));
            if spelling != category {
                let message =
                    format!("expected {spelling:?}, as in patterns[{first}], but found {category:?}");
                self.add(&format!("patterns[{at}].category"), message);
            }
        }
    }

    /// Checks the members of an object.
    ///
    /// `others` are names of members that are checked elsewhere.
    fn record(&mut self, value: &Value, fields: &'static [Field], others: &[&str], place: &str) {
        let Some(members) = value.as_object() else {
            return self.add(place, format!("expected an object, but found {}", shown(value)));
        };
        let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        for field in fields {
            match members.get(field.name) {
                // It was told of when it was read.
                Some(Value::Null) if place.is_empty() => {}
                Some(value) => self.field(value, field.form, &inside(field.name)),
                None if field.is_required => {
                    self.add(&inside(field.name), "expected a value, but found none")
                }
                None => {}
            }
        }
        let names: BTreeSet<&str> = fields.iter().map(|it| it.name).collect();
        for name in members.keys().filter(|name| !names.contains(&***name)) {
            let known = names.iter().chain(others).copied().collect::<Vec<_>>().join(", ");
            self.add(
                &inside(&shorten(name)),
                format!("expected one of {known}, but found a member of another name"),
            );
        }
    }

    fn field(&mut self, value: &Value, form: Form, place: &str) {
        match form {
            Form::Text if value.as_str().is_some_and(|it| !it.trim().is_empty()) => {}
            Form::Text => self.add(place, format!("expected a text, but found {}", shown(value))),
            Form::Line
                if value.as_str().is_some_and(|it| !it.trim().is_empty() && !it.contains(['\n', '\r'])) => {}
            Form::Line => self.add(place, format!("expected a text on one line, but found {}", shown(value))),
            Form::Name if value.as_str().is_some_and(is_name) => {}
            Form::Name => {
                let expected = "1 to 200 letters, digits, `-`, `_` and `.` (ASCII)";
                self.add(place, format!("expected {expected}, but found {}", shown(value)));
            }
            Form::OneOf(words) if value.as_str().is_some_and(|it| words.contains(&it)) => {}
            Form::OneOf(words) => {
                let words = words.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" or ");
                self.add(place, format!("expected {words}, but found {}", shown(value)));
            }
            Form::Number if value.as_u64().is_some() => {}
            Form::Number => {
                self.add(place, format!("expected a whole number from 0, but found {}", shown(value)))
            }
            Form::Lines => self.list(value, place, |this, value, place| this.field(value, Form::Line, place)),
            Form::Names => self.list(value, place, |this, value, place| this.field(value, Form::Name, place)),
            Form::Records(fields) => {
                self.list(value, place, |this, value, place| this.record(value, fields, &[], place))
            }
        }
    }

    fn list(&mut self, value: &Value, place: &str, each: impl Fn(&mut Self, &Value, &str)) {
        match value.as_array() {
            Some(values) => {
                values
                    .iter()
                    .enumerate()
                    .for_each(|(at, value)| each(self, value, &format!("{place}[{at}]")));
            }
            None => self.add(place, format!("expected a list, but found {}", shown(value))),
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_NAME
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "-_.".contains(it))
        && text.chars().any(|it| it.is_ascii_alphanumeric())
}

/// Returns a value for a message: short.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => shorten(&other.to_string()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id":"a","title":"A","category":"one","difficulty":"beginner","summary":"An A."}"#;

    fn mistakes(text: &str) -> Vec<String> {
        read(text).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_a_file_and_sorts_its_patterns() {
        let text = format!(
            "{{\"schema\":\"patterns:v1\",\"count\":2,\"patterns\":[\n{},\n{GOOD}\n]}}",
            GOOD.replace("\"a\"", "\"b\"")
        );
        let file = read(&text).expect("a library");
        assert_eq!(file.patterns.iter().map(|it| &*it.id).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn finds_every_mistake_with_its_place() {
        let text = r#"{"schema":"patterns:v2","count":3,"titel":1,"patterns":[
{"id":"a","title":" ","category":"one","difficulty":"expert","summary":"An A.","related":["a","z"]},
{"id":"a","title":"A","category":"o/e","difficulty":"beginner","summary":"An A.","tags":"x"},
7,
{"id":"c","title":"C","category":"one","difficulty":"beginner","summary":"C","examples":[{"language":"ts","cod":"x"}]}
]}"#;
        let expected = [
            "line 1: schema: expected \"patterns:v1\", but found \"patterns:v2\"",
            "line 1: count: expected 4, the number of patterns, but found 3",
            "line 1: titel: expected one of commit, count, license, schema, source, patterns, but found a member of another name",
            "line 2: patterns[0].title: expected a text on one line, but found \" \"",
            "line 2: patterns[0].difficulty: expected \"beginner\" or \"intermediate\" or \"advanced\", but found \"expert\"",
            "line 2: patterns[0].related[1]: expected an id of a pattern in this file (others belong into `relatedUnresolved`), but found \"z\"",
            "line 3: patterns[1].id: expected an id of its own, but found \"a\", which patterns[0] has too",
            "line 3: patterns[1].category: expected 1 to 200 letters, digits, `-`, `_` and `.` (ASCII), but found \"o/e\"",
            "line 3: patterns[1].tags: expected a list, but found \"x\"",
            "line 4: patterns[2]: expected an object, but found 7",
            "line 5: patterns[3].examples[0].code: expected a value, but found none",
            "line 5: patterns[3].examples[0].cod: expected one of code, language, section, but found a member of another name",
        ];
        assert_eq!(mistakes(text), expected);
    }

    #[test]
    fn a_file_over_the_limits_is_refused() {
        let large = " ".repeat(MAX_FILE + 1);
        assert_eq!(mistakes(&large), ["line 1: expected at most 67108864 bytes, but found 67108865"]);
        let many = format!(r#"{{"schema":"patterns:v1","patterns":[{}0]}}"#, "0,".repeat(MAX_PATTERNS));
        assert_eq!(mistakes(&many), ["line 1: patterns: expected at most 100000 patterns, but found 100001"]);
    }

    #[test]
    fn a_file_that_is_no_library_says_so() {
        for (text, expected) in [
            ("", "line 1: EOF while parsing a value"),
            ("[]", "line 1: invalid type: sequence, expected an object"),
            ("{\n\"schema\":\"patterns:v1\",\n\"patterns\":[", "line 3: EOF while parsing a list"),
            (r#"{"schema":"patterns:v1"}"#, "line 1: patterns: expected a list of patterns, but found none"),
            (
                "{\"schema\":\"patterns:v1\",\n\"patterns\":[]}",
                "line 2: patterns: expected at least one pattern, but found none",
            ),
            ("{\"schema\":\"a\",\n\"schema\":\"b\"}", "line 2: expected `schema` once, but found it twice"),
        ] {
            assert_eq!(mistakes(text), [expected]);
        }
    }

    #[test]
    fn a_mistake_is_on_the_line_of_its_value() {
        let pattern = |more: &str| {
            format!(
                "{{\"schema\":\"patterns:v1\",\"patterns\":[\n{},\n{more}]}}",
                GOOD.replace("\"a\"", "\"b\"")
            )
        };
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for (more, expected) in [
            (
                GOOD.replace(",\"title\":\"A\"", ",\n\"title\":\n\"\""),
                "line 5: patterns[1].title: expected a text on one line, but found \"\"",
            ),
            (
                GOOD.replace("}", ",\n\"examples\":[\n{\"language\":\"ts\",\n\"code\":7}]}"),
                "line 6: patterns[1].examples[0].code: expected a text, but found 7",
            ),
            (
                GOOD.replace("}", ",\n\"title\":\"B\"}"),
                "line 4: patterns[1]: expected `title` once, but found it twice",
            ),
            (
                GOOD.replace("}", ",\n\"examples\":[{\"language\":\"ts\",\"code\":\"x\",\n\"code\":\"y\"}]}"),
                "line 5: patterns[1]: expected `code` once, but found it twice",
            ),
            (
                GOOD.replace("}", &format!(",\n\"tags\":{deep}}}")),
                "line 4: patterns[1]: recursion limit exceeded",
            ),
            (GOOD.replace("An A.", r"\ud800"), "line 3: patterns[1]: unexpected end of hex escape"),
            ("null".to_owned(), "line 3: patterns[1]: expected a value, but found null"),
            (
                GOOD.replace("\"one\"", "\n\"One\""),
                "line 4: patterns[1].category: expected \"one\", as in patterns[0], but found \"One\"",
            ),
        ] {
            assert_eq!(mistakes(&pattern(&more)), [expected]);
        }
    }
}
