//! Output of Markdown, line by line. Each line begins with the prefix of the blocks around it, such as `> `.

/// The text that was written so far, and the prefix of every new line.
pub(super) struct Out {
    pub(super) text: String,
    prefix: String,
    /// True if the prefix of the current line is still to be written.
    fresh: bool,
}

impl Out {
    pub(super) fn new() -> Self {
        Self { text: String::new(), prefix: String::new(), fresh: true }
    }

    /// Writes a part of a line, after the prefix if it is the first part.
    pub(super) fn push(&mut self, part: &str) {
        self.begin();
        self.text.push_str(part);
    }

    /// Writes the prefix of the line, if it is not yet written.
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

    /// Ends the line and leaves a blank line.
    pub(super) fn blank(&mut self) {
        self.line();
        self.line();
    }

    /// Writes the lines of `text` unchanged, each after the prefix.
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

    /// Returns whether the lines begin at the margin, in no quote and no item.
    pub(super) fn is_at_top(&self) -> bool {
        self.prefix.is_empty()
    }

    /// Writes `marker` on the current line, and adds `rest` to the prefix of the lines after it.
    /// [`Out::leave`] with the returned value removes `rest` from the prefix.
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
