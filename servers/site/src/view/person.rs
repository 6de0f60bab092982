//! The JSON of people: account ids on Cloud, user names and keys on Data Center.

use serde_json::{Value, json};

use super::View;
use crate::fault::Result;

impl View<'_> {
    /// Returns a person, as issues and lists show people.
    pub(crate) fn person(&self, id: i64) -> Result<Value> {
        self.row("person", id, |it, row| {
            let active: bool = row.get("active")?;
            let name: String = row.get("display_name")?;
            let email: String = row.get("email")?;
            let zone: String = row.get("time_zone")?;
            let avatars = it.avatars(&format!("{}/secure/useravatar?ownerId={id}", it.base));
            if it.work.is_cloud() {
                let account: String = row.get("account_id")?;
                let link = url::form_urlencoded::byte_serialize(account.as_bytes()).collect::<String>();
                return Ok(json!({
                    "self": it.api(&format!("user?accountId={link}")),
                    "accountId": account,
                    "emailAddress": email,
                    "avatarUrls": avatars,
                    "displayName": name,
                    "active": active,
                    "timeZone": zone,
                    "accountType": row.get::<_, String>("account_type")?,
                }));
            }
            let user: String = row.get("name")?;
            let link = url::form_urlencoded::byte_serialize(user.as_bytes()).collect::<String>();
            Ok(json!({
                "self": it.api(&format!("user?username={link}")),
                "name": user,
                "key": row.get::<_, String>("key")?,
                "emailAddress": email,
                "avatarUrls": avatars,
                "displayName": name,
                "active": active,
                "timeZone": zone,
            }))
        })
    }
}
