//! Writes a form as the `requestedSchema` of a revision.
//!
//! In: a form and a revision. Out: JSON. In 2025-06-18, titles of choices become `enumNames`; defaults other
//! than booleans are left out, which is harmless, since clients must be able to answer without them; and a
//! multiple choice cannot be expressed.

use super::{Choice, Field, FieldKind, Form, Unsupported};
use crate::json::write::{Object, display, string};
use crate::revision::{Feature, Revision};

impl Form {
    /// Writes `requestedSchema`. If one choice of a field has a title, all its choices are written with one,
    /// as the schemas require; a choice without a title gets its value as title.
    ///
    /// # Errors
    /// [`Unsupported`] if the form has a multiple choice and `revision` does not; then nothing is written.
    pub fn write(&self, out: &mut Vec<u8>, revision: Revision) -> Result<(), Unsupported> {
        let rich = revision.has(Feature::RicherForms);
        let multiple = |field: &&Field| matches!(field.kind, FieldKind::MultiSelect { .. });
        if let Some(field) = self.fields.iter().find(multiple).filter(|_| !rich) {
            return Err(Unsupported { field: field.name.clone(), revision });
        }
        let mut object = Object::open(out);
        object.string("type", "object");
        let mut properties = Object::open(object.name("properties"));
        for field in &self.fields {
            write_field(properties.name(&field.name), field, rich);
        }
        properties.close();
        let mut required = self.fields.iter().filter(|field| field.required).peekable();
        if required.peek().is_some() {
            object.array("required", required, |out, field| string(out, &field.name));
        }
        object.close();
        Ok(())
    }
}

fn write_field(out: &mut Vec<u8>, field: &Field, rich: bool) {
    let mut object = Object::open(out);
    object.string("type", type_of(&field.kind));
    object.maybe_string("title", field.title.as_deref());
    object.maybe_string("description", field.description.as_deref());
    match &field.kind {
        FieldKind::Boolean { .. } => {}
        FieldKind::MultiSelect { choices, min_items, max_items, .. } => {
            maybe_number(&mut object, "minItems", *min_items);
            maybe_number(&mut object, "maxItems", *max_items);
            let mut items = Object::open(object.name("items"));
            if has_titles(choices) {
                items.array("anyOf", choices, titled);
            } else {
                items.string("type", "string");
                items.array("enum", choices, |out, choice| string(out, &choice.value));
            }
            items.close();
        }
        FieldKind::Number { minimum, maximum, .. } => {
            maybe_number(&mut object, "minimum", minimum.as_ref());
            maybe_number(&mut object, "maximum", maximum.as_ref());
        }
        FieldKind::SingleSelect { choices, legacy_titles, .. } => match has_titles(choices) {
            true if rich && !legacy_titles => object.array("oneOf", choices, titled),
            has_titles => {
                object.array("enum", choices, |out, choice| string(out, &choice.value));
                if has_titles {
                    object.array("enumNames", choices, |out, choice| string(out, choice.label()));
                }
            }
        },
        FieldKind::Text { min_length, max_length, format, .. } => {
            maybe_number(&mut object, "minLength", *min_length);
            maybe_number(&mut object, "maxLength", *max_length);
            object.maybe_string("format", format.map(|it| it.as_str()));
        }
    }
    let default = field.default_value().filter(|it| rich || it.is_boolean());
    if let Some(default) = default {
        object.raw("default", &default.to_string());
    }
    object.close();
}

const fn type_of(kind: &FieldKind) -> &'static str {
    match kind {
        FieldKind::Boolean { .. } => "boolean",
        FieldKind::MultiSelect { .. } => "array",
        FieldKind::Number { integer: true, .. } => "integer",
        FieldKind::Number { .. } => "number",
        FieldKind::SingleSelect { .. } | FieldKind::Text { .. } => "string",
    }
}

fn has_titles(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.title.is_some())
}

fn titled(out: &mut Vec<u8>, choice: &Choice) {
    let mut object = Object::open(out);
    object.string("const", &choice.value);
    object.string("title", choice.label());
    object.close();
}

fn maybe_number(object: &mut Object<'_>, name: &str, value: Option<impl std::fmt::Display>) {
    if let Some(value) = value {
        display(object.name(name), value);
    }
}
