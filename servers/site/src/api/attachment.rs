//! `attachment` and `issue/{key}/attachments`: files of issues.

use serde_json::Value as Json;

use super::issue::{of_path, require, visible};
use super::{Access, On, Operation, operation};
use crate::call::{Answer, Body, Call};
use crate::fault::{Fault, Result};
use crate::issue::{self, Item};
use crate::permission;

pub(crate) const OPERATIONS: &[Operation] = &[
    operation("POST", "/rest/api/{v}/issue/{key}/attachments", On::Both, upload),
    operation("GET", "/rest/api/{v}/attachment/{id}", On::Both, get),
    operation("DELETE", "/rest/api/{v}/attachment/{id}", On::Both, delete),
    operation("GET", "/rest/api/{v}/attachment/meta", On::Both, settings),
    operation("GET", "/rest/api/{v}/attachment/content/{id}", On::Cloud, content),
    operation("GET", "/rest/api/{v}/attachment/thumbnail/{id}", On::Cloud, content),
    operation("GET", "/secure/attachment/{id}/{name}", On::DataCenter, file),
    // The address that `content` leads to. It needs no login: its name is the secret, as on Cloud.
    Operation { access: Access::Anyone, ..operation("GET", "/_media/{secret}", On::Cloud, media) },
];

/// The largest file, in bytes.
const MAX_FILE: usize = 20 << 20;

fn upload(call: &Call<'_>) -> Result<Answer> {
    let issue = of_path(call)?;
    require(
        call,
        &issue,
        "CREATE_ATTACHMENTS",
        "You do not have permission to create attachments for this issue.",
    )?;
    let Body::Files(files) = call.body else { return Err(Fault::new(415, "Expected multipart/form-data.")) };
    if files.is_empty() {
        return Err(Fault::bad("No files were uploaded: the part must be named 'file'."));
    }
    let mut made = Vec::new();
    for file in files {
        if file.bytes.len() > MAX_FILE {
            let message =
                format!("The file '{}' exceeds its maximum permitted size of {MAX_FILE} bytes.", file.name);
            return Err(Fault::new(413, message));
        }
        let sql = "INSERT INTO attachment (id, issue_id, filename, author_id, created, media_type, content)
            VALUES ((SELECT coalesce(max(id), 9999) + 1 FROM attachment), ?1, ?2, ?3, ?4, ?5, ?6)";
        let values = (issue.id, &file.name, call.person, call.work.now, &file.media_type, &file.bytes[..]);
        let id = call.work.add(sql, values)?;
        let item = Item::of_system("Attachment", None, Some((id.to_string(), file.name.clone())));
        issue::log(call.work, issue.id, call.person, &[item])?;
        made.push(call.view.attachment(id)?);
    }
    Answer::ok(Json::Array(made))
}

/// Returns the attachment of the path, if the caller may see its issue.
fn of_attachment(call: &Call<'_>) -> Result<(i64, issue::Issue)> {
    let missing = || Fault::missing(format!("The attachment with id '{}' does not exist", call.param("id")));
    let id: i64 = call.param("id").parse().map_err(|_| missing())?;
    let sql = "SELECT issue_id FROM attachment WHERE id = ?1";
    let owner: Option<i64> = call.work.one(sql, [id], |row| row.get(0))?;
    let issue = visible(call, &owner.ok_or_else(missing)?.to_string()).map_err(|_| missing())?;
    Ok((id, issue))
}

fn get(call: &Call<'_>) -> Result<Answer> {
    let (id, _) = of_attachment(call)?;
    let mut value = call.view.attachment(id)?;
    if call.work.is_cloud() {
        // Here the id is a number.
        value["id"] = Json::from(id);
    }
    Answer::ok(value)
}

fn delete(call: &Call<'_>) -> Result<Answer> {
    let (id, issue) = of_attachment(call)?;
    let sql = "SELECT author_id, filename FROM attachment WHERE id = ?1";
    let found: Option<(i64, String)> = call.work.one(sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (author, name) = found.unwrap_or_default();
    if author != call.person
        && !permission::can(call.work, call.person, issue.project_id, "DELETE_ALL_ATTACHMENTS")?
    {
        return Err(Fault::new(403, "You do not have permission to delete attachment with id."));
    }
    call.work.run("DELETE FROM attachment WHERE id = ?1", [id])?;
    let item = Item::of_system("Attachment", Some((id.to_string(), name)), None);
    issue::log(call.work, issue.id, call.person, &[item])?;
    Answer::done()
}

fn settings(_: &Call<'_>) -> Result<Answer> {
    Answer::ok(serde_json::json!({ "enabled": true, "uploadLimit": MAX_FILE }))
}

/// The file, or where it is: as Jira Cloud, another address unless `redirect=false`.
fn content(call: &Call<'_>) -> Result<Answer> {
    let (id, _) = of_attachment(call)?;
    if !call.flag("redirect", true) {
        return bytes(call, id);
    }
    Ok(Answer::See(format!("{}/_media/{}", call.view.base, secret(id))))
}

fn file(call: &Call<'_>) -> Result<Answer> {
    let (id, _) = of_attachment(call)?;
    bytes(call, id)
}

fn media(call: &Call<'_>) -> Result<Answer> {
    let ids: Vec<i64> = call.work.all("SELECT id FROM attachment", [], |row| row.get(0))?;
    let found = ids.into_iter().find(|id| secret(*id) == call.param("secret"));
    bytes(call, found.ok_or_else(|| Fault::missing("no such file"))?)
}

/// The name of a file at its other address.
fn secret(id: i64) -> String {
    crate::identity::hash(&format!("media {id}"))
}

fn bytes(call: &Call<'_>, id: i64) -> Result<Answer> {
    let sql = "SELECT filename, media_type, content FROM attachment WHERE id = ?1";
    let found = call.work.one(sql, [id], |row| {
        Ok(Answer::File { name: row.get(0)?, media_type: row.get(1)?, bytes: row.get(2)? })
    })?;
    found.ok_or_else(|| Fault::missing("no such file"))
}
