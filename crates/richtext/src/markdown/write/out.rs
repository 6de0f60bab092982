//! Where Markdown is written to: lines, each with what its holders put before it.

/// The text so far, and what every new line begins with.
pub(super) struct Out {
    pub(super) text: String,
    prefix: String,
    /// Whether the prefix of this line is still to be written.
    fresh: bool,
}

impl Out {
    pub(super) fn new() -> Self {
        Self { text: String::new(), prefix: String::new(), fresh: true }
    }

    /// Writes a part of a line.
    pub(super) fn push(&mut self, part: &str) {
        self.begin();
        self.text.push_str(part);
    }

    /// Writes what the line begins with, if that is still to be done.
    pub(super) fn begin(&mut self) {
        if self.fresh {
            self.text.push_str(&self.prefix);
            self.fresh = false;
        }
    }

    /// Ends the line.
    pub(super) fn line(&mut self) {
        if self.fresh {
            self.text.push_str(self.prefix.trim_end());
        }
        self.text.push('\n');
        self.fresh = true;
    }

    /// Ends the line and leaves one blank.
    pub(super) fn blank(&mut self) {
        self.line();
        self.line();
    }

    /// Writes lines that are what they are.
    pub(super) fn lines(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.line();
            }
            if !line.is_empty() {
                self.push(line);
            }
        }
    }

    /// Writes `marker`, and `rest` before each further line until [`Out::leave`] with what this returns.
    pub(super) fn enter(&mut self, marker: &str, rest: &str) -> usize {
        self.push(marker);
        let before = self.prefix.len();
        self.prefix.push_str(rest);
        before
    }

    pub(super) fn leave(&mut self, before: usize) {
        self.prefix.truncate(before);
    }
}
