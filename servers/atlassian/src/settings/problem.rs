//! What is wrong with settings: all of it at once, so that nobody has to start the server once per mistake.

use std::fmt;

use super::layers::Source;

/// A setting that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The name of the variable, as it was written; in capital letters.
    pub name: String,
    /// Where its value comes from; `None` for one that is not set.
    pub source: Option<Source>,
    /// What was expected, and what was found. Never a secret.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source {
            Some(source) => write!(f, "{} ({source}): {}", self.name, self.message),
            None => write!(f, "{}: {}", self.name, self.message),
        }
    }
}

/// All that is wrong with settings: at least one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    /// Writes a line for each problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
