//! Presentation: the form of the results of tools, for models, for programs and for people.
//!
//! In: the choice of [`crate::Server::presentation`], and the value that a tool returned. Out: its blocks of content. Structured content is
//! the value itself, complete in every form; its JSON and its Markdown are made from it here, and nowhere else.
//!
//! ```
//! use plainwire::prelude::*;
//! use plainwire::presentation::Presentation;
//!
//! #[data]
//! struct Plant {
//!     name: String,
//!     shade: bool,
//! }
//!
//! /// Lists plants for a garden.
//! #[tool(read_only)]
//! async fn plants() -> Vec<Plant> {
//!     vec![Plant { name: "fern".into(), shade: true }, Plant { name: "rose".into(), shade: false }]
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let server = plainwire::server!("garden").tool(plants).presentation(Presentation::gated());
//! let client = plainwire::testing::client(server).await?;
//! let read = client.call_tool("plants", json!({})).await?;
//! let table = "| name | shade |\n| --- | --- |\n| fern | true |\n| rose | false |\n";
//! assert_eq!(read.content[0].as_text(), Some(table));
//! let json = client.call_tool("plants", json!({ "format": "json" })).await?;
//! let text = r#"[{"name":"fern","shade":true},{"name":"rose","shade":false}]"#;
//! assert_eq!(json.content[0].as_text(), Some(text));
//! # Ok(()) }
//! ```

use std::sync::Arc;

use plainwire_proto::model::{Content, RawJson};

pub use super::context::Format;
use super::entry::{Resource, Tool};
use super::layer::Layer;
use crate::schema::InputSchema;

mod card;
mod error;
mod markdown;
mod needs_input;
mod stage;
#[cfg(feature = "templates")]
mod template;
mod tree;

pub use needs_input::NeedsInput;
use stage::Stage;
#[cfg(feature = "outputs")]
pub(crate) use tree::Tree;

/// The form of the results of a server: a profile, and its settings. See [`crate::Server::presentation`].
#[derive(Clone, Debug)]
pub struct Presentation {
    /// Whether a tool of the profile `data` takes an argument `format`, and ignores it.
    accepts_format: bool,
    /// The form of a result if the call names none; `None` in the profile `data`, where no call can name one.
    default: Option<Format>,
    /// Whether lists have no output schemas.
    hides_output_schemas: bool,
    is_pretty: bool,
    /// The maximal size of a result, in bytes.
    limit: usize,
    cards: Cards,
    #[cfg(feature = "templates")]
    templates: template::Templates,
    verify: Option<Verify>,
}

/// The clients that find links to cards in `tools/list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cards {
    /// There are no cards.
    None,
    /// All of them.
    Linked,
    /// Those that declare that they show pages.
    LinkedWhereShown,
}

/// The `_meta` of a tool with the link to its card.
pub(crate) enum CardLink {
    /// The tool is listed with it.
    Listed(RawJson),
    /// The tool is listed with it to clients that show pages.
    WhereShown(RawJson),
}

/// A check of a result: its value, and its blocks.
type Verify = fn(&serde_json::Value, &[Content]) -> Result<(), String>;

/// The default of [`Presentation::limit`].
const LIMIT: usize = 1 << 20;

impl Presentation {
    /// Returns the profile `data`: the text of a result is the JSON of its structured content, and tools have no argument
    /// for its form. Programs, and models that read JSON well, need nothing else.
    pub fn data() -> Self {
        Self {
            accepts_format: false,
            default: None,
            hides_output_schemas: false,
            is_pretty: false,
            limit: LIMIT,
            cards: Cards::None,
            #[cfg(feature = "templates")]
            templates: template::Templates::default(),
            verify: None,
        }
    }

    /// Returns the profile `gated`: each tool has an argument `format`, and without it a result is Markdown for a person to
    /// read. Structured content is complete in every form.
    ///
    /// A text that a tool returns stays as it is. In the forms with JSON it is `{"kind":"text:v1","text":"…"}`.
    pub fn gated() -> Self {
        Self { default: Some(Format::Markdown), ..Self::data() }
    }

    /// Sets the form of a result if the call names none. Only for [`Self::gated`]; [`Format::Markdown`] by default.
    #[must_use]
    pub fn default_format(mut self, format: Format) -> Self {
        self.default = self.default.map(|_| format);
        self
    }

    /// Leaves output schemas out of lists. Models rarely read them, and they often cost more than all inputs. Results are the same, with
    /// structured content.
    #[must_use]
    pub fn hide_output_schemas(mut self) -> Self {
        self.hides_output_schemas = true;
        self
    }

    /// Breaks JSON into lines, for people who read it. Costs more tokens.
    #[must_use]
    pub fn pretty(mut self) -> Self {
        self.is_pretty = true;
        self
    }

    /// Lets the tools of the profile [`Self::data`] take an argument `format`, which they ignore with a warning in the log:
    /// for clients that were written when the server was [`Self::gated`]. The schemas do not have it.
    #[must_use]
    pub fn accept_format(mut self) -> Self {
        self.accepts_format = self.default.is_none();
        self
    }

    /// Sets the Markdown of the values of one kind, by a template in the language of Jinja (`minijinja`): feature `templates`.
    ///
    /// The template gets the value, with its members as variables, and nothing else: what a reader sees is in the data. Values
    /// are escaped, so that a reader sees them as they are. Beside what the language has, there are:
    ///
    /// - `{{ block() }}` begins the next block of content, and `{{ block(0.5) }}` one with a priority from 0 to 1 (default 1).
    /// - `{{ marker("card:v1") }}` writes the comment `<!-- kind:card:v1 -->`, by which programs find parts of a text.
    /// - `text | code("rust")`, `text | span` for code in a line, `text | quote` for Markdown of others, `text | text` for several
    ///   lines, `text | heading`, and `value | cell` for tables.
    ///
    /// The server does not start with a template that can't be read, names a member that the kind does not have, or prints one
    /// that a value may lack. If a template fails in a call all the same, the value is shown as without it, with a warning.
    #[cfg(feature = "templates")]
    #[must_use]
    pub fn template(mut self, kind: &str, source: &str) -> Self {
        self.templates.add(kind, source);
        self
    }

