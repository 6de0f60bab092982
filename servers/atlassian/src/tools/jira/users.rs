//! People: finding them, and who this server is.

use plainwire::Entries;
use plainwire::prelude::*;

use super::worklogs::given;
use crate::jira::Jira;
use crate::jira::people::{Among, Person};
use crate::tools::args;

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new()
        .tool(jira_get_user_profile)
        .tool(jira_search_assignable_users)
        .tool(jira_search_users)
        .tool(jira_whoami)
}

/// The largest number of people of an answer.
const MAX_PEOPLE: u64 = 100;

/// A person.
#[data(kind = "jiraPerson:v1")]
struct PersonView {
    /// What names the person in other calls without a doubt.
    id: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// Whether the account is in use.
    active: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_zone: Option<String>,
    /// The key of an account in Data Center.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl From<&Person> for PersonView {
    fn from(it: &Person) -> Self {
        Self {
            id: it.id().to_owned(),
            name: it.display_name.clone(),
            email: it.email_address.clone(),
            active: it.active,
            time_zone: it.time_zone.clone(),
            key: it.key.clone().filter(|it| !it.is_empty()),
        }
    }
}

/// Reads the profile of one person. Returns the id, name, e-mail address and time zone; jira_search_users finds people by a part of a name.
#[tool(read_only, title = "Profile of a person")]
async fn jira_get_user_profile(
    #[argument("`me`, a name, an e-mail address, an account id, a user name or a user key.")] user_identifier: String,
    jira: State<Jira>,
) -> Result<PersonView, ToolError> {
    let person = jira.person(&user_identifier, Among::All, "user_identifier").await?;
    Ok(PersonView::from(&person))
}

/// People.
#[data(kind = "jiraPeople:v1")]
struct PeopleView {
    people: Vec<PersonView>,
    /// Whether there may be more than these.
    is_cut: bool,
}

fn people(found: &[Person], most: u64) -> PeopleView {
    let is_cut = found.len() as u64 > most;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    PeopleView { people: found.iter().take(most).map(PersonView::from).collect(), is_cut }
}

/// Finds people who may be assigned issues of a project, or one issue; name one of the two. Returns their ids and names.
#[tool(read_only, title = "Find people to assign")]
async fn jira_search_assignable_users(
    #[argument("A part of the name, user name or e-mail address; nothing for all.")] query: String,
    #[argument("Such as SHOP.")] project_key: Option<String>,
    #[argument("Such as SHOP-1.")] issue_key: Option<String>,
    #[argument("The largest number of people, at most 100.", default = 20)] limit: u64,
    jira: State<Jira>,
) -> Result<PeopleView, ToolError> {
    let most = args::limit(Some(limit), 20, MAX_PEOPLE);
    let asked = usize::try_from(most).unwrap_or(20).saturating_add(1);
    let found = match (given(project_key.as_deref()), given(issue_key.as_deref())) {
        (Some(project), None) => {
            let project = jira.project_key(project).await?;
            jira.find_people(&query, Among::AssignableInProject(&project), asked).await?
        }
        (None, Some(issue)) => {
            let key = jira.key(issue).await?;
            jira.find_people(&query, Among::AssignableTo(key.as_str()), asked).await?
        }
        _ => return Err(ToolError::invalid_input("expected one of `project_key` and `issue_key`")),
    };
    Ok(people(&found, most))
}

/// Finds people of the site by a part of their name. Returns their ids, names and e-mail addresses.
#[tool(read_only, title = "Find people")]
async fn jira_search_users(
    #[argument("A part of the name, user name or e-mail address.")] query: String,
    #[argument("The largest number of people, at most 100.", default = 20)] limit: u64,
    jira: State<Jira>,
) -> Result<PeopleView, ToolError> {
    let most = args::limit(Some(limit), 20, MAX_PEOPLE);
    let asked = usize::try_from(most).unwrap_or(20).saturating_add(1);
    Ok(people(&jira.find_people(&query, Among::All, asked).await?, most))
}

/// The account of the server.
#[data(kind = "jiraAccount:v1")]
struct AccountView {
    person: PersonView,
    /// The address of the site.
    site: String,
    /// Jira Cloud or Jira Data Center.
    product: String,
    /// The projects that the server is limited to; absent without a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    projects: Vec<String>,
}

/// Tells whose account this server uses, and at which site. Returns the person, the address and the product.
#[tool(read_only, title = "Who am I")]
async fn jira_whoami(jira: State<Jira>) -> Result<AccountView, ToolError> {
    let person = jira.person("me", Among::All, "user_identifier").await?;
    Ok(AccountView {
        person: PersonView::from(&person),
        site: jira.site().web().to_string(),
        product: jira.dialect().name.to_owned(),
        projects: jira.projects().to_vec(),
    })
}
