//! TLS: loads a certificate and a key from files, with clear errors for unusable ones.
//!
//! In: two paths. Out: a [`TlsAcceptor`]. Errors never contain a part of a key. Clients authenticate with
//! tokens, not with certificates.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject as _};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::error::{Error, Result};

/// The paths of an endpoint's certificate and its key.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Files {
    /// Reads the files and makes the acceptor.
    ///
    /// # Errors
    /// [`Error::Io`] with the path, what was expected of the file and what was found.
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor> {
        let chain = certificates(&self.certificate).map_err(failed("reading the certificate for TLS"))?;
        let key = private_key(&self.key).map_err(failed("reading the key for TLS"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| self.do_not_fit(&error))
            .map_err(failed("setting up TLS"))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn do_not_fit(&self, error: &rustls::Error) -> io::Error {
        let (certificate, key) = (self.certificate.display(), self.key.display());
        let why = match error {
            rustls::Error::InconsistentKeys(_) => "one of another certificate".to_owned(),
            other => other.to_string(),
        };
        invalid(format!(
            "expected {key} to be the key of the first certificate in {certificate}, but found {why}"
        ))
    }
}

fn failed(doing: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Io { doing, source }
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let found = CertificateDer::pem_slice_iter(&read(path)?).collect::<Result<Vec<_>, _>>();
    let what = "certificates in PEM, the server's own first";
    match found {
        Ok(chain) if chain.is_empty() => Err(expected(path, what, "none")),
        Ok(chain) => Ok(chain),
        Err(error) => Err(expected(path, what, &words(&error))),
    }
}

fn private_key(path: &Path) -> io::Result<PrivateKeyDer<'static>> {
    let bytes = read(path)?;
    let what = "a private key in PEM that has no passphrase";
    match PrivateKeyDer::from_pem_slice(&bytes) {
        Ok(key) => Ok(key),
        Err(pem::Error::NoItemsFound) if contains(&bytes, b"BEGIN ENCRYPTED PRIVATE KEY") => {
            Err(expected(path, what, "one that has"))
        }
        Err(error) => Err(expected(path, what, &words(&error))),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn expected(path: &Path, what: &str, found: &str) -> io::Error {
    invalid(format!("expected {} to have {what}, but found {found}", path.display()))
}

/// Describes an error in a PEM file. The error's own text is not used: it quotes a line of the file, which
/// may be a part of the key.
fn words(error: &pem::Error) -> String {
    match error {
        pem::Error::NoItemsFound => "none".to_owned(),
        pem::Error::MissingSectionEnd { .. } => "one without its END line".to_owned(),
        pem::Error::Base64Decode(_) => "one that is not Base64".to_owned(),
        _ => "something else".to_owned(),
    }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
