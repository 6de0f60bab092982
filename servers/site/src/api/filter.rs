//! `filter` and `dashboard`: saved searches, and pages of gadgets.

use serde_json::{Value as Json, json};

use super::{On, Operation, operation};
use crate::call::{Answer, Call};
use crate::fault::{Fault, Result};
use crate::jql;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("GET", "/rest/api/{v}/filter/search", On::Cloud, search),
    operation("GET", "/rest/api/{v}/filter/my", On::Cloud, own),
    operation("GET", "/rest/api/{v}/filter/favourite", On::Both, favourites),
    operation("POST", "/rest/api/{v}/filter", On::Both, create),
    operation("GET", "/rest/api/{v}/filter/{id}", On::Both, get),
    operation("PUT", "/rest/api/{v}/filter/{id}", On::Both, edit),
    operation("DELETE", "/rest/api/{v}/filter/{id}", On::Both, delete),
    operation("PUT", "/rest/api/{v}/filter/{id}/favourite", On::Cloud, mark),
    operation("DELETE", "/rest/api/{v}/filter/{id}/favourite", On::Cloud, unmark),
    operation("GET", "/rest/api/{v}/dashboard", On::Both, dashboards),
    operation("GET", "/rest/api/{v}/dashboard/{id}/gadget", On::Cloud, gadgets),
];

/// A filter is seen by its owner, and by all if it is global.
const SEEN: &str = "(owner_id = ?1 OR viewers = 'global')";

fn shown(call: &Call<'_>, id: i64) -> Result<Json> {
    let sql = "SELECT name, description, owner_id, jql, viewers FROM filter WHERE id = ?1";
    let found = call.work.one(sql, [id], |row| {
        let text = |at: usize| row.get::<_, String>(at);
        Ok((text(0)?, text(1)?, row.get::<_, i64>(2)?, text(3)?, text(4)?))
    })?;
    let Some((name, description, owner, jql, viewers)) = found else { return Ok(Json::Null) };
    let favourite = "SELECT 1 FROM favourite_filter WHERE filter_id = ?1 AND person_id = ?2";
    let is_favourite = call.work.one(favourite, (id, call.person), |_| Ok(()))?.is_some();
    let base = &call.view.base;
    let link: String = url::form_urlencoded::byte_serialize(jql.as_bytes()).collect();
    let sharing =
        if viewers == "global" { json!([{ "id": id + 10_000, "type": "loggedin" }]) } else { json!([]) };
    Ok(json!({
        "self": call.view.api(&format!("filter/{id}")), "id": id.to_string(), "name": name, "description": description,
        "owner": call.view.person(owner)?, "jql": jql, "viewUrl": format!("{base}/issues/?filter={id}"),
        "searchUrl": call.view.api(&format!("search?jql={link}")), "favourite": is_favourite, "sharePermissions": sharing,
    }))
}

fn of_path(call: &Call<'_>) -> Result<i64> {
    let missing = || {
        Fault::bad(format!(
            "The selected filter with the ID '{}' is not available to you, perhaps it has been deleted or had its permissions changed.",
            call.param("id")
        ))
    };
    let id: i64 = call.param("id").parse().map_err(|_| missing())?;
    let sql = format!("SELECT id FROM filter WHERE id = ?2 AND {SEEN}");
    call.work.one(&sql, (call.person, id), |row| row.get(0))?.ok_or_else(missing)
}

fn get(call: &Call<'_>) -> Result<Answer> {
    Answer::ok(shown(call, of_path(call)?)?)
}

fn listed(call: &Call<'_>, ids: Vec<i64>) -> Result<Vec<Json>> {
    ids.into_iter().map(|id| shown(call, id)).collect()
}

fn search(call: &Call<'_>) -> Result<Answer> {
    let name = format!("%{}%", call.query("filterName").unwrap_or_default());
    let sql = format!("SELECT id FROM filter WHERE name LIKE ?2 AND {SEEN} ORDER BY name, id");
    let ids = call.work.all(&sql, (call.person, name), |row| row.get(0))?;
    let expand = call.list("expand");
    let mut all = listed(call, ids)?;
    for it in &mut all {
        if let Some(members) = it.as_object_mut() {
            // Lists have only what `expand` names.
            members.retain(|name, _| {
                matches!(name.as_str(), "self" | "id" | "name") || expand.contains(&name.as_str())
            });
        }
    }
    Answer::ok(call.page(50, 100)?.values(all))
}

fn own(call: &Call<'_>) -> Result<Answer> {
    let ids = call.work.all(
        "SELECT id FROM filter WHERE owner_id = ?1 ORDER BY name, id",
        [call.person],
        |row| row.get(0),
    )?;
    Answer::ok(Json::Array(listed(call, ids)?))
}

fn favourites(call: &Call<'_>) -> Result<Answer> {
    let sql = "SELECT f.id FROM filter f JOIN favourite_filter g ON g.filter_id = f.id WHERE g.person_id = ?1 ORDER BY f.name, f.id";
    let ids = call.work.all(sql, [call.person], |row| row.get(0))?;
    Answer::ok(Json::Array(listed(call, ids)?))
}

/// Checks the JQL of a filter, and returns it.
fn checked(call: &Call<'_>, body: &Json) -> Result<String> {
    let text = body["jql"].as_str().unwrap_or_default();
    jql::compile(call.work, call.person, text)?;
    Ok(text.to_owned())
}

