//! `add_resource` and `add_resource_from_url`: what the user adds to the vault.

use std::sync::Arc;

use plainwire::prelude::*;

use super::read::difficulty;
use super::{Library, failed, lost};
use crate::infer::{self, Known};
use crate::kinds::{Added, SubPage};
use crate::resource::{Difficulty, Freshness, Language, Resource, Type};
use crate::runtime::blocking;
use crate::vault::AddError;

/// A resource to add.
#[data]
pub(crate) struct AddArguments {
    /// A new id: 1 to 60 of a-z, 0-9 and -.
    id: String,
    /// The title, on one line.
    title: String,
    /// The address, with `http` or `https`.
    url: String,
    /// One or two sentences on what a reader learns there.
    description: String,
    /// The kind of resource.
    #[serde(rename = "type")]
    kind: Type,
    /// Its category.
    #[default("general")]
    category: String,
    /// Up to 4 concepts, as `list_categories` names them.
    #[serde(default)]
    concepts: Vec<String>,
    /// What a reader should know before.
    #[default(Difficulty::Intermediate)]
    difficulty: Difficulty,
    /// The programming language that it is for.
    #[default(Language::Universal)]
    language_applicability: Language,
    /// How well it ages.
    #[default(Freshness::Current)]
    freshness: Freshness,
    /// Up to 20 further words.
    #[serde(default)]
    tags: Vec<String>,
    /// Who made it.
    author: Option<String>,
    /// Whether it is by the makers of what it is about.
    #[default(false)]
    official: bool,
    /// Whether reading it costs nothing.
    #[default(true)]
    free: bool,
}

pub(crate) async fn add_resource(args: AddArguments, library: State<Library>) -> Result<Added, ToolError> {
    // As the parser writes it: without line breaks and the like.
    let url = url::Url::parse(&args.url).map_or(args.url, String::from);
    let resource = Resource {
        id: args.id,
        title: args.title,
        url,
        description: args.description,
        kind: args.kind,
        categories: vec![args.category],
        concepts: args.concepts,
        tags: args.tags,
        author: args.author,
        difficulty: args.difficulty,
        freshness: args.freshness,
        official: args.official,
        free: args.free,
        language_applicability: args.language_applicability,
        source: None,
        added_at: None,
    };
    let resource = add(&library, resource).await?;
    Ok(Added { resource, inferred: Vec::new(), sub_pages: Vec::new() })
}

/// A page to add. What is not given is inferred.
#[data]
pub(crate) struct AddUrlArguments {
    /// The address of a page, which is read.
    #[length(1..=2000)]
    url: String,
    /// A new id.
    id: Option<String>,
    /// The title.
    title: Option<String>,
    /// One or two sentences on what a reader learns there.
    description: Option<String>,
    /// The kind of resource.
    #[serde(rename = "type")]
    kind: Option<Type>,
    /// Its category.
    category: Option<String>,
    /// What a reader should know before.
    difficulty: Option<Difficulty>,
    /// Further words.
    #[serde(default)]
    tags: Vec<String>,
    /// Who made it.
    author: Option<String>,
    /// Whether it is by the makers of what it is about.
    official: Option<bool>,
    /// Whether reading it costs nothing.
    free: Option<bool>,
}

pub(crate) async fn add_resource_from_url(
    args: AddUrlArguments,
    library: State<Library>,
) -> Result<Added, ToolError> {
    let page = library.pages.read(&args.url).await?;
    if page.text.trim().is_empty() {
        return Err(ToolError::invalid_input("expected a page with text, but found an empty one")
            .hint("add_resource adds an address without reading it"));
    }
    let given = [
        ("id", args.id.is_some()),
        ("title", args.title.is_some()),
        ("description", args.description.is_some()),
        ("type", args.kind.is_some()),
        ("categories", args.category.is_some()),
        ("difficulty", args.difficulty.is_some()),
        ("author", args.author.is_some() || page.author.is_none()),
        ("official", args.official.is_some()),
        ("free", args.free.is_some()),
    ];
    let mut inferred: Vec<String> =
        given.iter().filter(|(_, is_given)| !is_given).map(|(name, _)| (*name).to_owned()).collect();
    inferred.extend(["concepts", "freshness", "languageApplicability"].map(str::to_owned));
    let title = args.title.unwrap_or(page.title);
    let has_id = args.id.is_some();
    let known = Known {
        id: args.id,
        difficulty: args.difficulty.or_else(|| Some(difficulty(&title, &page.text))),
        title,
        description: args.description.or(page.description).unwrap_or_default(),
        author: args.author.or(page.author),
        kind: args.kind,
        categories: args.category.into_iter().collect(),
        official: args.official,
        free: args.free,
        labels: args.tags,
        ..Known::default()
    };
    let mut resource = infer::resource(&page.url, known);
    if !has_id {
        let id = resource.id.clone();
        resource.id = library.ask(move |vault| vault.free_id(&id)).await?;
    }
    let resource = add(&library, resource).await?;
    let sub_pages = page.below.into_iter().map(|(url, title)| SubPage { url, title }).collect();
    Ok(Added { resource, inferred, sub_pages })
}

/// Checks a resource and adds it. It is on the disk when this returns.
async fn add(library: &Library, mut resource: Resource) -> Result<Resource, ToolError> {
    resource.check().map_err(ToolError::invalid_input)?;
    resource.added_at = Some(format!("{:.3}", jiff::Timestamp::now()));
    let vault = Arc::clone(&library.vault);
    let (added, resource) =
        blocking(move || (vault.add(&resource), resource)).await.map_err(|error| lost(&error))?;
    match added {
        Ok(()) => Ok(resource),
        Err(AddError::File(error)) => Err(failed(&error)),
        Err(AddError::Exists(id)) => Err(match id == resource.id {
            true => {
                ToolError::new("conflict", format!("expected a new id, but the vault has a resource {id:?}"))
                    .hint("get_resource shows it; choose another id for a different resource")
            }
            false => {
                ToolError::new("conflict", format!("expected a new address, but the vault has it as {id:?}"))
                    .hint("get_resource shows it")
            }
        }),
    }
}
