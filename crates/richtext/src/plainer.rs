//! Plainer nodes in place of those that a format can't express: they show the same.
//!
//! In: a node. Out: nodes of simpler kinds, in the end paragraphs of text. Whoever writes them reports what is lost,
//! because the written text is read again and compared with the document.

use thin_vec::{ThinVec, thin_vec};

use crate::compare::name;
use crate::tree::{Kind, Mark, MarkKind, Node};
use crate::values::html;

/// Returns the nodes to write in place of `node`, each of a simpler kind or with less in it: called again and again on what
/// can't be written either, it ends with paragraphs of text or nothing. For an inline node, returns a text.
pub(crate) fn plainer<'a>(node: &Node<'a>) -> ThinVec<Node<'a>> {
    match node.kind {
        kind if kind.is_inline() => shown(node),
        _ if node.kind.holds_inlines() && node.children.iter().any(|it| !it.kind.is_inline()) => {
            node.children.clone()
        }
        Kind::Paragraph => paragraph_of(node.plain_text()),
        Kind::Heading | Kind::TaskItem | Kind::DecisionItem | Kind::Caption => {
            thin_vec![Node::new(Kind::Paragraph).holding(node.children.clone())]
        }
        Kind::CodeBlock => lines(&node.plain_text()),
        Kind::TaskList | Kind::DecisionList => bullets(node),
        Kind::BulletList | Kind::OrderedList => {
            let first = node.integer("order").unwrap_or(1);
            let sign = |at: usize| match node.kind {
                Kind::OrderedList => format!("{}. ", first.saturating_add(at as i64)),
                _ => "\u{2022} ".to_owned(),
            };
            node.children.iter().enumerate().flat_map(|(at, it)| signed(&sign(at), &it.children)).collect()
        }
        Kind::Table => node.children.iter().flat_map(row).collect(),
        Kind::MediaSingle | Kind::MediaGroup => node.children.iter().flat_map(plainer).collect(),
        Kind::Media => pictured(node),
        Kind::BlockCard | Kind::EmbedCard => {
            let url = node.text_of("url").map(str::to_owned);
            let card = url.map(|it| Node::new(Kind::InlineCard).with("url", it));
            card.into_iter().map(|it| Node::new(Kind::Paragraph).holding(thin_vec![it])).collect()
        }
        Kind::RawBlock => paragraph_of(text(node).trim().to_owned()),
        _ => {
            let title = node.text_of("title").or_else(|| node.text_of("param:title")).unwrap_or_default();
            let mut all = paragraph_of(title.to_owned());
            all.iter_mut().for_each(strengthen);
            all.extend(node.children.iter().cloned());
            all
        }
    }
}

/// Returns the text that people see of `node`; empty if they see none.
pub(crate) fn text(node: &Node<'_>) -> String {
    match node.kind {
        Kind::RawInline | Kind::RawBlock => match node.text_of("/format") {
            Some("markdown" | "storage") => html::seen(&node.text).trim().to_owned(),
            Some("wiki") => node.text.clone().into_owned(),
            _ => String::new(),
        },
        Kind::Text => node.text.clone().into_owned(),
        Kind::HardBreak => "\n".to_owned(),
        Kind::Image | Kind::MediaInline => first(node, &["alt", "title", "url", "id"]),
        Kind::Media => first(node, &["alt", "title", "url"]),
        Kind::Date => name(node).unwrap_or_else(|| first(node, &["timestamp"])),
        Kind::InlineExtension => first(node, &["text", "extensionKey"]),
        Kind::BlockCard | Kind::EmbedCard | Kind::InlineCard => first(node, &["url"]),
        kind if kind.is_inline() => first(node, &["text", "shortName", "id"]),
        _ => node.plain_text(),
    }
}

/// Returns a text that links to a picture and shows the picture's description or address, for a position that allows no
/// picture.
pub(crate) fn link<'a>(image: &Node<'a>) -> Node<'a> {
    let mut node = Node::of_text(text(image));
    node.marks.clone_from(&image.marks);
    let url = image.text_of("url").filter(|_| image.mark(MarkKind::Link).is_none());
    if let Some(url) = url {
        node.marks.insert(0, Mark::new(MarkKind::Link).with("href", url.to_owned()));
    }
    node
}

/// Returns the text of an inline node, with its marks; nothing if it shows none. A text loses its marks.
fn shown<'a>(node: &Node<'a>) -> ThinVec<Node<'a>> {
    let mut shown = match node.kind {
        Kind::Image | Kind::MediaInline => link(node),
        _ => Node::of_text(text(node)),
    };
    if !matches!(node.kind, Kind::Text | Kind::Image | Kind::MediaInline) {
        shown.marks.clone_from(&node.marks);
    }
    Some(shown).filter(|it| !it.text.is_empty()).into_iter().collect()
}

/// Returns the first value of the attributes `names` that is not empty; an empty string if there is none.
fn first(node: &Node<'_>, names: &[&str]) -> String {
    let said = names.iter().filter_map(|it| node.get(it)).map(|it| it.shown());
    said.into_iter().find(|it| !it.is_empty()).unwrap_or_default().to_owned()
}

/// Returns a paragraph of `text`; nothing if the text is empty.
fn paragraph_of<'a>(text: String) -> ThinVec<Node<'a>> {
    let text = Some(text).filter(|it| !it.is_empty()).map(Node::of_text);
    text.into_iter().map(|it| Node::new(Kind::Paragraph).holding(thin_vec![it])).collect()
}

