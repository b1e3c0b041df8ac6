//! What is put in once, such as the sample base, and not again after a person removed it.

use time::OffsetDateTime;

use crate::clean::text;
use crate::connect::Store;
use crate::error::StoreError;

impl Store {
    /// When the thing called `name` was put in.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn find_seed_mark(&self, name: &str) -> Result<Option<OffsetDateTime>, StoreError> {
        Ok(sqlx::query_scalar("select recorded_at from seed_marks where name = $1")
            .bind(text(name))
            .fetch_optional(&self.pool)
            .await?)
    }

    /// Records that it was put in. True for the one caller who was first.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn set_seed_mark(&self, name: &str, now: OffsetDateTime) -> Result<bool, StoreError> {
        let set =
            sqlx::query("insert into seed_marks (name, recorded_at) values ($1, $2) on conflict do nothing")
                .bind(text(name))
                .bind(now)
                .execute(&self.pool)
                .await?;
        Ok(set.rows_affected() == 1)
    }
}
