//! Outputs in a folder, which several processes may share.
//!
//! In: a folder that only its user can read. Out: two files for each output, with mode 0600: the facts (`ID.json`), and the bytes.
//! The name of the file with the bytes tells the state: `ID.part` grows, or was cut off if no process has it locked; `ID` is complete.

use std::collections::{BTreeMap, HashMap};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{About, OutputError, OutputFuture, OutputId, OutputState, Outputs, SCAN, Stat, Visit};
use crate::runtime::blocking;

/// The default of [`Folder::budget`].
const BUDGET: u64 = 1 << 30;

/// An output is checked against the budget again when it has grown by this many bytes.
const STRIDE: u64 = 8 << 20;

/// The largest number of outputs in a folder. The oldest are dropped first.
const MAX_OUTPUTS: usize = 10_000;

/// The ends of the names of the files.
const FACTS: &str = ".json";
const PART: &str = ".part";

/// A store of outputs in a folder. Clones share the folder.
#[derive(Clone, Debug)]
pub struct Folder(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    budget: u64,
    /// The outputs that this process writes.
    growing: Mutex<HashMap<OutputId, Arc<Mutex<Part>>>>,
    path: PathBuf,
}

/// A file that grows.
#[derive(Debug)]
struct Part {
    bytes: u64,
    file: File,
    /// The number of bytes at which the budget is checked again.
    next_check: u64,
}

/// An output on disk.
struct Stored {
    bytes: u64,
    is_complete: bool,
}

impl Folder {
    /// Opens a folder for outputs, and makes it if it does not exist. Its parent has to exist.
    ///
    /// # Errors
    /// A folder that can't be made or read, and on Unix one that others can read.
    pub fn open(path: impl Into<PathBuf>) -> std::io::Result<Self> {
        let path = path.into();
        make_private(&path)?;
        Ok(Self(Arc::new(Inner { budget: BUDGET, growing: Mutex::default(), path })))
    }

    /// Sets the budget in bytes for all outputs together, 1 GiB by default. The oldest outputs are dropped first.
    ///
    /// A folder that several processes share has the budget of each when that process writes.
    #[must_use]
    pub fn budget(self, bytes: u64) -> Self {
        let path = self.0.path.clone();
        Self(Arc::new(Inner { budget: bytes, growing: Mutex::default(), path }))
    }
}

impl Outputs for Folder {
    fn create<'s>(&'s self, id: &'s OutputId, about: &'s About) -> OutputFuture<'s, ()> {
        let (inner, id, about) = (Arc::clone(&self.0), id.clone(), about.clone());
        Box::pin(blocking(move || inner.create(&id, &about)))
    }

    fn append<'s>(&'s self, id: &'s OutputId, bytes: Vec<u8>) -> OutputFuture<'s, ()> {
        let (inner, id) = (Arc::clone(&self.0), id.clone());
        Box::pin(blocking(move || inner.append(&id, &bytes)))
    }

    fn finish<'s>(&'s self, id: &'s OutputId) -> OutputFuture<'s, ()> {
        let (inner, id) = (Arc::clone(&self.0), id.clone());
        Box::pin(blocking(move || inner.finish(&id)))
    }

    fn cut_off(&self, id: &OutputId) {
        self.0.growing().remove(id);
    }

    fn stat<'s>(&'s self, id: &'s OutputId) -> OutputFuture<'s, Option<Stat>> {
        let (inner, id) = (Arc::clone(&self.0), id.clone());
        Box::pin(blocking(move || inner.stat(&id)))
    }

    fn read<'s>(&'s self, id: &'s OutputId, offset: u64, max: usize) -> OutputFuture<'s, Option<Vec<u8>>> {
        let (inner, id) = (Arc::clone(&self.0), id.clone());
        Box::pin(blocking(move || inner.read(&id, offset, max)))
    }

    fn scan<'s>(
        &'s self,
        id: &'s OutputId,
        range: Range<u64>,
        visit: Visit,
    ) -> OutputFuture<'s, Option<u64>> {
        let (inner, id) = (Arc::clone(&self.0), id.clone());
        Box::pin(blocking(move || inner.scan(&id, &range, visit)))
    }
}

