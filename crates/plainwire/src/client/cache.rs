//! The cache of answers that a server allows to be used again.
//!
//! In: answers to the four list requests and to `resources/read`, with their `ttlMs` and `cacheScope`;
//! changes that the server reports. Out: answers that are still fresh. Each client has a cache of its own;
//! [`Client::forget_private`](super::Client::forget_private) removes the answers that are private to one
//! login. The answer of a request that was made again after questions is not kept: it depends on the answers
//! to these questions.
//!
//! Spec: 2026-07-28 `caching`. The connection task removes answers, and [`Client`](super::Client) adds them.
//! If a change arrives between a request and its answer, the answer is not kept.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::model::{CacheScope, RawJson};
use serde::Deserialize;
use tokio::time::Instant;

const READ: &str = "resources/read";

/// The most answers in the cache of one client. 256: the pages of a few large lists, and the resources that a
/// model reads in a conversation.
const MAX_ANSWERS: usize = 256;

/// The most bytes of all cached answers together, with the parameters of their requests. 8 MiB: little for
/// any program.
const MAX_BYTES: usize = 8 << 20;

/// The longest time for which an answer is fresh, whatever the server says. A day: the longest that a program
/// should trust a server without contact.
const MAX_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// The cached answers of one connection. Shared by the client and its connection task.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<CacheState>);

#[derive(Debug, Default)]
struct CacheState {
    /// The answers, by method and parameters. Invariant: `bytes` is the sum of the sizes of all answers and
    /// parameters.
    answers: HashMap<(&'static str, String), Answer>,
    bytes: usize,
    /// The number of events so far that may have made answers wrong: changes at the server, and changes of
    /// the login. Counted even if no answer was removed.
    changes: u64,
}

#[derive(Debug)]
struct Answer {
    /// The time until which the answer is fresh.
    fresh_until: Instant,
    raw: RawJson,
    scope: CacheScope,
}

/// The value of [`CacheState::changes`] before a request, by which [`Cache::keep`] sees later changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheVersion(u64);

impl Cache {
    /// Returns a fresh answer, or the value to pass to [`Self::keep`] with the answer of the server.
    pub(super) fn find(&self, method: &'static str, params: &str) -> Result<RawJson, CacheVersion> {
        let kept = self.state();
        let answer = kept.answers.get(&(method, params.to_owned()));
        match answer.filter(|answer| Instant::now() < answer.fresh_until) {
            Some(answer) => Ok(answer.raw.clone()),
            None => Err(CacheVersion(kept.changes)),
        }
    }

    /// Keeps an answer for as long as it is fresh. `asked` is the value that [`Self::find`] returned before
    /// the request. Keeps nothing if a change was reported since then, if the server does not allow to use
    /// the answer again, or if the answer is larger than `MAX_BYTES`.
    pub(super) fn keep(&self, asked: CacheVersion, method: &'static str, params: &str, raw: &RawJson) {
        let Some((ttl, scope)) = hint(raw) else { return };
        let mut kept = self.state();
        if kept.changes != asked.0 {
            return;
        }
        let now = Instant::now();
        let key = (method, params.to_owned());
        kept.remove(&key);
        kept.retain(|_, answer| now < answer.fresh_until);
        let size = size(&key, raw);
        if size > MAX_BYTES {
            return;
        }
        while kept.answers.len() >= MAX_ANSWERS || kept.bytes + size > MAX_BYTES {
            kept.remove_stalest();
        }
        kept.bytes += size;
        kept.answers.insert(key, Answer { fresh_until: now + ttl, raw: raw.clone(), scope });
    }

    /// Removes the answers that a change of `list` may have outdated: the pages of that list. If `list` is
    /// the resources or the resource templates, removes the pages of both, and all contents of resources.
    pub(crate) fn list_changed(&self, list: List) {
        let is_of_resources = |list| matches!(list, List::Resources | List::ResourceTemplates);
        let hit = |method: &str| {
            let same = method == list.method();
            let family = [List::Resources, List::ResourceTemplates].iter().any(|it| it.method() == method);
            same || (is_of_resources(list) && (family || method == READ))
        };
        self.change(|(method, _), _| hit(method));
    }

