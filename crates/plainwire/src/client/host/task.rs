//! The tasks of a host: one for each server. It connects, listens for changes and fetches lists, and connects again.
//!
//! In: a server that is to be connected, and which of its lists are wanted. Out: what the server's [`Known`] says. The task
//! ends when the host does; before that only if there will be no connection to keep. It never connects unless the server is
//! needed, and never twice at the same time.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use plainwire_proto::cursor::List;
use plainwire_proto::error::ErrorKind;
use plainwire_proto::model::SubscriptionFilter;
use plainwire_proto::peer::Change;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::known::{Known, filter};
use super::member::Connector;
use crate::client::{Client, Listen};
use crate::error::Error;
use crate::runtime::{AbortOnDrop, spawn};

/// How long nothing may change before a changed list is fetched: a server that loads a plugin says so for each tool.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// How long a list that keeps changing is waited for.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);

/// How long to wait before a subscription is tried again that ended or failed, the first time.
const RELISTEN: Duration = Duration::from_secs(1);

/// How long that gets.
const MAX_RELISTEN: Duration = Duration::from_secs(300);

/// The task of one server.
#[derive(Debug)]
pub(crate) struct Keeping {
    _abort: AbortOnDrop,
    task: JoinHandle<()>,
}

impl Keeping {
    /// Begins to connect.
    pub(crate) fn start(known: Arc<Known>, connector: Connector, deadline: Duration) -> Self {
        let task = spawn(keep(known, connector, deadline));
        Self { _abort: AbortOnDrop(task.abort_handle()), task }
    }

    /// Stops, and waits until nothing of it is left.
    pub(crate) async fn end(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

async fn keep(known: Arc<Known>, mut connector: Connector, deadline: Duration) {
    while known.needed().await
        && let Some(connecting) = connector.next()
    {
        let connected = timeout(deadline, connecting).await.unwrap_or_else(|_| {
            let why = format!("expected a connection within {deadline:?}, but there is none");
            Err(Error::Closed { why })
        });
        if let Some(client) = known.connected(connected) {
            attend(&known, &client).await;
        }
    }
}

/// Does what there is to do while the connection lasts.
async fn attend(known: &Known, client: &Arc<Client>) {
    let mut works: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = vec![Box::pin(watch(known, client))];
    for list in List::ALL {
        works.push(Box::pin(fetch(known, client, list)));
    }
    let mut ends: [Pin<Box<dyn Future<Output = ()> + Send + '_>>; 2] = [
        Box::pin(async {
            let error = client.gone().await;
            known.ended(client, &error);
        }),
        Box::pin(known.left(client)),
    ];
    poll_fn(|cx| {
        let is_over = ends.iter_mut().any(|end| end.as_mut().poll(cx).is_ready());
        works.retain_mut(|work| work.as_mut().poll(cx).is_pending());
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Fetches a list each time that it is wanted.
async fn fetch(known: &Known, client: &Client, list: List) {
    loop {
        let wanted = known.wanted(list).await;
        let brought = match client.list_usable(list).await {
            // A server that declares resources need not know templates.
            Err(Error::Rpc(error))
                if list == List::ResourceTemplates && *error.kind() == ErrorKind::MethodNotFound =>
            {
                Ok(Vec::new())
            }
            brought => brought,
        };
        known.fetched(list, wanted, brought);
    }
}

/// Listens for changes of lists, as long as the server tells any.
async fn watch(known: &Known, client: &Client) {
    let wanted = filter(client);
    let mut pause = RELISTEN;
    while wanted != SubscriptionFilter::default() {
        match client.listen(wanted.clone()).await {
            Ok(listen) if *listen.honoured() == SubscriptionFilter::default() => return,
            Ok(listen) => {
                let began = Instant::now();
                known.watched(listen.honoured());
                hear(known, listen).await;
                known.watched(&SubscriptionFilter::default());
                if began.elapsed() > MAX_RELISTEN {
                    pause = RELISTEN;
                }
            }
            Err(Error::Closed { .. }) => return,
            Err(error) => tracing::debug!("{} tells no changes: {error}", known.name),
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_RELISTEN);
    }
}

/// Has lists fetched that have changed, once they stay as they are.
async fn hear(known: &Known, mut listen: Listen) {
    while let Some(first) = listen.next().await {
        let until = Instant::now() + MAX_DEBOUNCE;
        let (mut change, mut lists) = (first, Vec::new());
        loop {
            if let Change::List(list) = change {
                known.outdated(list);
                if !lists.contains(&list) {
                    lists.push(list);
                }
            }
            let now = Instant::now();
            if now >= until {
                break;
            }
            let Ok(Some(next)) = timeout_at(until.min(now + DEBOUNCE), listen.next()).await else { break };
            change = next;
        }
        lists.into_iter().for_each(|list| known.changed(list));
    }
}
