//! `plainwire patch`: replaces one section of a document. Every byte outside the section stays.

use std::path::Path;

use plainwire_richtext::{Document, Format};

use super::args::Patch;
use super::{Outcome, files, report};
use crate::exit::{Exit, Failure};
use crate::output;

/// Runs `plainwire patch`: replaces a section of a document and prints the document. With --show, it prints
/// the section.
pub(crate) fn run(it: &Patch) -> Result<Exit, Failure> {
    let input = files::read(&it.document)?;
    let names = super::names(it.names.as_deref())?;
    let mut document = Document::read(it.format_options.format(it.from), &input.text);
    document.keep_raw = it.keep_raw;
    super::named(&mut document, Format::EDITED, names.as_ref());
    let section =
        document.section(&it.section).map_err(|error| Failure::usage(format!("{}: {error}", input.name)))?;
    if it.show {
        output::to_stdout(&section.markdown())?;
        return Ok(Exit::Done);
    }
    let markdown = match &it.markdown {
        Some(file) if !is_stdin(file) => files::read(file)?,
        // stdin has been read to its end: the empty text would delete the section.
        _ if is_stdin(&it.document) => {
            let found = "expected the Markdown in a file if the document comes from stdin, but found none";
            return Err(Failure::usage(found.into()));
        }
        _ => files::stdin()?,
    };
    let outcome = Outcome::restored(
        section.patch_with(&markdown.text, names.as_ref().unwrap_or(&super::NO_NAMES)),
        &it.allow_loss,
        &markdown,
    );
    output::to_stdout(outcome.text.as_deref().unwrap_or_default())?;
    report::show(it.report, &markdown, &outcome.found);
    Ok(outcome.exit())
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}
