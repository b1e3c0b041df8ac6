//! Documents on their way into a real store and index.

mod house;
mod reading;
mod refusals;
mod seeding;
