//! The texts that `~` looks for.
//!
//! In: a text in the form of Jira's text searches: `crash login`, `"exact phrase"`, `log*`, `-slow`, `a OR b`. Out: an expression for FTS5.
//! What FTS5 cannot do exactly is refused: wildcards inside of a word, words that sound alike, ranges.
//!
//! Source: <https://support.atlassian.com/jira-software-cloud/docs/search-for-issues-using-the-text-field/>.

use winnow::Parser;
use winnow::combinator::{alt, delimited, opt, peek, preceded, repeat};
use winnow::error::{EmptyError, ErrMode, ModalResult};
use winnow::stream::Stateful;
use winnow::token::{any, none_of, one_of, take_while};

use super::{MAX_TEXT_DEPTH, MAX_WORDS};

/// What a text is to have in it, as expressions of FTS5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A text that matches.
    Match(String),
    /// A text that does not match: of a search for `-word` only.
    NoMatch(String),
    /// Nothing: the search has only words that do not count, such as "the".
    Nothing,
}

/// Why a text cannot be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It has no meaning in Jira either.
    Meaningless,
    /// Jira can do it.
    Lacking(&'static str),
    /// It has too many words.
    TooLong,
}

/// The words that Jira leaves out of searches, unless they are in a phrase.
const STOP_WORDS: &str = "\
    a an and are as at be but by for if in into is it no not of on or such that the their then there \
    these they this to was will with";

const WILDCARDS: Refusal = Refusal::Lacking("text searches with wildcards inside of words");
const FUZZY: Refusal = Refusal::Lacking("text searches for similar words");
const RANGES: Refusal = Refusal::Lacking("text searches for ranges");
const MIXED: Refusal = Refusal::Lacking("text searches that mix AND and OR without parentheses");

/// Reads the text of a search.
pub(super) fn read(text: &str) -> Result<Wanted, Refusal> {
    let mut input = Input { input: text, state: Progress::default() };
    let tree = match (group, blanks).parse_next(&mut input) {
        Ok((tree, _)) if input.input.is_empty() => tree,
        // Something is left, such as a parenthesis without its partner.
        Ok(_) => return Err(Refusal::Meaningless),
        Err(_) => return Err(input.state.refusal.unwrap_or(Refusal::Meaningless)),
    };
    Ok(match tree {
        Tree::Nothing => Wanted::Nothing,
        Tree::Yes(expression) => Wanted::Match(expression),
        Tree::No(expression) => Wanted::NoMatch(expression),
    })
}

type Input<'s> = Stateful<&'s str, Progress>;
type Read<T> = ModalResult<T, EmptyError>;

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    depth: usize,
    words: usize,
    refusal: Option<Refusal>,
}

/// A part of a search, as an expression of FTS5.
enum Tree {
    No(String),
    Nothing,
    Yes(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joined {
    And,
    Or,
}

fn blanks(input: &mut Input<'_>) -> Read<()> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

fn refuse<T>(input: &mut Input<'_>, refusal: Refusal) -> Read<T> {
    input.state.refusal = Some(refusal);
    Err(ErrMode::Cut(EmptyError))
}

/// Parts side by side, with or without `AND` and `OR` between them.
fn group(input: &mut Input<'_>) -> Read<Tree> {
    let first = element(input)?;
    let mut parts = vec![first];
    let mut joined = None;
    while let Some(this) = opt(conjunction).parse_next(input)? {
        if *joined.get_or_insert(this) != this {
            return refuse(input, MIXED);
        }
        // An operator has something on its right.
        let Some(part) = opt(element).parse_next(input)? else { return refuse(input, Refusal::Meaningless) };
        parts.push(part);
    }
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Tree::No(expression) => no.push(expression),
            Tree::Nothing => {}
            Tree::Yes(expression) => yes.push(expression),
        }
    }
    if joined == Some(Joined::Or) && !no.is_empty() {
        return refuse(input, Refusal::Lacking("text searches for one word or the lack of another"));
    }
    let glue = if joined == Some(Joined::Or) { " OR " } else { " AND " };
    Ok(match (yes.is_empty(), no.is_empty()) {
        (true, true) => Tree::Nothing,
        (true, false) => Tree::No(format!("({})", no.join(" OR "))),
        (false, true) => Tree::Yes(format!("({})", yes.join(glue))),
        (false, false) => Tree::Yes(format!("(({}) NOT ({}))", yes.join(glue), no.join(" OR "))),
    })
}

/// What joins two parts: a word, or nothing but that there is another part.
fn conjunction(input: &mut Input<'_>) -> Read<Joined> {
    let and = alt((word("AND"), "&&".void())).value(Joined::And);
    let or = alt((word("OR"), "||".void())).value(Joined::Or);
    let nothing = peek(none_of(')')).value(Joined::And);
    preceded(blanks, alt((and, or, nothing))).parse_next(input)
}

/// A word of the language of searches, in capital letters.
fn word<'s>(text: &'static str) -> impl Parser<Input<'s>, (), ErrMode<EmptyError>> {
    (text, peek(alt((one_of([' ', '\t', '\r', '\n', '(', '"']).void(), winnow::combinator::eof.void()))))
        .void()
}

