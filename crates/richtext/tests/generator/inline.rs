//! Generates random texts and other inline nodes of ADF, as JSON.

use super::{Maker, json};

impl Maker {
    /// Returns the random content of a node that contains inline nodes; `None` if the node gets no member
    /// `content`. If `is_full`, the content may have kinds that a caption does not allow.
    pub(super) fn inlines(&mut self, is_full: bool) -> Option<Vec<String>> {
        match self.below(20) {
            0 => None,
            1 => Some(Vec::new()),
            _ => Some(self.many(5, |it| it.inline(is_full))),
        }
    }

    pub(super) fn inline(&mut self, is_full: bool) -> String {
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

    pub(super) fn link(&mut self) -> String {
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

    pub(super) fn text(&mut self, text: &str) -> String {
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

pub(super) fn annotation() -> String {
    r#"{"type":"annotation","attrs":{"id":"c-1","annotationType":"inlineComment"}}"#.to_owned()
}
