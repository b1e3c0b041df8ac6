insert into messages (
    id, conversation_id, turn_id, role, content, finish, usage, evidence, steps, sources, resolved, tool_exchange,
    created_at
)
values ($1, $2, $3, 'assistant', $4, $5, $6, $7, $8, $9, $10, $11, $12)
