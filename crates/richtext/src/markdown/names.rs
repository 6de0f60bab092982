//! The names of directives: what is none of these stays text.

/// How a directive stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `:name[…]{…}` among text.
    Inline,
    /// `::name{…}` alone.
    Leaf,
    /// `:::name{…}` to `:::`.
    Container,
}

/// Whether there is a directive of this name and form.
pub(super) fn is_known(name: &str, form: Form) -> bool {
    match form {
        Form::Inline => INLINE.contains(&name),
        Form::Leaf => LEAF.contains(&name),
        Form::Container => CONTAINER.contains(&name),
    }
}

/// What follows the name of a format after a fence if lines end with CR LF in what the fence holds.
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

/// The longest name.
pub(super) const LONGEST: usize = 11;

/// The name of a directive `text` begins with, as far as it could be one.
pub(super) fn name_at(text: &str) -> &str {
    let bytes = text.as_bytes();
    let end = bytes.iter().take(LONGEST + 1).take_while(|it| it.is_ascii_lowercase() || **it == b'-').count();
    &text[..end]
}

/// Whether `text`, which follows a colon, reads as the beginning of a directive among text.
pub(super) fn looks_inline(text: &str) -> bool {
    let name = name_at(text);
    matches!(text.as_bytes().get(name.len()), Some(b'[' | b'{')) && is_known(name, Form::Inline)
}
