//! Hands what libFuzzer makes up to [`plainwire_suite::fuzz::richtext_growth`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| plainwire_suite::fuzz::richtext_growth(data));