/// Returns a paragraph with a line break after each line of `code`.
fn lines<'a>(code: &str) -> ThinVec<Node<'a>> {
    let mut children = ThinVec::new();
    for (at, line) in code.lines().enumerate() {
        children.extend((at > 0).then(|| Node::new(Kind::HardBreak)));
        children.extend(Some(Node::of_text(line.to_owned())).filter(|it| !it.text.is_empty()));
    }
    if children.is_empty() { ThinVec::new() } else { thin_vec![Node::new(Kind::Paragraph).holding(children)] }
}

/// Makes the texts of `block` bold.
fn strengthen(block: &mut Node<'_>) {
    for text in block.children.iter_mut().filter(|it| it.mark(MarkKind::Strong).is_none()) {
        text.marks.push(Mark::new(MarkKind::Strong));
    }
}

/// Returns a picture as a paragraph with the picture, or with its description if it has no address.
fn pictured<'a>(media: &Node<'a>) -> ThinVec<Node<'a>> {
    let Some(url) = media.text_of("url") else { return paragraph_of(text(media)) };
    let mut image = Node::new(Kind::Image).with("url", url.to_owned());
    image.attrs.extend(media.attrs.iter().filter(|it| it.name == "alt").cloned());
    image.marks = media.marks.iter().filter(|it| it.kind == MarkKind::Link).cloned().collect();
    thin_vec![Node::new(Kind::Paragraph).holding(thin_vec![image])]
}

/// Returns a list of tasks or decisions as a list whose items begin with a box.
fn bullets<'a>(list: &Node<'a>) -> ThinVec<Node<'a>> {
    let mut items: ThinVec<Node<'a>> = ThinVec::new();
    for child in &list.children {
        let is_done = matches!(child.text_of("state"), Some("DONE"));
        let sign = match (list.kind, is_done) {
            (Kind::DecisionList, _) => "\u{2192} ",
            (_, true) => "\u{2611} ",
            (_, false) => "\u{2610} ",
        };
        let blocks = match child.kind {
            Kind::TaskList => bullets(child),
            _ if child.children.iter().all(|it| it.kind.is_inline()) => {
                signed(sign, &[Node::new(Kind::Paragraph).holding(child.children.clone())])
            }
            _ => signed(sign, &child.children),
        };
        match items.last_mut() {
            Some(item) if child.kind == Kind::TaskList => item.children.extend(blocks),
            _ => items.push(Node::new(Kind::ListItem).holding(blocks)),
        }
    }
    thin_vec![Node::new(Kind::BulletList).holding(items)]
}

/// Returns `blocks` with `sign` before the text of the first, in a paragraph of its own if the first is no paragraph.
fn signed<'a>(sign: &str, blocks: &[Node<'a>]) -> ThinVec<Node<'a>> {
    let mut all = ThinVec::from(blocks);
    match all.first_mut() {
        Some(first) if first.kind == Kind::Paragraph => {
            first.children.insert(0, Node::of_text(sign.to_owned()));
        }
        _ => all.insert(0, paragraph_of(sign.trim_end().to_owned()).remove(0)),
    }
    all
}

/// Returns a row of a table: as one paragraph with bars between the cells if each cell has one paragraph or none, otherwise
/// as the blocks of its cells.
fn row<'a>(row: &Node<'a>) -> ThinVec<Node<'a>> {
    let is_line = |it: &Node<'_>| match &it.children[..] {
        [] => true,
        [only] => only.kind == Kind::Paragraph,
        _ => false,
    };
    if !row.children.iter().all(is_line) {
        return row.children.iter().flat_map(|it| it.children.iter().cloned()).collect();
    }
    let mut text = ThinVec::new();
    for (at, cell) in row.children.iter().enumerate() {
        text.extend((at > 0).then(|| Node::of_text(" | ")));
        text.extend(cell.children.iter().flat_map(|it| it.children.iter().cloned()));
    }
    if text.is_empty() { ThinVec::new() } else { thin_vec![Node::new(Kind::Paragraph).holding(text)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::of;

    /// Makes everything plainer until only paragraphs of text are left, and returns the number of rounds.
    fn rounds(nodes: &[Node<'_>]) -> usize {
        let is_text = |it: &Node<'_>| {
            it.kind == Kind::Paragraph
                && it.children.iter().all(|it| it.kind == Kind::Text && it.marks.is_empty())
        };
        let mut left: Vec<Node<'_>> = nodes.to_vec();
        for round in 0..200 {
            left = left.iter().flat_map(plainer).filter(|it| !is_text(it)).collect();
            if left.is_empty() {
                return round;
            }
        }
        panic!("{left:?}")
    }

    #[test]
    fn everything_becomes_text_in_the_end() {
        let markdown = "- a\n  - [ ] b\n\n:::panel{type=info}\n> - c\n>   1. d\n>      | e | f |\n>      | --- | --- |\n>      | :status[OK]{color=red} | g |\n:::\n\n:::expand{title=T}\n![i](https://x.example)\n\n```\nx\n\ny\n```\n:::";
        let (nodes, _) = of(crate::Format::EDITED).read(markdown);
        assert!(rounds(&nodes) < 20);
    }

    #[test]
    fn tasks_are_items_with_boxes() {
        let (nodes, _) = of(crate::Format::EDITED).read("- [x] a\n  - [ ] b\n- [ ] c");
        let shown = of(crate::Format::EDITED).document(&plainer(&nodes[0]));
        assert_eq!(shown.trim(), "- \u{2611} a\n  - \u{2610} b\n- \u{2610} c");
    }
}
