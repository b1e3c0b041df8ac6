update turns
set ended_at = greatest(started_at, $2),
    answer_id = $3,
    terminal_event = $4,
    terminal_data = $5::jsonb,
    terminal_seq = $6,
    record = $7,
    usage = $8
where id = $1
