//! One question, one answer: rig, the pure policy, the prompt.
