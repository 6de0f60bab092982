//! A token store in files: one file per text (such as the tokens for one MCP server), readable by its owner only.
//!
//! In: a folder, and keys if the files are to be encrypted. Out: files of mode 0600 in a folder of mode 0700, both of
//! this user, each file replaced as a whole, with lock files beside them. On Windows the access rules of the user's
//! profile folder protect the files. Files are small and local, so they are read and written on the async threads.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use fd_lock::RwLock;
use plainwire::proto::base64::encode_url;
use plainwire::proto::seal::{Binding, SealingKeys};
use tokio::time::{Instant, sleep};

use super::{Held, StoreKey, TokenFuture, TokenStore};

/// A token store in a folder that the processes of one user share.
pub struct FileStore {
    folder: PathBuf,
    keys: Option<SealingKeys>,
}

impl FileStore {
    /// Returns a store with unencrypted files. It creates the folder when it first writes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), keys: None }
    }

    /// Returns a store with encrypted files. The first key encrypts; all of them decrypt. To change the key,
    /// put the new one in front.
    ///
    /// A reader without a key can still see the kind of each text (client, server or tokens) and its length.
    ///
    /// # Panics
    /// If there is no key, or there are more than [`plainwire::proto::seal::MAX_KEYS`].
    pub fn encrypted(folder: impl Into<PathBuf>, keys: &[[u8; 32]]) -> Self {
        let keys = SealingKeys::new(keys).expect("the caller gives 1 to 16 keys");
        Self { folder: folder.into(), keys: Some(keys) }
    }

    fn read(&self, key: &StoreKey) -> io::Result<Option<String>> {
        let path = self.folder.join(key.file_name());
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        check_folder(&self.folder)?;
        check_file(&file, &path)?;
        let mut text = String::new();
        file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(invalid(&path, &format!("at most {MAX_BYTES} bytes"), "more"));
        }
        match &self.keys {
            None => Ok(Some(text)),
            Some(keys) => match keys.open(&text, &binding(key), Duration::ZERO) {
                Ok(opened) => Ok(Some(opened.body)),
                Err(_) => Err(invalid(&path, "what this store's keys can decrypt", "something else")),
            },
        }
    }

    fn write(&self, key: &StoreKey, text: &str) -> io::Result<()> {
        ready_folder(&self.folder)?;
        let sealed = match &self.keys {
            None => None,
            Some(keys) => {
                let nonce = crate::runtime::random_bytes();
                Some(keys.seal(nonce, &binding(key), Duration::MAX, text).map_err(io::Error::other)?)
            }
        };
        let path = self.folder.join(key.file_name());
        let stored = sealed.as_deref().unwrap_or(text);
        if stored.len() as u64 > MAX_BYTES {
            return Err(invalid(&path, &format!("at most {MAX_BYTES} bytes"), "more"));
        }
        // With a random name: two writers never share a draft, and a draft left by a crash blocks no later
        // write.
        let draft = path.with_extension(format!("{}.new", encode_url(&crate::runtime::random_bytes::<9>())));
        let written = write_new(&draft, stored).and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_file(&draft);
        }
        written
    }

    /// Takes the lock of `key`; returns `None` if another user of the store holds it.
    fn try_lock(&self, key: &StoreKey) -> io::Result<Option<Held>> {
        ready_folder(&self.folder)?;
        let path = self.folder.join(key.file_name()).with_extension("lock");
        // Lock files are never removed: otherwise two processes could lock two different files of one name.
        let mut options = private();
        let mut lock = RwLock::new(options.create(true).truncate(false).open(path)?);
        match lock.try_write() {
            // The lock lasts as long as the file is open, so the guard is not needed. Kept, it would have to
            // be stored beside the `RwLock` that it borrows.
            Ok(guard) => std::mem::forget(guard),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        }
        Ok(Some(Held::new(lock.into_inner())))
    }
}

impl TokenStore for FileStore {
    fn load<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Option<String>> {
        Box::pin(async { self.read(key) })
    }

    fn save<'s>(&'s self, key: &'s StoreKey, text: &'s str) -> TokenFuture<'s, ()> {
        Box::pin(async { self.write(key, text) })
    }

    fn remove<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, ()> {
        Box::pin(async {
            match fs::remove_file(self.folder.join(key.file_name())) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            }
        })
    }

    fn lock<'s>(&'s self, key: &'s StoreKey) -> TokenFuture<'s, Held> {
        Box::pin(async {
            let until = Instant::now() + LOCK_TIMEOUT;
            loop {
                if let Some(held) = self.try_lock(key)? {
                    return Ok(held);
                }
                if Instant::now() >= until {
                    let message =
                        format!("expected the lock of {} within {LOCK_TIMEOUT:?}", self.folder.display());
                    return Err(io::Error::new(ErrorKind::TimedOut, message));
                }
                sleep(RETRY_INTERVAL).await;
            }
        })
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("FileStore");
        shown.field("folder", &self.folder).field("encrypted", &self.keys.is_some()).finish_non_exhaustive()
    }
}

