//! The small requests: completions, the log, roots.

use std::collections::BTreeMap;

use plainwire_proto::error::{Error as Refusal, ErrorKind};
use plainwire_proto::json::write;
use plainwire_proto::model::{Completion, LogLevel, Root};
use plainwire_proto::revision::Feature;
use serde::Deserialize;

use super::{Client, GONE, closed_by, decode, text};
use crate::driver::client::Wish;
use crate::error::{Error, Result};

/// What has the argument that is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The prompt with this name.
    Prompt(String),
    /// The resource template with this URI template.
    Template(String),
}

impl Client {
    /// Asks what `argument` might be, of which `value` is there already; `context` has the arguments that are settled.
    ///
    /// # Errors
    /// As [`Self::request`].
    pub async fn complete(
        &self,
        reference: &Reference,
        argument: &str,
        value: &str,
        context: &BTreeMap<String, String>,
    ) -> Result<Completion> {
        #[derive(Deserialize)]
        struct Completed {
            completion: Completion,
        }
        let mut params = Vec::new();
        let mut object = write::Object::open(&mut params);
        let mut inner = write::Object::open(object.name("ref"));
        match reference {
            Reference::Prompt(name) => {
                inner.string("type", "ref/prompt");
                inner.string("name", name);
            }
            Reference::Template(uri) => {
                inner.string("type", "ref/resource");
                inner.string("uri", uri);
            }
        }
        inner.close();
        let mut inner = write::Object::open(object.name("argument"));
        inner.string("name", argument);
        inner.string("value", value);
        inner.close();
        if !context.is_empty() {
            let mut inner = write::Object::open(object.name("context"));
            let mut arguments = write::Object::open(inner.name("arguments"));
            for (name, value) in context {
                arguments.string(name, value);
            }
            arguments.close();
            inner.close();
        }
        object.close();
        let completed: Completed = decode(&self.request("completion/complete", &text(params)).await?)?;
        Ok(completed.completion)
    }

    /// Asks the server to log what matters at least as much as `level`; it comes as [`super::Notice::Log`].
    ///
    /// A legacy server is told once; a modern one with every request that follows.
    ///
    /// # Errors
    /// [`Error::Rpc`] if a legacy server has no log; otherwise as [`Self::request`].
    pub async fn set_log_level(&self, level: LogLevel) -> Result<()> {
        if !self.revision().has(Feature::LegacySubscriptions) {
            return self.wish(Wish::SetLogLevel(level)).await;
        }
        if !self.hello.capabilities.has("logging") {
            let text = "expected the server to declare `logging`, but found that it does not";
            return Err(Error::Rpc(Refusal::new(ErrorKind::MethodNotFound, text)));
        }
        let params = format!(r#"{{"level":"{}"}}"#, level.as_str());
        self.request("logging/setLevel", &params).await.map(drop)
    }

    /// Changes where the server may work. A legacy server is told that something has changed; every server gets the
    /// new roots when it asks.
    ///
    /// # Errors
    /// [`Error::Rpc`] for a client that was made without [`super::ClientBuilder::roots`]: it has not declared any.
    pub async fn set_roots(&self, roots: Vec<Root>) -> Result<()> {
        if !self.has_roots {
            let text = "expected a client with `ClientBuilder::roots`, but found one that declares no roots";
            return Err(Error::Rpc(Refusal::new(ErrorKind::MissingClientCapability, text)));
        }
        self.wish(Wish::SetRoots(roots)).await
    }

    pub(super) async fn wish(&self, wish: Wish) -> Result<()> {
        match self.wishes.send(wish).await {
            Ok(()) => Ok(()),
            Err(_) => Err(closed_by(&self.process, GONE).await),
        }
    }
}
