//! The form of a data file: its members, and the values that they have.
//!
//! In: nothing. Out: tables, by which [`super::check`] reads a file. The same form is in `docs/patterns.md` for people.

/// The value of a field.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// A text that is not blank.
    Text,
    /// A text that is not blank, on one line.
    Line,
    Lines,
    /// A text of letters, digits and `.-_`.
    Name,
    Names,
    OneOf(&'static [&'static str]),
    Number,
    Records(&'static [Field]),
}

/// A member of a record.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) is_required: bool,
}

const fn needs(name: &'static str, form: Form) -> Field {
    Field { name, form, is_required: true }
}

const fn may(name: &'static str, form: Form) -> Field {
    Field { name, form, is_required: false }
}

const EXAMPLE: &[Field] =
    &[needs("language", Form::Line), needs("code", Form::Text), may("section", Form::Text)];

const SECTION: &[Field] = &[
    needs("title", Form::Line),
    needs("type", Form::OneOf(&["description", "example", "antiPattern", "useCase", "related"])),
    needs("content", Form::Text),
];

pub(super) const PATTERN: &[Field] = &[
    needs("id", Form::Name),
    needs("title", Form::Line),
    needs("category", Form::Name),
    needs("difficulty", Form::OneOf(&["beginner", "intermediate", "advanced"])),
    needs("summary", Form::Text),
    may("subcategory", Form::Text),
    may("rule", Form::Text),
    may("tags", Form::Lines),
    may("sections", Form::Records(SECTION)),
    may("examples", Form::Records(EXAMPLE)),
    may("antiExamples", Form::Records(EXAMPLE)),
    may("useCases", Form::Lines),
    may("related", Form::Names),
    may("relatedUnresolved", Form::Lines),
    may("lessonOrder", Form::Number),
    may("author", Form::Text),
    may("path", Form::Text),
];

/// The members of the file around its patterns.
pub(super) const FILE: &[Field] = &[
    needs("schema", Form::OneOf(&["patterns:v1"])),
    may("source", Form::Line),
    may("commit", Form::Text),
    may("license", Form::Text),
    may("count", Form::Number),
];
