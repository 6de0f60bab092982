//! `issueLink`, `issueLinkType` and `issue/{key}/remotelink`: links between issues, and to pages.

use serde_json::{Value as Json, json};

use super::issue::{of_path, require, visible};
use super::{On, Operation, comment, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::issue::{self, Issue, Item};

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/issueLinkType", On::Both, types),
    operation("GET", "/rest/api/{v}/issueLinkType/{id}", On::Both, one_type),
    operation("POST", "/rest/api/{v}/issueLink", On::Both, create),
    operation("GET", "/rest/api/{v}/issueLink/{id}", On::Both, get),
    operation("DELETE", "/rest/api/{v}/issueLink/{id}", On::Both, delete),
    operation("GET", "/rest/api/{v}/issue/{key}/remotelink", On::Both, remote_links),
    operation("POST", "/rest/api/{v}/issue/{key}/remotelink", On::Both, add_remote),
    operation("GET", "/rest/api/{v}/issue/{key}/remotelink/{id}", On::Both, remote_link),
    operation("DELETE", "/rest/api/{v}/issue/{key}/remotelink/{id}", On::Both, delete_remote),
];

fn types(call: &Call<'_>) -> Result<Answer> {
    let ids: Vec<i64> = call.work.all("SELECT id FROM link_type ORDER BY name", [], |row| row.get(0))?;
    let all: Vec<_> = ids.into_iter().map(|id| call.view.link_type(id)).collect::<Result<_>>()?;
    Answer::ok(json!({ "issueLinkTypes": all }))
}

fn one_type(call: &Call<'_>) -> Result<Answer> {
    let missing = "No issue link type found for the id.";
    match call.view.link_type(call.id("id", missing)?)? {
        Json::Null => Err(Fault::missing(missing)),
        found => Answer::ok(found),
    }
}

/// A link that a request describes.
struct Described {
    kind: i64,
    source: Issue,
    destination: Issue,
}

fn create(call: &Call<'_>) -> Result<Answer> {
    let body = call.json()?;
    let end = |name: &str| -> Result<Issue> {
        let named = &body[name];
        let key = named["key"].as_str().or(named["id"].as_str()).unwrap_or_default();
        visible(call, key).map_err(|_| Fault::missing(format!("No issue found for {name}.")))
    };
    // "inwardIssue" is the end from which the outward name is read: A blocks B has A as inwardIssue and B as outwardIssue.
    let described = Described {
        kind: kind_of(call, &body)?,
        source: end("inwardIssue")?,
        destination: end("outwardIssue")?,
    };
    store(call, &described)?;
    if let Some(comment) = body.get("comment").filter(|it| !it.is_null()) {
        comment::add(call, &described.source, comment)?;
    }
    Ok(Answer::Empty(201))
}

/// Adds a link of a request to an issue that is made or changed: it names the other end.
pub(crate) fn add_to(call: &Call<'_>, issue: &Issue, body: &Json) -> Result<()> {
    let kind = kind_of(call, body)?;
    let other = |name: &str| -> Result<Option<Issue>> {
        let named = body.get(name).and_then(|it| it["key"].as_str().or(it["id"].as_str()));
        named.map(|it| visible(call, it)).transpose()
    };
    let described = match (other("outwardIssue")?, other("inwardIssue")?) {
        (Some(destination), _) => Described { kind, source: issue.clone(), destination },
        (None, Some(source)) => Described { kind, source, destination: issue.clone() },
        (None, None) => return Err(Fault::of_field("issuelinks", "An issue link needs another issue.")),
    };
    store(call, &described)
}

fn kind_of(call: &Call<'_>, body: &Json) -> Result<i64> {
    let named = &body["type"];
    let sql = "SELECT id FROM link_type WHERE name = ?1 COLLATE NOCASE OR CAST(id AS TEXT) = ?2
        OR inward = ?1 COLLATE NOCASE OR outward = ?1 COLLATE NOCASE";
    let found = call.work.one(sql, (named["name"].as_str(), named["id"].as_str()), |row| row.get(0))?;
    let name = named["name"].as_str().unwrap_or_default();
    found.ok_or_else(|| Fault::missing(format!("No issue link type with name '{name}' found.")))
}

fn store(call: &Call<'_>, link: &Described) -> Result<()> {
    require(call, &link.source, "LINK_ISSUES", "You do not have permission to link issues in this project.")?;
    if link.source.id == link.destination.id {
        return Err(Fault::bad("You cannot link an issue to itself."));
    }
    let sql = "INSERT OR IGNORE INTO link (id, link_type_id, source_id, destination_id)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM link), ?1, ?2, ?3)";
    if call.work.run(sql, (link.kind, link.source.id, link.destination.id))? == 0 {
        return Ok(());
    }
    log(call, link, true)
}

