//! Reading a data file: either a whole library, or every mistake with its place.
//!
//! In: the text of a file. Out: its patterns. The form is that of `docs/patterns.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use plainwire::proto::json::shorten;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Pattern;

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
    /// The line on which the record begins, from 1.
    pub line: usize,
    /// The path in the file, such as `patterns[3].title`.
    pub place: String,
    /// The sentence: the value that is expected there, and the one that is found.
    pub message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.is_empty() {
            true => write!(f, "line {}: {}", self.line, self.message),
            false => write!(f, "line {}: {}: {}", self.line, self.place, self.message),
        }
    }
}

/// A data file without mistakes.
#[derive(Debug)]
pub(super) struct DataFile {
    pub(super) source: Option<String>,
    pub(super) patterns: Vec<Pattern>,
}

/// The value of a field.
#[derive(Clone, Copy)]
enum Form {
    /// A text that is not blank.
    Text,
    /// A text that is not blank, on one line.
    Line,
    Lines,
    /// A text of letters, digits and `.-_`.
    Name,
    Names,
    OneOf(&'static [&'static str]),
    Number,
    Records(&'static [Field]),
}

#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    form: Form,
    is_required: bool,
}

const fn needs(name: &'static str, form: Form) -> Field {
    Field { name, form, is_required: true }
}

const fn may(name: &'static str, form: Form) -> Field {
    Field { name, form, is_required: false }
}

const EXAMPLE: &[Field] =
    &[needs("language", Form::Line), needs("code", Form::Text), may("section", Form::Text)];

const SECTION: &[Field] = &[
    needs("title", Form::Line),
    needs("type", Form::OneOf(&["description", "example", "antiPattern", "useCase", "related"])),
    needs("content", Form::Text),
];

const PATTERN: &[Field] = &[
    needs("id", Form::Name),
    needs("title", Form::Line),
    needs("category", Form::Name),
    needs("difficulty", Form::OneOf(&["beginner", "intermediate", "advanced"])),
    needs("summary", Form::Text),
    may("subcategory", Form::Text),
    may("rule", Form::Text),
    may("tags", Form::Lines),
    may("sections", Form::Records(SECTION)),
    may("examples", Form::Records(EXAMPLE)),
    may("antiExamples", Form::Records(EXAMPLE)),
    may("useCases", Form::Lines),
    may("related", Form::Names),
    may("relatedUnresolved", Form::Lines),
    may("lessonOrder", Form::Number),
    may("author", Form::Text),
    may("path", Form::Text),
];

/// The members of the file around its patterns.
const FILE: &[Field] = &[
    needs("schema", Form::OneOf(&["patterns:v1"])),
    may("source", Form::Line),
    may("commit", Form::Text),
    may("license", Form::Text),
    may("count", Form::Number),
];

/// Reads a data file.
///
/// # Errors
/// Every mistake, in the order of the file; at least one.
pub(super) fn read(text: &str) -> Result<DataFile, Vec<Mistake>> {
    let whole = |line: usize, message: String| vec![Mistake { line, place: String::new(), message }];
    if text.len() > MAX_FILE {
        return Err(whole(1, format!("expected at most {MAX_FILE} bytes, but found {}", text.len())));
    }
    let members = serde_json::from_str::<BTreeMap<String, &RawValue>>(text.trim_start_matches('\u{feff}'));
    let mut members = members.map_err(|error| whole(error.line().max(1), format!("{error}")))?;
    let mut report = Report { line: 1, mistakes: Vec::new() };
    let records =
        match members.remove("patterns").map(|raw| serde_json::from_str::<Vec<&RawValue>>(raw.get())) {
            Some(Ok(records)) if records.len() <= MAX_PATTERNS => records,
            Some(Ok(records)) => {
                report.add(
                    "patterns",
                    format!("expected at most {MAX_PATTERNS} patterns, but found {}", records.len()),
                );
                Vec::new()
            }
            Some(Err(_)) => {
                report.add("patterns", "expected a list of patterns, but found another value");
                Vec::new()
            }
            None => {
                report.add("patterns", "expected a list of patterns, but found none");
                Vec::new()
            }
        };
    let head = members.iter().map(|(name, raw)| (name.clone(), value(raw))).collect();
    report.record(&Value::Object(head), FILE, "");
    if let Some(count) = members.get("count").and_then(|raw| raw.get().parse::<usize>().ok())
        && count != records.len()
    {
        report.add("count", format!("expected {}, the number of patterns, but found {count}", records.len()));
    }
    let values: Vec<(usize, Value)> =
        lines(text, &records).into_iter().zip(&records).map(|(line, raw)| (line, value(raw))).collect();
    let mut known = BTreeMap::new();
    for (at, (line, value)) in values.iter().enumerate() {
        if let Some(id) = value["id"].as_str()
            && let Some(first) = known.insert(id, *line)
        {
            report.line = *line;
            report.add(
                &format!("patterns[{at}].id"),
                format!("expected an id of its own, but found {id:?}, which is on line {first} too"),
            );
        }
    }
    for (at, (line, value)) in values.iter().enumerate() {
        report.line = *line;
        let place = format!("patterns[{at}]");
        report.record(value, PATTERN, &place);
        for (nth, id) in value["related"].as_array().into_iter().flatten().enumerate() {
            if let Some(id) = id.as_str().filter(|id| !known.contains_key(id)) {
                let hint = "an id of a pattern in this file (others belong into `relatedUnresolved`)";
                report.add(&format!("{place}.related[{nth}]"), format!("expected {hint}, but found {id:?}"));
            }
        }
    }
    report.mistakes.sort_by_key(|it| it.line);
    if !report.mistakes.is_empty() {
        return Err(report.mistakes);
    }
    let patterns = values.into_iter().enumerate().map(|(at, (line, value))| {
        Pattern::deserialize(value).map_err(|error| {
            vec![Mistake { line, place: format!("patterns[{at}]"), message: error.to_string() }]
        })
    });
    let source = head_text(&members, "source");
    let mut patterns = patterns.collect::<Result<Vec<_>, _>>()?;
    patterns.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(DataFile { source, patterns })
}

