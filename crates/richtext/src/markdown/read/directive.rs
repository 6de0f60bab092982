//! Conversion of directives, with their name and attributes, to nodes and marks.

use thin_vec::{ThinVec, thin_vec};

use super::super::attrs;
use super::super::names::{self, Form};
use super::prepare::Found;
use crate::emoji;
use crate::format::known;
use crate::tree::{Attr, Kind, MACRO, Mark, MarkKind, Node, NodeLimit, Value};
use crate::values::{dates, parameters};

/// Returns the marks that a directive gives to its label, the outermost first. Empty if it gives none.
pub(super) fn marks<'a>(found: &Found<'a>) -> ThinVec<Mark<'a>> {
    match found.name {
        _ if found.label.is_none() => ThinVec::new(),
        "color" => colors(found),
        _ => mark(found).into_iter().collect(),
    }
}

fn mark<'a>(found: &Found<'a>) -> Option<Mark<'a>> {
    let kind = match found.name {
        "strong" => MarkKind::Strong,
        "em" => MarkKind::Em,
        "strike" => MarkKind::Strike,
        "code" => MarkKind::Code,
        "comment" => MarkKind::Annotation,
        "cite" => return Some(Mark::new(MarkKind::Other).with("/type", "html:cite")),
        "sub" => return Some(Mark::new(MarkKind::Subsup).with("type", "sub")),
        "mark" => return any_mark(found),
        _ => return None,
    };
    let mut mark = Mark { kind, attrs: found.attrs.clone() };
    if kind == MarkKind::Annotation && mark.get("annotationType").is_none() {
        mark = mark.with("annotationType", "inlineComment");
    }
    Some(mark)
}

fn colors<'a>(found: &Found<'a>) -> ThinVec<Mark<'a>> {
    let mut marks = ThinVec::new();
    for attr in &found.attrs {
        let kind = match &*attr.name {
            "fg" => MarkKind::TextColor,
            "bg" => MarkKind::BackgroundColor,
            _ => return ThinVec::new(),
        };
        marks.push(Mark { kind, attrs: thin_vec![Attr { name: "color".into(), value: attr.value.clone() }] });
    }
    marks
}

fn any_mark<'a>(found: &Found<'a>) -> Option<Mark<'a>> {
    let kind = found.attrs.iter().find(|it| it.name == "type")?;
    let name = kind.value.as_str()?;
    let mut attrs: ThinVec<_> = found.attrs.iter().filter(|it| it.name != "type").cloned().collect();
    for attr in &mut attrs {
        if attr.name == "/type" {
            attr.name = "type".into();
        }
    }
    let kind = MarkKind::of_adf(name).unwrap_or(MarkKind::Other);
    if kind == MarkKind::Other {
        attrs.insert(0, Attr::string("/type", name.to_owned()));
    }
    Some(Mark { kind, attrs })
}

/// Returns the node of an inline directive whose label has the text `label`; `None` if the directive lacks a
/// required label or attribute, or gives only marks.
pub(super) fn inline<'a>(found: &Found<'a>, label: Option<String>, room: &NodeLimit) -> Option<Node<'a>> {
    let given = found.attrs.clone();
    let (kind, key) = match found.name {
        "status" => (Kind::Status, "text"),
        "mention" => (Kind::Mention, "text"),
        "emoji" => (Kind::Emoji, "text"),
        "placeholder" => (Kind::Placeholder, "text"),
        "card" => (Kind::InlineCard, "url"),
        "media" => (Kind::MediaInline, "alt"),
        "image" => (Kind::Image, "alt"),
        "date" => return Some(date(label, given)),
        "raw" => return raw(label?, &given, room),
        "macro" | "ext" => return extension(Kind::InlineExtension, found.name, label, given),
        name => return emoji::named(name),
    };
    let mut node = Node::new(kind);
    if let Some(label) = label {
        node = node.with(key, label);
    }
    let renamed = given.into_iter().map(|mut it| {
        // Identifiers such as 5e10 are no numbers.
        if let (Kind::Mention, "id", Value::Json(word)) = (kind, &*it.name, &it.value) {
            it.value = Value::Str(word.clone());
        }
        if kind == Kind::Emoji && it.name == "short" {
            it.name = "shortName".into();
        }
        it
    });
    attrs::apply(&mut node, renamed.collect());
    match kind {
        Kind::Emoji => Some(with_name(node)),
        Kind::Status if node.get("color").is_none() => Some(node.with("color", "neutral")),
        _ => Some(node),
    }
}

