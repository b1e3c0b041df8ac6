-- Messages with the error of their turn; goes on with a where.
-- The error stands on the partial answer, or on the question when the turn stored no answer.
select m.id, m.conversation_id, m.turn_id, m.role, m.content, m.finish, m.usage, m.evidence,
       m.steps, m.sources, m.resolved, m.tool_exchange, m.created_at,
       case
           when t.terminal_event = 'error' and (m.role = 'assistant' or t.answer_id is null) then t.terminal_data
       end as error
from messages m
left join turns t on t.id = m.turn_id
