//! Values of fields as a reader needs them: names in the place of objects.
//!
//! In: the JSON of a field, and its type. Out: a short value, with Markdown for rich text. An empty value is left out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Jira;
use super::fields::{Field, Fields};
use super::text::Rich;

/// The people in an answer: the id of each name, so that a reader can name them without a mistake.
#[derive(Debug, Default)]
pub struct Cast(BTreeMap<String, String>);

impl Cast {
    /// Returns the name by which an answer calls a person; of a second one of the same name, with the id.
    pub fn name(&mut self, person: &Value) -> Value {
        let member = |name: &str| person.get(name).and_then(Value::as_str);
        let id = ["accountId", "name", "key"].into_iter().find_map(member).unwrap_or_default();
        member("displayName").map_or_else(|| json!(id), |name| self.called(name, id))
    }

    fn called(&mut self, name: &str, id: &str) -> Value {
        match self.0.get(name) {
            Some(known) if known != id => json!(format!("{name} ({id})")),
            Some(_) => json!(name),
            None => {
                self.0.insert(name.to_owned(), id.to_owned());
                json!(name)
            }
        }
    }

    /// Returns the id of each name.
    pub fn ids(self) -> BTreeMap<String, String> {
        self.0
    }
}

/// Returns a number of issues in words, such as `1 issue`.
pub(crate) fn counted_issues(count: usize) -> String {
    format!("{count} issue{}", if count == 1 { "" } else { "s" })
}

/// The longest rich text of an issue in a list, in characters.
const MAX_IN_LIST: usize = 600;

/// The amount of rich text that an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Each text begins only.
    Beginnings,
    /// Each text is whole.
    Whole,
}

/// Returns the name of a field in answers.
pub fn name_of(fields: &Fields, field: &Field) -> String {
    match field.id.as_str() {
        "issuetype" => "type".to_owned(),
        "duedate" => "due".to_owned(),
        "fixVersions" => "fix_versions".to_owned(),
        "versions" => "affects_versions".to_owned(),
        "resolutiondate" => "resolved".to_owned(),
        "issuelinks" => "links".to_owned(),
        "attachment" => "attachments".to_owned(),
        "timetracking" => "time".to_owned(),
        _ => fields.shown(field).to_owned(),
    }
}

impl Jira {
    /// Returns the value of a field for a reader; nothing if it is empty.
    pub fn shown(&self, field: &Field, raw: &RawValue, texts: Texts, cast: &mut Cast) -> Option<Value> {
        if field.schema.is_rich() {
            let text = Rich::of_json(self.dialect.rich, raw)?.markdown();
            let text = if texts == Texts::Whole { text } else { beginning(text) };
            return Some(json!(text)).filter(|it| it != "");
        }
        let value = || serde_json::from_str::<Value>(raw.get()).ok();
        let shown = match field.id.as_str() {
            "issuelinks" => self.links(&value()?),
            "subtasks" => Value::Array(value()?.as_array()?.iter().map(|it| self.related(it)).collect()),
            "parent" => self.related(&value()?),
            "attachment" => attachments(&value()?, cast),
            "timetracking" => time(&value()?),
            "watches" => value()?["watchCount"].take(),
            "votes" => value()?["votes"].take(),
            "progress" | "aggregateprogress" => value()?.get("percent").cloned().unwrap_or_default(),
            _ if field.schema.is_custom("gh-sprint") => {
                Value::Array(value()?.as_array()?.iter().filter_map(sprint).collect())
            }
            _ => named(raw, cast).or_else(|| Some(short(value()?, cast)))?,
        };
        Some(shown).filter(|it| !is_empty(it))
    }

    /// Returns another issue: its key, status and summary; only the key, if it is of a project that the server may not touch.
    pub fn related(&self, issue: &Value) -> Value {
        if !self.may_show(issue["key"].as_str().unwrap_or_default()) {
            return json!({ "key": issue["key"] });
        }
        json!({ "key": issue["key"], "status": issue["fields"]["status"]["name"], "summary": issue["fields"]["summary"] })
    }

