//! Results and lists as readable text for snapshots, the same in every run.
//!
//! In: the values that methods of the client return. Out: text without media bytes, with JSON in one layout.
//! The members of `_meta` that the protocol defines are left out, because they depend on the revision and on
//! the version of the server.

use plainwire_proto::model::{
    Annotations, CallToolResult, Content, GetPromptResult, Prompt, PromptMessage, RawJson,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Tool,
};
use serde_json::Value;

/// Returns `it` as text, which a test compares with a snapshot (`insta::assert_snapshot!`) or with a literal.
///
/// Each part begins with a line that names its kind, and its content is indented below that line. Members of
/// JSON are sorted by name. Images and audio are shown as type and size.
///
/// ```
/// use plainwire::prelude::*;
/// use plainwire::testing;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> plainwire::Result<()> {
/// let server = Server::new("demo").tool(Tool::new("hello", || async { "Hello!\nHow are you?" }));
/// let client = testing::client(server).await?;
/// let result = client.call_tool("hello", json!({})).await?;
/// assert_eq!(testing::show(&result), "text:\n  Hello!\n  How are you?\n");
/// # Ok(()) }
/// ```
pub fn show(it: &(impl Show + ?Sized)) -> String {
    it.text()
}

/// A value that [`show`] can write as text: [`CallToolResult`], [`ReadResourceResult`] and
/// [`GetPromptResult`], their parts, the entries of the lists, raw JSON, and slices and vectors of these. You
/// can implement it for your own types.
pub trait Show {
    /// Returns the value as text. Each line ends in a line break.
    fn text(&self) -> String;
}

impl<T: Write + ?Sized> Show for T {
    fn text(&self) -> String {
        let mut page = Page::default();
        self.write(&mut page);
        page.text
    }
}

/// A value that writes itself to a [`Page`].
trait Write {
    fn write(&self, page: &mut Page);
}

/// The text of a snapshot that was written so far, and the current depth of indentation.
#[derive(Default)]
struct Page {
    depth: usize,
    text: String,
}

impl Page {
    /// Adds the lines of `text`, indented. Empty lines stay empty.
    fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            if !line.is_empty() {
                self.text.push_str(&"  ".repeat(self.depth));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }

