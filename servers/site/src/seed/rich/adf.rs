//! Documents in the form of Cloud: the Atlassian Document Format.
//!
//! In: blocks. Out: JSON. Nodes that the editor names have ids; a file has the same id wherever its issue shows it.

use serde_json::{Value, json};

use super::{Block, Cell, Item, Names, Span, Table};
use crate::identity::hash;
use crate::seed::random::Random;
use crate::time;

/// Returns a document as Cloud stores it.
/// `issue` is the id of its issue.
pub(in crate::seed) fn write(doc: &[Block], issue: i64, names: &dyn Names, random: &mut Random) -> String {
    let mut writer = Adf { issue, names, random };
    json!({ "type": "doc", "version": 1, "content": writer.blocks(doc) }).to_string()
}

struct Adf<'a> {
    issue: i64,
    names: &'a dyn Names,
    random: &'a mut Random,
}

impl Adf<'_> {
    fn blocks(&mut self, blocks: &[Block]) -> Vec<Value> {
        blocks.iter().map(|it| self.block(it)).collect()
    }

    fn block(&mut self, block: &Block) -> Value {
        match block {
            Block::Para(line) => self.para(line),
            Block::Head(level, text) => {
                json!({ "type": "heading", "attrs": { "level": level }, "content": [text_node(text, &[])] })
            }
            Block::Bullets(items) => json!({ "type": "bulletList", "content": self.items(items) }),
            Block::Numbers(items) => {
                json!({ "type": "orderedList", "attrs": { "order": 1 }, "content": self.items(items) })
            }
            Block::Tasks(tasks) => {
                let tasks: Vec<_> = tasks
                    .iter()
                    .map(|(is_done, line)| {
                        let state = if *is_done { "DONE" } else { "TODO" };
                        let attrs = json!({ "localId": self.random.uuid(), "state": state });
                        json!({ "type": "taskItem", "attrs": attrs, "content": self.line(line) })
                    })
                    .collect();
                json!({ "type": "taskList", "attrs": { "localId": self.random.uuid() }, "content": tasks })
            }
            Block::Decisions(lines) => {
                let decisions: Vec<_> = lines
                    .iter()
                    .map(|line| {
                        let attrs = json!({ "localId": self.random.uuid(), "state": "DECIDED" });
                        json!({ "type": "decisionItem", "attrs": attrs, "content": self.line(line) })
                    })
                    .collect();
                json!({ "type": "decisionList", "attrs": { "localId": self.random.uuid() }, "content": decisions })
            }
            Block::Code("", text) => json!({ "type": "codeBlock", "content": [text_node(text, &[])] }),
            Block::Code(language, text) => {
                json!({ "type": "codeBlock", "attrs": { "language": language }, "content": [text_node(text, &[])] })
            }
            Block::Panel(kind, blocks) => {
                let attrs = json!({ "panelType": kind, "localId": self.random.local_id() });
                json!({ "type": "panel", "attrs": attrs, "content": self.blocks(blocks) })
            }
            Block::Quote(blocks) => json!({ "type": "blockquote", "content": self.blocks(blocks) }),
            Block::Expand(title, blocks) => {
                json!({ "type": "expand", "attrs": { "title": title }, "content": self.blocks(blocks) })
            }
            Block::Rule => json!({ "type": "rule" }),
            Block::Table(table) => self.table(table),
            Block::Picture(name, width, height) => {
                let attrs = json!({
                    "type": "file", "id": self.file(name), "collection": "", "alt": name,
                    "width": width, "height": height,
                });
                let media = json!({ "type": "media", "attrs": attrs });
                let attrs = json!({ "layout": "align-start", "width": width, "widthType": "pixel" });
                json!({ "type": "mediaSingle", "attrs": attrs, "content": [media] })
            }
            Block::Files(names) => {
                let media: Vec<_> = names
                    .iter()
                    .map(|name| {
                        let id = self.file(name);
                        let attrs = json!({ "type": "file", "id": id, "collection": "", "alt": name });
                        json!({ "type": "media", "attrs": attrs })
                    })
                    .collect();
                json!({ "type": "mediaGroup", "content": media })
            }
        }
    }

    /// Returns the id of a file in the store of media.
    fn file(&self, name: &str) -> String {
        let hash = hash(&format!("{}/{name}", self.issue));
        format!("{}-{}-4{}-a{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
    }

    /// Writes a paragraph. Those that were edited of late have an id.
    fn para(&mut self, line: &[Span]) -> Value {
        let content = self.line(line);
        if self.random.percent(25) {
            json!({ "type": "paragraph", "attrs": { "localId": self.random.local_id() }, "content": content })
        } else {
            json!({ "type": "paragraph", "content": content })
        }
    }

    fn items(&mut self, items: &[Item]) -> Vec<Value> {
        items
            .iter()
            .map(|Item(line, below)| {
                let mut content = vec![self.para(line)];
                if !below.is_empty() {
                    let below: Vec<_> = below
                        .iter()
                        .map(|line| json!({ "type": "listItem", "content": [self.para(line)] }))
                        .collect();
                    content.push(json!({ "type": "bulletList", "content": below }));
                }
                json!({ "type": "listItem", "content": content })
            })
            .collect()
    }

    fn table(&mut self, table: &Table) -> Value {
        let rows: Vec<_> = table
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| {
                let cells: Vec<_> = row
                    .iter()
                    .enumerate()
                    .map(|(column, cell)| {
                        let is_head = at == 0 || (table.heads_rows && column == 0);
                        self.cell(cell, if is_head { "tableHeader" } else { "tableCell" })
                    })
                    .collect();
                json!({ "type": "tableRow", "content": cells })
            })
            .collect();
        let attrs =
            json!({ "isNumberColumnEnabled": false, "layout": "default", "localId": self.random.uuid() });
        json!({ "type": "table", "attrs": attrs, "content": rows })
    }

    fn cell(&mut self, cell: &Cell, kind: &str) -> Value {
        let mut attrs = serde_json::Map::new();
        if cell.span != (1, 1) {
            attrs.insert("colspan".into(), cell.span.0.into());
            attrs.insert("rowspan".into(), cell.span.1.into());
        }
        if let Some(background) = cell.background {
            attrs.insert("background".into(), background.into());
        }
        let content = [json!({ "type": "paragraph", "content": self.line(&cell.line) })];
        json!({ "type": kind, "attrs": attrs, "content": content })
    }

    fn line(&mut self, line: &[Span]) -> Vec<Value> {
        line.iter().map(|it| self.span(it)).collect()
    }

    fn span(&mut self, span: &Span) -> Value {
        match span {
            Span::Text(text) => text_node(text, &[]),
            Span::Strong(text) => text_node(text, &[json!({ "type": "strong" })]),
            Span::Em(text) => text_node(text, &[json!({ "type": "em" })]),
            Span::Strike(text) => text_node(text, &[json!({ "type": "strike" })]),
            Span::Under(text) => text_node(text, &[json!({ "type": "underline" })]),
            Span::Code(text) => text_node(text, &[json!({ "type": "code" })]),
            Span::Color(color, text) => {
                text_node(text, &[json!({ "type": "textColor", "attrs": { "color": color } })])
            }
            Span::Link(text, url) => text_node(text, &[json!({ "type": "link", "attrs": { "href": url } })]),
            Span::Card(url) => json!({ "type": "inlineCard", "attrs": { "url": url } }),
            Span::Issue(plan) => match self.names.key(*plan) {
                Some(key) => {
                    json!({ "type": "inlineCard", "attrs": { "url": format!("{BROWSE}{key}") } })
                }
                None => text_node("that issue", &[]),
            },
            Span::Mention(id) => match self.names.person(*id) {
                Some(person) => {
                    let text = format!("@{}", person.display_name);
                    let attrs =
                        json!({ "id": person.account_id, "localId": self.random.uuid(), "text": text });
                    json!({ "type": "mention", "attrs": attrs })
                }
                None => text_node("the team", &[]),
            },
            Span::Emoji(emoji) => {
                let (name, id, text, _) = emoji.parts();
                json!({ "type": "emoji", "attrs": { "shortName": name, "id": id, "text": text } })
            }
            Span::Status(text, color) => {
                let attrs =
                    json!({ "text": text, "color": color, "localId": self.random.uuid(), "style": "" });
                json!({ "type": "status", "attrs": attrs })
            }
            Span::Day(at) => {
                let midnight = time::start_of(time::day(*at)).to_string();
                json!({ "type": "date", "attrs": { "timestamp": midnight } })
            }
            Span::Break => json!({ "type": "hardBreak" }),
            Span::File(name) => {
                let attrs = json!({ "type": "file", "id": self.file(name), "collection": "" });
                json!({ "type": "mediaInline", "attrs": attrs })
            }
        }
    }
}

fn text_node(text: &str, marks: &[Value]) -> Value {
    if marks.is_empty() {
        json!({ "type": "text", "text": text })
    } else {
        json!({ "type": "text", "text": text, "marks": marks })
    }
}

/// Where issues are on the company's site.
const BROWSE: &str = "https://jira.plainwire.example/browse/";
