//! Settings: what each variable does, which layer wins, and what is said about mistakes.

mod credentials;
mod effects;
mod layers;
mod problems;
mod support;