/// Returns the binding of an encrypted file to its [`StoreKey`]: under the file name of another key, the file
/// can't be decrypted.
fn binding(key: &StoreKey) -> Binding<'_> {
    Binding { principal: None, method: "oauth", name: key.as_str(), arguments: "", server: "", version: "" }
}

/// Creates an empty file, and its folder with the mode of a store's folder, unless they exist.
#[cfg(feature = "keychain")]
pub(super) fn touch(folder: &Path, path: &Path) -> io::Result<()> {
    ready_folder(folder)?;
    private().create(true).truncate(false).open(path).map(|_| ())
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = private().create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    // Before the rename: a crash must not leave an empty file in the place of a token.
    file.sync_all()
}

/// Returns options to write files that other users can't read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates the folder unless it exists, and checks it.
fn ready_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    check_folder(folder)
}

/// Returns an error if other users can read the file, or have written it: they may know its secret, and the user
/// has to learn that.
#[cfg(unix)]
fn check_file(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let facts = file.metadata()?;
    check_owner(&facts, path)?;
    let mode = facts.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(invalid(path, "mode 0600, for its owner only", &format!("mode {mode:04o}")))
}

/// Returns an error if other users can put files into the folder: they could put their own tokens there, and this
/// user's requests would go out with those tokens.
#[cfg(unix)]
fn check_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let facts = fs::metadata(folder)?;
    check_owner(&facts, folder)?;
    let mode = facts.permissions().mode() & 0o777;
    if mode & 0o022 == 0 {
        return Ok(());
    }
    Err(invalid(folder, "a mode that lets only its owner write, such as 0700", &format!("mode {mode:04o}")))
}

/// Returns an error if another user owns the file or folder, and so can change its mode and contents at any time.
/// A file or folder of root is accepted: root can do that anyway.
#[cfg(unix)]
fn check_owner(facts: &fs::Metadata, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let (owner, this_user) = (facts.uid(), rustix::process::geteuid().as_raw());
    if owner == this_user || owner == 0 {
        return Ok(());
    }
    Err(invalid(path, "this user as its owner", &format!("the user {owner}")))
}

#[cfg(not(unix))]
fn check_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn check_file(_file: &File, _path: &Path) -> io::Result<()> {
    Ok(())
}

fn invalid(path: &Path, expected: &str, found: &str) -> io::Error {
    let message = format!("expected {} to have {expected}, but found {found}", path.display());
    io::Error::new(ErrorKind::InvalidData, message)
}

