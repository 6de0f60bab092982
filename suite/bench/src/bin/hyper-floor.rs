//! A lower bound for HTTP servers: `hyper` on one thread, no checks, no framework.
//!
//! `hyper-floor --http PORT [CERTIFICATE KEY]`. It is not a usable MCP server: all clients share one session.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

#[path = "../cheap.rs"]
mod cheap;

use cheap::Request;

type Failed = Box<dyn std::error::Error>;

struct Floor {
    tools: String,
    /// Number of running naps.
    active: AtomicU64,
    /// Naps by request id. Notifying one ends the nap.
    naps: Mutex<HashMap<String, Arc<Notify>>>,
}

/// Counts a nap as active until it is dropped.
struct Running<'f>(&'f Floor, String);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Relaxed);
        self.0.naps.lock().expect("no panic under the lock").remove(&self.1);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [flag, port, files @ ..] = args.as_slice() else { return Err("expected --http PORT".into()) };
    assert_eq!(flag, "--http");
    let tls = acceptor(files)?;
    let floor =
        Arc::new(Floor { tools: cheap::tools(), active: AtomicU64::default(), naps: Mutex::default() });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.parse()?)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (floor, tls) = (Arc::clone(&floor), tls.clone());
        #[expect(clippy::disallowed_methods, reason = "there is nobody else to spawn")]
        tokio::spawn(async move {
            match tls {
                None => serve(floor, stream).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve(floor, stream).await;
                    }
                }
            }
        });
    }
}

/// Reads the certificate and the key, if they are given.
fn acceptor(files: &[String]) -> Result<Option<TlsAcceptor>, Failed> {
    let [certificate, key] = files else { return Ok(None) };
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(certificate)?],
            PrivateKeyDer::from_pem_file(key)?,
        )?;
    Ok(Some(TlsAcceptor::from(Arc::new(config))))
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(floor: Arc<Floor>, stream: S) {
    let service = service_fn(|request: hyper::Request<Incoming>| async {
        // Sessions have no stream and can't be deleted.
        if request.method() != Method::POST {
            let mut response = Response::new(Full::default());
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            return Ok(response);
        }
        let body = match request.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => Bytes::new(),
        };
        Ok::<_, Infallible>(answer(&floor, &body).await)
    });
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(floor: &Floor, body: &[u8]) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    let Ok(request) = serde_json::from_slice::<Request<'_>>(body) else {
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return response;
    };
    let arguments = request.params.arguments;
    let Some(id) = request.id.map(RawValue::get) else {
        if let Some(victim) = request.params.request_id {
            let naps = floor.naps.lock().expect("no panic under the lock");
            naps.get(victim.get()).into_iter().for_each(|nap| nap.notify_one());
        }
        *response.status_mut() = StatusCode::ACCEPTED;
        return response;
    };
    let mut out = Vec::new();
    match (request.method, request.params.name) {
        ("tools/call", Some("echo")) => {
            cheap::write_text(&mut out, id, arguments.message.map_or("\"\"", RawValue::get))
        }
        ("tools/call", Some("blob")) => cheap::write_blob(&mut out, id, arguments.bytes.unwrap_or(0)),
        ("tools/call", Some("nap")) => {
            nap(floor, id, arguments.ms.unwrap_or(0)).await;
            cheap::write_text(&mut out, id, "\"slept\"")
        }
        ("tools/call", _) => cheap::write_text(&mut out, id, &format!("\"{}\"", floor.active.load(Relaxed))),
        ("tools/list", _) => cheap::write_list(&mut out, id, &floor.tools),
        ("server/discover", _) => cheap::write_discovered(&mut out, id),
        _ => cheap::write_initialized(&mut out, id),
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if request.method == "initialize" {
        headers.insert("mcp-session-id", HeaderValue::from_static("everybodys"));
    }
    *response.body_mut() = Full::new(out.into());
    response
}

async fn nap(floor: &Floor, id: &str, ms: u64) {
    let cancelled = Arc::new(Notify::new());
    floor.naps.lock().expect("no panic under the lock").insert(id.to_owned(), Arc::clone(&cancelled));
    floor.active.fetch_add(1, Relaxed);
    let _running = Running(floor, id.to_owned());
    let cancelled = pin!(cancelled.notified());
    let _ = tokio::time::timeout(Duration::from_millis(ms), cancelled).await;
}
