//! What a model may do: one file a tool, one registry.
