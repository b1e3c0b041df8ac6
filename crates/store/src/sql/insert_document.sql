insert into documents (id, kb_id, filename, media_type, dated_at, dated_precision, original, state, created_at)
values ($1, $2, $3, $4, $5, $6, $7, 'queued', $8)
returning id, kb_id, filename, media_type, dated_at, dated_precision, size_bytes, state, reason,
          chunk_count, char_count, created_at, deleted_at
