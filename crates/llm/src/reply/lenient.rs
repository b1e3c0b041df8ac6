//! Fields that endpoints fill with other types than the ones they promise. A field of a wrong type counts as absent and
//! never costs the rest of its chunk. All of them are read straight into their type, without a tree in between.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Reads and drops what is left of a list.
pub(super) fn drain_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads and drops what is left of an object.
pub(super) fn drain_object<'de, A: MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// The arms of a visitor for JSON types that mean "absent".
macro_rules! absent {
    () => {};
    (unit $($rest:ident)*) => {
        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        absent!($($rest)*);
    };
    (bool $($rest:ident)*) => {
        fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        absent!($($rest)*);
    };
    (number $($rest:ident)*) => {
        fn visit_u64<E: serde::de::Error>(self, _: u64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn visit_i64<E: serde::de::Error>(self, _: i64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        absent!($($rest)*);
    };
    (string $($rest:ident)*) => {
        fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        absent!($($rest)*);
    };
    (list $($rest:ident)*) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
            $crate::reply::lenient::drain_list(list)?;
            Ok(Self::Value::default())
        }
        absent!($($rest)*);
    };
    (object $($rest:ident)*) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
            $crate::reply::lenient::drain_object(object)?;
            Ok(Self::Value::default())
        }
        absent!($($rest)*);
    };
}
pub(super) use absent;

/// A string; a number counts as its digits.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Word(pub(super) Option<String>);

impl Word {
    /// The string unless it is empty.
    pub(super) fn filled(self) -> Option<String> {
        self.0.filter(|text| !text.is_empty())
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
                Ok(Word(Some(text.to_owned())))
            }
            fn visit_string<E: Error>(self, text: String) -> Result<Word, E> {
                Ok(Word(Some(text)))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Word, E> {
                Ok(Word(Some(number.to_string())))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Word, E> {
                Ok(Word(Some(number.to_string())))
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Word, E> {
                Ok(Word(None))
            }
            absent!(unit bool list object);
        }
        deserializer.deserialize_any(Any)
    }
}

/// A count; a float counts when it is whole, a string when it is digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count(pub(super) Option<u64>);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a count")
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Count, E> {
                Ok(Count(Some(number)))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Count, E> {
                Ok(Count(u64::try_from(number).ok()))
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked: whole and in range
            fn visit_f64<E: Error>(self, number: f64) -> Result<Count, E> {
                let whole = number.fract() == 0.0 && (0.0..9.0e15).contains(&number);
                Ok(Count(whole.then_some(number as u64)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Count, E> {
                Ok(Count(text.parse().ok()))
            }
            absent!(unit bool list object);
        }
        deserializer.deserialize_any(Any)
    }
}

/// An object of a known shape, or nothing.
#[derive(Debug)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = Maybe<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Maybe<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(object)).map(|value| Maybe(Some(value)))
            }
            absent!(unit bool number string list);
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}

/// A list of objects of a known shape, or nothing. Elements of another type are left out.
#[derive(Debug)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List<T>, A::Error> {
                let mut found = Vec::new();
                while let Some(Maybe(element)) = list.next_element()? {
                    found.extend(element);
                }
                Ok(List(found))
            }
            absent!(unit bool number string object);
        }
        deserializer.deserialize_any(Any(PhantomData))
    }
}
