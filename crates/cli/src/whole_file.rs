//! Writes a file as a whole: next to the old one, and then renamed over it. So a reader sees either the old or
//! the new file, and an error such as a full disk leaves the old one.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The maximal number of symbolic links that are followed.
const MAX_LINKS: usize = 40;

/// The names of this program's own stdout.
const STDOUT: [&str; 3] = ["/dev/fd/1", "/dev/stdout", "/proc/self/fd/1"];

/// Writes bytes to a file that a user has named. A symbolic link stays a link, the mode of an old file is kept,
/// and what is no file, such as a pipe or `/dev/null`, is written to directly.
pub(crate) fn replace(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let bytes = bytes.as_ref();
    // A file that stdout is redirected to is not replaced: other output goes there too.
    if STDOUT.iter().any(|name| path == Path::new(name)) {
        let mut out = io::stdout();
        return out.write_all(bytes).and_then(|()| out.flush());
    }
    // The link to a pipe leads to no path, so the link itself is asked.
    match fs::metadata(path) {
        Ok(facts) if !facts.is_file() => fs::write(path, bytes),
        _ => {
            let path = &target(path)?;
            write(path, bytes, &Mode::of(path, false)?)
        }
    }
}

/// Returns the path that a chain of symbolic links leads to. The file need not exist.
pub(crate) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..=MAX_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("a loop of links"))
}

/// The access rights of the new file.
pub(crate) enum Mode {
    /// The rights of the old file.
    Kept(fs::Permissions),
    /// Rights of the owner only, because the file may contain tokens.
    Private,
    /// The rights that the system gives to new files.
    Usual,
}

impl Mode {
    pub(crate) fn of(path: &Path, is_private: bool) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(it) => Ok(Self::Kept(it.permissions())),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Err(_) if is_private => Ok(Self::Private),
            Err(_) => Ok(Self::Usual),
        }
    }
}

/// Refuses a folder, a device or a pipe. The file need not exist.
pub(crate) fn check_is_file(path: &Path) -> Result<(), String> {
    let Some(found) = fs::metadata(path).ok().filter(|it| !it.is_file()) else { return Ok(()) };
    let found = if found.is_dir() { "a folder" } else { "a device or a pipe" };
    Err(format!("expected a regular file, but found {found}"))
}

/// Returns the path with `ending` appended to its file name.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Writes a file as a whole.
///
/// # Errors
/// If that fails, the file that was there stays as it was.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: &Mode) -> io::Result<()> {
    let new = beside(path, &format!(".plainwire-{}", std::process::id()));
    let written = write_new(&new, bytes, mode).and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // A half-written file is of no use.
        let _ = fs::remove_file(&new);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8], mode: &Mode) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if !matches!(mode, Mode::Usual) {
        // The mode is set when the file is created: other users must not be able to read it even for a
        // moment.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    if let Mode::Kept(permissions) = mode {
        file.set_permissions(permissions.clone())?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn up_to_40_symbolic_links_lead_to_a_file() {
        let folder = std::env::temp_dir().join(format!("plainwire-links-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder of our own");
        let link = |n: usize| folder.join(format!("link{n}"));
        // `link1` leads to the file, and each further one to the link before it.
        std::os::unix::fs::symlink("file", link(1)).expect("a link");
        for n in 2..=41 {
            std::os::unix::fs::symlink(format!("link{}", n - 1), link(n)).expect("a link");
        }
        assert_eq!(target(&link(40)).expect("40 links"), folder.join("file"));
        assert_eq!(target(&link(41)).expect_err("41 links").to_string(), "a loop of links");
        fs::remove_dir_all(&folder).expect("a folder of our own");
    }

    #[cfg(unix)]
    #[test]
    fn an_error_leaves_the_old_file_and_its_mode_and_a_link_stays_a_link() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = std::env::temp_dir().join(format!("plainwire-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder of our own");
        let (file, link) = (folder.join("f.md"), folder.join("link.md"));
        fs::write(&file, "old").expect("a file of our own");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
        symlink(&file, &link).expect("a link");
        replace(&link, "new").expect("written");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "new");
        assert!(link.symlink_metadata().expect("a link").is_symlink());
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
        // The name of the new file is taken, as by a folder, so that it can't be written.
        fs::create_dir(beside(&file, &format!(".plainwire-{}", std::process::id()))).expect("a folder");
        replace(&file, "newer").expect_err("no place to write");
        assert_eq!(fs::read_to_string(&file).expect("a file"), "new");
        replace(Path::new("/dev/null"), "x").expect("it takes anything");
        assert!(!fs::metadata("/dev/null").expect("a device").is_file());
        fs::remove_dir_all(&folder).expect("a folder of our own");
    }
}
