//! Mounting: the entries of one server become entries of another.
//!
//! In: a server, and a prefix for the names of its tools and prompts. Out: its entries in the other server, with
//! their own state, layers and deadlines. Settings of connections, such as limits, are those of the other server.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use serde_json::Value;

use super::Server;
use super::entry::Mount;
use super::layering::Layering;

/// A server that can be mounted in another: see [`Server::mount`].
pub struct Mounted(Box<Server>);

impl From<Server> for Mounted {
    fn from(server: Server) -> Self {
        Self(Box::new(server))
    }
}

impl fmt::Debug for Mounted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Mounted").field(&self.0).finish()
    }
}

impl Server {
    /// Adds all entries of another server. Its tools and prompts are called `PREFIX__NAME`, as in a
    /// host of several servers; with an empty prefix they keep their names. Resources and templates keep
    /// their URIs.
    ///
    /// ```
    /// use plainwire::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> plainwire::Result<()> {
    /// let jira = Server::new("jira").tool(Tool::new("search", || async { "ABC-1" }));
    /// let wiki = Server::new("wiki").tool(Tool::new("search", || async { "Home" }));
    /// let all = plainwire::server!("atlassian").mount("jira", jira).mount("wiki", wiki);
    /// let client = plainwire::testing::client(all).await?;
    /// assert_eq!(client.call::<String>("jira__search", json!({})).await?, "ABC-1");
    /// # Ok(()) }
    /// ```
    ///
    /// The entries keep what their own server gave them: its states, its layers (inside of the layers of this
    /// server, and with names without the prefix), [`Self::timeout`], [`Self::cache`] for resources, and
    /// [`Self::mask_errors`]. Also kept are the hooks of their server, its logging capability, its experimental
    /// capabilities and extensions unless this server declares them too, and its
    /// [`ServerHandle`](crate::ServerHandle)s. Its instructions are appended to those of this server, after the
    /// prefix and a colon. The cache hint is kept even if it is the default, which allows no caching. All other
    /// settings are those of this server, such as [`Self::presentation`], [`Self::single_use_states`],
    /// [`Self::max_questions`] and [`Self::schema_preset`].
    ///
    /// Texts are not changed: instructions, descriptions and [pages](crate::apps) that name a tool have to use its
    /// name with the prefix.
    ///
    /// A name or URI that another entry has already is reported as a mistake when serving begins.
    #[track_caller]
    pub fn mount(mut self, prefix: impl Into<String>, mounted: impl Into<Mounted>) -> Self {
        let (Mounted(inner), at) = (mounted.into(), Location::caller());
        let Self { cache_hint, experimental, handled, hooks, instructions, layering, logging, .. } = *inner;
        let Layering { layers, masks_errors, .. } = layering;
        let prefix = prefix.into();
        if !prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b)) {
            let text = format!(
                "expected the prefix of `mount` to have only `A-Z a-z 0-9 _ . -`, but found {prefix:?}"
            );
            self.mistake.get_or_insert((at, text));
        }
        let of_states = inner.states.problem().map(|problem| (inner.at, problem));
        self.mistake = self.mistake.or(inner.mistake).or(of_states);
        if let Some(text) = instructions {
            self.instructions_of_mounted.push((prefix.clone(), text));
        }
        let states = Arc::new(inner.states);
        let mount = Mount { cache: cache_hint, layers, masks_errors, prefix, states, timeout: inner.timeout };
        let deeper = inner.instructions_of_mounted.into_iter();
        self.instructions_of_mounted.extend(deeper.map(|(of, text)| (mount.prefix_of(&of), text)));
        self.shared.mount(inner.shared, mount);
        self.handled |= handled;
        self.logging |= logging;
        self.hooks.start.extend(hooks.start);
        self.hooks.shutdown.extend(hooks.shutdown);
        self.hooks.subscribed.extend(hooks.subscribed);
        for (kind, declared) in experimental.0 {
            let known =
                self.experimental.0.entry(kind).or_insert_with(|| Value::Object(serde_json::Map::new()));
            if let (Value::Object(known), Value::Object(declared)) = (known, declared) {
                for (name, settings) in declared {
                    known.entry(name).or_insert(settings);
                }
            }
        }
        self
    }
}
