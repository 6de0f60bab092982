//! PDF and Word, through pandoc where it is installed.
//!
//! In: HTML. Out: bytes. pandoc runs in its sandbox: it reads and fetches nothing but what it is given.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use plainwire::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::ExportFormat;

/// The time for a conversion.
const PATIENCE: Duration = Duration::from_secs(60);

/// The largest document, in bytes.
const MAX_DOCUMENT: u64 = 32 << 20;

/// The part of pandoc's errors that is logged, in bytes.
const MAX_ERRORS: u64 = 4 << 10;

pub(super) async fn convert(pandoc: &str, html: &str, form: ExportFormat) -> Result<Vec<u8>, ToolError> {
    let to = if form == ExportFormat::Pdf { "pdf" } else { "docx" };
    let command = Command::new(pandoc)
        .args(["--sandbox", "--from=html", &format!("--to={to}"), "--output=-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let child = command.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            ToolError::new("unsupported", format!("expected pandoc for {to}, but it is not installed"))
                .hint("install pandoc (https://pandoc.org/installing.html), or export as `md` or `html`")
        }
        _ => ToolError::failed("pandoc can't be started").logged(&error),
    })?;
    let late = || ToolError::timeout(format!("pandoc was not ready after {} s", PATIENCE.as_secs()));
    timeout(PATIENCE, talk(child, html, to)).await.map_err(|_| late())?
}

async fn talk(mut child: Child, html: &str, to: &str) -> Result<Vec<u8>, ToolError> {
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(ToolError::failed("pandoc has no streams"));
    };
    let mut bytes = Vec::new();
    let mut errors = Vec::new();
    let write = async {
        // A pandoc that ends early says why on its other streams.
        let _ = stdin.write_all(html.as_bytes()).await;
        drop(stdin);
    };
    // A document that is too large is not read to its end: its stream is closed, and with it pandoc.
    let document = async { stdout.take(MAX_DOCUMENT + 1).read_to_end(&mut bytes).await };
    let complaints = async {
        let mut stderr = stderr;
        let _ = (&mut stderr).take(MAX_ERRORS).read_to_end(&mut errors).await;
        // The rest is read too, so that pandoc does not wait for a reader.
        tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await
    };
    let ((), read, _) = tokio::join!(write, document, complaints);
    read.map_err(|error| ToolError::failed("pandoc can't be read").logged(&error))?;
    if bytes.len() as u64 > MAX_DOCUMENT {
        return Err(ToolError::failed(format!("expected a document of at most {} MiB", MAX_DOCUMENT >> 20)));
    }
    let status = child.wait().await.map_err(|error| ToolError::failed("pandoc was lost").logged(&error))?;
    if status.success() {
        return Ok(bytes);
    }
    let said = String::from_utf8_lossy(&errors);
    tracing::warn!("pandoc failed with {status}: {:?}", said.trim());
    let error = ToolError::failed(format!("pandoc can't make {to}: it ended with {status}"));
    Err(match to {
        "pdf" => {
            error.hint("for PDF, pandoc needs a program such as pdflatex; `word`, `html` and `md` don't")
        }
        _ => error,
    })
}
