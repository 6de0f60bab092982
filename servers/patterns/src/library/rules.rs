//! Rules for reading code that uses Effect. A reader applies them; no tool here does.
//!
//! In: nothing. Out: the list. Each rule names the pattern that shows what to write instead.

/// A rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// `high`, `medium` or `low`.
    pub(crate) severity: &'static str,
    pub(crate) category: &'static str,
    pub(crate) message: &'static str,
    /// The id of the pattern that shows what to write instead.
    pub(crate) pattern: &'static str,
}

macro_rules! rules {
    ($($id:literal $severity:ident $category:literal $title:literal: $message:literal => $pattern:literal;)*) => {
        /// All rules, sorted by id.
        pub(crate) const RULES: &[Rule] = &[$(Rule {
            id: $id,
            title: $title,
            severity: stringify!($severity),
            category: $category,
            message: $message,
            pattern: $pattern,
        }),*];
    };
}

rules! {
    "async-await" medium "core-concepts" "`async` and `await` beside Effect":
        "An async function loses typed errors and interruption. `Effect.gen` reads the same way and keeps both."
        => "write-sequential-code-with-gen";
    "console-log" low "observability" "`console.log` in an Effect":
        "`Effect.log` has levels, spans and the fiber; tests can read it."
        => "observability-structured-logging";
    "error-as-string" medium "error-management" "An error that is a text":
        "A caller can't tell such errors apart. A tagged error has a name and data."
        => "define-tagged-errors";
    "impure-now" medium "testing" "The current time from `Date.now`":
        "A test can't set this time. The `Clock` service has a time that tests control."
        => "accessing-current-time-with-clock";
    "manual-release" high "resource-management" "A resource that is released by hand":
        "An interruption or a failure skips the release. `acquireRelease` runs it in each case."
        => "safely-bracket-resource-usage";
    "no-timeout" medium "making-http-requests" "A request without a time limit":
        "A server that does not answer holds the fiber for ever."
        => "http-timeouts";
    "primitive-id" low "domain-modeling" "An identifier that is a plain text":
        "Two identifiers of different things can be swapped. A branded type refuses that."
        => "brand-model-domain-type";
    "run-inside" high "core-concepts" "`Effect.runPromise` in the middle of a program":
        "The inner program loses the services, the spans and the interruption of the outer one. Effects run at the edge."
        => "execute-with-runpromise";
    "swallowed-error" high "error-management" "`catchAll` that returns nothing":
        "The error is lost, and callers go on with a value that is none. `catchTag` handles what is meant."
        => "pattern-catchtag";
    "throw" high "error-management" "`throw` in an Effect":
        "What is thrown is a defect and not in the type. `Effect.fail` is in the type, and callers can handle it."
        => "define-tagged-errors";
    "unbounded" high "concurrency" "All at once, without a limit":
        "`Effect.all` with unbounded concurrency opens a connection for each element. A number bounds it."
        => "run-effects-in-parallel-with-all";
    "unchecked-input" high "schema" "Data from outside with a type assertion":
        "The assertion checks nothing. A schema reads the data or says what is wrong."
        => "validate-request-body";
    "whole-file" medium "streams" "A whole file in memory":
        "Memory grows with the file. A stream reads it in parts."
        => "stream-from-file";
}

#[cfg(test)]
mod tests {
    use super::super::Library;
    use super::*;

    #[test]
    fn rules_are_sorted_and_name_patterns_that_exist() {
        let library = Library::embedded();
        assert!(RULES.is_sorted_by(|a, b| a.id < b.id));
        for rule in RULES {
            assert!(library.get(rule.pattern).is_some(), "{}", rule.pattern);
            assert!(library.categories().contains_key(rule.category), "{}", rule.category);
        }
    }
}
