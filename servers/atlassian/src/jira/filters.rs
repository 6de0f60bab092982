//! Saved searches, and dashboards.
//!
//! In: ids, names and JQL. Out: filters and dashboards, and plans for changes of filters.

use plainwire::ToolError;
use serde_json::{Map, Value, json};

use super::Jira;
use super::agile::{Listed, Slice};
use super::dialect::{Favourite, Filters};
use super::shown::Cast;
use crate::rest::{PageToken, Request, Style, Upstream};
use crate::write::{Check, FieldChange, How, Inverse, Plan, Restore, Step};

/// What a filter is to have; what is absent stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct FilterFields<'a> {
    /// The name.
    pub name: Option<&'a str>,
    /// The search.
    pub jql: Option<&'a str>,
    /// The description.
    pub description: Option<&'a str>,
    /// Whether it is among the favourites of the account.
    pub favourite: Option<bool>,
}

impl FilterFields<'_> {
    fn body(&self) -> Map<String, Value> {
        let texts = [("name", self.name), ("jql", self.jql), ("description", self.description)];
        let mut body: Map<String, Value> =
            texts.iter().filter_map(|(name, text)| Some(((*name).to_owned(), json!((*text)?)))).collect();
        if let Some(favourite) = self.favourite {
            body.insert("favourite".to_owned(), json!(favourite));
        }
        body
    }
}

impl Jira {
    /// Returns a page of filters by a part of their name; where the site has no search of them, of the favourites of the account.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: Cloud `GET /rest/api/3/filter/search`, Data Center `GET /rest/api/2/filter/favourite`.
    pub async fn filters(
        &self,
        name: Option<&str>,
        slice: Slice<'_>,
        cast: &mut Cast,
    ) -> Result<Listed, ToolError> {
        if self.dialect.filters == Filters::Favourites {
            let all: Value = self.site().json(self.get(["filter", "favourite"])).await?;
            let wanted = name.unwrap_or_default().to_lowercase();
            let is_meant =
                |it: &&Value| it["name"].as_str().is_some_and(|it| it.to_lowercase().contains(&wanted));
            let found = all.as_array().into_iter().flatten().filter(is_meant);
            let part = slice.of(found.map(|it| shown_filter(it, cast)).collect())?;
            return Ok(Listed { items: part.items, next: part.next });
        }
        let request = self
            .get(["filter", "search"])
            .query("expand", "description,owner,jql,favourite")
            .maybe_query("filterName", name);
        let request =
            request.query("startAt", slice.start.to_string()).query("maxResults", slice.limit.to_string());
        let mut pages = self.site().pages(request, Style::StartAt { items: "values" });
        if let Some(token) = slice.token {
            pages = pages.after(&PageToken::new(token));
        }
        let Some(page) = pages.next().await? else { return Ok(Listed::default()) };
        let items = page.items.iter().map(|it| shown_filter(it, cast)).collect();
        Ok(Listed { items, next: page.next.map(|it| it.as_str().to_owned()) })
    }

    /// Returns a filter.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/filter/{id}`.
    pub async fn filter(&self, id: &str) -> Result<Value, Upstream> {
        self.site().json(self.get(["filter", id.trim()])).await
    }

    /// Plans a new filter.
    ///
    /// Source: `POST /rest/api/{v}/filter`; Cloud `PUT /rest/api/3/filter/{id}/favourite`.
    pub fn plan_create_filter(&self, fields: FilterFields<'_>) -> Plan {
        let mut body = fields.body();
        let changes =
            body.iter().map(|(name, value)| FieldChange::new(name, Value::Null, value.clone())).collect();
        let favourite = self.own_favourite(&mut body);
        let mut steps = vec![Step::kept(Request::post(self.path(["filter"])).json(&body), "filter")];
        if favourite == Some(true) {
            steps.push(Step::from(Request::put(self.path(["filter", "{filter}", "favourite"]))));
        }
        let made = Restore { path: self.path(["filter", "{filter}"]), how: How::Delete { query: vec![] } };
        Plan {
            tool: "jira_create_filter",
            target: String::new(),
            summary: format!("make the filter {:?}", fields.name.unwrap_or_default()),
            changes,
            steps,
            inverse: Inverse::Steps(vec![made]),
            warnings: vec![],
        }
    }

    /// Takes the favourite out of the body of a filter, where it has a request of its own.
    fn own_favourite(&self, body: &mut Map<String, Value>) -> Option<bool> {
        match self.dialect.favourite {
            Favourite::Member => None,
            Favourite::Path => body.remove("favourite").and_then(|it| it.as_bool()),
        }
    }

