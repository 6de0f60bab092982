//! A hostile server on stdin and stdout. It reads nothing while it writes.

use std::io::{BufRead as _, Write as _};
use std::time::Duration;

use super::{good, request};
use crate::behaviours::{ServerBehaviour, Then};
use crate::text::Values;

/// Serves until the input ends. `scale` divides the number of repetitions.
pub(crate) fn serve(behaviour: &ServerBehaviour, scale: u32) {
    let mut out = std::io::stdout();
    let mut values = Values::default();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some((method, id, token)) = request(&line) else { continue };
        if !(behaviour.on.is_empty() || behaviour.on == method) {
            let _ = writeln!(out, "{}", good(&method, &id));
            continue;
        }
        match behaviour.then {
            Then::Says { messages, times } => {
                (values.id, values.token) = (id, token);
                for at in 0..(times / scale).max(messages.len().min(times as usize) as u32) {
                    let message = values.fill(messages[at as usize % messages.len()]);
                    if out.write_all(&message).and_then(|()| out.write_all(b"\n")).is_err() {
                        return;
                    }
                }
                let _ = out.flush();
            }
            Then::Dies => {
                let _ = write!(out, r#"{{"jsonrpc":"2.0","id":{id},"resu"#);
                let _ = out.flush();
                return;
            }
            Then::Silence | Then::Sends(_) => {}
        }
    }
    // Like a server that does not notice the end of its input.
    std::thread::sleep(Duration::from_secs(30));
}
