//! The tools: what a call asks for, and the value that it gets.
//!
//! In: arguments. Out: values of [`crate::kinds`]; [`plainwire::presentation`] makes all texts from them.

mod apis;
mod details;
mod excerpt;
mod rules;
mod search;
mod skills;

pub(crate) use details::{details_of, get_pattern};
pub(crate) use rules::{get_mcp_config, list_analysis_rules};
pub(crate) use search::{search_patterns, verify};
pub(crate) use skills::{get_skill, list_skills, text_of};

use crate::kinds::Provenance;
use crate::source::Source;

/// Returns where a value comes from, and the time of now: never that of an earlier answer.
fn provenance(source: &Source, is_fallback: bool) -> Provenance {
    let now = jiff::Timestamp::now();
    Provenance {
        source: source.name(is_fallback).to_owned(),
        timestamp: format!("{now:.3}"),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
