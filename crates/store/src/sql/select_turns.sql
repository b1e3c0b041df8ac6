-- Turns; goes on with a where.
select t.id, t.conversation_id, t.question_id, t.answer_id, t.owner,
       t.ended_at is null and t.lease_until > clock_timestamp() as running,
       t.record, t.usage, t.terminal_event, t.terminal_data::text as terminal_data, t.terminal_seq,
       t.started_at, t.ended_at
from turns t