/// Returns an emoji of which only the name was written (`:emoji[tada]`) with its short name, its id and its text.
fn with_name(node: Node<'_>) -> Node<'_> {
    let [only] = &node.attrs[..] else { return node };
    let name = only.value.shown().trim_matches(':');
    if only.name != "text" || name.is_empty() || !name.bytes().all(emoji::is_part) {
        return node;
    }
    let short = format!(":{name}:");
    emoji::named(&short).unwrap_or_else(|| Node::new(Kind::Emoji).with("shortName", short))
}

/// Returns the node of a date. Its timestamp is the attribute `ts`, if this time is on the day in the label
/// or if the label is not a day; otherwise the start of the day in the label. With neither a `ts` nor a day,
/// the timestamp is the label itself.
fn date(label: Option<String>, given: ThinVec<Attr<'_>>) -> Node<'_> {
    let (stamp, rest): (ThinVec<_>, ThinVec<_>) = given.into_iter().partition(|it| it.name == "ts");
    let day = label.as_deref().and_then(dates::of_day);
    let mut node = Node::new(Kind::Date);
    match (stamp.into_iter().next(), day) {
        (Some(stamp), day) if day.is_none() || day == stamp.value.as_integer().map(dates::midnight) => {
            node.attrs.push(Attr { name: "timestamp".into(), value: stamp.value });
        }
        (_, Some(day)) => node = node.with("timestamp", day.to_string()),
        _ => node = node.with("timestamp", label.unwrap_or_default()),
    }
    attrs::apply(&mut node, rest);
    node
}

fn raw<'a>(label: String, given: &[Attr<'a>], room: &NodeLimit) -> Option<Node<'a>> {
    let format = given.iter().find(|it| it.name == "format")?.value.as_str()?;
    let format = known(format)?;
    if format == "adf" {
        let node = owned(crate::adf::read_node(&label, room, usize::MAX));
        if node.kind.is_inline() {
            return Some(node);
        }
    }
    Some(Node::raw(Kind::RawInline, format, label))
}

/// Returns the node with a copy of all text that it borrowed.
pub(super) fn owned<'a>(node: Node<'_>) -> Node<'a> {
    let attr = |it: Attr<'_>| Attr {
        name: it.name.into_owned().into(),
        value: match it.value {
            Value::Str(text) => Value::Str(text.into_owned().into()),
            Value::Json(text) => Value::Json(text.into_owned().into()),
        },
    };
    Node {
        kind: node.kind,
        span: node.span,
        inner: node.inner,
        attrs: node.attrs.into_iter().map(attr).collect(),
        marks: node
            .marks
            .into_iter()
            .map(|it| Mark { kind: it.kind, attrs: it.attrs.into_iter().map(attr).collect() })
            .collect(),
        text: node.text.into_owned().into(),
        children: node.children.into_iter().map(owned).collect(),
    }
}

/// Returns the node of an extension: for the directive `ext`, `given` has the node's attributes; for `macro`,
/// the name and parameters of a Confluence macro. Returns `None` for a macro without a name.
fn extension<'a>(
    kind: Kind,
    name: &str,
    label: Option<String>,
    given: ThinVec<Attr<'a>>,
) -> Option<Node<'a>> {
    let mut node = Node::new(kind);
    if name == "ext" {
        for mut attr in given {
            attr.name = match &*attr.name {
                "type" => "extensionType".into(),
                "key" => "extensionKey".into(),
                _ => attr.name,
            };
            attrs::apply(&mut node, thin_vec![attr]);
        }
    } else {
        node = a_macro(node, given)?;
    }
    Some(match label {
        Some(label) => node.with("text", label),
        None => node,
    })
}

