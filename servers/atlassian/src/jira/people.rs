//! People by what they are called.
//!
//! In: `me`, an account id, a user key, a user name, an e-mail address or a display name. Out: the person, or a question if several have
//! the name. Nothing is guessed.

use plainwire::ToolError;
use serde::Deserialize;

use super::Jira;
use super::question::question;
use crate::rest::{Request, Upstream};

/// The largest number of people that are looked at for a name.
const MAX_FOUND: usize = 50;

/// The largest number of people that a question offers.
const MAX_OFFERED: usize = 10;

/// A person, as Jira answers it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", default)]
pub struct Person {
    /// The id on Cloud.
    pub account_id: Option<String>,
    /// The user name in Data Center.
    pub name: Option<String>,
    /// The key in Data Center.
    pub key: Option<String>,
    /// The name for people.
    pub display_name: String,
    /// The address, if the caller may see it.
    pub email_address: Option<String>,
    /// Whether the account is in use.
    pub active: bool,
    /// The time zone.
    pub time_zone: Option<String>,
}

impl Person {
    /// Returns what names this person in requests.
    pub fn id(&self) -> &str {
        self.account_id.as_deref().or(self.name.as_deref()).or(self.key.as_deref()).unwrap_or_default()
    }

    /// Returns whether a text is one of the names by which there is only one person.
    fn is_called(&self, text: &str) -> bool {
        let same = |it: &Option<String>| it.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(text));
        same(&self.account_id) || same(&self.name) || same(&self.key) || same(&self.email_address)
    }
}

/// The people among whom one is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Among<'a> {
    /// All of the site.
    All,
    /// Those who may be assigned issues of a project.
    AssignableInProject(&'a str),
    /// Those who may be assigned an issue.
    AssignableTo(&'a str),
}

/// Returns whether a text means that there is no person.
pub fn is_no_one(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    matches!(text.as_str(), "" | "no one" | "noone" | "nobody" | "none" | "null" | "unassigned" | "unassign")
}

impl Jira {
    /// Returns people whose name, user name or address begins with a text.
    ///
    /// # Errors
    /// Those of the site.
    pub async fn find_people(
        &self,
        text: &str,
        among: Among<'_>,
        most: usize,
    ) -> Result<Vec<Person>, Upstream> {
        let path = match among {
            Among::All => self.path(["user", "search"]),
            _ => self.path(["user", "assignable", "search"]),
        };
        let request =
            Request::get(path).query(self.dialect.people_query, text).query("maxResults", most.to_string());
        let request = match among {
            Among::All => request,
            Among::AssignableInProject(project) => request.query("project", project),
            Among::AssignableTo(issue) => request.query("issueKey", issue),
        };
        self.site.json(request).await
    }

    /// Returns the person that a text means. `argument` is the argument of the tool that is the text, for a question; nothing if the text is
    /// only a part of one.
    ///
    /// # Errors
    /// No such person; several of the name, as a question.
    pub async fn person<'a>(
        &self,
        text: &str,
        among: Among<'_>,
        argument: impl Into<Option<&'a str>>,
    ) -> Result<Person, ToolError> {
        let argument = argument.into();
        // Some say that an id is one.
        let text = text.trim().trim_start_matches("accountid:");
        if matches!(text.to_lowercase().as_str(), "me" | "myself" | "currentuser()") {
            let myself = self.myself().await?.clone();
            return serde_json::from_value(myself)
                .map_err(|error| ToolError::new("upstream", error.to_string()));
        }
        // An id has no blanks: it is asked for directly.
        if !text.contains(' ')
            && let Ok(person) = self.by_id(text).await
        {
            return Ok(person);
        }
        let found = self.find_people(text, among, MAX_FOUND).await?;
        if let Some(person) = found.iter().find(|it| it.is_called(text)) {
            return Ok(person.clone());
        }
        let named: Vec<_> =
            found.iter().filter(|it| it.display_name.to_lowercase() == text.to_lowercase()).collect();
        match (named.as_slice(), found.as_slice()) {
            ([person], _) => Ok((*person).clone()),
            ([], []) => Err(nobody(text, among)),
            ([], several) => Err(ask(text, argument, several.iter(), "no one is called exactly so")),
            (several, _) => Err(ask(text, argument, several.iter().copied(), "several people are called so")),
        }
    }

    async fn by_id(&self, id: &str) -> Result<Person, Upstream> {
        let by = |parameter: &str| self.get(["user"]).query(parameter, id);
        match self.site.json(by(self.dialect.person_parameter)).await {
            // In Data Center, a person also has a key.
            Err(error) if self.dialect.person_parameter != "accountId" => {
                self.site.json(by("key")).await.map_err(|_: Upstream| error)
            }
            found => found,
        }
    }
}

fn nobody(text: &str, among: Among<'_>) -> ToolError {
    let (who, hint) = match among {
        Among::All => ("person", "jira_search_users finds people by a part of their name"),
        _ => ("person who may be assigned", "jira_search_assignable_users finds people who may be assigned"),
    };
    ToolError::not_found(format!("there is no {who} {text:?}")).hint(hint)
}

fn ask<'a>(
    text: &str,
    argument: Option<&str>,
    people: impl Iterator<Item = &'a Person>,
    why: &str,
) -> ToolError {
    let choices = people.take(MAX_OFFERED).map(|it| {
        let more = it.email_address.as_deref().unwrap_or_default();
        let state = if it.active { "" } else { ", deactivated" };
        (it.id().to_owned(), format!("{} {more}{state}", it.display_name).trim_end().to_owned())
    });
    question(format!("it is not clear who {text:?} is: {why}"), "Who is meant?", argument, choices)
}