/// Longest stored text, in bytes. Tokens take a few thousand bytes; the limit is that of [`SealingKeys`].
const MAX_BYTES: u64 = plainwire::proto::seal::MAX_BYTES as u64;
/// Longest wait for a lock. 330 s: in another process, a user may be signing in, for which the default limit
/// is 300 s.
const LOCK_TIMEOUT: Duration = Duration::from_secs(330);
/// Interval between attempts to take a lock: file locks send no notification when they become free.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is removed at the end of its test.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            let name = format!("plainwire-tokens-{}", encode_url(&crate::runtime::random_bytes::<9>()));
            Self(std::env::temp_dir().join(name))
        }

        fn files(&self) -> Vec<(String, String)> {
            let files = fs::read_dir(&self.0).expect("a folder").map(|it| it.expect("a file").path());
            let text = |path: &Path| fs::read_to_string(path).expect("text");
            files
                .map(|it| (it.file_name().expect("a name").to_string_lossy().into_owned(), text(&it)))
                .collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key() -> StoreKey {
        StoreKey::tokens("https://as.example", "https://mcp.example/mcp")
    }

    #[tokio::test]
    async fn keeps_texts_under_their_keys() {
        let folder = Folder::new();
        let store = FileStore::new(&folder.0);
        assert_eq!(store.load(&key()).await.expect("no error"), None);
        store.save(&key(), "one").await.expect("saved");
        store.save(&key(), "two").await.expect("saved");
        store.save(&StoreKey::client("https://as.example"), "three").await.expect("saved");
        assert_eq!(FileStore::new(&folder.0).load(&key()).await.expect("no error").as_deref(), Some("two"));
        assert_eq!(folder.files().len(), 2, "no drafts are left");
        store.remove(&key()).await.expect("removed");
        store.remove(&key()).await.expect("nothing to remove");
        assert_eq!(store.load(&key()).await.expect("no error"), None);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn nobody_else_can_read_files_and_folder() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new();
        let store = FileStore::new(&folder.0);
        store.save(&key(), "secret").await.expect("saved");
        drop(store.lock(&key()).await.expect("a lock"));
        let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
        assert_eq!(mode(&folder.0), 0o700);
        for (name, _) in folder.files() {
            assert_eq!(mode(&folder.0.join(&name)), 0o600, "{name}");
        }
        let path = folder.0.join(key().file_name());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a mode");
        let refused = store.load(&key()).await.expect_err("readable by others").to_string();
        assert!(refused.ends_with("to have mode 0600, for its owner only, but found mode 0640"), "{refused}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o770)).expect("a mode");
        let refused = [
            store.load(&key()).await.map(drop).expect_err("writable by others"),
            store.save(&key(), "secret").await.expect_err("writable by others"),
            store.lock(&key()).await.map(drop).expect_err("writable by others"),
        ];
        for refused in refused.map(|it| it.to_string()) {
            assert!(refused.ends_with("such as 0700, but found mode 0770"), "{refused}");
        }
        assert_eq!(folder.files().len(), 2, "nothing was written");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_file_or_folder_of_another_user_is_refused() {
        use std::os::unix::fs::chown;
        let folder = Folder::new();
        let store = FileStore::new(&folder.0);
        store.save(&key(), "secret").await.expect("saved");
        let path = folder.0.join(key().file_name());
        if chown(&path, Some(12_345), None).is_err() {
            // Only root can give a file away.
            #[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
            {
                eprintln!("skipped: this needs root, to make a file of another user");
            }
            return;
        }
        let refused = store.load(&key()).await.expect_err("of another user").to_string();
        assert!(refused.ends_with("to have this user as its owner, but found the user 12345"), "{refused}");
        chown(&path, Some(0), None).and_then(|()| chown(&folder.0, Some(12_345), None)).expect("as root");
        let refused = [
            store.load(&key()).await.map(drop).expect_err("of another user"),
            store.save(&key(), "secret").await.expect_err("of another user"),
            store.lock(&key()).await.map(drop).expect_err("of another user"),
        ];
        for refused in refused.map(|it| it.to_string()) {
            assert!(
                refused.ends_with("to have this user as its owner, but found the user 12345"),
                "{refused}"
            );
        }
    }

    #[tokio::test]
    async fn encrypted_files_tell_nothing_without_their_key() {
        let folder = Folder::new();
        FileStore::encrypted(&folder.0, &[[1; 32]]).save(&key(), "s3cret").await.expect("saved");
        assert!(folder.files().iter().all(|(_, text)| !text.contains("s3cret")));
        let open = async |keys: &[[u8; 32]]| FileStore::encrypted(&folder.0, keys).load(&key()).await;
        assert_eq!(
            open(&[[2; 32], [1; 32]]).await.expect("the second key opens it").as_deref(),
            Some("s3cret")
        );
        assert!(open(&[[2; 32]]).await.is_err());
        // Under another name, the file would be another server's token.
        let other = StoreKey::tokens("https://as.example", "https://evil.example/mcp");
        fs::rename(folder.0.join(key().file_name()), folder.0.join(other.file_name())).expect("renamed");
        assert!(FileStore::encrypted(&folder.0, &[[1; 32]]).load(&other).await.is_err());
    }

    #[tokio::test]
    async fn a_lock_is_held_by_one_at_a_time() {
        let folder = Folder::new();
        let (store, other) = (FileStore::new(&folder.0), FileStore::new(&folder.0));
        let held = store.lock(&key()).await.expect("a lock");
        assert!(other.try_lock(&key()).expect("no error").is_none());
        assert!(other.try_lock(&StoreKey::client("https://as.example")).expect("no error").is_some());
        drop(held);
        assert!(other.try_lock(&key()).expect("no error").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_another_process_keeps_is_waited_for_330_s() {
        let folder = Folder::new();
        let (store, other) = (FileStore::new(&folder.0), FileStore::new(&folder.0));
        let key = key();
        let held = store.lock(&key).await.expect("a lock");
        let began = Instant::now();
        let refused = other.lock(&key).await.expect_err("a lock that is taken");
        assert_eq!((refused.kind(), began.elapsed().as_secs()), (ErrorKind::TimedOut, 330));
        // A lock that becomes free in time is taken.
        let freed = async {
            sleep(Duration::from_secs(1)).await;
            drop(held);
        };
        let (taken, ()) = tokio::join!(other.lock(&key), freed);
        taken.expect("a lock that has become free");
    }

    #[tokio::test]
    async fn a_file_of_more_than_64_kib_is_neither_written_nor_read() {
        let folder = Folder::new();
        let store = FileStore::new(&folder.0);
        store.save(&key(), &"x".repeat(65_536)).await.expect("saved");
        let text = store.load(&key()).await.expect("no error").expect("a text of 64 KiB");
        assert_eq!(text.len(), 65_536);
        let long = "x".repeat(65_537);
        let unsaved = store.save(&key(), &long).await.expect_err("a text that is too long").to_string();
        fs::write(folder.0.join(key().file_name()), long).expect("written by someone else");
        let unread = store.load(&key()).await.expect_err("a file that is too long").to_string();
        for refused in [unsaved, unread] {
            assert!(refused.ends_with("to have at most 65536 bytes, but found more"), "{refused}");
        }
    }

    #[test]
    fn shows_no_key() {
        let store = FileStore::encrypted("/nowhere", &[[7; 32]]);
        assert_eq!(format!("{store:?}"), r#"FileStore { folder: "/nowhere", encrypted: true, .. }"#);
    }
}
