//! A hostile server over HTTP.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::{good, request};
use crate::behaviours::{ServerBehaviour, Then};
use crate::client::connections::Actor;
use crate::text::Values;

/// Serves until it is dropped. `scale` divides the number of repetitions.
pub(crate) async fn serve(listener: TcpListener, behaviour: &'static ServerBehaviour, scale: u32) {
    // Memory and descriptors of this side are not measured, but must suffice.
    let places = Arc::new(Semaphore::new(5_000));
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        tokio::spawn(async move {
            let _ = talk(stream, behaviour, scale).await;
            drop(place);
        });
    }
}

/// Answers the requests of a connection.
async fn talk(stream: TcpStream, behaviour: &'static ServerBehaviour, scale: u32) -> std::io::Result<()> {
    let mut actor = Actor { stream, values: Values::default(), stream_id: 1, scale };
    let mut read = Vec::new();
    while let Some((is_post, body)) = next(&mut actor.stream, &mut read).await? {
        let Some((method, id, token)) = request(&body).filter(|_| is_post) else {
            let status = if is_post { "202 Accepted" } else { "405 Method Not Allowed" };
            let none = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            actor.stream.write_all(none.as_bytes()).await?;
            continue;
        };
        if !(behaviour.on.is_empty() || behaviour.on == method) {
            let answer = good(&method, &id);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nmcp-session-id: s\r\ncontent-length: {}\r\n\r\n",
                answer.len()
            );
            actor.stream.write_all(head.as_bytes()).await?;
            actor.stream.write_all(answer.as_bytes()).await?;
            continue;
        }
        (actor.values.id, actor.values.token) = (id, token);
        match behaviour.then {
            Then::Silence => std::future::pending().await,
            Then::Dies => {
                let half = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"json";
                return actor.stream.write_all(half).await;
            }
            Then::Sends(pieces) => return actor.act_all(pieces).await,
            Then::Says { messages, times } => {
                actor.stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await?;
                for at in 0..(times / scale).max(messages.len().min(times as usize) as u32) {
                    let message = actor.values.fill(messages[at as usize % messages.len()]);
                    actor.stream.write_all(b"data: ").await?;
                    actor.stream.write_all(&message).await?;
                    actor.stream.write_all(b"\n\n").await?;
                }
                std::future::pending::<()>().await;
            }
        }
    }
    Ok(())
}

/// Reads a request. Returns whether it is a POST, and its body.
async fn next(stream: &mut TcpStream, read: &mut Vec<u8>) -> std::io::Result<Option<(bool, String)>> {
    let end = loop {
        if let Some(at) = read.windows(4).position(|it| it == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let end_of_body = end + length.unwrap_or(0);
    while read.len() < end_of_body {
        if stream.read_buf(read).await? == 0 {
            return Ok(None);
        }
    }
    let body = String::from_utf8_lossy(&read[end..end_of_body]).into_owned();
    read.drain(..end_of_body);
    Ok(Some((head.starts_with("post "), body)))
}
