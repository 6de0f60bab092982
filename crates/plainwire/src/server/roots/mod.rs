//! Roots: the directories that a client lets a server work in, as a boundary for paths.
//!
//! In: root URIs from a client, then paths from any source. Out: real paths inside a root, or a [`ToolError`]
//! with the code `outside_roots`. Nothing is opened or watched here: when roots change, new [`Roots`] are
//! made.

use std::path::{Component, Path, PathBuf};

use plainwire_proto::json::shorten;
use plainwire_proto::model::Root;

use crate::server::result::ToolError;

mod known;

pub(crate) use known::KnownRoots;

/// The directories that a client lets this server work in.
///
/// A root is a `file://` URI, and gives access to ("opens") the paths inside it. A root that is a file opens
/// only that file. `file:///` opens everything, since the client says so. Some roots open nothing, although
/// [`Roots::iter`] returns them: a URI with another scheme, with a host other than `localhost`, with a query,
/// a fragment, or `..`; a path that does not exist when [`Roots`] are made; and a path with a symbolic link
/// to a directory that contains the link, such as `/`, because that root would be wider than it looks.
///
/// The real paths of roots are found once, in [`Roots::new`]: replacing a root by a link later does not widen
/// it.
///
/// # Between the check and the use
///
/// [`Roots::resolve`] is correct only at the moment of the call. A process that can write inside a root can
/// replace a directory by a link after the check and before you open the path. A boundary against such a
/// process needs help from the operating system (`openat2` with `RESOLVE_BENEATH`, a container, another
/// user). Against paths from a model and links that already exist, the check is enough. Resolve right before
/// use, use the returned path and not the requested one, and create files with `create_new`.
///
/// ```
/// use plainwire::Roots;
///
/// let directory = std::env::temp_dir();
/// let uri = format!("file://{}", directory.display());
/// let roots = Roots::new([plainwire::model::Root::new(uri)]);
/// # if cfg!(unix) {
/// assert!(roots.resolve("notes/today.md").is_ok());
/// # }
/// assert_eq!(roots.resolve("../secret").unwrap_err().code(), "outside_roots");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// The roots, in the client's order.
    roots: Vec<GivenRoot>,
}

/// A root as the client gave it, with its checked path.
#[derive(Clone, Debug)]
struct GivenRoot {
    root: Root,
    /// The checked path. If the root opens nothing, the error says what was expected of the URI: it completes
    /// the sentence "expected the URI to be …".
    open: Result<OpenRoot, &'static str>,
}

/// The path of a root that gives access to the file or directory at that path.
#[derive(Clone, Debug)]
struct OpenRoot {
    /// The path in the client's URI, for messages.
    named: PathBuf,
    /// The path `named` with symbolic links resolved.
    real: PathBuf,
}

