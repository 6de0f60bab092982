//! Files of `multipart/form-data`.
//!
//! In: a body that is in memory already. Out: its parts named `file`.

use axum::body::Bytes;
use multer::Multipart;

use crate::call::File;
use crate::fault::{Fault, Result};

/// The largest number of files of a request.
const MAX_FILES: usize = 60;

/// Reads the files of a form.
pub(super) async fn files(content_type: &str, body: Bytes) -> Result<Vec<File>> {
    let unreadable = |error: multer::Error| Fault::bad(format!("The form can not be read: {error}"));
    let boundary = multer::parse_boundary(content_type).map_err(unreadable)?;
    let stream = futures_util::stream::once(async move { Ok::<_, std::io::Error>(body) });
    let mut form = Multipart::new(stream, boundary);
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        if field.name() != Some("file") {
            continue;
        }
        if files.len() == MAX_FILES {
            return Err(Fault::new(413, format!("A request can have at most {MAX_FILES} files.")));
        }
        let name = field.file_name().unwrap_or("file").to_owned();
        let media_type =
            field.content_type().map_or_else(|| "application/octet-stream".to_owned(), ToString::to_string);
        let bytes = field.bytes().await.map_err(unreadable)?;
        files.push(File { name, media_type, bytes });
    }
    Ok(files)
}
