//! The entries of the four lists, and the description of a program.

use serde::Deserialize;

use super::{Annotations, RawJson};

/// The name, version and looks of a client or a server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Implementation {
    /// What it is for.
    pub description: Option<String>,
    /// Pictures of it.
    pub icons: Vec<Icon>,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// Its version, in a format of its own.
    pub version: String,
    /// Where to read more.
    pub website_url: Option<String>,
}

impl Implementation {
    /// Makes a description with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

/// A picture.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Icon {
    /// Its type, if `src` does not tell.
    pub mime_type: Option<String>,
    /// `"48x48"` and the like, or `"any"`.
    pub sizes: Vec<String>,
    /// An `https:` or `data:` URI.
    pub src: String,
    /// `"light"` or `"dark"`.
    pub theme: Option<String>,
}

impl Icon {
    /// Makes the icon of an `https:` or `data:` URI that tells its own type.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }
}

/// A tool as clients see it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Hints on what calling it does.
    #[serde(default)]
    pub annotations: Option<ToolAnnotations>,
    /// What it accepts, returns and is for. Models read this.
    #[serde(default)]
    pub description: Option<String>,
    /// Pictures.
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// The JSON Schema of `arguments`; its root is an object.
    pub input_schema: RawJson,
    /// Anything else.
    #[serde(default, rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The name for calls.
    pub name: String,
    /// The JSON Schema of `structuredContent`.
    #[serde(default)]
    pub output_schema: Option<RawJson>,
    /// The name for people.
    #[serde(default)]
    pub title: Option<String>,
}

/// Hints on what a tool does. Clients must not trust them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnnotations {
    /// It may destroy something. Without the hint clients assume so.
    pub destructive_hint: Option<bool>,
    /// Calling it again changes nothing more.
    pub idempotent_hint: Option<bool>,
    /// It deals with an open set of things outside.
    pub open_world_hint: Option<bool>,
    /// It changes nothing.
    pub read_only_hint: Option<bool>,
    /// The name for people where a revision has no other; [`Tool::title`] goes before it.
    pub title: Option<String>,
}

/// A resource as clients see it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resource {
    /// For whom, and how important.
    pub annotations: Option<Annotations>,
    /// What it is.
    pub description: Option<String>,
    /// Pictures.
    pub icons: Vec<Icon>,
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// The name for programs.
    pub name: String,
    /// Its size in bytes, before any encoding.
    pub size: Option<u64>,
    /// The name for people.
    pub title: Option<String>,
    /// Where it is read.
    pub uri: String,
}

/// A family of resources with variables in their URI.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceTemplate {
    /// For whom, and how important.
    pub annotations: Option<Annotations>,
    /// What the resources are.
    pub description: Option<String>,
    /// Pictures.
    pub icons: Vec<Icon>,
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type that all of them have.
    pub mime_type: Option<String>,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// A URI template of RFC 6570.
    pub uri_template: String,
}

/// A prompt as clients see it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prompt {
    /// What it can be filled in with.
    pub arguments: Vec<PromptArgument>,
    /// What it is for.
    pub description: Option<String>,
    /// Pictures.
    pub icons: Vec<Icon>,
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
}

/// One argument of a prompt; its value is a string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptArgument {
    /// What to fill in.
    pub description: Option<String>,
    /// Its name.
    pub name: String,
    /// Whether the prompt needs it.
    pub required: bool,
    /// The name for people.
    pub title: Option<String>,
}
