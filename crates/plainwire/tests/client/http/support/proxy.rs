//! A proxy in front of a real server, which can cut a response off after any byte.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A proxy that passes all bytes between clients and one server. After [`Self::cut_after`], it cuts one
/// connection.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    /// The number of bytes of responses, over all connections, that pass before a connection is cut; `None`
    /// if no cut is planned, or it has happened.
    pub(crate) left: Arc<Mutex<Option<usize>>>,
    _task: JoinSet<()>,
}

impl Proxy {
    pub(crate) async fn new(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let left = Arc::<Mutex<Option<usize>>>::default();
        let shared = Arc::clone(&left);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(carry(client, to, Arc::clone(&shared)));
            }
        });
        Self { address, left, _task: task }
    }

    /// Lets `bytes` more bytes of responses pass, and then cuts one connection. After that, all bytes pass
    /// again.
    pub(crate) fn cut_after(&self, bytes: usize) {
        *self.left.lock().expect("a lock") = Some(bytes);
    }

    pub(crate) fn was_cut(&self) -> bool {
        self.left.lock().expect("a lock").is_none()
    }
}

async fn carry(client: TcpStream, to: SocketAddr, left: Arc<Mutex<Option<usize>>>) {
    let Ok(server) = TcpStream::connect(to).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let mut up = JoinSet::new();
    up.spawn(async move { drop(tokio::io::copy(&mut from_client, &mut to_server).await) });
    let mut buffer = vec![0; 16 << 10];
    loop {
        let count = match from_server.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        let (pass, is_cut) = {
            let mut left = left.lock().expect("a lock");
            match *left {
                None => (count, false),
                Some(rest) if rest >= count => {
                    *left = Some(rest - count);
                    (count, false)
                }
                Some(rest) => {
                    *left = None;
                    (rest, true)
                }
            }
        };
        if to_client.write_all(&buffer[..pass]).await.is_err() || is_cut {
            break;
        }
    }
}
