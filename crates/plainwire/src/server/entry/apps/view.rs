//! What a page needs of its host: `_meta.ui` of a resource.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{MEMBER, MIME_TYPE};
use crate::server::entry::meta;
use crate::server::entry::resource::{Resource, ResourceTemplate};

/// What a page needs of its host. Nothing, unless it says so: then it can show what is in it, and load nothing.
///
/// ```
/// use plainwire::apps::{Permission, View};
///
/// let view = View::new()
///     .connect_domain("https://api.example.com")
///     .resource_domain("https://*.example.org")
///     .permission(Permission::ClipboardWrite)
///     .bordered();
/// # drop(view);
/// ```
///
/// A domain is an origin: `https://api.example.com`, `wss://example.com:8443`, or with `*.` for all names below a host.
/// Hosts may grant less. A page looks for what it has, and does without the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct View {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    csp: BTreeMap<&'static str, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    permissions: BTreeMap<Permission, Asked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefers_border: Option<bool>,
}

/// What a browser can do for a page, if its host and the person at it agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Permission {
    /// Seeing.
    Camera,
    /// Putting something on the clipboard.
    ClipboardWrite,
    /// Knowing where it is.
    Geolocation,
    /// Hearing.
    Microphone,
}

/// The value of a permission: `{}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Asked {}

impl View {
    /// Begins with a page that needs nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets scripts of the page talk to an origin, by `fetch` or a WebSocket.
    pub fn connect_domain(self, origin: impl Into<String>) -> Self {
        self.allow("connectDomains", origin.into())
    }

    /// Lets the page load pictures, scripts, styles, fonts and media from an origin.
    pub fn resource_domain(self, origin: impl Into<String>) -> Self {
        self.allow("resourceDomains", origin.into())
    }

    /// Lets the page have frames of an origin.
    pub fn frame_domain(self, origin: impl Into<String>) -> Self {
        self.allow("frameDomains", origin.into())
    }

    /// Lets the page have a `<base>` of an origin.
    pub fn base_uri_domain(self, origin: impl Into<String>) -> Self {
        self.allow("baseUriDomains", origin.into())
    }

    /// Asks for a permission. Scripts of the page see whether they got it.
    pub fn permission(mut self, permission: Permission) -> Self {
        self.permissions.insert(permission, Asked {});
        self
    }

    /// Asks for an origin of its own, in whatever form the host wants: its documentation says which. For keys and callbacks that
    /// are bound to an origin.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Asks for a border and a background. Without a wish hosts do as they like.
    pub fn bordered(mut self) -> Self {
        self.prefers_border = Some(true);
        self
    }

    /// Asks for no border and no background.
    pub fn borderless(mut self) -> Self {
        self.prefers_border = Some(false);
        self
    }

    fn allow(mut self, list: &'static str, origin: String) -> Self {
        self.csp.entry(list).or_default().push(origin);
        self
    }
}

macro_rules! viewed {
    ($($builder:ty),*) => {
        $(impl $builder {
            /// Makes it a page that hosts show, with the media type of one: see [`super`]. Its URI begins with `ui://`, and
            /// what is read is an HTML document.
            #[must_use]
            pub fn view(mut self, view: View) -> Self {
                if view != View::default() {
                    meta::add(&mut self.entry.meta, BTreeMap::from([(MEMBER, view)]));
                }
                self.mime_type(MIME_TYPE)
            }
        })*
    };
}

viewed!(Resource, ResourceTemplate);
