//! A network between the server and its database that a test can cut and mend.

use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use attest_testkit_db::TestDatabase;

/// Passes bytes on while it is mended; cut, it drops every connection and takes no new one.
pub struct DatabaseProxy {
    url: String,
    open: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

#[derive(Clone)]
enum Behind {
    Socket(PathBuf),
    Tcp(String, u16),
}

impl DatabaseProxy {
    /// Stands before this database.
    pub(crate) async fn before(database: &TestDatabase) -> Self {
        let options = database.connect_options();
        let (host, port) = (options.get_host().to_owned(), options.get_port());
        let behind = match options.get_socket() {
            Some(folder) => Behind::Socket(folder.join(format!(".s.PGSQL.{port}"))),
            None if host.starts_with('/') => {
                Behind::Socket(PathBuf::from(&host).join(format!(".s.PGSQL.{port}")))
            }
            None => Behind::Tcp(host, port),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("its address");
        let url = format!("postgres://{}@{address}/{}", options.get_username(), database.name());
        let (open, is_open) = watch::channel(true);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *is_open.borrow() {
                    tokio::spawn(pass_on(client, behind.clone(), is_open.clone()));
                }
            }
        });
        Self { url, open, accepting }
    }

    /// The database's URL through the proxy.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Drops every connection; new ones are closed at once.
    pub fn cut(&self) {
        self.open.send_replace(false);
    }

    /// Takes connections again.
    pub fn mend(&self) {
        self.open.send_replace(true);
    }
}

impl Drop for DatabaseProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass_on(mut client: TcpStream, behind: Behind, mut is_open: watch::Receiver<bool>) {
    // A connection that cannot be made is dropped, as by a database that is away.
    match behind {
        Behind::Socket(path) => {
            if let Ok(server) = UnixStream::connect(path).await {
                until_cut(&mut client, server, &mut is_open).await;
            }
        }
        Behind::Tcp(host, port) => {
            if let Ok(server) = TcpStream::connect((host, port)).await {
                until_cut(&mut client, server, &mut is_open).await;
            }
        }
    }
}

async fn until_cut(
    client: &mut TcpStream,
    mut server: impl AsyncRead + AsyncWrite + Unpin,
    is_open: &mut watch::Receiver<bool>,
) {
    tokio::select! {
        _ = copy_bidirectional(client, &mut server) => {}
        _ = is_open.wait_for(|open| !open) => {}
    }
}
