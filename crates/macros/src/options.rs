//! The options in the parentheses of an attribute. An option is a word, a word with a value, or a word with
//! names in parentheses.
//!
//! In: tokens. Out: the name of the entry and calls of builder methods. The module `table` lists the options.
//! Each may be given once, except for those in `table::REPEATED`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Result, Token, parenthesized};

use crate::entry::Kind;
use crate::name::{self, any_of, meant};
use crate::table::{self, Known, OPPOSITES, REPEATED, Takes};

/// The options of one entry.
#[derive(Default)]
pub(crate) struct Options {
    /// The position of the option `blocking`, if it was given.
    pub(crate) blocking: Option<Span>,
    /// The calls of builder methods that the options stand for, in order.
    pub(crate) calls: Vec<TokenStream>,
    /// Whether the option `description` was given.
    pub(crate) described: bool,
    pub(crate) name: Option<LitStr>,
    pub(crate) uri: Option<LitStr>,
    /// The variables or arguments for which `complete` has a function, each with the function.
    pub(crate) completed: Vec<(Ident, Expr)>,
    /// The names of the options that were read so far.
    given: Vec<Ident>,
}

impl Options {
    pub(crate) fn parse(kind: Kind, tokens: TokenStream) -> Result<Self> {
        let items = |input: ParseStream<'_>| Items::parse(kind, input);
        let Items { uri, items } = syn::parse::Parser::parse2(items, tokens)?;
        let mut options = Self { uri, ..Self::default() };
        for item in items {
            options.take(kind, item)?;
        }
        Ok(options)
    }

    fn take(&mut self, kind: Kind, item: Item) -> Result<()> {
        let word = item.name.to_string();
        let known = table::options(kind);
        let Some(option) = known.iter().find(|it| it.name == word) else {
            let names = table::names(known);
            let text = match meant(&word, &names) {
                Some(meant) => {
                    let attribute = kind.attribute();
                    format!(
                        "expected an option of `#[{attribute}]`, but found `{word}`; did you mean `{meant}`?"
                    )
                }
                None => format!("expected {}, but found `{word}`", any_of(&names)),
            };
            return Err(Error::new(item.name.span(), text));
        };
        self.once(&item.name, &word)?;
        let call = self.call(option, &item)?;
        self.calls.extend(call);
        self.given.push(item.name);
        Ok(())
    }

    fn once(&self, name: &Ident, word: &str) -> Result<()> {
        if !REPEATED.contains(&word) && self.given.iter().any(|it| it == word) {
            return Err(Error::new(name.span(), format!("expected `{word}` once, but found it again")));
        }
        let denied = OPPOSITES.iter().find_map(|&(one, other)| {
            let opposite = if one == word {
                other
            } else if other == word {
                one
            } else {
                return None;
            };
            self.given.iter().any(|it| it == opposite).then_some(opposite)
        });
        match denied {
            Some(other) => Err(Error::new(
                name.span(),
                format!("expected `{other}` or `{word}`, but found both: remove one"),
            )),
            None => Ok(()),
        }
    }

