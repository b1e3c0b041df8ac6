with seen as (
    select entity.value, entity.value ->> 'id' as id, m.seq, entity.place
    from messages m
    cross join lateral jsonb_array_elements(m.resolved) with ordinality as entity (value, place)
    where m.conversation_id = $1
      and m.resolved <> '[]'
),
first_seen as (
    select distinct on (id) id, value, seq, place from seen order by id, seq, place
),
last_seen as (
    select distinct on (id) id, seq, place from seen order by id, seq desc, place desc
),
kept as (
    select id from last_seen order by seq desc, place desc limit $2
)
select f.value
from first_seen f
join kept using (id)
order by f.seq, f.place
