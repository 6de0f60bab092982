//! A searchable library of patterns, as an MCP server: the patterns of the program, those of a file, or those of an API.
//!
//! In: the choice of [`Patterns`]. Out: a [`Server`] with tools, resources and prompts. Each tool returns a value of a kind;
//! its texts are made from it by [`plainwire::presentation`] and two templates.

use std::path::PathBuf;

use plainwire::prelude::*;
use plainwire::presentation::{Format, Presentation};

mod cache;
pub mod index;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/patterns.md has the rest")]
pub mod kinds;
pub mod library;
mod resources;
mod runtime;
mod source;
mod tools;
mod upstream;

use index::{FileError, Index};
use library::Library;
use source::Source;
use upstream::Upstream;

/// The settings of the server.
#[derive(Debug)]
pub struct Patterns {
    /// The file of the index; `None` for an index in memory.
    pub database: Option<PathBuf>,
    /// The environment that `get_mcp_config` tells of.
    pub environment: Environment,
    /// Whether the library answers while the upstream can't be reached.
    pub falls_back: bool,
    /// The patterns.
    pub library: Library,
    /// The form of results: JSON only, or a form that each call chooses.
    pub profile: Profile,
    /// The address of an API that has the patterns, and its key.
    pub upstream: Option<(String, Option<String>)>,
}

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// [`Presentation::gated`].
    #[default]
    Gated,
    /// [`Presentation::data`].
    Data,
}

/// The environment that `get_mcp_config` tells of.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Whether the server was started for debugging.
    pub is_debug: bool,
    /// Such as `local` or `production`.
    pub name: String,
}

impl Environment {
    /// Whether the server has the tool for people who develop it.
    fn shows_config(&self) -> bool {
        self.is_debug || self.name == "local"
    }
}

/// An option that can't be used, with a sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The address of the upstream.
    Upstream(String),
    /// The file of the index.
    Database(String),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Upstream(why) => write!(f, "the upstream: {why}"),
            Self::Database(why) => write!(f, "the database {why}"),
        }
    }
}

impl std::error::Error for Unusable {}

impl Default for Patterns {
    fn default() -> Self {
        Self {
            database: None,
            environment: Environment { is_debug: false, name: "production".to_owned() },
            falls_back: false,
            library: Library::embedded(),
            profile: Profile::default(),
            upstream: None,
        }
    }
}

impl Patterns {
    /// Returns the server, ready to be served.
    ///
    /// # Errors
    /// The option that can't be used: the address of the upstream, or the file of the index, which is left as it is.
    pub fn server(self) -> Result<Server, Unusable> {
        let upstream = self.upstream.map(|(base, key)| Upstream::new(&base, key)).transpose();
        let upstream = upstream.map_err(Unusable::Upstream)?;
        if let Some(path) = &self.database {
            // A file that can't be used is told of now, and not in the first search.
            let opened = Index::open(path, &self.library);
            opened
                .map(drop)
                .map_err(|error: FileError| Unusable::Database(format!("{}: {error}", path.display())))?;
        }
        let categories: Vec<String> = self.library.categories().into_keys().map(str::to_owned).collect();
        let presentation = match self.profile {
            Profile::Gated => Presentation::gated().default_format(Format::Markdown),
            Profile::Data => Presentation::data(),
        };
        let presentation = presentation
            .template("patternSearchResults:v1", include_str!("../templates/search.md"))
            .template("patternDetails:v1", include_str!("../templates/details.md"))
            .verify(tools::verify)
            .cards();
        let source = Source::new(self.library, self.database, upstream, self.falls_back);
        let search = Tool::new("search_patterns", tools::search_patterns)
            .title("Search patterns")
            .description("Finds patterns by words, the best first. Without a filter, more than 20 matches are answered by a question.");
        let get = Tool::new("get_pattern", tools::get_pattern)
            .title("Get a pattern")
            .description("Returns one pattern with its text, its examples and the ids of related patterns.");
        let list = Tool::new("list_skills", tools::list_skills)
            .title("List skills")
            .description("Lists skills. A skill is what the patterns of one category say together.");
        let skill = Tool::new("get_skill", tools::get_skill)
            .title("Get a skill")
            .description("Returns one skill with its text in Markdown.");
        let rules = Tool::new("list_analysis_rules", tools::list_analysis_rules)
            .title("List analysis rules")
            .description("Lists rules for reading code, each with the id of a pattern that shows what to write instead.");
        let reaches = |tool: Tool| match source.upstream {
            Some(_) => tool.read_only().open_world(),
            None => tool.read_only().closed_world(),
        };
        // The API has categories of its own.
        let chosen = |tool: Tool| {
            if source.upstream.is_some() { tool } else { tool.choices("category", categories.clone()) }
        };
        let mut server = plainwire::server!("patterns")
            .title("Patterns")
            .tool(reaches(chosen(search)))
            .tool(reaches(get))
            .tool(reaches(chosen(list)))
            .tool(reaches(skill))
            .tool(reaches(rules));
        if self.environment.shows_config() {
            let config = Tool::new("get_mcp_config", tools::get_mcp_config)
                .title("Get the configuration")
                .description("Returns how the server was started. It shows no secret.");
            server = server.tool(config.read_only().closed_world());
        }
        let server =
            resources::add(server, &source.library).presentation(presentation).state(self.environment);
        Ok(server.state(source))
    }
}
