//! Entries from functions: the code that `#[tool]`, `#[resource]` and `#[prompt]` generate uses these types.
//!
//! In: a function whose future carries a description. Out: the entry, built from the description. The
//! function itself is not called here, and remains callable as an ordinary function.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Poller, Poll};

use pin_project_lite::pin_project;

use super::prompt::Prompt;
use super::resource::{Resource, ResourceTemplate};
use super::tool::Tool;

/// The description of a function, from which an entry for the function is built.
///
/// `#[tool]`, `#[resource]` and `#[prompt]` generate one for their function and return it with the function's
/// future.
pub trait Described {
    /// The kind of entry: [`Tool`], [`Resource`], [`ResourceTemplate`] or [`Prompt`].
    type Entry;

    /// Builds the entry.
    fn entry() -> Self::Entry;
}

pin_project! {
    /// The future of a function, tagged with the type `D` that describes the function ([`Described`]). It has
    /// the output of the function's future.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Tagged<D, F> {
        description: std::marker::PhantomData<fn() -> D>,
        #[pin]
        future: F,
    }
}

impl<D, F> Tagged<D, F> {
    /// Tags a future with the description `D`.
    pub fn new(future: F) -> Self {
        Self { description: std::marker::PhantomData, future }
    }
}

impl<D, F: Future> Future for Tagged<D, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Poller<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

impl<D: Described, F> Described for Tagged<D, F> {
    type Entry = D::Entry;

    fn entry() -> D::Entry {
        D::entry()
    }
}

/// A value that can be added to a server as an `E`: an entry built in code, as by [`Tool::new`], or a
/// function with the attribute for this kind of entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `{E}`",
    label = "expected a `{E}` that was built, or a function with its attribute",
    note = "`#[tool]` above a function makes it a `Tool`, `#[resource]` a `Resource` or a `ResourceTemplate`, \
            `#[prompt]` a `Prompt`",
    note = "pass the function itself, without `()`; without an attribute, build the entry: `Tool::new(\"name\", function)`"
)]
pub trait IntoEntry<E, Via> {
    /// Returns the entry that the value is or describes.
    fn into_entry(self) -> E;
}

/// The marker, in [`IntoEntry`], of entries that were built in code, not from a function with an attribute.
#[derive(Debug)]
pub enum ViaEntry {}

macro_rules! built {
    ($($entry:ty),*) => {
        $(impl IntoEntry<$entry, ViaEntry> for $entry {
            fn into_entry(self) -> Self {
                self
            }
        })*
    };
}

built!(Prompt, Resource, ResourceTemplate, Tool);

macro_rules! function {
    ($($parameter:ident),*) => {
        impl<F, D, $($parameter),*> IntoEntry<D::Entry, fn($($parameter),*)> for F
        where
            F: Fn($($parameter),*) -> D,
            D: Described,
        {
            fn into_entry(self) -> D::Entry {
                D::entry()
            }
        }
    };
}

function!();
function!(P1);
function!(P1, P2);
function!(P1, P2, P3);
function!(P1, P2, P3, P4);
function!(P1, P2, P3, P4, P5);
function!(P1, P2, P3, P4, P5, P6);
function!(P1, P2, P3, P4, P5, P6, P7);
function!(P1, P2, P3, P4, P5, P6, P7, P8);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15);
function!(P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15, P16);
