//! `list_skills` and `get_skill`: what the patterns of a category say together.
//!
//! In: words, a category or a slug. Out: skills; or the question for a slug that exists.

use plainwire::prelude::*;
use plainwire::presentation::NeedsInput;

use crate::kinds::{SkillDetails, SkillSummary, SkillText, Skills};
use crate::library::Skill;
use crate::source::Source;

/// The skills that are asked for.
#[data]
pub(crate) struct ListArguments {
    /// Words that the name or the description of a skill has.
    #[length(..=1000)]
    q: Option<String>,
    /// Only skills of this category.
    category: Option<String>,
    /// The largest number of skills.
    #[range(1..=100)]
    limit: Option<usize>,
}

/// The skill that is asked for.
#[data]
pub(crate) struct GetArguments {
    /// The slug of a skill, as `list_skills` returns it.
    #[length(..=1000)]
    slug: Option<String>,
}

pub(crate) async fn list_skills(args: ListArguments, source: State<Source>) -> Result<Skills, ToolError> {
    let q = args.q.map(|it| it.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|it| !it.is_empty());
    let all = source.skills(q.as_deref(), args.category.as_deref()).await?;
    let count = all.len();
    let skills = all.into_iter().take(args.limit.unwrap_or(100)).map(summary).collect();
    Ok(Skills { q, count, skills })
}

pub(crate) async fn get_skill(args: GetArguments, source: State<Source>) -> Result<SkillDetails, ToolError> {
    let slug = args.slug.unwrap_or_default();
    let slug = slug.trim();
    let found = if slug.is_empty() { None } else { source.skill(slug).await? };
    match found {
        Some(skill) => Ok(SkillDetails { skill: text_of(skill) }),
        None => Err(needs_slug(&source, slug).await?.into()),
    }
}

async fn needs_slug(source: &Source, slug: &str) -> Result<NeedsInput, ToolError> {
    let shown: String = slug.chars().take(100).collect();
    let reason = match slug.is_empty() {
        true => "Skill slug is required".to_owned(),
        false => format!("Skill \"{shown}\" does not exist"),
    };
    let needs = NeedsInput::new(reason).title("Skill Not Found").choices_title("Skills").field("slug");
    let skills = source.skills(None, None).await?;
    Ok(skills.into_iter().fold(needs, |needs, it| needs.described_choice("slug", it.slug, it.name)))
}

fn summary(it: Skill) -> SkillSummary {
    SkillSummary {
        slug: it.slug,
        name: it.name,
        description: it.description,
        category: it.category,
        pattern_count: it.pattern_count,
        version: it.version,
    }
}

/// Returns the value of a skill with its text.
pub(crate) fn text_of(it: Skill) -> SkillText {
    SkillText {
        slug: it.slug,
        name: it.name,
        description: it.description,
        category: it.category,
        pattern_count: it.pattern_count,
        version: it.version,
        content: it.content,
    }
}
