//! An entry (a tool, resource, template or prompt) that is read from a function, and the builder calls that
//! declare it.
//!
//! In: options, a doc comment and the signature of a free function or a method. Out: the expression that
//! builds the entry. The modules `free` and `implementation` generate the function itself.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, GenericArgument, Ident, LitStr, PathArguments, Result, ReturnType, Signature, Type,
    TypeReference,
};

use crate::docs;
use crate::function::{self, Function, argument_of, shown_at};
use crate::options::{self, Options};
use crate::template;

/// The kind of entry that a function becomes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Prompt,
    Resource,
    Tool,
}

impl Kind {
    /// Returns the name of the attribute that makes a function an entry of this kind.
    pub(crate) const fn attribute(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Tool => "tool",
        }
    }

    /// Returns the path of the entry's type; for a resource, the path of the type for URIs without variables.
    pub(crate) fn ty(self) -> TokenStream {
        match self {
            Self::Prompt => quote!(::plainwire::Prompt),
            Self::Resource => quote!(::plainwire::Resource),
            Self::Tool => quote!(::plainwire::Tool),
        }
    }
}

/// An entry that was read from a function.
pub(crate) struct Entry {
    kind: Kind,
    description: Option<String>,
    /// Whether the function returns a `Result` whose error type is not called `ToolError`.
    pub(crate) fails: bool,
    pub(crate) function: Function,
    ident: Ident,
    name: LitStr,
    pub(crate) options: Options,
    /// Span of the return type. The generated handler gets this span too, so that the compiler shows errors
    /// about the returned type at the return type.
    pub(crate) returned: Span,
    /// Whether the URI of a resource has variables, so that the entry is a resource template.
    templated: bool,
}

impl Entry {
    /// Reads an entry from the options, the attributes and the signature of its function. Removes from the
    /// signature the parameter attributes that the compiler would not accept.
    pub(crate) fn take(
        kind: Kind,
        options: TokenStream,
        attributes: &[Attribute],
        signature: &mut Signature,
    ) -> Result<Self> {
        let options = Options::parse(kind, options)?;
        let mut function = Function::take(signature, options.blocking.is_some())?;
        function.describe(&docs::arguments(attributes))?;
        let name = options.name_of(&signature.ident, kind)?;
        if let Some(header) = function.parameters.iter().find_map(|it| it.header.as_ref())
            && kind != Kind::Tool
        {
            let kind = kind.attribute();
            let text = format!(
                "expected no header, since only calls of tools have any, but found one on a `#[{kind}]`"
            );
            return Err(Error::new(header.span(), text));
        }
        let ident = signature.ident.clone();
        let mut templated = false;
        if let Some(uri) = &options.uri {
            let variables = template::variables(&uri.value()).map_err(|text| Error::new(uri.span(), text))?;
            if options.has("view") {
                options::is_page(uri)?;
            }
            templated = !variables.is_empty();
            fits(&variables, &function, uri)?;
        }
        if !options.described {
            docs::literal(attributes, kind)?;
        }
        let description = docs::description(attributes);
        let returned = match &signature.output {
            ReturnType::Default => ident.span(),
            ReturnType::Type(_, ty) => {
                if let Some(borrowed) = borrowed(ty) {
                    let text = "expected an owned type such as `String`: a result outlives the call and can't borrow";
                    return Err(Error::new_spanned(borrowed, text));
                }
                ty.span()
            }
        };
        let fails = function::fails(signature);
        let entry = Self { kind, description, fails, function, ident, name, options, returned, templated };
        entry.completes()?;
        Ok(entry)
    }

    /// Returns the part that must be unique: the name of a tool or a prompt, the URI of a resource.
    pub(crate) fn key(&self) -> &LitStr {
        self.options.uri.as_ref().unwrap_or(&self.name)
    }

    /// Checks that every name in the option `complete` is an argument. If a struct holds all arguments, its
    /// fields are unknown here and nothing is checked.
    fn completes(&self) -> Result<()> {
        if self.function.takes_struct() {
            return Ok(());
        }
        let names: Vec<_> = self.function.arguments().map(|it| it.sent.clone()).collect();
        let mut completed = self.options.completed.iter();
        match completed.find(|(it, _)| !names.contains(&it.unraw().to_string())) {
            Some((unknown, _)) => {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                let text = format!("expected {}, but found `{unknown}`", argument_of(&names));
                Err(Error::new(unknown.span(), text))
            }
            None => Ok(()),
        }
    }

