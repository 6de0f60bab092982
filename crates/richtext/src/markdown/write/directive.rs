//! Writes nodes and marks as directives.
//!
//! In: a node or a mark. Out: the name, label and attributes of its directive, or `None` if no directive can
//! carry it.

use std::borrow::Cow;

use thin_vec::{ThinVec, thin_vec};

use super::super::attrs::{self, AttrPosition};
use super::escape::{self, Around, Lone, Within};
use super::span;
use crate::emoji;
use crate::tree::{Attr, Kind, MACRO, Mark, MarkKind, Node, Value};
use crate::values::{dates, json, parameters};

/// Writes attributes in braces; writes nothing if `attrs` is empty.
pub(super) fn braces(out: &mut String, attrs: &[Attr<'_>], place: AttrPosition) {
    if !attrs.is_empty() {
        out.push('{');
        attrs::write_all(out, attrs, place);
        out.push('}');
    }
}

/// Returns the attribute of the directive `:color` (`fg` or `bg`) for a mark of text colour or background
/// colour; `None` for any other mark, or if the mark has another attribute than its colour.
pub(super) fn color<'n>(mark: &'n Mark<'_>) -> Option<Attr<'n>> {
    let name = match mark.kind {
        MarkKind::TextColor => "fg",
        MarkKind::BackgroundColor => "bg",
        _ => return None,
    };
    match &mark.attrs[..] {
        [attr] if attr.name == "color" => {
            Some(Attr { name: name.into(), value: attrs::borrowed(&attr.value) })
        }
        _ => None,
    }
}

/// Returns whether `[text](href "title")` carries all of a link mark.
pub(super) fn is_plain_link(mark: &Mark<'_>) -> bool {
    let known = |it: &Attr<'_>| matches!(&*it.name, "href" | "title") && it.value.as_str().is_some();
    mark.text("href").is_some()
        && mark.text("title") != Some("")
        && mark.attrs.iter().all(|it| known(it) || !attrs::is_carried(it))
}

/// Returns the name and the attributes of the directive that carries a mark.
pub(super) fn mark<'n>(mark: &'n Mark<'_>) -> (&'static str, ThinVec<Attr<'n>>) {
    let bare = mark.attrs.is_empty();
    if let Some(color) = color(mark) {
        return ("color", thin_vec![color]);
    }
    let all = || {
        let carried = mark.attrs.iter().filter(|it| attrs::is_carried(it) && attrs::can_name(&it.name));
        carried
            .map(|it| Attr { name: Cow::Borrowed(&*it.name), value: attrs::borrowed(&it.value) })
            .collect::<Vec<_>>()
    };
    match mark.kind {
        MarkKind::Strong if bare => ("strong", ThinVec::new()),
        MarkKind::Em if bare => ("em", ThinVec::new()),
        MarkKind::Strike if bare => ("strike", ThinVec::new()),
        MarkKind::Code if bare => ("code", ThinVec::new()),
        MarkKind::Annotation if mark.text("annotationType") == Some("inlineComment") => {
            ("comment", all().into_iter().filter(|it| it.name != "annotationType").collect())
        }
        MarkKind::Other if mark.attrs.len() == 1 && mark.text("/type") == Some("html:cite") => {
            ("cite", ThinVec::new())
        }
        _ => {
            let mut attrs = thin_vec![Attr::string("type", mark.name())];
            attrs.extend(all().into_iter().filter(|it| it.name != "/type").map(|mut it| {
                if it.name == "type" {
                    it.name = "/type".into();
                }
                it
            }));
            ("mark", attrs)
        }
    }
}

/// Writes an inline node as a picture, as raw source or as a directive. If none of these carries the node,
/// writes it as ADF in the directive `:raw`. `before` is the character before the node, `cell` whether the node is in a pipe
/// table, `labelled` whether it is in the label of a directive.
pub(super) fn leaf(out: &mut String, node: &Node<'_>, before: Option<char>, (cell, labelled): (bool, bool)) {
    let written = match node.kind {
        Kind::Emoji if by_name(out, node, before) => return,
        Kind::Image => image(out, node, cell),
        Kind::RawInline => raw(out, node, labelled),
        _ => inline(out, node),
    };
    if written.is_none() {
        as_adf(out, node);
    }
}

