//! The grammar of JQL.
//!
//! In: tokens. Out: a [`Query`], or Jira's sentence about the first token that does not fit. Each parser here knows from its first token
//! whether it applies; after that it fails for good, so that the sentence is about the place where the text went wrong.

use winnow::ModalResult;
use winnow::Parser;
use winnow::combinator::{opt, preceded, repeat, separated};
use winnow::error::ErrMode;
use winnow::stream::{Stateful, Stream as _, TokenSlice};
use winnow::token::any;

use super::ast::{
    Clause, Direction, FieldName, Function, Operand, Operator, Predicate, PredicateKind, Query, Sort, Term,
};
use super::lexer::{self, Keyword, Kind, Token};
use super::syntax::{Failure, SyntaxError};
use super::{MAX_BYTES, MAX_DEPTH, MAX_VALUES};

/// Tokens, and how deep the parser is inside of parentheses and negations.
type Input<'t> = Stateful<TokenSlice<'t, Token>, usize>;
type Parsed<T> = ModalResult<T, Failure>;

/// Reads a query.
///
/// # Errors
/// A text that is not JQL, or is over a limit: [`MAX_BYTES`], [`MAX_DEPTH`], [`MAX_VALUES`].
pub fn parse(jql: &str) -> Result<Query, SyntaxError> {
    if jql.len() > MAX_BYTES {
        let sentence = format!("The query is too long. It can have at most {MAX_BYTES} bytes.");
        return Err(Failure::plain(sentence).render(jql));
    }
    let tokens = lexer::tokens(jql).map_err(|failure| failure.render(jql))?;
    let mut input = Input { input: TokenSlice::new(&tokens), state: 0 };
    query.parse_next(&mut input).map_err(|error| lexer::failure(error).render(jql))
}

fn query(input: &mut Input<'_>) -> Parsed<Query> {
    let clause = match kind(input) {
        None | Some(Kind::Keyword(Keyword::Order)) => None,
        Some(_) => Some(any_of(input)?),
    };
    let order = match input.peek_token() {
        None => Vec::new(),
        Some(token) if token.kind == Kind::Keyword(Keyword::Order) => {
            preceded(any, order).parse_next(input)?
        }
        Some(token) => return cut(Failure::logical_operator(token)),
    };
    Ok(Query { clause, order })
}

fn any_of(input: &mut Input<'_>) -> Parsed<Clause> {
    let all: Vec<_> = separated(1.., all_of, keyword(Keyword::Or)).parse_next(input)?;
    Ok(one_or(all, Clause::Or))
}

fn all_of(input: &mut Input<'_>) -> Parsed<Clause> {
    let all: Vec<_> = separated(1.., clause, keyword(Keyword::And)).parse_next(input)?;
    Ok(one_or(all, Clause::And))
}

fn one_or(mut all: Vec<Clause>, several: impl FnOnce(Vec<Clause>) -> Clause) -> Clause {
    match (all.len(), all.pop()) {
        (1, Some(one)) => one,
        (_, last) => {
            all.extend(last);
            several(all)
        }
    }
}

fn clause(input: &mut Input<'_>) -> Parsed<Clause> {
    match kind(input) {
        Some(Kind::Keyword(Keyword::Not) | Kind::Bang) => {
            let negated = preceded(any, nested(clause)).parse_next(input)?;
            Ok(Clause::Not(Box::new(negated)))
        }
        Some(Kind::Open) => {
            let inner = preceded(any, nested(any_of)).parse_next(input)?;
            expect(input, Kind::Close, "')'")?;
            Ok(inner)
        }
        _ => term.map(Clause::Term).parse_next(input),
    }
}

fn term(input: &mut Input<'_>) -> Parsed<Term> {
    let field = field(input)?;
    let operator = operator(input)?;
    let operand = match operator {
        Operator::Changed => None,
        _ => Some(operand(input)?),
    };
    if operator == Operator::Changed && begins_operand(input) {
        let operand = self::operand(input)?;
        return cut(Failure::plain(format!(
            "The CHANGED operator does not support the use of values without predicates. You must prefix the \
             {operand} value with a suitable predicate."
        )));
    }
    let predicates: Vec<Predicate> = repeat(0.., predicate).parse_next(input)?;
    let is_allowed = |it: &Predicate| match operator {
        Operator::Changed => true,
        Operator::Was | Operator::WasIn | Operator::WasNot | Operator::WasNotIn => {
            !matches!(it.kind, PredicateKind::From | PredicateKind::To)
        }
        _ => false,
    };
    if let Some(Predicate { kind, operand }) = predicates.iter().find(|it| !is_allowed(it)) {
        let (operator, kind) = (operator.constant(), kind.text());
        return cut(Failure::plain(format!(
            "The {operator} operator does not support the use of the {kind} {operand} predicate."
        )));
    }
    Ok(Term { field, operator, operand, predicates })
}

