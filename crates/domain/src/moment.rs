//! Points in time as people state them: a year stays a year.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// How exactly a moment was stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// A year.
    Year,
    /// A month of a year.
    Month,
    /// A day.
    Day,
    /// An instant.
    Instant,
}

/// A year, a month, a day or an instant, in UTC. Its text is what was stated: `1993`, `1993-04`, `1993-04-30`
/// or RFC 3339. Years run from 0001 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment {
    start_at: OffsetDateTime,
    precision: Precision,
}

/// A text that states no moment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no point in time: write a year (1993), a month (1993-04), a day (1993-04-30) or an instant (1993-04-30T12:00:00Z)"
)]
pub struct MomentError {
    text: String,
}

impl Moment {
    /// An instant.
    #[must_use]
    pub fn instant(at: OffsetDateTime) -> Self {
        Self { start_at: at.to_offset(UtcOffset::UTC), precision: Precision::Instant }
    }

    /// A stored moment: where it starts, and how exactly it was stated.
    #[must_use]
    pub fn from_parts(start_at: OffsetDateTime, precision: Precision) -> Self {
        Self { start_at: start_at.to_offset(UtcOffset::UTC), precision }
    }

    /// Its first instant.
    #[must_use]
    pub const fn start_at(&self) -> OffsetDateTime {
        self.start_at
    }

    /// The first instant after it; for an instant, the instant itself.
    #[must_use]
    pub fn end_at(&self) -> OffsetDateTime {
        let date = self.start_at.date();
        let next = match self.precision {
            Precision::Year => Date::from_calendar_date(date.year() + 1, Month::January, 1).ok(),
            Precision::Month => {
                let year = if date.month() == Month::December { date.year() + 1 } else { date.year() };
                Date::from_calendar_date(year, date.month().next(), 1).ok()
            }
            Precision::Day => date.next_day(),
            Precision::Instant => None,
        };
        next.map_or(self.start_at, |day| day.midnight().assume_utc())
    }

    /// How exactly it was stated.
    #[must_use]
    pub const fn precision(&self) -> Precision {
        self.precision
    }
}

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let wrong = || MomentError { text: text.chars().take(80).collect() };
        let trimmed = text.trim();
        if trimmed.contains(['T', 't', ' ']) {
            let instant =
                OffsetDateTime::parse(&trimmed.replacen(' ', "T", 1), &Rfc3339).map_err(|_| wrong())?;
            return Ok(Self::instant(instant));
        }
        let mut parts = trimmed.split('-');
        let number = |part: Option<&str>, digits: usize| match part {
            None => Ok(None),
            Some(p) if p.len() == digits && p.bytes().all(|b| b.is_ascii_digit()) => {
                p.parse::<u16>().map(Some).map_err(|_| wrong())
            }
            Some(_) => Err(wrong()),
        };
        let (year, month, day) =
            (number(parts.next(), 4)?, number(parts.next(), 2)?, number(parts.next(), 2)?);
        if parts.next().is_some() {
            return Err(wrong());
        }
        let year = year.filter(|y| *y > 0).ok_or_else(wrong)?;
        let precision = match (month, day) {
            (None, _) => Precision::Year,
            (Some(_), None) => Precision::Month,
            (Some(_), Some(_)) => Precision::Day,
        };
        let month =
            u8::try_from(month.unwrap_or(1)).ok().and_then(|m| Month::try_from(m).ok()).ok_or_else(wrong)?;
        let day = u8::try_from(day.unwrap_or(1)).map_err(|_| wrong())?;
        let date = Date::from_calendar_date(i32::from(year), month, day).map_err(|_| wrong())?;
        Ok(Self { start_at: PrimitiveDateTime::new(date, Time::MIDNIGHT).assume_utc(), precision })
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = (self.start_at.year(), u8::from(self.start_at.month()), self.start_at.day());
        match self.precision {
            Precision::Year => write!(f, "{year:04}"),
            Precision::Month => write!(f, "{year:04}-{month:02}"),
            Precision::Day => write!(f, "{year:04}-{month:02}-{day:02}"),
            Precision::Instant => f.write_str(&self.start_at.format(&Rfc3339).map_err(|_| fmt::Error)?),
        }
    }
}

impl TryFrom<String> for Moment {
    type Error = MomentError;

    fn try_from(text: String) -> Result<Self, MomentError> {
        text.parse()
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_keeps_the_precision_it_was_stated_with() {
        for text in ["1993", "1993-04", "1993-04-30", "1993-04-30T12:00:00Z", "0001", "9999"] {
            assert_eq!(text.parse::<Moment>().map(|m| m.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_moment_ends_where_the_next_of_its_kind_begins() {
        let ends = |text: &str| Moment::instant(text.parse::<Moment>().unwrap().end_at()).to_string();
        assert_eq!(ends("1993"), "1994-01-01T00:00:00Z");
        assert_eq!(ends("1993-12"), "1994-01-01T00:00:00Z");
        assert_eq!(ends("2024-02"), "2024-03-01T00:00:00Z");
        assert_eq!(ends("2024-02-29"), "2024-03-01T00:00:00Z");
        assert_eq!(ends("2024-02-29T01:02:03Z"), "2024-02-29T01:02:03Z");
    }

    #[test]
    fn what_states_no_moment_is_refused() {
        for text in [
            "",
            "yesterday",
            "93",
            "1993-4",
            "1993-13",
            "2023-02-29",
            "1993-04-30-01",
            "0000",
            "1993-04-30T25:00:00Z",
            "+1993",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
