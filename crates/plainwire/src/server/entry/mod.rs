//! Entries of a server: tools, resources, resource templates, prompts and completions, and the rules that declarations follow.

pub mod apps;
mod attribute;
pub(crate) mod completion;
mod entries;
mod meta;
mod prompt;
mod resource;
mod rules;
mod tool;

pub use attribute::{Described, IntoEntry, Tagged, ViaEntry};
pub(crate) use completion::Completers;
pub use completion::{Completing, IntoCompletion};
pub use entries::{Entries, Provider};
pub use meta::{Beside, WithMeta};
pub use prompt::Prompt;
pub use resource::{Resource, ResourceTemplate};
pub(crate) use rules::{About, Declare, Names, check};
pub use tool::Tool;
