//! `browse_vault`, `get_resource` and `list_categories`: what there is.

use plainwire::prelude::*;
use plainwire::presentation::NeedsInput;

use super::{Library, MAX_LIMIT};
use crate::kinds::{Categories, Details, SearchResults, Summary};
use crate::ranking::{Question, rank};
use crate::resource::{DOMAINS, Type};
use crate::vault::Filter;

/// The number of ids that are near to one that does not exist.
const MAX_SIMILAR: usize = 5;

/// What to browse.
#[data]
pub(crate) struct BrowseArguments {
    /// Resources of this category.
    category: Option<String>,
    /// Resources of this type.
    #[serde(rename = "type")]
    kind: Option<Type>,
}

pub(crate) async fn browse_vault(
    args: BrowseArguments,
    library: State<Library>,
) -> Result<SearchResults, ToolError> {
    if args.category.is_none() && args.kind.is_none() {
        return Err(needs_category(&library).await?.into());
    }
    let filter = Filter { category: args.category, kind: args.kind, ..Filter::default() };
    let (found, total) = library.ask(move |vault| vault.list(&filter, MAX_LIMIT)).await?;
    let resources = found.iter().map(Summary::from).collect();
    Ok(SearchResults { query: None, did_you_mean: None, total, resources })
}

/// Asks for a category, of those that there are.
async fn needs_category(library: &Library) -> Result<NeedsInput, ToolError> {
    let needs = NeedsInput::new("Browsing needs a category or a type")
        .title("Browse the vault")
        .message("Which category do you want to browse?")
        .choices_title("Categories");
    let counts = library.ask(|vault| vault.counts("category")).await?;
    Ok(counts.into_iter().fold(needs, |needs, (category, count)| {
        let resources = if count == 1 { "resource" } else { "resources" };
        needs.described_choice("category", category, format!("{count} {resources}"))
    }))
}

/// The resource that is asked for.
#[data]
pub(crate) struct GetArguments {
    /// The id of a resource, as other tools return it.
    #[length(1..=200)]
    id: String,
}

pub(crate) async fn get_resource(args: GetArguments, library: State<Library>) -> Result<Details, ToolError> {
    let id = args.id.trim().to_owned();
    let wanted = id.clone();
    if let Some(resource) = library.ask(move |vault| vault.get(&wanted)).await? {
        return Ok(Details { resource });
    }
    let question = Question::new(&id);
    let near = library.ask(move |vault| rank(vault, question, &Filter::default())).await?;
    let needs = NeedsInput::new(format!("There is no resource {id:?}"))
        .title("Resource not found")
        .message("Which resource do you mean?")
        .choices_title("Did you mean")
        .field("id");
    let near = near.matches.into_iter().take(MAX_SIMILAR);
    Err(near.fold(needs, |needs, (it, _)| needs.described_choice("id", it.id, it.title)).into())
}

pub(crate) async fn list_categories(library: State<Library>) -> Result<Categories, ToolError> {
    library
        .ask(|vault| {
            let concepts = vault.counts("concept")?;
            let count = |it: &&str| ((*it).to_owned(), concepts.get(*it).copied().unwrap_or(0));
            let domains = DOMAINS
                .iter()
                .map(|(domain, concepts)| ((*domain).to_owned(), concepts.iter().map(&count).collect()));
            Ok(Categories {
                total: vault.count()?,
                categories: vault.counts("category")?,
                types: vault.counts("type")?,
                difficulties: vault.counts("difficulty")?,
                domains: domains.collect(),
            })
        })
        .await
}