/// Writes a picture as a directive, so that it is not read as a block when it is alone in a paragraph.
pub(super) fn image_alone(out: &mut String, node: &Node<'_>) {
    if inline(out, node).is_none() {
        as_adf(out, node);
    }
}

fn as_adf(out: &mut String, node: &Node<'_>) {
    out.push_str(":raw[");
    label(out, &crate::adf::node_json(node));
    out.push_str("]{format=adf}");
}

fn image(out: &mut String, node: &Node<'_>, cell: bool) -> Option<()> {
    let carried = |it: &&Attr<'_>| attrs::is_carried(it);
    let plain = node.attrs.iter().filter(carried).all(|it| {
        matches!(&*it.name, "url" | "alt" | "title")
            && it.value.as_str().is_some_and(|text| it.name == "url" || !text.is_empty())
    });
    let Some(url) = node.text_of("url").filter(|_| plain) else { return inline(out, node) };
    picture(out, url, node.text_of("alt"), node.text_of("title"), cell);
    Some(())
}

/// Writes `![alt](url "title")`. `cell` is whether the picture is in a pipe table.
pub(super) fn picture(out: &mut String, url: &str, alt: Option<&str>, title: Option<&str>, cell: bool) {
    out.push_str("![");
    labelled(out, alt.unwrap_or_default(), cell);
    span::destination(out, url, title, cell);
}

/// Writes text, escaped for the label of a directive.
fn label(out: &mut String, text: &str) {
    labelled(out, text, false);
}

fn labelled(out: &mut String, text: &str, cell: bool) {
    let within = Within { brackets: true, cell, ..Within::default() };
    let lone = Lone::default();
    let around =
        Around { starts_line: false, continues: false, before: Some('['), after: Some(']'), within, lone };
    escape::write(out, text, &around);
}

fn raw(out: &mut String, node: &Node<'_>, in_label: bool) -> Option<()> {
    let format = node.text_of("/format")?;
    if format == "markdown" {
        out.push_str(&node.text);
        return Some(());
    }
    out.push_str(":raw[");
    let brackets = node.text.contains(['[', ']', '\n', '\r', '\\']) || in_label;
    if brackets || node.text.is_empty() {
        label(out, &node.text)
    } else {
        span::code(out, &node.text, false)
    }
    out.push_str("]{format=");
    out.push_str(format);
    out.push('}');
    Some(())
}

fn inline(out: &mut String, node: &Node<'_>) -> Option<()> {
    let (name, key) = match node.kind {
        Kind::Status => ("status", "text"),
        Kind::Mention => ("mention", "text"),
        Kind::Emoji => ("emoji", "text"),
        Kind::Placeholder => ("placeholder", "text"),
        Kind::InlineCard => ("card", "url"),
        Kind::MediaInline => ("media", "alt"),
        Kind::Image => ("image", "alt"),
        Kind::Date => return date(out, node),
        Kind::InlineExtension => {
            let (name, given) = extension(node)?;
            directive(out, name, node.text_of("text"), &given);
            return Some(());
        }
        _ => return None,
    };
    let mut given = attrs::of_node(node)?;
    let shown = node.text_of(key);
    given.retain(|it| it.name != key || it.value.as_str().is_none());
    if node.kind == Kind::Status && node.text_of("color") == Some("neutral") {
        // A status that names no colour is read as a neutral one.
        given.retain(|it| it.name != "color");
    }
    if given.iter().any(|it| it.name == key || it.name == "short") {
        return None;
    }
    for attr in &mut given {
        if node.kind == Kind::Emoji && attr.name == "shortName" {
            attr.name = "short".into();
        }
    }
    directive(out, name, shown, &given);
    Some(())
}