impl Roots {
    /// Checks the roots, and keeps the client's order. Reads the file system, so it may block.
    ///
    /// Roots after the first 256 open nothing.
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        let given = |(n, root): (usize, Root)| {
            let open =
                if n < MAX_ROOTS { OpenRoot::of(&root.uri) } else { Err("one of the first 256 roots") };
            GivenRoot { root, open }
        };
        Self { roots: roots.into_iter().enumerate().map(given).collect() }
    }

    /// Returns every root in the client's order, including those that open nothing.
    pub fn iter(&self) -> impl Iterator<Item = &Root> {
        self.roots.iter().map(|given| &given.root)
    }

    /// Returns the real paths of the roots that open something, in the client's order.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.open_roots().map(|open| open.real.as_path())
    }

    /// Resolves `path` to a real path inside a root.
    ///
    /// A relative path is resolved against the first root in which it exists or, if it exists in none,
    /// against the first root that opens something. Symbolic links are followed. A path may end in components
    /// that do not exist yet. These may not contain `..`, and none may be a dangling link, because writing to
    /// it would create the file at the link's target. `..` is followed as long as the path before it is
    /// inside a root. Reads the file system, so it may block.
    ///
    /// # Errors
    /// `outside_roots` for a path that leads outside, and for every path if no root opens anything; the
    /// message does not reveal whether the path exists. `invalid_input` for a path that is empty, has a NUL
    /// byte or is longer than 4096 bytes. `failed` if the file system reports an error inside a root.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, ToolError> {
        let path = path.as_ref();
        check_text(path)?;
        let Some(first) = self.open_roots().next() else {
            return Err(self.refuse(path, "found none that is open"));
        };
        if path.is_absolute() {
            return self.real(path, path);
        }
        let open = self.open_roots().find(|open| open.real.join(path).symlink_metadata().is_ok());
        self.real(&open.unwrap_or(first).real.join(path), path)
    }

    /// Resolves the absolute `path`, with the errors of [`Self::resolve`]. Error messages show `asked`, the
    /// path that the caller gave.
    fn real(&self, path: &Path, asked: &Path) -> Result<PathBuf, ToolError> {
        // Without this check, `/secret/../root/file` would reveal whether `/secret` exists.
        if !self.every_parent_is_inside(path) {
            return Err(self.refuse(asked, "found `..` behind something that is missing or outside"));
        }
        let parts: Vec<Component<'_>> = path.components().collect();
        let existing = (0..=parts.len())
            .rev()
            .find_map(|n| Some((n, parts[..n].iter().collect::<PathBuf>().canonicalize().ok()?)));
        let Some((n, real)) = existing.filter(|(_, real)| self.holds(real)) else {
            return Err(self.refuse(asked, "found that it leads outside"));
        };
        let missing = &parts[n..];
        if let Some(next) = missing.first() {
            match real.join(next).symlink_metadata() {
                Ok(_) => return Err(self.refuse(asked, "found a link that leads nowhere")),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(ToolError::failed(format!("{}: {error}", show(asked)))),
            }
        }
        if !missing.iter().all(is_plain) {
            return Err(self.refuse(asked, "found a name with another meaning"));
        }
        Ok(missing.iter().fold(real, |real, part| real.join(part)))
    }

    fn every_parent_is_inside(&self, path: &Path) -> bool {
        let mut before = PathBuf::new();
        path.components().all(|part| {
            let inside =
                part != Component::ParentDir || before.canonicalize().is_ok_and(|real| self.holds(&real));
            before.push(part);
            inside
        })
    }

    /// Returns whether the path `real` is inside a root. Compares whole components: `/root` does not contain
    /// `/root-evil`.
    fn holds(&self, real: &Path) -> bool {
        self.open_roots().any(|open| real.starts_with(&open.real))
    }

    fn open_roots(&self) -> impl Iterator<Item = &OpenRoot> {
        self.roots.iter().filter_map(|root| root.open.as_ref().ok())
    }

    fn refuse(&self, path: &Path, found: &str) -> ToolError {
        let named: Vec<String> =
            self.open_roots().map(|open| format!("`{}`", open.named.display())).collect();
        let (path, expected) = (show(path), shorten(&named.join(", ")).into_owned());
        let message = match (self.roots.as_slice(), named.as_slice()) {
            ([], _) => {
                format!("expected {path} to be inside a root of the client, but found that it gave none")
            }
            ([first, ..], []) => format!(
                "expected {path} to be inside a root of the client, but {found}: expected `{}` to be {}",
                shorten(&first.root.uri),
                first.open.as_ref().err().unwrap_or(&"open"),
            ),
            (_, [_]) => format!("expected {path} to be inside the root {expected}, but {found}"),
            _ => format!("expected {path} to be inside one of the roots {expected}, but {found}"),
        };
        ToolError::new("outside_roots", message)
    }
}

