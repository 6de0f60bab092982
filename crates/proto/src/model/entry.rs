//! The entries of the four lists, and the `Implementation` of a client or server.

use serde::Deserialize;

use super::{Annotations, RawJson};

/// The name, version and appearance of a client or a server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Implementation {
    /// The purpose.
    pub description: Option<String>,
    /// The icons.
    pub icons: Vec<Icon>,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// The version, in any format.
    pub version: String,
    /// The URL of a page about the client or server.
    pub website_url: Option<String>,
}

impl Implementation {
    /// Creates an implementation with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

/// An icon.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Icon {
    /// The media type, if `src` does not show it.
    pub mime_type: Option<String>,
    /// The sizes, such as `"48x48"` or `"any"`.
    pub sizes: Vec<String>,
    /// An `https:` or `data:` URI.
    pub src: String,
    /// The theme that the icon is made for, `"light"` or `"dark"`; `None` for any theme.
    pub theme: Option<String>,
}

impl Icon {
    /// Creates an icon from an `https:` or `data:` URI that shows the media type.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), ..Self::default() }
    }
}

/// A tool as clients see it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Hints about the effects of a call.
    #[serde(default)]
    pub annotations: Option<ToolAnnotations>,
    /// The purpose, arguments and results. Models read this.
    #[serde(default)]
    pub description: Option<String>,
    /// The icons.
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// The JSON Schema of `arguments`; its root must be an object.
    pub input_schema: RawJson,
    /// The metadata (`_meta`).
    #[serde(default, rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The name used in calls.
    pub name: String,
    /// The JSON Schema of `structuredContent`.
    #[serde(default)]
    pub output_schema: Option<RawJson>,
    /// The name for people.
    #[serde(default)]
    pub title: Option<String>,
}

/// Hints about the effects of a tool. Clients must not trust them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnnotations {
    /// Whether the tool may destroy data. Without the hint, clients assume that it may.
    pub destructive_hint: Option<bool>,
    /// Whether repeating a call has no further effect. Without the hint, clients assume that it has.
    pub idempotent_hint: Option<bool>,
    /// Whether the tool interacts with an open set of external entities, such as web pages. Without the hint,
    /// clients assume that it does.
    pub open_world_hint: Option<bool>,
    /// Whether the tool changes nothing. Without the hint, clients assume that it changes something.
    pub read_only_hint: Option<bool>,
    /// The name for people in revisions without `title`; [`Tool::title`] takes precedence.
    pub title: Option<String>,
}

/// A resource as clients see it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resource {
    /// The audience and importance.
    pub annotations: Option<Annotations>,
    /// The description.
    pub description: Option<String>,
    /// The icons.
    pub icons: Vec<Icon>,
    /// The metadata (`_meta`).
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type.
    pub mime_type: Option<String>,
    /// The name for programs.
    pub name: String,
    /// The size in bytes, before any encoding.
    pub size: Option<u64>,
    /// The name for people.
    pub title: Option<String>,
    /// The URI to read the resource with.
    pub uri: String,
}

/// A template for resources, with variables in the URI.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceTemplate {
    /// The audience and importance.
    pub annotations: Option<Annotations>,
    /// The description of the resources.
    pub description: Option<String>,
    /// The icons.
    pub icons: Vec<Icon>,
    /// The metadata (`_meta`).
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type that all of the resources have.
    pub mime_type: Option<String>,
    /// The name for programs.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// The URI template of RFC 6570.
    pub uri_template: String,
}

/// A prompt as clients see it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prompt {
    /// The arguments.
    pub arguments: Vec<PromptArgument>,
    /// The purpose.
    pub description: Option<String>,
    /// The icons.
    pub icons: Vec<Icon>,
    /// The metadata (`_meta`).
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
    /// The description of the argument's value.
    pub description: Option<String>,
    /// The name.
    pub name: String,
    /// Whether the argument is required.
    pub required: bool,
    /// The name for people.
    pub title: Option<String>,
}
