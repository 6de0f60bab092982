//! A library of learning resources, as an MCP server: those of the program, and those that its user adds.
//!
//! In: the choice of [`Learning`]. Out: a [`Server`] with tools. Each tool returns a value of a kind; its texts are made from it
//! by [`plainwire::presentation`].

use std::path::PathBuf;
use std::sync::Arc;

use plainwire::client::http::address_guard::Permission;
use plainwire::prelude::*;
use plainwire::presentation::{Format, Presentation};

pub mod export;
pub mod import;
mod infer;
#[allow(missing_docs, reason = "the names of fields say what they are; docs/learning.md has the rest")]
pub mod kinds;
mod line;
pub mod pages;
pub mod ranking;
pub mod resource;
mod runtime;
mod tools;
pub mod vault;
pub mod words;

use pages::Pages;
use resource::{CATEGORIES, DOMAINS, concepts};
use tools::Library;
use vault::Vault;

/// The largest result, in bytes: its text and its value. Larger ones need `Server::outputs`.
const MAX_RESULT: usize = 12 << 20;

/// The settings of the server.
#[derive(Debug)]
pub struct Learning {
    /// The file of the vault. It is made if it does not exist.
    pub data: PathBuf,
    /// The form of results: JSON only, or a form that each call chooses.
    pub profile: Profile,
    /// Whether pages on this machine and in private networks are read.
    pub private_pages: Permission,
    /// The command for PDF and Word, such as `pandoc`.
    pub pandoc: String,
    /// Whether `import_resources` reads files of this machine: only for callers on it.
    pub reads_files: bool,
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

/// A setting that can't be used, with a sentence that says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(pub String);

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

impl Learning {
    /// Returns the settings of a server for callers on this machine, with the vault in `data`.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            profile: Profile::default(),
            private_pages: Permission::Withheld,
            pandoc: "pandoc".to_owned(),
            reads_files: true,
        }
    }

    /// Returns the server, ready to be served.
    ///
    /// # Errors
    /// A file that is no vault, or can't be used. It is left as it is.
    pub fn server(self) -> Result<Server, Unusable> {
        let vault =
            Vault::open(&self.data).map_err(|error| Unusable(format!("{}: {error}", self.data.display())))?;
        let pages = Pages::new(self.private_pages).map_err(Unusable)?;
        let library =
            Library { vault: Arc::new(vault), pages, pandoc: self.pandoc, reads_files: self.reads_files };
        let presentation = match self.profile {
            Profile::Gated => Presentation::gated().default_format(Format::Markdown),
            Profile::Data => Presentation::data(),
        };
        let presentation = presentation
            // A page, or a document of the vault, is larger than other results.
            .limit(MAX_RESULT)
            .template("learningSearchResults:v1", include_str!("../templates/search.md"))
            .template("learningDiscovery:v1", include_str!("../templates/discovery.md"))
            .template("learningResource:v1", include_str!("../templates/resource.md"));
        Ok(with_tools(plainwire::server!("learning").title("Learning resources"))
            .presentation(presentation)
            .state(library))
    }
}

fn with_tools(server: Server) -> Server {
    let concepts = || concepts().collect::<Vec<_>>();
    let domains = DOMAINS.map(|(domain, _)| domain);
    server
        .tool(
            Tool::new("search_resources", tools::search_resources)
                .title("Search resources")
                .description("Finds learning resources that have all words and pass all filters, the best first.")
                .choices("category", CATEGORIES)
                .choices("concept", concepts())
                .read_only()
                .closed_world(),
        )
        .tool(
            Tool::new("browse_vault", tools::browse_vault)
                .title("Browse the vault")
                .description("Lists the learning resources of a category or a type.")
                .choices("category", CATEGORIES)
                .read_only()
                .closed_world(),
        )
        .tool(
            Tool::new("get_resource", tools::get_resource)
                .title("Get a resource")
                .description("Returns all that the vault knows of one learning resource.")
                .read_only()
                .closed_world(),
        )
        .tool(
            Tool::new("list_categories", tools::list_categories)
                .title("List categories")
                .description("Counts the resources of each category, type, difficulty and concept.")
                .read_only()
                .closed_world(),
        )
        .tool(
            Tool::new("discover_resources", tools::discover_resources)
                .title("Discover resources")
                .description("Answers a question such as `where do I start with Rust?` with ranked learning resources.")
                .choices("concept", concepts())
                .choices("domain", domains)
                .read_only()
                .closed_world(),
        )
        .tool(
            Tool::new("scrape_url", tools::scrape_url)
                .title("Summarise a page")
                .description("Reads a page of the web: its title, author, length, difficulty and beginning.")
                .read_only()
                .open_world(),
        )
        .tool(
            Tool::new("read_url", tools::read_url)
                .title("Read a page")
                .description("Reads a page of the web and returns all of its readable text as Markdown.")
                .read_only()
                .open_world(),
        )
        .tool(
            Tool::new("add_resource", tools::add_resource)
                .title("Add a resource")
                .description("Adds a learning resource to the user's vault.")
                .choices("category", CATEGORIES)
                .additive()
                .closed_world(),
        )
        .tool(
            Tool::new("add_resource_from_url", tools::add_resource_from_url)
                .title("Add a page")
                .description("Reads a page and adds it to the user's vault. What is not given is inferred.")
                .choices("category", CATEGORIES)
                .additive()
                .open_world(),
        )
        .tool(
            Tool::new("export_results", tools::export_results)
                .title("Export resources")
                .description("Makes a document of the resources that a question finds.")
                .read_only()
                .closed_world(),
        )
        .tool(
            Tool::new("import_resources", tools::import_resources)
                .title("Import resources")
                .description("Adds the entries of a bookmark file, of OPML, or of an export: all that are new, or none.")
                .additive()
                .closed_world(),
        )
}
