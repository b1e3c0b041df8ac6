//! What is refused, and that nothing of it is stored.

use attest_ingest::{IntakeOptions, Upload};

use crate::house::{House, upload};

#[tokio::test]
async fn a_refusal_says_what_is_wrong_and_stores_nothing() {
    let house = House::with(IntakeOptions { max_document_bytes: 100, ..IntakeOptions::default() }).await;
    let long = vec![b'a'; 101];
    for (filename, content, date, sentence) in [
        ("a.txt", &b""[..], None, "\"a.txt\" holds no text: it is empty or blank"),
        ("a.md", " \r\n\u{3000}".as_bytes(), None, "\"a.md\" holds no text: it is empty or blank"),
        (
            "a.txt",
            b"caf\xe9",
            None,
            "\"a.txt\" is not UTF-8 text: byte 3 (0xE9) does not belong there; convert it to UTF-8",
        ),
        (
            "dir/a.md",
            b"%PDF-1.7",
            None,
            "\"a.md\" is named like a text, but its content is a PDF file: convert it to text first",
        ),
        (
            "a.txt",
            b"PK\x03\x04",
            None,
            "\"a.txt\" is named like a text, but its content is a ZIP archive (Word, Excel and PowerPoint files are such archives): convert it to text first",
        ),
        ("a.txt", b"\x01\x02ab", None, "\"a.txt\" is no text: 2 of its 4 characters are control characters"),
        (
            "a.docx",
            b"text",
            None,
            "\"a.docx\" has the ending .docx, which is not read here: the endings that are read are .txt, .text, .log, .md, .markdown",
        ),
        ("a.txt", &long, None, "\"a.txt\" has 101 bytes; at most 100 are taken: split it into smaller files"),
        (
            "..",
            b"text",
            None,
            "\"..\" is no file name: 1 to 255 characters are taken, without the folders before them",
        ),
        (
            "a.txt",
            b"text",
            Some("last spring"),
            "the date of \"a.txt\" is not understood: \"last spring\" is no point in time: write a year (1993), a month (1993-04), a day (1993-04-30) or an instant (1993-04-30T12:00:00Z)",
        ),
    ] {
        let upload = Upload { date: date.map(str::to_owned), ..upload(filename, content) };
        let refused = house.intake.accept(house.kb_id, upload).await.unwrap_err();
        assert_eq!(refused.to_string(), sentence);
    }
    assert_eq!(house.store.count_documents(house.kb_id).await.unwrap(), 0);
}

#[tokio::test]
async fn one_bad_file_refuses_the_whole_upload() {
    let house = House::with(IntakeOptions { max_files: 2, ..IntakeOptions::default() }).await;
    let good = upload("good.txt", b"good");
    let bad = upload("bad.txt", b"\xff");
    let refused = house.intake.accept_all(house.kb_id, vec![good.clone(), bad]).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "\"bad.txt\" is not UTF-8 text: byte 0 (0xFF) does not belong there; convert it to UTF-8"
    );
    let refused = house.intake.accept_all(house.kb_id, vec![good.clone(); 3]).await.unwrap_err();
    assert_eq!(refused.to_string(), "the upload holds 3 files; at most 2 are taken at once");
    let refused = house.intake.accept_all(house.kb_id, Vec::new()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the upload holds no file: send at least one");
    assert_eq!(house.store.count_documents(house.kb_id).await.unwrap(), 0);

    let accepted = house.intake.accept_all(house.kb_id, vec![good.clone(), good]).await.unwrap();
    assert_eq!(accepted.len(), 2);
}
