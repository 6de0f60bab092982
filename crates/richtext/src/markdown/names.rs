//! The names of directives. A directive with any other name stays text.

/// The form of a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `:name[…]{…}` among text.
    Inline,
    /// `::name{…}` on a line of its own.
    Leaf,
    /// `:::name{…}` to `:::`.
    Container,
}

/// Returns whether there is a directive of this name and form.
pub(super) fn is_known(name: &str, form: Form) -> bool {
    match form {
        Form::Inline => INLINE.contains(&name),
        Form::Leaf => LEAF.contains(&name),
        Form::Container => CONTAINER.contains(&name),
    }
}

/// The suffix after the name of a format in the info string of a fence, if every line of the fenced text
/// ended with CR LF.
pub(super) const CRLF: &str = " crlf";

const INLINE: [&str; 20] = [
    "status",
    "mention",
    "emoji",
    "date",
    "placeholder",
    "card",
    "media",
    "image",
    "macro",
    "ext",
    "raw",
    "color",
    "comment",
    "cite",
    "strong",
    "em",
    "strike",
    "code",
    "sub",
    "mark",
];

const LEAF: [&str; 6] = ["card", "embed", "ext", "macro", "media", "sync"];

const CONTAINER: [&str; 13] = [
    "panel",
    "expand",
    "layout",
    "column",
    "media",
    "media-group",
    "ext",
    "macro",
    "sync",
    "decisions",
    "group",
    "multi-ext",
    "frame",
];

/// The length of the longest name, in bytes.
pub(super) const LONGEST: usize = 11;

/// Returns the name of a directive that `text` begins with. The name need not be a known one.
pub(super) fn name_at(text: &str) -> &str {
    let bytes = text.as_bytes();
    let end = bytes.iter().take(LONGEST + 1).take_while(|it| it.is_ascii_lowercase() || **it == b'-').count();
    &text[..end]
}

/// Returns whether `text`, which follows a colon, reads as the beginning of an inline directive.
pub(super) fn looks_inline(text: &str) -> bool {
    let name = name_at(text);
    matches!(text.as_bytes().get(name.len()), Some(b'[' | b'{')) && is_known(name, Form::Inline)
}
