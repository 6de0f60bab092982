//! Entries of a server: tools, resources, resource templates, prompts and completions, and the rules that
//! they follow.
//!
//! In: handlers with names, descriptions and options, built by hand or by attributes. Out: checked entries
//! for the catalog. Nothing is indexed or called here.

pub mod apps;
mod attribute;
pub(crate) mod completion;
mod core;
mod declared;
mod entries;
mod meta;
mod mount;
mod prompt;
mod resource;
mod rules;
mod tool;

pub use attribute::{Described, IntoEntry, Tagged, ViaEntry};
pub(crate) use completion::Completers;
pub use completion::{Completing, IntoCompletion};
pub(crate) use core::Core;
pub(crate) use declared::Declared;
pub use entries::{AnyResource, Entries, Provider};
pub use meta::{Beside, WithMeta};
pub(crate) use mount::Mount;
pub use prompt::Prompt;
pub use resource::{Resource, ResourceTemplate};
pub(crate) use rules::{Declare, EntrySummary, Names, check};
pub use tool::Tool;
