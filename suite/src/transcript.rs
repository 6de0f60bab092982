//! Reads the transcripts of this repository. [`plainwire::testing::transcript`] parses and plays them.

use std::path::{Path, PathBuf};
use std::{fs, io};

use plainwire::testing::transcript::Transcript;

/// Returns the transcripts in `folder` and below, with their paths, sorted by path.
///
/// # Errors
/// If a file can't be read, or has text outside of its sections.
pub fn read_all(folder: &Path) -> io::Result<Vec<(PathBuf, Transcript)>> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path)?;
        let wrong = |error| io::Error::other(format!("{}: {error}", path.display()));
        let transcript = Transcript::parse(&text).map_err(wrong)?;
        Ok((path, transcript))
    };
    crate::files_below(folder, ".txt").into_iter().map(read).collect()
}
