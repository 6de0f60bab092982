//! Content: what tools return, resources hold and prompts say.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{RawJson, Resource};

/// One block of content.
#[derive(Clone, Debug)]
pub enum Content {
    /// Sound.
    Audio(MediaContent),
    /// A picture.
    Image(MediaContent),
    /// A resource with its contents.
    Resource(EmbeddedResource),
    /// A resource that can be read.
    ResourceLink(Resource),
    /// Text.
    Text(TextContent),
    /// A kind of block that this version does not know, as it was sent.
    Other(RawJson),
}

/// Text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct TextContent {
    /// For whom, and how important.
    pub annotations: Option<Annotations>,
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The text.
    pub text: String,
}

/// A picture or sound.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MediaContent {
    /// For whom, and how important.
    pub annotations: Option<Annotations>,
    /// The bytes in base64.
    pub data: String,
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// `image/png` and the like.
    pub mime_type: String,
}

/// A resource with its contents.
#[derive(Clone, Debug, Deserialize)]
pub struct EmbeddedResource {
    /// For whom, and how important.
    #[serde(default)]
    pub annotations: Option<Annotations>,
    /// Anything else.
    #[serde(default, rename = "_meta")]
    pub meta: Option<RawJson>,
    /// The resource.
    pub resource: ResourceContents,
}

/// What a resource holds: text or bytes.
#[derive(Clone, Debug)]
pub enum ResourceContents {
    /// Bytes.
    Blob(BlobResource),
    /// Text.
    Text(TextResource),
}

/// A resource of bytes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BlobResource {
    /// The bytes in base64.
    pub blob: String,
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its URI.
    pub uri: String,
}

/// A resource of text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TextResource {
    /// Anything else.
    #[serde(rename = "_meta")]
    pub meta: Option<RawJson>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// The text.
    pub text: String,
    /// Its URI.
    pub uri: String,
}

/// Who is meant and how much it matters.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Annotations {
    /// For whom it is; empty means for both.
    pub audience: Vec<Role>,
    /// When it last changed, in ISO 8601.
    pub last_modified: Option<String>,
    /// From 0 (may be left out) to 1 (needed).
    pub priority: Option<f64>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The model.
    Assistant,
    /// The person.
    User,
}

impl Role {
    /// Returns the word of the wire.
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
    /// What is said.
    pub content: Content,
    /// Who says it.
    pub role: Role,
}

impl Content {
    /// Makes a block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent { text: text.into(), ..TextContent::default() })
    }

    /// Returns the text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

impl ResourceContents {
    /// Makes a resource of text; `mime_type` is `text/plain` or the like.
    pub fn text(uri: impl Into<String>, mime_type: impl Into<String>, text: impl Into<String>) -> Self {
        let (mime_type, text, uri) = (Some(mime_type.into()), text.into(), uri.into());
        Self::Text(TextResource { meta: None, mime_type, text, uri })
    }

    /// Returns the URI.
    pub fn uri(&self) -> &str {
        match self {
            Self::Blob(blob) => &blob.uri,
            Self::Text(text) => &text.uri,
        }
    }

    /// Returns the text of a text resource.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Blob(_) => None,
            Self::Text(text) => Some(&text.text),
        }
    }
}

// Both are told apart by a member that may come last, so that the JSON is kept until it has been seen. Serde's own
// way of tagging would take apart the raw JSON inside.
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
