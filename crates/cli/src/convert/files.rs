//! Reads documents from files and stdin, and writes them to files and stdout.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use plainwire_richtext::MAX_SOURCE;

use crate::exit::Failure;
use crate::whole_file;

/// An input document.
pub(super) struct Input {
    /// The path of the file, or `<stdin>`.
    pub(super) name: String,
    pub(super) text: String,
}

pub(super) fn stdin() -> Result<Input, Failure> {
    let bytes = bytes(io::stdin().lock());
    text("<stdin>".to_owned(), bytes.map_err(|error| failed("reading", Path::new("stdin"), &error))?)
}

/// Reads a file; `-` is stdin.
pub(super) fn read(path: &Path) -> Result<Input, Failure> {
    if path.as_os_str() == "-" {
        return stdin();
    }
    let bytes = fs::File::open(path).and_then(bytes).map_err(|error| failed("reading", path, &error))?;
    text(path.display().to_string(), bytes)
}

/// Fails if [`read`] would fail, so that one wrong path of many stops a command before it writes anything. Does not
/// touch stdin and pipes, which can be read only once.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    let kind = fs::metadata(path).map_err(|error| failed("reading", path, &error))?;
    if kind.is_file() || kind.is_dir() { read(path).map(|_| ()) } else { Ok(()) }
}

fn bytes(input: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    limited(input).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Ends `input` one byte after the largest size of a document, so that no endless input fills the memory. The
/// conversion refuses a document of that length.
fn limited<R: io::Read>(input: R) -> io::Take<R> {
    input.take(MAX_SOURCE as u64 + 1)
}

fn text(name: String, bytes: Vec<u8>) -> Result<Input, Failure> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Input { name, text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(at).copied().unwrap_or_default();
            Err(Failure::usage(format!(
                "{name}: expected UTF-8, but found the byte {byte:#04x} at offset {at}"
            )))
        }
    }
}

/// Returns the text without a byte order mark at its beginning.
pub(super) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    whole_file::replace(path, text).map_err(|error| failed("writing", path, &error))
}

/// Returns the path in `folder` for the output of each input. Fails if two inputs would have the same output,
/// or if an output is one of the input files.
pub(super) fn outputs(folder: &Path, inputs: &[PathBuf], extension: &str) -> Result<Vec<PathBuf>, Failure> {
    let real: BTreeSet<PathBuf> = inputs.iter().filter_map(|it| fs::canonicalize(it).ok()).collect();
    let mut taken = BTreeMap::new();
    let mut outputs = Vec::with_capacity(inputs.len());
    for input in inputs {
        let name = input.file_stem().unwrap_or_default().to_string_lossy();
        let output = folder.join(format!("{name}.{extension}"));
        if let Some(other) = taken.insert(output.clone(), input) {
            let (one, other, output) = (other.display(), input.display(), output.display());
            return Err(Failure::usage(format!(
                "expected an output for each INPUT, but found {one} and {other} going to {output}"
            )));
        }
        if fs::canonicalize(&output).is_ok_and(|it| real.contains(&it)) {
            return Err(overwritten(&output));
        }
        outputs.push(output);
    }
    Ok(outputs)
}

/// Fails if `output` is the same file as `input`.
pub(super) fn refuse_overwrite(input: &Path, output: &Path) -> Result<(), Failure> {
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(output).is_some() && real(output) == real(input) { Err(overwritten(output)) } else { Ok(()) }
}

fn overwritten(output: &Path) -> Failure {
    let found = output.display();
    Failure::usage(format!("expected an output file other than INPUT, but found {found}"))
}

/// Returns an error about an operation on a file; `doing` names the operation, such as `reading`.
pub(super) fn failed(doing: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{doing} {} failed: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_endless_input_one_byte_more_than_a_gibibyte_is_read() {
        // The limit is compared, and not read: it is a gibibyte.
        assert_eq!(limited(io::repeat(b'x')).limit(), 1_073_741_825);
        assert_eq!(bytes(&b"short"[..]).expect("bytes"), b"short");
    }
}
