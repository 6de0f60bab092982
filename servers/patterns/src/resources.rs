//! Resources, prompts and completion: patterns and skills for people to pick.
//!
//! In: ids and slugs. Out: the same values as from the tools, as JSON, and prompts that contain them.

use std::sync::Arc;

use plainwire::prelude::*;
use plainwire::{Prompt, ResourceTemplate};

use crate::library::Library;
use crate::source::{Source, Wanted};
use crate::tools;

/// The largest number of patterns in a prompt.
const MAX_IN_PROMPT: usize = 10;

/// Adds the entries to a server. Completion knows the ids of `library`.
pub(crate) fn add(server: Server, library: &Arc<Library>) -> Server {
    let ids = |it: &Completing, library: &Library| {
        let all = library.patterns().iter().map(|it| it.id.clone());
        all.filter(|id| id.contains(&*it.value)).collect::<Vec<_>>()
    };
    let ids = {
        let library = Arc::clone(library);
        move |it: Completing| std::future::ready(ids(&it, &library))
    };
    let slugs = {
        let slugs: Vec<String> = library.skills().into_iter().map(|it| it.slug).collect();
        move |it: Completing| {
            std::future::ready(
                slugs.iter().filter(|slug| slug.contains(&*it.value)).cloned().collect::<Vec<_>>(),
            )
        }
    };
    server
        .resource_template(
            ResourceTemplate::new("pattern://{id}", "Pattern", pattern)
                .description("A pattern, as `get_pattern` returns it.")
                .mime_type("application/json")
                .complete("id", ids.clone()),
        )
        .resource_template(
            ResourceTemplate::new("skill://{slug}", "Skill", skill)
                .description("The text of a skill.")
                .mime_type("text/markdown")
                .complete("slug", slugs),
        )
        .prompt(
            Prompt::new("apply_pattern", apply_pattern)
                .title("Apply a pattern")
                .description("Asks for code that is changed to follow a pattern.")
                .complete("id", ids),
        )
        .prompt(choose_pattern)
}

#[data]
struct PatternArguments {
    id: String,
}

#[data]
struct SkillArguments {
    slug: String,
}

#[data]
struct ApplyArguments {
    /// The id of a pattern.
    id: String,
    /// The code, or where it is.
    code: String,
}

async fn pattern(
    PatternArguments { id }: PatternArguments,
    source: State<Source>,
) -> Result<String, ToolError> {
    let found = source.pattern(&id).await?;
    let (pattern, _) = found.ok_or_else(|| no_pattern(&id))?;
    serde_json::to_string(&tools::details_of(&pattern)).map_err(|error| ToolError::failed(error.to_string()))
}

async fn skill(SkillArguments { slug }: SkillArguments, source: State<Source>) -> Result<String, ToolError> {
    let found = source.skill(&slug).await?.map(tools::text_of);
    found.and_then(|it| it.content).ok_or_else(|| ToolError::not_found(format!("there is no skill {slug:?}")))
}

async fn apply_pattern(
    ApplyArguments { id, code }: ApplyArguments,
    source: State<Source>,
) -> Result<String, ToolError> {
    let unknown = || ToolError::invalid_input(format!("expected the id of a pattern, but found {id:?}"));
    let (pattern, _) = source.pattern(&id).await?.ok_or_else(unknown)?;
    let value = json!(tools::details_of(&pattern));
    Ok(format!(
        "Change the code so that it follows the pattern {:?}.\n\nThe pattern:\n\n{value:#}\n\nThe code:\n\n{code}",
        pattern.title
    ))
}

/// Asks which pattern fits a task, of those that a search finds.
#[prompt(title = "Choose a pattern")]
async fn choose_pattern(
    /// The task, in a few words.
    #[length(..=1000)]
    task: String,
    source: State<Source>,
) -> Result<String, ToolError> {
    let wanted = Wanted { text: task.clone(), category: None, difficulty: None };
    let found = source.search(&wanted).await?;
    let patterns = found
        .patterns
        .iter()
        .take(MAX_IN_PROMPT)
        .map(|it| format!("- {}: {}. {}", it.id, it.title, it.summary));
    let patterns = patterns.collect::<Vec<_>>().join("\n");
    Ok(match patterns.is_empty() {
        true => format!(
            "Which words would find a pattern for this task: {task}? A search for the task itself found none."
        ),
        false => {
            format!("Which of these patterns fits the task best, and why?\n\nThe task: {task}\n\n{patterns}")
        }
    })
}

fn no_pattern(id: &str) -> ToolError {
    ToolError::not_found(format!("there is no pattern {id:?}"))
}
