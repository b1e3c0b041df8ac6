//! What a caller can do about a failure.

/// Why the store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached or is going away: the same call may succeed later.
    #[error("the database cannot be reached")]
    Unavailable(#[source] sqlx::Error),
    /// The database refused the connection or a statement: the same call fails again.
    #[error("the database refused")]
    Database(#[source] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the database's schema could not be brought up to date")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// A row, or a value that was to become one, does not have its shape.
    #[error("stored data does not have its shape: {0}")]
    Corrupt(String),
    /// The row that the call depends on is missing.
    #[error("there is no such {0}")]
    Missing(&'static str),
}

impl StoreError {
    /// True when the same call may succeed once the database is back.
    #[must_use]
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }

    /// True when the statement broke the unique index or constraint `name`.
    pub(crate) fn is_conflict_on(&self, name: &str) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error))
            if error.is_unique_violation() && error.constraint() == Some(name))
    }

    /// True when the statement pointed to a row that is not there.
    pub(crate) fn is_dangling(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.is_foreign_key_violation())
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            // What stands before a database that is away (a container's port, a load balancer) takes a connection
            // and closes it, which the driver reports as an answer that it did not expect.
            | sqlx::Error::Protocol(_) => Self::Unavailable(error),
            sqlx::Error::Database(refusal) if refusal.code().is_some_and(|code| is_passing(&code)) => {
                Self::Unavailable(error)
            }
            sqlx::Error::ColumnDecode { index, source } => Self::Corrupt(format!("column {index}: {source}")),
            sqlx::Error::Decode(source) => Self::Corrupt(source.to_string()),
            _ => Self::Database(error),
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(source) => match Self::from(source) {
                unavailable @ Self::Unavailable(_) => unavailable,
                Self::Database(source) => Self::Migration(sqlx::migrate::MigrateError::Execute(source)),
                other => other,
            },
            other => Self::Migration(other),
        }
    }
}

/// SQLSTATEs of a server that is starting, stopping, full, or lost on the way.
fn is_passing(code: &str) -> bool {
    // 08: connection exception. 57P01 to 57P03: shut down, crashed, starting. 57P05, 25P03: the server
    // ended an idle session. 53300: too many connections.
    code.starts_with("08") || matches!(code, "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300")
}

/// Lets `?` carry a database error into the enum of an operation, through its `Store` variant.
macro_rules! carries_database_errors {
    ($($name:ident),+) => {$(
        impl From<sqlx::Error> for $name {
            fn from(error: sqlx::Error) -> Self {
                Self::Store(error.into())
            }
        }
    )+};
}
pub(crate) use carries_database_errors;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_comes_and_goes_is_unavailable() {
        for code in ["08006", "57P01", "57P02", "57P03", "53300"] {
            assert!(is_passing(code), "{code}");
        }
        for code in ["23505", "42601", "28P01", "3D000", "57014"] {
            assert!(!is_passing(code), "{code}");
        }
    }

    #[test]
    fn a_closed_pool_is_unavailable_and_a_bad_setting_is_not() {
        assert!(StoreError::from(sqlx::Error::PoolClosed).is_unavailable());
        assert!(!StoreError::from(sqlx::Error::Configuration("no host".into())).is_unavailable());
    }
}
