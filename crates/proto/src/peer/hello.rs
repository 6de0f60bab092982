//! The description of a server, in its answer to `server/discover` or `initialize`.
//!
//! In: the text of the result. Out: its parts, or why it can't be used. A client keeps the description for as
//! long as the connection, so the parts that are not plain text have limits in bytes. This module decides on
//! no revision.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json::shorten;
use crate::model::{Capabilities, Implementation};
use crate::revision::Revision;

/// The most bytes of the capabilities of a server. 64 KiB: a hundred times more than known servers send. As a
/// tree, they take up to forty times as much memory.
const MAX_CAPABILITIES: usize = 64 << 10;

/// The most bytes of the name, version and icons of a server. 1 MiB: room for icons as `data:` URIs.
const MAX_SERVER_INFO: usize = 1 << 20;

/// The largest number of revisions that an error shows from the list that a server sent.
const SHOWN: usize = 32;

/// The reason why a description can't be used.
pub(super) enum Unusable {
    /// A part is larger than its limit.
    TooLarge(String),
    /// The JSON does not have the shape of a description.
    Unreadable(serde_json::Error),
}

impl From<serde_json::Error> for Unusable {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error)
    }
}

/// The answer to `server/discover`.
pub(super) struct Discovered {
    pub(super) capabilities: Capabilities,
    pub(super) instructions: Option<String>,
    pub(super) server_info: Option<Implementation>,
    pub(super) versions: Versions,
}

impl Discovered {
    pub(super) fn read(result: &str) -> Result<Self, Unusable> {
        const INFO: &str = "io.modelcontextprotocol/serverInfo";
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'w> {
            #[serde(borrow, default, deserialize_with = "present")]
            capabilities: Option<&'w RawValue>,
            instructions: Option<String>,
            #[serde(borrow, rename = "_meta", default)]
            meta: Meta<'w>,
            supported_versions: Versions,
        }
        #[derive(Deserialize, Default)]
        struct Meta<'w> {
            #[serde(borrow, rename = "io.modelcontextprotocol/serverInfo")]
            server_info: Option<&'w RawValue>,
        }
        let it: Wire<'_> = serde_json::from_str(result)?;
        Ok(Self {
            capabilities: within("capabilities", MAX_CAPABILITIES, it.capabilities)?.unwrap_or_default(),
            instructions: it.instructions,
            server_info: within(INFO, MAX_SERVER_INFO, it.meta.server_info)?,
            versions: it.supported_versions,
        })
    }
}

/// The answer to `initialize`.
pub(super) struct Initialized {
    pub(super) capabilities: Capabilities,
    pub(super) instructions: Option<String>,
    pub(super) server_info: Option<Implementation>,
    pub(super) version: String,
}

impl Initialized {
    pub(super) fn read(result: &str) -> Result<Self, Unusable> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'w> {
            #[serde(borrow, default, deserialize_with = "present")]
            capabilities: Option<&'w RawValue>,
            instructions: Option<String>,
            protocol_version: String,
            #[serde(borrow)]
            server_info: Option<&'w RawValue>,
        }
        let it: Wire<'_> = serde_json::from_str(result)?;
        Ok(Self {
            capabilities: within("capabilities", MAX_CAPABILITIES, it.capabilities)?.unwrap_or_default(),
            instructions: it.instructions,
            server_info: within("serverInfo", MAX_SERVER_INFO, it.server_info)?,
            version: it.protocol_version,
        })
    }
}

/// Reads a part of a description if it has at most `most` bytes.
fn within<T: DeserializeOwned>(
    name: &str,
    most: usize,
    part: Option<&RawValue>,
) -> Result<Option<T>, Unusable> {
    let Some(text) = part.map(RawValue::get) else { return Ok(None) };
    let found = text.len();
    if found > most {
        let why = format!("expected `{name}` of the server to have at most {most} bytes, but found {found}");
        return Err(Unusable::TooLarge(why));
    }
    Ok(Some(serde_json::from_str(text)?))
}

/// Reads a value that is not `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The part of a server's list of revisions that is kept: the revisions that this crate knows, and the beginning
/// of the list for errors.
#[derive(Default)]
pub(super) struct Versions {
    known: Vec<Revision>,
    shown: Vec<String>,
}

impl Versions {
    pub(super) fn has(&self, revision: Revision) -> bool {
        self.known.contains(&revision)
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown)
    }
}

impl<'de> Deserialize<'de> for Versions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Listed;
        impl<'de> Visitor<'de> for Listed {
            type Value = Versions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of revisions")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Versions, A::Error> {
                let mut found = Versions::default();
                while let Some(version) = list.next_element::<Cow<'de, str>>()? {
                    let known = Revision::parse(&version).filter(|it| !found.has(*it));
                    found.known.extend(known);
                    if found.shown.len() < SHOWN {
                        found.shown.push(shorten(&version).into_owned());
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_seq(Listed)
    }
}