fn head_text(members: &BTreeMap<String, &RawValue>, name: &str) -> Option<String> {
    value(members.get(name)?).as_str().map(str::to_owned)
}

/// Returns a value that was read as JSON already. One that is nested too deep is none.
fn value(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// Returns the lines on which the records begin, which are parts of `text`.
fn lines(text: &str, records: &[&RawValue]) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    let begin = text.as_ptr() as usize;
    let mut next = |record: &&RawValue| {
        let offset = record.get().as_ptr() as usize - begin;
        line += text[seen..offset].bytes().filter(|&it| it == b'\n').count();
        seen = offset;
        line
    };
    records.iter().map(&mut next).collect()
}

struct Report {
    line: usize,
    mistakes: Vec<Mistake>,
}

impl Report {
    fn add(&mut self, place: &str, message: impl Into<String>) {
        if self.mistakes.len() < MAX_MISTAKES {
            self.mistakes.push(Mistake { line: self.line, place: place.to_owned(), message: message.into() });
        }
    }

    /// Checks the members of an object.
    fn record(&mut self, value: &Value, fields: &'static [Field], place: &str) {
        let Some(members) = value.as_object() else {
            return self.add(place, format!("expected an object, but found {}", shown(value)));
        };
        let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        for field in fields {
            match members.get(field.name) {
                Some(value) => self.field(value, field.form, &inside(field.name)),
                None if field.is_required => {
                    self.add(&inside(field.name), "expected a value, but found none")
                }
                None => {}
            }
        }
        let names: BTreeSet<&str> = fields.iter().map(|it| it.name).collect();
        for name in members.keys().filter(|name| !names.contains(&***name)) {
            let known = names.iter().copied().collect::<Vec<_>>().join(", ");
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
                self.list(value, place, |this, value, place| this.record(value, fields, place))
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
            "line 1: titel: expected one of commit, count, license, schema, source, but found a member of another name",
            "line 1: count: expected 4, the number of patterns, but found 3",
            "line 2: patterns[0].title: expected a text on one line, but found \" \"",
            "line 2: patterns[0].difficulty: expected \"beginner\" or \"intermediate\" or \"advanced\", but found \"expert\"",
            "line 2: patterns[0].related[1]: expected an id of a pattern in this file (others belong into `relatedUnresolved`), but found \"z\"",
            "line 3: patterns[1].id: expected an id of its own, but found \"a\", which is on line 2 too",
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
            ("", "line 1: EOF while parsing a value at line 1 column 0"),
            ("[]", "line 1: invalid type: sequence, expected a map at line 1 column 0"),
            (
                "{\n\"schema\":\"patterns:v1\",\n\"patterns\":[",
                "line 3: EOF while parsing a list at line 3 column 12",
            ),
            (r#"{"schema":"patterns:v1"}"#, "line 1: patterns: expected a list of patterns, but found none"),
        ] {
            assert_eq!(mistakes(text), [expected]);
        }
    }
}
