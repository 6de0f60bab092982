//! `plainwire schemas`: the kinds of values that the tools of a server return, and their JSON Schemas.
//!
//! In: the command line. Out: a line for each kind, or the schemas as JSON or as files, and an exit code.
//! `plainwire_inspect` finds the kinds.

use std::fs;
use std::path::Path;

use plainwire_inspect::{KindSchema, kinds};
use serde_json::{Map, Value};

use crate::args::Schemas;
use crate::connect::with_client;
use crate::exit::{Exit, Failure};
use crate::{output, tools, visible, whole_file};

/// Runs `plainwire schemas`.
pub(crate) async fn run(it: Schemas) -> Result<Exit, Failure> {
    with_client(&it.ask, async |client| {
        let all = kinds(&tools::tools(client, None).await?);
        if let Some(folder) = &it.out {
            all.iter().try_for_each(|kind| write(folder, kind))?;
        }
        match (it.ask.json.is_some(), &it.out) {
            (true, _) => {
                let schemas = all.iter().map(|it| (it.kind.clone(), it.schema.clone()));
                output::json(&schemas.collect::<Map<String, Value>>())?;
            }
            (false, Some(folder)) => {
                let folder = visible::line(&folder.display().to_string());
                output::line(&format!("wrote {} into {folder}", output::counted(all.len(), "schema")))?;
            }
            (false, None) if all.is_empty() => {
                output::note("the tools of the server return no values with a `kind`")
            }
            (false, None) => all.iter().try_for_each(show)?,
        }
        let differ: Vec<&KindSchema> = all.iter().filter(|it| !it.others.is_empty()).collect();
        for kind in &differ {
            output::note(&format!(
                "error: expected one schema for {}, but {} has another one than {}",
                visible::line(&kind.kind),
                visible::line(&kind.others.join(", ")),
                visible::line(&kind.tools.join(", "))
            ));
        }
        Ok(if differ.is_empty() { Exit::Done } else { Exit::CheckFailed })
    })
    .await
}

/// Prints a kind, and the tools that return it.
fn show(kind: &KindSchema) -> std::io::Result<()> {
    let tools = [&kind.tools[..], &kind.others[..]].concat().join(", ");
    output::wrapped("", "    ", &visible::line(&format!("{}  {tools}", kind.kind)))
}

/// Writes the schema of a kind into a file of the folder, such as `bookDetails.v1.json`.
fn write(folder: &Path, kind: &KindSchema) -> Result<(), Failure> {
    let is_safe = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let name: String = kind.kind.chars().map(|it| if is_safe(it) { it } else { '.' }).collect();
    let path = folder.join(format!("{}.json", name.trim_start_matches('.')));
    let text = format!("{:#}\n", kind.schema);
    let written = fs::create_dir_all(folder).and_then(|()| whole_file::replace(&path, text));
    written.map_err(|error| {
        Failure::usage(format!("--out {}: {error}", visible::line(&path.display().to_string())))
    })
}
