//! The five protocol revisions and the one table of their features.
//!
//! In: version strings from the wire. Out: a [`Revision`], and whether it has a given [`Feature`]. This file
//! does not read or write messages: [`crate::codec`] and [`crate::peer`] do so according to its table.

use std::fmt;

/// A published revision of the Model Context Protocol.
///
/// Revisions are ordered by publication, so `revision >= Revision::V2025_06_18` means "2025-06-18 or newer".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05, the first revision.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, audio, tool annotations, batches.
    V2025_03_26,
    /// 2025-06-18: structured results, titles, resource links, form elicitation; no more batches.
    V2025_06_18,
    /// 2025-11-25: icons, URL elicitation; the last revision with `initialize` and sessions.
    V2025_11_25,
    /// 2026-07-28: stateless; each request describes itself in `_meta`.
    V2026_07_28,
}

/// The two ways in which a client and a server communicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, a session, requests in both directions (2024-11-05 to 2025-11-25).
    Legacy,
    /// Per-request `_meta`, no session (2026-07-28 and later).
    Modern,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The newest of all revisions.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// The newest revision that begins with `initialize`.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// Returns the revision with the version string `text`, or `None` for an unknown string.
    ///
    /// A date later than all revisions does not count as a newer revision: such a string is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.as_str() == text)
    }

    /// Returns the version string used on the wire, such as `"2025-11-25"`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Returns the era this revision belongs to.
    pub const fn era(self) -> Era {
        match self {
            Self::V2026_07_28 => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// Returns the index of this revision in [`Revision::ALL`], for tables with one entry per revision.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns whether this revision has `feature`.
    pub fn has(self, feature: Feature) -> bool {
        let (first, last) = feature.span();
        first <= self && self <= last
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A feature that some revisions lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `annotations` on content and resources may carry `lastModified`.
    AnnotationsLastModified,
    /// `structuredContent` may be any JSON value and `outputSchema` any schema, not just an object's.
    AnyStructuredContent,
    /// `audio` content blocks.
    Audio,
    /// JSON-RPC batches.
    Batches,
    /// `ttlMs` and `cacheScope` in the results of lists, `resources/read` and `server/discover`.
    CacheHints,
    /// The `completions` capability.
    CompletionsCapability,
    /// `elicitation/create`, in form mode.
    Elicitation,
    /// An error answer leaves out `id` if the id of the message could not be read. Revisions without this
    /// feature write `null`.
    ErrorWithoutId,
    /// `icons` of implementations, tools, resources, resource templates and prompts; also `description` and
    /// `websiteUrl` of implementations.
    Icons,
    /// `initialize` and `notifications/initialized`.
    Initialize,
    /// Arguments that violate the tool's schema produce a result with `isError`, not a protocol error.
    InvalidArgumentsAreToolErrors,
    /// Results of type `input_required` instead of requests from server to client.
    InputRequired,
    /// `resources/subscribe`, `logging/setLevel`, and change notifications without `subscriptions/listen`.
    LegacySubscriptions,
    /// `_meta` on tools, resources, prompts and content.
    MetaOnEntries,
    /// `x-mcp-header`: tool arguments that HTTP requests repeat in their headers.
    ParamHeaders,
    /// `ping`.
    Ping,
    /// Event streams whose first event has no data, only an id with which the client can resume. Either side
    /// may therefore end the stream early.
    PrimedStreams,
    /// `message` in progress notifications.
    ProgressMessage,
    /// `resource_link` content blocks.
    ResourceLinks,
    /// The code -32002 for a resource that does not exist.
    ResourceNotFoundCode,
    /// `resultType` in each result.
    ResultType,
    /// Forms with multiple choices, titles beside each choice, and defaults of every kind.
    RicherForms,
    /// The client's capability `roots.listChanged`, and the notification that it announces.
    RootsListChanged,
    /// `_meta["io.modelcontextprotocol/serverInfo"]` in each result.
    ServerInfoInResults,
    /// Messages of several blocks, `tools` and `toolChoice` in sampling.
    SamplingTools,
    /// `structuredContent` and `outputSchema`.
    StructuredContent,
    /// `title` beside `name`.
    Titles,
    /// `annotations` on tools.
    ToolAnnotations,
    /// `elicitation/create` in URL mode, and the member `mode` in form mode.
    UrlElicitation,
    /// `elicitationId` in URL elicitations.
    UrlElicitationId,
    /// `MCP-Protocol-Version` on HTTP requests.
    VersionHeader,
}

impl Feature {
    /// Returns the first and the last revision that have the feature. This is the only feature table.
    ///
    /// Source: the changelogs of the five revisions and the properties of their schemas.
    const fn span(self) -> (Revision, Revision) {
        use Revision::*;
        match self {
            Self::AnnotationsLastModified => (V2025_06_18, V2026_07_28),
            Self::AnyStructuredContent => (V2026_07_28, V2026_07_28),
            Self::Audio => (V2025_03_26, V2026_07_28),
            Self::Batches => (V2025_03_26, V2025_03_26),
            Self::CacheHints => (V2026_07_28, V2026_07_28),
            Self::CompletionsCapability => (V2025_03_26, V2026_07_28),
            Self::Elicitation => (V2025_06_18, V2026_07_28),
            Self::ErrorWithoutId => (V2025_11_25, V2026_07_28),
            Self::Icons => (V2025_11_25, V2026_07_28),
            Self::Initialize => (V2024_11_05, V2025_11_25),
            Self::InvalidArgumentsAreToolErrors => (V2025_11_25, V2026_07_28),
            Self::InputRequired => (V2026_07_28, V2026_07_28),
            Self::LegacySubscriptions => (V2024_11_05, V2025_11_25),
            Self::MetaOnEntries => (V2025_06_18, V2026_07_28),
            Self::ParamHeaders => (V2026_07_28, V2026_07_28),
            Self::Ping => (V2024_11_05, V2025_11_25),
            Self::PrimedStreams => (V2025_11_25, V2025_11_25),
            Self::ProgressMessage => (V2025_03_26, V2026_07_28),
            Self::ResourceLinks => (V2025_06_18, V2026_07_28),
            Self::ResourceNotFoundCode => (V2024_11_05, V2025_11_25),
            Self::ResultType => (V2026_07_28, V2026_07_28),
            Self::RicherForms => (V2025_11_25, V2026_07_28),
            Self::RootsListChanged => (V2024_11_05, V2025_11_25),
            Self::ServerInfoInResults => (V2026_07_28, V2026_07_28),
            Self::SamplingTools => (V2025_11_25, V2026_07_28),
            Self::StructuredContent => (V2025_06_18, V2026_07_28),
            Self::Titles => (V2025_06_18, V2026_07_28),
            Self::ToolAnnotations => (V2025_03_26, V2026_07_28),
            Self::UrlElicitation => (V2025_11_25, V2026_07_28),
            Self::UrlElicitationId => (V2025_11_25, V2025_11_25),
            Self::VersionHeader => (V2025_06_18, V2026_07_28),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_every_version_string() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
            assert_eq!(Revision::ALL[revision.index()], revision);
        }
    }

    #[test]
    fn does_not_take_an_unknown_date_for_a_newer_revision() {
        for text in ["2099-01-01", "2026-07-29", "", "2025-11-25 ", "DRAFT-2026-v1"] {
            assert_eq!(Revision::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn knows_batches_in_one_revision_only() {
        let with: Vec<_> = Revision::ALL.into_iter().filter(|r| r.has(Feature::Batches)).collect();
        assert_eq!(with, [Revision::V2025_03_26]);
    }
}
