//! Being told of changes. A notification carries an id at most and is only a hint: whoever listens also polls.

use sqlx::postgres::PgListener;

use crate::connect::Store;
use crate::error::StoreError;

/// What there is to listen to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The search index has something to look at.
    Index,
    /// A document waits for a worker.
    Documents,
}

impl Channel {
    /// Its name in PostgreSQL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "attest_index",
            Self::Documents => "attest_documents",
        }
    }
}

/// Waits for changes on one channel. Holds a connection of the pool.
#[derive(Debug)]
pub struct ChangeListener {
    listener: PgListener,
}

impl Store {
    /// Begins to listen.
    ///
    /// # Errors
    /// When no connection can be had.
    pub async fn listen(&self, channel: Channel) -> Result<ChangeListener, StoreError> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(channel.name()).await?;
        Ok(ChangeListener { listener })
    }
}

impl ChangeListener {
    /// Returns after at least one change since the last call. What came while nobody waited counts once.
    /// A connection that was lost and found again counts as a change too, since some may have been missed.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the connection is lost; the next call tries again, at once.
    pub async fn changed(&mut self) -> Result<(), StoreError> {
        // `None` is the lost connection.
        let _hint = self.listener.try_recv().await?;
        while self.listener.next_buffered().is_some() {}
        Ok(())
    }
}