/// Writes an emoji as its short name (`:tada:`, or `:emoji[name]` if the name alone would not be read). Returns `false`, with
/// nothing written, if the emoji has more than that name says.
fn by_name(out: &mut String, node: &Node<'_>, before: Option<char>) -> bool {
    let Some(short) = node.text_of("shortName") else { return false };
    let is_known = emoji::name_at(short) == Some(short);
    let name = short.trim_matches(':');
    let carried = node.attrs.iter().filter(|it| attrs::is_carried(it)).count();
    let is_whole = if is_known { emoji::is_named(node) } else { carried == 1 };
    if !is_whole || name.is_empty() || !name.bytes().all(emoji::is_part) || short.len() != name.len() + 2 {
        return false;
    }
    if is_known && emoji::may_follow(before) {
        out.push_str(short);
    } else {
        out.push_str(&format!(":emoji[{name}]"));
    }
    true
}

fn directive(out: &mut String, name: &str, shown: Option<&str>, given: &[Attr<'_>]) {
    out.push(':');
    out.push_str(name);
    if let Some(shown) = shown {
        out.push('[');
        label(out, shown);
        out.push(']');
    }
    if given.is_empty() && shown.is_none() {
        out.push_str("{}")
    } else {
        braces(out, given, AttrPosition::Text)
    }
}

fn date(out: &mut String, node: &Node<'_>) -> Option<()> {
    let stamp = node.get("timestamp")?;
    let mut given = attrs::of_node(node)?;
    given.retain(|it| it.name != "timestamp");
    let day = stamp.as_integer().and_then(dates::shown);
    let plain = day.as_deref().and_then(dates::of_day).map(|it| it.to_string());
    if stamp.as_str().is_none() || plain.as_deref() != stamp.as_str() {
        given.insert(0, Attr { name: "ts".into(), value: attrs::borrowed(stamp) });
    }
    directive(out, "date", Some(day.as_deref().unwrap_or_default()), &given);
    Some(())
}

/// Returns the name and the attributes of the directive for an extension: `macro` for a Confluence macro
/// whose `parameters` can all be written as attributes, otherwise `ext`. Returns `None` if no directive can
/// carry it.
pub(super) fn extension<'n>(node: &'n Node<'_>) -> Option<(&'static str, ThinVec<Attr<'n>>)> {
    let inline = node.kind == Kind::InlineExtension;
    let mut rest = attrs::of_node(node)?;
    if inline && node.get("text").is_some_and(|it| it.as_str().is_none()) {
        return None;
    }
    rest.retain(|it| !(inline && it.name == "text"));
    let (kind, key) = (node.text_of("extensionType")?, node.text_of("extensionKey")?);
    if let Some(Value::Json(parameters)) = node.get("parameters")
        && kind == MACRO
        && let Some(parameters) = macro_parameters(parameters)
    {
        let mut given = thin_vec![Attr::string("name", key)];
        given.extend(parameters);
        for mut attr in rest {
            match &*attr.name {
                "extensionType" | "extensionKey" | "parameters" => continue,
                name if !name.contains([':', '/']) && !is_mark_name(name) => {
                    attr.name = format!("attr:{name}").into()
                }
                _ => {}
            }
            given.push(attr);
        }
        return Some(("macro", given));
    }
    for attr in &mut rest {
        match &*attr.name {
            "extensionType" => attr.name = "type".into(),
            "extensionKey" => attr.name = "key".into(),
            "type" | "key" => return None,
            _ => {}
        }
    }
    Some(("ext", rest))
}

fn is_mark_name(name: &str) -> bool {
    name.starts_with("breakout")
}

/// Returns the parameters of a macro as attributes. `json` is the value of the attribute `parameters`.
/// Returns `None` if it contains more than parameters and identifiers, or if the name or value of a parameter
/// can't be written as an attribute.
fn macro_parameters(json: &str) -> Option<ThinVec<Attr<'_>>> {
    let parts = parameters::read(json)?;
    if parts.extra.is_some_and(|it| it != r#"{"macroMetadata":{}}"#) {
        return None;
    }
    let body = parts.body.map(|it| (parameters::BODY.into(), it, None));
    parts.params.into_iter().chain(body).map(macro_parameter).collect()
}

