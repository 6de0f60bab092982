//! Each variable does something: without it, the settings are others.

use std::collections::BTreeSet;
use std::time::Duration;

use plainwire_atlassian::rest::{Deployment, Proxies};
use plainwire_atlassian::settings::variables;

use crate::support::{CLOUD, DATA_CENTER, SECRET, good, read, seen};

type Pairs = &'static [(&'static str, &'static str)];

const GATEWAY: Pairs = &[("JIRA_URL", "https://example.atlassian.net"), ("JIRA_OAUTH_ACCESS_TOKEN", SECRET)];
const PASSWORD: Pairs = &[
    ("JIRA_URL", "https://jira.example.com"),
    ("JIRA_USERNAME", "ada"),
    ("JIRA_API_TOKEN", SECRET),
    ("JIRA_PERSONAL_TOKEN", "p"),
];
const PROXY: Pairs =
    &[("JIRA_URL", "https://jira.example.com"), ("JIRA_PERSONAL_TOKEN", SECRET), ("HTTPS_PROXY", "proxy:80")];
const CERTIFICATE: Pairs = &[
    ("JIRA_URL", "https://jira.example.com"),
    ("JIRA_PERSONAL_TOKEN", SECRET),
    ("JIRA_CLIENT_CERT", "both.pem"),
];

const APP: Pairs = &[
    ("JIRA_URL", "https://example.atlassian.net"),
    ("JIRA_OAUTH_CLIENT_ID", "app"),
    ("JIRA_OAUTH_CLIENT_SECRET", SECRET),
];
const APP_OF_SITE: Pairs = &[
    ("JIRA_URL", "https://jira.example.com"),
    ("JIRA_OAUTH_CLIENT_ID", "app"),
    ("JIRA_OAUTH_CLIENT_SECRET", SECRET),
];

/// Settings, and a variable that changes them.
#[rustfmt::skip]
const EFFECTS: &[(Pairs, &str, &str)] = &[
    (PASSWORD, "JIRA_DEPLOYMENT", "cloud"),
    (PASSWORD, "JIRA_DEPLOYMENT", "server"),
    (CLOUD, "JIRA_CLOUD_ID", "11223344-a1b2"),
    (CLOUD, "JIRA_CLOUD_ID", "auto"),
    (PASSWORD, "JIRA_AUTH_TYPE", "basic"),
    (CLOUD, "JIRA_OAUTH_ACCESS_TOKEN", SECRET),
    (GATEWAY, "ATLASSIAN_OAUTH_CLOUD_ID", "11223344-a1b2"),
    (APP, "JIRA_OAUTH_REDIRECT_URI", "http://localhost:9/x"),
    (APP, "JIRA_OAUTH_SCOPE", "read:jira-work"),
    (APP, "ATLASSIAN_AUTHORIZATION_URL", "https://auth.example"),
    (APP_OF_SITE, "ATLASSIAN_OAUTH_INSTANCE_URL", "https://inside.example"),
    (CLOUD, "JIRA_PROJECTS_FILTER", "SHOP, OPS"),
    (CLOUD, "READ_ONLY_MODE", "true"),
    (CLOUD, "TOOLSETS", "all"),
    (CLOUD, "ENABLED_TOOLS", "jira_search"),
    (CLOUD, "DISABLED_TOOLS", "jira_search"),
    (CLOUD, "ATLASSIAN_NAMES", "v1"),
    (CLOUD, "JIRA_SLA_METRICS", "cycle_time,lead_time"),
    (CLOUD, "JIRA_SLA_WORKING_HOURS_ONLY", "true"),
    (CLOUD, "JIRA_SLA_WORKING_HOURS_START", "08:30"),
    (CLOUD, "JIRA_SLA_WORKING_HOURS_END", "16:30"),
    (CLOUD, "JIRA_SLA_WORKING_DAYS", "7,1,2,3,4"),
    (CLOUD, "JIRA_SLA_TIMEZONE", "America/New_York"),
    (CLOUD, "JIRA_SSL_VERIFY", "false"),
    (CLOUD, "JIRA_CA_FILE", "cert.pem"),
    (CLOUD, "JIRA_CLIENT_CERT", "both.pem"),
    (CERTIFICATE, "JIRA_CLIENT_KEY", "key.pem"),
    (CLOUD, "JIRA_CUSTOM_HEADERS", "X-One=1,X-Two=a=b"),
    (CLOUD, "JIRA_HTTP_PROXY", "http://proxy:80"),
    (CLOUD, "JIRA_HTTPS_PROXY", "http://proxy:80"),
    (CLOUD, "JIRA_SOCKS_PROXY", "socks5h://proxy:1080"),
    (PROXY, "JIRA_NO_PROXY", "jira.example.com"),
    (CLOUD, "JIRA_NO_PROXY", "*"),
    (CLOUD, "HTTP_PROXY", "http://proxy:80"),
    (CLOUD, "HTTPS_PROXY", "http://proxy:80"),
    (CLOUD, "SOCKS_PROXY", "proxy:1080"),
    (CLOUD, "ALL_PROXY", "proxy:80"),
    (PROXY, "NO_PROXY", "localhost"),
    (CLOUD, "JIRA_TIMEOUT", "10"),
    (CLOUD, "ATLASSIAN_CONNECT_TIMEOUT", "1500"),
    (CLOUD, "ATLASSIAN_READ_TIMEOUT", "1500"),
    (CLOUD, "ATLASSIAN_RETRY_TOTAL", "0"),
    (CLOUD, "ATLASSIAN_RETRY_BACKOFF", "1.5"),
    (CLOUD, "ATLASSIAN_MAX_CONCURRENT_REQUESTS", "3"),
    (CLOUD, "JIRA_MAX_DOWNLOAD_BYTES", "1000"),
    (CLOUD, "JIRA_PRIVATE_DOWNLOADS", "yes"),
    (CLOUD, "JIRA_DANGEROUS_PLAIN_HTTP", "on"),
    (CLOUD, "ATLASSIAN_GATEWAY_URL", "https://gateway.example"),
];

