//! What happens to a turn: it is prepared, run, ended, saved and only then said to be done.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use attest_agent::{Agent, PastMessage, PastRole, TurnRequest, TurnSink, cited_sources};
use attest_domain::{KbId, MessageId, Principal, TurnId};
use attest_protocol::exchange::ToolExchange;
use attest_protocol::view::Role;
use attest_store::{BegunTurn, FinishError, FinishTurn, StoreError, StoredMessage};
use attest_tools::ToolContext;
use futures::FutureExt;
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;

use crate::finish::{self, Outcome, Plan};
use crate::hub::Entry;
use crate::live::Publisher;
use crate::service::ChatService;

/// A turn that has been stored as running and has to be brought to its end.
pub(crate) struct Admitted {
    pub(crate) turn_id: TurnId,
    pub(crate) kb_id: KbId,
    pub(crate) principal: Principal,
    pub(crate) begun: BegunTurn,
    pub(crate) entry: Entry,
    pub(crate) publisher: Publisher,
    /// Held until the turn has ended, so that no more turns run than may.
    pub(crate) permit: OwnedSemaphorePermit,
}

/// Brings a turn to its end. Detached: no reader holds it up, and only stop, the loss of its lease and the end of
/// the server cut it short.
pub(crate) async fn drive(service: ChatService, agent: Agent, admitted: Admitted) {
    let Admitted { turn_id, kb_id, principal, begun, entry, publisher, permit } = admitted;
    let span = tracing::info_span!("turn", turn.id = %turn_id, conversation.id = %begun.conversation_id);
    async {
        let work = async {
            match prepare(&service, &begun, kb_id, principal).await {
                Ok(request) => {
                    let sink: Arc<dyn TurnSink> = Arc::new(publisher.announcer());
                    Outcome::Agent(agent.run(request, sink, Arc::clone(&entry.log)).await)
                }
                Err(error) => Outcome::Unprepared(error),
            }
        };
        // A stop wins over a ready outcome. Whatever loses is dropped here, before anything is saved: the model's
        // connection is closed and running tools end.
        let outcome = tokio::select! {
            biased;
            () = entry.stop.cancelled() => Outcome::Stopped,
            () = entry.lost.cancelled() => Outcome::LeaseLost,
            () = service.0.shutdown.cancelled() => Outcome::ServerStopped,
            outcome = AssertUnwindSafe(work).catch_unwind() => outcome.unwrap_or(Outcome::Panicked),
        };
        end(&service, outcome, turn_id, begun.replaces, &entry, publisher).await;
    }
    .instrument(span)
    .await;
    drop(permit);
    // A server that ends waits for no reader to come back: what this task holds (the search index) has to be let go.
    tokio::select! {
        () = service.0.shutdown.cancelled() => {}
        () = tokio::time::sleep(service.0.options.keep_ended) => {}
    }
    service.0.hub.remove(turn_id);
}

/// Reads what the turn starts from. Costs as much as the window of messages, not as the conversation.
async fn prepare(
    service: &ChatService,
    begun: &BegunTurn,
    kb_id: KbId,
    principal: Principal,
) -> Result<TurnRequest, StoreError> {
    let store = &service.0.store;
    let window = service.0.options.history_messages;
    let (messages, numbers, entities) = tokio::try_join!(
        store.list_recent_messages(begun.conversation_id, begun.question_id, window),
        store.list_numbers(begun.conversation_id),
        store.list_resolved(begun.conversation_id, 20),
    )?;
    let last_answer = messages.iter().rev().find(|message| message.role == Role::Assistant);
    let (replay, previous_sources) = last_answer
        .map(|a| (a.tool_exchange.clone(), cited_sources(&a.content, a.sources.clone())))
        .unwrap_or_default();
    let context = ToolContext { kb_id, principal, question: begun.question.clone() };
    Ok(TurnRequest {
        question: begun.question.clone(),
        history: messages.into_iter().filter_map(past).collect(),
        replay,
        resumed: ToolExchange::default(),
        entities,
        numbers,
        previous_sources,
        context,
    })
}

/// A stopped turn may have stored an empty answer, which says nothing to a model.
fn past(message: StoredMessage) -> Option<PastMessage> {
    let role = match message.role {
        Role::User => PastRole::User,
        Role::Assistant => PastRole::Assistant,
    };
    (!message.content.trim().is_empty()).then_some(PastMessage { role, content: message.content })
}

/// Saves what the turn came to, then says so.
async fn end(
    service: &ChatService,
    outcome: Outcome,
    turn_id: TurnId,
    replaces: Option<MessageId>,
    entry: &Entry,
    publisher: Publisher,
) {
    outcome.log();
    let transcript = publisher.transcript();
    let work = entry.log.work();
    let plan = finish::plan(outcome, &transcript, &work, MessageId::new());
    if !plan.saved {
        publisher.finish(plan.terminal);
        return;
    }
    let Plan { answer, tail, terminal, .. } = plan;
    let mut finish = FinishTurn {
        turn_id,
        owner: service.0.options.owner,
        answer,
        replaces,
        terminal_seq: transcript.seq() + tail.len() as u64 + 1,
        terminal,
        record: work.record,
        usage: work.usage,
        numbers: work.numbers,
        now: service.0.clock.now(),
    };
    match save(service, &finish).await {
        Ok(()) => {
            for frame in tail {
                publisher.publish(frame);
            }
            publisher.finish(finish.terminal);
        }
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "An answer could not be saved");
            // The conversation must not stay locked: the turn ends without its answer, if the store lets it.
            finish.answer = None;
            finish.terminal = finish::not_saved_frame();
            finish.terminal_seq = transcript.seq() + 1;
            if !matches!(error, FinishError::LeaseLost)
                && let Err(error) = service.0.store.finish_turn(&finish).await
            {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "A turn could not be ended; its lease will"
                );
            }
            publisher.finish(finish.terminal);
        }
    }
}

/// Saves, waiting for a database that is away.
async fn save(service: &ChatService, finish: &FinishTurn) -> Result<(), FinishError> {
    let give_up_at = tokio::time::Instant::now() + service.0.options.save_patience;
    let mut pause = Duration::from_millis(100);
    loop {
        match service.0.store.finish_turn(finish).await {
            Err(FinishError::Store(error @ StoreError::Unavailable(_)))
                if tokio::time::Instant::now() + pause < give_up_at =>
            {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "The database is away; the answer waits"
                );
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(2));
            }
            done => return done,
        }
    }
}
