//! Variables of mcp-atlassian and of similar programs that do nothing here, each with the reason.
//!
//! In: a name in capital letters. Out: why it has no effect. Facts about names: `.env.example` and the sources of mcp-atlassian 0.23.1.

/// The reasons, each with its names. A name that ends with `*` stands for all that begin so.
const REASONS: &[(&str, &[&str])] = &[
    (
        "this server is for Jira",
        &["CONFLUENCE_*", "ATLASSIAN_CONFLUENCE_*", "ATLASSIAN_BITBUCKET_*", "ATLASSIAN_JIRA_ENABLED"],
    ),
    ("a name is not needed for one site", &["ATLASSIAN_INSTANCE_NAME"]),
    ("an option names the file", &["ATLASSIAN_CONFIG_DIR"]),
    (
        "this server is no authorization server for its clients",
        &[
            "ATLASSIAN_OAUTH_PROXY_ENABLE",
            "ATLASSIAN_OAUTH_ALLOWED_*",
            "ATLASSIAN_OAUTH_REQUIRE_CONSENT",
            "ATLASSIAN_OAUTH_CLIENT_STORAGE_*",
            "PUBLIC_BASE_URL",
        ],
    ),
    (
        "the private key has to be without a password: `openssl pkey -in key.pem -out plain.pem` removes it",
        &["JIRA_CLIENT_KEY_PASSWORD"],
    ),
    (
        "proxies by PAC and WPAD are not supported: set JIRA_HTTPS_PROXY",
        &["ATLASSIAN_PROXY_WPAD_*", "JIRA_PROXY_WPAD_*"],
    ),
    (
        "the certificates of the system are always trusted; JIRA_CA_FILE adds others",
        &["MCP_ATLASSIAN_USE_SYSTEM_TRUSTSTORE"],
    ),
    ("a change is sent again only if the site surely did not make it", &["ATLASSIAN_RETRY_INCLUDE_WRITES"]),
    ("a `Retry-After` of 0 is never believed, and others are kept", &["ATLASSIAN_RETRY_IGNORE_RETRY_AFTER"]),
    (
        "requests wait as the site asks, and ATLASSIAN_MAX_CONCURRENT_REQUESTS limits them",
        &["ATLASSIAN_REQUESTS_PER_SECOND", "ATLASSIAN_CIRCUIT_BREAKER_*", "JIRA_FETCHER_MAX_WORKERS"],
    ),
    ("each tool has limits of its own", &["ATLASSIAN_MAX_PAGINATION_LIMIT"]),
    ("the site decides what a key is", &["JIRA_ISSUE_KEY_PATTERN", "JIRA_PROJECT_KEY_PATTERN"]),
    (
        "rich text is Markdown on both sides, and what was not edited is kept",
        &["DISABLE_JIRA_MARKUP_TRANSLATION"],
    ),
    (
        "an epic is a part of its parent, or of the issue that a link such as `is part of` names",
        &["HIERARCHY_LINK_PHRASES"],
    ),
    (
        "the options of `plainwire serve` decide how this server is reached",
        &[
            "TRANSPORT",
            "STATELESS",
            "STREAMABLE_HTTP_PATH",
            "MCP_LOGGING_STDOUT",
            "MCP_VERBOSE",
            "MCP_VERY_VERBOSE",
            "MCP_ATLASSIAN_VALIDATION_CACHE_*",
        ],
    ),
    (
        "this server uses its own credentials only",
        &[
            "ATLASSIAN_EXTERNAL_AUTH_ENABLE",
            "ATLASSIAN_OAUTH_ENABLE",
            "JIRA_PASSTHROUGH_HEADERS",
            "IGNORE_HEADER_AUTH",
            "ALLOW_GLOBAL_CRED_FALLBACK",
            "MCP_ALLOWED_URL_DOMAINS",
        ],
    ),
];

/// Returns why a variable of another program has no effect here.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    let fits = |known: &&str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *known == name,
    };
    REASONS.iter().find(|(_, names)| names.iter().any(&fits)).map(|(reason, _)| *reason)
}
