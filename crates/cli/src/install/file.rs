//! Reads and replaces a configuration file on disk.
//!
//! The new file is written next to the old one and renamed over it, so that a client that reads meanwhile
//! sees either the old or the new file. The mode of the old file is kept, and a symbolic link to it stays a
//! link.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The maximal number of bytes in a file. 64 MiB: `~/.claude.json` also has a history of prompts.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The maximal number of symbolic links that are followed.
const MAX_LINKS: usize = 40;

/// Returns the text of the file; `None` if there is no file.
pub(super) fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("expected a file that can be read, but found: {error}")),
    };
    let mut text = String::new();
    let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| format!("expected a file that can be read, but found: {error}"))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(format!("expected at most {MAX_BYTES} bytes, but found more"));
    }
    Ok(Some(text))
}

/// Writes `after` to the file, and `before` to a backup next to the file. Returns the path of the backup, if
/// there was a file. Fails if the text of the file is no longer `before` (`None`: no file). With
/// `is_private`, a new file can be read only by its owner (on Unix).
pub(super) fn replace(
    path: &Path,
    before: Option<&str>,
    after: &str,
    is_private: bool,
) -> Result<Option<PathBuf>, String> {
    let path = &target(path).map_err(|error| format!("expected a link to a file, but found: {error}"))?;
    let failed = |error: io::Error| format!("expected a file that can be written, but found: {error}");
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mode = Mode::of(path, is_private).map_err(failed)?;
    let backup = match before {
        Some(before) => {
            let backup = beside(path, ".backup");
            write(&backup, before, &mode).map_err(failed)?;
            Some(backup)
        }
        None => None,
    };
    // The client may have written the file meanwhile: its changes must not be lost.
    if read(path)?.as_deref() != before {
        return Err("expected an unchanged file, but found that another program changed it; try again".into());
    }
    write(path, after, &mode).map_err(failed)?;
    Ok(backup)
}

/// Returns the path that a chain of symbolic links leads to. The file need not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("a loop of links"))
}

/// The access rights of the new file.
enum Mode {
    /// The rights of the old file.
    Kept(fs::Permissions),
    /// Rights of the owner only, because the file may contain tokens.
    Private,
    /// The rights that the system gives to new files.
    Usual,
}

impl Mode {
    fn of(path: &Path, is_private: bool) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(it) => Ok(Self::Kept(it.permissions())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) if is_private => Ok(Self::Private),
            Err(_) => Ok(Self::Usual),
        }
    }
}

/// Returns the path with `ending` appended to its file name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

fn write(path: &Path, text: &str, mode: &Mode) -> io::Result<()> {
    let new = beside(path, &format!(".plainwire-{}", std::process::id()));
    let written = write_new(&new, text, mode).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // A half-written file is of no use.
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_new(path: &Path, text: &str, mode: &Mode) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if !matches!(mode, Mode::Usual) {
        // The mode is set when the file is created: other users must not be able to read it even for a
        // moment.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    if let Mode::Kept(permissions) = mode {
        file.set_permissions(permissions.clone())?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overwrites_nothing_that_another_program_wrote_meanwhile() {
        let folder = std::env::temp_dir().join(format!("plainwire-replace-{}", std::process::id()));
        let path = folder.join("new/f.json");
        assert_eq!(replace(&path, None, "1", false), Ok(None));
        let error = replace(&path, Some("0"), "2", false).expect_err("it was 1");
        assert!(error.starts_with("expected an unchanged file"), "{error}");
        assert!(replace(&path, None, "2", false).is_err(), "the file exists");
        assert_eq!(read(&path), Ok(Some("1".to_owned())));
        assert_eq!(replace(&path, Some("1"), "2", false), Ok(Some(folder.join("new/f.json.backup"))));
        assert_eq!(read(&folder.join("new/f.json.backup")), Ok(Some("1".to_owned())));
        let left = fs::read_dir(folder.join("new")).expect("a folder").count();
        assert_eq!((read(&path), left), (Ok(Some("2".to_owned())), 2), "and no half-written file is left");
        fs::remove_dir_all(&folder).expect("a folder of our own");
    }
}
