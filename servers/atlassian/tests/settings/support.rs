//! Settings from pairs, and what is seen of them.

use std::io;
use std::path::Path;

use plainwire_atlassian::rest::{Credentials, Proxies};
use plainwire_atlassian::settings::{Config, Layers, Problems, Source};

/// A text that must not be in any message.
pub(crate) const SECRET: &str = "tok-s3cr3t-9271";

/// A site on Cloud with an API token.
pub(crate) const CLOUD: &[(&str, &str)] = &[
    ("JIRA_URL", "https://example.atlassian.net"),
    ("JIRA_USERNAME", "ada@example.com"),
    ("JIRA_API_TOKEN", SECRET),
];

/// A site in Data Center with a personal access token.
pub(crate) const DATA_CENTER: &[(&str, &str)] =
    &[("JIRA_URL", "https://jira.example.com/jira"), ("JIRA_PERSONAL_TOKEN", SECRET)];

pub(crate) fn pairs(values: &[(&str, &str)]) -> Vec<(String, String)> {
    values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub(crate) fn of(source: Source, values: &[(&str, &str)]) -> Layers {
    Layers::default().with(source, pairs(values))
}

/// Reads settings of an environment.
pub(crate) fn read(values: &[(&str, &str)]) -> Result<Config, Problems> {
    from(&of(Source::Environment, values))
}

pub(crate) fn from(layers: &Layers) -> Result<Config, Problems> {
    let read = Config::read(layers, &file);
    let messages = read.as_ref().map_or_else(ToString::to_string, |it| it.warnings.join("\n"));
    assert!(!messages.contains(SECRET) && !format!("{layers:?}{read:?}").contains(SECRET), "{messages}");
    read
}

/// Reads settings of an environment on top of others.
pub(crate) fn with(base: &[(&str, &str)], more: &[(&str, &str)]) -> Result<Config, Problems> {
    let more = pairs(more);
    from(&of(Source::Environment, base).with(Source::Environment, more))
}

/// Reads settings that can be used.
pub(crate) fn good(base: &[(&str, &str)], more: &[(&str, &str)]) -> Config {
    with(base, more).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The files that settings may name. Both certificates are the same key pair.
fn file(path: &Path) -> io::Result<Vec<u8>> {
    thread_local! {
        static KEY: rcgen::CertifiedKey<rcgen::KeyPair> =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    }
    KEY.with(|key| {
        let (certificate, secret) = (key.cert.pem(), key.signing_key.serialize_pem());
        match path.to_str() {
            Some("cert.pem") => Ok(certificate.into_bytes()),
            Some("key.pem") => Ok(secret.into_bytes()),
            Some("both.pem") => Ok((certificate + &secret).into_bytes()),
            Some("other.pem") => Ok(b"no certificate".to_vec()),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        }
    })
}

/// Returns all that settings say, with secrets, for a comparison.
pub(crate) fn seen(config: &Config) -> String {
    let site = &config.jira;
    let credentials = match &site.credentials {
        Credentials::Basic { user, secret } => format!("Basic {user} {}", secret.reveal()),
        Credentials::Bearer(secret) => format!("Bearer {}", secret.reveal()),
        other => format!("{other:?}"),
    };
    let headers: Vec<_> =
        site.headers.iter().map(|(name, value)| format!("{name}={}", value.reveal())).collect();
    let proxies = match &site.proxies {
        Proxies::Named { proxies, except } => {
            let all: Vec<_> =
                proxies.iter().map(|it| format!("{:?} {}", it.scope, it.address.reveal())).collect();
            format!("{all:?} {except:?}")
        }
        other => format!("{other:?}"),
    };
    let key = site.client_certificate.as_ref().map(|it| it.key.reveal().to_owned());
    format!("{config:?}\n{credentials}\n{headers:?}\n{proxies}\n{key:?}")
}
