//! The tokens of JQL.
//!
//! In: text. Out: [`Token`]s with their escapes resolved, or the error of the first character or word that may not stand there. As in Jira,
//! the whole text is cut before any of it is understood: an error here comes before each error of the grammar.
//!
//! Source: the grammar and the reserved words of Jira's own parser, which its tests list.

use winnow::ModalResult;
use winnow::Parser as _;
use winnow::combinator::{alt, dispatch, empty, eof, fail, opt, preceded, repeat, terminated};
use winnow::error::ErrMode;
use winnow::stream::{LocatingSlice, Location as _, Stream as _};
use winnow::token::{any, one_of, take_while};

use super::syntax::Failure;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The text, without quotes and escapes.
    pub(super) text: String,
    /// The byte at which it begins.
    pub(super) at: usize,
}

/// A kind of token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bang,
    Close,
    Comma,
    Equals,
    Greater,
    GreaterOrEqual,
    Keyword(Keyword),
    LeftBracket,
    Less,
    LessOrEqual,
    Like,
    NotEquals,
    NotLike,
    Number,
    Open,
    Quoted,
    RightBracket,
    Word,
}

/// A word of the language itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    After,
    And,
    Asc,
    Before,
    By,
    Cf,
    Changed,
    Desc,
    During,
    Empty,
    From,
    In,
    Is,
    Not,
    On,
    Or,
    Order,
    To,
    Was,
}

type Input<'s> = LocatingSlice<&'s str>;

/// Cuts a text into tokens.
pub(super) fn tokens(jql: &str) -> Result<Vec<Token>, Failure> {
    let mut input = Input::new(jql);
    let all = repeat(0.., terminated(token, blanks));
    (blanks, all, eof).map(|(_, tokens, _)| tokens).parse_next(&mut input).map_err(failure)
}

/// Returns the error inside of a mode.
pub(super) fn failure(error: ErrMode<Failure>) -> Failure {
    match error {
        ErrMode::Backtrack(failure) | ErrMode::Cut(failure) => failure,
        // Never of an input that is whole.
        ErrMode::Incomplete(_) => Failure::plain("The query could not be parsed."),
    }
}

fn blanks(input: &mut Input<'_>) -> ModalResult<(), Failure> {
    take_while(0.., [' ', '\t', '\r', '\n']).void().parse_next(input)
}

fn token(input: &mut Input<'_>) -> ModalResult<Token, Failure> {
    let at = input.current_token_start();
    let (kind, text) = alt((symbol, quoted, word, unexpected)).parse_next(input)?;
    if kind == Kind::Word && is_reserved(&text) {
        return Err(ErrMode::Cut(Failure::reserved_word(&text, at)));
    }
    Ok(Token { kind, text, at })
}

fn symbol(input: &mut Input<'_>) -> ModalResult<(Kind, String), Failure> {
    let kind = dispatch! { any;
        '(' => empty.value(Kind::Open),
        ')' => empty.value(Kind::Close),
        '[' => empty.value(Kind::LeftBracket),
        ']' => empty.value(Kind::RightBracket),
        ',' => empty.value(Kind::Comma),
        '=' => empty.value(Kind::Equals),
        '~' => empty.value(Kind::Like),
        '&' => opt('&').value(Kind::Keyword(Keyword::And)),
        '|' => opt('|').value(Kind::Keyword(Keyword::Or)),
        '<' => opt('=').map(|it| if it.is_some() { Kind::LessOrEqual } else { Kind::Less }),
        '>' => opt('=').map(|it| if it.is_some() { Kind::GreaterOrEqual } else { Kind::Greater }),
        '!' => opt(one_of(['=', '~'])).map(|it| match it {
            Some('=') => Kind::NotEquals,
            Some(_) => Kind::NotLike,
            None => Kind::Bang,
        }),
        _ => fail,
    };
    kind.with_taken().map(|(kind, text): (Kind, &str)| (kind, text.to_owned())).parse_next(input)
}

/// A text in quotes of either kind. It may have line breaks in it, but no other control characters.
fn quoted(input: &mut Input<'_>) -> ModalResult<(Kind, String), Failure> {
    let at = input.current_token_start();
    let quote = one_of(['"', '\'']).parse_next(input)?;
    let plain = move |input: &mut Input<'_>| {
        let at = input.current_token_start();
        let character = any.verify(|it| *it != quote && *it != '\\').parse_next(input)?;
        match is_control(character) {
            true => Err(ErrMode::Cut(Failure::illegal_character(character, at))),
            false => Ok(character),
        }
    };
    let text: String = repeat(0.., alt((escape, plain))).parse_next(input)?;
    match opt(quote).parse_next(input)? {
        Some(_) => Ok((Kind::Quoted, text)),
        None => Err(ErrMode::Cut(Failure::unfinished_text(&text, at))),
    }
}

/// A word without quotes, a whole number, or a keyword.
fn word(input: &mut Input<'_>) -> ModalResult<(Kind, String), Failure> {
    let pieces = repeat(1.., alt((escape, any.verify(|it| may_stand_in_word(*it)))));
    let (text, raw): (String, &str) = pieces.with_taken().parse_next(input)?;
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let kind = match keyword(raw) {
        Some(keyword) => Kind::Keyword(keyword),
        None if !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) => Kind::Number,
        None => Kind::Word,
    };
    Ok((kind, text))
}

