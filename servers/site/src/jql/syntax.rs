//! The error of JQL that is no JQL, with Jira's sentences.
//!
//! In: what was expected and what was found. Out: a [`SyntaxError`]. The lexer and the grammar fail with a [`Failure`], which knows a place
//! in the text; `parse` makes line and character of it.

use std::fmt;

use winnow::error::ParserError;
use winnow::stream::Stream;

use super::lexer::Token;

/// The error of a text that is not JQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Jira's sentence, with the line and the character in it if it has them.
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}

/// The usual beginning of a sentence.
const BEGINNING: &str = "Error in the JQL Query: ";
/// The beginning of the sentences about operands, which Jira writes differently.
const BEGINNING_OF_OPERANDS: &str = "Error in JQL Query: ";
const OPERATORS: &str =
    "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'.";
const ESCAPES: &str = r#"The valid escape sequences are \', \", \t, \n, \r, \\, '\ ' and \uXXXX."#;

/// A sentence, and the byte of the text that it is about.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    beginning: &'static str,
    sentence: Sentence,
    at: Option<usize>,
}

#[derive(Clone, Debug)]
enum Sentence {
    /// The sentence about a character that may not stand there, which names its place in the middle.
    IllegalCharacter(char),
    Other(String),
}

impl Failure {
    fn new(sentence: String, at: Option<usize>) -> Self {
        // A sentence is one line, whatever the query has in it.
        let sentence = Sentence::Other(sentence.replace(['\n', '\r'], " "));
        Self { beginning: BEGINNING, sentence, at }
    }

    /// Makes an error without a place.
    pub(super) fn plain(sentence: impl Into<String>) -> Self {
        Self::new(sentence.into(), None)
    }

    /// Makes the error of the outside world.
    pub(super) fn render(self, jql: &str) -> SyntaxError {
        let place = self.at.and_then(|at| jql.get(..at)).map(|before| {
            let line = before.matches('\n').count() + 1;
            (line, before.rsplit('\n').next().unwrap_or(before).chars().count() + 1)
        });
        let sentence = match self.sentence {
            Sentence::Other(sentence) => sentence,
            Sentence::IllegalCharacter(character) => {
                let shown = match character {
                    '\t' => "TAB".to_owned(),
                    _ => format!("U+{:04X}", character as u32),
                };
                let (line, position) = place.unwrap_or_default();
                let escape = escape_of(character);
                format!(
                    "The character '{shown}' on line {line} at position {position} must be escaped. Use the escape '{escape}' instead."
                )
            }
        };
        let place = place.map_or_else(String::new, |(line, at)| format!(" (line {line}, character {at})"));
        SyntaxError { message: format!("{}{sentence}{place}", self.beginning) }
    }

    pub(super) fn unfinished_text(text: &str, at: usize) -> Self {
        let named = if text.trim().is_empty() { String::new() } else { format!(" '{text}'") };
        Self::new(format!("The quoted string{named} has not been completed."), Some(at))
    }

    pub(super) fn illegal_escape(escape: &str, at: usize) -> Self {
        let sentence = match escape {
            "" => format!("The escape sequence has not been completed. {ESCAPES}"),
            _ => format!("'{escape}' is an illegal JQL escape sequence. {ESCAPES}"),
        };
        Self::new(sentence, Some(at))
    }

    pub(super) fn illegal_character(character: char, at: usize) -> Self {
        Self { beginning: BEGINNING, sentence: Sentence::IllegalCharacter(character), at: Some(at) }
    }

    pub(super) fn reserved_character(character: char, at: usize) -> Self {
        let escape = escape_of(character);
        let hint = format!("You must enclose it in a string or use the escape '{escape}' instead.");
        Self::new(format!("The character '{character}' is a reserved JQL character. {hint}"), Some(at))
    }

    pub(super) fn reserved_word(word: &str, at: usize) -> Self {
        let hint = "You must surround it in quotation marks to use it in a query.";
        Self::new(format!("'{word}' is a reserved JQL word. {hint}"), Some(at))
    }