impl Inner {
    fn growing(&self) -> std::sync::MutexGuard<'_, HashMap<OutputId, Arc<Mutex<Part>>>> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self, id: &OutputId, end: &str) -> PathBuf {
        self.path.join(format!("{}{end}", id.as_str()))
    }

    fn create(&self, id: &OutputId, about: &About) -> Result<(), OutputError> {
        self.make_room(0)?;
        let failed = |error| OutputError::failed_by("an output can't be created", error);
        let facts = serde_json::to_vec(about).map_err(|error| failed(error.into()))?;
        if self.file(id, "").exists() {
            return Err(failed(ErrorKind::AlreadyExists.into()));
        }
        let file = new_file(&self.file(id, PART)).map_err(failed)?;
        lock(&file).map_err(failed)?;
        new_file(&self.file(id, FACTS)).and_then(|mut it| it.write_all(&facts)).map_err(|error| {
            self.remove(id);
            failed(error)
        })?;
        let part = Part { bytes: 0, file, next_check: STRIDE };
        self.growing().insert(id.clone(), Arc::new(Mutex::new(part)));
        Ok(())
    }

    fn append(&self, id: &OutputId, bytes: &[u8]) -> Result<(), OutputError> {
        let part = self.growing().get(id).cloned();
        let part =
            part.ok_or_else(|| OutputError::failed("expected an output of this process that grows"))?;
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        let after = part.bytes + bytes.len() as u64;
        if after > self.budget {
            return Err(OutputError::Full { budget: self.budget });
        }
        if after > part.next_check {
            self.make_room(bytes.len() as u64)?;
            part.next_check = after + STRIDE;
        }
        if let Err(error) = part.file.write_all(bytes) {
            // What was written of these bytes goes, so that the output ends where it was told to.
            let before = part.bytes;
            let back = part.file.set_len(before).and_then(|()| part.file.seek(SeekFrom::Start(before)));
            back.map_err(|error| OutputError::failed_by("an output can't be cut to its length", error))?;
            return Err(OutputError::failed_by("an output can't be written", error));
        }
        part.bytes = after;
        Ok(())
    }

    fn finish(&self, id: &OutputId) -> Result<(), OutputError> {
        let part = self.growing().remove(id);
        // Locked until it has its new name: without the lock it would look as if it was cut off.
        let _locked =
            part.ok_or_else(|| OutputError::failed("expected an output of this process that grows"))?;
        std::fs::rename(self.file(id, PART), self.file(id, ""))
            .map_err(|error| OutputError::failed_by("an output can't be completed", error))
    }

    fn stat(&self, id: &OutputId) -> Result<Option<Stat>, OutputError> {
        if id.has_expired() {
            return Ok(None);
        }
        let Some((file, is_complete)) = self.find(id)? else { return Ok(None) };
        let failed = |error| OutputError::failed_by("an output can't be read", error);
        let Some(facts) = read_small(&self.file(id, FACTS)).map_err(failed)? else { return Ok(None) };
        let about = serde_json::from_slice(&facts).map_err(|error| failed(error.into()))?;
        let bytes = file.metadata().map_err(failed)?.len();
        let state = match is_complete {
            true => OutputState::Complete,
            false if is_locked(&file) => OutputState::Growing,
            // It may have been completed since it was opened.
            false if self.file(id, "").exists() => OutputState::Complete,
            false => OutputState::CutOff,
        };
        // An output that is no longer growing may have grown between the two looks at it.
        let bytes =
            if state == OutputState::Growing { bytes } else { file.metadata().map_err(failed)?.len() };
        Ok(Some(Stat { about, bytes, state }))
    }

    fn read(&self, id: &OutputId, offset: u64, max: usize) -> Result<Option<Vec<u8>>, OutputError> {
        if id.has_expired() {
            return Ok(None);
        }
        let Some((mut file, _)) = self.find(id)? else { return Ok(None) };
        let mut bytes = Vec::with_capacity(max.min(1 << 20));
        let read =
            file.seek(SeekFrom::Start(offset)).and_then(|_| file.take(max as u64).read_to_end(&mut bytes));
        read.map_err(|error| OutputError::failed_by("an output can't be read", error))?;
        Ok(Some(bytes))
    }

    fn scan(&self, id: &OutputId, range: &Range<u64>, mut visit: Visit) -> Result<Option<u64>, OutputError> {
        if id.has_expired() {
            return Ok(None);
        }
        let Some((mut file, _)) = self.find(id)? else { return Ok(None) };
        let failed = |error| OutputError::failed_by("an output can't be read", error);
        file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
        let mut file = file.take(range.end.saturating_sub(range.start));
        // One buffer for all pieces: it stays in the cache.
        let (mut buffer, mut passed) = (vec![0; SCAN], 0);
        loop {
            let read = file.read(&mut buffer).map_err(failed)?;
            passed += read as u64;
            if read == 0 || visit(&buffer[..read]).is_break() {
                return Ok(Some(passed));
            }
        }
    }

    /// Opens the bytes of an output, and returns whether they are complete.
    fn find(&self, id: &OutputId) -> Result<Option<(File, bool)>, OutputError> {
        // It may be completed between two attempts.
        for end in ["", PART, ""] {
            match File::open(self.file(id, end)) {
                Ok(file) => return Ok(Some((file, end.is_empty()))),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(OutputError::failed_by("an output can't be opened", error)),
            }
        }
        Ok(None)
    }

    /// Drops expired outputs, and the oldest others until `more` bytes fit into the budget.
    fn make_room(&self, more: u64) -> Result<(), OutputError> {
        let mut stored =
            self.stored().map_err(|error| OutputError::failed_by("the outputs can't be listed", error))?;
        stored.retain(|id, _| {
            let has_expired = id.has_expired() && !self.is_growing(id);
            if has_expired {
                self.remove(id);
            }
            !has_expired
        });
        let mut bytes: u64 = stored.values().map(|it| it.bytes).sum::<u64>() + more;
        let mut count = stored.len();
        // Ids begin with the time at which they expire, so the first is the oldest.
        for (id, it) in &stored {
            if bytes <= self.budget && count < MAX_OUTPUTS {
                break;
            }
            if !it.is_complete && self.is_growing(id) {
                continue;
            }
            self.remove(id);
            (bytes, count) = (bytes - it.bytes, count - 1);
        }
        match bytes <= self.budget && count < MAX_OUTPUTS {
            true => Ok(()),
            // Only outputs that grow are left.
            false => Err(OutputError::Full { budget: self.budget }),
        }
    }

    fn is_growing(&self, id: &OutputId) -> bool {
        File::open(self.file(id, PART)).is_ok_and(|file| is_locked(&file))
    }

    fn stored(&self) -> std::io::Result<BTreeMap<OutputId, Stored>> {
        let mut stored = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if let Some(id) = name.strip_suffix(FACTS).and_then(OutputId::parse) {
                // Facts may be left of an output that another process removed.
                if id.has_expired() && !self.is_growing(&id) {
                    self.remove(&id);
                }
                continue;
            }
            let is_complete = !name.ends_with(PART);
            let Some(id) = OutputId::parse(name.strip_suffix(PART).unwrap_or(name)) else { continue };
            // Another process may have dropped it meanwhile.
            let Ok(metadata) = entry.metadata() else { continue };
            stored.insert(id, Stored { bytes: metadata.len(), is_complete });
        }
        Ok(stored)
    }

    /// Removes the files of an output. What is left of one is removed when the next is created.
    fn remove(&self, id: &OutputId) {
        for end in ["", PART, FACTS] {
            if let Err(error) = std::fs::remove_file(self.file(id, end))
                && error.kind() != ErrorKind::NotFound
            {
                tracing::warn!("an output can't be removed: {error}");
            }
        }
    }
}

