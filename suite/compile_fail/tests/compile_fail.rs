//! The compiler's messages for wrong attributes and handlers.
//!
//! In: the programs in `compile_fail/`, with one mistake each. Out: the compiler refuses each with exactly
//! the text of the `.stderr` file beside it. Unusual code that compiles is tested in `plainwire`
//! (`tests/macros/forms.rs`). `TRYBUILD=overwrite` writes the texts anew; read them before you commit them.

#[test]
fn mistakes_are_refused_with_a_text_that_says_what_to_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
