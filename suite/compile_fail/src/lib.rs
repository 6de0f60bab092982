//! The compiler's messages for mistakes with Plainwire. The library is empty; the programs are in
//! `tests/compile_fail/`.
