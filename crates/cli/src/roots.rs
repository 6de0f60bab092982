//! Turns paths into roots: the folders in which a server may work.

use std::path::{Component, Path, PathBuf};

use plainwire::model::Root;

use crate::exit::Failure;

/// Returns a root for each path. The paths need not exist. `.` and `..` are resolved without following
/// symbolic links.
///
/// # Errors
/// Fails for a path that can't be made absolute, and outside Unix for one that is not Unicode.
pub(crate) fn roots(paths: &[PathBuf]) -> Result<Vec<Root>, Failure> {
    paths.iter().map(|path| root(path)).collect()
}

fn root(path: &Path) -> Result<Root, Failure> {
    let wrong = |why: String| Failure::usage(format!("--root {}: {why}", path.display()));
    if path.to_string_lossy().contains("://") {
        return Err(wrong("expected a path, but found a URI".to_owned()));
    }
    let absolute = std::path::absolute(path).map_err(|error| wrong(error.to_string()))?;
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    let name = plain.file_name().map(|name| name.to_string_lossy().into_owned());
    let bytes = bytes(&plain).ok_or_else(|| wrong("expected a path in Unicode".to_owned()))?;
    Ok(Root { name, uri: uri(&bytes) })
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "outside Unix a path may have none")]
fn bytes(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(path.as_os_str().as_bytes().to_vec())
}

/// Returns the path as bytes in the form that URIs use, `/C:/a` for `C:\a`; `None` if it is not Unicode.
#[cfg(not(unix))]
fn bytes(path: &Path) -> Option<Vec<u8>> {
    Some(format!("/{}", path.to_str()?.replace('\\', "/")).into_bytes())
}

/// Returns the `file` URI of an absolute path.
///
/// Source: RFC 8089, and RFC 3986 §2.3 for characters that need no escape.
fn uri(path: &[u8]) -> String {
    let mut uri = "file://".to_owned();
    for &byte in path {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            uri.push(byte.into());
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn makes_absolute_uris_with_escapes() {
        for (path, expected) in [
            ("/srv/work", "file:///srv/work"),
            ("/srv/a b/é#?%", "file:///srv/a%20b/%C3%A9%23%3F%25"),
            ("/srv/./a/../b/", "file:///srv/b"),
            ("/..", "file:///"),
        ] {
            assert_eq!(root(Path::new(path)).expect("a root").uri, expected);
        }
        let here = root(Path::new("x y")).expect("a root");
        assert!(here.uri.starts_with("file:///") && here.uri.ends_with("/x%20y"), "{here:?}");
        assert_eq!(here.name.as_deref(), Some("x y"));
        assert_eq!(root(Path::new("")).expect_err("no path").exit, crate::exit::Exit::Usage);
    }
}
