//! Writes the entries of lists (tools, resources, resource templates, prompts) in the shape of a revision.

use serde_json::value::RawValue;

use crate::json::write::{self, Object};
use crate::model::{
    Annotations, Icon, Implementation, Prompt, Resource, ResourceTemplate, Tool, ToolAnnotations,
};
use crate::revision::{Feature, Revision};

/// Writes an `Implementation`: the name, version and other details of a client or server.
pub fn implementation(out: &mut Vec<u8>, it: &Implementation, revision: Revision) {
    let mut object = Object::open(out);
    object.string("name", &it.name);
    object.string("version", &it.version);
    title(&mut object, it.title.as_deref(), revision);
    if revision.has(Feature::Icons) {
        object.maybe_string("description", it.description.as_deref());
        object.maybe_string("websiteUrl", it.website_url.as_deref());
    }
    icons(&mut object, &it.icons, revision);
    object.close();
}

/// Writes an entry of `tools/list`.
pub fn tool(out: &mut Vec<u8>, it: &Tool, revision: Revision) {
    let mut object = Object::open(out);
    object.string("name", &it.name);
    title(&mut object, it.title.as_deref(), revision);
    object.maybe_string("description", it.description.as_deref());
    object.raw("inputSchema", it.input_schema.get());
    if let Some(schema) = &it.output_schema {
        super::structured::schema(&mut object, schema.get(), revision);
    }
    if let Some(hints) = it.annotations.as_ref().filter(|_| revision.has(Feature::ToolAnnotations)) {
        tool_annotations(&mut object, hints);
    }
    icons(&mut object, &it.icons, revision);
    meta(&mut object, it.meta.as_deref(), revision);
    object.close();
}

/// Writes a resource: with `Some("resource_link")` as `kind`, as a content block of this type; with `None`,
/// as an entry of `resources/list`.
pub(super) fn resource_of_kind(out: &mut Vec<u8>, it: &Resource, revision: Revision, kind: Option<&str>) {
    let mut object = Object::open(out);
    object.maybe_string("type", kind);
    object.string("uri", &it.uri);
    object.string("name", &it.name);
    title(&mut object, it.title.as_deref(), revision);
    object.maybe_string("description", it.description.as_deref());
    object.maybe_string("mimeType", it.mime_type.as_deref());
    if let Some(size) = it.size {
        write::display(object.name("size"), size);
    }
    annotations(&mut object, it.annotations.as_ref(), revision);
    icons(&mut object, &it.icons, revision);
    meta(&mut object, it.meta.as_deref(), revision);
    object.close();
}

/// Writes an entry of `resources/list`.
pub fn resource(out: &mut Vec<u8>, it: &Resource, revision: Revision) {
    resource_of_kind(out, it, revision, None);
}

/// Writes an entry of `resources/templates/list`.
pub fn resource_template(out: &mut Vec<u8>, it: &ResourceTemplate, revision: Revision) {
    let mut object = Object::open(out);
    object.string("uriTemplate", &it.uri_template);
    object.string("name", &it.name);
    title(&mut object, it.title.as_deref(), revision);
    object.maybe_string("description", it.description.as_deref());
    object.maybe_string("mimeType", it.mime_type.as_deref());
    annotations(&mut object, it.annotations.as_ref(), revision);
    icons(&mut object, &it.icons, revision);
    meta(&mut object, it.meta.as_deref(), revision);
    object.close();
}

/// Writes an entry of `prompts/list`.
pub fn prompt(out: &mut Vec<u8>, it: &Prompt, revision: Revision) {
    let mut object = Object::open(out);
    object.string("name", &it.name);
    title(&mut object, it.title.as_deref(), revision);
    object.maybe_string("description", it.description.as_deref());
    object.array("arguments", &it.arguments, |out, argument| {
        let mut object = Object::open(out);
        object.string("name", &argument.name);
        title(&mut object, argument.title.as_deref(), revision);
        object.maybe_string("description", argument.description.as_deref());
        object.bool("required", argument.required);
        object.close();
    });
    icons(&mut object, &it.icons, revision);
    meta(&mut object, it.meta.as_deref(), revision);
    object.close();
}

pub(super) fn annotations(object: &mut Object<'_>, it: Option<&Annotations>, revision: Revision) {
    let Some(it) = it else { return };
    let mut inner = Object::open(object.name("annotations"));
    if !it.audience.is_empty() {
        inner.array("audience", &it.audience, |out, role| write::string(out, role.as_str()));
    }
    if let Some(priority) = it.priority {
        write::number(inner.name("priority"), priority.clamp(0.0, 1.0));
    }
    if revision.has(Feature::AnnotationsLastModified) {
        inner.maybe_string("lastModified", it.last_modified.as_deref());
    }
    inner.close();
}

pub(super) fn meta(object: &mut Object<'_>, it: Option<&RawValue>, revision: Revision) {
    if let Some(it) = it.filter(|_| revision.has(Feature::MetaOnEntries)) {
        object.raw("_meta", it.get());
    }
}

fn title(object: &mut Object<'_>, it: Option<&str>, revision: Revision) {
    object.maybe_string("title", it.filter(|_| revision.has(Feature::Titles)));
}

fn icons(object: &mut Object<'_>, icons: &[Icon], revision: Revision) {
    if icons.is_empty() || !revision.has(Feature::Icons) {
        return;
    }
    object.array("icons", icons, |out, icon| {
        let mut object = Object::open(out);
        object.string("src", &icon.src);
        object.maybe_string("mimeType", icon.mime_type.as_deref());
        if !icon.sizes.is_empty() {
            object.array("sizes", &icon.sizes, |out, size| write::string(out, size));
        }
        object.maybe_string("theme", icon.theme.as_deref());
        object.close();
    });
}

fn tool_annotations(object: &mut Object<'_>, it: &ToolAnnotations) {
    let mut inner = Object::open(object.name("annotations"));
    inner.maybe_string("title", it.title.as_deref());
    for (name, hint) in [
        ("readOnlyHint", it.read_only_hint),
        ("destructiveHint", it.destructive_hint),
        ("idempotentHint", it.idempotent_hint),
        ("openWorldHint", it.open_world_hint),
    ] {
        if let Some(hint) = hint {
            inner.bool(name, hint);
        }
    }
    inner.close();
}
