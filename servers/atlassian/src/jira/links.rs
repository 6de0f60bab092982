//! Links between issues, to epics and to pages.
//!
//! In: the name or the words of a type, and two issues. Out: plans. A link has a source and a destination: `A blocks B` has A as source,
//! which Jira calls its inward issue when a link is made.

use plainwire::ToolError;
use plainwire::presentation::NeedsInput;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Jira;
use super::dialect::Epic;
use super::issue::{Edit, Issue};
use super::key::Key;
use super::people::is_no_one;
use super::text::{Losses, Rich};
use crate::rest::{Request, Upstream, Url};
use crate::write::{FieldChange, How, Inverse, Plan, Restore, Step};

/// A type of links.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Kind {
    /// The id.
    pub id: String,
    /// Such as `Blocks`.
    pub name: String,
    /// The words from the destination to the source, such as `is blocked by`.
    pub inward: String,
    /// The words from the source to the destination, such as `blocks`.
    pub outward: String,
}

/// The direction that words mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first issue to the second one.
    Forward,
    /// From the second issue to the first one: `is blocked by`.
    Backward,
}

/// A comment that comes with a link.
#[derive(Debug)]
pub struct Remark {
    /// The text.
    pub body: Rich,
    /// Who alone sees it.
    pub visibility: Option<Value>,
}

/// A link to a page.
#[derive(Debug)]
pub struct PageLink<'a> {
    /// The address.
    pub url: &'a str,
    /// The title.
    pub title: &'a str,
    /// A sentence about the page.
    pub summary: Option<&'a str>,
    /// What the page is to the issue.
    pub relationship: Option<&'a str>,
    /// The address of a picture of 16 × 16 pixels.
    pub icon_url: Option<&'a str>,
}