/// Settings that can't be used without each of their variables.
const NEEDED: &[Pairs] =
    &[CLOUD, DATA_CENTER, APP, &[("JIRA_URL", "https://jira.example.com"), ("ATLASSIAN_TOKEN", SECRET)]];

#[test]
fn each_variable_has_an_effect() {
    let mut known = BTreeSet::new();
    for (base, name, value) in EFFECTS {
        assert_ne!(seen(&good(base, &[])), seen(&good(base, &[(name, value)])), "{name}={value}");
        known.insert(*name);
    }
    for base in NEEDED {
        read(base).unwrap_or_else(|it| panic!("{it}"));
        for (at, (name, _)) in base.iter().enumerate() {
            let without: Vec<_> =
                base.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, it)| *it).collect();
            assert!(read(&without).is_err(), "{name}");
            known.insert(*name);
        }
    }
    let all: BTreeSet<_> = variables().iter().map(|it| it.name).collect();
    assert_eq!(known, all, "each variable is tested, and each that is tested is one");
}

#[test]
fn each_other_name_does_the_same() {
    let values: Vec<_> = EFFECTS
        .iter()
        .copied()
        .chain(NEEDED.iter().flat_map(|base| base.iter().map(|(name, value)| (*base, *name, *value))))
        .collect();
    for variable in variables() {
        let (base, _, value) =
            values.iter().find(|(_, name, _)| *name == variable.name).expect("it is tested");
        let without: Vec<_> = base.iter().copied().filter(|(name, _)| *name != variable.name).collect();
        let expected = seen(&good(&without, &[(variable.name, value)]));
        let others = variable.also.iter().map(|it| (*it).to_owned());
        let spellings = [variable.name.to_ascii_lowercase(), format!("MCP_{}", variable.name)];
        for name in others.chain(spellings) {
            assert_eq!(seen(&good(&without, &[(&name, value)])), expected, "{name}");
        }
    }
}