fn read_small(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn make_private(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_dir() {
        return Err(Error::new(ErrorKind::NotADirectory, "expected a folder, but found a file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let why =
                format!("expected a folder that only its user can read (mode 700), but found mode {mode:o}");
            return Err(Error::new(ErrorKind::PermissionDenied, why));
        }
    }
    Ok(())
}

fn new_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Locks a file until it is closed, also by the end of the process. Those who look whether it is locked hold it only for a moment.
#[cfg(unix)]
fn lock(file: &File) -> std::io::Result<()> {
    Ok(rustix::fs::flock(file, rustix::fs::FlockOperation::LockExclusive)?)
}

/// Returns whether another holder has the file locked.
#[cfg(unix)]
fn is_locked(file: &File) -> bool {
    rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockShared).is_err()
}

#[cfg(not(unix))]
fn lock(_: &File) -> std::io::Result<()> {
    Ok(())
}

/// Without locks, a file that is not complete counts as one that grows, until it expires.
#[cfg(not(unix))]
fn is_locked(_: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static NEXT: AtomicUsize = AtomicUsize::new(0);

    fn path() -> PathBuf {
        let name =
            format!("plainwire-outputs-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        std::env::temp_dir().join(name)
    }

    /// Two handles of one folder, as two processes have them.
    async fn handles(budget: u64) -> [Folder; 2] {
        let path = path();
        [(); 2].map(|()| Folder::open(&path).expect("a folder").budget(budget))
    }

    crate::outputs_contract!(#[tokio::test], handles);

    /// A store that has no way of its own to pass a range.
    struct Plain(Folder);

    impl Outputs for Plain {
        fn create<'s>(&'s self, id: &'s OutputId, about: &'s About) -> OutputFuture<'s, ()> {
            self.0.create(id, about)
        }

        fn append<'s>(&'s self, id: &'s OutputId, bytes: Vec<u8>) -> OutputFuture<'s, ()> {
            self.0.append(id, bytes)
        }

        fn finish<'s>(&'s self, id: &'s OutputId) -> OutputFuture<'s, ()> {
            self.0.finish(id)
        }

        fn cut_off(&self, id: &OutputId) {
            self.0.cut_off(id);
        }

        fn stat<'s>(&'s self, id: &'s OutputId) -> OutputFuture<'s, Option<Stat>> {
            self.0.stat(id)
        }

        fn read<'s>(
            &'s self,
            id: &'s OutputId,
            offset: u64,
            max: usize,
        ) -> OutputFuture<'s, Option<Vec<u8>>> {
            self.0.read(id, offset, max)
        }
    }

    #[tokio::test]
    async fn a_store_without_a_scan_of_its_own_passes_ranges_too() {
        let kept = super::super::contract::a_range_is_passed_in_order(async |budget| {
            handles(budget).await.map(Plain)
        });
        assert_eq!(kept.await, Ok(()));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn nobody_else_can_read_the_files() {
        use std::os::unix::fs::PermissionsExt;

        let path = path();
        let folder = Folder::open(&path).expect("a folder");
        let about = About { media_type: "text/plain".into(), owner: None, tool: "list".into() };
        let id = OutputId::new(std::time::Duration::from_secs(60));
        folder.create(&id, &about).await.expect("an output");
        let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        let modes: Vec<u32> =
            std::fs::read_dir(&path).expect("a folder").map(|it| mode(&it.expect("a file").path())).collect();
        assert_eq!(modes, [0o600, 0o600]);

        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a folder");
        let error = Folder::open(&path).expect_err("a folder that others can read");
        let expected = "expected a folder that only its user can read (mode 700), but found mode 755";
        assert_eq!(error.to_string(), expected);
    }

    #[tokio::test]
    async fn an_output_that_is_not_written_any_more_was_cut_off() {
        let [here, there] = handles(1 << 20).await;
        let about = About { media_type: "text/plain".into(), owner: None, tool: "list".into() };
        let id = OutputId::new(std::time::Duration::from_secs(60));
        here.create(&id, &about).await.expect("an output");
        here.append(&id, b"one".to_vec()).await.expect("room");
        // As at the end of a process that is killed.
        drop(here);
        let stat = there.stat(&id).await.expect("no error").expect("an output");
        assert_eq!((stat.bytes, stat.state), (3, OutputState::CutOff));
    }

    #[tokio::test]
    async fn other_files_in_the_folder_are_left_alone() {
        let path = path();
        let folder = Folder::open(&path).expect("a folder").budget(1);
        std::fs::write(path.join("notes.txt"), "mine").expect("a file");
        let about = About { media_type: "text/plain".into(), owner: None, tool: "list".into() };
        folder.create(&OutputId::new(std::time::Duration::from_secs(60)), &about).await.expect("an output");
        assert_eq!(std::fs::read_to_string(path.join("notes.txt")).expect("a file"), "mine");
    }
}
