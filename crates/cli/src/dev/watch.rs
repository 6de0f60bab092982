//! Watches source files.
//!
//! In: files and folders. Out: the path of a file that has changed since the last look. [`Watched`] asks for the times
//! of all files again and again: this needs no library, and works in containers and on network drives, where
//! notifications of the system often do not.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::{output, visible};

/// The time between two looks at the sources.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// The maximal number of files that are watched.
const MAX_FILES: usize = 20_000;

/// The maximal depth of folders.
const MAX_DEPTH: usize = 32;

/// Folders whose files are made by tools.
const MADE: [&str; 4] = ["__pycache__", "node_modules", "target", "venv"];

/// The time and the size of each file at the last look.
pub(super) struct Watched {
    files: HashMap<PathBuf, (SystemTime, u64)>,
    roots: Vec<PathBuf>,
}

impl Watched {
    pub(super) fn new(roots: Vec<PathBuf>) -> Self {
        let mut watched = Self { files: HashMap::new(), roots };
        watched.files = watched.look();
        watched
    }

    /// Looks for changes for ever, and hands the path of a changed file over until `take` refuses one.
    pub(super) fn each_change(mut self, mut take: impl FnMut(String) -> bool) {
        let mut repeats = Repeats::default();
        loop {
            thread::sleep(LOOK);
            let Some(path) = self.changed() else { continue };
            let shown = visible::line(&path.strip_prefix(".").unwrap_or(&path).display().to_string());
            if repeats.is_third(&path, Instant::now()) {
                let is_named = self.roots.iter().all(|root| root != Path::new("."));
                let advice = if is_named {
                    "give `--watch` folders without this file"
                } else {
                    "`--watch src` watches only src"
                };
                output::note(&format!(
                    "{shown} has changed three times within 30 s; if the server writes it, {advice}"
                ));
            }
            if !take(shown) {
                return;
            }
        }
    }

    /// Returns a file that has changed, has come or has gone since the last look.
    fn changed(&mut self) -> Option<PathBuf> {
        let now = self.look();
        let is_new = |(path, mark): &(&PathBuf, &(SystemTime, u64))| self.files.get(*path) != Some(*mark);
        let changed = now.iter().find(is_new).map(|(path, _)| path.clone());
        let changed = changed.or_else(|| self.files.keys().find(|path| !now.contains_key(*path)).cloned());
        self.files = now;
        changed
    }

    fn look(&self) -> HashMap<PathBuf, (SystemTime, u64)> {
        let mut files = HashMap::new();
        self.roots.iter().for_each(|root| add(root, MAX_DEPTH, &mut files));
        files
    }
}

/// Endings of files that people write: a developer may save one many times.
const SOURCES: [&str; 16] =
    ["c", "cpp", "cs", "css", "go", "h", "html", "java", "js", "kt", "md", "py", "rb", "rs", "toml", "ts"];

/// The changes of the file that changed last, to find one that the server itself writes.
#[derive(Default)]
struct Repeats {
    path: PathBuf,
    times: Vec<Instant>,
}

impl Repeats {
    /// Notes a change. Returns whether the file has changed three times within 30 s.
    fn is_third(&mut self, path: &Path, now: Instant) -> bool {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        if SOURCES.contains(&&*ending) {
            return false;
        }
        if self.path != path {
            *self = Self { path: path.to_path_buf(), times: Vec::new() };
        }
        self.times.retain(|time| now.duration_since(*time) < Duration::from_secs(30));
        self.times.push(now);
        self.times.len() == 3
    }
}

/// Returns whether a file is stdout or stderr of this process, which grows with each line that is said about a change.
#[cfg(unix)]
fn is_own_output(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let is_it = |about: rustix::io::Result<rustix::fs::Stat>| {
        about.is_ok_and(|about| (about.st_dev, about.st_ino) == (file.dev(), file.ino()))
    };
    is_it(rustix::fs::fstat(std::io::stdout())) || is_it(rustix::fs::fstat(std::io::stderr()))
}

#[cfg(not(unix))]
fn is_own_output(_: &fs::Metadata) -> bool {
    false
}

fn add(path: &Path, depth: usize, files: &mut HashMap<PathBuf, (SystemTime, u64)>) {
    let Ok(about) = fs::metadata(path) else { return };
    if about.is_file() && files.len() < MAX_FILES && !is_own_output(&about) {
        files.insert(path.to_path_buf(), (about.modified().unwrap_or(SystemTime::UNIX_EPOCH), about.len()));
    }
    if !about.is_dir() || depth == 0 {
        return;
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // A link can lead out of the folder, or in a circle.
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if !is_link && !name.starts_with('.') && !MADE.contains(&&*name) {
            add(&entry.path(), depth - 1, files);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_change_of_one_file_within_30_s_is_noticed() {
        let (mut repeats, began) = (Repeats::default(), Instant::now());
        let mut at =
            |path: &str, seconds| repeats.is_third(path.as_ref(), began + Duration::from_secs(seconds));
        assert_eq!(
            [at("a", 0), at("a", 1), at("b", 2), at("a", 3), at("a", 4), at("a", 5), at("a", 6)],
            [false, false, false, false, false, true, false]
        );
        assert_eq!([at("a", 40), at("a", 69), at("a", 71)], [false; 3]);
        assert_eq!([at("a.rs", 80), at("a.rs", 81), at("a.rs", 82)], [false; 3]);
    }

    #[test]
    fn sees_files_that_change_come_and_go_but_not_those_that_tools_make() {
        let folder = std::env::temp_dir().join(format!("plainwire-watch-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of our own");
            fs::write(&path, text).expect("a file of our own");
            path
        };
        let main = write("src/main.rs", "1");
        let mut watched = Watched::new(vec![folder.clone()]);
        assert_eq!(watched.changed(), None);
        write("src/main.rs", "22");
        assert_eq!((watched.changed(), watched.changed()), (Some(main), None));
        let other = write("src/other.rs", "");
        assert_eq!(watched.changed().as_ref(), Some(&other));
        fs::remove_file(&other).expect("a file of our own");
        assert_eq!(watched.changed(), Some(other));
        write("target/debug/x", "");
        write(".git/index", "");
        assert_eq!(watched.changed(), None);
        fs::remove_dir_all(folder).expect("a folder of our own");
    }
}