    /// Adds a heading, and below it, indented, the lines that `write` adds.
    fn below(&mut self, heading: &str, write: impl FnOnce(&mut Self)) {
        self.lines(heading);
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn json(&mut self, heading: &str, json: Option<&RawJson>) {
        if let Some(json) = json {
            self.below(heading, |page| page.lines(&layout(json)));
        }
    }

    /// Adds `_meta` without the members that the protocol defines. Adds nothing if no others are left.
    fn meta(&mut self, meta: Option<&RawJson>) {
        let Some(meta) = meta else { return };
        let Ok(Value::Object(mut members)) = serde_json::from_str(meta.get()) else {
            return self.json("_meta:", Some(meta));
        };
        members.retain(|name, _| !name.starts_with("io.modelcontextprotocol/"));
        if !members.is_empty() {
            self.below("_meta:", |page| page.lines(&pretty(&Value::Object(members))));
        }
    }

    fn annotations(&mut self, annotations: Option<&Annotations>) {
        let Some(Annotations { audience, last_modified, priority }) = annotations else { return };
        if !audience.is_empty() {
            let audience: Vec<_> = audience.iter().map(|role| role.as_str()).collect();
            self.lines(&format!("for: {}", audience.join(", ")));
        }
        if let Some(modified) = last_modified {
            self.lines(&format!("modified: {modified}"));
        }
        if let Some(priority) = priority {
            self.lines(&format!("priority: {priority}"));
        }
    }

    /// Adds a heading with name and title, and below it the description `text` and the lines that `more`
    /// adds.
    fn entry(&mut self, name: &str, title: Option<&str>, text: Option<&str>, more: impl FnOnce(&mut Self)) {
        let title = title.map(|title| format!(" ({title})")).unwrap_or_default();
        self.below(&format!("{name}{title}"), |page| {
            if let Some(text) = text {
                page.lines(text);
            }
            more(page);
        });
    }
}

impl<T: Write> Write for [T] {
    fn write(&self, page: &mut Page) {
        self.iter().for_each(|it| it.write(page));
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, page: &mut Page) {
        self.as_slice().write(page);
    }
}

impl Write for CallToolResult {
    fn write(&self, page: &mut Page) {
        if self.is_error {
            page.lines("the tool failed");
        }
        self.content.write(page);
        page.json("structured:", self.structured_content.as_ref());
        page.meta(self.meta.as_ref());
    }
}

impl Write for GetPromptResult {
    fn write(&self, page: &mut Page) {
        if let Some(description) = &self.description {
            page.below("description:", |page| page.lines(description));
        }
        self.messages.write(page);
        page.meta(self.meta.as_ref());
    }
}

impl Write for ReadResourceResult {
    fn write(&self, page: &mut Page) {
        self.contents.write(page);
        page.meta(self.meta.as_ref());
    }
}

impl Write for PromptMessage {
    fn write(&self, page: &mut Page) {
        page.below(&format!("{}:", self.role.as_str()), |page| self.content.write(page));
    }
}

impl Write for Content {
    fn write(&self, page: &mut Page) {
        let (annotations, meta) = match self {
            Self::Text(it) => {
                page.below("text:", |page| page.lines(&it.text));
                (&it.annotations, &it.meta)
            }
            Self::Audio(it) | Self::Image(it) => {
                page.lines(&media(Some(&it.mime_type), &it.data));
                (&it.annotations, &it.meta)
            }
            Self::Resource(it) => {
                page.below("embedded:", |page| it.resource.write(page));
                (&it.annotations, &it.meta)
            }
            Self::ResourceLink(it) => return page.below("link:", |page| it.write(page)),
            Self::Other(raw) => return page.json("other:", Some(raw)),
        };
        page.depth += 1;
        page.annotations(annotations.as_ref());
        page.meta(meta.as_ref());
        page.depth -= 1;
    }
}

impl Write for ResourceContents {
    fn write(&self, page: &mut Page) {
        match self {
            Self::Blob(it) => page.below(&it.uri, |page| {
                page.lines(&media(it.mime_type.as_deref(), &it.blob));
                page.meta(it.meta.as_ref());
            }),
            Self::Text(it) => {
                let kind = it.mime_type.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
                page.below(&format!("{}{kind}", it.uri), |page| {
                    page.lines(&it.text);
                    page.meta(it.meta.as_ref());
                });
            }
        }
    }
}

impl Write for Tool {
    fn write(&self, page: &mut Page) {
        page.entry(&self.name, self.title.as_deref(), self.description.as_deref(), |page| {
            if let Some(hints) = &self.annotations {
                let hints = [
                    ("read-only", hints.read_only_hint),
                    ("destructive", hints.destructive_hint),
                    ("idempotent", hints.idempotent_hint),
                    ("open world", hints.open_world_hint),
                ];
                let hints = hints.into_iter().filter_map(|(name, is)| {
                    is.map(|is| if is { name.to_owned() } else { format!("not {name}") })
                });
                let hints: Vec<_> = hints.collect();
                if !hints.is_empty() {
                    page.lines(&format!("hints: {}", hints.join(", ")));
                }
            }
            page.json("input:", Some(&self.input_schema));
            page.json("output:", self.output_schema.as_ref());
            page.meta(self.meta.as_ref());
        });
    }
}

impl Write for Resource {
    fn write(&self, page: &mut Page) {
        let kind = self.mime_type.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
        let title = self.title.as_ref().unwrap_or(&self.name);
        let uri = format!("{}{kind}", self.uri);
        page.entry(&uri, Some(title), self.description.as_deref(), |page| {
            if let Some(size) = self.size {
                page.lines(&format!("size: {size} bytes"));
            }
            page.annotations(self.annotations.as_ref());
            page.meta(self.meta.as_ref());
        });
    }
}

impl Write for ResourceTemplate {
    fn write(&self, page: &mut Page) {
        let kind = self.mime_type.as_ref().map(|kind| format!(" [{kind}]")).unwrap_or_default();
        let title = self.title.as_ref().unwrap_or(&self.name);
        let uri = format!("{}{kind}", self.uri_template);
        page.entry(&uri, Some(title), self.description.as_deref(), |page| {
            page.annotations(self.annotations.as_ref());
            page.meta(self.meta.as_ref());
        });
    }
}

impl Write for Prompt {
    fn write(&self, page: &mut Page) {
        page.entry(&self.name, self.title.as_deref(), self.description.as_deref(), |page| {
            for argument in &self.arguments {
                let need = if argument.required { "" } else { ", optional" };
                let text = argument.description.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
                page.lines(&format!("- {}{need}{text}", argument.name));
            }
            page.meta(self.meta.as_ref());
        });
    }
}

impl Write for RawJson {
    fn write(&self, page: &mut Page) {
        page.lines(&layout(self));
    }
}

/// Returns raw JSON in the layout of snapshots. Text that is no JSON is returned unchanged.
fn layout(json: &RawJson) -> String {
    serde_json::from_str(json.get()).map_or_else(|_| json.get().to_owned(), |value| pretty(&value))
}

/// Returns a line with the type of an image, audio or binary content, and its size in bytes, computed from
/// the length of its base64.
fn media(kind: Option<&str>, base64: &str) -> String {
    let digits = base64.trim_end_matches('=').len();
    format!("[{}, {} bytes]", kind.unwrap_or("no type"), digits * 3 / 4)
}

/// Returns JSON with one member per line, sorted by name.
///
/// The members are sorted here, because `serde_json` keeps another order if any crate enables its feature
/// `preserve_order`.
pub(super) fn pretty(value: &Value) -> String {
    format!("{:#}", sorted(value))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            members.into_iter().map(|(name, value)| (name.clone(), sorted(value))).collect()
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: serde::de::DeserializeOwned + Show>(json: &str, expected: &str) {
        let it: T = serde_json::from_str(json).expect("JSON of that type");
        assert_eq!(show(&it), expected);
    }

    #[test]
    fn shows_results_of_tools() {
        check::<CallToolResult>(
            r#"{"content":[{"type":"text","text":"a\n\n b"},{"type":"image","data":"AAECAw==","mimeType":"image/png","annotations":{"audience":["user"],"priority":0.5}},
               {"type":"resource_link","uri":"a://b","name":"b"},{"type":"hologram","z":1}],
               "structuredContent":{"b":1,"a":[2]},"isError":true,
               "_meta":{"io.modelcontextprotocol/serverInfo":{"version":"1"},"x":1}}"#,
            "the tool failed\ntext:\n  a\n\n   b\n[image/png, 4 bytes]\n  for: user\n  priority: 0.5\nlink:\n  a://b (b)\nother:\n  {\n    \"type\": \"hologram\",\n    \"z\": 1\n  }\nstructured:\n  {\n    \"a\": [\n      2\n    ],\n    \"b\": 1\n  }\n_meta:\n  {\n    \"x\": 1\n  }\n",
        );
    }

    #[test]
    fn tells_two_blocks_from_two_lines() {
        let result = |content: &str| {
            let it: CallToolResult =
                serde_json::from_str(&format!(r#"{{"content":[{content}]}}"#)).expect("a result");
            show(&it)
        };
        let two = result(r#"{"type":"text","text":"a"},{"type":"text","text":"b"}"#);
        assert_ne!(two, result(r#"{"type":"text","text":"a\nb"}"#));
        assert_ne!(two, result(r#"{"type":"text","text":"a\ntext:\nb"}"#));
    }

    #[test]
    fn shows_resources_and_prompts() {
        check::<ReadResourceResult>(
            r#"{"contents":[{"uri":"a://t","text":"x","mimeType":"text/plain"},{"uri":"a://b","blob":"AAE="}],"_meta":{"io.modelcontextprotocol/x":1}}"#,
            "a://t [text/plain]\n  x\na://b\n  [no type, 2 bytes]\n",
        );
        check::<GetPromptResult>(
            r#"{"description":"D.","messages":[{"role":"user","content":{"type":"text","text":"x"}},
               {"role":"assistant","content":{"type":"resource","resource":{"uri":"a://t","text":"y"}}}]}"#,
            "description:\n  D.\nuser:\n  text:\n    x\nassistant:\n  embedded:\n    a://t\n      y\n",
        );
    }

    #[test]
    fn shows_lists() {
        check::<Vec<Tool>>(
            r#"[{"name":"add","title":"Add","description":"Adds.","annotations":{"readOnlyHint":true,"openWorldHint":false},
               "inputSchema":{"type":"object","a":1}},{"name":"b","inputSchema":{},"outputSchema":{}}]"#,
            "add (Add)\n  Adds.\n  hints: read-only, not open world\n  input:\n    {\n      \"a\": 1,\n      \"type\": \"object\"\n    }\nb\n  input:\n    {}\n  output:\n    {}\n",
        );
        check::<Vec<Resource>>(
            r#"[{"uri":"a://b","name":"b","title":"B","mimeType":"text/plain","size":3,"description":"About."}]"#,
            "a://b [text/plain] (B)\n  About.\n  size: 3 bytes\n",
        );
        check::<Vec<ResourceTemplate>>(r#"[{"uriTemplate":"a://{b}","name":"b"}]"#, "a://{b} (b)\n");
        check::<Vec<Prompt>>(
            r#"[{"name":"p","arguments":[{"name":"x","required":true},{"name":"y","description":"Y."}]}]"#,
            "p\n  - x\n  - y, optional: Y.\n",
        );
        check::<RawJson>(r#"{"b":1,"a":{}}"#, "{\n  \"a\": {},\n  \"b\": 1\n}\n");
    }
}
