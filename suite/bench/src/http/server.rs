//! An HTTP server as a child process. Dropping the value kills it.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::process;

/// Time limit for a server to accept connections.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Server {
    child: Child,
    pub address: Address,
    /// Files to remove at the end.
    files: Vec<PathBuf>,
}

/// The port of a server, and its TLS settings.
#[derive(Clone)]
pub struct Address {
    pub port: u16,
    pub tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Server {
    /// Starts a server with `tools` tools that do nothing.
    pub fn start(path: &str, tools: usize) -> Result<Self, String> {
        Self::spawn(Command::new(path).env("MCP_TOOLS", tools.to_string()), None, Vec::new())
    }

    /// Starts a server with a fresh certificate.
    pub fn start_with_tls(path: &str) -> Result<Self, String> {
        let made = rcgen::generate_simple_self_signed(["localhost".into()]).map_err(|e| e.to_string())?;
        let file = |name: &str, text: String| {
            let path =
                std::env::temp_dir().join(format!("plainwire-bench-{}-{name}.pem", std::process::id()));
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<_, String>(path)
        };
        let files = vec![file("cert", made.cert.pem())?, file("key", made.signing_key.serialize_pem())?];
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).map_err(|error| error.to_string())?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").map_err(|error| error.to_string())?;
        let tls = (TlsConnector::from(Arc::new(config)), name);
        Self::spawn(&mut Command::new(path), Some(tls), files)
    }

    fn spawn(
        command: &mut Command,
        tls: Option<(TlsConnector, ServerName<'static>)>,
        files: Vec<PathBuf>,
    ) -> Result<Self, String> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|error| error.to_string())?.port();
        command.args(["--http", &port.to_string()]).args(&files).stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
        let mut server = Self { child, address: Address { port, tls }, files };
        server.wait()?;
        Ok(server)
    }

    fn wait(&mut self) -> Result<(), String> {
        let began = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.address.port)).is_err() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("the server ended: {status}"));
            }
            if began.elapsed() > PATIENCE {
                return Err(format!("the server did not listen after {PATIENCE:?}"));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Returns the CPU seconds of all threads so far.
    pub fn cpu(&self) -> Result<f64, String> {
        process::cpu(&self.child)
    }

    pub fn resident_kib(&self) -> Result<f64, String> {
        process::resident_kib(&self.child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
    }
}
