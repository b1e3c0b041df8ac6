//! Three documents about things that do not exist, so that no model can know them.

use attest_protocol::knowledge::DocumentView;
use attest_testkit::Api;

pub(crate) const BRIDGE: &str = "# The bridge of Vexholm\n\n\
    The bridge of Vexholm was designed by Ottilie Brandvorn, who had built two lighthouses before. \
    It was opened on 14 March 1931 and is 417 metres long.\n\n\
    ## Tolls\n\n\
    Until 1958 a toll of 35 quills was taken from every cart. The last collector was Emmerich Tolve.\n";

pub(crate) const OBSERVATORY: &str = "# Kestrelmoor observatory\n\n\
    Kestrelmoor observatory stands on a moor at 1,284 metres. Its first director was Ilse Quandahl, from 1902 to \
    1919; after her came Bartholomew Synge.\n\n\
    The great refractor weighs 8.6 tonnes and was paid for by the Harrowgate bequest.\n";

pub(crate) const ARCHIVE: &str = "# 云岫档案馆\n\n\
    云岫档案馆成立于1926年，首任馆长是贺兰卿。馆内收藏了三万七千卷手稿。\n\n\
    ## 搬迁\n\n\
    1954年，档案馆迁往青梧镇，搬迁由副馆长闻人烁主持。\n";

/// Puts all three in and waits until they are found.
pub(crate) async fn load(server: &Api) -> [DocumentView; 3] {
    [
        server.add_document("vexholm-bridge.md", BRIDGE).await,
        server.add_document("kestrelmoor-observatory.md", OBSERVATORY).await,
        server.add_document("云岫档案馆.md", ARCHIVE).await,
    ]
}