/// Adds an entry about a link to the history of both ends.
fn log(call: &Call<'_>, link: &Described, is_new: bool) -> Result<()> {
    let sql = "SELECT outward, inward FROM link_type WHERE id = ?1";
    let words: Option<(String, String)> =
        call.work.one(sql, [link.kind], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (outward, inward) = words.unwrap_or_default();
    for (own, other, word) in
        [(&link.source, &link.destination, outward), (&link.destination, &link.source, inward)]
    {
        let side = Some((other.key.clone(), format!("This issue {word} {}", other.key)));
        let item =
            if is_new { Item::of_system("Link", None, side) } else { Item::of_system("Link", side, None) };
        issue::log(call.work, own.id, call.person, &[item])?;
    }
    Ok(())
}

/// Returns the link of the path, whose ends the caller may see.
fn link_of_path(call: &Call<'_>) -> Result<(i64, Described)> {
    let missing = || Fault::missing(format!("No issue link with id '{}' exists.", call.param("id")));
    let id: i64 = call.param("id").parse().map_err(|_| missing())?;
    let sql = "SELECT link_type_id, source_id, destination_id FROM link WHERE id = ?1";
    let found: Option<(i64, i64, i64)> =
        call.work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (kind, source, destination) = found.ok_or_else(missing)?;
    let seen = |id: i64| visible(call, &id.to_string()).map_err(|_| missing());
    Ok((id, Described { kind, source: seen(source)?, destination: seen(destination)? }))
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let (id, link) = link_of_path(call)?;
    Answer::ok(json!({
        "id": id.to_string(),
        "self": call.view.api(&format!("issueLink/{id}")),
        "type": call.view.link_type(link.kind)?,
        "inwardIssue": call.view.related(link.source.id)?,
        "outwardIssue": call.view.related(link.destination.id)?,
    }))
}

fn delete(call: &Call<'_>) -> Result<Answer> {
    let (id, link) = link_of_path(call)?;
    require(call, &link.source, "LINK_ISSUES", "You do not have permission to link issues in this project.")?;
    call.work.run("DELETE FROM link WHERE id = ?1", [id])?;
    log(call, &link, false)?;
    Answer::done()
}

fn remote_json(call: &Call<'_>, issue: &Issue, id: i64) -> Result<Json> {
    let sql = "SELECT global_id, relationship, application, object FROM remote_link WHERE id = ?1 AND issue_id = ?2";
    let found = call.work.one(sql, (id, issue.id), |row| {
        let text = |at: usize| row.get::<_, Option<String>>(at);
        Ok((text(0)?, text(1)?, text(2)?, text(3)?))
    })?;
    let missing = || Fault::missing(format!("No remote issue link with id '{id}' exists."));
    let (global, relationship, application, object) = found.ok_or_else(missing)?;
    let read = |text: Option<String>| text.and_then(|it| serde_json::from_str::<Json>(&it).ok());
    let mut value = json!({
        "id": id,
        "self": call.view.api(&format!("issue/{}/remotelink/{id}", issue.key)),
        "object": read(object).unwrap_or_default(),
        "application": read(application).unwrap_or_else(|| json!({})),
    });
    if let Some(global) = global {
        value["globalId"] = json!(global);
    }
    if let Some(relationship) = relationship {
        value["relationship"] = json!(relationship);
    }
    Ok(value)
}

fn remote_links(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let sql = "SELECT id FROM remote_link WHERE issue_id = ?1 AND (?2 IS NULL OR global_id = ?2) ORDER BY id";
    let ids: Vec<i64> = call.work.all(sql, (issue.id, call.query("globalId")), |row| row.get(0))?;
    let all: Vec<_> = ids.into_iter().map(|id| remote_json(call, &issue, id)).collect::<Result<_>>()?;
    if call.query("globalId").is_some() {
        let missing = || Fault::missing("No remote issue link with this globalId exists.");
        return Answer::ok(all.into_iter().next().ok_or_else(missing)?);
    }
    Answer::ok(Json::Array(all))
}

fn remote_link(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    let id = call.id("id", "No remote issue link with this id exists.")?;
    Answer::ok(remote_json(call, &issue, id)?)
}

fn add_remote(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    require(call, &issue, "LINK_ISSUES", "You do not have permission to link issues in this project.")?;
    let body = call.object()?;
    let object = body.get("object").filter(|it| it.is_object());
    let text =
        |name: &str| object.and_then(|it| it.get(name)).and_then(Json::as_str).filter(|it| !it.is_empty());
    for name in ["title", "url"] {
        if text(name).is_none() {
            return Err(Fault::of_field(name, format!("'{name}' is required.")));
        }
    }
    let global = body.get("globalId").and_then(Json::as_str);
    let existing = "SELECT id FROM remote_link WHERE issue_id = ?1 AND global_id = ?2";
    let existing: Option<i64> = call.work.one(existing, (issue.id, global), |row| row.get(0))?;
    let values = (
        issue.id,
        global,
        body.get("relationship").and_then(Json::as_str),
        body.get("application").map(Json::to_string),
        object.map(Json::to_string),
    );
    let (status, id) = match existing {
        Some(id) => {
            let sql = "UPDATE remote_link SET relationship = ?2, application = ?3, object = ?4 WHERE id = ?1";
            call.work.run(sql, (id, values.2, values.3, values.4))?;
            (200, id)
        }
        None => {
            let sql = "INSERT INTO remote_link (id, issue_id, global_id, relationship, application, object)
                VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM remote_link), ?1, ?2, ?3, ?4, ?5)";
            // Data Center answers 200 whether the link is new or not.
            (if call.work.is_cloud() { 201 } else { 200 }, call.work.add(sql, values)?)
        }
    };
    issue::touch(call.work, issue.id)?;
    let link = call.view.api(&format!("issue/{}/remotelink/{id}", issue.key));
    Ok(Answer::Json(status, json!({ "id": id, "self": link })))
}

fn delete_remote(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    require(call, &issue, "LINK_ISSUES", "You do not have permission to link issues in this project.")?;
    let id = call.id("id", "No remote issue link with this id exists.")?;
    if call.work.run("DELETE FROM remote_link WHERE id = ?1 AND issue_id = ?2", (id, issue.id))? == 0 {
        return Err(Fault::missing("No remote issue link with this id exists."));
    }
    issue::touch(call.work, issue.id)?;
    Answer::done()
}
