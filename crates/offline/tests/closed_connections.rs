//! What the log tells of connections that end early. A process of its own: other tests, running at the same time, would
//! decide for all whether a line is written.

#![allow(clippy::unwrap_used)] // a helper that fails is a failed test

use std::io::Write;
use std::time::Duration;

use attest_offline::{Behaviour, OfflineOptions, serve};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// Log lines as they are written.
#[derive(Clone)]
struct Lines(UnboundedSender<String>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(String::from_utf8_lossy(bytes).into_owned()).ok();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The reply that a client sees that reads up to these words and leaves, or that reads until it is sent away.
async fn reply(behaviour: Behaviour, leaves_after: Option<&str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let options = OfflineOptions { pace: Duration::ZERO, behaviour, ..OfflineOptions::default() };
    tokio::spawn(serve(listener, options, std::future::pending()));
    let mut socket = TcpStream::connect(address).await.unwrap();
    let body = json!({"stream": true, "messages": [{"role": "user", "content": "hello"}]}).to_string();
    let head =
        format!("POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
    socket.write_all((head + &body).as_bytes()).await.unwrap();
    let mut reply = Vec::new();
    let mut piece = [0; 4096];
    while leaves_after.is_none_or(|words| !String::from_utf8_lossy(&reply).contains(words)) {
        let read = socket.read(&mut piece).await.unwrap_or(0);
        if read == 0 {
            break;
        }
        reply.extend(piece.iter().take(read));
    }
    String::from_utf8(reply).unwrap()
}

#[tokio::test]
async fn the_log_tells_when_a_reader_has_left_and_a_dropped_connection_has_no_last_chunk() {
    let (lines, mut written) = unbounded_channel();
    let log = tracing_subscriber::fmt()
        .with_writer(move || Lines(lines.clone()))
        .with_ansi(false)
        .without_time()
        .with_max_level(tracing::Level::INFO)
        .finish();
    let _guard = tracing::subscriber::set_default(log);
    let expected = "A reply of the offline model was closed before its end reply.events=4 ";

    reply(Behaviour { stall_after: Some(3), ..Behaviour::default() }, Some(" Ask")).await;
    let line = written.recv().await.unwrap();
    assert!(line.contains(expected), "{line}");

    let dropped = reply(Behaviour { drop_after: Some(3), ..Behaviour::default() }, None).await;
    let line = written.recv().await.unwrap();
    assert!(line.contains(expected), "{line}");
    assert!(dropped.contains(" Ask") && !dropped.ends_with("0\r\n\r\n"), "{dropped}");
}
