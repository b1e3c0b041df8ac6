//! All SQL: what attest knows and what was said, in PostgreSQL 15 or newer.
//!
//! It deliberately decides nothing: ids and times come from the caller, policy lives above. Two things are
//! its own because only the database can know them: leases run by the database's clock, and "one turn at a time"
//! is settled under the conversation's row lock.
//!
//! Start at [`Store`] in `connect.rs`, then `turns/begin.rs`, which holds the one hard transaction.
//! There is one module for each table; the functions are methods of [`Store`] and the structs stand beside them.
//! `find_` gives an `Option`, `get_` errs when the row is missing, `list_` gives a bounded list.
//!
//! To add a query: a function in its table's module, SQL of more than a few lines in `sql/`, a test in `tests/`.
//! Text and JSON are bound through `clean.rs`, so that no NUL reaches PostgreSQL. A transaction that needs both a
//! conversation and one of its turns locks the conversation first.

mod chunks;
mod clean;
mod columns;
mod connect;
mod conversations;
mod documents;
mod error;
mod index_log;
mod instance;
mod issued_numbers;
mod kbs;
mod listen;
mod messages;
mod model_capabilities;
mod seed_marks;
mod turns;

pub use chunks::Passage;
pub use connect::{Connection, Store, StoreOptions};
pub use conversations::{DeleteConversationError, StoredConversation};
pub use documents::claims::{ClaimError, ClaimedDocument};
pub use documents::{DocumentText, NewDocument};
pub use error::StoreError;
pub use index_log::{IndexChange, IndexCursor, IndexEntry};
pub use kbs::CreateKbError;
pub use listen::{ChangeListener, Channel};
pub use messages::StoredMessage;
pub use model_capabilities::{ModelIdentity, StoredCapability};
pub use turns::StoredTurn;
pub use turns::begin::{BeginError, BeginTurn, BegunTurn, Idempotency, TurnConversation, TurnQuestion};
pub use turns::finish::{FinishError, FinishTurn, NewAnswer};