impl Jira {
    /// Returns the types of links.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `GET /rest/api/{v}/issueLinkType`.
    pub async fn link_kinds(&self) -> Result<Vec<Kind>, Upstream> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Answer {
            issue_link_types: Vec<Kind>,
        }
        let answer: Answer = self.site().json(self.get(["issueLinkType"])).await?;
        Ok(answer.issue_link_types)
    }

    /// Returns the type that a text means: its name, its id, or its words in one of the directions.
    ///
    /// # Errors
    /// No such type, as a question with those that there are.
    pub async fn link_kind(&self, text: &str) -> Result<(Kind, Direction), ToolError> {
        let wanted = text.trim();
        let all = self.link_kinds().await?;
        let same = |it: &str| it.eq_ignore_ascii_case(wanted);
        let forward = all
            .iter()
            .find(|it| same(&it.name) || it.id == wanted)
            .or_else(|| all.iter().find(|it| same(&it.outward)));
        if let Some(kind) = forward {
            return Ok((kind.clone(), Direction::Forward));
        }
        if let Some(kind) = all.iter().find(|it| same(&it.inward)) {
            return Ok((kind.clone(), Direction::Backward));
        }
        let needs = NeedsInput::new(format!("there is no type of links {wanted:?}")).title("Which type?");
        let needs = all.iter().fold(needs, |needs, it| {
            needs.described_choice("link_type", &it.name, format!("{} / {}", it.outward, it.inward))
        });
        Err(needs.into())
    }

    /// Plans to link two issues: the source `kind.outward` the destination.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `POST /rest/api/{v}/issueLink`.
    pub async fn plan_link(
        &self,
        kind: &Kind,
        source: &Key,
        destination: &Key,
        remark: Option<Remark>,
    ) -> Result<Plan, ToolError> {
        let one = self.issue(source.as_str(), "issuelinks", &[]).await?;
        let other = self.issue(destination.as_str(), "summary", &[]).await?;
        let sentence = format!("{} {} {}", one.key, kind.outward, other.key);
        let mut plan = Plan {
            tool: "jira_create_issue_link",
            target: one.key.clone(),
            summary: sentence.clone(),
            changes: Vec::new(),
            steps: Vec::new(),
            inverse: Inverse::Steps(Vec::new()),
            warnings: Vec::new(),
        };
        if link_to(&one, kind, &other.id).is_some() {
            plan.warnings.push(format!("nothing is to be done: {sentence} already"));
            return Ok(plan);
        }
        let mut body = json!({ "type": { "id": kind.id }, "inwardIssue": { "key": one.key }, "outwardIssue": { "key": other.key } });
        plan.changes.push(FieldChange::new("link", Value::Null, sentence));
        if let Some(remark) = remark {
            body["comment"] = json!({ "body": remark.body.to_json() });
            if let Some(visibility) = remark.visibility {
                body["comment"]["visibility"] = visibility;
            }
            plan.changes.push(FieldChange::new("comment", Value::Null, remark.body.markdown()));
            plan.warnings.push("taking this back leaves the comment".to_owned());
        }
        plan.steps.push(Step::from(Request::post(self.path(["issueLink"])).json(&body)));
        let how = How::Unlink {
            issue: self.path(["issue", &one.key]),
            kind: kind.id.clone(),
            end: "outwardIssue".to_owned(),
            other: other.id,
        };
        plan.inverse = Inverse::Steps(vec![Restore { path: self.path(["issueLink"]), how }]);
        Ok(plan)
    }

    /// Returns the id of the link from one issue to another.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn link_between(
        &self,
        kind: &Kind,
        source: &str,
        destination: &str,
    ) -> Result<Option<String>, Upstream> {
        let one = self.issue(source, "issuelinks", &[]).await?;
        let other = self.issue(destination, "summary", &[]).await?;
        Ok(link_to(&one, kind, &other.id))
    }

    /// Plans to remove a link. Both of its issues have to be ones that the server may touch.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: `DELETE /rest/api/{v}/issueLink/{id}`.
    pub async fn plan_unlink(&self, id: &str) -> Result<Plan, ToolError> {
        let link: Value = self.site().json(self.get(["issueLink", id])).await?;
        let key = |end: &str| link[end]["key"].as_str().unwrap_or_default().to_owned();
        // The source is the inward issue here, too.
        let (source, destination) = (key("inwardIssue"), key("outwardIssue"));
        self.key(&source).await?;
        self.key(&destination).await?;
        let sentence =
            format!("{source} {} {destination}", link["type"]["outward"].as_str().unwrap_or("is linked to"));
        let body = json!({
            "type": { "id": link["type"]["id"] },
            "inwardIssue": { "id": link["inwardIssue"]["id"] }, "outwardIssue": { "id": link["outwardIssue"]["id"] },
        });
        let how = How::Send { method: "POST".to_owned(), body };
        Ok(Plan {
            tool: "jira_remove_issue_link",
            target: source,
            summary: format!("remove the link {id}"),
            changes: vec![FieldChange::new("link", sentence, Value::Null)],
            steps: vec![Step::from(Request::delete(self.path(["issueLink", id])))],
            inverse: Inverse::Steps(vec![Restore { path: self.path(["issueLink"]), how }]),
            warnings: Vec::new(),
        })
    }

    /// Plans to put an issue into an epic, or to take it out of one.
    ///
    /// # Errors
    /// A site without epics; those of [`Self::plan_edit`].
    pub async fn plan_epic(&self, issue: &Key, epic: &str) -> Result<Plan, ToolError> {
        let epic = match is_no_one(epic) {
            true => Value::Null,
            false => {
                // The key it has now: a former one is no value of the field.
                let key = self.key(epic).await?;
                json!(self.issue(key.as_str(), "summary", &[]).await?.key)
            }
        };
        let field = match self.dialect().epic {
            Epic::Parent => "parent".to_owned(),
            Epic::Field(kind) => {
                let name = kind.rsplit_once(':').map_or(kind, |(_, name)| name);
                let none = || ToolError::not_found("this site has no epics: it lacks their field");
                self.fields().await?.of_type(name).ok_or_else(none)?.id.clone()
            }
        };
        let edit = Edit {
            tool: "jira_link_to_epic",
            key: issue.as_str(),
            fields: Map::from_iter([(field, epic)]),
            section: None,
            based_on: None,
            is_raw: false,
            losses: Losses::Refuse,
        };
        self.plan_edit(edit).await
    }

    /// Plans to link an issue to a page.
    ///
    /// # Errors
    /// An address that is none of the web.
    ///
    /// Source: `POST /rest/api/{v}/issue/{key}/remotelink`.
    pub async fn plan_page_link(&self, key: &Key, link: PageLink<'_>) -> Result<Plan, ToolError> {
        let mut object = json!({ "url": web_address("url", link.url)?, "title": link.title });
        if let Some(summary) = link.summary {
            object["summary"] = json!(summary);
        }
        if let Some(icon) = link.icon_url {
            object["icon"] = json!({ "url16x16": web_address("icon_url", icon)?, "title": link.title });
        }
        let shown = json!({ "url": link.url, "title": link.title, "relationship": link.relationship });
        let mut body = json!({ "object": object });
        if let Some(relationship) = link.relationship {
            body["relationship"] = json!(relationship);
        }
        let path = self.path(["issue", key.as_str(), "remotelink"]);
        let made = path.iter().cloned().chain(["{link}".to_owned()]).collect();
        Ok(Plan {
            tool: "jira_create_remote_issue_link",
            target: key.as_str().to_owned(),
            summary: format!("link {key} to a page"),
            changes: vec![FieldChange::new("remote link", Value::Null, shown)],
            steps: vec![Step::kept(Request::post(path).json(&body), "link")],
            inverse: Inverse::Steps(vec![Restore { path: made, how: How::Delete { query: Vec::new() } }]),
            warnings: Vec::new(),
        })
    }
}

/// Returns the id of the link of this type from an issue to another.
fn link_to(issue: &Issue, kind: &Kind, destination: &str) -> Option<String> {
    let links = issue.value("issuelinks");
    let mut fitting = links.as_array().into_iter().flatten();
    let found =
        fitting.find(|it| it["type"]["id"] == kind.id.as_str() && it["outwardIssue"]["id"] == destination);
    found.and_then(|it| it["id"].as_str()).map(ToOwned::to_owned)
}

/// Refuses what a browser would run, and what it could not open.
fn web_address(argument: &str, text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let is_web = text.parse::<Url>().is_ok_and(|it| matches!(it.scheme(), "http" | "https"));
    if is_web {
        return Ok(text.to_owned());
    }
    Err(ToolError::invalid_input(format!(
        "expected `{argument}` to be an address such as https://example.com/page, but found {text:?}"
    )))
}
