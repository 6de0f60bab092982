//! An entry that is read from a function, and the builder calls that declare it.
//!
//! In: options, a doc comment and a signature, of a function of its own or of a method. Out: the expression of the entry.
//! What the function itself becomes is said in `free` and in `implementation`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Ident, LitStr, Result, ReturnType, Signature};

use crate::docs;
use crate::function::{self, Function, shown_at};
use crate::name::any_of;
use crate::options::{self, Options};
use crate::template;

/// What a function becomes.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Prompt,
    Resource,
    Tool,
}

impl Kind {
    /// The attribute that says so.
    pub(crate) const fn attribute(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Tool => "tool",
        }
    }

    /// The type of such an entry; of a resource, the one without variables.
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
    /// Whether it returns a `Result` whose error is not yet what the framework has.
    pub(crate) fails: bool,
    pub(crate) function: Function,
    ident: Ident,
    name: LitStr,
    pub(crate) options: Options,
    /// Where the type is that the function returns: a handler that says so stands there for the compiler.
    pub(crate) returned: Span,
    /// Whether the URI has variables.
    templated: bool,
}

impl Entry {
    /// Reads an entry, and leaves a signature that the compiler accepts.
    pub(crate) fn take(
        kind: Kind,
        options: TokenStream,
        attributes: &[Attribute],
        signature: &mut Signature,
    ) -> Result<Self> {
        let options = Options::parse(kind, options)?;
        let function = Function::take(signature, options.blocking.is_some())?;
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
            ReturnType::Type(_, ty) => ty.span(),
        };
        let fails = function::fails(signature);
        let entry = Self { kind, description, fails, function, ident, name, options, returned, templated };
        entry.completes()?;
        Ok(entry)
    }

    /// What has to be there once: the name of a tool or a prompt, the URI of a resource.
    pub(crate) fn key(&self) -> &LitStr {
        self.options.uri.as_ref().unwrap_or(&self.name)
    }

    /// What is completed has to be there.
    fn completes(&self) -> Result<()> {
        if self.function.takes_struct() {
            return Ok(());
        }
        let names: Vec<_> = self.function.arguments().map(|it| it.name.unraw().to_string()).collect();
        match self.options.completed.iter().find(|it| !names.contains(&it.unraw().to_string())) {
            Some(unknown) => {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                let text = format!("expected {}, but found `{unknown}`", argument_of(&names));
                Err(Error::new(unknown.span(), text))
            }
            None => Ok(()),
        }
    }

    /// What the handler makes of a call of the function: its future, with any error as one for the model.
    ///
    /// A `Result` whose error is a value too, as `String` is, would be two things at once.
    pub(crate) fn awaited(&self, call: &TokenStream) -> TokenStream {
        let at = shown_at(self.returned);
        match self.fails {
            true => quote_spanned!(at=> async move { #call.await.map_err(::plainwire::ToolError::from) }),
            false => quote_spanned!(at=> async move { #call.await }),
        }
    }

    /// The type of the entry.
    pub(crate) fn ty(&self) -> TokenStream {
        if self.templated { quote!(::plainwire::ResourceTemplate) } else { self.kind.ty() }
    }

    /// The method of `Entries` that takes it.
    pub(crate) fn method(&self) -> Ident {
        Ident::new(self.kind.attribute(), self.ident.span())
    }

    /// The calls that build the entry of a handler.
    pub(crate) fn build(&self, handler: &TokenStream) -> TokenStream {
        let (ty, name, calls) = (self.ty(), &self.name, &self.options.calls);
        let description = self.description.as_ref().filter(|_| !self.options.described);
        let description = description.map(|text| quote!(.description(#text)));
        let uri = self.options.uri.as_ref().map(|uri| quote!(#uri,));
        // Which parameter is what is said, so that the compiler names the type that does not fit, not the handler.
        let at = self.function.doubtful().unwrap_or_else(|| self.ident.span());
        let ty = function::at(ty, at);
        let takes = self.function.takes();
        let gives = (self.kind == Kind::Tool).then(|| quote!(_,));
        let at = shown_at(at);
        let new = quote_spanned!(at=> #ty::new::<#takes, #gives _>(#uri #name, #handler));
        // What blocks can't be stopped, so that its call ends when it does.
        let finishes = self.options.blocking.is_some() && !self.options.has("on_cancel");
        let finish = finishes.then(|| quote!(.on_cancel(::plainwire::OnCancel::Finish)));
        quote!(#new #description #finish #(#calls)*)
    }
}

/// "`a` or `b`", or that there is nothing.
fn argument_of(names: &[&str]) -> String {
    if names.is_empty() { "an argument, of which there is none".to_owned() } else { any_of(names) }
}

/// The variables of a URI are the arguments of its function.
fn fits(variables: &[String], function: &Function, uri: &LitStr) -> Result<()> {
    if function.takes_struct() {
        return Ok(());
    }
    let taken: Vec<_> = function.arguments().map(|it| it.name.unraw().to_string()).collect();
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
