//! Messages that a server sends on its own, on stderr: log messages and changes.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plainwire::Client;
use plainwire::client::{Change, Notice, Notices};
use plainwire::model::{LogLevel, LogMessage, SubscriptionFilter};
use plainwire::proto::revision::Feature;

use crate::exit::{Exit, Failure};
use crate::{output, visible};

/// The maximal number of characters of a log message that are shown.
const MAX_CHARS: usize = 10_000;

/// Runs `work`, and shows the log messages that arrive meanwhile. `level` is the lowest level that the server is
/// asked for; without one, a modern server is asked for `info`, and a legacy server chooses.
pub(crate) async fn with_log(
    client: &Client,
    level: Option<LogLevel>,
    work: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    ask_for(client, level).await?;
    let mut notices = client.notices();
    let done = tokio::select! {
        // The messages that came before the answer stand before it.
        biased;
        never = each(notices.as_mut(), show_log) => match never {},
        done = work => done,
    };
    while let Some(notice) = notices.as_mut().and_then(Notices::try_recv) {
        show_log(notice);
    }
    done
}

/// The lowest level that the user wants to see; none before the user names one. Some servers send all messages, whatever
/// level they are asked for.
static LOWEST: Mutex<Option<LogLevel>> = Mutex::new(None);

fn lowest() -> MutexGuard<'static, Option<LogLevel>> {
    LOWEST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks the server for log messages of a level and above; without a level for `info`, if this costs no request.
pub(crate) async fn ask_for(client: &Client, level: Option<LogLevel>) -> Result<(), Failure> {
    *lowest() = level;
    // Asking a legacy server takes a request, a modern one none.
    let is_free =
        !client.revision().has(Feature::LegacySubscriptions) && client.hello().capabilities.has("logging");
    match level {
        Some(_) if !client.hello().capabilities.has("logging") => {
            output::note("warning: the server does not declare `logging`: it sends no log messages");
        }
        Some(level) => client.set_log_level(level).await?,
        None if is_free => client.set_log_level(LogLevel::Info).await?,
        None => {}
    }
    Ok(())
}

/// Shows log messages of a level and above from now on.
pub(crate) fn show_from(level: LogLevel) {
    *lowest() = Some(level);
}

/// Calls `show` with each message.
pub(crate) async fn each(notices: Option<&mut Notices>, mut show: impl FnMut(Notice)) -> Infallible {
    if let Some(notices) = notices {
        while let Some(notice) = notices.recv().await {
            show(notice);
        }
    }
    std::future::pending().await
}

/// Shows the changes of lists of a modern server, which reports them only to a client that subscribes. Shows nothing if
/// the server does not declare that it reports changes, or refuses.
pub(crate) async fn changes(client: &Client) -> Infallible {
    let has = |name| client.hello().capabilities.is_on(name, "listChanged");
    let filter = SubscriptionFilter {
        prompts_list_changed: has("prompts"),
        resources_list_changed: has("resources"),
        tools_list_changed: has("tools"),
        ..SubscriptionFilter::default()
    };
    let is_asked =
        client.revision().has(Feature::LegacySubscriptions) || filter == SubscriptionFilter::default();
    if !is_asked && let Ok(mut listen) = client.listen(filter).await {
        while let Some(change) = listen.next().await {
            if let Change::List(list) = change {
                show(Notice::ListChanged(list));
            }
        }
    }
    std::future::pending().await
}

/// Shows a message: a log message or a change on one line.
pub(crate) fn show(notice: Notice) {
    match notice {
        Notice::ListChanged(list) => output::note(&format!("(the {} have changed)", list.member())),
        Notice::ResourceUpdated { uri } => {
            output::note(&format!("(the resource {} has changed)", visible::line(&uri)));
        }
        other => show_log(other),
    }
}

fn show_log(notice: Notice) {
    if let Notice::Log(message) = notice
        && lowest().is_none_or(|lowest| message.level >= lowest)
    {
        output::note(&log_line(message));
    }
}

/// Returns a log message as one line.
fn log_line(message: LogMessage) -> String {
    let LogMessage { data, level, logger } = message;
    let text = serde_json::from_str::<String>(data.get()).unwrap_or_else(|_| data.get().to_owned());
    let logger = logger.map(|logger| format!(" {logger}")).unwrap_or_default();
    visible::short_line(&format!("[{}{logger}] {text}", level.as_str()), MAX_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_10000_characters_of_a_log_message_are_shown() {
        let message = |text: String| LogMessage {
            data: serde_json::value::to_raw_value(&text).expect("JSON"),
            level: LogLevel::Info,
            logger: Some("db".to_owned()),
        };
        assert_eq!(log_line(message("a\nb".to_owned())), "[info db] a\\nb");
        let (fits, cut) = (log_line(message("x".repeat(9_990))), log_line(message("x".repeat(9_991))));
        assert_eq!((fits.chars().count(), fits.ends_with('x'), cut.ends_with('…')), (10_000, true, true));
    }
}
