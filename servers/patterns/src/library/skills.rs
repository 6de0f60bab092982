//! Skills: what the patterns of one category have to say together.
//!
//! In: the patterns of a category. Out: a [`Skill`] with a text in Markdown.

use std::sync::Arc;

use serde::Deserialize;

use super::{Library, Pattern};

/// The knowledge of one category.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skill {
    pub(crate) slug: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) category: String,
    #[serde(default)]
    pub(crate) pattern_count: usize,
    #[serde(default)]
    pub(crate) version: u64,
    /// The text in Markdown, if it was asked for.
    pub(crate) content: Option<String>,
}

impl Library {
    /// Returns a skill for each category, sorted by slug, without its text.
    pub(crate) fn skills(&self) -> Vec<Skill> {
        self.categories().into_iter().map(|(category, count)| skill(category, count)).collect()
    }

    /// Returns the skill of a slug, with its text.
    pub(crate) fn skill(&self, slug: &str) -> Option<Skill> {
        let skill = self.skills().into_iter().find(|it| it.slug == slug)?;
        let patterns = self.patterns.iter().filter(|it| it.category == skill.category).cloned().collect();
        Some(Skill { content: Some(content(patterns)), ..skill })
    }
}

fn skill(category: &str, pattern_count: usize) -> Skill {
    let words = category.replace(['-', '_'], " ");
    let mut letters = words.chars();
    let name = letters.next().map(|it| it.to_uppercase().chain(letters).collect()).unwrap_or_default();
    let say = if pattern_count == 1 { "pattern says" } else { "patterns say" };
    Skill {
        slug: category.to_owned(),
        name,
        description: format!("What {pattern_count} {say} about {words}, the simplest first."),
        category: category.to_owned(),
        pattern_count,
        version: 1,
        content: None,
    }
}

/// Returns the text: for each pattern its title, id, summary and first use case, in the order of difficulty.
fn content(mut patterns: Vec<Arc<Pattern>>) -> String {
    patterns.sort_by(|a, b| a.difficulty.cmp(&b.difficulty).then(a.id.cmp(&b.id)));
    let mut text = String::new();
    for pattern in patterns {
        text += &format!(
            "## {}\n\n`{}`, {}\n\n{}\n\n",
            pattern.title,
            pattern.id,
            pattern.difficulty.as_str(),
            pattern.summary
        );
        if let Some(case) = pattern.use_cases.first() {
            text += &format!("Use it for: {case}\n\n");
        }
    }
    text.truncate(text.trim_end().len());
    text
}
