-- What model endpoints refused, so that every instance asks for less at once and each lesson is learned once.
-- Only classes and counts: never a body, never a key.

create table model_capabilities (
    -- Without user, query and fragment, and without a slash at its end.
    base_url text not null,
    model text not null,
    -- Tells keys apart: the beginning of a hash, empty without a key.
    credential text not null,
    -- The version of the client that learned it; another one starts anew.
    adapter_version integer not null,
    -- What it is about, such as 'tools' (the level of requests with tools) and 'lesson.<name>' (the shape of requests).
    kind text not null,
    -- What is sent because of it; null while nothing had to be given up.
    value text,
    -- What was refused, as a class, and with which HTTP status.
    class text,
    status integer,
    proof text check (proof in ('words', 'differential')),
    -- Names the set of tools it holds for; null for any.
    tool_set text,
    -- How often it was proved.
    hits integer not null,
    -- Refusals since the last success without giving anything up.
    refused_in_a_row integer not null,
    first_seen_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz,
    succeeded_at timestamptz,
    -- Until when some instance tries, with one request, whether it still holds.
    probed_until timestamptz,
    -- Grows with every change: who changes an entry says which version was read.
    version bigint not null,
    primary key (base_url, model, credential, adapter_version, kind)
);
