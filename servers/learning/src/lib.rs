//! A library of learning resources, as an MCP server: those of the program, and those that its user adds.

pub mod ranking;
pub mod resource;
mod runtime;
pub mod vault;
pub mod words;
