-- The base: knowledge bases with their documents and passages, and conversations with their messages and turns.
-- PostgreSQL 15 or newer; no extension.

-- What belongs to this database as a whole.
create table instance (
    singleton boolean primary key default true check (singleton),
    -- Names this database: a search index that carries another epoch was built from another database.
    -- The row is made by whoever asks first, not here, so that databases cloned from a template differ.
    epoch uuid not null default gen_random_uuid(),
    created_at timestamptz not null default now()
);

-- What has been put in once and is not put in again, even after a person removed it.
create table seed_marks (
    name text primary key,
    recorded_at timestamptz not null
);

create table kbs (
    id uuid primary key,
    slug text not null constraint kbs_slug_unique unique,
    name text not null,
    created_at timestamptz not null
);

create table documents (
    id uuid primary key,
    kb_id uuid not null references kbs (id) on delete cascade,
    filename text not null,
    media_type text not null,
    -- What the document says of its own date: the first instant, and how exactly it was stated.
    dated_at timestamptz,
    dated_precision text check (dated_precision in ('year', 'month', 'day', 'instant')),
    original bytea not null,
    size_bytes bigint not null generated always as (octet_length(original)) stored,
    content_sha256 bytea not null generated always as (sha256(original)) stored,
    state text not null check (state in ('queued', 'reading', 'ready', 'failed')),
    -- Why it failed, for a person who can act on it.
    reason text,
    -- How often a worker has claimed it.
    attempts integer not null default 0,
    lease_owner uuid,
    lease_until timestamptz,
    -- The text that was read from the original, without NUL; null until it is ready.
    text text,
    char_count bigint not null default 0,
    chunk_count integer not null default 0,
    created_at timestamptz not null,
    -- When it became ready: from here on it was known.
    recorded_at timestamptz,
    -- When it left the searches of now.
    deleted_at timestamptz,
    check ((dated_at is null) = (dated_precision is null)),
    check ((state = 'ready') = (recorded_at is not null)),
    check (state <> 'ready' or text is not null),
    check (state <> 'failed' or reason is not null)
);

-- Newest first; ids are UUIDv7, so their order is that of creation.
create index documents_of_kb on documents (kb_id, id);
-- What workers look through.
create index documents_unread on documents (created_at, id)
    where state in ('queued', 'reading') and deleted_at is null;

create table chunks (
    id uuid primary key,
    document_id uuid not null references documents (id) on delete cascade,
    ordinal integer not null,
    heading_path text[] not null,
    -- Characters of the document's text: from span_start up to, not including, span_end.
    span_start bigint not null,
    span_end bigint not null,
    text text not null,
    unique (document_id, ordinal)
);

-- What the search index has to look at again. Written under an advisory lock that is held until commit
-- (see store, index_log.rs), so the order of seq is the order of commits and a reader that remembers the
-- last seq it saw misses nothing.
-- No foreign keys: an entry outlives the document and the base that it tells about.
create table index_log (
    seq bigint generated always as identity primary key,
    kb_id uuid not null,
    document_id uuid not null,
    recorded_at timestamptz not null
);

create table conversations (
    id uuid primary key,
    kb_id uuid not null references kbs (id) on delete cascade,
    -- The owner; the only one who sees it.
    principal_id uuid not null,
    title text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);

create index conversations_of_owner on conversations (kb_id, principal_id, updated_at, id);

create table messages (
    id uuid primary key,
    conversation_id uuid not null references conversations (id) on delete cascade,
    -- The order within a conversation. Rows are written under the conversation's row lock, so it is that of commits.
    seq bigint not null generated always as identity,
    -- The turn it belongs to; for a question that was retried, the last one. No foreign key: turns point here.
    turn_id uuid not null,
    role text not null check (role in ('user', 'assistant')),
    content text not null,
    finish text check (finish in ('complete', 'length', 'filtered', 'stopped', 'interrupted')),
    usage jsonb,
    evidence jsonb,
    steps jsonb not null default '[]',
    sources jsonb not null default '[]',
    resolved jsonb not null default '[]',
    tool_exchange jsonb not null default '{}',
    created_at timestamptz not null,
    check ((role = 'assistant') = (finish is not null))
);

create unique index messages_of_conversation on messages (conversation_id, seq);

create table turns (
    id uuid primary key,
    conversation_id uuid not null references conversations (id) on delete cascade,
    seq bigint not null generated always as identity,
    -- Copies of the conversation's, for the unique index on idempotency keys.
    kb_id uuid not null,
    principal_id uuid not null,
    question_id uuid not null references messages (id) on delete cascade,
    answer_id uuid references messages (id) on delete set null,
    -- The server process that runs it, and until when it is taken to be alive (the database's clock).
    owner uuid not null,
    lease_until timestamptz not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    -- The frame that ended it, and its number.
    terminal_event text check (terminal_event in ('done', 'error')),
    terminal_data jsonb,
    terminal_seq bigint,
    record jsonb,
    usage jsonb,
    -- Hashes: a key of any length fits into an index. Set to null once the key has expired.
    idempotency_key_sha256 bytea,
    idempotency_body_sha256 bytea,
    check ((ended_at is null) = (terminal_event is null)),
    check ((ended_at is null) = (terminal_data is null)),
    check ((ended_at is null) = (terminal_seq is null)),
    check ((idempotency_key_sha256 is null) = (idempotency_body_sha256 is null))
);

-- A conversation runs one turn at a time, whoever asks and on whichever server.
create unique index turns_one_running on turns (conversation_id) where ended_at is null;
create unique index turns_idempotency on turns (kb_id, principal_id, idempotency_key_sha256)
    where idempotency_key_sha256 is not null;
create unique index turns_of_conversation on turns (conversation_id, seq);
create index turns_of_question on turns (question_id);
create index turns_of_answer on turns (answer_id) where answer_id is not null;
create index turns_running on turns (lease_until) where ended_at is null;

-- The number that a passage has in a conversation, for good: what [n] points to.
-- No foreign key on the passage: its number stays taken after it was purged.
create table issued_numbers (
    conversation_id uuid not null references conversations (id) on delete cascade,
    n integer not null check (n > 0),
    chunk_id uuid not null,
    primary key (conversation_id, n),
    unique (conversation_id, chunk_id)
);
