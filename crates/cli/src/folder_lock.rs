//! Keeps other commands from changing a configuration file between its reading and its replacement.
//!
//! In: the path of the file. Out: a lock, which ends when it is dropped. The folder of the file is locked, since the file
//! itself is replaced, and a lock file would stay behind. Clients that write the file take no lock: a change of theirs
//! shows when the file is replaced. Windows locks no folders.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fd_lock::RwLock;

use crate::whole_file::target;

/// The longest wait for a lock. 10 s: another command holds it for some milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time between attempts to take a lock: file locks send no notification when they become free.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Takes the lock of the file at `path`, whose folder is created if `creates` is set. Returns the folder, with which the
/// lock lasts; `None` where there is nothing to lock.
pub(crate) fn hold(path: &Path, creates: bool) -> Result<Option<File>, String> {
    let path = target(path).map_err(|error| format!("expected a link to a file, but found: {error}"))?;
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if creates {
        let failed = |error| format!("expected a file that can be written, but found: {error}");
        fs::create_dir_all(folder).map_err(failed)?;
    }
    // A folder that can't be opened, or a file system without locks, is no reason to write nothing.
    let Ok(folder) = File::open(folder) else { return Ok(None) };
    let until = Instant::now() + TIMEOUT;
    let mut lock = RwLock::new(folder);
    loop {
        // The lock lasts as long as the folder is open, so the guard is not needed. Kept, it would have to be stored
        // beside the `RwLock` that it borrows.
        let taken = lock.try_write().map(std::mem::forget);
        match taken {
            Ok(()) => return Ok(Some(lock.into_inner())),
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Ok(None);
            }
            Err(_) if Instant::now() >= until => {
                return Err(format!(
                    "expected the lock of its folder within {TIMEOUT:?}, but another program holds it"
                ));
            }
            Err(_) => sleep(RETRY_INTERVAL),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_holds_the_lock_of_a_folder_and_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("plainwire-lock-{}", std::process::id()));
        let path = folder.join("new/f.json");
        assert!(hold(&path, false).is_ok_and(|held| held.is_none()), "there is no folder");
        let held = hold(&path, true).expect("a lock");
        let other = std::thread::spawn(move || hold(&path, true).map(|_| Instant::now()));
        sleep(Duration::from_millis(100));
        let freed = Instant::now();
        drop(held);
        assert!(other.join().expect("no panic").expect("a lock that has become free") >= freed);
        assert_eq!(fs::read_dir(folder.join("new")).expect("a folder").count(), 0);
        fs::remove_dir_all(&folder).expect("a folder of our own");
    }
}
