//! Full text over chunks: a disposable index that follows the store.
