//! Watching issues for those who are subscribed to them: Jira tells nobody of a change, so it is asked.
//!
//! In: the resources that clients are subscribed to, and how often to ask. Out: a notification for each issue whose `updated` is another than
//! before, and for a new one that was changed just before its first look: the client may have read it earlier. Nothing is asked while nobody
//! is subscribed. Changes by tools of this server are told at once, elsewhere.

use std::collections::BTreeMap;
use std::time::Duration;

use plainwire::ToolError;
use plainwire::handler::Subscriptions;
use tokio::time::{Instant, timeout_at};

use crate::jira::Jira;
use crate::jira::search::{Found, Query, quoted};
use crate::rest::{Kind, Upstream};

/// The largest number of issues that are watched. Further subscriptions hear of changes by tools of this server only.
const MAX_WATCHED: usize = 500;

/// The largest number of issues that one request asks for.
const MAX_ASKED: usize = 50;

/// The longest key, in bytes.
const MAX_KEY: usize = 255;

/// The time before the first look at an issue in which a change counts as one after the subscription, for JQL. Such a look comes within
/// seconds, but can wait for one that is slow. A client that hears of a change which it knew reads the issue once more.
const JUST_NOW: &str = "-2m";

/// The shortest time between two rounds.
const MIN_EVERY: Duration = Duration::from_millis(20);

/// The issues that clients are subscribed to: the URIs of each, by its key.
type Watched = BTreeMap<String, Vec<String>>;

/// The state of each issue in the last round; `None` for one that does not exist, or is hidden.
type Seen = BTreeMap<String, Option<State>>;

/// The state of an issue, which another one follows after each change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// The key that it has now: another one than it is watched by, if it was moved.
    key: String,
    updated: String,
}

/// Watches issues until it is dropped.
pub(crate) async fn watch(jira: Jira, every: Duration, mut subscriptions: Subscriptions) {
    let every = every.max(MIN_EVERY);
    let mut seen = Seen::new();
    let mut next = Instant::now() + every;
    let mut is_round = false;
    loop {
        let watched = watched(subscriptions.uris());
        seen.retain(|key, _| watched.contains_key(key));
        // A new one is asked at once, so that there is something to compare with. One that was not there is not asked again.
        let is_due = |key: &String| seen.get(key).is_none_or(|it| is_round && it.is_some());
        let due: Vec<String> = watched.keys().filter(|key| is_due(key)).cloned().collect();
        match look(&jira, due).await {
            Ok(found) => {
                let (mut changed, mut new) = (Vec::new(), Seen::new());
                for (key, now) in found {
                    match seen.insert(key.clone(), now.clone()) {
                        Some(before) if before != now => changed.push(key),
                        Some(_) => {}
                        None => drop(new.insert(key, now)),
                    }
                }
                changed.extend(just_changed(&jira, &new).await);
                let uris = changed.iter().filter_map(|key| watched.get(key)).flatten();
                uris.for_each(|uri| subscriptions.notify_resource_updated(uri));
            }
            Err(error) => tracing::warn!("subscribed issues could not be looked at: {}", error.message()),
        }
        is_round = Instant::now() >= next || timeout_at(next, subscriptions.changed()).await.is_err();
        if is_round {
            next = Instant::now() + every;
        }
    }
}

/// Returns the issues among resources.
fn watched(uris: Vec<String>) -> Watched {
    let mut all = Watched::new();
    for uri in uris {
        if let Some(key) = key_of(&uri) {
            all.entry(key).or_default().push(uri);
        }
    }
    if all.len() > MAX_WATCHED {
        tracing::warn!("{} issues are subscribed to, and only {MAX_WATCHED} are watched", all.len());
        all = all.into_iter().take(MAX_WATCHED).collect();
    }
    all
}

/// Returns the key in the URI of an issue.
fn key_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("jira://")?;
    let key = rest.strip_prefix("issues/").unwrap_or(rest);
    let is_key =
        key.len() <= MAX_KEY && key.chars().all(|it| it.is_alphanumeric() || matches!(it, '-' | '_'));
    (is_key && key.ends_with(|it: char| it.is_ascii_digit())).then(|| key.to_uppercase())
}

