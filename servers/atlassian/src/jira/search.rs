//! Issues by JQL.
//!
//! In: JQL, or words. Out: a page of issues, and where the next one begins. The projects that a server is limited to hold for each search: JQL
//! that a caller gives is put into parentheses that it can't close.

use plainwire::ToolError;
use serde_json::{Value, json};

use super::Jira;
use super::dialect::Search;
use super::issue::Issue;
use crate::rest::{Page, PageToken, Request, Style, Upstream};

/// A search.
#[derive(Clone, Debug)]
pub struct Query {
    /// The JQL, with its limits.
    pub jql: String,
    /// The fields, as ids with commas between them.
    pub fields: String,
    /// The largest number of issues.
    pub limit: u64,
    /// The number of issues to skip; only where the site counts.
    pub start: u64,
    /// Where an earlier page ended.
    pub token: Option<String>,
}

/// A page of issues.
#[derive(Debug)]
pub struct Found {
    /// The issues.
    pub issues: Vec<Issue>,
    /// The number of all issues, where the site counts them.
    pub total: Option<u64>,
    /// Where the next page begins.
    pub next: Option<String>,
}

/// Quotes a text for JQL: the one place where text becomes a part of a query.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for it in text.chars() {
        match it {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(it);
            }
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            it if it.is_control() => quoted.push(' '),
            it => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns JQL that finds what `jql` finds in the given projects only. An empty list is no limit.
///
/// # Errors
/// JQL whose quotes or parentheses are not closed: with it, the limit would not hold.
pub fn within(jql: &str, projects: &[String]) -> Result<String, ToolError> {
    let parts = Parts::of(jql)?;
    if projects.is_empty() {
        return Ok(jql.trim().to_owned());
    }
    let keys: Vec<_> = projects.iter().map(|it| quoted(it)).collect();
    let limit = format!("project in ({})", keys.join(", "));
    let (query, order) = (parts.query.trim(), parts.order.trim());
    let query = if query.is_empty() { limit } else { format!("({query}) AND {limit}") };
    Ok(if order.is_empty() { query } else { format!("{query} {order}") })
}

/// JQL in two parts: the query, and `ORDER BY` with what follows.
struct Parts<'a> {
    query: &'a str,
    order: &'a str,
}

impl<'a> Parts<'a> {
    fn of(jql: &'a str) -> Result<Self, ToolError> {
        let wrong = |found: &str| {
            ToolError::invalid_input(format!(
                "expected JQL whose quotes and parentheses are closed, but found {found}"
            ))
        };
        let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
        let mut order = None;
        let mut word_begins = true;
        for (at, it) in jql.char_indices() {
            if let Some(open) = quote {
                match it {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    _ if it == open => quote = None,
                    _ => {}
                }
                word_begins = false;
                continue;
            }
            match it {
                '"' | '\'' => quote = Some(it),
                // Outside of quotes Jira and this reader could disagree about what it escapes.
                '\\' => return Err(wrong("a backslash outside of quotes")),
                '(' => depth += 1,
                ')' => {
                    depth = depth.checked_sub(1).ok_or_else(|| wrong("a parenthesis that nothing opened"))?
                }
                _ if word_begins && depth == 0 && order.is_none() && is_order(&jql[at..]) => order = Some(at),
                _ => {}
            }
            word_begins = it.is_whitespace() || matches!(it, ')' | '(' | '"' | '\'');
        }
        if quote.is_some() || depth > 0 {
            return Err(wrong(if depth > 0 { "one that is open" } else { "a quote that is open" }));
        }
        let (query, order) = jql.split_at(order.unwrap_or(jql.len()));
        Ok(Self { query, order })
    }
}

/// Returns whether a text begins with the words `order by`.
fn is_order(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().is_some_and(|it| it.eq_ignore_ascii_case("order"));
    first && words.next().is_some_and(|it| it.eq_ignore_ascii_case("by"))
}

impl Jira {
    /// Returns a page of issues.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: Cloud `POST /rest/api/3/search/jql`, Data Center `POST /rest/api/2/search`.
    pub async fn search(&self, query: &Query) -> Result<Found, Upstream> {
        let fields: Vec<&str> = query.fields.split(',').collect();
        let mut body = json!({ "jql": query.jql, "fields": fields, "maxResults": query.limit });
        let (path, style) = match self.dialect.search {
            Search::Tokens => (self.path(["search", "jql"]), Style::NextPageToken { items: "issues" }),
            Search::Numbers => {
                body["startAt"] = json!(query.start);
                (self.path(["search"]), Style::StartAt { items: "issues" })
            }
        };
        let mut pages = self.site().pages_of(Request::post(path).json(&body).reads(), style);
        if let Some(token) = &query.token {
            pages = pages.after(&PageToken::new(token));
        }
        Ok(pages.next().await?.unwrap_or_default().into())
    }

    /// Returns about how many issues JQL finds, where a search does not count.
    ///
    /// # Errors
    /// Those of the site.
    ///
    /// Source: Cloud `POST /rest/api/3/search/approximate-count`.
    pub async fn count(&self, jql: &str) -> Result<Option<u64>, Upstream> {
        if self.dialect.search == Search::Numbers {
            return Ok(None);
        }
        let request =
            Request::post(self.path(["search", "approximate-count"])).json(&json!({ "jql": jql })).reads();
        let answer: Value = self.site().json(request).await?;
        Ok(answer["count"].as_u64())
    }
}

impl From<Page<Issue>> for Found {
    fn from(page: Page<Issue>) -> Self {
        Self { issues: page.items, total: page.total, next: page.next.map(|it| it.as_str().to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{quoted, within};

    #[test]
    fn a_limit_to_projects_holds_for_each_jql() {
        let cases = [
            ("", r#"project in ("A")"#),
            ("status = Done", r#"(status = Done) AND project in ("A")"#),
            ("status = Done ORDER BY key", r#"(status = Done) AND project in ("A") ORDER BY key"#),
            ("order   by key", r#"project in ("A") order   by key"#),
            ("a = 1 OR project = SECRET", r#"(a = 1 OR project = SECRET) AND project in ("A")"#),
            (
                r#"summary ~ "order by x" OR a = 1"#,
                r#"(summary ~ "order by x" OR a = 1) AND project in ("A")"#,
            ),
            (
                r#"summary ~ "a\" order by" or b = 2"#,
                r#"(summary ~ "a\" order by" or b = 2) AND project in ("A")"#,
            ),
            ("(a = 1)ORDER BY key", r#"((a = 1)) AND project in ("A") ORDER BY key"#),
        ];
        for (jql, expected) in cases {
            assert_eq!(within(jql, &["A".to_owned()]).ok().as_deref(), Some(expected), "{jql}");
        }
    }

    #[test]
    fn jql_that_would_close_the_parentheses_of_a_limit_is_refused() {
        for jql in [
            "a = 1) OR (project = SECRET",
            "a = \"x",
            "a in (1",
            "a = 'b\\'",
            ")",
            "x\" OR project = SECRET",
            r#"a = \" OR b = ") OR (c = "#,
        ] {
            assert!(within(jql, &["A".to_owned()]).is_err(), "{jql}");
            assert!(within(jql, &[]).is_err(), "{jql}");
        }
    }

    #[test]
    fn a_quoted_text_has_no_end_of_its_own() {
        assert_eq!(quoted(r#"X" OR project = SECRET"#), r#""X\" OR project = SECRET""#);
        assert_eq!(quoted("a\\"), r#""a\\""#);
        assert_eq!(quoted("a\nb\u{0}"), "\"a\\nb \"");
    }
}
