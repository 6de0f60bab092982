//! The functions of a library that code calls.
//!
//! In: code in TypeScript. Out: names such as `Effect.gen`, of what the code imports from `effect` and its packages.

use std::collections::BTreeSet;

/// The largest number of names.
const MAX_NAMES: usize = 6;

/// Returns the calls of imported names in the order in which the code has them.
pub(super) fn apis<'c>(codes: impl IntoIterator<Item = &'c str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for code in codes {
        let imported = imported(code);
        for (at, _) in code.match_indices('.') {
            let before = code[..at].rsplit(|it: char| !is_part(it)).next().unwrap_or_default();
            let after: &str = code[at + 1..].split(|it: char| !is_part(it)).next().unwrap_or_default();
            let is_call = after.starts_with(|it: char| it.is_ascii_lowercase()) && imported.contains(before);
            let is_whole = !code[..at - before.len()].ends_with('.');
            let name = format!("{before}.{after}");
            if is_call && is_whole && !found.contains(&name) {
                found.push(name);
                if found.len() == MAX_NAMES {
                    return found;
                }
            }
        }
    }
    found
}

fn is_part(it: char) -> bool {
    it.is_ascii_alphanumeric() || "_$".contains(it)
}

/// Returns the names that the code imports from `effect`, as the code calls them.
fn imported(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for import in code.split("import ").skip(1) {
        let Some((what, from)) = import.split_once(" from ") else { continue };
        let from = from.trim_start().trim_start_matches(['"', '\'']);
        if !(from.starts_with("effect") || from.starts_with("@effect/")) {
            continue;
        }
        let inside = what
            .split_once('{')
            .and_then(|(_, rest)| rest.split_once('}'))
            .map_or(what, |(inside, _)| inside);
        for name in inside.split(',') {
            // `type A`, `A as B` and `* as B`: the last word is what the code writes.
            names.extend(name.split_whitespace().last().filter(|it| it.chars().all(is_part)));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_imported_names_are_found_once_and_in_order() {
        let code = "import { Effect, Stream as S, type Scope } from \"effect\";\nimport { z } from 'zod';\n\
            const a = Effect.gen(function* () { yield* S.make(1); z.string(); Effect.gen(1); x.Effect.no(); Effect.Service; });\n\
            Other.call(); Effect.fail(2)";
        assert_eq!(apis([code]), ["Effect.gen", "S.make", "Effect.fail"]);
        let many: String = (0..9).map(|it| format!("Effect.f{it}();")).collect();
        assert_eq!(apis([&*format!("import {{ Effect }} from 'effect'\n{many}")]).len(), 6);
        assert_eq!(apis(["import * as T from \"@effect/platform\"; T.make"]), ["T.make"]);
    }
}
