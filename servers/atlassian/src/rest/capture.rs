//! Rich text as it came from a site and went to it, kept verbatim in files: to find out which side changed what.
//!
//! In: the bodies of requests and answers. Out: a file per text, such as `00012-in-GET-rest-api-3-issue-SHOP-1-description.json`. Only rich text is
//! kept: ADF documents, and texts under the names that have wiki markup. Headers, tokens and addresses are not.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::value::RawValue;

/// The largest number of texts that are kept. Then nothing more is.
pub const MAX_TEXTS: u32 = 10_000;

/// The deepest level of JSON at which texts are looked for.
const MAX_DEPTH: usize = 16;

/// The longest name of a file, in characters.
const MAX_NAME: usize = 120;

/// The members that have wiki markup in Data Center.
const WIKI: [&str; 4] = ["body", "comment", "description", "environment"];

/// A folder that keeps texts. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Capture {
    folder: PathBuf,
    count: Arc<AtomicU32>,
}

impl Capture {
    /// Keeps texts in a folder, which is made if it does not exist.
    ///
    /// # Errors
    /// A folder that can't be made.
    pub fn new(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), count: Arc::default() })
    }

    /// Keeps the texts of a body. `direction` is `in` for an answer and `out` for a request.
    pub(super) fn see(&self, direction: &str, request: &str, body: &[u8]) {
        let Ok(json) = serde_json::from_slice::<&RawValue>(body) else { return };
        self.walk(direction, request, "", json, MAX_DEPTH);
    }

    fn walk(&self, direction: &str, request: &str, name: &str, json: &RawValue, depth: usize) {
        let text = json.get();
        if depth == 0 {
            return;
        }
        if text.starts_with('{') {
            let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) else { return };
            if members.get("type").is_some_and(|it| it.get() == "\"doc\"") {
                return self.keep(direction, request, name, "json", text);
            }
            for (member, value) in members {
                self.walk(direction, request, &member, value, depth - 1);
            }
        } else if text.starts_with('[') {
            let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(text) else { return };
            for value in all {
                self.walk(direction, request, name, value, depth - 1);
            }
        } else if text.starts_with('"')
            && (WIKI.contains(&name) || name.starts_with("customfield_"))
            && let Ok(wiki) = serde_json::from_str::<String>(text)
        {
            self.keep(direction, request, name, "txt", &wiki);
        }
    }

    fn keep(&self, direction: &str, request: &str, name: &str, ending: &str, text: &str) {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        if number >= MAX_TEXTS {
            // The count stays: it must not run over.
            self.count.store(MAX_TEXTS, Ordering::Relaxed);
            return;
        }
        let plain: String = format!("{request}-{name}")
            .chars()
            .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
            .take(MAX_NAME)
            .collect();
        let path = self.folder.join(format!("{number:05}-{direction}-{plain}.{ending}"));
        let kept = File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        if let Err(error) = kept {
            tracing::warn!(%error, "a rich text could not be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(folder: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut all: Vec<_> = entries
            .map(|it| {
                let path = it.expect("an entry").path();
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, std::fs::read_to_string(&path).expect("UTF-8"))
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn rich_text_is_kept_verbatim_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let capture = Capture::new(folder.path()).expect("a folder");
        let adf =
            r#"{"fields":{"summary":"secret","description":{"version":1 , "type":"doc","content":[]}}}"#;
        capture.see("in", "GET rest/api/3/issue/SHOP-1", adf.as_bytes());
        capture.see(
            "out",
            "PUT rest/api/2/issue/../x",
            br#"{"fields":{"description":"h1. A\nb","summary":"no"}}"#,
        );
        capture.see("in", "GET x", b"no JSON");
        let expected = [
            (
                "00000-in-GET-rest-api-3-issue-SHOP-1-description.json",
                r#"{"version":1 , "type":"doc","content":[]}"#,
            ),
            ("00001-out-PUT-rest-api-2-issue----x-description.txt", "h1. A\nb"),
        ];
        assert_eq!(kept(folder.path()), expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn no_more_texts_are_kept_than_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let capture = Capture::new(folder.path()).expect("a folder");
        capture.count.store(MAX_TEXTS - 1, Ordering::Relaxed);
        for _ in 0..3 {
            capture.see("in", "GET x", br#"{"body":"a"}"#);
        }
        assert_eq!(kept(folder.path()).len(), 1);
    }
}
