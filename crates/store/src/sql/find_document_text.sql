-- The span is clipped to the text, so that what comes back says which characters it holds.
select d.filename,
       substring(d.text from span.start::integer + 1 for (span.stop - span.start)::integer) as text,
       span.start,
       span.stop,
       d.char_count
from documents d
cross join lateral (select least($3::bigint, d.char_count) as start) clipped
cross join lateral (select clipped.start, greatest(clipped.start, least($4::bigint, d.char_count)) as stop) span
where d.id = $1 and d.kb_id = $2 and d.state = 'ready'
