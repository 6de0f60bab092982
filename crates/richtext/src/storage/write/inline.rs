//! Writes inline content: text, inline nodes, and the elements for their marks.

use super::super::{escape, names};
use super::Writer;
use super::tag::{Tag, mark_json};
use crate::tree::{Kind, Mark, MarkKind, Node, Value};
use crate::values::{colours, dates, hrefs, macros};

impl Writer {
    /// Writes the inline `nodes`. A mark that neighbours share is written as one element around them.
    pub(super) fn inlines(&mut self, nodes: &[Node<'_>]) {
        let sorted: Vec<Vec<&Mark<'_>>> = nodes.iter().map(|it| in_order(&it.marks)).collect();
        self.level(nodes, &sorted, 0);
    }

    /// Writes `nodes` with those of their sorted `marks` that have the index `depth` or a higher one. The
    /// elements of the marks before that index are already open.
    fn level(&mut self, nodes: &[Node<'_>], marks: &[Vec<&Mark<'_>>], depth: usize) {
        let mut from = 0;
        while from < nodes.len() {
            let Some(mark) = marks[from].get(depth).copied() else {
                self.inline(&nodes[from]);
                from += 1;
                continue;
            };
            let shared = marks[from..].iter().take_while(|it| it.get(depth).copied() == Some(mark)).count();
            let to = from + shared;
            self.marked(mark, &nodes[from..to], &marks[from..to], depth);
            from = to;
        }
    }

    fn marked(&mut self, mark: &Mark<'_>, nodes: &[Node<'_>], marks: &[Vec<&Mark<'_>>], depth: usize) {
        if mark.kind == MarkKind::Link && is_resource(mark) {
            let plain = depth == 0
                && nodes.iter().zip(marks).all(|it| it.0.kind == Kind::Text && it.1.len() == 1)
                && mark.text("storage:body").is_none();
            self.open_link(mark);
            if plain {
                self.out.push_str("<ac:plain-text-link-body>");
                self.data(nodes);
                self.out.push_str("</ac:plain-text-link-body>");
            } else {
                self.out.push_str("<ac:link-body>");
                self.level(nodes, marks, depth + 1);
                self.out.push_str("</ac:link-body>");
            }
            return self.close("ac:link");
        }
        let Some(name) = self.open_mark(mark) else { return self.level(nodes, marks, depth + 1) };
        self.level(nodes, marks, depth + 1);
        self.close(&name);
    }

    /// Writes the start tag of a mark and returns the element's name; `None` for a mark that storage format has no element for.
    fn open_mark(&mut self, mark: &Mark<'_>) -> Option<String> {
        let form = mark.text("storage:form").filter(|it| names::mark(it).is_some_and(|it| it.0 == mark.kind));
        let styled = mark.text("storage:form") == Some("span") && mark.attrs.len() == 1;
        let name = match mark.kind {
            MarkKind::Strong => form.unwrap_or("strong"),
            MarkKind::Em => form.unwrap_or("em"),
            MarkKind::Underline if styled => return Some(self.styled("text-decoration", "underline")),
            MarkKind::Underline => form.unwrap_or("u"),
            MarkKind::Strike if styled => return Some(self.styled("text-decoration", "line-through")),
            MarkKind::Strike => form.unwrap_or("del"),
            MarkKind::Code if styled => return Some(self.styled("font-family", "monospace")),
            MarkKind::Code => form.unwrap_or("code"),
            MarkKind::Subsup if matches!(mark.text("type"), Some("sub" | "sup")) => {
                mark.text("type").unwrap_or("sub")
            }
            MarkKind::TextColor if is_colour(mark) => {
                return Some(self.styled("color", mark.text("color").unwrap_or_default()));
            }
            MarkKind::BackgroundColor if is_colour(mark) => {
                return Some(self.styled("background-color", mark.text("color").unwrap_or_default()));
            }
            MarkKind::Link if mark.text("href").is_some() => {
                let native = [("href", mark.text("href")), ("title", mark.text("title"))];
                let native: Vec<_> = native.iter().filter_map(|it| Some((it.0, it.1?))).collect();
                self.tag(
                    Tag::of_mark("a", mark).but(&native.iter().map(|it| it.0).collect::<Vec<_>>()),
                    &native,
                );
                return Some("a".to_owned());
            }
            MarkKind::Annotation if is_comment(mark) => {
                let id = mark.text("id").unwrap_or_default();
                let tag = Tag::of_mark("ac:inline-comment-marker", mark).but(&["id", "annotationType"]);
                self.tag(tag, &[("ac:ref", id)]);
                return Some("ac:inline-comment-marker".to_owned());
            }
            MarkKind::Other if html_name(mark).is_some() => html_name(mark).unwrap_or("span"),
            _ if !self.keep_raw => return None,
            _ => {
                self.out.push_str("<span");
                self.attribute(super::super::read::EXTRA, &mark_json(mark));
                self.out.push('>');
                return Some("span".to_owned());
            }
        };
        self.tag(
            Tag::of_mark(name, mark).but(if mark.kind == MarkKind::Subsup { &["type"] } else { &["/type"] }),
            &[],
        );
        Some(name.to_owned())
    }

    fn styled(&mut self, property: &str, value: &str) -> String {
        self.out.push_str("<span");
        self.attribute("style", &format!("{property}: {value};"));
        self.out.push('>');
        "span".to_owned()
    }

    /// Writes an inline node without its marks, whose elements are already open.
    fn inline(&mut self, node: &Node<'_>) {
        match node.kind {
            Kind::Text => escape::encode(&mut self.out, &node.text),
            Kind::HardBreak => self.lone_tag(Tag::of("br", node), &[]),
            Kind::Mention if node.text_of("id").is_some() => self.mention(node),
            Kind::Emoji if node.text_of("shortName").is_some() => self.emoji(node),
            Kind::Date => self.date(node),
            Kind::Status if is_status(node) => self.status(node),
            Kind::Placeholder if node.text_of("text").is_some() => self.placeholder(node),
            Kind::InlineCard if node.text_of("url").is_some() => self.inline_card(node),
            Kind::InlineExtension => self.extension(node),
            Kind::Image if node.text_of("url").is_some() => self.image(node),
            Kind::RawInline => self.raw(node),
            _ => self.raw_adf(node),
        }
    }

    fn emoji(&mut self, node: &Node<'_>) {
        let form = node.text_of("storage:form").unwrap_or_default();
        let hipchat = form == "ac:hipchat-emoticon" && node.text_of("ac:shortcut").is_some();
        let element = if hipchat { form } else { "ac:emoticon" };
        let said =
            [("ac:emoji-shortname", "shortName"), ("ac:emoji-id", "id"), ("ac:emoji-fallback", "text")];
        let mut native: Vec<_> = said.iter().filter_map(|it| Some((it.0, node.text_of(it.1)?))).collect();
        if !hipchat {
            native.insert(0, ("ac:name", node.text_of("ac:name").unwrap_or("blue-star")));
        }
        let used: Vec<_> = said.iter().map(|it| it.1).filter(|it| node.text_of(it).is_some()).collect();
        self.lone_tag(
            Tag::of(element, node).but(&used.iter().copied().chain(["ac:name"]).collect::<Vec<_>>()),
            &native,
        );
    }

    fn date(&mut self, node: &Node<'_>) {
        let written = node.text_of("timestamp");
        let at = node.integer("timestamp");
        let day = at.and_then(dates::shown);
        let Some(day) = day else { return self.raw_adf(node) };
        let exact = written.is_some_and(|it| dates::of_day(&day).is_some_and(|day| day.to_string() == it));
        let used: &[&str] = if exact { &["timestamp"] } else { &[] };
        self.lone_tag(Tag::of("time", node).but(used), &[("datetime", &day)]);
    }

    fn placeholder(&mut self, node: &Node<'_>) {
        self.tag(Tag::of("ac:placeholder", node).but(&["text"]), &[]);
        escape::encode(&mut self.out, node.text_of("text").unwrap_or_default());
        self.close("ac:placeholder");
    }

    /// Writes the text of `nodes` as a CDATA section, or several if the text requires it.
    pub(super) fn data(&mut self, nodes: &[Node<'_>]) {
        self.out.push_str(escape::OPEN);
        let text: String = nodes.iter().map(|it| &*it.text).collect();
        escape::encode_data(&mut self.out, &text);
        self.out.push_str(escape::CLOSE);
    }
}

/// Returns the marks in the order in which their elements are nested, the outermost first.
fn in_order<'m, 'a>(marks: &'m [Mark<'a>]) -> Vec<&'m Mark<'a>> {
    let mut sorted: Vec<_> = marks.iter().collect();
    sorted.sort_by_key(|it| it.kind);
    sorted
}

/// Returns whether a link mark is written as `ac:link`, because it leads to content of Confluence or was read
/// from an `ri:url`.
pub(super) fn is_resource(mark: &Mark<'_>) -> bool {
    let form = mark.text("storage:form");
    form != Some("a")
        && mark.text("href").is_some_and(|it| form == Some("ri:url") || hrefs::exact(it).is_some())
}

fn is_colour(mark: &Mark<'_>) -> bool {
    mark.attrs.len() == 1 && mark.text("color").is_some_and(colours::is_hex)
}

fn is_comment(mark: &Mark<'_>) -> bool {
    mark.text("id").is_some() && mark.text("annotationType") == Some("inlineComment")
}

/// Returns the name of the HTML element from which `mark` was read, if `mark` is of a kind that ADF lacks.
/// Returns `None` for other marks, and if the reader would not read the element as this mark again.
fn html_name<'m>(mark: &'m Mark<'_>) -> Option<&'m str> {
    let name = mark.text("/type")?.strip_prefix("html:")?;
    let plain =
        names::is_name(name) && !name.contains(':') && !names::is_block(name) && !names::is_void(name);
    let other = names::mark(name).is_some() || matches!(name, "time" | "img");
    let link = name == "a" && mark.get("html:href").is_some();
    (plain && !other && !link && mark.attrs.iter().all(|it| it.name == "/type" || it.name.contains(':')))
        .then_some(name)
}

fn is_status(node: &Node<'_>) -> bool {
    let colour = node.text_of("color").unwrap_or_default();
    let known = macros::status_of_adf(colour).is_some() || colours::is_hex(colour);
    known
        && node.text_of("text").is_some_and(|it| !it.is_empty())
        && matches!(node.get("text"), Some(Value::Str(_)))
}
