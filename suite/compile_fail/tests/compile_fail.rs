//! Tests of the compiler's messages for wrong attributes and handlers.
//!
//! In: the programs in `compile_fail/`, each with one mistake. Out: the compiler refuses each program with
//! exactly the text of the `.stderr` file beside it. Unusual code that compiles is tested in `plainwire`
//! (`tests/macros/forms.rs`). `TRYBUILD=overwrite` writes the `.stderr` files anew; read them before you
//! commit them.

#[test]
fn mistakes_are_refused_with_a_text_that_says_what_to_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
