//! Where a model lives: the settings of one endpoint, checked before the first request.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use url::{Host, Url};

use crate::secret::Secret;

#[cfg(test)]
mod tests;

/// The settings of one endpoint and one model there.
#[derive(Clone, Debug)]
pub struct EndpointOptions {
    /// Everything before `/chat/completions`, as [`validate_base_url`] returns it.
    pub base_url: Url,
    /// The model's name at that endpoint.
    pub model: String,
    /// Sent as a bearer token; `None` sends no `Authorization` at all.
    pub api_key: Option<Secret>,
    /// How long a connection may take, TLS included.
    pub connect_timeout: Duration,
    /// How long the endpoint may take from the request to its first data event. Covers the reading of the prompt.
    pub first_event_timeout: Duration,
    /// How long it may be silent between two data events. Comments do not count as data.
    pub idle_timeout: Duration,
    /// The token limit of a request that states none. `None` leaves it to the endpoint; some of those then ask for
    /// credit for the model's maximum before they start.
    pub max_tokens: Option<u32>,
    /// Replies may begin inside of a thought that only a closing tag ends, because the opening one stands in the model's
    /// template. Said by the settings, never guessed: an answer may speak of such a tag.
    pub starts_in_reasoning: bool,
}

impl EndpointOptions {
    /// Options with the default limits: 10 s to connect, 300 s to the first event, 120 s between events.
    pub fn new(base_url: Url, model: impl Into<String>) -> Self {
        Self {
            base_url,
            model: model.into(),
            api_key: None,
            connect_timeout: Duration::from_secs(10),
            first_event_timeout: Duration::from_secs(300),
            idle_timeout: Duration::from_secs(120),
            max_tokens: None,
            starts_in_reasoning: false,
        }
    }
}

/// Why an endpoint's settings cannot work. Each sentence says what would be right.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// No `http://` or `https://` in front.
    #[error(
        "the base URL `{given}` has no scheme; write `https://{given}`, or `http://{given}` for a server on this machine"
    )]
    MissingScheme {
        /// What was given.
        given: String,
    },
    /// A scheme that is not HTTP.
    #[error("the base URL `{given}` must start with `http://` or `https://`")]
    NotHttp {
        /// What was given.
        given: String,
    },
    /// Not a URL at all.
    #[error("the base URL `{given}` is not a URL; it should look like `https://api.example.com/v1`")]
    NotAUrl {
        /// What was given.
        given: String,
        /// What the parser says.
        source: url::ParseError,
    },
    /// `/v1/v1`.
    #[error("the base URL `{given}` names `/v1` twice; once is right")]
    VersionTwice {
        /// What was given.
        given: String,
    },
    /// The route was pasted along.
    #[error("the base URL `{given}` ends in `{route}`; leave that part out, it is added to every request")]
    EndsInRoute {
        /// What was given.
        given: String,
        /// The part that is too much.
        route: &'static str,
    },
    /// `https://user:key@host`.
    #[error(
        "the base URL of `{host}` contains a user name or a password; put the key into the API key setting instead"
    )]
    HasCredentials {
        /// The host, without the credentials.
        host: String,
    },
    /// A key that cannot stand in a header.
    #[error("the API key contains {what}; paste the key alone, in one line")]
    UnusableKey {
        /// What was found in it.
        what: &'static str,
    },
    /// The HTTP client could not be built.
    #[error("the HTTP client could not be built; are the system's CA certificates installed?")]
    Client(#[source] reqwest::Error),
}

/// The routes that are added to a base URL, and so must not end it.
const ROUTES: [&str; 5] = ["/chat/completions", "/embeddings", "/completions", "/responses", "/models"];

/// Checks a base URL as a person wrote it. Blanks around it and a slash at its end are accepted and removed.
///
/// # Errors
/// An [`EndpointError`] whose sentence says what to write instead.
pub fn validate_base_url(given: &str) -> Result<Url, EndpointError> {
    let text = given.trim();
    let owned = || text.to_owned();
    let mut url = match Url::parse(text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) if !text.is_empty() => {
            return Err(EndpointError::MissingScheme { given: owned() });
        }
        Err(source) => return Err(EndpointError::NotAUrl { given: owned(), source }),
    };
    if !matches!(url.scheme(), "http" | "https") {
        // `localhost:8080` parses as the scheme `localhost`.
        let schemeless = !text.contains("://");
        return Err(if schemeless {
            EndpointError::MissingScheme { given: owned() }
        } else {
            EndpointError::NotHttp { given: owned() }
        });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(EndpointError::HasCredentials { host: host_of(&url) });
    }
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    if let Some(route) = ROUTES.into_iter().find(|route| path.ends_with(route)) {
        return Err(EndpointError::EndsInRoute { given: owned(), route });
    }
    if path.split('/').filter(|part| *part == "v1").count() > 1 {
        return Err(EndpointError::VersionTwice { given: owned() });
    }
    url.set_path(&path);
    Ok(url)
}

/// Checks that a key can stand in a header.
///
/// # Errors
/// [`EndpointError::UnusableKey`] for an empty key, line breaks and what is not printable ASCII.
pub fn validate_api_key(key: &Secret) -> Result<(), EndpointError> {
    let text = key.expose();
    let what = if text.trim().is_empty() {
        "nothing"
    } else if text.contains(['\n', '\r']) {
        "a line break"
    } else if text.contains(char::is_whitespace) {
        "a blank"
    } else if !text.chars().all(|c| c.is_ascii_graphic()) {
        "a character that is not plain ASCII"
    } else {
        return Ok(());
    };
    Err(EndpointError::UnusableKey { what })
}

/// Makes ring the process's TLS provider unless one is installed already. Call it as often as you like.
pub fn install_crypto_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none()
        && rustls::crypto::ring::default_provider().install_default().is_err()
    {
        tracing::trace!("another thread installed a TLS provider first");
    }
}

/// The address of a route: the base URL's query (an API version, say) is kept.
pub(crate) fn route_url(base: &Url, route: &str) -> Url {
    let mut url = base.clone();
    let path = format!("{}{route}", base.path().trim_end_matches('/'));
    url.set_path(&path);
    url
}

/// Host and port, for logs and sentences.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or("(no host)");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// One HTTP client for one endpoint. It has no total timeout: a long answer is not a fault, only silence is.
pub(crate) fn http_client(options: &EndpointOptions) -> Result<reqwest::Client, EndpointError> {
    install_crypto_provider();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(options.connect_timeout)
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(60))
        // A redirect would turn the POST into a GET; the refusal says where to point the base URL instead.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("attest/", env!("CARGO_PKG_VERSION")));
    if options.base_url.scheme() == "http" {
        // Plain HTTP must work on a machine without CA certificates.
        builder = builder.tls_certs_only([]);
    }
    if is_loopback(&options.base_url) {
        builder = builder.no_proxy();
    }
    if let Some(key) = &options.api_key {
        validate_api_key(key)?;
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
            .map_err(|_| EndpointError::UnusableKey { what: "a character that cannot stand in a header" })?;
        value.set_sensitive(true);
        builder = builder.default_headers(HeaderMap::from_iter([(AUTHORIZATION, value)]));
    }
    builder.build().map_err(EndpointError::Client)
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
