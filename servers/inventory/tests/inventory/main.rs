//! The inventory, through its tools: each rule of R5 under its number, against a model, and what is refused.

mod bad_input;
mod changes;
mod correcting;
mod drift;
mod imports;
mod making;
mod model;
mod previews;
mod purchasing;
mod reading;
mod reports;
mod sample;
mod selling;
mod workshop;
