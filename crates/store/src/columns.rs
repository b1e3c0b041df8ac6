//! Values as they stand in columns, and back.

use std::time::Duration;

use attest_domain::{Moment, Precision};
use attest_protocol::frame::Finish;
use attest_protocol::view::Role;
use time::OffsetDateTime;

use crate::error::StoreError;

/// A count or length as a `bigint`.
pub(crate) fn to_bigint(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A count or number as an `integer`.
pub(crate) fn to_integer(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// A `bigint` that counts.
pub(crate) fn from_bigint(value: i64, what: &str) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| StoreError::Corrupt(format!("{what} is {value}")))
}

/// An `integer` that counts.
pub(crate) fn from_integer(value: i32, what: &str) -> Result<u32, StoreError> {
    u32::try_from(value).map_err(|_| StoreError::Corrupt(format!("{what} is {value}")))
}

/// A lease, in seconds for `make_interval`.
pub(crate) fn to_seconds(lease: Duration) -> f64 {
    lease.as_secs_f64()
}

pub(crate) fn to_role(name: &str) -> Result<Role, StoreError> {
    match name {
        "user" => Ok(Role::User),
        "assistant" => Ok(Role::Assistant),
        other => Err(StoreError::Corrupt(format!("role {other:?}"))),
    }
}

pub(crate) const fn finish_name(finish: Finish) -> &'static str {
    match finish {
        Finish::Complete => "complete",
        Finish::Length => "length",
        Finish::Stopped => "stopped",
        Finish::Filtered => "filtered",
        Finish::Interrupted => "interrupted",
    }
}

pub(crate) fn to_finish(name: &str) -> Result<Finish, StoreError> {
    match name {
        "complete" => Ok(Finish::Complete),
        "length" => Ok(Finish::Length),
        "stopped" => Ok(Finish::Stopped),
        "filtered" => Ok(Finish::Filtered),
        "interrupted" => Ok(Finish::Interrupted),
        other => Err(StoreError::Corrupt(format!("finish {other:?}"))),
    }
}

pub(crate) const fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Year => "year",
        Precision::Month => "month",
        Precision::Day => "day",
        Precision::Instant => "instant",
    }
}

pub(crate) fn to_moment(
    start_at: Option<OffsetDateTime>,
    precision: Option<&str>,
) -> Result<Option<Moment>, StoreError> {
    let (Some(start_at), Some(precision)) = (start_at, precision) else {
        return Ok(None);
    };
    let precision = match precision {
        "year" => Precision::Year,
        "month" => Precision::Month,
        "day" => Precision::Day,
        "instant" => Precision::Instant,
        other => return Err(StoreError::Corrupt(format!("precision {other:?}"))),
    };
    Ok(Some(Moment::from_parts(start_at, precision)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_column_is_read_back() {
        for finish in
            [Finish::Complete, Finish::Length, Finish::Stopped, Finish::Filtered, Finish::Interrupted]
        {
            assert_eq!(to_finish(finish_name(finish)).unwrap(), finish);
        }
        for precision in [Precision::Year, Precision::Month, Precision::Day, Precision::Instant] {
            let moment = Moment::from_parts(OffsetDateTime::UNIX_EPOCH, precision);
            let read = to_moment(Some(moment.start_at()), Some(precision_name(precision))).unwrap();
            assert_eq!(read, Some(moment));
        }
    }
}
