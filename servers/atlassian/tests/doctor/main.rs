//! The doctor, at sites on this machine that are ill in one way each.

mod account;
mod network;
mod product;
mod support;
