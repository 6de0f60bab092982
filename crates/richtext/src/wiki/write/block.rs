//! Writes blocks: as markup if that can express all of the block, otherwise as `{adf}` or as plainer blocks.

use thin_vec::{ThinVec, thin_vec};

use super::Writer;
use super::inline::Line;
use crate::empty_lines::joined;
use crate::format::Dialect;
use crate::plainer::plainer;
use crate::tree::{Attr, Kind, Node, Value};
use crate::values::{hrefs, html};
use crate::wiki::read::{Container, image_params, parse_image};

/// The most blocks within each other that markup can't express and that are written as plainer blocks. What is deeper becomes
/// one paragraph, because each level is written in two ways.
const MAX_UNSPELLED: usize = 6;

impl Writer {
    /// Returns the markup of the blocks `nodes`, with an empty line between neighbours unless they are in a
    /// cell or an item.
    pub(super) fn blocks(&mut self, nodes: &[Node<'_>], place: Container) -> String {
        let together: ThinVec<Node<'_>>;
        let nodes = if place == Container::Block {
            nodes
        } else {
            together = joined(nodes);
            &together
        };
        let mut flat = Vec::new();
        flatten(nodes, &mut flat);
        let between = if place == Container::Block { "\n\n" } else { "\n" };
        let mut text = String::new();
        for (index, node) in flat.iter().enumerate() {
            if index > 0 {
                text.push_str(between);
            }
            let next = flat.get(index + 1).copied();
            let before = index.checked_sub(1).map(|it| flat[it]);
            text.push_str(&self.block(node, before, next, place));
        }
        text
    }

    pub(super) fn block(
        &mut self,
        node: &Node<'_>,
        before: Option<&Node<'_>>,
        next: Option<&Node<'_>>,
        place: Container,
    ) -> String {
        if node.kind == Kind::RawBlock {
            return self.raw_block(node, place);
        }
        let is_apart = place == Container::Block || !merges(before, node, next);
        let markup = if is_apart { self.markup(node, place) } else { None };
        markup.unwrap_or_else(|| self.other(node, place))
    }

    /// Returns what is written for a block that markup cannot express: JSON in `{adf}`, or without what markup has no place for, or
    /// plainer blocks.
    pub(super) fn other(&mut self, node: &Node<'_>, place: Container) -> String {
        if self.has_adf() {
            return self.adf(node);
        }
        if self.unspelled == MAX_UNSPELLED {
            return self.plain_line(&[Node::of_text(node.plain_text())], Line::Paragraph(place));
        }
        self.unspelled += 1;
        let bare = bare(node);
        let markup = self.markup(&bare, place);
        let text = markup.unwrap_or_else(|| match node.kind {
            Kind::Paragraph => self.plain_line(&bare.children, Line::Paragraph(place)),
            _ => self.blocks(&plainer(node), place),
        });
        self.unspelled -= 1;
        text
    }

    /// Returns the markup of `node`; `None` if markup cannot express all of it.
    fn markup(&mut self, node: &Node<'_>, place: Container) -> Option<String> {
        if !node.marks.is_empty() {
            return None;
        }
        let in_item = place == Container::Item;
        match node.kind {
            Kind::Paragraph => {
                only(node, &[])?;
                self.line("", &node.children, Line::Paragraph(place))
            }
            Kind::CodeBlock => self.code(node),
            Kind::BlockCard | Kind::EmbedCard => card(node),
            Kind::MediaSingle => self.media(node),
            Kind::Extension => self.extension(node, place),
            _ if in_item => None,
            Kind::Heading => self.heading(node),
            Kind::Rule => only(node, &[]).map(|()| "----".to_owned()),
            Kind::Blockquote => self.quote(node),
            Kind::BulletList | Kind::OrderedList
                if place == Container::Cell && super::list::ends_bare(node) =>
            {
                None
            }
            Kind::BulletList | Kind::OrderedList => self.list(node, "", true),
            Kind::Table if place == Container::Block => self.table(node),
            Kind::Panel => self.panel(node),
            Kind::Expand => self.expand(node),
            Kind::LayoutSection | Kind::LayoutColumn => self.layout(node),
            Kind::BodiedExtension => self.bodied(node),
            _ => None,
        }
    }

    fn heading(&mut self, node: &Node<'_>) -> Option<String> {
        only(node, &["level"])?;
        let level = node.integer("level").filter(|it| (1..=6).contains(it))?;
        if node.children.is_empty() {
            return Some(format!("h{level}."));
        }
        self.line(&format!("h{level}. "), &node.children, Line::Heading)
    }

    /// Returns the markup of a `mediaSingle`, a picture that is a block; `None` if markup cannot express all
    /// of it.
    fn media(&self, node: &Node<'_>) -> Option<String> {
        only(node, &["layout"])?;
        let [media] = node.children.as_slice() else { return None };
        only(media, &["type", "url", "alt", "html:title", "width", "height"])?;
        if media.kind != Kind::Media || media.text_of("type") != Some("external") {
            return None;
        }
        super::link::linked(picture(media, node.text_of("layout"))?, &media.marks, self)
    }

    fn quote(&mut self, node: &Node<'_>) -> Option<String> {
        only(node, &[])?;
        if let ([only], Some("bq.")) = (node.children.as_slice(), node.text_of("wiki:form"))
            && only.kind == Kind::Paragraph
            && only.marks.is_empty()
            && let Some(text) = self.line("bq. ", &only.children, Line::Heading)
        {
            return Some(text);
        }
        self.body("quote", super::macros::params_of(node)?, node)
    }

    fn raw_block(&mut self, node: &Node<'_>, place: Container) -> String {
        match node.text_of("/format") {
            Some("wiki") | None => node.text.to_string(),
            Some("adf") if self.has_adf() => {
                format!("{{adf:display=block}}{}{{adf}}", node.text.replace("{adf}", "\\u007badf}"))
            }
            Some("markdown") => {
                let text = Node::of_text(html::seen(&node.text).trim().to_owned());
                let paragraph = Node::new(Kind::Paragraph).holding(thin_vec![text]);
                self.line("", &paragraph.children, Line::Paragraph(Container::Block)).unwrap_or_default()
            }
            Some(_) if !self.keep_raw => self.blocks(&plainer(node), place),
            Some(_) if node.text.contains("{plainwire-raw}") => self.adf(node),
            Some(format) => format!("{{plainwire-raw:format={format}}}{}{{plainwire-raw}}", node.text),
        }
    }
}

/// Returns a copy of `node`. For raw inline HTML from Markdown, returns its visible text instead, or `None`
/// if that is empty.
pub(super) fn shown<'n>(node: &'n Node<'_>) -> Option<Node<'n>> {
    if node.kind == Kind::RawInline && node.text_of("/format") == Some("markdown") {
        let seen = Node::of_text(html::seen(&node.text));
        return Some(seen).filter(|it| !it.text.is_empty());
    }
    Some(node.clone())
}

/// Appends `nodes` to the list `to`, with the children of a group in its place, because markup has no groups.
fn flatten<'n, 'a>(nodes: &'n [Node<'a>], to: &mut Vec<&'n Node<'a>>) {
    for node in nodes {
        if node.kind == Kind::Group { flatten(&node.children, to) } else { to.push(node) }
    }
}

