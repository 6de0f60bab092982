//! Attributes in braces: `{type=info width=33.3 title="a b" parameters='{"a":1}' wrap}`.
//!
//! The spelling of a value gives its type. A word that is a JSON number, `true`, `false` or `null` is JSON;
//! any other word is a string. `"…"` is a JSON string literal, and `'…'` is any JSON. A name without a value
//! has the value `true`. Text in `'…'` that is not JSON is a string.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use crate::tree::{Attr, Kind, Mark, MarkKind, Node, Value};
use crate::values::json;

/// Parses the attributes in braces at the beginning of `text`. Returns them and the length in bytes from `{`
/// to `}`; `None` if `text` does not begin with attributes in braces.
pub(super) fn parse(text: &str) -> Option<(ThinVec<Attr<'_>>, usize)> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'{') {
        return None;
    }
    let mut attrs = ThinVec::new();
    let mut at = 1;
    loop {
        let start = at + text[at..].len() - text[at..].trim_start_matches([' ', '\t']).len();
        if bytes.get(start)? == &b'}' {
            return Some((attrs, start + 1));
        }
        if start == at && at > 1 {
            return None;
        }
        let (attr, length) = one(&text[start..])?;
        attrs.push(attr);
        at = start + length;
    }
}

/// Parses one attribute, such as `width=33.3`, at the beginning of `text`. Returns the attribute and its
/// length in bytes; `None` if `text` does not begin with an attribute.
pub(super) fn one(text: &str) -> Option<(Attr<'_>, usize)> {
    let length = text.find(|it| !in_name(it)).unwrap_or(text.len());
    let name = &text[..length];
    if name.is_empty() {
        return None;
    }
    let Some(after) = text[length..].strip_prefix('=') else {
        return Some((Attr::json(name, "true"), length));
    };
    let (value, width) = value(after)?;
    Some((Attr { name: Cow::Borrowed(name), value }, length + 1 + width))
}

fn value(text: &str) -> Option<(Value<'_>, usize)> {
    match text.as_bytes().first()? {
        b'"' => json::string_at(text).map(|(it, length)| (Value::Str(it), length)),
        b'\'' => {
            let end = text[1..].find('\'')? + 1;
            let raw = &text[1..end];
            // Text that is no JSON is a text that its author put into these quotes.
            let value = if json::is_value(raw) { literal(raw) } else { Value::Str(raw.into()) };
            Some((value, end + 1))
        }
        _ => {
            let end = text.find(|it: char| !in_word(it)).unwrap_or(text.len());
            let word = &text[..end];
            if word.is_empty() {
                return None;
            }
            let value = if json::is_word(word) { Value::Json(word.into()) } else { Value::Str(word.into()) };
            Some((value, end))
        }
    }
}

/// Returns the value of `raw`, the JSON inside single quotes: [`Value::Str`] if it is a JSON string literal,
/// otherwise [`Value::Json`].
fn literal(raw: &str) -> Value<'_> {
    match json::string(raw) {
        Some(text) => Value::Str(text),
        None => Value::Json(raw.into()),
    }
}

fn in_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, ':' | '/' | '_' | '.' | '-')
}

fn in_word(it: char) -> bool {
    !it.is_whitespace() && !it.is_control() && !"{}[]<>\"'`=|\\".contains(it)
}

/// The position at which attributes are written. It decides which characters of a value are written as a `\u`
/// escape, so that CommonMark does not read them as markup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AttrPosition {
    /// A line that has only attributes, or the line of a directive. Both are read from the source itself, so
    /// no character needs an escape.
    Line,
    /// A position in or after text, or after the language of a fence.
    Text,
    /// An HTML tag.
    Tag,
}

impl AttrPosition {
    fn guards(self, it: char) -> bool {
        match self {
            Self::Line => false,
            Self::Text => "*_`<>[]{}~|&'\\".contains(it),
            Self::Tag => "<>&\"'`|".contains(it),
        }
    }
}

/// Returns whether `name` can be written as the name of an attribute.
pub(super) fn can_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(in_name)
}

/// Writes `name=value`, with the value spelled for `place`.
pub(super) fn write(out: &mut String, name: &str, value: &Value<'_>, place: AttrPosition) {
    out.push_str(name);
    out.push('=');
    match value {
        Value::Json(json) if json::is_word(json) && place != AttrPosition::Tag => out.push_str(json),
        Value::Json(json) => {
            out.push('\'');
            json::one_line(out, json, |it| it == '\'' || place.guards(it));
            out.push('\'');
        }
        Value::Str(text) if is_plain(text) && place != AttrPosition::Tag => out.push_str(text),
        Value::Str(text) => json::quote_guarded(out, text, |it| place.guards(it)),
    }
}

fn is_plain(text: &str) -> bool {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.:/#@+%".contains(it);
    !text.is_empty() && text.chars().all(plain) && !json::is_word(text)
}

/// Writes attributes without the braces, separated by spaces.
pub(super) fn write_all(out: &mut String, attrs: &[Attr<'_>], place: AttrPosition) {
    for (at, attr) in attrs.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        write(out, &attr.name, &attr.value, place);
    }
}

