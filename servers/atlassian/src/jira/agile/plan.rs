//! Changes of sprints, as plans.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::shown_sprint;
use crate::jira::Jira;
use crate::jira::shown::moment;
use crate::rest::Request;
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step};

/// What a sprint is to have; what is absent stays as it is.
#[derive(Clone, Debug, Default)]
pub struct SprintFields<'a> {
    /// The name.
    pub name: Option<&'a str>,
    /// The goal; empty for none.
    pub goal: Option<&'a str>,
    /// When it begins: a day, or a time.
    pub start: Option<&'a str>,
    /// When it ends.
    pub end: Option<&'a str>,
    /// `future`, `active` or `closed`.
    pub state: Option<&'a str>,
}

impl SprintFields<'_> {
    /// Returns the members for a request.
    fn body(&self, jira: &Jira) -> Result<Map<String, Value>, ToolError> {
        let mut body = Map::new();
        let texts = [("name", self.name), ("goal", self.goal), ("state", self.state)];
        for (name, text) in texts {
            if let Some(text) = text {
                body.insert(name.to_owned(), json!(text.trim()));
            }
        }
        for (name, text) in [("startDate", self.start), ("endDate", self.end)] {
            if let Some(text) = text.filter(|it| !it.trim().is_empty()) {
                body.insert(name.to_owned(), json!(jira.hours().time(text)?));
            }
        }
        Ok(body)
    }
}

impl Jira {
    /// Plans a new sprint of a board.
    ///
    /// # Errors
    /// A time that is none.
    ///
    /// Source: `POST /rest/agile/1.0/sprint`.
    pub fn plan_create_sprint(&self, board: &str, fields: &SprintFields<'_>) -> Result<Plan, ToolError> {
        let mut body = fields.body(self)?;
        let changes = body
            .iter()
            .map(|(name, value)| FieldChange::new(shown_name(name), Value::Null, shown(value)))
            .collect();
        let number: u64 = board.parse().unwrap_or_default();
        body.insert("originBoardId".to_owned(), json!(number));
        let request = Request::post(self.agile(["sprint"])).json(&body);
        let made = Restore { path: self.agile(["sprint", "{sprint}"]), how: How::Delete { query: vec![] } };
        Ok(Plan {
            tool: "jira_create_sprint",
            target: String::new(),
            summary: format!("make the sprint {:?} of the board {board}", fields.name.unwrap_or_default()),
            changes,
            steps: vec![Step::kept(request, "sprint")],
            inverse: Inverse::Steps(vec![made]),
            warnings: vec![],
        })
    }

    /// Plans a change of a sprint, as the site answered it.
    ///
    /// # Errors
    /// A time that is none.
    ///
    /// Source: `POST /rest/agile/1.0/sprint/{id}`, which changes only what the body has.
    pub fn plan_update_sprint(&self, sprint: &Value, fields: &SprintFields<'_>) -> Result<Plan, ToolError> {
        let mut body = fields.body(self)?;
        body.retain(|name, value| {
            sprint[name.as_str()] != *value && !(value == "" && sprint[name.as_str()].is_null())
        });
        let old = |name: &str| match &sprint[name] {
            Value::Null if name == "goal" => json!(""),
            value => value.clone(),
        };
        let before: Map<String, Value> = body.keys().map(|name| (name.clone(), old(name))).collect();
        let changes = body
            .iter()
            .map(|(name, value)| FieldChange::new(shown_name(name), shown(&old(name)), shown(value)));
        let id = sprint["id"].to_string();
        let path = self.agile(["sprint", &id]);
        let mut warnings = Vec::new();
        let inverse = match body.get("state").and_then(Value::as_str) {
            Some("closed") => {
                warnings.push(
                    "issues that are not done leave a closed sprint, to where the board sends them"
                        .to_owned(),
                );
                Inverse::None("a sprint that was closed does not open again".to_owned())
            }
            Some(_) => Inverse::None("a sprint that was started can't be made a future one again".to_owned()),
            None if body.is_empty() => Inverse::Steps(vec![]),
            None => {
                // A `POST` can't empty a time, so the whole sprint is put back.
                let members = ["name", "goal", "startDate", "endDate", "state"];
                let kept = members.iter().filter(|name| !sprint[**name].is_null());
                let body: Map<String, Value> =
                    kept.map(|name| ((*name).to_owned(), sprint[*name].clone())).collect();
                let how =
                    How::Whole { body: Value::Object(body), before: Value::Object(before), after: json!({}) };
                Inverse::Steps(vec![Restore { path: path.clone(), how }])
            }
        };
        Ok(Plan {
            tool: "jira_update_sprint",
            summary: format!("change the sprint {}", shown_sprint(sprint)["name"]),
            target: id,
            changes: changes.collect(),
            steps: if body.is_empty() { vec![] } else { vec![Step::from(Request::post(path).json(&body))] },
            inverse,
            warnings,
        })
    }
}

fn shown_name(name: &str) -> &str {
    match name {
        "startDate" => "start",
        "endDate" => "end",
        name => name,
    }
}

fn shown(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |it| json!(moment(it)))
}