/// Returns whether `node` would be read as one block with `before` or `next`, its neighbours in a cell or
/// item, where no empty line can separate them.
fn merges(before: Option<&Node<'_>>, node: &Node<'_>, next: Option<&Node<'_>>) -> bool {
    match node.kind {
        Kind::BulletList | Kind::OrderedList => next.is_some(),
        Kind::Paragraph | Kind::MediaSingle | Kind::BlockCard | Kind::EmbedCard => before.is_some_and(|it| {
            matches!(it.kind, Kind::Paragraph | Kind::MediaSingle | Kind::BlockCard | Kind::EmbedCard)
        }),
        Kind::Rule | Kind::Heading | Kind::Blockquote => false,
        _ => false,
    }
}

/// Returns `node` without its marks and without attributes that markup has no place for, and so its children in lists, tables and
/// the like.
fn bare<'a>(node: &Node<'a>) -> Node<'a> {
    const NAMES: [&str; 12] = [
        "level",
        "language",
        "panelType",
        "title",
        "url",
        "type",
        "alt",
        "extensionType",
        "extensionKey",
        "parameters",
        "text",
        "color",
    ];
    let mut bare = node.clone();
    bare.marks.clear();
    bare.attrs.retain(|it| it.is_foreign() || NAMES.contains(&it.name.as_ref()));
    if matches!(
        node.kind,
        Kind::BulletList | Kind::OrderedList | Kind::Table | Kind::TableRow | Kind::LayoutSection
    ) {
        bare.children = node.children.iter().map(bare_member).collect();
    }
    bare
}