/// Returns whether an attribute is written in Markdown. All are, except [incidental](Attr::is_incidental)
/// ones.
pub(super) fn is_carried(attr: &Attr<'_>) -> bool {
    !attr.is_incidental()
}

/// Returns `nodes` with the incidental attributes of their marks removed. Such an attribute only records how
/// another format spelled the mark; without it, the mark need not be written as a directive.
pub(super) fn with_carried_marks<'n, 'a>(nodes: &'n [Node<'a>]) -> Cow<'n, [Node<'a>]> {
    let is_odd = |it: &Node<'_>| it.marks.iter().any(|it| it.attrs.iter().any(Attr::is_incidental));
    if !nodes.iter().any(is_odd) {
        return Cow::Borrowed(nodes);
    }
    let mut nodes = nodes.to_vec();
    nodes.iter_mut().flat_map(|it| &mut it.marks).for_each(|it| it.attrs.retain(|it| !it.is_incidental()));
    Cow::Owned(nodes)
}

/// Returns the attributes to write for `node`: those that Markdown carries, and for a block also its marks as
/// attributes. Returns `None` if Markdown can't write one of their names.
pub(super) fn of_node<'n>(node: &'n Node<'_>) -> Option<ThinVec<Attr<'n>>> {
    let carried = node.attrs.iter().filter(|it| is_carried(it));
    let named = |it: &'n Attr<'_>| match is_read_otherwise(node.kind, &it.name) {
        true => Cow::Owned(format!("{PLAIN}{}", it.name)),
        false => Cow::Borrowed(&*it.name),
    };
    let mut attrs: ThinVec<Attr<'n>> =
        carried.map(|it| Attr { name: named(it), value: borrowed(&it.value) }).collect();
    if !node.kind.is_inline() {
        node.marks.iter().for_each(|it| attrs.extend(of_mark(it)));
    }
    attrs.iter().all(|it| can_name(&it.name)).then_some(attrs)
}

/// The name that Markdown uses for the macro parameter whose name is empty.
pub(super) const UNNAMED: &str = "_";

/// The name that Markdown uses for the macro parameter called `name`, because `name` is that of the macro.
pub(super) const NAMED: &str = "_name";

/// The prefix that is written before an attribute name that would be read as something else without it. For
/// example, `align` alone would be read as the name of a mark.
pub(super) const PLAIN: &str = "attr:";

/// Returns whether `name` without the prefix [`PLAIN`], on a node of `kind`, would be read as the name of a
/// mark or HTML attribute, or, after a fence, as a part of the language.
fn is_read_otherwise(kind: Kind, name: &str) -> bool {
    if kind.is_inline() || name.contains([':', '/']) {
        return false;
    }
    match kind {
        Kind::CodeBlock => !is_of_code(name),
        Kind::Extension | Kind::BodiedExtension => false,
        Kind::Table | Kind::TableRow | Kind::TableHeader | Kind::TableCell if of_html(kind, name) => true,
        _ => SHORT.iter().any(|it| it.0 == name) || name == "breakout-width",
    }
}

/// Returns whether an attribute of this name may follow the language of a fence. Braces with any other
/// attribute are read as a part of the language.
pub(super) fn is_of_code(name: &str) -> bool {
    const NAMES: [&str; 6] = ["language", "uniqueId", "localId", "wrap", "hideLineNumbers", "hide-lines"];
    let known = NAMES.contains(&name) || is_foreign(name) || name == "breakout-width";
    known || SHORT.iter().any(|it| it.0 == name)
}

/// Returns whether `name`, in the HTML tag of a node of `kind`, is an attribute of HTML that ADF does not
/// have.
pub(super) fn of_html(kind: Kind, name: &str) -> bool {
    const NAMES: [&str; 21] = [
        "abbr",
        "align",
        "axis",
        "bgcolor",
        "border",
        "cellpadding",
        "cellspacing",
        "class",
        "dir",
        "headers",
        "height",
        "hidden",
        "id",
        "lang",
        "markdown",
        "nowrap",
        "open",
        "role",
        "scope",
        "style",
        "summary",
    ];
    let shared = name == "width" && kind != Kind::Table || name == "title" && kind != Kind::Expand;
    NAMES.contains(&name) || shared || name.starts_with("data-") || name.starts_with("aria-")
}

/// Returns a value that borrows the text of `value`.
pub(super) fn borrowed<'n>(value: &'n Value<'_>) -> Value<'n> {
    match value {
        Value::Str(text) => Value::Str(Cow::Borrowed(text)),
        Value::Json(text) => Value::Json(Cow::Borrowed(text)),
    }
}

/// The attributes that stand for marks of blocks: the name in Markdown, the kind of the mark, and the mark's
/// attribute that gets the value.
const SHORT: [(&str, MarkKind, &str); 4] = [
    ("align", MarkKind::Alignment, "align"),
    ("indent", MarkKind::Indentation, "level"),
    ("size", MarkKind::FontSize, "fontSize"),
    ("breakout", MarkKind::Breakout, "mode"),
];