impl OpenRoot {
    /// Checks `uri`, the URI of a root, and returns its path. The error says what was expected of the URI.
    fn of(uri: &str) -> Result<Self, &'static str> {
        let named = path_of(uri)?;
        if named.components().any(|part| part == Component::ParentDir) {
            return Err("without `..`");
        }
        let real = named.canonicalize().map_err(|_| "a path that exists")?;
        // The root is reached through the directories above it, so none of them may be inside the root. Real
        // paths are compared: if `/tmp` is a link to `/private/tmp`, the root `/tmp/up` may be a link to
        // either.
        let widens = |above: &Path| above.canonicalize().is_ok_and(|above| above.starts_with(&real));
        if named.ancestors().skip(1).any(widens) {
            return Err("no link to a directory that it is in");
        }
        Ok(Self { named, real })
    }
}

/// Returns the path of a `file://` URI. The error says what was expected of the URI.
fn path_of(uri: &str) -> Result<PathBuf, &'static str> {
    if uri.len() > MAX_PATH_BYTES {
        return Err("at most 4096 bytes long");
    }
    let rest = uri
        .split_at_checked("file://".len())
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file://"))
        .map(|(_, rest)| rest)
        .ok_or("a `file://` URI")?;
    let (host, path) = rest.split_at(rest.find('/').ok_or("a `file://` URI with an absolute path")?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Err("a `file://` URI of this host");
    }
    // The path of a URI ends at `?` or `#`. If a directory's name has one unescaped, the root would be wider
    // than meant.
    if path.contains(['?', '#']) {
        return Err("without query and fragment");
    }
    let path = decode(path).and_then(native).ok_or("percent-encoded, with no `/` or NUL in a name")?;
    path.is_absolute().then_some(path).ok_or("a `file://` URI with an absolute path")
}

/// Decodes percent escapes. `None` for a broken escape, and for `/` or NUL, which no file name contains.
fn decode(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let mut digit = || char::from(*rest.next()?).to_digit(16);
            let byte = u8::try_from(digit()? << 4 | digit()?).ok()?;
            Some(byte).filter(|byte| !matches!(byte, b'/' | 0))?
        } else {
            Some(byte).filter(|&byte| byte != 0)?
        });
    }
    Some(bytes)
}

/// Converts the decoded bytes into a path. On Unix, file names are bytes in any encoding.
#[cfg(unix)]
fn native(path: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(path).into())
}

/// Converts the decoded bytes into a path; `/C:/x` means `C:/x`. `None` for bytes that are not UTF-8, since
/// file names are Unicode on systems other than Unix.
#[cfg(not(unix))]
fn native(path: Vec<u8>) -> Option<PathBuf> {
    let path = String::from_utf8(path).ok()?;
    let drive = path.strip_prefix('/').filter(|path| path.as_bytes().get(1) == Some(&b':'));
    Some(drive.unwrap_or(&path).into())
}

fn check_text(path: &Path) -> Result<(), ToolError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let found = match bytes.len() {
        0 => "an empty one",
        1..=MAX_PATH_BYTES if bytes.contains(&0) => "a NUL byte in it",
        1..=MAX_PATH_BYTES => return Ok(()),
        _ => "a longer one",
    };
    Err(ToolError::invalid_input(format!(
        "expected a path of 1 to {MAX_PATH_BYTES} bytes, but found {found}"
    )))
}

/// Returns whether the component can only be the name of a new file or directory. On Windows, `a:b` is a
/// stream of the file `a`, and some system calls drop trailing dots and spaces.
fn is_plain(part: &Component<'_>) -> bool {
    let Component::Normal(name) = part else { return false };
    !cfg!(windows) || {
        let name = name.to_string_lossy();
        !name.contains(':') && !name.ends_with(['.', ' '])
    }
}

/// Formats a path for an error message, shortened.
fn show(path: &Path) -> String {
    format!("`{}`", shorten(&path.display().to_string()))
}

/// The number of roots that may open something; later ones open nothing. Checking a root costs a file system
/// access for every component of its path.
const MAX_ROOTS: usize = 256;
/// The longest path on Linux (`PATH_MAX`). Other systems allow less, or far more than users type.
const MAX_PATH_BYTES: usize = 4096;

#[cfg(test)]
mod tests;
