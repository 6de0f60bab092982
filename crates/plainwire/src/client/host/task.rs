//! The task of each server of a host. It connects, listens for changes, fetches lists, and connects again.
//!
//! In: a server to connect to, and requests for its lists. Out: updates of the server's [`Known`]. The task
//! ends with the host, or earlier if there will be no further connection. It connects once at the start, and
//! then again only when the server is needed; never twice at the same time.

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
use tokio::time::{Instant, sleep, timeout_at};

use super::known::{Known, filter};
use super::member::Connector;
use crate::client::{Client, Listen};
use crate::error::Error;
use crate::runtime::{AbortOnDrop, spawn};

/// The time without further changes after which a changed list is fetched. A server that loads a plugin may
/// report a change for each tool.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// The longest time between a change of a list and its fetch, if the list keeps changing.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);

/// The first pause before the task subscribes again after a subscription has ended or failed. It doubles each
/// time.
const RELISTEN: Duration = Duration::from_secs(1);

/// The longest pause before the task subscribes again. A subscription that lasted longer resets the pause.
const MAX_RELISTEN: Duration = Duration::from_secs(300);

/// The task of one server of a host.
#[derive(Debug)]
pub(crate) struct ServerTask {
    _abort: AbortOnDrop,
    task: JoinHandle<()>,
}

impl ServerTask {
    /// Starts the task, which begins to connect at once.
    pub(crate) fn start(known: Arc<Known>, connector: Connector) -> Self {
        let task = spawn(keep(known, connector));
        Self { _abort: AbortOnDrop(task.abort_handle()), task }
    }

    /// Aborts the task, and waits until it has ended.
    pub(crate) async fn end(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

/// Connects each time that the server is needed, and runs [`attend`] on each connection. Ends when the host
/// will not connect again.
async fn keep(known: Arc<Known>, mut connector: Connector) {
    while known.needed().await
        && let Some(connecting) = connector.next()
    {
        if let Some(client) = known.connected(connecting.await) {
            attend(&known, &client).await;
        }
    }
}

/// Runs the work on one connection, until it ends: listens for changes, and fetches lists.
async fn attend(known: &Known, client: &Client) {
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

/// Fetches `list` each time that a fetch of it is requested.
async fn fetch(known: &Known, client: &Client, list: List) {
    loop {
        let wanted = known.wanted(list).await;
        let brought = match client.list_usable(list).await {
            // A server that declares resources may still lack templates.
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

/// Subscribes to changes of the server's lists, and subscribes again when the subscription ends. Stops if the
/// server declares no lists, if it agrees to report none of their changes, or if the connection has ended.
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
            Err(error) => tracing::debug!("{}: the subscription to its changes failed: {error}", known.name),
        }
        sleep(pause).await;
        pause = (pause * 2).min(MAX_RELISTEN);
    }
}

/// Reads the changes of a subscription until it ends. Requests a fetch of the changed lists once no change
/// has arrived for `DEBOUNCE`, or `MAX_DEBOUNCE` after the first change.
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