    /// Removes the contents of the resource `uri`, of its parts, and of the resources that it is a part of. A
    /// resource counts as a part of another if its URI begins with the other's URI.
    pub(crate) fn resource_changed(&self, uri: &str) {
        self.change(|(method, params), _| {
            #[derive(Deserialize)]
            struct Params {
                uri: String,
            }
            let is_near = |other: &str| other.starts_with(uri) || uri.starts_with(other);
            *method == READ && serde_json::from_str(params).map_or(true, |it: Params| is_near(&it.uri))
        });
    }

    /// Removes the cached pages of `list`.
    pub(super) fn forget_list(&self, list: List) {
        self.change(|(method, _), _| *method == list.method());
    }

    /// Removes the answers with the scope `private`, which the server allows to be used for one login only.
    pub(super) fn forget_private(&self) {
        self.change(|_, answer| answer.scope == CacheScope::Private);
    }

    /// Removes all answers from the cache.
    pub(crate) fn forget_all(&self) {
        self.change(|_, _| true);
    }

    /// Counts a change in [`CacheState::changes`], and removes the answers for which `hit` returns true.
    fn change(&self, hit: impl Fn(&(&'static str, String), &Answer) -> bool) {
        let mut kept = self.state();
        kept.changes += 1;
        kept.retain(|key, answer| !hit(key, answer));
    }

    fn state(&self) -> MutexGuard<'_, CacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CacheState {
    fn remove(&mut self, key: &(&'static str, String)) {
        if let Some(answer) = self.answers.remove(key) {
            self.bytes -= size(key, &answer.raw);
        }
    }

    fn retain(&mut self, stays: impl Fn(&(&'static str, String), &Answer) -> bool) {
        let bytes = &mut self.bytes;
        self.answers.retain(|key, answer| {
            let stays = stays(key, answer);
            if !stays {
                *bytes -= size(key, &answer.raw);
            }
            stays
        });
    }

    /// Removes the answer whose time of freshness ends first.
    fn remove_stalest(&mut self) {
        let stalest = self.answers.iter().min_by_key(|(_, answer)| answer.fresh_until);
        if let Some(key) = stalest.map(|(key, _)| key.clone()) {
            self.remove(&key);
        }
    }
}

fn size(key: &(&'static str, String), raw: &RawJson) -> usize {
    key.1.len() + raw.get().len()
}

/// Returns how long an answer is fresh, and its scope; `None` if the server does not allow to use it again.
fn hint(raw: &RawJson) -> Option<(Duration, CacheScope)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Hint {
        cache_scope: Option<String>,
        ttl_ms: Option<f64>,
    }
    let hint: Hint = serde_json::from_str(raw.get()).ok()?;
    // Spec: an absent or negative value counts as 0. `try_from` also refuses NaN and values that are too
    // large.
    let ttl = Duration::try_from_secs_f64(hint.ttl_ms? / 1_000.0).unwrap_or_default().min(MAX_TTL);
    let scope = match hint.cache_scope.as_deref() {
        Some("public") => CacheScope::Public,
        _ => CacheScope::Private,
    };
    (!ttl.is_zero()).then_some((ttl, scope))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn raw(text: &str) -> RawJson {
        RawValue::from_string(text.to_owned()).expect("JSON")
    }

    fn keep(cache: &Cache, method: &'static str, params: &str, text: &str) {
        let asked = cache.find(method, params).expect_err("nothing yet");
        cache.keep(asked, method, params, &raw(text));
    }

    const FRESH: &str = r#"{"ttlMs":60000,"cacheScope":"public"}"#;

    #[test]
    fn a_part_that_changes_takes_out_the_whole_and_the_parts_of_it() {
        let cache = Cache::default();
        let params = |uri: &str| format!(r#"{{"uri":"{uri}"}}"#);
        for uri in ["db://t", "db://t/1", "db://t/1/a", "db://u"] {
            keep(&cache, READ, &params(uri), FRESH);
        }
        cache.resource_changed("db://t/1");
        let left = |uri: &str| cache.find(READ, &params(uri)).is_ok();
        assert_eq!(["db://t", "db://t/1", "db://t/1/a", "db://u"].map(left), [false, false, false, true]);
    }

    #[test]
    fn an_answer_that_was_overtaken_by_a_change_is_not_kept() {
        let cache = Cache::default();
        let asked = cache.find("tools/list", "{}").expect_err("nothing yet");
        cache.list_changed(List::Tools);
        cache.keep(asked, "tools/list", "{}", &raw(FRESH));
        assert!(cache.find("tools/list", "{}").is_err());
    }

    #[test]
    fn another_login_gets_only_what_is_public() {
        let cache = Cache::default();
        keep(&cache, "tools/list", "{}", FRESH);
        keep(&cache, "prompts/list", "{}", r#"{"ttlMs":60000,"cacheScope":"private"}"#);
        keep(&cache, "resources/list", "{}", r#"{"ttlMs":60000}"#);
        cache.forget_private();
        let left = |method| cache.find(method, "{}").is_ok();
        assert_eq!(["tools/list", "prompts/list", "resources/list"].map(left), [true, false, false]);
    }

    #[test]
    fn keeps_so_many_and_so_much_and_no_more() {
        let cache = Cache::default();
        for n in 0..MAX_ANSWERS + 10 {
            let text = format!(r#"{{"ttlMs":{}}}"#, 60_000 + n);
            keep(&cache, READ, &n.to_string(), &text);
        }
        assert_eq!(cache.state().answers.len(), MAX_ANSWERS);
        assert!(cache.find(READ, "9").is_err() && cache.find(READ, "10").is_ok(), "the stalest go first");

        let large = format!(r#"{{"ttlMs":1,"x":"{}"}}"#, "x".repeat(MAX_BYTES / 2));
        for n in 0..3 {
            keep(&cache, "tools/list", &n.to_string(), &large);
            let kept = cache.state();
            let sum: usize = kept.answers.iter().map(|(key, answer)| size(key, &answer.raw)).sum();
            assert!(kept.bytes == sum && sum <= MAX_BYTES);
        }
    }

    #[test]
    fn a_change_of_the_resources_is_one_of_their_templates_and_contents() {
        for changed in [List::Resources, List::ResourceTemplates] {
            let cache = Cache::default();
            let methods = ["resources/list", "resources/templates/list", READ, "tools/list"];
            methods.iter().for_each(|method| keep(&cache, method, "{}", FRESH));
            cache.list_changed(changed);
            assert_eq!(methods.map(|method| cache.find(method, "{}").is_ok()), [false, false, false, true]);
        }
    }

    #[test]
    fn an_answer_that_is_larger_than_all_may_be_is_not_kept() {
        let cache = Cache::default();
        keep(&cache, "tools/list", "{}", FRESH);
        let huge = format!(r#"{{"ttlMs":60000,"x":"{}"}}"#, "x".repeat(MAX_BYTES));
        keep(&cache, READ, "{}", &huge);
        assert!(cache.find(READ, "{}").is_err());
        assert!(cache.find("tools/list", "{}").is_ok(), "nothing had to go for it");
    }

    #[test]
    fn of_two_answers_to_the_same_question_the_last_is_kept() {
        let cache = Cache::default();
        let asked = || cache.find("tools/list", "{}").expect_err("nothing yet");
        for (asked, text) in [asked(), asked()].into_iter().zip([FRESH, r#"{"ttlMs":60000}"#]) {
            cache.keep(asked, "tools/list", "{}", &raw(text));
        }
        assert_eq!(cache.find("tools/list", "{}").expect("an answer").get(), r#"{"ttlMs":60000}"#);
        assert_eq!(cache.state().bytes, r#"{"ttlMs":60000}"#.len() + "{}".len());
    }

    #[test]
    fn reads_hints_as_the_specification_says() {
        let ttl = |text: &str| hint(&raw(text)).map(|(ttl, _)| ttl.as_millis());
        assert_eq!(ttl(r#"{"ttlMs":1500}"#), Some(1_500));
        for stale in ["{}", r#"{"ttlMs":0}"#, r#"{"ttlMs":-5}"#, r#"{"ttlMs":"5"}"#, r#"{"ttlMs":null}"#] {
            assert_eq!(ttl(stale), None, "{stale}");
        }
        assert_eq!(ttl(r#"{"ttlMs":1e12}"#), Some(MAX_TTL.as_millis()));
    }
}
