//! `list_analysis_rules` and `get_mcp_config`: what the server knows about reading code, and about itself.
//!
//! In: nothing. Out: the rules, and the configuration without secrets.

use plainwire::prelude::*;

use crate::Environment;
use crate::kinds::{Config, RuleText, Rules};
use crate::library::{RULES, Rule};
use crate::source::Source;
use crate::upstream::ApiRule;

pub(crate) async fn list_analysis_rules(source: State<Source>) -> Result<Rules, ToolError> {
    let rules: Vec<RuleText> = match source.rules().await? {
        Some(rules) => rules.into_iter().map(of_api).collect(),
        // A rule without its pattern is of no use beside other patterns.
        None => RULES.iter().filter(|it| source.library.get(it.pattern).is_some()).map(own).collect(),
    };
    Ok(Rules { count: rules.len(), rules })
}

pub(crate) async fn get_mcp_config(source: State<Source>, environment: State<Environment>) -> Config {
    let base_url = source.upstream.as_ref().map_or("", |it| it.base());
    Config {
        base_url: base_url.to_owned(),
        mcp_env: environment.name.clone(),
        debug: environment.is_debug,
        has_api_key: source.upstream.as_ref().is_some_and(|it| it.has_key()),
    }
}

fn own(it: &Rule) -> RuleText {
    RuleText {
        id: it.id.to_owned(),
        title: it.title.to_owned(),
        severity: it.severity.to_owned(),
        category: it.category.to_owned(),
        message: it.message.to_owned(),
        pattern: Some(it.pattern.to_owned()),
    }
}

fn of_api(it: ApiRule) -> RuleText {
    RuleText {
        id: it.id,
        title: it.title,
        severity: it.severity,
        category: it.category,
        message: it.message,
        pattern: None,
    }
}
