//! A server whose tool previews a change before it makes it, for the card in a browser. It says how often it has changed something.

use std::sync::Mutex;

use plainwire::prelude::*;
use plainwire::presentation::Presentation;

/// What a rename changes.
#[data]
struct Renamed {
    title: String,
    is_preview: bool,
    changes: Vec<Change>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// The number of renames that were made.
    renames: u32,
}

#[data]
struct Change {
    field: String,
    old: String,
    new: String,
}

/// The title of the book, and the number of renames.
struct Book(Mutex<(String, u32)>);

/// Renames the book; as a preview, which changes nothing, unless `preview` is false.
#[tool(idempotent)]
async fn rename_book(
    /// The new title.
    title: String,
    /// Whether the change is only shown.
    #[default(true)]
    preview: bool,
    book: State<Book>,
) -> Renamed {
    let mut book = book.0.lock().expect("no panic in a lock");
    let change = Change { field: "title".to_owned(), old: book.0.clone(), new: title.clone() };
    let warnings =
        if title.trim().is_empty() { vec!["BLOCK: a book needs a title".to_owned()] } else { Vec::new() };
    let is_preview = preview || !warnings.is_empty();
    if !is_preview {
        *book = (title, book.1 + 1);
    }
    Renamed {
        title: "Rename the book".to_owned(),
        is_preview,
        changes: vec![change],
        warnings,
        renames: book.1,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    plainwire::server!("preview")
        .state(Book(Mutex::new(("Moss".to_owned(), 0))))
        .tool(rename_book)
        .presentation(Presentation::data().cards())
        .stdio()
        .await
}
