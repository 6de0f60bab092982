//! Layers: the highest one that has a value wins, and a blank value is none.

use plainwire_atlassian::settings::{Layers, Shown, Source, is_ours, is_secret};

use crate::support::{CLOUD, SECRET, from, good, of, pairs};

const ALL: [Source; 4] = [Source::File, Source::LocalFile, Source::Environment, Source::Flags];

fn timeout(layers: &Layers) -> u64 {
    from(layers).unwrap_or_else(|it| panic!("{it}")).jira.timeout.as_secs()
}

#[test]
fn a_higher_layer_wins_in_whatever_order_they_come() {
    for (n, source) in ALL.into_iter().enumerate() {
        let mut layers = of(Source::File, CLOUD);
        for other in ALL[..=n].iter().rev() {
            let value = (ALL.iter().position(|it| it == other).expect("a source") + 1).to_string();
            layers = layers.with(*other, pairs(&[("JIRA_TIMEOUT", &value)]));
        }
        assert_eq!(timeout(&layers), n as u64 + 1, "{source}");
    }
}

#[test]
fn another_name_in_a_higher_layer_wins_over_the_name_in_a_lower_one() {
    let layers = of(Source::File, CLOUD)
        .with(Source::Environment, pairs(&[("MCP_JIRA_URL", "https://other.atlassian.net")]));
    assert_eq!(from(&layers).expect("settings").jira.base.host_str(), Some("other.atlassian.net"));
    // In one layer, the name itself wins.
    let both = [("ATLASSIAN_JIRA_URL", "https://other.atlassian.net"), CLOUD[0], CLOUD[1], CLOUD[2]];
    assert_eq!(good(&both, &[]).jira.base.host_str(), Some("example.atlassian.net"));
    let both = [CLOUD[0], CLOUD[1], CLOUD[2], ("ATLASSIAN_JIRA_URL", "https://other.atlassian.net")];
    assert_eq!(good(&both, &[]).jira.base.host_str(), Some("example.atlassian.net"));
}

#[test]
fn a_blank_value_neither_sets_nor_removes_anything() {
    let layers = of(Source::File, CLOUD)
        .with(Source::File, pairs(&[("READ_ONLY_MODE", "true"), ("JIRA_PROJECTS_FILTER", "SHOP")]))
        .with(
            Source::Environment,
            pairs(&[("READ_ONLY_MODE", ""), ("JIRA_PROJECTS_FILTER", " "), ("CONFLUENCE_URL", "")]),
        );
    let config = from(&layers).expect("settings");
    assert!(config.choice.read_only && config.projects == ["SHOP"] && config.warnings.is_empty());
    let layers = layers.with(Source::Environment, pairs(&[("READ_ONLY_MODE", "false")]));
    assert!(!from(&layers).expect("settings").choice.read_only);
}

#[test]
fn what_holds_is_shown_with_its_source_and_without_secrets() {
    let more = pairs(&[("JIRA_TIMEOUT", "5\u{1b}"), ("HTTPS_PROXY", &format!("http://ada:{SECRET}@proxy"))]);
    let shown = of(Source::LocalFile, CLOUD).with(Source::Flags, more).shown();
    let row = |name, value: &str, source| Shown { name, value: value.to_owned(), source };
    assert_eq!(
        shown,
        [
            row("JIRA_URL", "https://example.atlassian.net", Source::LocalFile),
            row("JIRA_USERNAME", "ada@example.com", Source::LocalFile),
            row("JIRA_API_TOKEN", "set", Source::LocalFile),
            row("HTTPS_PROXY", "set", Source::Flags),
            row("JIRA_TIMEOUT", "5\\u{1b}", Source::Flags),
        ]
    );
}

#[test]
fn variables_of_other_programs_are_nobodys_business() {
    for name in [
        "JIRA_URL",
        "mcp_jira_url",
        "https_proxy",
        "CONFLUENCE_URL",
        "JIRA_TYPO",
        "READ_ONLY_MODE",
        "TRANSPORT",
        "MCP_VERBOSE",
    ] {
        assert!(is_ours(name), "{name}");
    }
    for name in ["HOME", "PATH", "MCP_SERVER", "PORT", "AWS_SECRET_ACCESS_KEY"] {
        assert!(!is_ours(name), "{name}");
    }
    assert!(
        is_secret("jira_api_token")
            && is_secret("MCP_JIRA_PASSWORD")
            && is_secret("UNKNOWN")
            && !is_secret("JIRA_URL")
    );
}
