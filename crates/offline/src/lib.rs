//! An OpenAI-compatible endpoint without a network: an extractive model.
