-- The messages of the conversation $1 before its message $2, newest first; ends select_messages.sql.
where m.conversation_id = $1
  and m.seq < (select seq from messages where id = $2 and conversation_id = $1)
order by m.seq desc
limit $3