    pub(super) fn illegal_number(number: &str, at: usize) -> Self {
        let range = "Numbers must be between -9,223,372,036,854,775,808 and 9,223,372,036,854,775,807.";
        Self::new(format!("'{number}' is not a valid number. {range}"), Some(at))
    }

    pub(super) fn empty_field_name(at: usize) -> Self {
        Self::new("A field name cannot be empty.".to_owned(), Some(at))
    }

    pub(super) fn empty_function_name(at: usize) -> Self {
        Self::new("A function name cannot be empty.".to_owned(), Some(at))
    }

    pub(super) fn field_name(found: Option<&Token>) -> Self {
        let Some(token) = found else {
            return Self::plain("Expecting a field name at the end of the query.");
        };
        let text = &token.text;
        let sentence = match text.as_str() {
            "[" => "Expecting a field name but got '['. Did you mean 'cf['?".to_owned(),
            _ => format!(
                "Expecting a field name but got '{text}'. You must surround '{text}' in quotation marks to use it as a field name."
            ),
        };
        Self::new(sentence, Some(token.at))
    }

    pub(super) fn operator(found: Option<&Token>) -> Self {
        match found {
            Some(token) => {
                Self::new(format!("Expecting operator but got '{}'. {OPERATORS}", token.text), Some(token.at))
            }
            None => Self::plain(format!("Expecting operator before the end of the query. {OPERATORS}")),
        }
    }

    pub(super) fn operand(found: Option<&Token>) -> Self {
        let expecting = "Expecting either a value, list or function";
        let failure = match found {
            Some(Token { text, at, .. }) => Self::new(
                format!(
                    "{expecting} but got '{text}'. You must surround '{text}' in quotation marks to use it as a value."
                ),
                Some(*at),
            ),
            None => Self::plain(format!("{expecting} before the end of the query.")),
        };
        Self { beginning: BEGINNING_OF_OPERANDS, ..failure }
    }

    pub(super) fn argument(found: Option<&Token>) -> Self {
        match found {
            Some(Token { text, at, .. }) => Self::new(
                format!(
                    "Expecting a function argument but got '{text}'. You must surround '{text}' in quotation marks to use it as an argument."
                ),
                Some(*at),
            ),
            None => Self::plain("Expecting a function argument at the end of the query."),
        }
    }

    pub(super) fn missing_argument(found: &Token) -> Self {
        Self::new("Function argument must be specified.".to_owned(), Some(found.at))
    }

    pub(super) fn custom_field_id(found: Option<&Token>) -> Self {
        let expecting = "Expecting a custom field id (a positive number)";
        match found {
            Some(token) => Self::new(format!("{expecting} but got '{}'.", token.text), Some(token.at)),
            None => Self::plain(format!("{expecting} before the end of the query.")),
        }
    }

    pub(super) fn logical_operator(found: &Token) -> Self {
        Self::new(format!("Expecting either 'OR' or 'AND' but got '{}'.", found.text), Some(found.at))
    }

    pub(super) fn direction(found: &Token) -> Self {
        Self::new(format!("Expecting either 'ASC' or 'DESC' but got '{}'.", found.text), Some(found.at))
    }

    /// The error for a token that is not the one that has to come, such as `')'` or `')' or ','`.
    pub(super) fn expected(expected: &str, found: Option<&Token>) -> Self {
        match found {
            Some(token) => {
                Self::new(format!("Expecting {expected} but got '{}'.", token.text), Some(token.at))
            }
            None => Self::plain(format!("Expecting {expected} before the end of the query.")),
        }
    }
}

fn escape_of(character: char) -> String {
    format!("\\u{:04x}", character as u32)
}

// The parsers say themselves what they expected; this is for a combinator that has nothing to say.
impl<I: Stream> ParserError<I> for Failure {
    type Inner = Self;

    fn from_input(_: &I) -> Self {
        Self::plain("The query could not be parsed.")
    }

    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}
