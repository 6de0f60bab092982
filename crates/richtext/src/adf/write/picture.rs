//! Turns pictures within text into blocks or links. In ADF, a picture with an address instead of a media id
//! is always a block.

use thin_vec::{ThinVec, thin_vec};

use crate::tree::{Attr, Kind, MarkKind, Node, Value};

/// Returns `paragraph` split at its pictures: paragraphs of the text between them, and each picture as a
/// block.
pub(super) fn lifted<'a>(paragraph: &Node<'a>) -> ThinVec<Node<'a>> {
    let mut blocks = ThinVec::new();
    let mut run = ThinVec::new();
    for node in &paragraph.children {
        if node.kind == Kind::Image && node.get("url").is_some() {
            blocks.extend(text_around(paragraph, std::mem::take(&mut run)));
            blocks.push(single(node));
        } else {
            run.push(node.clone());
        }
    }
    blocks.extend(text_around(paragraph, run));
    blocks
}

/// Returns a paragraph of `run`, nodes of `paragraph` before, between or after its pictures; `None` if they
/// show only white space.
fn text_around<'a>(paragraph: &Node<'a>, run: ThinVec<Node<'a>>) -> Option<Node<'a>> {
    let is_blank =
        |it: &Node<'_>| it.kind == Kind::HardBreak || (it.kind == Kind::Text && it.text.trim().is_empty());
    if run.iter().all(is_blank) {
        return None;
    }
    let mut around = Node::new(Kind::Paragraph).holding(run);
    around.attrs.clone_from(&paragraph.attrs);
    around.marks.clone_from(&paragraph.marks);
    Some(around)
}

/// Returns a picture within text as a block: a `mediaSingle`.
fn single<'a>(image: &Node<'a>) -> Node<'a> {
    let mut media = Node::new(Kind::Media).with("type", "external");
    for name in ["url", "alt", "width", "height"] {
        let said = image.get(name).cloned();
        let value = match said {
            Some(value) if matches!(name, "width" | "height") => number(&value),
            other => other,
        };
        media.attrs.extend(value.map(|value| Attr { name: name.into(), value }));
    }
    media.marks = image.marks.iter().filter(|it| it.kind == MarkKind::Link).cloned().collect();
    Node::new(Kind::MediaSingle).with("layout", "center").holding(thin_vec![media])
}

/// Returns a width or height as a JSON number of pixels; `None` if it has another unit.
fn number<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let text = value.shown();
    let text = text.strip_suffix("px").unwrap_or(text).trim();
    let is_number = super::scan::is_json(text) && text.parse::<f64>().is_ok();
    is_number.then(|| Value::Json(text.to_owned().into()))
}
