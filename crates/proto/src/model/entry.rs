//! The entries of the four lists (tools, resources, resource templates, prompts), and the `Implementation` of
//! a client or server.

use serde::Deserialize;

use super::{Annotations, RawJson};

/// The name, version and appearance of a client or a server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Implementation {
    /// The purpose of the client or server.
    pub description: Option<String>,
    /// The icons of the client or server.
    pub icons: Vec<Icon>,
    /// The name of the client or server, for programs.
    pub name: String,
    /// The name of the client or server, for people.
    pub title: Option<String>,
    /// The version of the client or server, in any format.
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

/// An icon of a client, a server or an entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Icon {
    /// The media type of the icon, if `src` does not show it.
    pub mime_type: Option<String>,
    /// The sizes of the icon, such as `"48x48"` or `"any"`.
    pub sizes: Vec<String>,
    /// The `https:` or `data:` URI of the icon.
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

/// A tool as a server describes it to clients.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Hints about the effects of a call of the tool.
    #[serde(default)]
    pub annotations: Option<ToolAnnotations>,
    /// The purpose, arguments and results of the tool, in prose. Models read this.
    #[serde(default)]
    pub description: Option<String>,
    /// The icons of the tool.
    #[serde(default)]
    pub icons: Vec<Icon>,
    /// The JSON Schema of the tool's arguments; its root must describe an object.
    pub input_schema: RawJson,
    /// The metadata (`_meta`) of the tool.
    #[serde(default, rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The name of the tool, used in calls.
    pub name: String,
    /// The JSON Schema of `structuredContent` in the tool's results.
    #[serde(default)]
    pub output_schema: Option<RawJson>,
    /// The name of the tool, for people.
    #[serde(default)]
    pub title: Option<String>,
}

/// Hints about the effects of a tool. Clients must not trust them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolAnnotations {
    /// Whether the tool may destroy data. Without the hint, clients assume that it may.
    pub destructive_hint: Option<bool>,
    /// Whether repeating a call with equal arguments has no further effect. Without the hint, clients assume
    /// that repeating the call has a further effect.
    pub idempotent_hint: Option<bool>,
    /// Whether the tool interacts with an open set of external entities, such as web pages. Without the hint,
    /// clients assume that it does.
    pub open_world_hint: Option<bool>,
    /// Whether the tool changes nothing. Without the hint, clients assume that it changes something.
    pub read_only_hint: Option<bool>,
    /// The name of the tool for people, in revisions without [`Tool::title`]. If a tool has both titles,
    /// [`Tool::title`] takes precedence.
    pub title: Option<String>,
}

/// A resource as a server describes it to clients, without its contents.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resource {
    /// The audience and importance of the resource.
    pub annotations: Option<Annotations>,
    /// The description of the resource.
    pub description: Option<String>,
    /// The icons of the resource.
    pub icons: Vec<Icon>,
    /// The metadata (`_meta`) of the resource.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type of the contents.
    pub mime_type: Option<String>,
    /// The name of the resource, for programs.
    pub name: String,
    /// The size of the contents in bytes, before any encoding.
    pub size: Option<u64>,
    /// The name of the resource, for people.
    pub title: Option<String>,
    /// The URI to read the resource with.
    pub uri: String,
}

/// A template for resources, with variables in the URI.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceTemplate {
    /// The audience and importance of the resources.
    pub annotations: Option<Annotations>,
    /// The description of the resources of the template.
    pub description: Option<String>,
    /// The icons of the template.
    pub icons: Vec<Icon>,
    /// The metadata (`_meta`) of the template.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type of all resources of the template; `None` if they have several.
    pub mime_type: Option<String>,
    /// The name of the template, for programs.
    pub name: String,
    /// The name of the template, for people.
    pub title: Option<String>,
    /// The template of the resources' URIs, as in RFC 6570.
    pub uri_template: String,
}

/// A prompt as a server describes it to clients, without its messages.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prompt {
    /// The arguments of the prompt.
    pub arguments: Vec<PromptArgument>,
    /// The purpose of the prompt.
    pub description: Option<String>,
    /// The icons of the prompt.
    pub icons: Vec<Icon>,
    /// The metadata (`_meta`) of the prompt.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The name of the prompt, for programs.
    pub name: String,
    /// The name of the prompt, for people.
    pub title: Option<String>,
}

/// One argument of a prompt; its value is a string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PromptArgument {
    /// The description of the argument's value.
    pub description: Option<String>,
    /// The name of the argument, for programs.
    pub name: String,
    /// Whether the argument is required.
    pub required: bool,
    /// The name of the argument, for people.
    pub title: Option<String>,
}
