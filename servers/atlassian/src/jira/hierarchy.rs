//! How issues hang together: epics with their parents and children, and links between projects.
//!
//! In: the key of a project. Out: groups of epics, or links by project. Of issues of projects that the server may not touch, only the key is shown.

use std::collections::BTreeMap;

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::dialect::Epic;
use super::issue::Issue;
use super::search::{Query, quoted};
use crate::rest::Upstream;

/// The largest page of a search.
const PAGE: u64 = 100;

/// The number of epics whose children one search looks for.
const EPICS_AT_ONCE: usize = 50;

/// The largest number of children that are counted.
const MAX_CHILDREN: usize = 5_000;

/// The names of links by which an epic is a part of another issue.
const PART_OF: [&str; 6] =
    ["is child of", "child of", "is part of", "part of", "is contained by", "belongs to"];

/// Issues that a search found, and whether they are all.
#[derive(Debug)]
struct Part {
    issues: Vec<Issue>,
    is_all: bool,
}

impl Jira {
    /// Returns the epics of a project below the issues that they are a part of, with the numbers of their issues.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn epic_hierarchy(&self, project: &str, most: usize) -> Result<Value, ToolError> {
        let Some(kind) = self.epic_condition(project).await? else {
            return Ok(json!({ "total_epics": 0, "is_complete": true, "groups": [] }));
        };
        let jql = format!("project = {} AND {kind} ORDER BY updated DESC", quoted(project));
        let found = self.some(&jql, "summary,status,parent,issuelinks", most).await?;
        let keys: Vec<&str> = found.issues.iter().map(|it| it.key.as_str()).collect();
        let counts = self.children(&keys).await?;
        let mut groups: BTreeMap<Option<String>, (Value, Vec<Value>)> = BTreeMap::new();
        for epic in &found.issues {
            let parent = self.parent_of(epic);
            let key = parent["key"].as_str().map(ToOwned::to_owned);
            let (issues, done) = counts.get(epic.key.as_str()).copied().unwrap_or_default();
            let shown = json!({
                "key": epic.key, "summary": epic.value("summary"), "status": epic.value("status")["name"], "issues": issues, "done": done,
            });
            groups.entry(key).or_insert_with(|| (parent, Vec::new())).1.push(shown);
        }
        // Those without a parent come last.
        let none = groups.remove(&None);
        let groups: Vec<_> = groups
            .into_values()
            .chain(none)
            .map(|(parent, epics)| json!({ "parent": parent, "epics": epics }))
            .collect();
        Ok(json!({ "total_epics": found.issues.len(), "is_complete": found.is_all, "groups": groups }))
    }

    /// Returns the JQL that finds the epics of a project, whatever the site calls them; nothing if it has none.
    async fn epic_condition(&self, project: &str) -> Result<Option<String>, Upstream> {
        match self.dialect.epic {
            Epic::Parent => {
                let types = self.issue_types(project).await?;
                let epics = types.iter().filter(|it| it["hierarchyLevel"] == 1);
                let ids: Vec<_> = epics.filter_map(|it| it["id"].as_str()).collect();
                Ok((!ids.is_empty()).then(|| format!("issuetype in ({})", ids.join(", "))))
            }
            Epic::Field(_) => {
                let fields = self.fields().await?;
                // Each epic has to have a name.
                let name = fields.of_type("gh-epic-label").and_then(|it| it.id.strip_prefix("customfield_"));
                Ok(name.map(|it| format!("cf[{it}] is not EMPTY")))
            }
        }
    }

    /// Returns the number of issues of each epic, and how many of them are done.
    async fn children(&self, epics: &[&str]) -> Result<BTreeMap<String, (u64, u64)>, ToolError> {
        let fields = self.fields().await?;
        let (clause, id) = match self.dialect.epic {
            Epic::Parent => ("parent".to_owned(), "parent".to_owned()),
            Epic::Field(_) => {
                let Some(field) = fields.of_type("gh-epic-link") else { return Ok(BTreeMap::new()) };
                (format!("cf[{}]", field.id.trim_start_matches("customfield_")), field.id.clone())
            }
        };
        let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for keys in epics.chunks(EPICS_AT_ONCE) {
            let listed: Vec<_> = keys.iter().map(|it| quoted(it)).collect();
            let jql = format!("{clause} in ({})", listed.join(", "));
            for issue in self.some(&jql, &format!("status,{id}"), MAX_CHILDREN).await?.issues {
                let value = issue.value(&id);
                let epic = value["key"].as_str().or(value.as_str()).unwrap_or_default();
                let count = counts.entry(epic.to_owned()).or_default();
                let is_done = issue.value("status")["statusCategory"]["key"] == "done";
                *count = (count.0 + 1, count.1 + u64::from(is_done));
            }
        }
        Ok(counts)
    }

    /// Returns the issue that an epic is a part of: its parent, or one that a link says; null if there is none.
    fn parent_of(&self, epic: &Issue) -> Value {
        let parent = epic.value("parent");
        if !parent.is_null() {
            return self.shown_elsewhere(&parent);
        }
        let links = epic.value("issuelinks");
        for link in links.as_array().into_iter().flatten() {
            for (end, word) in [("inwardIssue", "inward"), ("outwardIssue", "outward")] {
                let how = link["type"][word].as_str().unwrap_or_default().to_lowercase();
                if link[end].is_object() && PART_OF.contains(&how.as_str()) {
                    return self.shown_elsewhere(&link[end]);
                }
            }
        }
        Value::Null
    }

    /// Returns the view of a related issue: only its key, if it is of a project that the server may not touch.
    fn shown_elsewhere(&self, issue: &Value) -> Value {
        let key = issue["key"].as_str().unwrap_or_default();
        let mut shown = json!({ "key": key, "project": project_of(key) });
        if self.may_show(key) {
            shown["summary"] = issue["fields"]["summary"].clone();
            shown["status"] = issue["fields"]["status"]["name"].clone();
        }
        shown
    }

    /// Returns the links from issues of a project to those of others, by project.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn dependencies(&self, project: &str, most: usize) -> Result<Value, ToolError> {
        let jql = format!("project = {} ORDER BY updated DESC", quoted(project));
        let found = self.some(&jql, "summary,status,issuelinks", most).await?;
        let mut others: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for issue in &found.issues {
            let links = issue.value("issuelinks");
            for link in links.as_array().into_iter().flatten() {
                let (word, other) = match link.get("outwardIssue") {
                    Some(other) => ("outward", other),
                    None => ("inward", &link["inwardIssue"]),
                };
                let key = other["key"].as_str().unwrap_or_default();
                let to = project_of(key);
                if key.is_empty() || to == issue.project() {
                    continue;
                }
                let mut shown = json!({ "from": issue.key, "how": link["type"][word], "to": key });
                let other = self.shown_elsewhere(other);
                for name in ["status", "summary"] {
                    if let Some(value) = other.get(name) {
                        shown[format!("to_{name}")] = value.clone();
                    }
                }
                others.entry(to.to_owned()).or_default().push(shown);
            }
        }
        let total: usize = others.values().map(Vec::len).sum();
        Ok(
            json!({ "issues_looked_at": found.issues.len(), "is_complete": found.is_all, "total_links": total, "by_project": others }),
        )
    }

    /// Returns up to so many issues of a search.
    async fn some(&self, jql: &str, fields: &str, most: usize) -> Result<Part, ToolError> {
        let jql = self.limited(jql).await?;
        let mut query =
            Query { jql, fields: fields.to_owned(), limit: PAGE.min(most as u64), start: 0, token: None };
        let mut issues = Vec::new();
        loop {
            let page = self.search(&query).await?;
            issues.extend(page.issues);
            query.token = page.next;
            if query.token.is_none() || issues.len() >= most {
                break;
            }
        }
        let is_all = query.token.is_none() && issues.len() <= most;
        issues.truncate(most);
        Ok(Part { issues, is_all })
    }
}

fn project_of(key: &str) -> &str {
    key.rsplit_once('-').map_or("", |(project, _)| project)
}
