//! Watchers: the people who are told of changes of an issue.

use plainwire::Entries;
use plainwire::prelude::*;

use super::worklogs::given;
use crate::jira::Jira;
use crate::jira::key::Key;
use crate::jira::people::{Among, Person};
use crate::jira::shown::Cast;
use crate::rest::Request;
use crate::tools::write;
use crate::write::{Change, FieldChange, How, Inverse, Journal, Plan, Restore, Step};

/// The tools of this file.
pub(crate) fn entries() -> Entries {
    Entries::new().tool(jira_get_issue_watchers).tool(jira_add_watcher).tool(jira_remove_watcher)
}

/// The watchers of an issue.
#[data(kind = "jiraWatchers:v1")]
struct WatchersView {
    count: u64,
    /// Whether the account of this server is one of them.
    is_watching: bool,
    people: Value,
}

/// Lists the people who watch an issue. Returns their names and how many they are.
#[tool(read_only, title = "Watchers of an issue")]
async fn jira_get_issue_watchers(
    #[argument("Such as SHOP-1.")] issue_key: String,
    jira: State<Jira>,
) -> Result<WatchersView, ToolError> {
    let key = jira.key(&issue_key).await?;
    let mut found = jira.watchers(key.as_str(), &mut Cast::default()).await?;
    Ok(WatchersView {
        count: found["count"].as_u64().unwrap_or_default(),
        is_watching: found["is_watching"] == true,
        people: found["people"].take(),
    })
}

/// Makes a person a watcher of an issue. Returns the change and an undo handle.
#[tool(additive, idempotent, title = "Add a watcher")]
async fn jira_add_watcher(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("`me`, a name, an e-mail or an account id.")] user_identifier: String,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&issue_key).await?;
    let person = jira.person(&user_identifier, Among::All, "user_identifier").await?;
    let plan = plan(&jira, &key, &person, Wish::Watches).await?;
    let mut change = write(&jira, &journal, &context, plan, preview).await?;
    if !preview && !is_watching(&jira, &key, &person).await? {
        let who = &person.display_name;
        change.warnings.push(format!(
            "the site took the change, but {who} does not watch {key}: they may not be allowed to see it"
        ));
    }
    Ok(change)
}

/// Takes a person off the watchers of an issue; name them in one of the arguments. Returns the change and an undo handle.
#[tool(destructive, idempotent, title = "Remove a watcher")]
async fn jira_remove_watcher(
    #[argument("Such as SHOP-1.")] issue_key: String,
    #[argument("A user name.")] username: Option<String>,
    #[argument("An account id.")] account_id: Option<String>,
    #[argument("`me`, a name, an e-mail or an account id.")] user_identifier: Option<String>,
    #[argument("Only show it.", default = false)] preview: bool,
    jira: State<Jira>,
    journal: State<Journal>,
    context: Context,
) -> Result<Change, ToolError> {
    let key = jira.key(&issue_key).await?;
    let named = [&user_identifier, &account_id, &username].into_iter().find_map(|it| given(it.as_deref()));
    let who =
        named.ok_or_else(|| ToolError::invalid_input("expected `user_identifier`, but found nothing"))?;
    let person = jira.person(who, Among::All, "user_identifier").await?;
    let plan = plan(&jira, &key, &person, Wish::DoesNotWatch).await?;
    write(&jira, &journal, &context, plan, preview).await
}

/// What a person is to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    DoesNotWatch,
    Watches,
}

/// Plans a change of the watchers.
///
/// Source: `POST` and `DELETE /rest/api/{v}/issue/{key}/watchers`.
async fn plan(jira: &Jira, key: &Key, person: &Person, wish: Wish) -> Result<Plan, ToolError> {
    let path = jira.path(["issue", key.as_str(), "watchers"]);
    let query = vec![(jira.dialect().person_parameter.to_owned(), person.id().to_owned())];
    let add = Request::post(path.clone()).json(&person.id());
    let remove = query.iter().fold(Request::delete(path.clone()), |it, (name, value)| it.query(name, value));
    let name = json!(person.display_name);
    let (summary, tool, old, new, request, how) = match wish {
        Wish::Watches => {
            let how = How::Delete { query };
            (
                format!("let {} watch {key}", person.display_name),
                "jira_add_watcher",
                Value::Null,
                name,
                add,
                how,
            )
        }
        Wish::DoesNotWatch => {
            let how = How::Send { method: "POST".to_owned(), body: json!(person.id()) };
            (
                format!("let {} no longer watch {key}", person.display_name),
                "jira_remove_watcher",
                name,
                Value::Null,
                remove,
                how,
            )
        }
    };
    let mut plan = Plan {
        tool,
        target: key.as_str().to_owned(),
        summary,
        changes: vec![FieldChange::new("watcher", old, new)],
        steps: vec![Step::from(request)],
        inverse: Inverse::Steps(vec![Restore { path, how }]),
        warnings: Vec::new(),
    };
    if is_watching(jira, key, person).await? == (wish == Wish::Watches) {
        plan.changes.clear();
        plan.steps.clear();
        plan.inverse = Inverse::Steps(Vec::new());
        plan.warnings.push("nothing is to be done: it is so already".to_owned());
    }
    Ok(plan)
}

async fn is_watching(jira: &Jira, key: &Key, person: &Person) -> Result<bool, ToolError> {
    let found: Value = jira.site().json(jira.get(["issue", key.as_str(), "watchers"])).await?;
    let mut all = found["watchers"].as_array().into_iter().flatten();
    Ok(all.any(|it| it[jira.dialect().person] == person.id()))
}
