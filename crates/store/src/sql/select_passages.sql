-- Passages of the base $1 that are visible now ($2 null) or were at the record time $2; goes on with a join or a where.
select c.id, c.document_id, c.ordinal, c.heading_path, c.span_start, c.span_end, c.text, d.filename
from chunks c
join documents d
  on d.id = c.document_id
 and d.kb_id = $1
 and d.state = 'ready'
 and case
         when $2::timestamptz is null then d.deleted_at is null
         else d.recorded_at <= $2 and (d.deleted_at is null or d.deleted_at > $2)
     end
