//! `#[derive(ToolError)]`: gives each variant of an error the code, message and hint that the model gets.
//!
//! In: the type, with `#[tool_error(…)]` on its variants. Out: a method `into_tool_error`, which handlers
//! call when they fail, and a conversion for `?` from the error that a `transparent` variant holds. If
//! the text of a variant shows the text of an error in a field, the variant compiles only with a `message`.
//!
//! [`display`] implements `Display` for a type with texts of its own.

mod display;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Data, DeriveInput, Error, Fields, Ident, LitStr, Meta, Result, Token};

use crate::name::{any_of, meant};
use crate::table::{self, TOOL_ERROR};

/// Expands the derive on a type.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let parsed = syn::parse2::<DeriveInput>(item).and_then(|ty| derived(&ty));
    parsed.unwrap_or_else(Error::into_compile_error)
}

fn derived(ty: &DeriveInput) -> Result<TokenStream> {
    let mut errors: Option<Error> = None;
    let mut keep = |arm: Result<TokenStream>| match (arm, &mut errors) {
        (Ok(arm), _) => Some(arm),
        (Err(error), Some(errors)) => {
            errors.combine(error);
            None
        }
        (Err(error), none) => {
            *none = Some(error);
            None
        }
    };
    if let (Data::Enum(_), Some(misplaced)) = (&ty.data, ours(&ty.attrs).next()) {
        let text = "expected `#[tool_error(…)]` on a variant, but found it on the enum";
        keep(Err(Error::new_spanned(misplaced, text)));
    }
    let variants = variants(ty)?;
    let arms: Vec<_> = variants.iter().filter_map(|variant| keep(arm(variant))).collect();
    if let Some(errors) = errors {
        return Err(errors);
    }
    // An enum without variants has no arm, and its references are not known to be empty.
    let body = match arms.is_empty() {
        true => quote!(match self {}),
        false => quote!(match &self { #(#arms)* }),
    };
    let (name, visibility) = (&ty.ident, &ty.vis);
    let (generics, arguments, bounds) = ty.generics.split_for_impl();
    let conversion = held(ty)?.map(|(path, held)| {
        quote! {
            #[automatically_derived]
            impl #generics ::std::convert::From<#held> for #name #arguments #bounds {
                fn from(error: #held) -> Self {
                    #path(error)
                }
            }
        }
    });
    let shown = display::of(ty, &variants)?;
    Ok(quote! {
        #conversion
        #shown
        #[automatically_derived]
        impl #generics #name #arguments #bounds {
            /// Converts the error into the one that the model gets, with its code, message and hint.
            #[allow(dead_code)]
            #visibility fn into_tool_error(self) -> ::plainwire::ToolError {
                #body
            }
        }
    })
}

/// A variant of an error; a struct is the only one.
struct Variant<'t> {
    attributes: &'t [Attribute],
    fields: &'t Fields,
    name: &'t Ident,
    path: TokenStream,
}

