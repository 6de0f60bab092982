//! What the tests and benchmarks of the suite share.
