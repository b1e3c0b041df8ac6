//! Files of the program itself.

use attest_ingest::SeedFile;
use time::OffsetDateTime;

use crate::house::House;

const FILES: [SeedFile; 2] = [
    SeedFile { filename: "one.md", text: "# One\n\nfirst gateway", date: Some("1925") },
    SeedFile { filename: "two.md", text: "# Two\n\nsecond gateway", date: None },
];

#[tokio::test]
async fn a_seed_is_put_in_once_even_when_it_was_removed_since() {
    let house = House::new().await;
    assert_eq!(house.intake.seed("sample", house.kb_id, FILES).await.unwrap(), 2);
    assert_eq!(house.intake.seed("sample", house.kb_id, FILES).await.unwrap(), 0);
    for document in house.store.list_documents(house.kb_id, 10, None).await.unwrap() {
        house.settle(document.id).await;
        house.store.delete_document(house.kb_id, document.id, OffsetDateTime::now_utc()).await.unwrap();
    }
    assert_eq!(house.intake.seed("sample", house.kb_id, FILES).await.unwrap(), 0);
    assert_eq!(house.store.count_documents(house.kb_id).await.unwrap(), 0);
}

#[tokio::test]
async fn a_seed_that_broke_off_goes_on() {
    let house = House::new().await;
    house.accept("one.md", b"first gateway").await.unwrap();
    assert_eq!(house.intake.seed("sample", house.kb_id, FILES).await.unwrap(), 1);
    assert_eq!(house.store.count_documents(house.kb_id).await.unwrap(), 2);
}