    /// Returns the call of the builder's method for an option. `blocking` and `name` have no such call: they
    /// are stored in `self`.
    fn call(&mut self, option: &Known, item: &Item) -> Result<Option<TokenStream>> {
        let method = &item.name;
        let word = option.name;
        Ok(match (option.takes, &item.value) {
            (Takes::Flag, Value::None) if word == "blocking" => {
                self.blocking = Some(method.span());
                None
            }
            (Takes::Flag, Value::None) => Some(quote!(.#method())),
            (Takes::Flag, _) => {
                return Err(Error::new(method.span(), format!("expected `{word}` without a value")));
            }
            (Takes::Name, Value::Is(Expr::Lit(ExprLit { lit: Lit::Str(text), .. }))) => {
                self.name = Some(text.clone());
                None
            }
            (Takes::Duration, Value::Is(Expr::Lit(ExprLit { lit: Lit::Str(text), .. }))) => {
                let milliseconds = milliseconds(text)?;
                Some(quote!(.#method(::std::time::Duration::from_millis(#milliseconds))))
            }
            (Takes::OnCancel, value) => {
                let policy = one_of(method, value, &ON_CANCEL)?;
                Some(quote!(.#method(::plainwire::handler::OnCancel::#policy)))
            }
            (Takes::Visibility, value) => {
                let visibility = one_of(method, value, &VISIBILITY)?;
                Some(quote!(.#method(::plainwire::apps::Visibility::#visibility)))
            }
            (Takes::View, Value::None) => Some(quote!(.#method(::plainwire::apps::View::new()))),
            (Takes::Page, Value::Is(page)) => {
                if let Expr::Lit(ExprLit { lit: Lit::Str(uri), .. }) = page {
                    is_page(uri)?;
                }
                Some(quote!(.#method(#page)))
            }
            (Takes::Complete, Value::For(pairs)) => {
                self.completed.extend(pairs.iter().cloned());
                None
            }
            (Takes::Complete, _) => {
                let text = "expected `complete(argument = function)`";
                return Err(Error::new(method.span(), text));
            }
            (Takes::Duration, Value::Is(Expr::Lit(number))) => {
                let text =
                    format!("expected a unit, as in `{word} = \"30s\"`, but found `{}`", quote!(#number));
                return Err(Error::new_spanned(number, text));
            }
            (Takes::Value | Takes::Duration | Takes::View, Value::Is(value)) => {
                self.described |= word == "description";
                let root = (word == "input_schema" && is_text(value)).then(|| object_root(value));
                Some(match root {
                    Some(root) => quote!(.#method({ #root #value })),
                    None => quote!(.#method(#value)),
                })
            }
            (takes, _) => {
                let what = if takes == Takes::Name { "a text" } else { "a value" };
                return Err(Error::new(method.span(), format!("expected {what}, as in `{word} = …`")));
            }
        })
    }

    /// Returns whether the option `word` was given.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.given.iter().any(|it| it == word)
    }

    /// Returns the name of the entry: that of the option `name`, or else the function's.
    pub(crate) fn name_of(&self, function: &Ident, kind: Kind) -> Result<LitStr> {
        let name = self.name.clone().unwrap_or_else(|| {
            let word = function.to_string();
            LitStr::new(word.strip_prefix("r#").unwrap_or(&word), function.span())
        });
        if kind == Kind::Tool {
            name::check(&name.value(), name.span())?;
        } else if name.value().is_empty() {
            return Err(Error::new(name.span(), "expected a name, but found nothing"));
        }
        Ok(name)
    }
}

/// The words that an option takes as its value, each with the enum variant that it stands for.
pub(crate) type Words = [(&'static str, &'static str); 3];

pub(crate) const ON_CANCEL: Words = [("drop", "Drop"), ("finish", "Finish"), ("detach", "Detach")];

pub(crate) const VISIBILITY: Words = [("app", "App"), ("both", "Both"), ("model", "Model")];

/// Returns the enum variant for the word that is the value of `option`.
fn one_of(option: &Ident, value: &Value, words: &Words) -> Result<Ident> {
    let [first, second, third] = words.map(|(word, _)| format!("`{option} = {word}`"));
    let expected = format!("expected {first}, {second} or {third}");
    let Value::Is(Expr::Path(ExprPath { path, .. })) = value else {
        return Err(Error::new(option.span(), expected));
    };
    match words.iter().find(|(word, _)| path.is_ident(word)) {
        Some((_, variant)) => Ok(format_ident!("{variant}")),
        None => Err(Error::new_spanned(path, format!("{expected}, but found `{}`", quote!(#path)))),
    }
}

/// Checks that a URI can be that of a page (MCP Apps): it begins with `ui://`.
pub(crate) fn is_page(uri: &LitStr) -> Result<()> {
    let text = uri.value();
    if text.strip_prefix("ui://").is_some_and(|rest| !rest.is_empty()) {
        return Ok(());
    }
    let expected = "expected a URI that begins with `ui://`, as those of all pages do";
    Err(Error::new(uri.span(), format!("{expected}, but found `{text}`")))
}

/// Returns whether a value is a text that is known at compile time: a literal, `concat!` or `include_str!`.
fn is_text(value: &Expr) -> bool {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => true,
        Expr::Macro(it) => ["concat", "include_str"].iter().any(|name| it.mac.path.is_ident(name)),
        _ => false,
    }
}

/// Returns code that makes the compiler check that the text of a schema describes an object.
fn object_root(text: &Expr) -> TokenStream {
    quote_spanned! {text.span()=>
        const _: () = ::std::assert!(
            ::plainwire::schema::is_object(#text),
            "expected an input schema with `\"type\": \"object\"` at its root: arguments are a JSON object"
        );
    }
}

/// Parses a time such as `500ms`, `30s` or `5min`, and returns it in milliseconds.
fn milliseconds(text: &LitStr) -> Result<u64> {
    let value = text.value();
    let units = [("ms", 1), ("min", 60_000), ("s", 1_000)];
    units
        .iter()
        .find_map(|(unit, factor)| value.strip_suffix(unit)?.trim().parse::<u64>().ok()?.checked_mul(*factor))
        .filter(|milliseconds| *milliseconds > 0)
        .ok_or_else(|| {
            let expected = "expected a time of more than 0, such as `\"500ms\"`, `\"30s\"` or `\"5min\"`, or a `Duration`";
            Error::new(text.span(), format!("{expected}, but found `{value}`"))
        })
}

/// The content of the attribute's parentheses: the URI of a resource, then the options in order.
struct Items {
    items: Vec<Item>,
    uri: Option<LitStr>,
}

struct Item {
    name: Ident,
    value: Value,
}

enum Value {
    /// Names with functions in parentheses, as in `complete(argument = function)`.
    For(Vec<(Ident, Expr)>),
    /// A value after `=`, as in `title = "Addition"`.
    Is(Expr),
    /// No value, as in `read_only`.
    None,
}

impl Items {
    fn parse(kind: Kind, input: ParseStream<'_>) -> Result<Self> {
        let mut uri = None;
        if kind == Kind::Resource {
            uri = Some(input.parse().map_err(|error| {
                Error::new(error.span(), "expected a URI first, such as `#[resource(\"project://{path}\")]`")
            })?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let items = Punctuated::<Item, Token![,]>::parse_terminated(input)?;
        Ok(Self { items: items.into_iter().collect(), uri })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse().map_err(|error| {
            Error::new(error.span(), "expected an option such as `title = \"…\"`; `name = \"…\"` is the name")
        })?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Is(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let inside;
            parenthesized!(inside in input);
            let pairs = Punctuated::<Pair, Token![,]>::parse_terminated(&inside)?;
            Value::For(pairs.into_iter().map(|Pair(name, function)| (name, function)).collect())
        } else {
            Value::None
        };
        Ok(Self { name, value })
    }
}

struct Pair(Ident, Expr);

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        // An argument `type` is a parameter `r#type`, so keywords are accepted.
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(Self(name, input.parse()?))
    }
}
