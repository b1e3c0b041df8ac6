//! A model that the test plays by hand, word by word, over a bare socket: what the server does with the connection
//! is part of what is tested.

use std::collections::HashMap;
use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use super::{check, wire};
use crate::wait::soon;

/// An OpenAI-compatible endpoint that answers when, and how far, the test says.
pub struct GatedModel {
    address: SocketAddr,
    requests: Mutex<mpsc::Receiver<GatedReply>>,
    accepting: JoinHandle<()>,
}

/// One request that waits for its reply. Dropping it drops the connection.
pub struct GatedReply {
    request: Value,
    socket: BufReader<TcpStream>,
    begun: bool,
}

impl GatedModel {
    /// A model that waits for requests.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("its address");
        let (sender, receiver) = mpsc::channel(64);
        let accepting = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    if let Some(reply) = GatedReply::read(socket).await {
                        // Nobody waits for requests any more: the test is over.
                        let _ = sender.send(reply).await;
                    }
                });
            }
        });
        Self { address, requests: Mutex::new(receiver), accepting }
    }

    /// What `model.base_url` is set to.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The next request, once it comes.
    ///
    /// # Panics
    /// When none comes, or when it breaks a rule that every request keeps.
    pub async fn next_request(&self) -> GatedReply {
        let mut requests = self.requests.lock().await;
        let reply = soon("a request to the model", requests.recv()).await;
        reply.expect("the model's endpoint is gone")
    }

    /// Takes a turn through the evidence gate with the honest exit; what comes back waits for the answer's words.
    pub async fn past_the_gate(&self) -> GatedReply {
        let mut first = self.next_request().await;
        first.send_call("no_evidence_needed", &json!({"reason": "It is a greeting."})).await;
        first.finish_calls().await;
        self.next_request().await
    }
}

impl Drop for GatedModel {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl GatedReply {
    /// Reads a request. `None` for a connection that brings none, and for anything but a chat request.
    async fn read(socket: TcpStream) -> Option<Self> {
        let mut socket = BufReader::new(socket);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if socket.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            if line.trim_end().is_empty() {
                break;
            }
            head.push(line.trim_end().to_owned());
        }
        let headers: Vec<(String, String)> = head
            .iter()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let by_name: HashMap<&str, &str> = headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        let mut body = vec![0; by_name.get("content-length").and_then(|l| l.parse().ok()).unwrap_or(0)];
        socket.read_exact(&mut body).await.ok()?;
        if !head.first()?.starts_with("POST /v1/chat/completions ") {
            let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            socket.get_mut().write_all(answer.as_bytes()).await.ok()?;
            return None;
        }
        let faults = check::faults(&headers, &body);
        let request =
            if faults.is_empty() { serde_json::from_slice(&body).ok()? } else { json!({ "faults": faults }) };
        Some(Self { request, socket, begun: false })
    }

    /// The request's body.
    ///
    /// # Panics
    /// When it breaks a rule that every request keeps.
    pub fn request(&self) -> &Value {
        assert!(self.request.get("faults").is_none(), "a request to the model was wrong: {}", self.request);
        &self.request
    }

    /// Sends words of the answer, as one delta.
    pub async fn send_text(&mut self, text: &str) {
        self.send(&wire::chunk(&json!({"content": text}), None)).await;
    }

    /// Sends one call.
    pub async fn send_call(&mut self, name: &str, arguments: &Value) {
        let id = format!("call_{}", uuid::Uuid::now_v7().simple());
        self.send(&wire::call(0, &id, name, &arguments.to_string()).concat()).await;
    }

    /// Sends a comment, which says that the endpoint lives and nothing else.
    pub async fn send_comment(&mut self) {
        self.send(": still here\n\n").await;
    }

    /// Ends a reply of words.
    pub async fn finish(self) {
        self.finish_as("stop").await;
    }

    /// Ends a reply of calls.
    pub async fn finish_calls(self) {
        self.finish_as("tool_calls").await;
    }

    async fn finish_as(mut self, reason: &str) {
        let end = [wire::chunk(&json!({}), Some(reason)), wire::usage(100, 20), wire::DONE.to_owned()];
        self.send(&end.concat()).await;
        let socket = self.socket.get_mut();
        soon("the end of a reply", socket.write_all(b"0\r\n\r\n"))
            .await
            .expect("the server reads to the end");
        soon("the socket", socket.shutdown()).await.expect("the server reads to the end");
    }

    /// Breaks the connection in the middle.
    pub fn drop_connection(self) {
        drop(self);
    }

    /// Waits until the server has closed its side. Proves that a stop, or anything else that gives a reply up,
    /// reaches the endpoint.
    ///
    /// # Panics
    /// When it stays open.
    pub async fn closed(mut self) {
        soon("the server to close its connection to the model", async {
            let mut bytes = [0_u8; 64];
            // Whatever comes is a pipelined request at most; an error is a reset and as good as an end.
            while matches!(self.socket.read(&mut bytes).await, Ok(n) if n > 0) {}
        })
        .await;
    }

    async fn send(&mut self, events: &str) {
        self.request();
        let mut bytes = Vec::new();
        if !self.begun {
            self.begun = true;
            bytes.extend_from_slice(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
            );
        }
        bytes.extend_from_slice(format!("{:x}\r\n{events}\r\n", events.len()).as_bytes());
        let socket = self.socket.get_mut();
        soon("the server to take a part of the reply", socket.write_all(&bytes))
            .await
            .expect("the server closed the connection to the model");
    }
}
