//! Tests of roots as a boundary, on real directories and links below the temporary directory.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A directory for one test, removed on drop. Its path has no symbolic links, although the path of the
/// temporary directory may have some.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("plainwire-roots-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).expect("a new directory");
        Self(path.canonicalize().expect("it exists"))
    }

    /// Creates a directory with these files; names that end in `/` become directories.
    fn with(files: &[&str]) -> Self {
        let dir = Self::new();
        for file in files {
            let path = dir.0.join(file);
            let parent = if file.ends_with('/') { path.as_path() } else { path.parent().expect("one") };
            fs::create_dir_all(parent).expect("a directory");
            if !file.ends_with('/') {
                fs::write(&path, "").expect("a file");
            }
        }
        dir
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn uri(&self, path: &str) -> String {
        let path = self.path(path).display().to_string().replace('\\', "/");
        format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" })
    }

    fn roots(&self, paths: &[&str]) -> Roots {
        roots(&paths.iter().map(|path| self.uri(path)).collect::<Vec<_>>())
    }

    #[cfg(unix)]
    fn link(&self, link: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.path(link)).expect("a new link");
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn roots(uris: &[String]) -> Roots {
    Roots::new(uris.iter().map(Root::new))
}

fn allows(roots: &Roots, path: impl AsRef<Path>, expected: impl AsRef<Path>) {
    let path = path.as_ref();
    match roots.resolve(path) {
        Ok(real) => assert_eq!(real, expected.as_ref(), "{path:?}"),
        Err(error) => panic!("{path:?}: {error:?}"),
    }
}

fn refuses(roots: &Roots, path: impl AsRef<Path>) {
    let path = path.as_ref();
    match roots.resolve(path) {
        Ok(real) => panic!("{path:?} is allowed as {real:?}"),
        Err(error) => assert_eq!(error.code(), "outside_roots", "{path:?} {error:?}"),
    }
}

fn message(roots: &Roots, path: &str) -> String {
    roots.resolve(path).expect_err("refused").message().to_owned()
}

/// Asserts that a root with this URI is listed, and that it allows no path.
fn closed(uri: &str) {
    let roots = roots(&[uri.to_owned()]);
    assert_eq!(roots.directories().count(), 0, "{uri}");
    assert_eq!(roots.iter().map(|root| &*root.uri).collect::<Vec<_>>(), [uri]);
    refuses(&roots, "file");
    refuses(&roots, std::env::temp_dir());
}

#[test]
fn allows_what_is_inside() {
    let dir = Dir::with(&["root/sub/file"]);
    let roots = dir.roots(&["root"]);
    allows(&roots, dir.path("root"), dir.path("root"));
    allows(&roots, dir.path("root/sub/file"), dir.path("root/sub/file"));
    allows(&roots, "sub/file", dir.path("root/sub/file"));
    allows(&roots, "sub/../sub/./file", dir.path("root/sub/file"));
    allows(&roots, ".", dir.path("root"));
    assert_eq!(roots.directories().collect::<Vec<_>>(), [dir.path("root")]);
}

#[test]
fn refuses_what_is_outside() {
    let dir = Dir::with(&["root/", "file"]);
    let roots = dir.roots(&["root"]);
    refuses(&roots, dir.path("file"));
    refuses(&roots, dir.path("missing"));
    refuses(&roots, &dir.0);
    refuses(&roots, std::env::temp_dir());
}

#[test]
fn refuses_to_leave_with_two_dots() {
    let dir = Dir::with(&["root/sub/", "file"]);
    let roots = dir.roots(&["root"]);
    for path in
        ["..", "../file", "../missing", "sub/../../file", "./../file", "../../../../../../../etc/passwd"]
    {
        refuses(&roots, path);
        refuses(&roots, dir.path("root").join(path));
    }
}

#[test]
fn two_dots_may_lead_back_in_and_into_another_root() {
    let dir = Dir::with(&["a/x", "b/y"]);
    allows(&dir.roots(&["a"]), "../a/x", dir.path("a/x"));
    allows(&dir.roots(&["a", "b"]), "../b/y", dir.path("b/y"));
    allows(&dir.roots(&["a", "b"]), dir.path("a/../b/y"), dir.path("b/y"));
}

#[test]
fn two_dots_do_not_tell_what_exists_outside() {
    let dir = Dir::with(&["root/file", "there/"]);
    let roots = dir.roots(&["root"]);
    for outside in ["there", "gone"] {
        let path = dir.path(outside).join("../root/file");
        refuses(&roots, &path);
        let words = roots.resolve(&path).expect_err("refused").message().replace(outside, "…");
        assert!(words.ends_with("but found `..` behind something that is missing or outside"), "{words}");
    }
    assert_eq!(
        message(&roots, "../there").replace("there", "…"),
        message(&roots, "../gone").replace("gone", "…")
    );
}

#[test]
fn a_sibling_whose_name_begins_alike_is_outside() {
    let dir = Dir::with(&["root/", "root-evil/file"]);
    let roots = dir.roots(&["root"]);
    refuses(&roots, dir.path("root-evil/file"));
    refuses(&roots, "../root-evil/file");
}

#[test]
fn a_file_that_does_not_exist_yet_is_allowed_with_its_directories() {
    let dir = Dir::with(&["root/sub/"]);
    let roots = dir.roots(&["root"]);
    for path in ["new", "sub/new", "new/nested/file"] {
        allows(&roots, path, dir.path("root").join(path));
        allows(&roots, dir.path("root").join(path), dir.path("root").join(path));
    }
    allows(&roots, "new/./file/", dir.path("root/new/file"));
}

#[test]
fn refuses_two_dots_behind_what_does_not_exist() {
    let dir = Dir::with(&["root/file"]);
    for path in ["new/../file", "new/../../file", "new/..", "new/deep/../../../file"] {
        refuses(&dir.roots(&["root"]), path);
    }
}

#[test]
fn a_path_below_a_file_fails() {
    let dir = Dir::with(&["root/file"]);
    let error = dir.roots(&["root"]).resolve("file/below").expect_err("not a directory");
    assert_eq!(error.code(), "failed");
}

#[test]
fn a_relative_path_belongs_to_the_first_root_in_which_it_exists() {
    let dir = Dir::with(&["a/both", "b/both", "b/second"]);
    let roots = dir.roots(&["a", "b"]);
    allows(&roots, "both", dir.path("a/both"));
    allows(&roots, "second", dir.path("b/second"));
    allows(&roots, "neither", dir.path("a/neither"));
}

#[test]
fn roots_that_open_nothing_are_passed_over() {
    let dir = Dir::with(&["b/file"]);
    let roots = roots(&["https://example.com/".to_owned(), dir.uri("missing"), dir.uri("b")]);
    allows(&roots, "file", dir.path("b/file"));
    allows(&roots, "new", dir.path("b/new"));
    assert_eq!(roots.iter().count(), 3);
}

#[test]
fn refuses_everything_without_roots_and_says_why() {
    refuses(&Roots::default(), std::env::temp_dir());
    assert_eq!(
        message(&Roots::default(), "x"),
        "expected `x` to be inside a root of the client, but found that it gave none"
    );
    assert_eq!(
        message(&roots(&["https://example.com/".to_owned()]), "x"),
        "expected `x` to be inside a root of the client, but found none that is open: expected \
         `https://example.com/` to be a `file://` URI"
    );
}

#[test]
fn names_the_roots_as_the_client_did_and_shortens() {
    let dir = Dir::with(&["a/"]);
    let named = dir.path("a").display().to_string();
    assert_eq!(
        message(&dir.roots(&["a"]), "../x"),
        format!(
            "expected `../x` to be inside the root {}, but found that it leads outside",
            shorten(&format!("`{named}`"))
        )
    );
    let long = message(&dir.roots(&["a"; 50]), &"../".repeat(500));
    assert!(long.chars().count() < 300, "{long}");
}

#[test]
fn refuses_paths_that_are_none() {
    let dir = Dir::with(&["root/"]);
    let roots = dir.roots(&["root"]);
    assert_eq!(message(&roots, ""), "expected a path of 1 to 4096 bytes, but found an empty one");
    for path in ["", "a\0b", "\0", &"a/".repeat(MAX_PATH_BYTES)] {
        assert_eq!(roots.resolve(path).expect_err("no path").code(), "invalid_input", "{path:?}");
    }
}

#[test]
fn a_path_below_a_root_and_the_uri_of_a_root_have_at_most_4096_bytes() {
    let of_path = |bytes: usize| check_text(Path::new(&"a".repeat(bytes))).map_err(|it| it.code().to_owned());
    assert_eq!([of_path(4_096), of_path(4_097)], [Ok(()), Err("invalid_input".to_owned())]);
    let of_uri = |bytes: usize| path_of(&format!("file:///c:/{}", "a".repeat(bytes - 11))).map(drop);
    assert_eq!([of_uri(4_096), of_uri(4_097)], [Ok(()), Err("at most 4096 bytes long")]);
}

#[test]
fn only_file_uris_of_this_host_open_something() {
    let dir = Dir::with(&["root/file"]);
    let path = dir.uri("root")["file://".len()..].to_owned();
    for scheme in ["file://", "FILE://", "file://localhost", "file://LocalHost"] {
        allows(&roots(&[format!("{scheme}{path}")]), "file", dir.path("root/file"));
    }
    allows(&roots(&[format!("file://{path}/")]), "file", dir.path("root/file"));
    for scheme in
        ["", "file:", "https://", "file://example.com", "file://localhost.", "file://user@", "ﬁle://"]
    {
        closed(&format!("{scheme}{path}"));
    }
    for uri in ["", "file", "file://", "file://localhost", "file:", "é://é"] {
        closed(uri);
    }
}

#[test]
fn a_uri_with_a_query_a_fragment_or_two_dots_opens_nothing() {
    let dir = Dir::with(&["root/sub/", "c/", "c#/"]);
    for path in ["root?", "root?a=b", "c#/", "root/sub/..", "root/sub/%2e%2E", "root/..", "root/../c"] {
        closed(&dir.uri(path));
    }
}

#[test]
fn percent_escapes_and_blanks_are_understood() {
    let dir = Dir::with(&["a b é#/file"]);
    for path in ["a%20b%20%C3%A9%23", "a b é%23", "%61 b %c3%a9%23"] {
        allows(&roots(&[dir.uri(path)]), "file", dir.path("a b é#/file"));
    }
    // None of these URIs opens a root: `+` is not decoded to a space, no escape is decoded twice, and
    // malformed escapes, NUL and an encoded `/` are refused.
    for path in ["a+b é%23", "a%2520b é%23", "a%2", "a%", "a%zz", "a%+2", "x%00", "x\0", "%2froot"] {
        closed(&dir.uri(path));
    }
    let dir = Dir::with(&["a/b/"]);
    closed(&dir.uri("a%2Fb"));
}

#[test]
fn a_root_that_is_a_file_opens_that_file() {
    let dir = Dir::with(&["file", "other"]);
    let roots = dir.roots(&["file"]);
    allows(&roots, dir.path("file"), dir.path("file"));
    refuses(&roots, dir.path("other"));
}

#[test]
fn of_too_many_roots_the_rest_opens_nothing() {
    let dir = Dir::with(&["a/", "b/"]);
    let mut paths = vec!["a"; MAX_ROOTS];
    paths.push("b");
    let roots = dir.roots(&paths);
    assert_eq!((roots.iter().count(), roots.directories().count()), (MAX_ROOTS + 1, MAX_ROOTS));
    refuses(&roots, dir.path("b"));
    closed(&dir.uri(&"a/".repeat(MAX_PATH_BYTES)));
}

#[cfg(unix)]
mod unix {
    use super::*;

    #[test]
    fn refuses_links_that_lead_outside() {
        let dir = Dir::with(&["root/", "secret/file"]);
        dir.link("root/file", dir.path("secret/file"));
        dir.link("root/dir", "../secret");
        dir.link("root/hop", "dir");
        let roots = dir.roots(&["root"]);
        for path in ["file", "dir", "dir/file", "hop/file", "dir/new", "dir/new/nested", "dir/../root/file"] {
            refuses(&roots, path);
            refuses(&roots, dir.path("root").join(path));
        }
    }

    #[test]
    fn follows_links_that_stay_inside() {
        let dir = Dir::with(&["root/sub/file", "other/x"]);
        dir.link("root/link", "sub");
        dir.link("root/other", "../other");
        allows(&dir.roots(&["root"]), "link/file", dir.path("root/sub/file"));
        allows(&dir.roots(&["root"]), "link/new", dir.path("root/sub/new"));
        allows(&dir.roots(&["root", "other"]), "other/x", dir.path("other/x"));
    }

    #[test]
    fn two_dots_behind_a_link_mean_the_parent_of_its_target() {
        let dir = Dir::with(&["root/a/b/", "root/a/file", "secret/sub/", "secret/file"]);
        dir.link("root/in", "a/b");
        dir.link("root/out", "../secret/sub");
        allows(&dir.roots(&["root"]), "in/../file", dir.path("root/a/file"));
        refuses(&dir.roots(&["root"]), "out/../file");
    }

    #[test]
    fn refuses_links_that_lead_nowhere() {
        let dir = Dir::with(&["root/"]);
        dir.link("root/out", dir.path("missing"));
        dir.link("root/in", "missing");
        dir.link("root/loop", "loop");
        let roots = dir.roots(&["root"]);
        for path in ["out", "out/", "out/.", "out/below", "in", "loop", "loop/below"] {
            refuses(&roots, path);
            refuses(&roots, dir.path("root").join(path));
        }
    }

    #[test]
    fn a_link_to_nowhere_in_the_first_root_is_not_passed_over() {
        let dir = Dir::with(&["a/", "b/file"]);
        dir.link("a/file", dir.path("missing"));
        refuses(&dir.roots(&["a", "b"]), "file");
    }

    #[test]
    fn a_root_may_be_a_link_and_paths_may_use_either_name() {
        let dir = Dir::with(&["real/root/file"]);
        dir.link("named", "real");
        let roots = dir.roots(&["named/root"]);
        allows(&roots, "file", dir.path("real/root/file"));
        allows(&roots, dir.path("named/root/file"), dir.path("real/root/file"));
        allows(&roots, dir.path("real/root/file"), dir.path("real/root/file"));
        let words = message(&dir.roots(&["named"]), "/x");
        let named = format!("`{}`", dir.path("named").display());
        assert!(words.contains(&*shorten(&named)), "{words}");
    }

    #[test]
    fn a_root_that_is_a_link_to_the_root_directory_opens_nothing() {
        let dir = Dir::with(&["sub/"]);
        dir.link("all", "/");
        dir.link("sub/hop", "../all");
        for root in ["all", "all/", "sub/hop"] {
            closed(&dir.uri(root));
        }
    }

    #[test]
    fn a_root_that_is_a_link_to_a_directory_it_is_in_opens_nothing() {
        let dir = Dir::with(&["a/b/"]);
        dir.link("a/b/parent", "..");
        dir.link("a/b/grandparent", dir.path("."));
        dir.link("a/b/here", ".");
        for root in ["a/b/parent", "a/b/grandparent", "a/b/here", "a/b/parent/b/grandparent"] {
            closed(&dir.uri(root));
        }
    }

    #[test]
    fn a_root_that_widens_below_another_link_opens_nothing() {
        // On macOS, /tmp is a link to /private/tmp. A link /tmp/x/up to /private/tmp would then widen the
        // root /tmp/x.
        let dir = Dir::with(&["private/x/"]);
        dir.link("tmp", "private");
        dir.link("private/x/up", dir.path("private"));
        closed(&dir.uri("tmp/x/up"));
        assert_eq!(dir.roots(&["tmp/x"]).directories().collect::<Vec<_>>(), [dir.path("private/x")]);
    }

    #[test]
    fn the_root_directory_named_openly_opens_everything() {
        let dir = Dir::with(&["file"]);
        let roots = roots(&["file:///".to_owned()]);
        allows(&roots, dir.path("file"), dir.path("file"));
    }

    #[test]
    fn a_root_that_becomes_a_link_does_not_widen() {
        let dir = Dir::with(&["root/", "secret/file"]);
        let roots = dir.roots(&["root"]);
        fs::remove_dir(dir.path("root")).expect("it is empty");
        dir.link("root", "secret");
        refuses(&roots, "file");
        refuses(&roots, dir.path("root/new"));
    }

    #[test]
    fn names_that_are_not_unicode_can_be_roots() {
        use std::os::unix::ffi::OsStrExt as _;
        let dir = Dir::new();
        let name = dir.0.join(std::ffi::OsStr::from_bytes(b"\xff"));
        // Some file systems refuse such names.
        if fs::create_dir(&name).is_ok() {
            allows(&roots(&[dir.uri("%FF")]), "new", name.join("new"));
        }
        closed(&dir.uri("%FE"));
    }

    #[test]
    fn names_that_mean_more_elsewhere_are_plain_here() {
        let dir = Dir::with(&["root/"]);
        for name in ["...", "a.", "a:b", "~", "C:\\x", "..\\x", "%2e%2e"] {
            allows(&dir.roots(&["root"]), name, dir.path("root").join(name));
        }
    }
}
