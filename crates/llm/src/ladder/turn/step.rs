//! What follows a refusal: a pure function, tested as a table.

use crate::failure::RefusedShape;
use crate::ladder::{Level, Proof};

/// A refusal, and where it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Situation {
    /// The level of the refused request.
    pub(super) level: Level,
    /// What its words say.
    pub(super) shape: Option<RefusedShape>,
    /// Its status; 200 for an error inside of a stream.
    pub(super) status: u16,
    /// True when the request carried `tool_choice`.
    pub(super) choice_sent: bool,
    /// True when simpler schemas have not been tried and there are some.
    pub(super) can_simplify: bool,
    /// How often the endpoint failed to read its own model's reply in this turn.
    pub(super) unread: u32,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The same once more.
    Again,
    /// The same with simpler schemas.
    Simplify,
    /// At this level; with `None` nothing is remembered of it.
    Down(Level, Option<Proof>),
    /// Back at the level that was remembered.
    Back(Level),
}

/// `None` when the refusal is the answer.
pub(super) fn next_step(at: Situation) -> Option<Step> {
    let soft = at.shape == Some(RefusedShape::OwnCall) || at.status == 200;
    match (at.level, at.shape) {
        (Level::Retrieval, _) | (_, Some(RefusedShape::ModelMissing)) => None,
        (Level::Text, Some(RefusedShape::Template)) => Some(Step::Down(Level::Retrieval, Some(Proof::Words))),
        (Level::Text, _) => None,
        _ if soft && at.unread == 0 => Some(Step::Again),
        // It moves this turn only.
        _ if soft => Some(Step::Down(Level::Text, None)),
        // The wire has repaired the history before this; what is left may lie in this one history.
        (_, Some(RefusedShape::Template)) => Some(Step::Down(Level::Text, Some(Proof::Differential))),
        (_, Some(RefusedShape::ToolChoice)) if at.choice_sent => {
            Some(Step::Down(Level::NativeWithoutChoice, Some(Proof::Words)))
        }
        (_, Some(RefusedShape::Schema)) if at.can_simplify => Some(Step::Simplify),
        // A choice that was not sent is one that the tools imply.
        (_, Some(RefusedShape::Schema | RefusedShape::Tools | RefusedShape::ToolChoice)) => {
            Some(Step::Down(Level::Text, Some(Proof::Words)))
        }
        (_, None) if matches!(at.status, 400 | 404 | 422) => {
            let level = if at.choice_sent { Level::NativeWithoutChoice } else { Level::Text };
            Some(Step::Down(level, Some(Proof::Differential)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_step() {
        use Level::{Native, NativeWithoutChoice, Retrieval, Text};
        use RefusedShape::{ModelMissing, OwnCall, Schema, Template, ToolChoice, Tools};
        let down = |level, proof| Some(Step::Down(level, Some(proof)));
        let words = |level| down(level, Proof::Words);
        let trial = |level| down(level, Proof::Differential);
        // Level, words, status, whether a choice was sent, what follows.
        let cases = [
            (Native, Some(Tools), 400, true, words(Text)),
            (Native, Some(Tools), 501, false, words(Text)),
            (NativeWithoutChoice, Some(Tools), 404, false, words(Text)),
            (Native, Some(ToolChoice), 400, true, words(NativeWithoutChoice)),
            (Native, Some(ToolChoice), 400, false, words(Text)),
            (NativeWithoutChoice, Some(ToolChoice), 400, false, words(Text)),
            (Native, Some(Schema), 400, true, words(Text)),
            (Native, Some(Template), 500, true, trial(Text)),
            (Text, Some(Template), 400, false, words(Retrieval)),
            (Native, None, 400, true, trial(NativeWithoutChoice)),
            (Native, None, 404, false, trial(Text)),
            (NativeWithoutChoice, None, 422, false, trial(Text)),
            (Native, None, 500, true, None),
            (Native, None, 409, true, None),
            (Native, Some(ModelMissing), 404, true, None),
            (Text, Some(Tools), 400, false, None),
            (Text, None, 400, false, None),
            (Native, Some(OwnCall), 500, true, Some(Step::Again)),
            (Native, None, 200, true, Some(Step::Again)),
            (Text, Some(OwnCall), 500, false, None),
            (Retrieval, None, 0, false, None),
        ];
        for (level, shape, status, choice_sent, expected) in cases {
            let situation = Situation { level, shape, status, choice_sent, can_simplify: false, unread: 0 };
            assert_eq!(next_step(situation), expected, "{situation:?}");
        }
    }

    #[test]
    fn simpler_schemas_come_before_text_mode_and_a_second_unread_reply_moves_the_turn_alone() {
        let shape = Some(RefusedShape::Schema);
        let at = Situation {
            level: Level::Native,
            shape,
            status: 400,
            choice_sent: true,
            can_simplify: true,
            unread: 0,
        };
        assert_eq!(next_step(at), Some(Step::Simplify));
        let again = Situation { shape: Some(RefusedShape::OwnCall), status: 500, unread: 1, ..at };
        assert_eq!(next_step(again), Some(Step::Down(Level::Text, None)));
    }
}
