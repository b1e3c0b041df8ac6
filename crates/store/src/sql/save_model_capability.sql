-- $18 is the version that was read, 0 for none. Of two who read the same version one is first, and the other
-- changes nothing.
insert into model_capabilities as stored (
    base_url, model, credential, adapter_version, kind, value, class, status, proof, tool_set, hits, refused_in_a_row,
    first_seen_at, last_seen_at, expires_at, succeeded_at, probed_until, version
)
-- A version that was read and is not stored any more was deleted meanwhile.
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18 + 1
where $18 = 0 or exists (
    select from model_capabilities
    where base_url = $1 and model = $2 and credential = $3 and adapter_version = $4 and kind = $5
)
on conflict (base_url, model, credential, adapter_version, kind) do update set
    value = excluded.value,
    class = excluded.class,
    status = excluded.status,
    proof = excluded.proof,
    tool_set = excluded.tool_set,
    hits = excluded.hits,
    refused_in_a_row = excluded.refused_in_a_row,
    first_seen_at = excluded.first_seen_at,
    last_seen_at = excluded.last_seen_at,
    expires_at = excluded.expires_at,
    succeeded_at = excluded.succeeded_at,
    probed_until = excluded.probed_until,
    version = excluded.version
where stored.version = $18
