//! Writes content blocks as JSON, in the shape that a revision of the protocol has for them.

use super::entry::{annotations, meta, resource_of_kind};
use crate::json::write::Object;
use crate::model::{Content, MediaContent, Resource, ResourceContents, TextContent};
use crate::revision::{Feature, Revision};

/// Writes one content block. Where `revision` lacks the kind of block, audio becomes an embedded resource,
/// and a resource link becomes text. A block of an unknown type is written unchanged.
pub fn content(out: &mut Vec<u8>, block: &Content, revision: Revision) {
    match block {
        Content::Text(it) => text(out, it, revision),
        Content::Image(it) => media(out, "image", it, revision),
        Content::Audio(it) if revision.has(Feature::Audio) => media(out, "audio", it, revision),
        Content::Audio(it) => sound_as_resource(out, it),
        Content::ResourceLink(it) if revision.has(Feature::ResourceLinks) => {
            resource_of_kind(out, it, revision, Some("resource_link"));
        }
        Content::ResourceLink(it) => {
            let block =
                TextContent { text: link_in_words(it), annotations: it.annotations.clone(), meta: None };
            text(out, &block, revision);
        }
        Content::Resource(it) => {
            let mut object = Object::open(out);
            object.string("type", "resource");
            resource_contents(object.name("resource"), &it.resource, revision);
            annotations(&mut object, it.annotations.as_ref(), revision);
            meta(&mut object, it.meta.as_deref(), revision);
            object.close();
        }
        Content::Other(raw) => crate::json::write::raw(out, raw.get()),
    }
}

pub(super) fn resource_contents(out: &mut Vec<u8>, it: &ResourceContents, revision: Revision) {
    let mut object = Object::open(out);
    object.string("uri", it.uri());
    let extra = match it {
        ResourceContents::Blob(it) => {
            object.maybe_string("mimeType", it.mime_type.as_deref());
            object.string("blob", &it.blob);
            &it.meta
        }
        ResourceContents::Text(it) => {
            object.maybe_string("mimeType", it.mime_type.as_deref());
            object.string("text", &it.text);
            &it.meta
        }
    };
    meta(&mut object, extra.as_deref(), revision);
    object.close();
}

fn text(out: &mut Vec<u8>, it: &TextContent, revision: Revision) {
    let mut object = Object::open(out);
    object.string("type", "text");
    object.string("text", &it.text);
    annotations(&mut object, it.annotations.as_ref(), revision);
    meta(&mut object, it.meta.as_deref(), revision);
    object.close();
}

fn media(out: &mut Vec<u8>, kind: &str, it: &MediaContent, revision: Revision) {
    let mut object = Object::open(out);
    object.string("type", kind);
    object.string("data", &it.data);
    object.string("mimeType", &it.mime_type);
    annotations(&mut object, it.annotations.as_ref(), revision);
    meta(&mut object, it.meta.as_deref(), revision);
    object.close();
}

/// Writes audio as an embedded resource for 2024-11-05, which has no audio. The URI of the resource is a
/// placeholder, `urn:plainwire:audio`.
fn sound_as_resource(out: &mut Vec<u8>, it: &MediaContent) {
    let mut object = Object::open(out);
    object.string("type", "resource");
    let mut inner = Object::open(object.name("resource"));
    inner.string("uri", "urn:plainwire:audio");
    inner.string("mimeType", &it.mime_type);
    inner.string("blob", &it.data);
    inner.close();
    annotations(&mut object, it.annotations.as_ref(), Revision::V2024_11_05);
    object.close();
}

fn link_in_words(it: &Resource) -> String {
    let mut words = format!("{} <{}>", it.title.as_deref().unwrap_or(&it.name), it.uri);
    if let Some(mime_type) = &it.mime_type {
        words += &format!(" {mime_type}");
    }
    if let Some(size) = it.size {
        words += &format!(" {size} bytes");
    }
    if let Some(description) = &it.description {
        words += &format!(": {description}");
    }
    words
}
