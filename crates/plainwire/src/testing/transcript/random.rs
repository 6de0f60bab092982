//! Placeholders for values that differ in each run.
//!
//! In: frames of both sides, in order. Out: frames with the placeholders `{state 1}`, `{nextCursor}` and
//! `{random}`; or frames of the client with placeholders replaced by the values.

/// The random values that the server of one connection has sent so far.
#[derive(Default)]
pub(super) struct Random {
    /// The newest `nextCursor` that the server has sent; `None` before the first.
    cursor: Option<String>,
    /// The `requestState` texts for which `{state 1}`, `{state 2}` and so on stand, in this order.
    states: Vec<String>,
}

/// The text in a frame in front of the value of a `requestState`. Where this text is inside a JSON string,
/// its quotes are escaped by backslashes, so the search does not find it there.
const STATE: &str = "\"requestState\":\"";
const ELICITATION: &str = "\"elicitationId\":\"";
const NEXT_CURSOR: &str = "\"nextCursor\":\"";

impl Random {
    /// Returns a frame of the server with placeholders for each `requestState` and `elicitationId`, and
    /// remembers its states and its `nextCursor`. The cursor stays in the frame.
    pub(super) fn write_server(&mut self, frame: &str) -> String {
        if let Some((_, rest)) = frame.rsplit_once(NEXT_CURSOR) {
            self.cursor = rest.split('"').next().map(ToOwned::to_owned);
        }
        let mut parts = frame.split(STATE);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (state, rest) = part.split_once('"').unwrap_or((part, ""));
            let known = self.states.iter().position(|it| it == state);
            let n = known.unwrap_or_else(|| {
                self.states.push(state.to_owned());
                self.states.len() - 1
            });
            text += &format!("{STATE}{{state {}}}\"{rest}", n + 1);
        }
        without_ids(&text)
    }

    /// Returns a line of the client with its placeholders replaced by the values that the server has sent.
    /// Placeholders without a value stay.
    pub(super) fn fill_in(&self, line: &str) -> String {
        let line = match &self.cursor {
            Some(cursor) => line.replace("{nextCursor}", cursor),
            None => line.to_owned(),
        };
        let states = self.states.iter().enumerate();
        states.fold(line, |line, (n, state)| line.replace(&format!("{{state {}}}", n + 1), state))
    }

    /// Returns a frame of the client with its random values replaced by placeholders.
    pub(super) fn write_client(&self, frame: &str) -> String {
        let states = self.states.iter().enumerate();
        let frame = states.fold(frame.to_owned(), |frame, (n, state)| {
            frame.replace(&format!("{STATE}{state}\""), &format!("{STATE}{{state {}}}\"", n + 1))
        });
        match &self.cursor {
            Some(cursor) => frame.replace(&format!("\"cursor\":\"{cursor}\""), "\"cursor\":\"{nextCursor}\""),
            None => frame,
        }
    }
}

/// Replaces each `elicitationId`, the random id of a page that a user is asked to open, by `{random}`.
fn without_ids(text: &str) -> String {
    let mut parts = text.split(ELICITATION);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once('"') {
        Some((_, rest)) => format!("{text}{ELICITATION}{{random}}\"{rest}"),
        None => format!("{text}{ELICITATION}{part}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_numbers_for_states_and_sends_the_states() {
        let mut random = Random::default();
        let frame = |state: &str| format!(r#"{{"id":1,"result":{{"requestState":"{state}","a":"b"}}}}"#);
        assert_eq!(random.write_server(&frame("xyz")), frame("{state 1}"));
        assert_eq!(random.write_server(&frame("uvw")), frame("{state 2}"));
        assert_eq!(random.write_server(&frame("xyz")), frame("{state 1}"));
        assert_eq!(random.fill_in("{state 2} {state 1}x {state 3}"), "uvw xyzx {state 3}");
        assert_eq!(random.write_client(&frame("uvw")), frame("{state 2}"));
        assert_eq!(random.write_client(&frame("uvwx")), frame("uvwx"));
        let quoted = r#"{"text":"\"requestState\":\"abc\""}"#;
        assert_eq!(random.write_server(quoted), quoted);
    }

    #[test]
    fn names_the_last_cursor_and_no_other_one() {
        let mut random = Random::default();
        let ask = |cursor: &str| format!(r#"{{"params":{{"cursor":"{cursor}"}}}}"#);
        assert_eq!(random.fill_in(&ask("{nextCursor}")), ask("{nextCursor}"));
        let page = r#"{"result":{"tools":[],"nextCursor":"abc"}}"#;
        assert_eq!(random.write_server(page), page);
        assert_eq!(random.fill_in(&ask("{nextCursor}")), ask("abc"));
        assert_eq!(random.write_client(&ask("abc")), ask("{nextCursor}"));
        assert_eq!(random.write_client(&ask("abcd")), ask("abcd"));
    }

    #[test]
    fn writes_random_for_the_name_of_a_page() {
        let frame = |id: &str| format!(r#"{{"elicitationId":"{id}","x":{{"elicitationId":"{id}"}}}}"#);
        assert_eq!(Random::default().write_server(&frame("a-b")), frame("{random}"));
    }
}