fn element(input: &mut Input<'_>) -> Read<Tree> {
    blanks.parse_next(input)?;
    if opt(peek(alt((word("AND"), word("OR"), "&&".void(), "||".void())))).parse_next(input)?.is_some() {
        return refuse(input, Refusal::Meaningless);
    }
    let is_not = opt(alt((word("NOT"), one_of(['-', '!']).void()))).parse_next(input)?.is_some();
    if is_not {
        blanks.parse_next(input)?;
    } else {
        opt('+').parse_next(input)?;
    }
    let operand = opt(alt((parenthesised, phrase, simple))).parse_next(input)?;
    match operand {
        // A sign with nothing behind it.
        None => refuse(input, Refusal::Meaningless),
        Some(Tree::Yes(expression)) if is_not => Ok(Tree::No(expression)),
        Some(Tree::No(_)) if is_not => {
            refuse(input, Refusal::Lacking("text searches that negate a negation"))
        }
        Some(tree) => Ok(tree),
    }
}

fn parenthesised(input: &mut Input<'_>) -> Read<Tree> {
    '('.parse_next(input)?;
    input.state.depth += 1;
    if input.state.depth > MAX_TEXT_DEPTH {
        return refuse(input, Refusal::TooLong);
    }
    let tree = group(input)?;
    input.state.depth -= 1;
    if opt((blanks, ')')).parse_next(input)?.is_none() {
        return refuse(input, Refusal::Meaningless);
    }
    boost(input)?;
    match tree {
        Tree::No(_) => refuse(input, Refusal::Lacking("text searches with only negations in parentheses")),
        tree => Ok(tree),
    }
}

fn phrase(input: &mut Input<'_>) -> Read<Tree> {
    let character = alt((preceded('\\', any), none_of(['"', '\\'])));
    let begin = input.input;
    let text: Option<String> = opt(delimited('"', repeat(0.., character), '"')).parse_next(input)?;
    let Some(text) = text else {
        // A quotation mark without its partner.
        return if begin.starts_with('"') {
            refuse(input, Refusal::Meaningless)
        } else {
            Err(ErrMode::Backtrack(EmptyError))
        };
    };
    if input.input.starts_with('~') {
        return refuse(input, Refusal::Lacking("text searches for words near each other"));
    }
    boost(input)?;
    count(input)?;
    Ok(if has_words(&text) { Tree::Yes(quoted(&text)) } else { Tree::Nothing })
}

/// A word without quotes, perhaps with a star at its end.
fn simple(input: &mut Input<'_>) -> Read<Tree> {
    let character = alt((
        preceded('\\', any),
        any.verify(|it: &char| {
            !it.is_whitespace()
                && !matches!(it, '"' | '(' | ')' | '\\' | '*' | '?' | '^' | '~' | '[' | ']' | '{' | '}')
        }),
    ));
    let text: String = repeat(0.., character).parse_next(input)?;
    let refusal = match input.input.chars().next() {
        Some('*') if !text.is_empty() && ends_word(input.input.get(1..)) => None,
        Some('*' | '?') => Some(WILDCARDS),
        Some('~') => Some(FUZZY),
        Some('[' | '{') if input.input.contains([']', '}']) => Some(RANGES),
        Some('[' | ']' | '{' | '}' | '\\') => Some(Refusal::Meaningless),
        _ if text.is_empty() => return Err(ErrMode::Backtrack(EmptyError)),
        _ => None,
    };
    if let Some(refusal) = refusal {
        return refuse(input, refusal);
    }
    let is_prefix = opt('*').parse_next(input)?.is_some();
    boost(input)?;
    count(input)?;
    let is_stop_word = !is_prefix && STOP_WORDS.split(' ').any(|it| it.eq_ignore_ascii_case(&text));
    Ok(match (has_words(&text), is_prefix) {
        (true, true) => Tree::Yes(format!("{}*", quoted(&text))),
        (true, false) if !is_stop_word => Tree::Yes(quoted(&text)),
        _ => Tree::Nothing,
    })
}

fn ends_word(rest: Option<&str>) -> bool {
    rest.and_then(|it| it.chars().next()).is_none_or(|it| it.is_whitespace() || it == ')' || it == '^')
}

/// How much a part counts for the order of relevance, which this site does not have: it changes nothing about what is found.
fn boost(input: &mut Input<'_>) -> Read<()> {
    if opt('^').parse_next(input)?.is_some() {
        let number: &str = take_while(0.., |it: char| it.is_ascii_digit() || it == '.').parse_next(input)?;
        if number.parse::<f64>().is_err() {
            return refuse(input, Refusal::Meaningless);
        }
    }
    Ok(())
}

fn count(input: &mut Input<'_>) -> Read<()> {
    input.state.words += 1;
    if input.state.words > MAX_WORDS { refuse(input, Refusal::TooLong) } else { Ok(()) }
}

/// Whether the index can have a word of the text.
fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// A string of FTS5. Nothing in it is an operator; several words are a phrase.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\0', " ").replace('"', "\"\""))
}
