//! Files that are not what their name says.

/// First bytes, and what they belong to, with its article. An entry with an offset is matched there.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"%PDF-", "a PDF file"),
    (0, b"PK\x03\x04", "a ZIP archive (Word, Excel and PowerPoint files are such archives)"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word, Excel or PowerPoint file"),
    (0, b"{\\rtf", "an RTF file"),
    (0, b"%!PS", "a PostScript file"),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"GIF87a", "a GIF picture"),
    (0, b"GIF89a", "a GIF picture"),
    (0, b"II*\0", "a TIFF picture"),
    (0, b"MM\0*", "a TIFF picture"),
    (8, b"WEBP", "a WebP picture"),
    (8, b"WAVE", "a WAV recording"),
    (4, b"ftyp", "a video or a recording"),
    (0, b"ID3", "an MP3 recording"),
    (0, b"OggS", "an Ogg recording"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"BZh91AY&SY", "a bzip2 archive"),
    (0, b"\xfd7zXZ\0", "an xz archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (0, b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (0, b"Rar!\x1a\x07", "a RAR archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ\x90\0", "a program"),
    (0, b"\xca\xfe\xba\xbe", "a program"),
    (0, b"\xcf\xfa\xed\xfe", "a program"),
    (0, b"\0asm", "a program"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"bplist00", "a property list"),
];

/// What a file is, going by its first bytes; `None` for text and for the unknown.
pub(super) fn recognise(bytes: &[u8]) -> Option<&'static str> {
    SIGNATURES
        .iter()
        .find(|(offset, signature, _)| bytes.get(*offset..).is_some_and(|rest| rest.starts_with(signature)))
        .map(|(_, _, name)| *name)
}
