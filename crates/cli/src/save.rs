//! `--out FILE`: writes content that a server sent, such as a picture, into a file.
//!
//! In: the blocks of a result, or the contents of a resource. Out: a file with the bytes of one of them.

use std::path::Path;

use plainwire::model::{Content, ResourceContents};
use plainwire::proto::base64;

use crate::exit::{Exit, Failure};
use crate::{output, whole_file};

/// Writes the contents of a resource, which must be one part.
pub(crate) fn resource(path: &Path, contents: &[ResourceContents]) -> Result<(), Failure> {
    match contents {
        [one] => write(path, &bytes(one)?),
        other => Err(not_one("one part", other.len())),
    }
}

/// Writes the one picture, sound or resource of a tool's result. Returns the other blocks.
pub(crate) fn block<'c>(path: &Path, content: &'c [Content]) -> Result<Vec<&'c Content>, Failure> {
    let is_text =
        |it: &&Content| matches!(it, Content::Text(_) | Content::ResourceLink(_) | Content::Other(_));
    let (texts, files): (Vec<_>, Vec<_>) = content.iter().partition(is_text);
    match files[..] {
        [Content::Image(it)] => write(path, &decoded(&it.data)?)?,
        [Content::Audio(it)] => write(path, &decoded(&it.data)?)?,
        [Content::Resource(it)] => write(path, &bytes(&it.resource)?)?,
        _ => return Err(not_one("one picture, sound or resource", files.len())),
    }
    Ok(texts)
}

fn bytes(contents: &ResourceContents) -> Result<Vec<u8>, Failure> {
    match contents {
        ResourceContents::Text(it) => Ok(it.text.clone().into_bytes()),
        ResourceContents::Blob(it) => decoded(&it.blob),
    }
}

fn decoded(text: &str) -> Result<Vec<u8>, Failure> {
    base64::decode(text).ok_or_else(|| {
        Failure::unreachable("expected base64 from the server, but found something else; nothing was written")
    })
}

fn not_one(expected: &str, found: usize) -> Failure {
    Failure {
        exit: Exit::Unreachable,
        hint: Some("`--json` in place of `--out` shows the whole result".to_owned()),
        text: format!("expected {expected} to write, but found {found}; nothing was written"),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let shown = path.display();
    whole_file::replace(path, bytes).map_err(|error| Failure::usage(format!("--out {shown}: {error}")))?;
    output::note(&format!("wrote {} bytes into {shown}", bytes.len()));
    Ok(())
}