fn create(call: &Call<'_>) -> Result<Answer> {
    let body = call.json()?;
    let name = body["name"].as_str().unwrap_or_default().trim();
    if name.is_empty() {
        return Err(Fault::of_field("filterName", "You must specify a name to save this filter as."));
    }
    let taken = "SELECT 1 FROM filter WHERE name = ?1 COLLATE NOCASE AND owner_id = ?2";
    if call.work.one(taken, (name, call.person), |_| Ok(()))?.is_some() {
        return Err(Fault::of_field("filterName", "Filter with same name already exists."));
    }
    let sql = "INSERT INTO filter (id, name, description, owner_id, jql, viewers)
        VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM filter), ?1, ?2, ?3, ?4, 'private')";
    let description = body["description"].as_str().unwrap_or_default();
    let id = call.work.add(sql, (name, description, call.person, checked(call, &body)?))?;
    member_marks(call, id, &body)?;
    Answer::ok(shown(call, id)?)
}

/// Makes a filter a favourite of the caller as its member says. Cloud ignores the member: there, the filter has an address for it.
fn member_marks(call: &Call<'_>, id: i64, body: &Json) -> Result<()> {
    match body["favourite"].as_bool().filter(|_| !call.work.is_cloud()) {
        Some(is_favourite) => set_favourite(call, id, is_favourite),
        None => Ok(()),
    }
}

fn set_favourite(call: &Call<'_>, id: i64, is_favourite: bool) -> Result<()> {
    let sql = match is_favourite {
        true => "INSERT OR IGNORE INTO favourite_filter (filter_id, person_id) VALUES (?1, ?2)",
        false => "DELETE FROM favourite_filter WHERE filter_id = ?1 AND person_id = ?2",
    };
    call.work.run(sql, (id, call.person)).map(drop)
}

fn mark(call: &Call<'_>) -> Result<Answer> {
    let id = of_path(call)?;
    set_favourite(call, id, true)?;
    Answer::ok(shown(call, id)?)
}

fn unmark(call: &Call<'_>) -> Result<Answer> {
    let id = of_path(call)?;
    set_favourite(call, id, false)?;
    Answer::ok(shown(call, id)?)
}

/// Returns the filter of the path, if it is the caller's own.
fn own_of_path(call: &Call<'_>) -> Result<i64> {
    let id = of_path(call)?;
    let sql = "SELECT 1 FROM filter WHERE id = ?1 AND owner_id = ?2";
    match call.work.one(sql, (id, call.person), |_| Ok(()))? {
        Some(()) => Ok(id),
        None => Err(Fault::bad("You do not have permission to change this filter.")),
    }
}

fn edit(call: &Call<'_>) -> Result<Answer> {
    let id = own_of_path(call)?;
    let body = call.json()?;
    if let Some(name) = body["name"].as_str() {
        call.work.run("UPDATE filter SET name = ?1 WHERE id = ?2", (name, id))?;
    }
    if let Some(description) = body["description"].as_str() {
        call.work.run("UPDATE filter SET description = ?1 WHERE id = ?2", (description, id))?;
    }
    if body.get("jql").is_some() {
        call.work.run("UPDATE filter SET jql = ?1 WHERE id = ?2", (checked(call, &body)?, id))?;
    }
    member_marks(call, id, &body)?;
    Answer::ok(shown(call, id)?)
}

fn delete(call: &Call<'_>) -> Result<Answer> {
    let id = own_of_path(call)?;
    call.work.run("DELETE FROM favourite_filter WHERE filter_id = ?1", [id])?;
    call.work.run("DELETE FROM filter WHERE id = ?1", [id])?;
    Answer::done()
}

fn dashboards(call: &Call<'_>) -> Result<Answer> {
    let rows =
        call.work.all("SELECT id, name, owner_id, description FROM dashboard ORDER BY id", [], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, i64>(2)?,
                row.get::<_, String>(3)?,
            ))
        })?;
    let mut all = Vec::new();
    for (id, name, owner, description) in rows {
        let mut it = json!({
            "id": id.to_string(), "name": name, "self": call.view.api(&format!("dashboard/{id}")),
            "view": format!("{}/secure/Dashboard.jspa?selectPageId={id}", call.view.base),
        });
        if call.work.is_cloud() {
            it["owner"] = call.view.person(owner)?;
            it["description"] = json!(description);
            it["isFavourite"] = json!(false);
            it["sharePermissions"] = json!([]);
            it["editPermissions"] = json!([]);
        }
        all.push(it);
    }
    let page = call.page(20, 1_000)?;
    let total = all.len();
    Answer::ok(
        json!({ "startAt": page.start, "maxResults": page.size, "total": total, "dashboards": page.of(all) }),
    )
}

fn gadgets(call: &Call<'_>) -> Result<Answer> {
    let missing = "The dashboard was not found.";
    let id = call.id("id", missing)?;
    if call.work.one("SELECT 1 FROM dashboard WHERE id = ?1", [id], |_| Ok(()))?.is_none() {
        return Err(Fault::missing(missing));
    }
    let sql =
        "SELECT id, module_key, title, color, row, column FROM gadget WHERE dashboard_id = ?1 ORDER BY id";
    let all = call.work.all(sql, [id], |row| {
        Ok(json!({
            "id": row.get::<_, i64>(0)?, "moduleKey": row.get::<_, String>(1)?, "title": row.get::<_, String>(2)?,
            "color": row.get::<_, String>(3)?, "position": { "row": row.get::<_, i64>(4)?, "column": row.get::<_, i64>(5)? },
        }))
    })?;
    Answer::ok(json!({ "gadgets": all }))
}
