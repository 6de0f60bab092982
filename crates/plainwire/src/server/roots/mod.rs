//! Roots as a boundary: the directories that a client lets a server work in.
//!
//! In: the URIs that a client gave, then paths from anywhere. Out: real paths inside a root, or a [`ToolError`] with
//! the code `outside_roots`. Nothing is opened here, and nothing is watched: roots that change are new [`Roots`].

use std::path::{Component, Path, PathBuf};

use plainwire_proto::json::shorten;
use plainwire_proto::model::Root;

use crate::ToolError;

mod known;

pub(crate) use known::KnownRoots;

/// The directories that a client lets this server work in.
///
/// A root is a `file://` URI. Others are listed but open nothing, and so do these: a URI with a host other than
/// `localhost`, with a query, a fragment, or `..`; a path that does not exist now; a path that is wider than it
/// looks, because a symbolic link in it leads to a directory that the link itself is in, such as `/`. `file:///`
/// opens everything: the client said so. A root that is a file opens that file.
///
/// Real paths of roots are found once, in [`Roots::new`]: a root that is replaced by a link later does not widen.
///
/// # Between the check and the use
///
/// [`Roots::resolve`] answers for one moment. Whoever can write inside a root can put a link in the place of a
/// directory after the check and before the path is opened; a boundary against such a process needs the operating
/// system's help (`openat2` with `RESOLVE_BENEATH`, a container, another user). Against paths that come from a
/// model, and links that lie there already, the check is enough. Resolve right before use, use the path that was
/// returned and not the one that was asked for, and create files with `create_new`.
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
    /// In the client's order.
    roots: Vec<Given>,
}

/// A root as it was given.
#[derive(Clone, Debug)]
struct Given {
    root: Root,
    /// The path as the client named it and the real one; or what was expected of the URI.
    place: Result<Place, &'static str>,
}

#[derive(Clone, Debug)]
struct Place {
    named: PathBuf,
    real: PathBuf,
}

impl Roots {
    /// Takes the roots in the client's order. Asks the file system, so that it may block.
    ///
    /// Of more than 256 roots the rest opens nothing.
    pub fn new(roots: impl IntoIterator<Item = Root>) -> Self {
        let given = |(n, root): (usize, Root)| {
            let place = if n < MAX_ROOTS { Place::of(&root.uri) } else { Err("one of the first 256 roots") };
            Given { root, place }
        };
        Self { roots: roots.into_iter().enumerate().map(given).collect() }
    }

    /// Returns every root, in the client's order, whether it opens something or not.
    pub fn iter(&self) -> impl Iterator<Item = &Root> {
        self.roots.iter().map(|given| &given.root)
    }

    /// Returns the real paths that are open, in the client's order.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.places().map(|place| place.real.as_path())
    }

    /// Returns the real path that `path` stands for, which is inside a root.
    ///
    /// A relative path belongs to the first root in which it exists, else to the first root. Symbolic links are
    /// followed. A path may end in parts that do not exist yet; behind those there is no `..`, and no part of it
    /// may be a link to nowhere, because writing to it would create the file where the link points. `..` is
    /// followed while what stands before it is inside a root. Asks the file system, so that it may block.
    ///
    /// # Errors
    /// `outside_roots` for a path that leads outside, and for every path when no root is open; the text is the same
    /// whether something is there or not. `invalid_input` for a path that is empty, has a NUL byte or is longer
    /// than 4096 bytes. `failed` if the file system can't tell, inside a root.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, ToolError> {
        let path = path.as_ref();
        check_text(path)?;
        let Some(first) = self.places().next() else {
            return Err(self.refuse(path, "found none that is open"));
        };
        if path.is_absolute() {
            return self.real(path, path);
        }
        let place = self.places().find(|place| place.real.join(path).symlink_metadata().is_ok());
        self.real(&place.unwrap_or(first).real.join(path), path)
    }

    /// The real path of `path`, which the caller calls `asked`.
    fn real(&self, path: &Path, asked: &Path) -> Result<PathBuf, ToolError> {
        // Else `/secret/../root/file` would tell whether there is a `/secret`.
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

    /// Part by part: `/root` does not hold `/root-evil`.
    fn holds(&self, real: &Path) -> bool {
        self.places().any(|place| real.starts_with(&place.real))
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        self.roots.iter().filter_map(|root| root.place.as_ref().ok())
    }

    fn refuse(&self, path: &Path, found: &str) -> ToolError {
        let named: Vec<String> = self.places().map(|place| format!("`{}`", place.named.display())).collect();
        let (path, expected) = (show(path), shorten(&named.join(", ")).into_owned());
        let message = match (self.roots.as_slice(), named.as_slice()) {
            ([], _) => {
                format!("expected {path} to be inside a root of the client, but found that it gave none")
            }
            ([first, ..], []) => format!(
                "expected {path} to be inside a root of the client, but {found}: expected `{}` to be {}",
                shorten(&first.root.uri),
                first.place.as_ref().err().unwrap_or(&"open"),
            ),
            (_, [_]) => format!("expected {path} to be inside the root {expected}, but {found}"),
            _ => format!("expected {path} to be inside one of the roots {expected}, but {found}"),
        };
        ToolError::new("outside_roots", message)
    }
}

impl Place {
    /// The place that `uri` names, if it is one that may be opened; else what was expected of it.
    fn of(uri: &str) -> Result<Self, &'static str> {
        let named = path_of(uri)?;
        if named.components().any(|part| part == Component::ParentDir) {
            return Err("without `..`");
        }
        let real = named.canonicalize().map_err(|_| "a path that exists")?;
        // The root is found in these directories, so none of them may be inside it. Their real paths are compared:
        // with `/tmp` a link to `/private/tmp`, the root `/tmp/up` may be a link to either.
        let widens = |above: &Path| above.canonicalize().is_ok_and(|above| above.starts_with(&real));
        if named.ancestors().skip(1).any(widens) {
            return Err("no link to a directory that it is in");
        }
        Ok(Self { named, real })
    }
}

/// The path that a `file://` URI names.
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
    // A `#` that a client forgot to escape would otherwise cut the path short, and the root would be wider.
    if path.contains(['?', '#']) {
        return Err("without query and fragment");
    }
    let path = decode(path).and_then(native).ok_or("percent-encoded, with no `/` or NUL in a name")?;
    path.is_absolute().then_some(path).ok_or("a `file://` URI with an absolute path")
}

/// Undoes percent escapes. `None` for one that is broken, or that stands for `/` or NUL, which no name has.
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

/// Names are bytes on Unix, whatever their encoding.
#[cfg(unix)]
fn native(path: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(std::ffi::OsString::from_vec(path).into())
}

/// `/C:/x` is `C:/x`; names are Unicode.
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

/// Whether the part is the name of a new file or directory and nothing else. On Windows `a:b` is a stream of the
/// file `a`, and dots and blanks at the end are dropped by half of the system.
fn is_plain(part: &Component<'_>) -> bool {
    let Component::Normal(name) = part else { return false };
    !cfg!(windows) || {
        let name = name.to_string_lossy();
        !name.contains(':') && !name.ends_with(['.', ' '])
    }
}

/// A path in an error message, shortened.
fn show(path: &Path) -> String {
    format!("`{}`", shorten(&path.display().to_string()))
}

/// Each root costs a look at the file system for every part of its path.
const MAX_ROOTS: usize = 256;
/// Linux allows no longer ones (`PATH_MAX`), other systems fewer or far more than anybody types.
const MAX_PATH_BYTES: usize = 4096;

#[cfg(test)]
mod tests;
