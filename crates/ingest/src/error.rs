//! Why a file is not taken. Every sentence says what is wrong and what would be right, for the person who sent it.

use attest_domain::MomentError;
use attest_store::StoreError;

/// Why an upload was refused; nothing of it was stored.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// There was no file in the upload.
    #[error("the upload holds no file: send at least one")]
    NoFiles,
    /// Too many files at once.
    #[error("the upload holds {count} files; at most {max} are taken at once")]
    TooManyFiles {
        /// How many came.
        count: usize,
        /// How many may come.
        max: usize,
    },
    /// The name cannot be kept.
    #[error("{given:?} is no file name: 1 to 255 characters are taken, without the folders before them")]
    InvalidFilename {
        /// The start of what was given.
        given: String,
    },
    /// The stated date is none.
    #[error("the date of {filename:?} is not understood: {source}")]
    InvalidDate {
        /// The file.
        filename: String,
        /// What is wrong with it.
        source: MomentError,
    },
    /// The file is larger than the limit.
    #[error(
        "{filename:?} has {size_bytes} bytes; at most {max_bytes} are taken: split it into smaller files"
    )]
    TooLarge {
        /// The file.
        filename: String,
        /// Its size.
        size_bytes: u64,
        /// The limit.
        max_bytes: u64,
    },
    /// The file cannot be read as what its name says.
    #[error("{filename:?} {refusal}")]
    Refused {
        /// The file.
        filename: String,
        /// Why.
        refusal: Refusal,
    },
    /// The store failed; the upload may be sent again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The check was cut short: a bug in it, or the server is shutting down.
    #[error("the check of the upload was cut short: {0}")]
    CutShort(#[from] tokio::task::JoinError),
}

/// What is wrong with the content of a file. The sentences go on after the file's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The ending belongs to no format that is read.
    #[error("has the ending .{ending}, which is not read here: the endings that are read are {supported}")]
    UnsupportedEnding {
        /// The ending, lower case.
        ending: String,
        /// Those that are read.
        supported: String,
    },
    /// There is no text in it.
    #[error("holds no text: it is empty or blank")]
    Empty,
    /// The first bytes are those of another format.
    #[error("is named like a text, but its content is {found}: convert it to text first")]
    NotText {
        /// What it is, with its article.
        found: &'static str,
    },
    /// Not UTF-8.
    #[error("is not UTF-8 text: byte {offset} (0x{byte:02X}) does not belong there; convert it to UTF-8")]
    NotUtf8 {
        /// The first wrong byte, counted from 0.
        offset: usize,
        /// Its value.
        byte: u8,
    },
    /// UTF-16 with a half of a character.
    #[error("is not whole UTF-16 text: the unit at byte {offset} has no partner; convert it to UTF-8")]
    BrokenUtf16 {
        /// The first byte of the wrong unit, counted from 0.
        offset: usize,
    },
    /// Control characters where text should be.
    #[error("is no text: {controls} of its {characters} characters are control characters")]
    Binary {
        /// How many control characters.
        controls: usize,
        /// How many characters.
        characters: usize,
    },
    /// Reading took longer than it may.
    #[error("took longer than {seconds} seconds to read: split it into smaller files")]
    TooSlow {
        /// The limit.
        seconds: u64,
    },
}
