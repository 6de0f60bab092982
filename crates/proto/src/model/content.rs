//! Content: blocks in the results of tools, contents of resources, and messages of prompts.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{RawJson, Resource};

/// One block of content, in the result of a tool or a message of a prompt.
#[derive(Clone, Debug)]
pub enum Content {
    /// Audio.
    Audio(MediaContent),
    /// An image.
    Image(MediaContent),
    /// An embedded resource with its contents.
    Resource(EmbeddedResource),
    /// A link to a resource.
    ResourceLink(Resource),
    /// Text.
    Text(TextContent),
    /// A block of an unknown type, as it was received.
    Other(RawJson),
}

/// A text block of content.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TextContent {
    /// The audience and importance of the text.
    pub annotations: Option<Annotations>,
    /// The metadata (`_meta`) of the block.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The text of the block.
    pub text: String,
}

/// An image or audio block.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MediaContent {
    /// The audience and importance of the image or audio.
    pub annotations: Option<Annotations>,
    /// The bytes of the image or audio, in base64.
    pub data: String,
    /// The metadata (`_meta`) of the block.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type of the bytes, such as `image/png`.
    pub mime_type: String,
}

/// A resource with its contents, as a block of content.
#[derive(Clone, Debug, Deserialize)]
pub struct EmbeddedResource {
    /// The audience and importance of the resource.
    #[serde(default)]
    pub annotations: Option<Annotations>,
    /// The metadata (`_meta`) of the block.
    #[serde(default, rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The URI and contents of the resource.
    pub resource: ResourceContents,
}

/// The contents of a resource: text or bytes.
#[derive(Clone, Debug)]
pub enum ResourceContents {
    /// Contents that are bytes.
    Blob(BlobResource),
    /// Contents that are text.
    Text(TextResource),
}

/// The contents of a resource as bytes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BlobResource {
    /// The bytes of the resource, in base64.
    pub blob: String,
    /// The metadata (`_meta`) of the contents.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type of the bytes.
    pub mime_type: Option<String>,
    /// The URI of the resource.
    pub uri: String,
}

/// The contents of a resource as text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TextResource {
    /// The metadata (`_meta`) of the contents.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The media type of the text.
    pub mime_type: Option<String>,
    /// The text of the resource.
    pub text: String,
    /// The URI of the resource.
    pub uri: String,
}

/// The intended readers, age and importance of a block of content or of a resource.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Annotations {
    /// The intended readers of the content; empty means both the user and the model.
    pub audience: Vec<Role>,
    /// The time of the most recent change of the content, in ISO 8601.
    pub last_modified: Option<String>,
    /// The importance of the content, from 0 (may be left out) to 1 (required).
    pub priority: Option<f64>,
}

/// The user or the model, as the speaker of a message or the reader of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The model.
    Assistant,
    /// The user.
    User,
}

impl Role {
    /// Returns the role's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::User => "user",
        }
    }
}

/// One message of a prompt.
#[derive(Clone, Debug, Deserialize)]
pub struct PromptMessage {
    /// The content of the message, one block.
    pub content: Content,
    /// The speaker of the message: the user or the model.
    pub role: Role,
}

impl PromptMessage {
    /// Creates a message of the user: text, or another block of content.
    pub fn user(content: impl Into<Content>) -> Self {
        Self { content: content.into(), role: Role::User }
    }

    /// Creates a message of the model.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Self { content: content.into(), role: Role::Assistant }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl Content {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), ..TextContent::default() })
    }

    /// Returns the text, if this is a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

impl ResourceContents {
    /// Creates a text resource; `mime_type` is, for example, `text/plain`.
    pub fn text(uri: impl Into<String>, mime_type: impl Into<String>, text: impl Into<String>) -> Self {
        let (mime_type, text, uri) = (Some(mime_type.into()), text.into(), uri.into());
        Self::Text(TextResource { meta: None, mime_type, text, uri })
    }

    /// Returns the URI of the resource.
    pub fn uri(&self) -> &str {
        match self {
            Self::Blob(blob) => &blob.uri,
            Self::Text(text) => &text.uri,
        }
    }

    /// Returns the text, if this is a text resource.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Blob(_) => None,
            Self::Text(text) => Some(&text.text),
        }
    }
}

// The member that selects the variant may be the last one of the object, so the raw JSON is kept until that
// member is found. The enum representations of serde cannot be used: they would also parse the JSON that is
// to stay raw inside.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag<'t> {
            #[serde(rename = "type", borrow)]
            kind: std::borrow::Cow<'t, str>,
        }
        let raw = RawJson::deserialize(from)?;
        let tag: Tag<'_> = read(&raw)?;
        Ok(match &*tag.kind {
            "audio" => Self::Audio(read(&raw)?),
            "image" => Self::Image(read(&raw)?),
            "resource" => Self::Resource(read(&raw)?),
            "resource_link" => Self::ResourceLink(read(&raw)?),
            "text" => Self::Text(read(&raw)?),
            _ => Self::Other(raw),
        })
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag<'t> {
            #[serde(borrow)]
            blob: Option<&'t RawValue>,
        }
        let raw = RawJson::deserialize(from)?;
        let tag: Tag<'_> = read(&raw)?;
        Ok(if tag.blob.is_some() { Self::Blob(read(&raw)?) } else { Self::Text(read(&raw)?) })
    }
}

fn read<'t, T: Deserialize<'t>, E: serde::de::Error>(raw: &'t RawValue) -> Result<T, E> {
    serde_json::from_str(raw.get()).map_err(E::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_kind_of_block_and_keeps_unknown_ones() {
        let text = r#"[{"type":"text","text":"a"},{"data":"AA==","mimeType":"image/png","type":"image"},
            {"type":"resource_link","uri":"a://b","name":"b"},
            {"type":"resource","resource":{"uri":"a://b","blob":"AA=="}},
            {"type":"hologram","z":1,"a":2}]"#;
        let blocks: Vec<Content> = serde_json::from_str(text).expect("content");
        assert_eq!(blocks[0].as_text(), Some("a"));
        assert!(matches!(&blocks[1], Content::Image(image) if image.mime_type == "image/png"));
        assert!(matches!(&blocks[2], Content::ResourceLink(link) if link.uri == "a://b"));
        assert!(matches!(
            &blocks[3],
            Content::Resource(EmbeddedResource { resource: ResourceContents::Blob(_), .. })
        ));
        assert!(
            matches!(&blocks[4], Content::Other(raw) if raw.get() == r#"{"type":"hologram","z":1,"a":2}"#)
        );
    }
}
