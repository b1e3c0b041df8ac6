insert into turns (
    id, conversation_id, kb_id, principal_id, question_id, owner, lease_until, started_at,
    idempotency_key_sha256, idempotency_body_sha256
)
values (
    $1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7), $8,
    sha256(convert_to($9::text, 'UTF8')), $10
)
