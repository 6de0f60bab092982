//! Scopes, and the choice of those to request.
//!
//! In: the scopes of a challenge, the scopes that metadata lists, and the scopes that were requested before.
//! Out: the value of the parameter `scope`, or nothing.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of scopes. Its text form is OAuth's: scopes separated by blanks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(super) struct Scopes(BTreeSet<String>);

/// The inputs for the choice of the scopes to request.
#[derive(Debug, Default)]
pub(super) struct ScopeInputs<'s> {
    /// The scopes that the MCP server requires in its refusal, or that the program has set; `None` if there
    /// are no such scopes.
    pub(super) challenged: Option<&'s Scopes>,
    /// The `scopes_supported` of the protected resource; `None` if it lists none.
    pub(super) supported: Option<&'s Scopes>,
    /// The scopes that were requested or granted before; empty the first time.
    pub(super) before: Scopes,
    /// The `scopes_supported` of the authorization server, which decide about `offline_access`.
    pub(super) offered: Option<&'s [String]>,
}

impl Scopes {
    /// Parses a list of scopes separated by blanks. Leaves out texts that are no scope token of RFC 6749
    /// §3.3, and all scopes past [`MAX_SCOPES`].
    pub(super) fn parse(text: &str) -> Self {
        text.split(' ').map(ToOwned::to_owned).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether all scopes of `other` are in this set.
    pub(super) fn includes(&self, other: &Self) -> bool {
        other.0.is_subset(&self.0)
    }

    #[must_use]
    pub(super) fn union(&self, other: &Self) -> Self {
        self.0.union(&other.0).cloned().collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl ScopeInputs<'_> {
    /// Returns the scopes to request; `None` leaves `scope` out, so that the authorization server decides.
    ///
    /// Spec: 2026-07-28 authorization "Scope Selection Strategy": the challenge, else the metadata of the
    /// resource, else nothing. "Step-Up Authorization Flow": together with the scopes requested before.
    /// "Refresh Tokens": `offline_access` only if the authorization server lists it. If there is nothing else
    /// to request, `offline_access` is left out too: alone, it would turn "all scopes that you give by
    /// default" into "only this one".
    pub(super) fn choose(&self) -> Option<Scopes> {
        let base = self.challenged.or(self.supported);
        let mut scopes = base.map_or_else(|| self.before.clone(), |it| it.union(&self.before));
        scopes.0.remove(OFFLINE);
        if scopes.is_empty() {
            return None;
        }
        if self.offered.is_some_and(|it| it.iter().any(|scope| scope == OFFLINE)) {
            scopes.0.insert(OFFLINE.to_owned());
        }
        Some(scopes)
    }
}

impl FromIterator<String> for Scopes {
    fn from_iter<I: IntoIterator<Item = String>>(scopes: I) -> Self {
        let legal = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
        let scopes = scopes.into_iter().filter(|it| !it.is_empty() && it.chars().all(legal));
        Self(scopes.take(MAX_SCOPES).collect())
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, scope) in self.0.iter().enumerate() {
            let blank = if n == 0 { "" } else { " " };
            write!(f, "{blank}{scope}")?;
        }
        Ok(())
    }
}

impl From<String> for Scopes {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
    }
}

/// The scope by which OpenID Connect requests a refresh token.
const OFFLINE: &str = "offline_access";
/// Most scopes in one [`Scopes`]: they become part of a URL.
const MAX_SCOPES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(challenged: &str, supported: &str, before: &str, offered: &str, expected: &str) {
        let some = |text: &str| (!text.is_empty()).then(|| Scopes::parse(text));
        let offered: Vec<String> = offered.split_whitespace().map(ToOwned::to_owned).collect();
        let (challenged, supported) = (some(challenged), some(supported));
        let inputs = ScopeInputs {
            challenged: challenged.as_ref(),
            supported: supported.as_ref(),
            before: Scopes::parse(before),
            offered: Some(&offered),
        };
        assert_eq!(inputs.choose().map(|it| it.to_string()).unwrap_or_default(), expected);
    }

    #[test]
    fn the_challenge_counts_more_than_the_metadata() {
        check("a", "b c", "", "", "a");
        check("", "b c", "", "", "b c");
        check("", "", "", "", "");
    }

    #[test]
    fn what_was_asked_for_before_is_asked_for_again() {
        check("w", "x", "r", "", "r w");
        check("", "", "r", "", "r");
    }

    #[test]
    fn offline_access_is_asked_for_only_where_the_authorization_server_lists_it() {
        check("a", "", "", "a offline_access", "a offline_access");
        check("a offline_access", "", "", "a", "a");
        check("a", "", "offline_access", "a", "a");
        check("", "", "", "offline_access", "");
    }

    #[test]
    fn scopes_past_the_two_hundredth_of_a_list_are_left_out() {
        let list = |count: u32| (1..=count).map(|n| format!("s{n}")).collect::<Scopes>();
        assert_eq!(list(200).iter().count(), 200);
        assert_eq!(list(201), list(200));
        assert_eq!(Scopes::parse(&format!("{} s201", list(200))), list(200));
    }

    #[test]
    fn a_scope_that_is_none_is_left_out() {
        assert_eq!(Scopes::parse("a  b\\ \"c\" ü d\n e").to_string(), "a e");
    }
}
