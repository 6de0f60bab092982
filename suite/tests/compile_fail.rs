//! What the compiler says to somebody who writes an attribute or a handler wrong.
//!
//! In: the programs of `compile_fail/`, one mistake each. Out: each is refused with the text beside it, and nothing else.
//! What looks unusual and is right is tested in `plainwire` (`tests/macros_forms.rs`). `TRYBUILD=overwrite` writes the texts
//! anew; read them before you keep them.

#[test]
fn mistakes_are_refused_with_a_text_that_says_what_to_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/*.rs");
}