/// Returns the macro `name` for a fence whose text, in `lines`, is the body of the macro. `given` has the attributes of the fence,
/// of which the first says that it is a macro.
pub(super) fn macro_with_body<'a>(name: String, given: ThinVec<Attr<'a>>, lines: &[Node<'a>]) -> Node<'a> {
    let body: String = lines.iter().map(|it| &*it.text).collect();
    let named = Attr::string("name", name);
    let all = [named].into_iter().chain(given.into_iter().skip(1));
    let all = all.chain([Attr::string(parameters::BODY, body)]).collect();
    a_macro(Node::new(Kind::Extension), all).unwrap_or_else(|| Node::new(Kind::Extension))
}

fn a_macro<'a>(mut node: Node<'a>, given: ThinVec<Attr<'a>>) -> Option<Node<'a>> {
    let mut params = ThinVec::new();
    let mut rest = ThinVec::new();
    for attr in given {
        if attr.name == "name" {
            let name = attr.value.shown().to_owned();
            node = node.with("extensionType", MACRO).with("extensionKey", name);
        } else if let Some(name) = attr.name.strip_prefix("attr:") {
            rest.push(Attr { name: name.to_owned().into(), value: attr.value });
        } else if attr.name.contains([':', '/']) || attr.name.starts_with("breakout") {
            rest.push(attr);
        } else {
            params.push(attr);
        }
    }
    node.text_of("extensionKey")?;
    let named = |it| match it {
        attrs::UNNAMED => "",
        attrs::NAMED => "name",
        _ => it,
    };
    let texts = params.iter().map(|it| (named(&*it.name), it.value.shown()));
    node = node.with_json("parameters", parameters::of_texts(texts, None));
    attrs::apply(&mut node, rest);
    Some(node)
}

/// Returns the node of a block directive with `children`. Returns the children as the error if the directive
/// can't contain them or lacks a required attribute. `within` is the name of the directive or HTML element
/// that contains the directive.
pub(super) fn block<'a>(
    name: &str,
    form: Form,
    given: ThinVec<Attr<'a>>,
    children: ThinVec<Node<'a>>,
    within: Option<&str>,
) -> Result<Node<'a>, ThinVec<Node<'a>>> {
    let Some(mut node) = opened(name, form, given, within) else { return Err(children) };
    if !takes(node.kind, &children) {
        return Err(children);
    }
    match node.kind {
        Kind::DecisionList => node.children = decisions(children),
        // The media was made from the attributes; the children are the caption.
        Kind::MediaSingle => {
            node.children.extend(children.into_iter().map(|it| Node { kind: Kind::Caption, ..it }));
        }
        _ => node.children = children,
    }
    Ok(node)
}