    /// Shows the value of each tool as a card, in clients that show pages ([MCP Apps](crate::apps)): text, lists and tables, drawn
    /// from the structured content. The page is one resource, `ui://plainwire/card.html`, and clients that show no pages can't
    /// read it. A tool with a [page of its own](crate::Tool::ui) keeps that, and a tool without an output schema has none.
    ///
    /// - A value with `is_preview: true` is a preview, with the buttons Confirm and Cancel. Confirm calls the same tool again with
    ///   the same arguments and `preview: false`, once. A text in `warnings` that begins with `BLOCK:` leaves out Confirm.
    /// - A value of the kind `needsInput:v1` has its options as buttons, and an error is an alert.
    #[must_use]
    pub fn cards(mut self) -> Self {
        self.cards = Cards::Linked;
        self
    }

    /// Like [`Self::cards`], but links to the card are listed only to clients that declare that they show pages. This saves about 60
    /// bytes of each tool in the lists of all others. A host that shows pages and does not declare it finds no card.
    /// The list of tools then depends on the client, so its cache hint is always private.
    #[must_use]
    pub fn cards_where_shown(mut self) -> Self {
        self.cards = Cards::LinkedWhereShown;
        self
    }

    /// Sets a check of each result that has a value, such as that counts in the value are those of its blocks. A failure is a
    /// warning in the log, and changes no result; in tests, call the same function and assert.
    #[must_use]
    pub fn verify(mut self, verify: fn(&serde_json::Value, &[Content]) -> Result<(), String>) -> Self {
        self.verify = Some(verify);
        self
    }

    /// Sets the maximal size of a result in bytes: its blocks and its structured content together, 1 MiB by default. A
    /// larger result becomes an error that says so. Not for a server that keeps large results whole (`Server::outputs`).
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }
}

/// The part of a presentation that the catalog uses, for each tool.
///
/// A trait, so that a program that sets no presentation does not contain the code of one.
pub(crate) trait Present: Send + Sync {
    /// Returns the layer that is outside of all others of the tool.
    fn layer(&self, tool: &PresentedTool<'_>) -> Arc<dyn Layer>;

    /// Returns the schema with the argument that the presentation adds, for lists.
    fn listed(&self, schema: &InputSchema) -> InputSchema;

    /// Returns the schema of everything that the tool can return, for lists; `None` if lists have no output schemas.
    fn listed_output(&self, schema: &RawJson) -> Option<RawJson>;

    /// Returns the page on which results are shown; `None` without one.
    fn card(&self) -> Option<Resource>;

    /// Returns the link to the card of the tool; `None` if it has no card, or a page of its own.
    fn card_link(&self, tool: &Tool) -> Option<CardLink>;

    /// Returns a mistake in the settings, held against the output schemas of all tools.
    fn problem(&self, schemas: &mut dyn Iterator<Item = &RawJson>) -> Option<String>;
}

/// A tool, as far as its presentation depends on it.
pub(crate) struct PresentedTool<'t> {
    /// Whether the size of results is limited. It is not if large ones are kept whole, outside of the presentation.
    pub(crate) has_limit: bool,
    /// Whether texts of other errors are hidden from the model.
    pub(crate) masks_errors: bool,
    /// The kind and name, for messages: "the tool `add`".
    pub(crate) name: &'t str,
    pub(crate) output_schema: Option<&'t RawJson>,
    pub(crate) schema: &'t InputSchema,
}

/// The name of the argument for the form of a result.
const FORMAT: &str = "format";

impl Present for Presentation {
    fn layer(&self, tool: &PresentedTool<'_>) -> Arc<dyn Layer> {
        Arc::new(Stage::new(self.clone(), tool))
    }

    fn listed(&self, schema: &InputSchema) -> InputSchema {
        match self.default {
            Some(default) if !schema.has_property(FORMAT) => {
                let words = Format::ALL.map(Format::as_str);
                let property =
                    serde_json::json!({ "type": "string", "enum": words, "default": default.as_str() });
                schema.with_property(FORMAT, property)
            }
            _ => schema.clone(),
        }
    }

    fn listed_output(&self, schema: &RawJson) -> Option<RawJson> {
        (!self.hides_output_schemas).then(|| error::with_others(schema))
    }

    fn card(&self) -> Option<Resource> {
        (self.cards != Cards::None).then(card::page)
    }

    fn card_link(&self, tool: &Tool) -> Option<CardLink> {
        if tool.entry.output_schema.is_none() || tool.has_page() {
            return None;
        }
        let meta = tool.clone().ui(card::URI).entry.meta?;
        match self.cards {
            Cards::None => None,
            Cards::Linked => Some(CardLink::Listed(meta)),
            Cards::LinkedWhereShown => Some(CardLink::WhereShown(meta)),
        }
    }

    #[cfg(feature = "templates")]
    fn problem(&self, schemas: &mut dyn Iterator<Item = &RawJson>) -> Option<String> {
        self.templates.problem(schemas)
    }

    #[cfg(not(feature = "templates"))]
    fn problem(&self, _: &mut dyn Iterator<Item = &RawJson>) -> Option<String> {
        None
    }
}
