//! Valid documents of ADF by the dozen: every node, attribute and mark of Atlassian's schema, with texts that hurt.
//!
//! In: a seed and how many blocks. Out: JSON that the schema allows, the same for the same seed. A test file says `mod generator;`.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]

use std::fmt::Write as _;

/// A valid document of about `size` blocks.
pub fn generate(seed: u64, size: usize) -> String {
    let mut maker = Maker { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 };
    let blocks: Vec<String> = (0..size).map(|_| maker.block(Place::Document, 0)).collect();
    format!(r#"{{"version":1,"type":"doc","content":[{}]}}"#, blocks.join(","))
}

/// Texts that a format without care takes for something else.
pub fn hazard(index: usize) -> String {
    let marks: Vec<char> = (' '..='~').filter(char::is_ascii_punctuation).collect();
    let mark = marks[index % marks.len()];
    match index / marks.len() % 8 {
        0 => format!("{mark}word"),
        1 => format!("word{mark}"),
        2 => format!("a {mark}b{mark} c"),
        3 => format!("{mark}"),
        4 => format!("{mark}{mark}{mark} x"),
        5 => FIXED[index % FIXED.len()].to_owned(),
        6 => format!("{mark} item"),
        _ => format!("x{mark}{mark}y"),
    }
}

/// How many different [`hazard`]s there are.
pub const HAZARDS: usize = 32 * 8;

const FIXED: [&str; 24] = [
    "a\u{a0}b",
    "\u{a0}",
    "one\ntwo",
    "a  double  space",
    " leading",
    "trailing ",
    "``two `` and ``` three",
    "`",
    "1. no list",
    "- no item",
    "# no heading",
    "h1. no heading",
    "{code}no code{code}",
    "{panel:title=x}",
    "[no](link)",
    "[no|http://link]",
    "!no.png!",
    "<b>&amp;nbsp;</b>",
    "]]>",
    ":smile: :) (/)",
    "http://example.org/a_b_c",
    "\u{1f600}e\u{301}\u{200d}\u{feff}",
    "C:\\dir\\",
    "| a | b |",
];

/// Where a block stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Document,
    Column,
    Quote,
    Panel,
    Expand,
    NestedExpand,
    Cell,
    Item,
    Bodied,
    Sync,
    BlockTask,
}

struct Maker {
    state: u64,
}

impl Maker {
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 11
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn one_of(&mut self, of: &[&str]) -> String {
        of[self.below(of.len())].to_owned()
    }

    fn word(&mut self) -> String {
        let index = self.below(HAZARDS * 3);
        json(&if index < HAZARDS {
            hazard(index)
        } else {
            self.one_of(&["word", "two words", "Über", "x_y_z"])
        })
    }

    fn id(&mut self) -> String {
        format!("\"id-{:x}\"", self.next())
    }

    fn number(&mut self) -> String {
        self.one_of(&["33.30", "50", "1e1", "66.67", "0.5"])
    }

