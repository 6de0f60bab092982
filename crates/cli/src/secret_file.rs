//! Files with secrets, such as tokens or the frames of a connection, that a user names on the command line.
//!
//! In: a path. Out: the text of the file, if other users can neither read nor change it; or a file to write.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// The maximal number of bytes in a file. 1 MiB: some thousand tokens.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file. The mode may allow the group of the file to read it, as is common in containers.
///
/// # Errors
/// An error that says why the file can't be read, or what was expected of its mode.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    check(&file)?;
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("expected at most {MAX_BYTES} bytes, but found more")));
    }
    Ok(text)
}

/// Opens a file to write. If it is created, only the user can read it.
pub(crate) fn create(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Checks the mode of the open file, so that no other file can take its place between check and use. A pipe
/// has no mode that matters: it belongs to this process.
#[cfg(unix)]
fn check(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let facts = file.metadata()?;
    let mode = facts.permissions().mode() & 0o777;
    if facts.is_file() && mode & 0o027 != 0 {
        let text = format!(
            "expected a file that no other user can read or change (`chmod 600`), but found mode {mode:04o}"
        );
        return Err(io::Error::other(text));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check(_: &File) -> io::Result<()> {
    Ok(())
}