fn macro_parameter((name, text, markup): parameters::Param<'_>) -> Option<Attr<'_>> {
    let reserved =
        name == attrs::NAMED || name == attrs::UNNAMED || name.contains([':', '/']) || is_mark_name(&name);
    let name = match &*name {
        "" => attrs::UNNAMED.into(),
        "name" => attrs::NAMED.into(),
        _ => name,
    };
    if markup.is_some() || reserved || !attrs::can_name(&name) {
        return None;
    }
    // The value of a macro parameter is a string even if it is written as a number.
    let value = if json::is_word(&text) { Value::Json(text) } else { Value::Str(text) };
    Some(Attr { name, value })
}

/// Returns the name and the attributes of the directive for a block; `None` if no directive can carry it.
/// `within` is the name of the directive or HTML element around the block.
pub(super) fn block<'n>(
    node: &'n Node<'_>,
    within: Option<&str>,
) -> Option<(&'static str, ThinVec<Attr<'n>>)> {
    let (name, renames): (&str, &[(&str, &str)]) = match node.kind {
        Kind::Panel => ("panel", &[("panelType", "type")]),
        Kind::Expand | Kind::NestedExpand => return expand(node, within),
        Kind::LayoutSection => ("layout", &[]),
        Kind::LayoutColumn => ("column", &[]),
        Kind::MediaGroup => ("media-group", &[]),
        Kind::Media if within == Some("media-group") && node.text_of("type").is_some() => ("media", &[]),
        Kind::MediaSingle => return Some(("media", media(node)?)),
        Kind::BlockCard => ("card", &[]),
        Kind::EmbedCard => ("embed", &[]),
        Kind::Extension | Kind::BodiedExtension => return extension(node),
        Kind::SyncBlock | Kind::BodiedSyncBlock => ("sync", &[("resourceId", "resource")]),
        Kind::DecisionList => ("decisions", &[]),
        Kind::Group => ("group", &[("/type", "type")]),
        Kind::MultiBodiedExtension => ("multi-ext", &[("extensionType", "type"), ("extensionKey", "key")]),
        Kind::ExtensionFrame => ("frame", &[]),
        _ => return None,
    };
    let mut given = attrs::of_node(node)?;
    given.retain(|it| !(node.kind == Kind::Media && it.name == "type" && is_usual_type(node)));
    for attr in &mut given {
        if let Some((_, short)) = renames.iter().find(|it| it.0 == attr.name) {
            attr.name = (*short).into();
        } else if renames.iter().any(|it| it.1 == attr.name) {
            return None;
        }
    }
    Some((name, given))
}

fn expand<'n>(node: &'n Node<'_>, within: Option<&str>) -> Option<(&'static str, ThinVec<Attr<'n>>)> {
    let mut given = attrs::of_node(node)?;
    let nested = node.kind == Kind::NestedExpand;
    if nested != within.is_some_and(super::super::read::directive::nests) {
        given.push(Attr::json("nested", if nested { "true" } else { "false" }));
    }
    Some(("expand", given))
}

/// Returns whether the `type` of a media node is the one that its directive is read with if it names none.
fn is_usual_type(media: &Node<'_>) -> bool {
    media.text_of("type") == Some(if media.get("url").is_some() { "external" } else { "file" })
}

fn media<'n>(node: &'n Node<'_>) -> Option<ThinVec<Attr<'n>>> {
    let media = match &node.children[..] {
        [media] => media,
        [media, caption] if is_bare(caption) && caption.kind == Kind::Caption => media,
        _ => return None,
    };
    let mut all = ThinVec::new();
    for mut attr in
        attrs::of_node(media).filter(|_| media.kind == Kind::Media && media.text_of("type").is_some())?
    {
        match &*attr.name {
            "type" if is_usual_type(media) => continue,
            "width" => attr.name = "file-width".into(),
            "height" => attr.name = "file-height".into(),
            "layout" | "widthType" => return None,
            name if name.starts_with("file-") || name.starts_with("single/") => return None,
            _ => {}
        }
        all.push(attr);
    }
    for mut attr in attrs::of_node(node)? {
        if !matches!(&*attr.name, "layout" | "width" | "widthType") {
            attr.name = format!("single/{}", attr.name).into();
        }
        all.push(attr);
    }
    Some(all)
}

/// Returns whether a node has no marks, and no attributes that Markdown carries.
pub(super) fn is_bare(node: &Node<'_>) -> bool {
    node.marks.is_empty() && node.attrs.iter().all(|it| !attrs::is_carried(it))
}