/// Returns those issues that were changed just now, by the clock of the site.
async fn just_changed(jira: &Jira, new: &Seen) -> Vec<String> {
    let mut changed = Vec::new();
    let states: Vec<(&String, &State)> =
        new.iter().filter_map(|(key, state)| Some((key, state.as_ref()?))).collect();
    for states in states.chunks(MAX_ASKED) {
        let keys: Vec<String> = states.iter().map(|(_, it)| it.key.clone()).collect();
        let found = match ask(jira, &keys, Some(JUST_NOW)).await {
            Ok(Ok(found)) => found.issues,
            // What changes from now on is heard all the same.
            Ok(Err(_)) | Err(_) => continue,
        };
        let is_found = |state: &State| found.iter().any(|it| it.key == state.key);
        changed.extend(states.iter().filter(|(_, it)| is_found(it)).map(|(key, _)| (*key).clone()));
    }
    changed
}

/// Returns the state of each issue. One request asks for many; only if the site refuses a key, or answers another one since the issue was
/// moved, parts are asked for alone.
async fn look(jira: &Jira, keys: Vec<String>) -> Result<Seen, ToolError> {
    let mut seen = Seen::new();
    let mut waiting: Vec<Vec<String>> = keys.chunks(MAX_ASKED).map(<[String]>::to_vec).collect();
    while let Some(keys) = waiting.pop() {
        match ask(jira, &keys, None).await? {
            Ok(found) => {
                let of = |key: &str| {
                    found.issues.iter().find(|it| it.key.eq_ignore_ascii_case(key) || it.id == key)
                };
                for key in &keys {
                    let issue = of(key).or(found.issues.first().filter(|_| keys.len() == 1));
                    match issue {
                        Some(issue) => {
                            let (now, updated) = (issue.key.clone(), issue.value("updated").to_string());
                            seen.insert(key.clone(), Some(State { key: now, updated }));
                        }
                        None if keys.len() == 1 => drop(seen.insert(key.clone(), None)),
                        None => waiting.push(vec![key.clone()]),
                    }
                }
            }
            Err(error) if !matches!(error.kind(), Kind::Invalid | Kind::NotFound) => return Err(error.into()),
            Err(_) if keys.len() > 1 => {
                let (left, right) = keys.split_at(keys.len() / 2);
                waiting.extend([left.to_vec(), right.to_vec()]);
            }
            Err(_) => seen.extend(keys.into_iter().map(|key| (key, None))),
        }
    }
    Ok(seen)
}

/// Finds issues: all, or those that were changed since a time.
///
/// Source: search with `key in (…)`. On Cloud its index may be some seconds behind.
async fn ask(
    jira: &Jira,
    keys: &[String],
    since: Option<&str>,
) -> Result<Result<Found, Upstream>, ToolError> {
    let listed: Vec<_> = keys.iter().map(|it| quoted(it)).collect();
    let since = since.map_or(String::new(), |it| format!(" AND updated >= {it}"));
    let jql = jira.limited(&format!("key in ({}){since}", listed.join(", "))).await?;
    let query = Query { jql, fields: "updated".to_owned(), limit: MAX_ASKED as u64, start: 0, token: None };
    Ok(jira.search(&query).await)
}

#[cfg(test)]
mod tests {
    use super::{MAX_WATCHED, key_of, watched};

    #[test]
    fn only_issues_are_watched_each_once() {
        for (uri, key) in [
            ("jira://issues/SHOP-1", Some("SHOP-1")),
            ("jira://shop-1", Some("SHOP-1")),
            ("jira://OPS_2-7", Some("OPS_2-7")),
            ("jira://issues/10001", Some("10001")),
            ("jira://projects/SHOP", None),
            ("jira://boards/1/sprint", None),
            ("jira://issues/SHOP-1%22)", None),
            ("confluence://pages/1", None),
        ] {
            assert_eq!(key_of(uri).as_deref(), key, "{uri}");
        }
        let both = watched(vec!["jira://issues/SHOP-1".to_owned(), "jira://SHOP-1".to_owned()]);
        assert_eq!(both.len(), 1);
        let many = (0..MAX_WATCHED + 5).map(|it| format!("jira://issues/A-{it}")).collect();
        assert_eq!(watched(many).len(), MAX_WATCHED);
    }
}
