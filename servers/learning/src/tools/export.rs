//! `export_results`: the matches of a search as a document.

use plainwire::prelude::*;
use plainwire::proto::base64;

use super::Library;
use crate::export::{Document, Form, document};
use crate::kinds::Exported;
use crate::ranking::{Question, rank};
use crate::vault::Filter;

/// The largest number of resources of a document.
const MAX_EXPORT: usize = 400;

/// What to export.
#[data]
pub(crate) struct ExportArguments {
    /// A question, as for `discover_resources`; `*` for the whole vault.
    #[length(1..=1000)]
    query: String,
    /// The form of the document. `pdf` and `word` need pandoc; `json` is what `import_resources` reads.
    #[default(Form::Md)]
    format: Form,
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
    let resources = library
        .ask(move |vault| {
            if is_all {
                return Ok(vault.list(&Filter::default(), usize::MAX)?.0);
            }
            let ranked = rank(vault, question, &Filter::default())?;
            Ok(ranked.matches.into_iter().take(limit).map(|it| it.0).collect())
        })
        .await?;
    let count = resources.len();
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
