//! A hostile server on stdin and stdout. It reads nothing while it writes.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use super::{Handled, Message, good};
use crate::behaviours::{ServerBehaviour, Then};
use crate::client::messages::Transport;
use crate::text::Values;

/// Serves until the input ends. `scale` divides the number of repetitions.
pub(crate) fn serve(behaviour: &ServerBehaviour, scale: u32) {
    let mut out = std::io::stdout();
    let (mut values, mut handled) = (Values { scale, ..Values::default() }, Handled::default());
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some(message) = Message::read(&line) else { continue };
        let id = message.id.unwrap_or_default();
        match handled.next(behaviour, &message.method, !id.is_empty()) {
            None if id.is_empty() => {}
            None => {
                let _ = writeln!(out, "{}", good(Transport::Stdio, &message.method, &id).0);
            }
            Some(then @ (Then::Says { .. } | Then::SaysEach(_))) => {
                (values.id, values.token) = (id, message.token);
                for message in then.says(scale) {
                    let message = values.fill(message);
                    if out.write_all(&message).and_then(|()| out.write_all(b"\n")).is_err() {
                        return;
                    }
                }
                let _ = out.flush();
            }
            Some(Then::Dies) => {
                let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"resu"#);
                let _ = out.flush();
                return;
            }
            Some(Then::Silence | Then::Sends(_)) => {}
        }
    }
    // Like a server that does not notice the end of its input.
    std::thread::sleep(Duration::from_secs(30));
}