fn field(input: &mut Input<'_>) -> Parsed<FieldName> {
    let Some(token) = input.peek_token() else { return cut(Failure::field_name(None)) };
    match token.kind {
        Kind::Keyword(Keyword::Cf) => return custom_field(input),
        Kind::Word | Kind::Quoted | Kind::Number => {}
        _ => return cut(Failure::field_name(Some(token))),
    }
    if token.text.trim().is_empty() {
        return cut(Failure::empty_field_name(token.at));
    }
    let mut name: String = any.map(|it: &Token| it.text.clone()).parse_next(input)?;
    let mut is_property = false;
    while kind(input) == Some(Kind::LeftBracket) {
        is_property = true;
        let key = preceded(any, argument).parse_next(input)?;
        expect(input, Kind::RightBracket, "']'")?;
        let mut path = opt(any.verify(|it: &&Token| it.kind == Kind::Word && it.text.starts_with('.')));
        let path = path.parse_next(input)?.map_or("", |it| it.text.as_str());
        name = format!("{name}[{key}]{path}");
    }
    Ok(if is_property { FieldName::Property(name) } else { FieldName::Named(name) })
}

fn custom_field(input: &mut Input<'_>) -> Parsed<FieldName> {
    any.void().parse_next(input)?;
    expect(input, Kind::LeftBracket, "'['")?;
    let found = input.peek_token();
    let Some(token) = found.filter(|it| it.kind == Kind::Number && !it.text.starts_with('-')) else {
        return cut(Failure::custom_field_id(found));
    };
    let number = any.void().parse_next(input).and_then(|()| whole(token))?;
    expect(input, Kind::RightBracket, "']'")?;
    Ok(FieldName::Custom(number))
}

fn operator(input: &mut Input<'_>) -> Parsed<Operator> {
    let found = input.peek_token();
    let simple = match found.map(|it| it.kind) {
        Some(Kind::Equals) => Operator::Equals,
        Some(Kind::NotEquals) => Operator::NotEquals,
        Some(Kind::Less) => Operator::Less,
        Some(Kind::LessOrEqual) => Operator::LessOrEqual,
        Some(Kind::Greater) => Operator::Greater,
        Some(Kind::GreaterOrEqual) => Operator::GreaterOrEqual,
        Some(Kind::Like) => Operator::Like,
        Some(Kind::NotLike) => Operator::NotLike,
        Some(Kind::Keyword(Keyword::In)) => Operator::In,
        Some(Kind::Keyword(Keyword::Is)) => Operator::Is,
        Some(Kind::Keyword(Keyword::Not)) => Operator::NotIn,
        Some(Kind::Keyword(Keyword::Was)) => Operator::Was,
        Some(Kind::Keyword(Keyword::Changed)) => Operator::Changed,
        _ => return cut(Failure::operator(found)),
    };
    any.void().parse_next(input)?;
    match simple {
        Operator::NotIn => {
            expect(input, Kind::Keyword(Keyword::In), "'IN'")?;
            Ok(Operator::NotIn)
        }
        Operator::Is => match input.peek_token() {
            Some(token) if token.kind == Kind::Bang => cut(Failure::expected("'NOT'", Some(token))),
            _ => Ok(if opt(keyword(Keyword::Not)).parse_next(input)?.is_some() {
                Operator::IsNot
            } else {
                simple
            }),
        },
        Operator::Was => {
            let (not, within) = (opt(keyword(Keyword::Not)), opt(keyword(Keyword::In))).parse_next(input)?;
            Ok(match (not.is_some(), within.is_some()) {
                (false, false) => Operator::Was,
                (false, true) => Operator::WasIn,
                (true, false) => Operator::WasNot,
                (true, true) => Operator::WasNotIn,
            })
        }
        _ => Ok(simple),
    }
}

fn begins_operand(input: &Input<'_>) -> bool {
    use Kind::{Number, Open, Quoted, Word};
    matches!(kind(input), Some(Number | Open | Quoted | Word | Kind::Keyword(Keyword::Empty)))
}

fn operand(input: &mut Input<'_>) -> Parsed<Operand> {
    let found = input.peek_token();
    let Some(token) = found.filter(|_| begins_operand(input)) else { return cut(Failure::operand(found)) };
    any.void().parse_next(input)?;
    match token.kind {
        Kind::Open => nested(list).parse_next(input),
        Kind::Keyword(_) => Ok(Operand::Empty),
        _ if kind(input) == Some(Kind::Open) => function(token, input).map(Operand::Function),
        Kind::Number => whole(token).map(Operand::Number),
        _ => Ok(Operand::Text(token.text.clone())),
    }
}

fn list(input: &mut Input<'_>) -> Parsed<Operand> {
    let all: Vec<_> = separated(1.., operand, of_kind(Kind::Comma)).parse_next(input)?;
    expect(input, Kind::Close, "')'")?;
    if all.len() > MAX_VALUES {
        return cut(Failure::plain(format!(
            "A list can have at most {MAX_VALUES} values, but one has {}.",
            all.len()
        )));
    }
    Ok(Operand::List(all))
}