    /// `attrs` of those that are asked for and some of the others.
    fn attrs(&mut self, needed: &[(&str, String)], others: &[(&str, String)]) -> String {
        let mut rows: Vec<_> = needed.iter().collect();
        rows.extend(others.iter().filter(|_| self.coin()));
        let rows: Vec<_> = rows.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        if rows.is_empty() { String::new() } else { format!(r#","attrs":{{{}}}"#, rows.join(",")) }
    }

    fn node(&mut self, name: &str, attrs: &str, content: Option<Vec<String>>, marks: &[String]) -> String {
        let mut out = format!(r#"{{"type":"{name}"{attrs}"#);
        if let Some(content) = content {
            write!(out, r#","content":[{}]"#, content.join(",")).expect("a string takes everything");
        }
        if !marks.is_empty() {
            write!(out, r#","marks":[{}]"#, marks.join(",")).expect("a string takes everything");
        }
        out + "}"
    }

    fn leaf(&mut self, name: &str, needed: &[(&str, String)], others: &[(&str, String)]) -> String {
        let id = self.id();
        let others = [others, &[("localId", id)]].concat();
        let attrs = self.attrs(needed, &others);
        self.node(name, &attrs, None, &[])
    }

    fn many(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> String) -> Vec<String> {
        let count = 1 + self.below(most);
        (0..count).map(|_| make(self)).collect()
    }

    fn holder(&mut self, name: &str, attrs: &str, place: Place, depth: usize) -> String {
        let blocks = self.many(3, |it| it.block(place, depth + 1));
        self.node(name, attrs, Some(blocks), &[])
    }

    fn block(&mut self, place: Place, depth: usize) -> String {
        let kinds = kinds(place);
        let kind = if depth > 5 { "paragraph" } else { kinds[self.below(kinds.len())] };
        let id = self.id();
        let local = [("localId", id.clone())];
        match kind {
            "paragraph" | "heading" => self.text_block(kind, place),
            "bulletList" | "orderedList" => {
                let order = self.one_of(&["0", "1", "7", "1234567890"]);
                let order = [("order", order)];
                let others =
                    if kind == "orderedList" { [&local[..], &order].concat() } else { local.to_vec() };
                let attrs = self.attrs(&[], &others);
                let items = self.many(3, |it| {
                    let attrs = it.attrs(&[], &local);
                    it.holder("listItem", &attrs, Place::Item, depth)
                });
                self.node(kind, &attrs, Some(items), &[])
            }
            "taskList" => self.task_list(depth),
            "decisionList" => {
                let items = self.many(3, |it| {
                    let state = it.one_of(&["\"DECIDED\"", "\"OPEN\""]);
                    let attrs = it.attrs(&[("localId", it.id_of()), ("state", state)], &[]);
                    let content = it.inlines(true);
                    it.node("decisionItem", &attrs, content, &[])
                });
                let attrs = self.attrs(&local, &[]);
                self.node(kind, &attrs, Some(items), &[])
            }
            "blockquote" => {
                let attrs = self.attrs(&[], &local);
                self.holder(kind, &attrs, Place::Quote, depth)
            }
            "codeBlock" => self.code(place),
            "panel" => self.panel(depth),
            "expand" | "nestedExpand" => {
                let title = self.word();
                let attrs = self.attrs(&[("title", title)], &local);
                let inside = if kind == "expand" { Place::Expand } else { Place::NestedExpand };
                let blocks = self.many(3, |it| it.block(inside, depth + 1));
                let marks = self.breakout(place);
                let marks = if kind == "expand" { marks } else { Vec::new() };
                self.node(kind, &attrs, Some(blocks), &marks)
            }
            "layoutSection" => self.layout(depth),
            "table" => self.table(depth),
            "mediaSingle" => self.media_single(),
            "mediaGroup" => {
                let media = self.many(3, Self::media);
                self.node(kind, "", Some(media), &[])
            }
            "blockCard" => self.block_card(),
            "embedCard" => {
                let layout = self.layout_name();
                let others = [
                    ("width", self.number()),
                    ("originalHeight", "10".into()),
                    ("originalWidth", "20.5".into()),
                ];
                let url = self.url();
                self.leaf(kind, &[("url", url), ("layout", layout)], &others)
            }
            "syncBlock" => {
                let marks = self.breakout(place);
                let attrs = self.attrs(&[("resourceId", self.id_of()), ("localId", id)], &[]);
                self.node(kind, &attrs, None, &marks)
            }
            "bodiedSyncBlock" => {
                let attrs = self.attrs(&[("resourceId", self.id_of()), ("localId", id)], &[]);
                let blocks = self.many(3, |it| it.block(Place::Sync, depth + 1));
                let marks = self.breakout(place);
                self.node(kind, &attrs, Some(blocks), &marks)
            }
            "extension" | "bodiedExtension" => {
                let attrs = self.extension(true);
                let blocks = (kind == "bodiedExtension")
                    .then(|| self.many(3, |it| it.block(Place::Bodied, depth + 1)));
                let marks = self.fragment();
                self.node(kind, &attrs, blocks, &marks)
            }
            _ => self.leaf("rule", &[], &[]),
        }
    }

    fn id_of(&self) -> String {
        format!("\"ref-{:x}\"", self.state >> 20)
    }

    fn text_block(&mut self, kind: &str, place: Place) -> String {
        let (id, level) = (self.id(), self.one_of(&["1", "2", "3", "4", "5", "6"]));
        let level: &[_] = if kind == "heading" { &[("level", level)] } else { &[] };
        let attrs = self.attrs(level, &[("localId", id)]);
        let content = self.inlines(true);
        let is_wide = matches!(place, Place::Document | Place::Column | Place::Sync);
        let (align, indent, small) = (
            self.one_of(&[r#""center""#, r#""end""#]),
            self.one_of(&["1", "3", "6"]),
            r#"{"type":"fontSize","attrs":{"fontSize":"small"}}"#.to_owned(),
        );
        let align = format!(r#"{{"type":"alignment","attrs":{{"align":{align}}}}}"#);
        let indent = format!(r#"{{"type":"indentation","attrs":{{"level":{indent}}}}}"#);
        let takes_small = kind == "paragraph" && !matches!(place, Place::Quote);
        let marks = match self.below(8) {
            0 if is_wide || place == Place::Cell => vec![align],
            1 if is_wide || (place == Place::Cell && kind == "heading") => vec![indent],
            2 if takes_small => vec![small],
            3 if is_wide && kind == "paragraph" => vec![small, align],
            _ => Vec::new(),
        };
        self.node(kind, &attrs, content, &marks)
    }

    fn task_list(&mut self, depth: usize) -> String {
        let items = (0..1 + self.below(3)).map(|index| {
            let state = self.one_of(&["\"TODO\"", "\"DONE\""]);
            let id = self.id();
            let attrs = self.attrs(&[("localId", id), ("state", state)], &[]);
            match self.below(6) {
                0 if depth < 3 && index > 0 => self.task_list(depth + 1),
                1 => self.holder("blockTaskItem", &attrs, Place::BlockTask, depth),
                _ => {
                    let content = self.inlines(true);
                    self.node("taskItem", &attrs, content, &[])
                }
            }
        });
        let items = items.collect();
        let id = self.id();
        let attrs = self.attrs(&[("localId", id)], &[]);
        self.node("taskList", &attrs, Some(items), &[])
    }

    fn code(&mut self, place: Place) -> String {
        let others = [
            ("language", self.one_of(&["\"rust\"", "\"c++\"", "\"\"", "\"plain text\""])),
            ("uniqueId", self.id()),
            ("localId", self.id()),
            ("wrap", "true".into()),
            ("hideLineNumbers", "false".into()),
        ];
        let attrs = self.attrs(&[], &others);
        let texts = self.many(2, |it| {
            let lines = [it.plain(), it.plain(), it.one_of(&["", "\n", "```", "~~~~", "{code}", "]]>"])];
            format!(r#"{{"type":"text","text":{}}}"#, json(&format!("x{}", lines.join("\n"))))
        });
        let marks = self.breakout(place);
        let content = (self.below(8) > 0).then_some(texts);
        self.node("codeBlock", &attrs, content, &marks)
    }

    fn plain(&mut self) -> String {
        let index = self.below(HAZARDS);
        hazard(index)
    }

    fn breakout(&mut self, place: Place) -> Vec<String> {
        if place != Place::Document || self.coin() {
            return Vec::new();
        }
        let attrs = self.one_of(&[
            r#"{"mode":"wide"}"#,
            r#"{"mode":"full-width"}"#,
            r#"{"mode":"wide","width":760}"#,
        ]);
        vec![format!(r#"{{"type":"breakout","attrs":{attrs}}}"#)]
    }

    fn fragment(&mut self) -> Vec<String> {
        match self.below(4) {
            0 => vec![r#"{"type":"fragment","attrs":{"localId":"f1","name":"n"}}"#.to_owned()],
            1 => vec![r#"{"type":"dataConsumer","attrs":{"sources":["f1","f2"]}}"#.to_owned()],
            _ => Vec::new(),
        }
    }

    fn panel(&mut self, depth: usize) -> String {
        let kinds = ["info", "note", "tip", "warning", "error", "success", "custom"];
        let kind = json(&self.one_of(&kinds));
        let others = [
            ("panelIcon", "\":smile:\"".to_owned()),
            ("panelIconId", "\"1f604\"".to_owned()),
            ("panelIconText", "\"😄\"".to_owned()),
            ("panelColor", "\"#ffbdad\"".to_owned()),
            ("localId", self.id()),
        ];
        let attrs = self.attrs(&[("panelType", kind)], &others);
        self.holder("panel", &attrs, Place::Panel, depth)
    }

    fn layout(&mut self, depth: usize) -> String {
        let columns = (0..2 + self.below(2)).map(|_| {
            let valign = json(&self.one_of(&["top", "middle", "bottom"]));
            let others = [("localId", self.id()), ("valign", valign)];
            let width = self.number();
            let attrs = self.attrs(&[("width", width)], &others);
            self.holder("layoutColumn", &attrs, Place::Column, depth)
        });
        let columns = columns.collect();
        let marks = self.breakout(Place::Document);
        let id = self.id();
        let attrs = self.attrs(&[], &[("localId", id)]);
        self.node("layoutSection", &attrs, Some(columns), &marks)
    }

    fn table(&mut self, depth: usize) -> String {
        let width = 1 + self.below(3);
        let rows = (0..1 + self.below(3)).map(|row| {
            let cells = (0..width).map(|_| {
                let name = if row == 0 && self.coin() { "tableHeader" } else { "tableCell" };
                let valign = json(&self.one_of(&["top", "middle", "bottom"]));
                let others = [
                    ("colspan", "1".to_owned()),
                    ("rowspan", self.one_of(&["1", "2"])),
                    ("colwidth", "[ 100, 33.30 ]".to_owned()),
                    ("background", "\"#deebff\"".to_owned()),
                    ("localId", self.id()),
                    ("valign", valign),
                ];
                let attrs = if self.coin() { String::new() } else { self.attrs(&[], &others) };
                if self.coin() {
                    let paragraph = self.text_block("paragraph", Place::Quote);
                    return self.node(name, &attrs, Some(vec![paragraph]), &[]);
                }
                self.holder(name, &attrs, Place::Cell, depth + 1)
            });
            let cells = cells.collect();
            let id = self.id();
            let attrs = self.attrs(&[], &[("localId", id)]);
            self.node("tableRow", &attrs, Some(cells), &[])
        });
        let rows = rows.collect();
        let layout =
            json(&self.one_of(&["wide", "full-width", "center", "align-end", "align-start", "default"]));
        let mode = json(&self.one_of(&["default", "fixed"]));
        let others = [
            ("displayMode", mode),
            ("isNumberColumnEnabled", "true".to_owned()),
            ("layout", layout),
            ("localId", self.id()),
            ("width", "760.0".to_owned()),
        ];
        let attrs = self.attrs(&[], &others);
        let marks = if self.below(4) == 0 {
            vec![r#"{"type":"fragment","attrs":{"localId":"t"}}"#.to_owned()]
        } else {
            Vec::new()
        };
        self.node("table", &attrs, Some(rows), &marks)
    }

    fn layout_name(&mut self) -> String {
        let names = ["wide", "full-width", "center", "wrap-right", "wrap-left", "align-end", "align-start"];
        json(&self.one_of(&names))
    }

    fn media_single(&mut self) -> String {
        let layout = self.layout_name();
        let size: &[_] = if self.coin() {
            &[("width", "33.30".into()), ("widthType", "\"percentage\"".into())]
        } else {
            &[("width", "760".into()), ("widthType", "\"pixel\"".into())]
        };
        let id = self.id();
        let needed =
            if self.coin() { [&[("layout", layout)], size].concat() } else { vec![("layout", layout)] };
        let attrs = if self.below(8) == 0 { String::new() } else { self.attrs(&needed, &[("localId", id)]) };
        let mut content = vec![self.media()];
        if self.coin() {
            let id = self.id();
            let attrs = self.attrs(&[], &[("localId", id)]);
            let inlines = self.inlines(false);
            content.push(self.node("caption", &attrs, inlines, &[]));
        }
        let marks = if self.below(5) == 0 { vec![self.link()] } else { Vec::new() };
        self.node("mediaSingle", &attrs, Some(content), &marks)
    }

    fn media(&mut self) -> String {
        let alt = self.word();
        let sizes =
            [("alt", alt), ("height", "10.5".to_owned()), ("width", "20".to_owned()), ("localId", self.id())];
        let attrs = if self.coin() {
            let url = self.url();
            self.attrs(&[("type", "\"external\"".into()), ("url", url)], &sizes)
        } else {
            let kind = json(&self.one_of(&["file", "link"]));
            let (id, key) = (self.id(), self.id());
            let others = [&sizes[..], &[("occurrenceKey", key)]].concat();
            self.attrs(&[("type", kind), ("id", id), ("collection", "\"\"".into())], &others)
        };
        let marks = self.media_marks();
        self.node("media", &attrs, None, &marks)
    }

    fn media_marks(&mut self) -> Vec<String> {
        match self.below(6) {
            0 => vec![r##"{"type":"border","attrs":{"size":2,"color":"#091e4224"}}"##.to_owned()],
            1 => vec![self.link(), annotation()],
            2 => vec![r#"{"type":"dataConsumer","attrs":{"sources":["m"]}}"#.to_owned()],
            _ => Vec::new(),
        }
    }

    fn url(&mut self) -> String {
        let urls = [
            "https://example.org/a_b?c=d&e=(f)#g",
            "attachment:a b.png",
            "https://example.org/%20|x]",
            "#top",
        ];
        json(&self.one_of(&urls))
    }

    fn block_card(&mut self) -> String {
        let url = self.url();
        match self.below(3) {
            0 => self.leaf("blockCard", &[("url", url)], &[]),
            1 => self.leaf("blockCard", &[("data", r#"{"@type": "x", "n": 1.50}"#.into())], &[]),
            _ => {
                let views = r#"{"id":"d","parameters":{"jql":"a = \"b\""},"views":[{"type":"table","properties":{}}]}"#;
                let layout = self.layout_name();
                let others = [("url", url), ("width", "5".to_owned()), ("layout", layout)];
                self.leaf("blockCard", &[("datasource", views.into())], &others)
            }
        }
    }

    fn extension(&mut self, is_block: bool) -> String {
        let kind = json(&self.one_of(&["com.atlassian.confluence.macro.core", "com.example.app"]));
        let key = json(&self.one_of(&["toc", "excerpt", "my-macro", "x:y"]));
        let parameters = self.one_of(&[
            r#"{"macroParams":{"maxLevel":{"value":"3"}},"macroMetadata":{"schemaVersion":{"value":"1"}}}"#,
            r#"{ "b": 1.0, "a": [33.30, null, true] }"#,
            "\"text\"",
            "null",
        ]);
        let text = self.word();
        let layout = json(&self.one_of(&["wide", "full-width", "default"]));
        let mut others = vec![("parameters", parameters), ("text", text), ("localId", self.id())];
        if is_block {
            others.push(("layout", layout));
        }
        self.attrs(&[("extensionKey", key), ("extensionType", kind)], &others)
    }

    /// Inline nodes; `is_full`: also those a caption does not take.
    fn inlines(&mut self, is_full: bool) -> Option<Vec<String>> {
        match self.below(20) {
            0 => None,
            1 => Some(Vec::new()),
            _ => Some(self.many(5, |it| it.inline(is_full))),
        }
    }

    fn inline(&mut self, is_full: bool) -> String {
        let text = self.word();
        match self.below(if is_full { 18 } else { 16 }) {
            0 => {
                let others = [("text", "\"\\n\"".to_owned())];
                self.leaf("hardBreak", &[], &others)
            }
            1 => {
                let kind = json(&self.one_of(&["DEFAULT", "SPECIAL", "APP"]));
                let others = [("text", text), ("accessLevel", "\"SITE\"".to_owned()), ("userType", kind)];
                let id = self.id();
                self.leaf("mention", &[("id", id)], &others)
            }
            2 => {
                let others = [("id", "\"1f604\"".to_owned()), ("text", "\"😄\"".to_owned())];
                let name = json(&self.one_of(&[":smile:", ":custom_x:", ""]));
                self.leaf("emoji", &[("shortName", name)], &others)
            }
            3 => {
                let time = json(&self.one_of(&["1577923200000", "1577923200001", "-1", "x"]));
                self.leaf("date", &[("timestamp", time)], &[])
            }
            4 => {
                let colors = ["neutral", "purple", "blue", "red", "yellow", "green", "#0052cc"];
                let color = json(&self.one_of(&colors));
                let others = [("style", "\"mixedCase\"".to_owned())];
                self.leaf("status", &[("text", text), ("color", color)], &others)
            }
            5 => self.leaf("placeholder", &[("text", text)], &[]),
            6 => {
                let url = self.url();
                let is_url = self.coin();
                let said =
                    if is_url { ("url", url) } else { ("data", r#"{"url": "x", "n": 1e3}"#.to_owned()) };
                self.leaf("inlineCard", &[said], &[])
            }
            7..=15 => self.text(&text),
            16 => {
                let attrs = self.extension(false);
                let marks = self.fragment();
                self.node("inlineExtension", &attrs, None, &marks)
            }
            _ => {
                let kind = json(&self.one_of(&["link", "file", "image"]));
                let id = self.id();
                let others = [
                    ("type", kind),
                    ("alt", text),
                    ("occurrenceKey", "\"k\"".to_owned()),
                    ("width", "1".to_owned()),
                    ("height", "2".to_owned()),
                    ("data", "{}".to_owned()),
                    ("localId", self.id()),
                ];
                let attrs = self.attrs(&[("id", id), ("collection", "\"c\"".into())], &others);
                let marks = self.media_marks();
                self.node("mediaInline", &attrs, None, &marks)
            }
        }
    }

    fn link(&mut self) -> String {
        let url = self.url();
        let others = [
            ("title", self.word()),
            ("id", self.id()),
            ("collection", "\"c\"".to_owned()),
            ("occurrenceKey", "\"k\"".to_owned()),
        ];
        let attrs = if self.coin() {
            self.attrs(&[("href", url)], &[])
        } else {
            self.attrs(&[("href", url)], &others)
        };
        format!(r#"{{"type":"link"{attrs}}}"#)
    }

    fn text(&mut self, text: &str) -> String {
        let mut marks = Vec::new();
        if self.below(4) == 0 {
            marks.push(self.link());
        }
        if self.below(8) == 0 {
            marks.push(annotation());
        }
        if self.below(6) == 0 {
            marks.push(r#"{"type":"code"}"#.to_owned());
        } else {
            let others = [
                r#"{"type":"em"}"#,
                r#"{"type":"strong"}"#,
                r#"{"type":"strike"}"#,
                r#"{"type":"underline"}"#,
                r#"{"type":"subsup","attrs":{"type":"sub"}}"#,
                r#"{"type":"subsup","attrs":{"type":"sup"}}"#,
                r##"{"type":"textColor","attrs":{"color":"#FF5630"}}"##,
                r##"{"type":"backgroundColor","attrs":{"color":"#fedec8"}}"##,
            ];
            marks.extend(others.iter().filter(|_| self.below(7) == 0).map(|it| (*it).to_owned()));
        }
        let marks =
            if marks.is_empty() { String::new() } else { format!(r#","marks":[{}]"#, marks.join(",")) };
        format!(r#"{{"type":"text","text":{text}{marks}}}"#)
    }
}

fn annotation() -> String {
    r#"{"type":"annotation","attrs":{"id":"c-1","annotationType":"inlineComment"}}"#.to_owned()
}

/// What may stand there, more often what often does.
fn kinds(place: Place) -> &'static [&'static str] {
    match place {
        Place::Document => &[
            "paragraph",
            "paragraph",
            "heading",
            "bulletList",
            "orderedList",
            "taskList",
            "decisionList",
            "blockquote",
            "codeBlock",
            "panel",
            "expand",
            "layoutSection",
            "table",
            "mediaSingle",
            "mediaGroup",
            "blockCard",
            "embedCard",
            "syncBlock",
            "bodiedSyncBlock",
            "extension",
            "bodiedExtension",
            "rule",
        ],
        Place::Column => &[
            "paragraph",
            "paragraph",
            "heading",
            "bulletList",
            "orderedList",
            "taskList",
            "decisionList",
            "blockquote",
            "codeBlock",
            "panel",
            "expand",
            "table",
            "mediaSingle",
            "mediaGroup",
            "blockCard",
            "embedCard",
            "extension",
            "bodiedExtension",
            "rule",
        ],
        Place::Quote => &[
            "paragraph",
            "paragraph",
            "bulletList",
            "orderedList",
            "codeBlock",
            "mediaSingle",
            "mediaGroup",
            "extension",
        ],
        Place::Panel => &[
            "paragraph",
            "paragraph",
            "heading",
            "bulletList",
            "orderedList",
            "blockCard",
            "mediaGroup",
            "mediaSingle",
            "codeBlock",
            "taskList",
            "rule",
            "decisionList",
            "extension",
        ],
        Place::Expand => &[
            "paragraph",
            "paragraph",
            "panel",
            "blockquote",
            "orderedList",
            "bulletList",
            "rule",
            "heading",
            "codeBlock",
            "mediaGroup",
            "mediaSingle",
            "decisionList",
            "taskList",
            "table",
            "blockCard",
            "embedCard",
            "extension",
            "nestedExpand",
        ],
        Place::Bodied => &[
            "paragraph",
            "paragraph",
            "panel",
            "blockquote",
            "orderedList",
            "bulletList",
            "rule",
            "heading",
            "codeBlock",
            "mediaGroup",
            "mediaSingle",
            "decisionList",
            "taskList",
            "table",
            "blockCard",
            "embedCard",
            "extension",
        ],
        Place::NestedExpand => &[
            "paragraph",
            "paragraph",
            "heading",
            "mediaSingle",
            "mediaGroup",
            "codeBlock",
            "bulletList",
            "orderedList",
            "taskList",
            "decisionList",
            "rule",
            "panel",
            "blockquote",
            "extension",
        ],
        Place::Cell => &[
            "paragraph",
            "paragraph",
            "paragraph",
            "panel",
            "blockquote",
            "orderedList",
            "bulletList",
            "rule",
            "heading",
            "codeBlock",
            "mediaSingle",
            "mediaGroup",
            "decisionList",
            "taskList",
            "blockCard",
            "embedCard",
            "extension",
            "nestedExpand",
        ],
        Place::Item => &[
            "paragraph",
            "paragraph",
            "paragraph",
            "bulletList",
            "orderedList",
            "taskList",
            "mediaSingle",
            "codeBlock",
            "extension",
        ],
        Place::Sync => &[
            "paragraph",
            "blockCard",
            "blockquote",
            "bulletList",
            "codeBlock",
            "decisionList",
            "embedCard",
            "expand",
            "heading",
            "layoutSection",
            "mediaGroup",
            "mediaSingle",
            "orderedList",
            "panel",
            "rule",
            "table",
            "taskList",
        ],
        Place::BlockTask => &["paragraph", "paragraph", "extension"],
    }
}

/// `text` as a string of JSON.
pub fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a string can always be written")
}