fn of_mark<'n>(mark: &'n Mark<'_>) -> ThinVec<Attr<'n>> {
    let short = SHORT.iter().find(|it| it.1 == mark.kind);
    if let (Some(short), Some(first)) = (short, mark.attrs.first())
        && first.name == short.2
    {
        let width = (mark.kind == MarkKind::Breakout && mark.attrs.len() == 2).then(|| &mark.attrs[1]);
        if mark.attrs.len() == 1 || width.is_some_and(|it| it.name == "width") {
            let mut attrs = thin_vec![Attr { name: short.0.into(), value: borrowed(&first.value) }];
            attrs.extend(width.map(|it| Attr { name: "breakout-width".into(), value: borrowed(&it.value) }));
            return attrs;
        }
    }
    thin_vec![Attr::json(format!("mark:{}", mark.name()), object(&mark.attrs))]
}

/// Returns the attributes as a JSON object, without the attribute `/type`, which has the name of a mark that
/// ADF lacks.
pub(super) fn object(attrs: &[Attr<'_>]) -> String {
    let mut out = String::from("{");
    for (at, attr) in attrs.iter().filter(|it| it.name != "/type").enumerate() {
        if at > 0 {
            out.push(',');
        }
        json::quote_guarded(&mut out, &attr.name, |_| false);
        out.push(':');
        match &attr.value {
            Value::Str(text) => json::quote_guarded(&mut out, text, |_| false),
            Value::Json(json) => json::one_line(&mut out, json, |_| false),
        }
    }
    out.push('}');
    out
}

/// Adds `attrs` to `node`. An attribute with the prefix [`PLAIN`] is added without the prefix. An attribute
/// with a name of [`SHORT`] or the prefix `mark:` becomes a mark, and `breakout-width` becomes the width of
/// the mark `breakout`, if `node` has that mark. Any other attribute replaces an attribute of the same name.
pub(super) fn apply<'a>(node: &mut Node<'a>, attrs: ThinVec<Attr<'a>>) {
    for attr in attrs {
        if let Some(name) = attr.name.strip_prefix(PLAIN) {
            let name = name.to_owned().into();
            node.attrs.push(Attr { name, value: attr.value });
        } else if let Some(short) = SHORT.iter().find(|it| it.0 == attr.name) {
            let attr = Attr { name: short.2.into(), value: attr.value };
            node.marks.push(Mark { kind: short.1, attrs: thin_vec![attr] });
        } else if let Some(name) = attr.name.strip_prefix("mark:") {
            node.marks.push(mark_of(name, &attr.value));
        } else if attr.name == "breakout-width"
            && let Some(mark) = node.marks.iter_mut().find(|it| it.kind == MarkKind::Breakout)
        {
            mark.attrs.push(Attr { name: "width".into(), value: attr.value });
        } else {
            node.attrs.retain(|it| it.name != attr.name);
            node.attrs.push(attr);
        }
    }
}

fn mark_of<'a>(name: &str, value: &Value<'a>) -> Mark<'a> {
    let kind = MarkKind::of_adf(name).unwrap_or(MarkKind::Other);
    let mut mark = Mark::new(kind);
    if kind == MarkKind::Other {
        mark = mark.with("/type", name.to_owned());
    }
    for (name, json) in json::members(value.shown()).unwrap_or_default() {
        let value = match json::string(json) {
            Some(text) => Value::Str(text.into_owned().into()),
            None => Value::Json(json.to_owned().into()),
        };
        mark.attrs.push(Attr { name: name.into_owned().into(), value });
    }
    mark
}

/// Returns whether braces with these attributes, after the text of a paragraph or heading, are read as the
/// attributes of that block. Otherwise the braces are text, with one exception that the caller checks: after
/// a paragraph, braces that contain only `layout`, `width` and `widthType` are attributes too.
pub(super) fn fit_text(attrs: &[Attr<'_>]) -> bool {
    let known =
        |name: &str| SHORT.iter().any(|it| it.0 == name) || name == "breakout-width" || is_foreign(name);
    !attrs.is_empty() && attrs.iter().all(|it| known(&it.name))
}

/// The prefix of the names of a list item's attributes.
pub(super) const ITEM: &str = "item/";

/// Returns whether these are the attributes of a list item: at least one, and all with the prefix [`ITEM`].
pub(super) fn fit_item(attrs: &[Attr<'_>]) -> bool {
    !attrs.is_empty() && attrs.iter().all(|it| it.name.starts_with(ITEM))
}

/// Returns whether a line of only these attributes is read as the attributes of the block after the line.
pub(super) fn fit_block(attrs: &[Attr<'_>]) -> bool {
    const KNOWN: [&str; 9] = [
        "layout",
        "width",
        "displayMode",
        "isNumberColumnEnabled",
        "order",
        "localId",
        "widthType",
        "language",
        "breakout-width",
    ];
    let known = |name: &str| SHORT.iter().any(|it| it.0 == name) || KNOWN.contains(&name) || is_foreign(name);
    !attrs.is_empty() && attrs.iter().all(|it| known(&it.name))
}

fn is_foreign(name: &str) -> bool {
    name.contains(':') || name.starts_with('/')
}