fn escape(input: &mut Input<'_>) -> ModalResult<char, Failure> {
    let at = input.current_token_start();
    '\\'.parse_next(input)?;
    let illegal = |escape: &str| ErrMode::Cut(Failure::illegal_escape(escape, at));
    match opt(any).parse_next(input)? {
        None => Err(illegal("")),
        Some('t') => Ok('\t'),
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some(character @ ('"' | '\'' | '\\' | ' ')) => Ok(character),
        Some('u') => {
            let unit = code_unit(input).map_err(|read| illegal(&format!("\\u{read}")))?;
            // Characters beyond the first 65,536 have two escapes.
            let low = match unit {
                0xD800..0xDC00 => opt(preceded("\\u", low_surrogate)).parse_next(input)?,
                _ => None,
            };
            let read = char::decode_utf16([unit].into_iter().chain(low)).next();
            Ok(read.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
        Some(other) => Err(illegal(&format!("\\{other}"))),
    }
}

/// Four hexadecimal digits; otherwise what was read, with the character that is none.
fn code_unit(input: &mut Input<'_>) -> Result<u16, String> {
    let mut read = String::new();
    while read.len() < 4 {
        let Some(character) = input.next_token() else { return Err(read) };
        read.push(character);
        if !character.is_ascii_hexdigit() {
            return Err(read);
        }
    }
    u16::from_str_radix(&read, 16).map_err(|_| read)
}

fn low_surrogate(input: &mut Input<'_>) -> ModalResult<u16, Failure> {
    let digits = take_while(4, |it: char| it.is_ascii_hexdigit());
    digits
        .verify_map(|it| u16::from_str_radix(it, 16).ok())
        .verify(|it| (0xDC00..=0xDFFF).contains(it))
        .parse_next(input)
}

/// Refuses a character that no token begins with.
fn unexpected(input: &mut Input<'_>) -> ModalResult<(Kind, String), Failure> {
    let at = input.current_token_start();
    let character: char = any.parse_next(input)?;
    Err(ErrMode::Cut(match is_control(character) {
        true => Failure::illegal_character(character, at),
        false => Failure::reserved_character(character, at),
    }))
}

fn may_stand_in_word(character: char) -> bool {
    let is_special = matches!(
        character,
        ' ' | '\t'
            | '\r'
            | '\n'
            | '\\'
            | '"'
            | '\''
            | '='
            | '!'
            | '<'
            | '>'
            | '('
            | ')'
            | '~'
            | ','
            | '['
            | ']'
            | '|'
            | '&'
            | '{'
            | '}'
            | '*'
            | '/'
            | '%'
            | '+'
            | '^'
            | '$'
            | '#'
            | '@'
            | '?'
            | ';'
    );
    !is_special && !is_control(character)
}

/// Returns whether a character has to be escaped, in quotes too.
pub(super) fn is_control(character: char) -> bool {
    matches!(
        character,
        '\0'..='\t' | '\u{b}'..='\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{fffe}'..='\u{ffff}'
    )
}

fn keyword(raw: &str) -> Option<Keyword> {
    Some(match raw.to_ascii_lowercase().as_str() {
        "after" => Keyword::After,
        "and" => Keyword::And,
        "asc" => Keyword::Asc,
        "before" => Keyword::Before,
        "by" => Keyword::By,
        "cf" => Keyword::Cf,
        "changed" => Keyword::Changed,
        "desc" => Keyword::Desc,
        "during" => Keyword::During,
        "empty" | "null" => Keyword::Empty,
        "from" => Keyword::From,
        "in" => Keyword::In,
        "is" => Keyword::Is,
        "not" => Keyword::Not,
        "on" => Keyword::On,
        "or" => Keyword::Or,
        "order" => Keyword::Order,
        "to" => Keyword::To,
        "was" => Keyword::Was,
        _ => return None,
    })
}

/// Returns whether a word has to stand in quotes, although the language has no use for it. Keywords are another matter.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.split(' ').any(|it| it.eq_ignore_ascii_case(word))
        || keyword(word).is_some_and(|it| it != Keyword::During)
}

/// The words that Jira keeps for later.
const RESERVED: &str = "\
    abort access add alias all alter any as audit avg begin between boolean break byte catch char \
    character check checkpoint collate collation column commit connect continue count create current \
    date decimal declare decrement default defaults define delete delimiter difference distinct divide \
    do double drop else encoding end equals escape exclusive exec execute exists explain false fetch \
    field file first float for function go goto grant greater group having identified if immediate \
    increment index initial inner inout input insert int integer intersect intersection into isempty \
    isnull join last left less like limit lock long max min minus mode modify modulo more multiply next \
    noaudit notin nowait number object of option outer output power previous prior privileges public \
    raise raw remainder rename resource return returns revoke right row rowid rownum rows select session \
    set share size sqrt start strict string subtract sum synonym table then trans transaction trigger \
    true uid union unique update user validate values view when whenever where while with";
