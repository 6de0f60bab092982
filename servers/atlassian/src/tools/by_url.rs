//! The tools that a URL offers, as `/mcp?toolsets=issues,comments&read_only=1` does.
//!
//! In: the choice of the operator, and the query of a URL. Out: whether a tool is offered. A URL chooses among the tools that the operator
//! offers, and never gets more.

use plainwire::proto::json::visible;
use url::form_urlencoded;

use super::names::Names;
use super::toolsets::Choice;

/// The parameters of a URL.
const PARAMETERS: &str = "toolsets, tools, without_tools, read_only";

/// The choice of tools by URL.
#[derive(Clone, Debug)]
pub struct ByUrl {
    /// The choice of the operator, which holds for each URL.
    operator: Choice,
}

impl ByUrl {
    pub(crate) fn new(operator: Choice) -> Self {
        Self { operator }
    }

    /// Returns all tools that a URL may choose: those of each toolset, unless the operator named toolsets or tools.
    pub(crate) fn most(&self) -> Choice {
        let mut most = self.operator.clone();
        if most.toolsets.is_empty() && most.tools.is_empty() {
            most.toolsets.push("all".to_owned());
        }
        most
    }

    /// Returns whether the tool of a name is offered at the URL with this query; for [`plainwire::http::Http::tools_by_query`].
    ///
    /// # Errors
    /// A sentence, for a parameter or a name that there is not.
    pub fn choose(&self, query: &str) -> Result<Option<impl Fn(&str) -> bool + Send + Sync + use<>>, String> {
        let names = self.operator.names;
        let mut chosen = choice(query, names)?;
        if chosen.toolsets.is_empty() && chosen.tools.is_empty() {
            chosen.toolsets.clone_from(&self.operator.toolsets);
            chosen.tools.clone_from(&self.operator.tools);
        }
        let most = self.most();
        // Other tools are no business of a choice: those that read large outputs, for example. In Data Center, tools that only Cloud has
        // are missing in any case.
        let is_ours = move |name: &str| names.tool(name).is_some();
        Ok(Some(move |name: &str| !is_ours(name) || (most.has(name, true) && chosen.has(name, true))))
    }
}

/// Reads the query of a URL.
fn choice(query: &str, names: Names) -> Result<Choice, String> {
    let mut choice = Choice { names, ..Choice::default() };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let listed = || value.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
        match &*name {
            "toolsets" => choice.toolsets.extend(listed()),
            "tools" => choice.tools.extend(listed()),
            "without_tools" => choice.without.extend(listed()),
            "read_only" => choice.read_only = is_true(&value)?,
            other => {
                return Err(format!(
                    "expected parameters among {PARAMETERS}, but found {:?}",
                    visible(other, 80)
                ));
            }
        }
    }
    choice.check().map_err(|error| error.message().to_owned())?;
    Ok(choice)
}

fn is_true(value: &str) -> Result<bool, String> {
    match value {
        "" | "1" | "true" | "yes" => Ok(true),
        "0" | "false" | "no" => Ok(false),
        other => Err(format!("expected read_only to be 1 or 0, but found {:?}", visible(other, 80))),
    }
}

#[cfg(test)]
mod tests {
    use super::{ByUrl, Choice, Names};

    fn offers(operator: &Choice, query: &str, tool: &str) -> bool {
        let chosen = ByUrl::new(operator.clone()).choose(query).expect("a query that can be used");
        chosen.is_none_or(|offers| offers(tool))
    }

    fn operator(toolsets: &[&str], read_only: bool) -> Choice {
        Choice {
            toolsets: toolsets.iter().map(|it| (*it).to_owned()).collect(),
            read_only,
            ..Choice::default()
        }
    }

    #[test]
    fn a_url_chooses_among_all_tools_and_never_gets_more_than_the_operator_offers() {
        let any = operator(&[], false);
        let cases = [
            (&any, "", "jira_get_issue", true),
            (&any, "", "jira_rank_issues", false),
            (&any, "toolsets=agile", "jira_rank_issues", true),
            (&any, "toolsets=agile", "jira_get_issue", false),
            (&any, "toolsets=issues%2Ccomments&read_only=1", "jira_get_comments", true),
            (&any, "toolsets=issues,comments&read_only=1", "jira_add_comment", false),
            (&any, "read_only=true", "jira_get_issue", true),
            (&any, "tools=jira_rank_issues", "jira_rank_issues", true),
            (&any, "without_tools=jira_get_issue", "jira_get_issue", false),
            (&any, "toolsets=agile", "read_output", true),
            (&operator(&["issues"], false), "", "jira_get_my_issues", true),
            (&operator(&["issues"], false), "toolsets=all", "jira_rank_issues", false),
            (&operator(&["issues"], false), "toolsets=all", "jira_get_issue", true),
            (&operator(&[], true), "toolsets=agile&read_only=0", "jira_rank_issues", false),
        ];
        for (operator, query, tool, expected) in cases {
            assert_eq!(offers(operator, query, tool), expected, "{operator:?} {query} {tool}");
        }
    }

    #[test]
    fn a_url_chooses_among_the_names_of_the_operator() {
        let both = Choice { names: Names::Both, ..Choice::default() };
        assert!(offers(&both, "tools=v1_jira_get_issue", "v1_jira_get_issue"));
        assert!(!offers(&both, "read_only=1", "v1_jira_create_issue"));
        let old = Choice { names: Names::V1, ..Choice::default() };
        assert!(offers(&old, "toolsets=comments", "jira_get_comments"));
        assert!(!offers(&old, "toolsets=comments", "jira_get_issue"));
    }

    #[test]
    fn a_query_that_can_not_be_used_says_what_is_expected() {
        let by_url = ByUrl::new(Choice::default());
        let why = |query: &str| by_url.choose(query).err().expect("a refusal");
        assert_eq!(
            why("toolset=agile"),
            "expected parameters among toolsets, tools, without_tools, read_only, but found \"toolset\""
        );
        assert_eq!(why("read_only=maybe"), "expected read_only to be 1 or 0, but found \"maybe\"");
        assert!(why("toolsets=agil").starts_with("expected toolsets among all, default,"));
        assert_eq!(
            why("tools=jira_serach"),
            "expected names of tools of this server, but found \"jira_serach\""
        );
    }
}
