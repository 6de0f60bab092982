//! The modules of one crate, and the paths that its code names, read from its source text.
//!
//! In: the sources of a crate. Out: for each file, the modules that its code uses. Comments, strings and unit
//! tests do not count. A path is followed through modules only; the name of an item behind them is not
//! resolved.

use std::collections::BTreeSet;

/// The path of a module below its crate: `["server", "http"]`; empty for `lib.rs`.
pub(crate) type ModulePath = Vec<String>;

/// The modules of one crate.
pub(crate) struct Modules {
    known: BTreeSet<ModulePath>,
}

impl Modules {
    /// Finds the modules of a crate from the paths of its source files below `src`.
    pub(crate) fn new<'p>(files: impl IntoIterator<Item = &'p str>) -> Self {
        Self { known: files.into_iter().map(module_of).collect() }
    }

    /// Returns the modules that `code`, the text of the file `path`, names. Each comes with its line number.
    pub(crate) fn used_by(&self, path: &str, code: &str) -> Vec<(usize, ModulePath)> {
        let (here, code) = (module_of(path), blank(code));
        let mut found = Vec::new();
        for (at, tree) in use_statements(&code) {
            for segments in expand(tree) {
                found.extend(self.resolve(&here, &segments).map(|module| (line(&code, at), module)));
            }
        }
        for (at, segments) in inline_paths(&code) {
            found.extend(self.resolve(&here, &segments).map(|module| (line(&code, at), module)));
        }
        found.sort();
        found.dedup();
        found
    }

    /// Returns the module to which a path in the module `here` leads, without the items behind it; `None` if
    /// the path begins in another crate.
    fn resolve(&self, here: &ModulePath, segments: &[String]) -> Option<ModulePath> {
        let mut rest = segments.iter().map(String::as_str).peekable();
        let mut module = match rest.peek().copied()? {
            "crate" => {
                rest.next();
                ModulePath::new()
            }
            "self" => {
                rest.next();
                here.clone()
            }
            "super" => {
                let mut module = here.clone();
                while rest.next_if_eq(&"super").is_some() {
                    module.pop();
                }
                module
            }
            first => {
                let mut child = here.clone();
                child.push(first.to_owned());
                self.known.contains(&child).then(|| here.clone())?
            }
        };
        for segment in rest {
            module.push(segment.to_owned());
            if !self.known.contains(&module) {
                module.pop();
                break;
            }
        }
        Some(module)
    }
}

/// Returns the path of the module in the file `path`, which is relative to `src`.
pub(crate) fn module_of(path: &str) -> ModulePath {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts: ModulePath = path.split('/').map(ToOwned::to_owned).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "lib" | "main" | "mod")) {
        parts.pop();
    }
    parts
}

/// Replaces comments and literals by blanks, so that only code is left. Line ends stay.
fn blank(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            string_end(rest, 1)
        } else if let Some(hashes) = raw_string(rest).filter(|_| !out.ends_with(is_word)) {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = rest.find('"').map_or(rest.len(), |at| at + 1);
            rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len())
        } else if first == '\'' {
            char_end(rest)
        } else {
            0
        };
        if skipped == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.extend(rest[..skipped].chars().map(|it| if it == '\n' { '\n' } else { ' ' }));
            rest = &rest[skipped..];
        }
    }
    out
}

/// Returns the offset behind a string literal whose content begins at `from`.
fn string_end(text: &str, from: usize) -> usize {
    let mut escaped = false;
    for (at, it) in text[from..].char_indices() {
        match it {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return from + at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the number of `#` in the opening of a raw string literal; `None` if `text` does not begin with
/// one.
fn raw_string(text: &str) -> Option<usize> {
    let text = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = text.bytes().take_while(|it| *it == b'#').count();
    text[hashes..].starts_with('"').then_some(hashes)
}

/// Returns the offset behind a character literal at the beginning of `text`; 0 if it is a lifetime.
fn char_end(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            text[2..].char_indices().skip(1).find(|(_, it)| *it == '\'').map_or(0, |(at, _)| at + 3)
        }
        Some(_) => chars.next().filter(|(_, it)| *it == '\'').map_or(0, |(at, _)| at + 1),
        None => 0,
    }
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}

/// Returns the offset of each `use …;`, and the text between `use` and the semicolon.
fn use_statements(code: &str) -> Vec<(usize, &str)> {
    let is_use = |at: &usize| {
        let before = code[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', ';', '{', '}', ')']) || before.ends_with("pub")
    };
    let found = code.match_indices("use ").map(|(at, _)| at).filter(is_use);
    found.filter_map(|at| Some((at, code[at + 4..].split(';').next()?))).collect()
}

/// Returns the paths of a `use` tree, each as its segments, with the braces resolved.
fn expand(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((prefix, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|it| it.trim().to_owned()).collect()];
    };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let prefix: Vec<String> =
        prefix.split("::").map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, it) in inner.char_indices() {
        match it {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[from..]);
    let paths = parts.into_iter().filter(|it| !it.trim().is_empty()).flat_map(expand);
    paths
        .map(|path| {
            // `self` inside of braces stands for the prefix, so no segment is added for it.
            let path = path.into_iter().filter(|it| it != "self");
            prefix.iter().cloned().chain(path).collect()
        })
        .collect()
}

/// Returns the offset and the segments of each path in code that begins with `crate::` or `super::`.
fn inline_paths(code: &str) -> Vec<(usize, Vec<String>)> {
    let begins = |word: &'static str| code.match_indices(word).map(|(at, _)| at);
    let starts = begins("crate::").chain(begins("super::"));
    let starts = starts.filter(|at| !code[..*at].ends_with([':', '$']) && !code[..*at].ends_with(is_word));
    let path = |at: usize| {
        let end = code[at..].find(|it: char| !is_word(it) && it != ':').map_or(code.len(), |end| at + end);
        (at, code[at..end].split("::").filter(|it| !it.is_empty()).map(ToOwned::to_owned).collect())
    };
    // If the path has only one segment, it is the `crate::` before the braces of a `use`, which `expand`
    // handles.
    starts.map(path).filter(|(_, path): &(usize, Vec<String>)| path.len() > 1).collect()
}

fn line(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

#[test]
fn finds_every_module_that_a_file_names() {
    let modules = Modules::new(["lib.rs", "a/mod.rs", "a/b.rs", "c.rs", "d/mod.rs"]);
    let used = |path: &str, code: &str| {
        let found = modules.used_by(path, code).into_iter();
        found.map(|(line, module)| format!("{line} {}", module.join("::"))).collect::<Vec<_>>()
    };
    assert_eq!(used("c.rs", "use crate::a::b::{X, y::Z};\nuse std::fmt;"), ["1 a::b"]);
    assert_eq!(used("c.rs", "pub(crate) use crate::{a::{self, b}, d::D as E};"), ["1 a", "1 a::b", "1 d"]);
    assert_eq!(used("a/b.rs", "fn f() { super::super::c::g(super::h()) }"), ["1 a", "1 c"]);
    assert_eq!(used("a/mod.rs", "use b::X;\nlet x = \"crate::c::X\"; // crate::d"), ["1 a::b"]);
    assert_eq!(
        used("c.rs", "let a: &'static str = r#\"use crate::a;\"#; let c = '\"'; crate::d::e()"),
        ["1 d"]
    );
}
