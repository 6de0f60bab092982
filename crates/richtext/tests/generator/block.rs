//! Generates random blocks of ADF, as JSON.

use super::kinds::kinds;
use super::{HAZARDS, Maker, Parent, hazard, json};

impl Maker {
    pub(super) fn holder(&mut self, name: &str, attrs: &str, place: Parent, depth: usize) -> String {
        let blocks = self.many(3, |it| it.block(place, depth + 1));
        self.node(name, attrs, Some(blocks), &[])
    }

    pub(super) fn block(&mut self, place: Parent, depth: usize) -> String {
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
                    it.holder("listItem", &attrs, Parent::Item, depth)
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
                self.holder(kind, &attrs, Parent::Quote, depth)
            }
            "codeBlock" => self.code(place),
            "panel" => self.panel(depth),
            "expand" | "nestedExpand" => {
                let title = self.word();
                let attrs = self.attrs(&[("title", title)], &local);
                let inside = if kind == "expand" { Parent::Expand } else { Parent::NestedExpand };
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
                let blocks = self.many(3, |it| it.block(Parent::Sync, depth + 1));
                let marks = self.breakout(place);
                self.node(kind, &attrs, Some(blocks), &marks)
            }
            "extension" | "bodiedExtension" => {
                let attrs = self.extension(true);
                let blocks = (kind == "bodiedExtension")
                    .then(|| self.many(3, |it| it.block(Parent::Bodied, depth + 1)));
                let marks = self.fragment();
                self.node(kind, &attrs, blocks, &marks)
            }
            _ => self.leaf("rule", &[], &[]),
        }
    }

    pub(super) fn id_of(&self) -> String {
        format!("\"ref-{:x}\"", self.state >> 20)
    }

    pub(super) fn text_block(&mut self, kind: &str, place: Parent) -> String {
        let (id, level) = (self.id(), self.one_of(&["1", "2", "3", "4", "5", "6"]));
        let level: &[_] = if kind == "heading" { &[("level", level)] } else { &[] };
        let attrs = self.attrs(level, &[("localId", id)]);
        let content = self.inlines(true);
        let is_wide = matches!(place, Parent::Document | Parent::Column | Parent::Sync);
        let (align, indent, small) = (
            self.one_of(&[r#""center""#, r#""end""#]),
            self.one_of(&["1", "3", "6"]),
            r#"{"type":"fontSize","attrs":{"fontSize":"small"}}"#.to_owned(),
        );
        let align = format!(r#"{{"type":"alignment","attrs":{{"align":{align}}}}}"#);
        let indent = format!(r#"{{"type":"indentation","attrs":{{"level":{indent}}}}}"#);
        let takes_small = kind == "paragraph" && !matches!(place, Parent::Quote);
        let marks = match self.below(8) {
            0 if is_wide || place == Parent::Cell => vec![align],
            1 if is_wide || (place == Parent::Cell && kind == "heading") => vec![indent],
            2 if takes_small => vec![small],
            3 if is_wide && kind == "paragraph" => vec![small, align],
            _ => Vec::new(),
        };
        self.node(kind, &attrs, content, &marks)
    }

    pub(super) fn task_list(&mut self, depth: usize) -> String {
        let items = (0..1 + self.below(3)).map(|index| {
            let state = self.one_of(&["\"TODO\"", "\"DONE\""]);
            let id = self.id();
            let attrs = self.attrs(&[("localId", id), ("state", state)], &[]);
            match self.below(6) {
                0 if depth < 3 && index > 0 => self.task_list(depth + 1),
                1 => self.holder("blockTaskItem", &attrs, Parent::BlockTask, depth),
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

    pub(super) fn code(&mut self, place: Parent) -> String {
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

    pub(super) fn plain(&mut self) -> String {
        let index = self.below(HAZARDS);
        hazard(index)
    }

    pub(super) fn breakout(&mut self, place: Parent) -> Vec<String> {
        if place != Parent::Document || self.coin() {
            return Vec::new();
        }
        let attrs = self.one_of(&[
            r#"{"mode":"wide"}"#,
            r#"{"mode":"full-width"}"#,
            r#"{"mode":"wide","width":760}"#,
        ]);
        vec![format!(r#"{{"type":"breakout","attrs":{attrs}}}"#)]
    }

    pub(super) fn fragment(&mut self) -> Vec<String> {
        match self.below(4) {
            0 => vec![r#"{"type":"fragment","attrs":{"localId":"f1","name":"n"}}"#.to_owned()],
            1 => vec![r#"{"type":"dataConsumer","attrs":{"sources":["f1","f2"]}}"#.to_owned()],
            _ => Vec::new(),
        }
    }

    pub(super) fn panel(&mut self, depth: usize) -> String {
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
        self.holder("panel", &attrs, Parent::Panel, depth)
    }

    pub(super) fn layout(&mut self, depth: usize) -> String {
        let columns = (0..2 + self.below(2)).map(|_| {
            let valign = json(&self.one_of(&["top", "middle", "bottom"]));
            let others = [("localId", self.id()), ("valign", valign)];
            let width = self.number();
            let attrs = self.attrs(&[("width", width)], &others);
            self.holder("layoutColumn", &attrs, Parent::Column, depth)
        });
        let columns = columns.collect();
        let marks = self.breakout(Parent::Document);
        let id = self.id();
        let attrs = self.attrs(&[], &[("localId", id)]);
        self.node("layoutSection", &attrs, Some(columns), &marks)
    }

    pub(super) fn table(&mut self, depth: usize) -> String {
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
                    let paragraph = self.text_block("paragraph", Parent::Quote);
                    return self.node(name, &attrs, Some(vec![paragraph]), &[]);
                }
                self.holder(name, &attrs, Parent::Cell, depth + 1)
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

    pub(super) fn layout_name(&mut self) -> String {
        let names = ["wide", "full-width", "center", "wrap-right", "wrap-left", "align-end", "align-start"];
        json(&self.one_of(&names))
    }
}