fn bare_member<'a>(node: &Node<'a>) -> Node<'a> {
    let mut member = bare(node);
    if node.kind == Kind::TableRow {
        member.children = node.children.iter().map(bare).collect();
    }
    member
}

/// Returns `None` if markup would lose an attribute of `node`. Attributes in `names` are not lost. `localId`,
/// default values and the attributes of other formats do not count.
pub(super) fn only(node: &Node<'_>, names: &[&str]) -> Option<()> {
    let is_known = |it: &Attr<'_>| {
        it.is_foreign() || it.name == "localId" || names.contains(&it.name.as_ref()) || it.is_default()
    };
    node.attrs.iter().all(is_known).then_some(())
}

/// Returns the markup of a picture, `!name|…!`; `None` if this markup can't express all of the picture.
pub(super) fn picture(media: &Node<'_>, layout: Option<&str>) -> Option<String> {
    let url = media.text_of("url")?;
    let name = match url.strip_prefix("attachment:") {
        Some(name) => hrefs::decode(name)?.into_owned(),
        None => url.to_owned(),
    };
    let found = |name: &str| match name {
        "title" if media.kind == Kind::Media => media.get("html:title"),
        _ => media.get(name),
    };
    let align = match layout {
        None | Some("center") => None,
        Some("align-start") => Some("left"),
        Some("align-end") => Some("right"),
        Some(_) => return None,
    };
    let own = image_params(&media.attrs, align);
    let params = media.text_of("wiki:params").filter(|it| !it.contains('{')).unwrap_or(&own);
    [params, &own].into_iter().find_map(|params| {
        let content = if params.is_empty() { name.clone() } else { format!("{name}|{params}") };
        let is_line = !content.contains(['!', '\n', '\r']) && content.trim() == content;
        let read = parse_image(&content).filter(|_| is_line)?;
        let shown = |key: &str| read.iter().find(|it| it.name == key).map(|it| it.value.shown().to_owned());
        // Markup can refer to a picture file next to the text only as an attachment. This is a loss, but
        // keeps the intent.
        let beside = !url.contains(':') && shown("url").as_deref() == Some(&*hrefs::attachment(url));
        let is_same = ["url", "width", "height", "alt", "title"]
            .into_iter()
            .all(|key| shown(key).as_deref() == found(key).map(Value::shown) || key == "url" && beside);
        let aligns = params.split([',', '|']).find_map(|it| it.trim().strip_prefix("align="));
        let aligns = aligns.filter(|it| matches!(*it, "left" | "right"));
        (is_same && (aligns == align || layout.is_none())).then(|| format!("!{content}!"))
    })
}

fn card(node: &Node<'_>) -> Option<String> {
    let form = if node.kind == Kind::BlockCard { "smart-card" } else { "smart-embed" };
    only(node, &["url", "layout"])?;
    if node.text_of("layout").is_some_and(|it| it != "center") {
        return None;
    }
    super::link::card(node, form)
}

/// Returns whether the dialect is that of Confluence, which has macros that Jira lacks, such as `{info}` and
/// `{expand}`.
pub(super) fn is_confluence(dialect: Dialect) -> bool {
    dialect == Dialect::Confluence
}