    /// Returns the future of the handler: the awaited `call`, with an error of another type converted into a
    /// `ToolError`.
    ///
    /// Without the conversion a `Result` whose error is itself a result value, such as `String`, would match
    /// two implementations of `IntoToolResult`.
    pub(crate) fn awaited(&self, call: &TokenStream) -> TokenStream {
        let at = shown_at(self.returned);
        match self.fails {
            true => quote_spanned! {at=> async move {
                // An error's own method, as `#[derive(ToolError)]` adds it, goes before that of the trait.
                #[allow(unused_imports)]
                use ::plainwire::handler::IntoToolError as _;
                #call.await.map_err(|error| error.into_tool_error())
            }},
            false => quote_spanned!(at=> async move { #call.await }),
        }
    }

    /// Returns the path of the entry's type.
    pub(crate) fn ty(&self) -> TokenStream {
        if self.templated { quote!(::plainwire::ResourceTemplate) } else { self.kind.ty() }
    }

    /// Returns the method of `Entries` that adds the entry.
    pub(crate) fn method(&self) -> Ident {
        Ident::new(self.kind.attribute(), self.ident.span())
    }

    /// Returns the expression that builds the entry from `handler`.
    pub(crate) fn build(&self, handler: &TokenStream) -> TokenStream {
        let (ty, name, calls) = (self.ty(), &self.name, &self.options.calls);
        let description = self.description.as_ref().filter(|_| !self.options.described);
        let description = description.map(|text| quote!(.description(#text)));
        let uri = self.options.uri.as_ref().map(|uri| quote!(#uri,));
        // The parameter types and their sources are written out, so that an error of the compiler names the
        // type that does not fit, not the whole handler.
        let at = self.function.doubtful().unwrap_or_else(|| self.ident.span());
        let ty = function::at(ty, at);
        let takes = self.function.takes();
        let gives = (self.kind == Kind::Tool).then(|| quote!(_,));
        let at = shown_at(at);
        let new = quote_spanned!(at=> #ty::new::<#takes, #gives _>(#uri #name, #handler));
        // Blocking work can't be stopped, so a cancelled call ends when its work does.
        let finishes = self.options.blocking.is_some() && !self.options.has("on_cancel");
        let finish = finishes.then(|| quote!(.on_cancel(::plainwire::handler::OnCancel::Finish)));
        let completed = self.options.completed.iter().map(|(argument, function)| {
            let name = argument.unraw().to_string();
            quote_spanned!(function.span()=> .complete(#name, #function))
        });
        quote!(#new #description #finish #(#calls)* #(#completed)*)
    }
}

/// Returns the reference that a function returns, alone or in a `Result`, if it is not `'static`.
fn borrowed(ty: &Type) -> Option<&TypeReference> {
    match ty {
        Type::Reference(it) => {
            Some(it).filter(|it| it.lifetime.as_ref().is_none_or(|it| it.ident != "static"))
        }
        Type::Path(it) => match &it.path.segments.last()?.arguments {
            PathArguments::AngleBracketed(inner) if it.path.segments.last()?.ident == "Result" => {
                match inner.args.first()? {
                    GenericArgument::Type(ty) => borrowed(ty),
                    _ => None,
                }
            }
            _ => None,
        },
        _ => None,
    }
}

/// Checks that the variables of a URI are exactly the arguments of its function. If a struct holds all
/// arguments, nothing is checked.
fn fits(variables: &[String], function: &Function, uri: &LitStr) -> Result<()> {
    if function.takes_struct() {
        return Ok(());
    }
    let taken: Vec<_> = function.arguments().map(|it| it.sent.clone()).collect();
    for (argument, name) in function.arguments().zip(&taken) {
        if !variables.contains(name) {
            let found = if variables.is_empty() { "no variable".to_owned() } else { found(variables) };
            let text = format!(
                "expected `{{{name}}}` in the URI, since the function takes `{name}`, but found {found}: \
                 add it, or remove the parameter"
            );
            return Err(Error::new(argument.name.span(), text));
        }
    }
    match variables.iter().find(|variable| !taken.contains(variable)) {
        Some(variable) => {
            let text = format!(
                "expected a parameter `{variable}`, since the URI has `{{{variable}}}`, but found none: \
                 add it to the function"
            );
            Err(Error::new(uri.span(), text))
        }
        None => Ok(()),
    }
}

fn found(variables: &[String]) -> String {
    let variables: Vec<_> = variables.iter().map(|variable| format!("`{{{variable}}}`")).collect();
    format!("only {}", variables.join(", "))
}
