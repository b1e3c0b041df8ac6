select c.id, c.kb_id, c.principal_id, c.title, t.id as running_turn_id, c.created_at, c.updated_at
from conversations c
left join turns t
  on t.conversation_id = c.id
 and t.ended_at is null
 and t.lease_until > clock_timestamp()
where c.kb_id = $1
  and c.principal_id = $2
  and ($3::text is null or c.title ilike $3)
  and ($4::timestamptz is null or (c.updated_at, c.id) < ($4, $5::uuid))
order by c.updated_at desc, c.id desc
limit $6