    fn links(&self, value: &Value) -> Value {
        let all = value.as_array().into_iter().flatten().map(|link| {
            let (word, other) = match link.get("outwardIssue") {
                Some(other) => ("outward", other),
                None => ("inward", &link["inwardIssue"]),
            };
            let mut shown = self.related(other);
            shown["how"] = link["type"][word].clone();
            shown["link_id"] = link["id"].clone();
            shown
        });
        Value::Array(all.collect())
    }
}

/// Returns whether a value says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn beginning(text: String) -> String {
    match text.char_indices().nth(MAX_IN_LIST) {
        Some((at, _)) => {
            let more = text[at..].chars().count();
            format!("{}… ({more} more characters: jira_get_issue)", &text[..at])
        }
        None => text,
    }
}

/// The members by which [`short`] names an object of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    account_id: Option<String>,
    child: Option<IgnoredAny>,
    display_name: Option<String>,
    key: Option<String>,
    name: Option<String>,
    value: Option<String>,
}

/// Returns what [`short`] returns for most objects, without making values of their other members: a list has hundreds of objects, and
/// most of each are addresses.
fn named(raw: &RawValue, cast: &mut Cast) -> Option<Value> {
    let it: Named = raw.get().starts_with('{').then(|| serde_json::from_str(raw.get()).ok())??;
    if let Some(name) = it.display_name {
        let id = it.account_id.or(it.name).or(it.key).unwrap_or_default();
        return Some(cast.called(&name, &id));
    }
    if it.child.is_some() {
        return None;
    }
    it.value.or(it.name).or(it.key).map(Value::String)
}

/// Returns the name in an object of the API, whatever its type is.
pub fn short(value: Value, cast: &mut Cast) -> Value {
    match value {
        Value::Array(all) => Value::Array(all.into_iter().map(|it| short(it, cast)).collect()),
        Value::String(text) => json!(moment(&text)),
        Value::Object(mut members) => {
            if members.contains_key("displayName") {
                return cast.name(&Value::Object(members));
            }
            if let Some(child) = members.remove("child") {
                let upper = members.get("value").and_then(Value::as_str).unwrap_or_default();
                let lower = child.get("value").and_then(Value::as_str).unwrap_or_default();
                return json!(format!("{upper} > {lower}"));
            }
            for name in ["value", "name", "key"] {
                if let Some(text) = members.get(name).filter(|it| it.is_string()) {
                    return text.clone();
                }
            }
            if let Some(request) = members.get_mut("requestType") {
                return request["name"].take();
            }
            members.retain(|name, _| name != "self" && name != "_links");
            Value::Object(members)
        }
        value => value,
    }
}

/// Returns a time without what it does not need: `2026-11-27T09:30:00.000+0000` as `2026-11-27T09:30Z`.
pub fn moment(text: &str) -> String {
    // Boards write times as `2026-11-27T09:30:00.000Z`.
    let is_short = text.len() == 24 && text.ends_with('Z') && text.get(19..20) == Some(".");
    if let (true, Some(minute)) = (is_short, text.get(..16)) {
        return format!("{minute}Z");
    }
    // The zone is `+0000`, or `+10:00` in samples of boards in Atlassian's documents.
    let is_time =
        matches!(text.len(), 28 | 29) && text.get(10..11) == Some("T") && text.get(19..20) == Some(".");
    match (is_time, text.get(..16), text.get(23..)) {
        (true, Some(minute), Some("+0000")) => format!("{minute}Z"),
        (true, Some(minute), Some(zone)) => format!("{minute}{zone}"),
        _ => text.to_owned(),
    }
}

fn attachments(value: &Value, cast: &mut Cast) -> Value {
    let all = value.as_array().into_iter().flatten().map(|it| {
        json!({
            "id": it["id"], "name": it["filename"], "bytes": it["size"], "type": it["mimeType"],
            "author": cast.name(&it["author"]), "created": moment(it["created"].as_str().unwrap_or_default()), "url": it["content"],
        })
    });
    Value::Array(all.collect())
}

fn time(value: &Value) -> Value {
    let mut shown = Map::new();
    for (name, short) in
        [("originalEstimate", "original"), ("remainingEstimate", "remaining"), ("timeSpent", "spent")]
    {
        if let Some(text) = value.get(name) {
            shown.insert(short.to_owned(), text.clone());
        }
    }
    Value::Object(shown)
}