fn function(name: &Token, input: &mut Input<'_>) -> Parsed<Function> {
    if name.text.trim().is_empty() {
        return cut(Failure::empty_function_name(name.at));
    }
    any.void().parse_next(input)?;
    let mut arguments = Vec::new();
    match input.peek_token() {
        Some(token) if !matches!(token.kind, Kind::Close | Kind::Comma) => arguments.push(argument(input)?),
        _ => {}
    }
    while !arguments.is_empty() && kind(input) == Some(Kind::Comma) {
        any.void().parse_next(input)?;
        match input.peek_token() {
            Some(token) if token.kind == Kind::Close => return cut(Failure::missing_argument(token)),
            _ => arguments.push(argument(input)?),
        }
    }
    let is_plain = arguments.is_empty() || input.peek_token().is_none();
    expect(input, Kind::Close, if is_plain { "')'" } else { "')' or ','" })?;
    if arguments.len() > MAX_VALUES {
        return cut(Failure::plain(format!("A function can have at most {MAX_VALUES} arguments.")));
    }
    Ok(Function { name: name.text.clone(), arguments })
}

fn argument(input: &mut Input<'_>) -> Parsed<String> {
    match input.peek_token() {
        Some(token) if matches!(token.kind, Kind::Number | Kind::Quoted | Kind::Word) => {
            any.value(token.text.clone()).parse_next(input)
        }
        found => cut(Failure::argument(found)),
    }
}

fn predicate(input: &mut Input<'_>) -> Parsed<Predicate> {
    let kind = any
        .verify_map(|token: &Token| {
            Some(match token.kind {
                Kind::Keyword(Keyword::After) => PredicateKind::After,
                Kind::Keyword(Keyword::Before) => PredicateKind::Before,
                Kind::Keyword(Keyword::By) => PredicateKind::By,
                Kind::Keyword(Keyword::During) => PredicateKind::During,
                Kind::Keyword(Keyword::From) => PredicateKind::From,
                Kind::Keyword(Keyword::On) => PredicateKind::On,
                Kind::Keyword(Keyword::To) => PredicateKind::To,
                _ => return None,
            })
        })
        .parse_next(input)?;
    Ok(Predicate { kind, operand: operand(input)? })
}

fn order(input: &mut Input<'_>) -> Parsed<Vec<Sort>> {
    expect(input, Kind::Keyword(Keyword::By), "'by'")?;
    let all: Vec<Sort> = separated(1.., sort, of_kind(Kind::Comma)).parse_next(input)?;
    match (input.peek_token(), all.last()) {
        (None, _) => Ok(all),
        (Some(token), Some(Sort { direction: None, .. })) => cut(Failure::direction(token)),
        (found, _) => cut(Failure::expected("','", found)),
    }
}

fn sort(input: &mut Input<'_>) -> Parsed<Sort> {
    let field = field(input)?;
    let direction = match kind(input) {
        Some(Kind::Keyword(Keyword::Asc)) => Some(Direction::Ascending),
        Some(Kind::Keyword(Keyword::Desc)) => Some(Direction::Descending),
        _ => None,
    };
    if direction.is_some() {
        any.void().parse_next(input)?;
    }
    Ok(Sort { field, direction })
}

fn whole(token: &Token) -> Parsed<i64> {
    let number = token.text.parse();
    number.map_err(|_| ErrMode::Cut(Failure::illegal_number(&token.text, token.at)))
}

/// Runs a parser one level deeper.
fn nested<'t, T>(
    mut parser: impl Parser<Input<'t>, T, ErrMode<Failure>>,
) -> impl Parser<Input<'t>, T, ErrMode<Failure>> {
    move |input: &mut Input<'t>| {
        if input.state >= MAX_DEPTH {
            let sentence = format!("The query is nested too deeply. It can have at most {MAX_DEPTH} levels.");
            return cut(Failure::plain(sentence));
        }
        input.state += 1;
        let parsed = parser.parse_next(input);
        input.state -= 1;
        parsed
    }
}

fn kind(input: &Input<'_>) -> Option<Kind> {
    input.peek_token().map(|it| it.kind)
}

fn of_kind<'t>(kind: Kind) -> impl Parser<Input<'t>, &'t Token, ErrMode<Failure>> {
    any.verify(move |it: &&Token| it.kind == kind)
}

fn keyword<'t>(keyword: Keyword) -> impl Parser<Input<'t>, &'t Token, ErrMode<Failure>> {
    of_kind(Kind::Keyword(keyword))
}

fn expect(input: &mut Input<'_>, kind: Kind, shown: &str) -> Parsed<()> {
    match input.peek_token() {
        Some(token) if token.kind == kind => any.void().parse_next(input),
        found => cut(Failure::expected(shown, found)),
    }
}

fn cut<T>(failure: Failure) -> Parsed<T> {
    Err(ErrMode::Cut(failure))
}
