//! The needs that a page (MCP Apps) declares to its host, the application that shows it: `_meta.ui` of a resource.
//!
//! In: origins, permissions and a border. Out: members of `_meta`, and the media type of a page. The link
//! from a tool is in [`super::link`].

use std::collections::BTreeMap;

use serde::Serialize;

use super::{MEMBER, MIME_TYPE};
use crate::server::entry::meta;
use crate::server::entry::resource::{Resource, ResourceTemplate};

/// The needs of a page (MCP Apps) that its host, the application that shows it, is asked to grant. By default a
/// page shows its own content and loads nothing.
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
/// A domain is an origin: `https://api.example.com`, `wss://example.com:8443`, or with `*.` for all subdomains of
/// a name. Hosts may grant less. A page should check what it got, and work without the needs that were not granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct View {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    csp: BTreeMap<&'static str, Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    permissions: BTreeMap<Permission, EmptyObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefers_border: Option<bool>,
}

/// A browser feature that a page may use, if its host and the user agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Permission {
    /// The camera.
    Camera,
    /// Writing to the clipboard.
    ClipboardWrite,
    /// The location of the device.
    Geolocation,
    /// The microphone.
    Microphone,
}

/// The value of each permission in `_meta.ui.permissions`: an empty JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct EmptyObject {}

impl View {
    /// Creates a view that asks its host for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets scripts of the page connect to an origin, by `fetch` or a WebSocket.
    pub fn connect_domain(self, origin: impl Into<String>) -> Self {
        self.allow("connectDomains", origin.into())
    }

    /// Lets the page load images, scripts, styles, fonts and media from an origin.
    pub fn resource_domain(self, origin: impl Into<String>) -> Self {
        self.allow("resourceDomains", origin.into())
    }

    /// Lets the page embed frames of an origin.
    pub fn frame_domain(self, origin: impl Into<String>) -> Self {
        self.allow("frameDomains", origin.into())
    }

    /// Lets the page use an origin in `<base>`.
    pub fn base_uri_domain(self, origin: impl Into<String>) -> Self {
        self.allow("baseUriDomains", origin.into())
    }

    /// Asks for a permission. Scripts of the page can check whether it was granted.
    pub fn permission(mut self, permission: Permission) -> Self {
        self.permissions.insert(permission, EmptyObject {});
        self
    }

    /// Asks for a dedicated origin for the page, for API keys and sign-in callbacks that are bound to an
    /// origin. The form of `domain` depends on the host: see the host's documentation.
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Asks the host for a border and a background around the page. Without a preference the host decides.
    pub fn bordered(mut self) -> Self {
        self.prefers_border = Some(true);
        self
    }

    /// Asks the host for no border and no background around the page.
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
            /// Makes the resource a page that hosts show, with the media type of a page: see [`super`]. Its
            /// URI must begin with `ui://`, and its content must be an HTML document.
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
