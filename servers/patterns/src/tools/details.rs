//! `get_pattern`: one pattern, whole.
//!
//! In: an id. Out: the pattern; or the question for an id that exists, with near ones.

use plainwire::prelude::*;
use plainwire::presentation::NeedsInput;

use super::apis::apis;
use super::excerpt::{excerpt, has_word, plain, sentences};
use super::provenance;
use super::search::{MAX_SUMMARY, use_when};
use crate::kinds::{CodeExample, Details, SectionOf, UseGuidance};
use crate::library::{Example, Pattern, SectionKind};
use crate::source::Source;

/// The largest number of characters of a description without details.
const MAX_THIN: usize = 400;

/// The pattern that is asked for.
#[data]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetailsArguments {
    /// The id of a pattern, as `search_patterns` returns it.
    #[length(..=1000)]
    id: Option<String>,
    /// `false` leaves out the sections, the examples and the guidance.
    include_structured_details: Option<bool>,
    /// Whether the result says where it comes from and when.
    include_provenance_panel: Option<bool>,
}

pub(crate) async fn get_pattern(args: DetailsArguments, source: State<Source>) -> Result<Details, ToolError> {
    let id = args.id.unwrap_or_default();
    let id = id.trim();
    let found = if id.is_empty() { None } else { source.pattern(id).await? };
    let Some((pattern, is_fallback)) = found else { return Err(needs_id(&source, id).await.into()) };
    let mut details = details_of(&pattern);
    if !args.include_structured_details.unwrap_or(true) {
        (details.use_guidance, details.sections, details.examples) = (None, Vec::new(), Vec::new());
        (details.tags, details.use_cases) = (Vec::new(), Vec::new());
        details.description = excerpt(&details.description, MAX_THIN);
    }
    details.provenance =
        args.include_provenance_panel.unwrap_or(false).then(|| provenance(&source, is_fallback));
    Ok(details)
}

/// Returns everything about a pattern.
pub(crate) fn details_of(pattern: &Pattern) -> Details {
    let code = |it: &Example, description: Option<String>| CodeExample {
        code: it.code.clone(),
        language: it.language.clone(),
        description,
    };
    let good = pattern.examples.iter().map(|it| code(it, it.section.clone()));
    let bad = pattern.anti_examples.iter().map(|it| code(it, Some("Anti-pattern".to_owned())));
    let guidance = UseGuidance { use_when: use_when(pattern), avoid_when: avoid_when(pattern) };
    Details {
        id: pattern.id.clone(),
        title: pattern.title.clone(),
        category: pattern.category.clone(),
        difficulty: pattern.difficulty,
        summary: excerpt(&pattern.summary, MAX_SUMMARY),
        description: pattern.summary.clone(),
        tags: pattern.tags.clone(),
        apis: apis(pattern.examples.iter().map(|it| &*it.code)),
        use_guidance: (guidance.use_when.is_some() || guidance.avoid_when.is_some()).then_some(guidance),
        use_cases: pattern.use_cases.clone(),
        sections: pattern.sections.iter().map(section).collect(),
        examples: good.chain(bad).collect(),
        related: pattern.related.clone(),
        provenance: None,
    }
}

fn section(it: &crate::library::Section) -> SectionOf {
    let kind = match it.kind {
        SectionKind::Description => Some("description"),
        SectionKind::Example => Some("example"),
        SectionKind::UseCase => Some("useCase"),
        SectionKind::Related => Some("related"),
        SectionKind::AntiPattern => None,
    };
    SectionOf { title: it.title.clone(), content: it.content.clone(), kind: kind.map(str::to_owned) }
}

/// Returns when not to use a pattern: the first use case or sentence that says so in a whole word.
fn avoid_when(pattern: &Pattern) -> Option<String> {
    let is_warning = |it: &&str| has_word(it, "avoid") || has_word(it, "not");
    let of_cases = pattern.use_cases.iter().map(String::as_str).find(is_warning);
    let mut sentences = pattern.sections.iter().flat_map(|it| sentences(&it.content));
    of_cases.or_else(|| sentences.find(|it| has_word(it, "avoid"))).map(plain)
}

async fn needs_id(source: &Source, id: &str) -> NeedsInput {
    let shown: String = id.chars().take(100).collect();
    let (reason, message) = match id.is_empty() {
        true => {
            ("Pattern ID is required".to_owned(), "Which pattern? Please provide a pattern ID.".to_owned())
        }
        false => (
            format!("Pattern ID \"{shown}\" is invalid or does not exist"),
            format!("Pattern \"{shown}\" not found. Please provide a valid pattern ID."),
        ),
    };
    let needs = NeedsInput::new(reason)
        .title("Pattern Not Found")
        .message(message)
        .choices_title("Did you mean")
        .field("id");
    let similar = source.similar(id).await;
    similar.into_iter().fold(needs, |needs, id| {
        let description = format!("Pattern ID: {id}");
        needs.described_choice("id", id, description)
    })
}