/// Returns the name, state and id of a sprint: an object on Cloud, and in Data Center the text of one.
fn sprint(value: &Value) -> Option<Value> {
    if let Some(name) = value.get("name") {
        return Some(json!({ "id": value["id"], "name": name, "state": value["state"] }));
    }
    let text = value.as_str()?;
    let inside = text.split_once('[')?.1.strip_suffix(']')?;
    let part = |name: &str| {
        let start = inside.find(&format!("{name}="))? + name.len() + 1;
        let rest = inside.get(start..)?;
        // A name may have commas: it ends where the next member begins.
        let end = rest.match_indices(',').find(|(at, _)| {
            let after = rest.get(at + 1..).unwrap_or_default();
            after.split_once('=').is_some_and(|(name, _)| name.bytes().all(|it| it.is_ascii_alphabetic()))
        });
        Some(rest.get(..end.map_or(rest.len(), |(at, _)| at))?.to_owned())
    };
    let id: i64 = part("id")?.parse().ok()?;
    Some(json!({ "id": id, "name": part("name")?, "state": part("state")?.to_lowercase() }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::{Cast, moment, named, short, sprint};

    #[test]
    fn a_sprint_of_data_center_is_read_from_its_text() {
        let text = "com.atlassian.greenhopper.service.sprint.Sprint@1f[id=31,rapidViewId=3,state=ACTIVE,name=Sprint 5, the last,startDate=2026-11-16T09:00:00.000Z,goal=]";
        assert_eq!(
            sprint(&json!(text)),
            Some(json!({ "id": 31, "name": "Sprint 5, the last", "state": "active" }))
        );
    }

    #[test]
    fn objects_are_named_alike_whether_they_are_read_whole_or_not() {
        let mut read_by_name = 0;
        for value in [
            json!({ "self": "https://a", "accountId": "1", "displayName": "Ada", "avatarUrls": { "16x16": "b" } }),
            json!({ "name": "ada", "key": "JIRAUSER1", "displayName": "Ada" }),
            json!({ "displayName": "Ada" }),
            json!({ "self": "https://a", "name": "Done", "id": "1", "statusCategory": { "name": "Done" } }),
            json!({ "self": "https://a", "value": "High", "id": "1" }),
            json!({ "self": "https://a", "value": "Europe", "child": { "value": "France" } }),
            json!({ "key": "SHOP" }),
            json!({ "name": 1, "key": "SHOP" }),
            json!({ "requestType": { "name": "Get help" }, "_links": {} }),
            json!({ "percent": 3, "self": "https://a" }),
            json!({}),
            json!(["a", "b"]),
            json!("2026-11-27T09:30:00.000+0000"),
            json!(7),
        ] {
            let raw = RawValue::from_string(value.to_string()).expect("JSON");
            let (mut one, mut other) = (Cast::default(), Cast::default());
            let expected = short(value, &mut one);
            if let Some(found) = named(&raw, &mut other) {
                assert_eq!((found, other.ids()), (expected, one.ids()), "{raw}");
                read_by_name += 1;
            }
        }
        assert_eq!(read_by_name, 6, "three people, a status, an option and a project");
    }

    #[test]
    fn the_second_person_of_a_name_has_an_id() {
        let mut cast = Cast::default();
        let person = |id: &str| json!({ "accountId": id, "displayName": "Ada" });
        assert_eq!(cast.name(&person("1")), "Ada");
        assert_eq!(cast.name(&person("2")), "Ada (2)");
        assert_eq!(cast.name(&person("1")), "Ada");
    }

    #[test]
    fn times_lose_their_seconds() {
        assert_eq!(moment("2026-11-27T09:30:00.000+0000"), "2026-11-27T09:30Z");
        assert_eq!(moment("2026-11-27T09:30:00.000+0200"), "2026-11-27T09:30+0200");
        assert_eq!(moment("2026-11-27T09:30:00.000Z"), "2026-11-27T09:30Z");
        assert_eq!(moment("2015-04-11T15:22:00.000+10:00"), "2015-04-11T15:22+10:00");
        assert_eq!(moment("2026-11-27"), "2026-11-27");
    }
}