/// Returns whether a node made by a directive may have these children.
fn takes(kind: Kind, children: &[Node<'_>]) -> bool {
    let all = |kind: Kind| children.iter().all(|it| it.kind == kind);
    match kind {
        Kind::Media => children.is_empty(),
        Kind::MediaSingle => children.len() <= 1 && all(Kind::Paragraph),
        Kind::MediaGroup => all(Kind::Media),
        Kind::LayoutSection => all(Kind::LayoutColumn),
        Kind::DecisionList => {
            all(Kind::TaskList)
                && children.iter().flat_map(|it| &it.children).all(|it| it.kind == Kind::TaskItem)
        }
        _ => true,
    }
}

fn opened<'a>(name: &str, form: Form, given: ThinVec<Attr<'a>>, within: Option<&str>) -> Option<Node<'a>> {
    let contained = form == Form::Container;
    let (kind, renames): (Kind, &[(&str, &str)]) = match name {
        "panel" => (Kind::Panel, &[("type", "panelType")]),
        name if contained && names::panel(name).is_some() => {
            let mut node = Node::new(Kind::Panel).with("panelType", names::panel(name).unwrap_or_default());
            attrs::apply(&mut node, given);
            return Some(node);
        }
        "expand" => return Some(expand(given, within)),
        "layout" => (Kind::LayoutSection, &[]),
        "column" => (Kind::LayoutColumn, &[]),
        "media" if within == Some("media-group") => (Kind::Media, &[]),
        "media" => return Some(media(given)),
        "media-group" => (Kind::MediaGroup, &[]),
        "card" => (Kind::BlockCard, &[]),
        "embed" => (Kind::EmbedCard, &[]),
        "ext" | "macro" if contained => return extension(Kind::BodiedExtension, name, None, given),
        "ext" | "macro" => return extension(Kind::Extension, name, None, given),
        "sync" if contained => (Kind::BodiedSyncBlock, &[("resource", "resourceId")]),
        "sync" => (Kind::SyncBlock, &[("resource", "resourceId")]),
        "decisions" => (Kind::DecisionList, &[]),
        "group" => (Kind::Group, &[("type", "/type")]),
        "multi-ext" => (Kind::MultiBodiedExtension, &[("type", "extensionType"), ("key", "extensionKey")]),
        "frame" => (Kind::ExtensionFrame, &[]),
        _ => return None,
    };
    let mut node = Node::new(kind);
    let renamed = given.into_iter().map(|mut it| {
        if let Some((_, name)) = renames.iter().find(|rename| rename.0 == it.name) {
            it.name = (*name).into();
        }
        it
    });
    attrs::apply(&mut node, renamed.collect());
    if kind == Kind::Media {
        typed(&mut node);
    }
    Some(node)
}

/// Sets the `type` of a media node that has none: `external` if it has a `url`, otherwise `file`.
fn typed(media: &mut Node<'_>) {
    if media.get("type").is_none() {
        let kind = if media.get("url").is_some() { "external" } else { "file" };
        media.attrs.insert(0, Attr::string("type", kind));
    }
}

fn expand<'a>(given: ThinVec<Attr<'a>>, within: Option<&str>) -> Node<'a> {
    let (nested, given): (ThinVec<_>, ThinVec<_>) = given.into_iter().partition(|it| it.name == "nested");
    let nested = match nested.first() {
        Some(attr) => attr.value.shown() == "true",
        None => within.is_some_and(nests),
    };
    let mut node = Node::new(if nested { Kind::NestedExpand } else { Kind::Expand });
    attrs::apply(&mut node, given);
    node
}

/// Returns whether an expand directly inside a directive or HTML element with the name `within` is a
/// `nestedExpand`.
pub(in super::super) fn nests(within: &str) -> bool {
    matches!(within, "expand" | "details" | "td" | "th")
}

fn media<'a>(given: ThinVec<Attr<'a>>) -> Node<'a> {
    let (mut single, mut media) = (Node::new(Kind::MediaSingle), Node::new(Kind::Media));
    for mut attr in given {
        let (node, name) = match &*attr.name {
            "layout" | "width" | "widthType" => (&mut single, None),
            "file-width" => (&mut media, Some("width".to_owned())),
            "file-height" => (&mut media, Some("height".to_owned())),
            name => match name.strip_prefix("single/") {
                Some(name) => (&mut single, Some(name.to_owned())),
                None => (&mut media, None),
            },
        };
        if let Some(name) = name {
            attr.name = name.into();
        }
        attrs::apply(node, thin_vec![attr]);
    }
    typed(&mut media);
    single.holding(thin_vec![media])
}

/// Converts the tasks of some lists to decisions. Checked tasks become decisions with the state `DECIDED`,
/// the others `UNDECIDED`.
fn decisions(lists: ThinVec<Node<'_>>) -> ThinVec<Node<'_>> {
    lists.into_iter().flat_map(|it| it.children).map(decision).collect()
}

fn decision(mut item: Node<'_>) -> Node<'_> {
    let state = if item.text_of("state") == Some("DONE") { "DECIDED" } else { "UNDECIDED" };
    item.kind = Kind::DecisionItem;
    item.attrs.retain(|it| it.name != "state");
    item.with("state", state)
}
