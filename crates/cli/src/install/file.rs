//! Reads and replaces a configuration file on disk.
//!
//! The new file is written next to the old one and renamed over it, so that a client that reads meanwhile
//! sees either the old or the new file. The mode of the old file is kept, and a symbolic link to it stays a
//! link.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::whole_file::{Mode, beside, check_is_file, target, write};

/// The maximal number of bytes in a file. 64 MiB: `~/.claude.json` also has a history of prompts.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the text of the file; `None` if there is no file.
///
/// # Errors
/// Also for a folder, a device or a pipe: a rename would replace it, and a pipe may have no writer.
pub(super) fn read(path: &Path) -> Result<Option<String>, String> {
    check_is_file(path)?;
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
            write(&backup, before.as_bytes(), &mode).map_err(failed)?;
            Some(backup)
        }
        None => None,
    };
    // The client may have written the file meanwhile: its changes must not be lost.
    if read(path)?.as_deref() != before {
        return Err("expected an unchanged file, but found that another program changed it; try again".into());
    }
    write(path, after.as_bytes(), &mode).map_err(failed)?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_file_has_at_most_64_mib() {
        let path = std::env::temp_dir().join(format!("plainwire-size-{}.json", std::process::id()));
        let file = File::create(&path).expect("a file of our own");
        // The file has no blocks on disk: it reads as NUL characters.
        file.set_len(67_108_864).expect("a long file");
        assert_eq!(read(&path).map(|it| it.map(|text| text.len())), Ok(Some(67_108_864)));
        file.set_len(67_108_865).expect("a longer file");
        let error = "expected at most 67108864 bytes, but found more";
        assert_eq!(read(&path).map(|it| it.map(|text| text.len())), Err(error.to_owned()));
        fs::remove_file(&path).expect("a file of our own");
    }

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
