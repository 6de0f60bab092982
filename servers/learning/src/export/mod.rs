//! Resources as a document: Markdown, HTML, JSON, and through pandoc PDF and Word.
//!
//! In: resources. Out: a [`Document`]. Nothing of a resource is markup in it: all text is escaped.

use plainwire::prelude::*;

mod html;
mod markdown;
mod pandoc;

use crate::import::own::{Export, SCHEMA};
use crate::resource::Resource;

/// The format of a document.
#[data]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// Markdown.
    Md,
    /// HTML, in one file.
    Html,
    /// All members, which `import_resources` reads.
    Json,
    /// PDF, through pandoc.
    Pdf,
    /// Word (docx), through pandoc.
    Word,
}

impl ExportFormat {
    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Md => "text/markdown",
            Self::Html => "text/html",
            Self::Json => "application/json",
            Self::Pdf => "application/pdf",
            Self::Word => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }

    /// Returns the end of a file name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Md => "md",
            Self::Html => "html",
            Self::Json => "json",
            Self::Pdf => "pdf",
            Self::Word => "docx",
        }
    }
}

/// The contents of a document.
#[derive(Debug, PartialEq)]
pub enum Document {
    /// Text.
    Text(String),
    /// Other bytes.
    Bytes(Vec<u8>),
}

/// Makes a document. `pandoc` is the command for PDF and Word.
///
/// # Errors
/// PDF or Word without pandoc, or without what pandoc needs for it.
pub async fn document(
    title: &str,
    resources: Vec<Resource>,
    form: ExportFormat,
    pandoc: &str,
) -> Result<Document, ToolError> {
    match form {
        ExportFormat::Md => Ok(Document::Text(markdown::page(title, &resources))),
        ExportFormat::Html => Ok(Document::Text(html::page(title, &resources))),
        ExportFormat::Json => {
            let export = Export { schema: SCHEMA.to_owned(), resources };
            let text = serde_json::to_string_pretty(&export);
            text.map(Document::Text).map_err(|error| ToolError::failed("the export failed").logged(&error))
        }
        ExportFormat::Pdf | ExportFormat::Word => {
            pandoc::convert(pandoc, &html::page(title, &resources), form).await.map(Document::Bytes)
        }
    }
}

/// Returns the lines that describe a resource beside its title: its type, its level and so on.
fn facts(it: &Resource) -> String {
    let mut facts = vec![it.kind.as_str(), it.difficulty.as_str(), it.freshness.as_str()];
    facts.extend(it.official.then_some("official"));
    facts.push(if it.free { "free" } else { "not free" });
    facts.extend(it.author.as_deref());
    facts.join(", ")
}