    /// Plans a change of a filter, as the site answered it.
    ///
    /// Source: `PUT /rest/api/{v}/filter/{id}`; Cloud `PUT` and `DELETE /rest/api/3/filter/{id}/favourite`.
    pub fn plan_update_filter(&self, filter: &Value, fields: FilterFields<'_>) -> Plan {
        let mut body = fields.body();
        body.retain(|name, value| filter[name.as_str()] != *value);
        let changes = body
            .iter()
            .map(|(name, value)| FieldChange::new(name, filter[name.as_str()].clone(), value.clone()))
            .collect();
        let id = filter["id"].as_str().unwrap_or_default();
        let favourite = self.own_favourite(&mut body);
        let (mut steps, mut inverse) = (vec![], vec![]);
        if !body.is_empty() {
            let before: Map<String, Value> =
                body.keys().map(|name| (name.clone(), filter[name.as_str()].clone())).collect();
            let mut whole = self.whole(filter);
            let how = How::Whole {
                body: Value::Object(whole.clone()),
                before: Value::Object(before),
                after: json!({}),
            };
            // The site wants the name even if it stays.
            whole.append(&mut body);
            let path = self.path(["filter", id]);
            steps.push(Step::from(Request::put(path.clone()).json(&whole)));
            inverse.push(Restore { path, how });
        }
        if let Some(favourite) = favourite {
            let path = self.path(["filter", id, "favourite"]);
            let (request, back) = match favourite {
                true => (Request::put(path.clone()), "DELETE"),
                false => (Request::delete(path.clone()), "PUT"),
            };
            let check = Check {
                name: "`favourite`".to_owned(),
                path: self.path(["filter", id]),
                query: vec![],
                place: "/favourite".to_owned(),
                expected: json!(favourite),
            };
            let how = How::Checked { method: back.to_owned(), checks: vec![check], body: Value::Null };
            steps.push(Step::from(request));
            inverse.push(Restore { path, how });
        }
        Plan {
            tool: "jira_update_filter",
            target: id.to_owned(),
            summary: format!("change the filter {}", filter["name"]),
            changes,
            steps,
            inverse: Inverse::Steps(inverse),
            warnings: vec![],
        }
    }

    /// Returns the body that makes a filter what it is: what a `PUT` lacks, it empties.
    fn whole(&self, filter: &Value) -> Map<String, Value> {
        let members = ["name", "description", "jql", "favourite"];
        let kept = members.iter().filter(|name| !filter[**name].is_null());
        let mut body = kept.map(|name| ((*name).to_owned(), filter[*name].clone())).collect();
        self.own_favourite(&mut body);
        body
    }

    /// Plans to delete a filter, as the site answered it.
    ///
    /// Source: `DELETE /rest/api/{v}/filter/{id}`.
    pub fn plan_delete_filter(&self, filter: &Value) -> Plan {
        let id = filter["id"].as_str().unwrap_or_default();
        let how = How::Send { method: "POST".to_owned(), body: Value::Object(self.whole(filter)) };
        let mut warnings = vec![
            "taking this back makes a private filter with a new id: boards, dashboards and subscriptions lose this one".to_owned(),
        ];
        if self.dialect.favourite == Favourite::Path && filter["favourite"] == true {
            warnings.push("taking this back does not make it a favourite again".to_owned());
        }
        Plan {
            tool: "jira_delete_filter",
            target: id.to_owned(),
            summary: format!("delete the filter {}", filter["name"]),
            changes: vec![FieldChange::new("jql", filter["jql"].clone(), Value::Null)],
            steps: vec![Step::from(Request::delete(self.path(["filter", id])))],
            inverse: Inverse::Steps(vec![Restore { path: self.path(["filter"]), how }]),
            warnings,
        }
    }

    /// Returns a page of dashboards.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/dashboard`.
    pub async fn dashboards(&self, slice: Slice<'_>, cast: &mut Cast) -> Result<Listed, Upstream> {
        let request = self
            .get(["dashboard"])
            .query("startAt", slice.start.to_string())
            .query("maxResults", slice.limit.to_string());
        let mut pages = self.site().pages(request, Style::StartAt { items: "dashboards" });
        if let Some(token) = slice.token {
            pages = pages.after(&PageToken::new(token));
        }
        let Some(page) = pages.next().await? else { return Ok(Listed::default()) };
        let items = page.items.iter().map(|it| {
            let mut shown = json!({ "id": it["id"], "name": it["name"], "url": it["view"] });
            if let Some(owner) = it.get("owner") {
                shown["owner"] = cast.name(owner);
            }
            if it["description"].as_str().is_some_and(|it| !it.is_empty()) {
                shown["description"] = it["description"].clone();
            }
            shown
        });
        Ok(Listed { items: items.collect(), next: page.next.map(|it| it.as_str().to_owned()) })
    }

    /// Returns the gadgets of a dashboard of Cloud.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: Cloud `GET /rest/api/3/dashboard/{id}/gadget`.
    pub async fn gadgets(&self, dashboard: &str) -> Result<Vec<Value>, ToolError> {
        let answer: Value = self.site().json(self.get(["dashboard", dashboard.trim(), "gadget"])).await?;
        let all = answer["gadgets"].as_array().into_iter().flatten().map(|it| {
            let kind = it["moduleKey"].as_str().or(it["uri"].as_str()).unwrap_or_default();
            let kind = kind.rsplit_once(':').map_or(kind, |(_, kind)| kind);
            json!({
                "id": it["id"], "title": it["title"], "kind": kind, "row": it["position"]["row"], "column": it["position"]["column"],
            })
        });
        Ok(all.collect())
    }
}

/// Returns the view of a filter.
pub fn shown_filter(filter: &Value, cast: &mut Cast) -> Value {
    let mut shown = json!({ "id": filter["id"], "name": filter["name"], "jql": filter["jql"] });
    if filter["description"].as_str().is_some_and(|it| !it.is_empty()) {
        shown["description"] = filter["description"].clone();
    }
    if let Some(owner) = filter.get("owner") {
        shown["owner"] = cast.name(owner);
    }
    if filter["favourite"] == true {
        shown["favourite"] = json!(true);
    }
    shown
}
