//! Generates random pictures, cards and extensions of ADF, as JSON.

use super::inline::annotation;
use super::{Maker, json};

impl Maker {
    pub(super) fn media_single(&mut self) -> String {
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

    pub(super) fn media(&mut self) -> String {
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

    pub(super) fn media_marks(&mut self) -> Vec<String> {
        match self.below(6) {
            0 => vec![r##"{"type":"border","attrs":{"size":2,"color":"#091e4224"}}"##.to_owned()],
            1 => vec![self.link(), annotation()],
            2 => vec![r#"{"type":"dataConsumer","attrs":{"sources":["m"]}}"#.to_owned()],
            _ => Vec::new(),
        }
    }

    pub(super) fn url(&mut self) -> String {
        let urls = [
            "https://example.org/a_b?c=d&e=(f)#g",
            "attachment:a b.png",
            "https://example.org/%20|x]",
            "#top",
        ];
        json(&self.one_of(&urls))
    }

    pub(super) fn block_card(&mut self) -> String {
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

    pub(super) fn extension(&mut self, is_block: bool) -> String {
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
}
