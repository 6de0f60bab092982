//! The keeper of a server's outputs: who may read one, and writers for tools whose output grows.
//!
//! In: the store, and the caller of a tool. Out: outputs of that caller.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use plainwire_proto::json::visible;
use plainwire_proto::model::{Content, Resource};

use super::store::{About, OutputError, OutputId, Outputs, Stat, Visit};
use crate::server::context::Context;
use crate::server::principal::Principal;
use crate::server::result::ToolError;

/// The scheme of URIs of outputs.
pub(super) const SCHEME: &str = "output://";

/// The bytes that are given to the store at once.
const PIECE: usize = 1 << 20;

/// The outputs of a server, for tools that write one themselves: a parameter `outputs: State<Keeper>`.
///
/// ```
/// # use plainwire::outputs::Keeper;
/// use plainwire::prelude::*;
///
/// /// Counts, and returns a link to the numbers at the end.
/// #[tool]
/// async fn count(to: u32, outputs: State<Keeper>, ctx: Context) -> Result<Content, ToolError> {
///     let mut numbers = outputs.create(&ctx, "count", "text/plain").await?;
///     // The output can be read from now on, while it grows.
///     ctx.progress(0.0, Some(to.into()), Some(&numbers.uri()));
///     for it in 0..to {
///         numbers.write(format!("{it}\n")).await?;
///     }
///     numbers.finish().await
/// }
/// ```
#[derive(Clone)]
pub struct Keeper(Arc<Inner>);

struct Inner {
    store: Arc<dyn Outputs>,
    threshold: usize,
    ttl: Duration,
}

impl Keeper {
    pub(super) fn new(store: Arc<dyn Outputs>, threshold: usize, ttl: Duration) -> Self {
        Self(Arc::new(Inner { store, threshold, ttl }))
    }

    pub(super) fn threshold(&self) -> usize {
        self.0.threshold
    }

    /// Creates an output that grows, for the caller of `ctx`. `tool` is the name of the tool that writes it, and `media_type`
    /// the type of its bytes.
    ///
    /// # Errors
    /// The store has no room, or can't be written.
    pub async fn create(
        &self,
        ctx: &Context,
        tool: &str,
        media_type: &str,
    ) -> Result<OutputWriter, ToolError> {
        let begun = self.begin(ctx.principal(), tool, media_type).await;
        begun.map_err(|error| unwritten(&error))
    }

    pub(super) async fn begin(
        &self,
        principal: Option<&Principal>,
        tool: &str,
        media_type: &str,
    ) -> Result<OutputWriter, OutputError> {
        let id = OutputId::new(self.0.ttl);
        let owner = principal.map(|it| it.name.clone());
        let about = About { media_type: media_type.to_owned(), owner, tool: tool.to_owned() };
        self.0.store.create(&id, &about).await?;
        Ok(OutputWriter { about, bytes: 0, id: Some(id), keeper: self.clone() })
    }

    /// Finds the output that a caller names.
    pub(super) async fn find(&self, ctx: &Context, named: &str) -> Result<(OutputId, Stat), ToolError> {
        let Some(id) = OutputId::parse(named.strip_prefix(SCHEME).unwrap_or(named)) else {
            let found = visible(named, 80);
            return Err(ToolError::invalid_input(format!(
                "expected the id of an output, `{SCHEME}` and 44 hexadecimal digits, but found {found:?}"
            )));
        };
        if id.has_expired() {
            return Err(ToolError::new("expired", "the output has expired")
                .hint("call again the tool that made it, and use the new link"));
        }
        let stat = self.0.store.stat(&id).await.map_err(|error| unread(&error))?;
        // An output of another principal does not exist for this one.
        let stat = stat.filter(|it| it.about.owner.is_none() || it.about.owner.as_deref() == name(ctx));
        stat.map(|stat| (id, stat)).ok_or_else(gone)
    }

    pub(super) async fn read(&self, id: &OutputId, offset: u64, max: usize) -> Result<Vec<u8>, ToolError> {
        let read = self.0.store.read(id, offset, max).await.map_err(|error| unread(&error))?;
        read.ok_or_else(gone)
    }

    /// Passes bytes to `visit`: see [`Outputs::scan`].
    pub(super) async fn scan(
        &self,
        id: &OutputId,
        range: Range<u64>,
        visit: Visit,
    ) -> Result<u64, ToolError> {
        let passed = self.0.store.scan(id, range, visit).await.map_err(|error| unread(&error))?;
        passed.ok_or_else(gone)
    }
}

fn name(ctx: &Context) -> Option<&str> {
    ctx.principal().map(|it| &*it.name)
}

fn gone() -> ToolError {
    ToolError::not_found("there is no such output")
        .hint("the oldest are dropped when room is needed: call again the tool that made it")
}

fn unread(error: &OutputError) -> ToolError {
    ToolError::failed("the output can't be read").retryable().logged(error)
}

fn unwritten(error: &OutputError) -> ToolError {
    match error {
        OutputError::Full { .. } => ToolError::failed(error.to_string()),
        OutputError::Failed { .. } => ToolError::failed("the output can't be written").logged(error),
    }
}

/// A writer of an output that grows. Dropped before [`Self::finish`], as by a cancelled call, it leaves an output that says that
/// it was cut off.
pub struct OutputWriter {
    about: About,
    bytes: u64,
    /// `None` once the output is complete.
    id: Option<OutputId>,
    keeper: Keeper,
}

impl OutputWriter {
    /// Returns the URI of the output, by which it can be read from now on.
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.id.as_ref().map_or("", OutputId::as_str))
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// The output would be larger than the budget, or the store can't be written. What was written before is kept.
    pub async fn write(&mut self, bytes: impl Into<Vec<u8>>) -> Result<(), ToolError> {
        self.append(bytes.into()).await.map_err(|error| unwritten(&error))
    }

    /// Completes the output, and returns a link to it.
    ///
    /// # Errors
    /// The store can't be written.
    pub async fn finish(self) -> Result<Content, ToolError> {
        self.complete("").await.map_err(|error| unwritten(&error))
    }

    async fn append(&mut self, bytes: Vec<u8>) -> Result<(), OutputError> {
        let Some(id) = &self.id else { return Ok(()) };
        let count = bytes.len() as u64;
        self.keeper.0.store.append(id, bytes).await?;
        self.bytes += count;
        Ok(())
    }

    pub(super) async fn append_all(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        for piece in bytes.chunks(PIECE) {
            self.append(piece.to_vec()).await?;
        }
        Ok(())
    }

    /// Completes the output. The link says `shown`, how much of it is shown beside the link.
    pub(super) async fn complete(mut self, shown: &str) -> Result<Content, OutputError> {
        let uri = self.uri();
        let Some(id) = &self.id else { return Err(OutputError::failed("the output has ended already")) };
        self.keeper.0.store.finish(id).await?;
        self.id = None;
        Ok(Content::ResourceLink(Resource {
            description: Some(format!("The whole output, {} bytes.{shown} {HOW}", self.bytes)),
            mime_type: Some(self.about.media_type.clone()),
            name: "output".to_owned(),
            size: Some(self.bytes),
            title: Some(format!("Output of {}", self.about.tool)),
            uri,
            ..Resource::default()
        }))
    }
}

/// The sentence in each link about the tools that read the output.
const HOW: &str = "Read it with output_page, output_grep (by lines) or output_json (by paths).";

impl Drop for OutputWriter {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.keeper.0.store.cut_off(id);
        }
    }
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OutputWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputWriter")
            .field("about", &self.about)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
