//! A client that is being described, up to the moment it is connected.

use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

use plainwire_proto::model::Implementation;
use plainwire_proto::peer::{ClientConfig, EraChoice, Limits, RequestOptions};
use plainwire_proto::revision::Revision;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};

use super::{Client, GONE, NOTICES, WISHES, closed_by};
use crate::driver::AbortOnDrop;
use crate::driver::client::start;
use crate::error::{Error, Result};
use crate::transport::Stream;
use crate::transport::child::{self, Process};
use crate::transport::tap::Tap;

/// A client that is being described.
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    config: ClientConfig,
    options: RequestOptions,
    tap: Option<Tap>,
}

impl ClientBuilder {
    pub(super) fn new(info: Implementation) -> Self {
        Self { config: ClientConfig::new(info), options: RequestOptions::default(), tap: None }
    }

    /// Sets the name and version that servers see.
    #[must_use]
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// Sets how to find out what the server speaks.
    #[must_use]
    pub fn era(mut self, era: EraChoice) -> Self {
        self.config.era = era;
        self
    }

    /// Speaks only some revisions. All by default.
    #[must_use]
    pub fn revisions(mut self, revisions: &[Revision]) -> Self {
        self.config.revisions = revisions.to_vec();
        self
    }

    /// Sets how much the server may send.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Sets how long to wait for answers: 60 s without progress and 10 min in all by default.
    #[must_use]
    pub fn deadlines(mut self, options: RequestOptions) -> Self {
        self.config.initialize_timeout = options.idle;
        self.config.probe_timeout = self.config.probe_timeout.min(options.idle);
        self.options = options;
        self
    }

    /// Shows every frame to `tap`, secrets masked.
    #[must_use]
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// Starts a server as a child process and connects to it. Its stderr is ours.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be started; [`Error::Closed`], with its exit status, if it ends; [`Error::Rpc`] if it
    /// speaks none of our revisions.
    pub async fn command(self, command: Command) -> Result<Client> {
        let started = child::spawn(command);
        let (stream, process) =
            started.map_err(|source| Error::Io { doing: "starting the server", source })?;
        self.connect(stream, Some(process)).await
    }

    /// Connects over any pair of streams.
    ///
    /// # Errors
    /// As [`Self::command`].
    pub async fn streams<R, W>(self, reader: R, writer: W) -> Result<Client>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        self.connect(Stream::new(reader, writer), None).await
    }

    /// Connects over a [`Stream`], such as one end of [`crate::transport::memory::pair`].
    ///
    /// # Errors
    /// As [`Self::command`].
    pub async fn stream(self, stream: Stream) -> Result<Client> {
        self.connect(stream, None).await
    }

    async fn connect(self, stream: Stream, process: Option<Process>) -> Result<Client> {
        let process = Mutex::new(process);
        let (wishes, wished) = mpsc::channel(WISHES);
        let (notices, noticed) = mpsc::channel(NOTICES);
        let (hello, greeted) = oneshot::channel();
        let task = AbortOnDrop(start(self.config, stream, self.tap, wished, notices, hello));
        let gone = || Error::Closed { why: GONE.to_owned() };
        match greeted.await.map_err(|_| gone()).and_then(|hello| hello) {
            Ok(hello) => Ok(Client {
                hello,
                last_ticket: AtomicU64::new(0),
                notices: Mutex::new(Some(noticed)),
                options: self.options,
                process,
                wishes,
                _task: task,
            }),
            Err(error) => {
                drop((task, wishes));
                let error = match error {
                    Error::Closed { why } => closed_by(&process, &why).await,
                    error => error,
                };
                if let Some(process) = process.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    process.end().await;
                }
                Err(error)
            }
        }
    }
}
