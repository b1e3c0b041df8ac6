//! What names this database.

use uuid::Uuid;

use crate::connect::Store;
use crate::error::StoreError;

impl Store {
    /// A random id that this database gets once: a search index that carries another one was built from another
    /// database and must be rebuilt.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn index_epoch(&self) -> Result<Uuid, StoreError> {
        sqlx::query("insert into instance default values on conflict do nothing").execute(&self.pool).await?;
        Ok(sqlx::query_scalar("select epoch from instance").fetch_one(&self.pool).await?)
    }
}
