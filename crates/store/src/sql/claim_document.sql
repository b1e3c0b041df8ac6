with next as materialized (
    select id
    from documents
    where deleted_at is null
      and (state = 'queued' or (state = 'reading' and lease_until < clock_timestamp()))
    order by created_at, id
    for update skip locked
    limit 1
)
update documents d
set state = 'reading',
    attempts = d.attempts + 1,
    lease_owner = $1,
    lease_until = clock_timestamp() + make_interval(secs => $2)
from next
where d.id = next.id
returning d.id, d.kb_id, d.filename, d.media_type, d.dated_at, d.dated_precision, d.size_bytes, d.state, d.reason,
          d.chunk_count, d.char_count, d.created_at, d.deleted_at, d.original, d.attempts