#[test]
fn values_mean_what_they_mean_in_mcp_atlassian() {
    let config = good(
        CLOUD,
        &[("JIRA_TIMEOUT", "10"), ("ATLASSIAN_READ_TIMEOUT", "99"), ("ATLASSIAN_RETRY_BACKOFF", "0.5")],
    );
    assert_eq!(
        (config.jira.timeout, config.jira.backoff),
        (Duration::from_secs(10), Duration::from_millis(500))
    );
    assert_eq!(good(CLOUD, &[("JIRA_PROJECTS_FILTER", " SHOP,, \"OPS\" ")]).projects, ["SHOP", "OPS"]);
    for (value, expected) in [
        ("true", true),
        ("1", true),
        ("YES", true),
        ("y", true),
        ("on", true),
        ("false", false),
        ("0", false),
        ("off", false),
    ] {
        assert_eq!(good(CLOUD, &[("READ_ONLY_MODE", value)]).choice.read_only, expected, "{value}");
    }
    let headers = |text: &str| {
        let all = good(CLOUD, &[("JIRA_CUSTOM_HEADERS", text)]).jira.headers;
        all.iter().map(|(name, value)| format!("{name}: {}", value.reveal())).collect::<Vec<_>>()
    };
    assert_eq!(headers("X-One=1, X-Two=a=b,"), ["X-One: 1", "X-Two: a=b"]);
    assert_eq!(headers(r#"{"X-One":"a, b"}"#), ["X-One: a, b"]);
    // 0 is no limit there.
    let config = good(CLOUD, &[("ATLASSIAN_MAX_CONCURRENT_REQUESTS", "0")]);
    assert!(
        config.jira.max_concurrent == 8 && config.warnings[0].contains("always a limit"),
        "{:?}",
        config.warnings
    );
}

#[test]
fn working_hours_are_those_of_mcp_atlassian() {
    let hours = |more: &[(&str, &str)]| {
        let server = good(CLOUD, more).server();
        (server.working_hours.to_string(), server.working_hours.is_usual, server.metrics)
    };
    assert_eq!(hours(&[]), ("Mon Tue Wed Thu Fri 09:00-17:00 UTC".to_owned(), false, vec![]));
    let all = [
        ("JIRA_SLA_METRICS", "Cycle_time, lead_time"),
        ("JIRA_SLA_WORKING_HOURS_ONLY", "true"),
        ("JIRA_SLA_WORKING_HOURS_START", "08:30"),
        ("JIRA_SLA_WORKING_HOURS_END", "16:00"),
        ("JIRA_SLA_WORKING_DAYS", "7, 1,2"),
        ("JIRA_SLA_TIMEZONE", "Asia/Tokyo"),
    ];
    let metrics = ["cycle_time", "lead_time"].map(ToOwned::to_owned).to_vec();
    assert_eq!(hours(&all), ("Sun Mon Tue 08:30-16:00 Asia/Tokyo".to_owned(), true, metrics));
}

#[test]
fn the_address_decides_where_a_site_runs() {
    let site = |url: &str| good(&[("JIRA_URL", url), ("JIRA_AUTH_TYPE", "none")], &[]).jira;
    assert_eq!(site("https://example.atlassian.net/").base.as_str(), "https://example.atlassian.net/");
    assert_eq!(site("https://jira.example.com/jira/").base.as_str(), "https://jira.example.com/jira");
    for (name, value, expected) in [
        ("JIRA_DEPLOYMENT", "Cloud", Some(Deployment::Cloud)),
        ("ATLASSIAN_VARIANT", "DATA_CENTER", Some(Deployment::DataCenter)),
        ("ATLASSIAN_VARIANT", "data-center", Some(Deployment::DataCenter)),
        ("ATLASSIAN_VARIANT", "server", Some(Deployment::DataCenter)),
        ("ATLASSIAN_VARIANT", "custom", None),
    ] {
        assert_eq!(
            good(DATA_CENTER, &[(name, value), ("JIRA_AUTH_TYPE", "pat")]).jira.deployment,
            expected,
            "{value}"
        );
    }
}

#[test]
fn proxies_for_jira_win_over_those_for_all_programs() {
    let proxies = |more: &[(&str, &str)]| match good(CLOUD, more).jira.proxies {
        Proxies::Named { proxies, except } => {
            let all: Vec<_> =
                proxies.iter().map(|it| format!("{:?} {}", it.scope, it.address.reveal())).collect();
            (all, except)
        }
        other => panic!("{other:?}"),
    };
    let (all, except) = proxies(&[
        ("HTTPS_PROXY", "http://all:1"),
        ("JIRA_HTTPS_PROXY", "jira:2"),
        ("socks_proxy", "socks:3"),
        ("NO_PROXY", "a"),
        ("JIRA_NO_PROXY", "b"),
    ]);
    assert_eq!(all, ["Https http://jira:2", "All socks5h://socks:3"]);
    assert_eq!(except.as_deref(), Some("b"));
    // As curl does.
    assert_eq!(proxies(&[("HTTPS_PROXY", "http://a"), ("https_proxy", "http://b")]).0, ["Https http://b"]);
    let (all, _) = proxies(&[("ALL_PROXY", "c:3128"), ("SOCKS_PROXY", "d")]);
    assert_eq!(all, ["All socks5h://d", "All http://c:3128"]);
    assert!(matches!(good(CLOUD, &[]).jira.proxies, Proxies::System));
    let config = good(CLOUD, &[("JIRA_NO_PROXY", "a")]);
    assert!(config.warnings[0].contains("no proxy is set"), "{:?}", config.warnings);
}
