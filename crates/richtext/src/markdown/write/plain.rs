//! Plainer nodes for programs that show only GitHub's Markdown: a status becomes its text, a card becomes a
//! link.
//!
//! In: any blocks. Out: blocks for which Markdown has a syntax. What such a program can't show (identifiers,
//! layouts, colours) is left out.

use thin_vec::{ThinVec, thin_vec};

use crate::tree::{Kind, Mark, MarkKind, Node};
use crate::values::dates;

/// Returns `nodes` with each node that GitHub's Markdown does not have replaced by plainer ones.
pub(super) fn blocks<'a>(nodes: &[Node<'a>]) -> ThinVec<Node<'a>> {
    let mut plain = ThinVec::new();
    for node in nodes {
        block(node, &mut plain);
    }
    plain
}

fn block<'a>(node: &Node<'a>, into: &mut ThinVec<Node<'a>>) {
    match node.kind {
        Kind::LayoutSection
        | Kind::LayoutColumn
        | Kind::Group
        | Kind::BodiedExtension
        | Kind::MultiBodiedExtension
        | Kind::ExtensionFrame
        | Kind::BodiedSyncBlock
        | Kind::MediaGroup => into.extend(blocks(&node.children)),
        Kind::DecisionList => {
            into.push(Node::new(Kind::BulletList).holding(node.children.iter().map(item).collect()))
        }
        Kind::MediaSingle => {
            into.extend(
                node.children
                    .iter()
                    .filter(|it| it.kind == Kind::Media)
                    .map(|it| paragraph(thin_vec![media(it)])),
            );
            into.extend(
                node.children
                    .iter()
                    .filter(|it| it.kind == Kind::Caption)
                    .map(|it| paragraph(runs(&it.children))),
            );
        }
        Kind::Media => into.push(paragraph(thin_vec![media(node)])),
        Kind::BlockCard | Kind::EmbedCard => into.push(paragraph(thin_vec![card(node)])),
        Kind::Extension | Kind::SyncBlock => into.push(paragraph(thin_vec![note(node)])),
        Kind::RawBlock if node.text_of("/format") != Some("markdown") => into.push(node.clone()),
        _ if node.kind.is_inline() => into.extend(runs(std::slice::from_ref(node))),
        _ => {
            let mut plain = Node::new(node.kind).holding(match node.kind.holds() {
                crate::tree::Holds::Inlines if node.kind != Kind::CodeBlock => runs(&node.children),
                crate::tree::Holds::Blocks => blocks(&node.children),
                _ => node.children.clone(),
            });
            plain.text = node.text.clone();
            let kept = |name: &str| {
                matches!(
                    name,
                    "level"
                        | "order"
                        | "language"
                        | "panelType"
                        | "title"
                        | "state"
                        | "colspan"
                        | "rowspan"
                        | "/format"
                )
            };
            plain.attrs = node.attrs.iter().filter(|it| kept(&it.name)).cloned().collect();
            into.push(plain);
        }
    }
}

fn paragraph(children: ThinVec<Node<'_>>) -> Node<'_> {
    Node::new(Kind::Paragraph).holding(children)
}

fn item<'a>(node: &Node<'a>) -> Node<'a> {
    Node::new(Kind::ListItem).holding(thin_vec![paragraph(runs(&node.children))])
}

fn runs<'a>(nodes: &[Node<'a>]) -> ThinVec<Node<'a>> {
    nodes.iter().map(run).collect()
}

fn run<'a>(node: &Node<'a>) -> Node<'a> {
    let mut plain = match node.kind {
        Kind::Text | Kind::HardBreak | Kind::RawInline => node.clone(),
        Kind::Image => node.clone(),
        Kind::MediaInline => media(node),
        Kind::InlineCard => card(node),
        Kind::Mention => {
            let name =
                node.text_of("text").filter(|it| !it.is_empty()).or(node.text_of("id")).unwrap_or_default();
            text(if name.starts_with('@') { name.to_owned() } else { format!("@{name}") })
        }
        Kind::Emoji => {
            let shown = node.text_of("text").filter(|it| !it.is_empty()).or(node.text_of("shortName"));
            text(shown.unwrap_or_default().to_owned())
        }
        Kind::Date => {
            let day = node.get("timestamp").and_then(|it| dates::shown(it.as_integer()?));
            text(day.or_else(|| node.get("timestamp").map(|it| it.shown().to_owned())).unwrap_or_default())
        }
        Kind::Status => text(format!("[{}]", node.text_of("text").unwrap_or_default()))
            .marked(Mark::new(MarkKind::Strong)),
        Kind::Placeholder => text(node.text_of("text").unwrap_or_default().to_owned()),
        _ => note(node),
    };
    if node.kind != Kind::Text {
        plain.marks.extend(node.marks.iter().cloned());
    }
    plain.marks.retain(|it| {
        !matches!(
            it.kind,
            MarkKind::TextColor | MarkKind::BackgroundColor | MarkKind::Annotation | MarkKind::Other
        )
    });
    for mark in &mut plain.marks {
        mark.attrs.retain(|it| matches!(&*it.name, "href" | "title" | "type"));
    }
    plain
}

fn text<'a>(text: String) -> Node<'a> {
    Node::of_text(text)
}

fn card<'a>(node: &Node<'a>) -> Node<'a> {
    match node.text_of("url") {
        Some(url) => text(url.to_owned()).marked(Mark::new(MarkKind::Link).with("href", url.to_owned())),
        None => note(node),
    }
}

fn media<'a>(node: &Node<'a>) -> Node<'a> {
    let url = match (node.text_of("url"), node.text_of("id")) {
        (Some(url), _) => url.to_owned(),
        (None, id) => format!("attachment:{}", id.unwrap_or_default()),
    };
    let image = Node::new(Kind::Image).with("url", url);
    match node.text_of("alt") {
        Some(alt) if !alt.is_empty() => image.with("alt", alt.to_owned()),
        _ => image,
    }
}

/// Returns a text in brackets for a node that can't be shown: the node's `text`, otherwise its
/// `extensionKey`, otherwise the name of its kind.
fn note<'a>(node: &Node<'a>) -> Node<'a> {
    let name = node.text_of("text").filter(|it| !it.is_empty()).or(node.text_of("extensionKey"));
    let name = name.or(node.kind.adf_name()).unwrap_or("unsupported");
    text(format!("[{name}]"))
}