fn variants(ty: &DeriveInput) -> Result<Vec<Variant<'_>>> {
    match &ty.data {
        Data::Struct(it) => {
            let path = quote!(Self);
            Ok(vec![Variant { attributes: &ty.attrs, fields: &it.fields, name: &ty.ident, path }])
        }
        Data::Enum(it) => {
            let variants = it.variants.iter().map(|it| {
                let name = &it.ident;
                Variant { attributes: &it.attrs, fields: &it.fields, name, path: quote!(Self::#name) }
            });
            Ok(variants.collect())
        }
        Data::Union(it) => {
            let text = "expected `#[derive(ToolError)]` on a struct or an enum";
            Err(Error::new(it.union_token.span, text))
        }
    }
}

/// Returns the path of the `transparent` variant, and the type that it holds; `None` if there is no such variant.
fn held(ty: &DeriveInput) -> Result<Option<(TokenStream, &syn::Type)>> {
    let Data::Enum(it) = &ty.data else { return Ok(None) };
    let mut found = None;
    for variant in &it.variants {
        if !Worded::take(&variant.attrs)?.transparent {
            continue;
        }
        if found.is_some() {
            let text = "expected `transparent` on one variant, but found it again";
            return Err(Error::new_spanned(variant, text));
        }
        let name = &variant.ident;
        found = variant.fields.iter().next().map(|field| (quote!(Self::#name), &field.ty));
    }
    Ok(found)
}

/// Returns whether a type is called `ToolError`.
fn is_tool_error(field: &syn::Field) -> bool {
    let syn::Type::Path(it) = &field.ty else { return false };
    it.path.segments.last().is_some_and(|last| last.ident == "ToolError")
}

/// Returns the arm that converts one variant; for a struct, the only one.
fn arm(Variant { attributes, fields, name, path }: &Variant<'_>) -> Result<TokenStream> {
    let worded = Worded::take(attributes)?;
    let holds_one = |it: &syn::FieldsUnnamed| it.unnamed.len() == 1 && it.unnamed.iter().all(is_tool_error);
    let is_holder = matches!(fields, Fields::Unnamed(it) if holds_one(it)) && path.to_string() != "Self";
    if worded.transparent {
        if !is_holder {
            let text = "expected `transparent` on a variant that holds only a `ToolError`, such as `Asked(ToolError)`";
            return Err(Error::new_spanned(name, text));
        }
        let has_words =
            [&worded.code, &worded.hint, &worded.message, &worded.text].iter().any(|it| it.is_some());
        let is_from = |it: &Attribute| it.path().is_ident("from");
        if let Some(from) = fields.iter().flat_map(|it| &it.attrs).find(|it| is_from(it)) {
            let text = "expected no `#[from]`: `transparent` makes the conversion";
            return Err(Error::new_spanned(from, text));
        }
        if has_words || worded.retryable {
            let text =
                "expected `transparent` alone: the error in the variant has its own code, message and hint";
            return Err(Error::new_spanned(name, text));
        }
        return Ok(quote!(#path(error) => ::std::clone::Clone::clone(error),));
    }
    if is_holder
        && let Some(from) = fields.iter().flat_map(|it| &it.attrs).find(|it| it.path().is_ident("from"))
    {
        let text = "expected `#[tool_error(transparent)]` on the variant, and no `#[from]`: a `ToolError` is no \
                    `std::error::Error`. thiserror also needs a text, as in `#[error(\"the question failed\")]`";
        return Err(Error::new_spanned(from, text));
    }
    let fields = Named::all(fields);
    if worded.message.is_none()
        && let Some(shown) = shows_a_source(attributes, &worded, &fields)
    {
        let text = "expected `#[tool_error(message = \"…\")]` beside this text, which would show the model the text of \
                    another error";
        return Err(Error::new_spanned(shown, text));
    }
    let mut used = Vec::new();
    let mut text_of = |text: &LitStr| formatted(text, name, &fields, &mut used);
    let message = worded.message.as_ref().map(&mut text_of).transpose()?;
    let hint = worded.hint.as_ref().map(&mut text_of).transpose()?;
    let is_hidden = message.is_some() || fields.iter().any(|it| it.is_source);
    // Without any word of the author's, the text is that of any other error: `mask_errors` hides it.
    // The bound of `HandlerError`, unlike that of `to_string`, says what to derive when there is no `Display`.
    let shown = || quote!(::plainwire::handler::HandlerError::convert(&self).message().to_owned());
    let text = message.unwrap_or_else(shown);
    let mut error = match &worded.code {
        Some(code) if code.value() == "timeout" => quote!(::plainwire::ToolError::timeout(#text)),
        Some(code) => quote!(::plainwire::ToolError::new(#code, #text)),
        None if worded.message.is_some() => quote!(::plainwire::ToolError::failed(#text)),
        None => quote!(::plainwire::ToolError::from(#text)),
    };
    if let Some(hint) = hint {
        error = quote!(#error.hint(#hint));
    }
    if worded.retryable {
        error = quote!(#error.retryable());
    }
    if is_hidden {
        error = quote!(#error.logged(&self));
    }
    let bindings = used.iter().map(|it: &Named| {
        let (member, local) = (&it.member, it.local());
        quote!(#member: #local,)
    });
    Ok(quote!(#path { #(#bindings)* .. } => #error,))
}

/// The options of `#[tool_error(…)]` on one variant.
#[derive(Default)]
struct Worded {
    code: Option<LitStr>,
    hint: Option<LitStr>,
    message: Option<LitStr>,
    retryable: bool,
    /// The text of `Display`, if no other derive implements that.
    text: Option<LitStr>,
    /// Whether the variant holds a `ToolError`, which becomes the answer as it is.
    transparent: bool,
}

impl Worded {
    fn take(attributes: &[Attribute]) -> Result<Self> {
        let mut this = Self::default();
        let mut given: Vec<String> = Vec::new();
        for attribute in ours(attributes) {
            let options = this.text_of(attribute)?;
            let read = |it: syn::meta::ParseNestedMeta<'_>| {
                let word = it.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if given.contains(&word) {
                    return Err(it.error(format!("expected `{word}` once, but found it again")));
                }
                match word.as_str() {
                    "code" => this.code = Some(code(it.value()?.parse()?)?),
                    "hint" => this.hint = Some(it.value()?.parse()?),
                    "message" => this.message = Some(it.value()?.parse()?),
                    "retryable" => this.retryable = true,
                    "transparent" => this.transparent = true,
                    _ => {
                        let (found, names) = (it.path.to_token_stream(), table::names(&TOOL_ERROR));
                        return Err(it.error(match meant(&word, &names) {
                            Some(meant) => format!(
                                "expected an option of `#[tool_error]`, but found `{found}`; did you mean `{meant}`?"
                            ),
                            None => format!("expected {}, but found `{found}`", any_of(&names)),
                        }));
                    }
                }
                given.push(word);
                Ok(())
            };
            syn::meta::parser(read).parse2(options)?;
        }
        Ok(this)
    }

    /// Takes the text with which an attribute may begin. Returns the options behind it.
    fn text_of(&mut self, attribute: &Attribute) -> Result<TokenStream> {
        attribute.parse_args_with(|input: ParseStream<'_>| {
            if input.peek(LitStr) {
                let text: LitStr = input.parse()?;
                if self.text.is_some() {
                    return Err(Error::new(text.span(), "expected one text, but found it again"));
                }
                self.text = Some(text);
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            input.parse()
        })
    }
}

fn ours(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|it| it.path().is_ident("tool_error"))
}

/// Checks that a code is a word that programs can compare.
fn code(code: LitStr) -> Result<LitStr> {
    let value = code.value();
    if !value.is_empty() && value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        return Ok(code);
    }
    let text = format!("expected a code of `a-z 0-9 _`, such as `not_found`, but found `{value}`");
    Err(Error::new(code.span(), text))
}

/// A field, with the name by which texts refer to it, such as `{title}`.
#[derive(Clone)]
struct Named {
    /// The name or number of the field, as it stands before the colon of a pattern.
    member: TokenStream,
    /// Whether the field is a source: the error that caused the error of this type.
    is_source: bool,
    name: String,
}

impl Named {
    fn all(fields: &Fields) -> Vec<Self> {
        let from = |it: &Attribute| ["from", "source"].iter().any(|name| it.path().is_ident(name));
        let named = fields.iter().enumerate().map(|(n, field)| {
            let name = field.ident.as_ref().map_or_else(|| n.to_string(), ToString::to_string);
            let member = match &field.ident {
                Some(ident) => ident.to_token_stream(),
                None => syn::Index::from(n).to_token_stream(),
            };
            let is_source = name == "source" || field.attrs.iter().any(from);
            Self { member, is_source, name: name.trim_start_matches("r#").to_owned() }
        });
        named.collect()
    }

    /// Returns the variable that holds the field in the generated code.
    fn local(&self) -> Ident {
        format_ident!("__{}", self.name, span = Span::call_site())
    }
}

/// Returns the expression of `text`, with its places for fields, such as `{title}`, filled in. Adds the fields
/// that the text uses to `used`.
fn formatted(text: &LitStr, of: &Ident, fields: &[Named], used: &mut Vec<Named>) -> Result<TokenStream> {
    let (mut written, mut arguments) = (String::new(), Vec::new());
    for piece in pieces(&text.value()) {
        let Piece::Field { name, form } = piece else {
            let Piece::Text(text) = piece else { continue };
            written.push_str(text);
            continue;
        };
        let Some(field) = fields.iter().find(|it| it.name == name) else {
            let names: Vec<_> = fields.iter().map(|it| it.name.as_str()).collect();
            let expected = if names.is_empty() {
                format!("no field: `{of}` has none; write `{{{{` for a brace")
            } else {
                format!("{}, a field of `{of}`", any_of(&names))
            };
            return Err(Error::new(text.span(), format!("expected {expected}, but found `{{{name}}}`")));
        };
        let local = field.local();
        written.push_str(&format!("{{{local}{form}}}"));
        if !arguments.contains(&local) {
            arguments.push(local);
        }
        if !used.iter().any(|it| it.name == name) {
            used.push(field.clone());
        }
    }
    let written = LitStr::new(&written, text.span());
    Ok(quote!(::std::format!(#written, #(#arguments = #arguments),*)))
}

/// A piece of a text with places for fields.
enum Piece<'t> {
    /// `{name}` or `{name:form}`; `form` begins with the colon.
    Field {
        name: &'t str,
        form: &'t str,
    },
    Text(&'t str),
}

/// Splits a text at its places for fields, such as `{title}`. Doubled braces stay doubled.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut found, mut begin, mut at) = (Vec::new(), 0, 0);
    while let Some(brace) = text[at..].find('{').map(|n| at + n) {
        if text[brace + 1..].starts_with('{') {
            at = brace + 2;
            continue;
        }
        let Some(end) = text[brace..].find('}').map(|n| brace + n) else { break };
        let inside = &text[brace + 1..end];
        let (name, form) = inside.split_at(inside.find(':').unwrap_or(inside.len()));
        found.extend([Piece::Text(&text[begin..brace]), Piece::Field { name: name.trim(), form }]);
        begin = end + 1;
        at = begin;
    }
    found.push(Piece::Text(&text[begin..]));
    found
}

/// Returns the part of a variant's text, or of thiserror's `#[error(…)]`, that shows the text of another error, if any does:
/// `transparent`, or a place for a field that is a source.
fn shows_a_source(attributes: &[Attribute], worded: &Worded, fields: &[Named]) -> Option<TokenStream> {
    let tokens =
        match (&worded.text, attributes.iter().find(|it| it.path().is_ident("error")).map(|it| &it.meta)) {
            (Some(text), _) => text.to_token_stream(),
            (None, Some(Meta::List(list))) => list.tokens.clone(),
            _ => return None,
        };
    let is_source = |name: &str| fields.iter().any(|it| it.is_source && it.name == name);
    for token in tokens {
        let shows = match &token {
            TokenTree::Ident(word) => word == "transparent" || is_source(&word.to_string()),
            TokenTree::Literal(_) => match syn::parse2::<LitStr>(token.to_token_stream()) {
                Ok(text) => {
                    let text = text.value();
                    pieces(&text).iter().any(|it| matches!(it, Piece::Field { name, .. } if is_source(name)))
                }
                // `.0`, as thiserror writes the first field, is one literal or a dot and one.
                Err(_) => is_source(token.to_string().trim_start_matches('.')),
            },
            TokenTree::Group(_) | TokenTree::Punct(_) => false,
        };
        if shows {
            return Some(token.into());
        }
    }
    None
}
