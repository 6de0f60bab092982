//! Runs [`plainwire_suite::fuzz::atlassian`] on the inputs of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| plainwire_suite::fuzz::atlassian(data));
