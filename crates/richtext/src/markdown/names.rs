//! The names of directives. A directive with any other name stays text.

/// The form of a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `:name[…]{…}` within text.
    Inline,
    /// `::name{…}` on a line of its own.
    Leaf,
    /// `:::name{…}`, then blocks, then a line with `:::`.
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

/// The suffix that follows the name of a format in the info string of a fence, if every line of the fenced
/// text originally ended with CR LF.
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

/// The length of the longest directive name, in bytes.
pub(super) const LONGEST: usize = 11;

/// Returns the lowercase letters and hyphens that `text` begins with, which may be the name of a directive.
/// Returns at most [`LONGEST`] + 1 bytes, because a longer name is no directive's.
pub(super) fn name_at(text: &str) -> &str {
    let bytes = text.as_bytes();
    let end = bytes.iter().take(LONGEST + 1).take_while(|it| it.is_ascii_lowercase() || **it == b'-').count();
    &text[..end]
}

/// Returns whether `text`, the source after a colon, begins with the name of an inline directive and then `[`
/// or `{`.
pub(super) fn looks_inline(text: &str) -> bool {
    let name = name_at(text);
    matches!(text.as_bytes().get(name.len()), Some(b'[' | b'{')) && is_known(name, Form::Inline)
}
