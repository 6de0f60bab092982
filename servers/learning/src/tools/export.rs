//! `export_results`: the matches of a search as a document.

use plainwire::prelude::*;
use plainwire::proto::base64;

use super::Library;
use crate::export::{Document, ExportFormat, document};
use crate::kinds::Exported;
use crate::ranking::{Question, rank};
use crate::resource::Resource;
use crate::vault::Filter;

/// The largest number of resources of a document that a question finds.
const MAX_EXPORT: usize = 400;

/// The largest number of resources of a document of the whole vault.
const MAX_WHOLE: usize = 20_000;

/// What to export.
#[data]
pub(crate) struct ExportArguments {
    /// A question, as for `discover_resources`; `*` for the whole vault.
    #[length(1..=1000)]
    query: String,
    /// The form of the document. `pdf` and `word` need pandoc; `json` is what `import_resources` reads.
    #[default(ExportFormat::Md)]
    format: ExportFormat,
    /// The largest number of resources, for a query other than `*`.
    #[default(25)]
    #[range(1..=400)]
    limit: usize,
}

pub(crate) async fn export_results(
    args: ExportArguments,
    library: State<Library>,
) -> Result<Exported, ToolError> {
    let limit = args.limit.min(MAX_EXPORT);
    let (question, is_all) = (Question::new(&args.query), args.query.trim() == "*");
    let (resources, total) = library
        .ask(move |vault| {
            if is_all {
                return vault.list(&Filter::default(), MAX_WHOLE);
            }
            let ranked = rank(vault, question, &Filter::default())?;
            let resources: Vec<Resource> = ranked.matches.into_iter().take(limit).map(|it| it.0).collect();
            let total = resources.len();
            Ok((resources, total))
        })
        .await?;
    let count = resources.len();
    if count < total {
        let message =
            format!("expected a vault of at most {MAX_WHOLE} resources for one document, but found {total}");
        return Err(ToolError::new("too_large", message)
            .hint("copy the file of the vault, or export what a question finds"));
    }
    let title = if is_all { "Learning resources" } else { args.query.trim() };
    let document = document(title, resources, args.format, &library.pandoc).await?;
    let (text, data) = match document {
        Document::Text(text) => (Some(text), None),
        Document::Bytes(bytes) => (None, Some(base64::encode(&bytes))),
    };
    Ok(Exported {
        format: args.format,
        file_name: format!("resources.{}", args.format.extension()),
        media_type: args.format.media_type().to_owned(),
        count,
        text,
        data,
    })
}
