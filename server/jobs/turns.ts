import type { ActionResult } from '#server/contracts/controller.ts'
import type { OpenDocuments } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { waitsForJob } from '#shared/action-state.ts'
import { JobDoctype, type WaitingCall } from '#shared/doctypes/job.ts'
import type { ActionEnvironment } from './actions.ts'
import { formatTimestamp } from './clock.ts'
import { medianSeconds } from './job-durations.ts'
import { countWaiting, LockedError, maxWaitingPerDocument } from './waiting-jobs.ts'

/** Longest arguments that are kept for later (characters of JSON). */
const maxArgsLength = 65_536
/** What inserting waiting jobs needs. */
type WaitingEnvironment = Pick<ActionEnvironment, 'documents' | 'durations' | 'clock' | 'watch'>

/**
 * The store, with actions that wait in the queue instead of being refused because another job holds their document. An action
 * that waits is a queued Job with the call; what the call had done before it was refused is undone with its transaction. It is
 * made again when it is its turn (`start-waiting.ts`).
 */
export function takingTurns(environment: WaitingEnvironment, documents: OpenDocuments): OpenDocuments {
  return {
    ...documents,
    async runAction(session, doctype, name, action, args) {
      try {
        return await documents.runAction(session, doctype, name, action, args)
      } catch (error) {
        const kept = error instanceof LockedError ? keptArgs(documents, { doctype, name, action, args }) : null
        if (!(error instanceof LockedError) || kept === null) throw error
        return insertWaiting(environment, session, { doctype, name, action, args: kept }, error)
      }
    },
  }
}

/**
 * The arguments to make the call with later: those the action declares. Null if it can't wait: only what starts a job does, and
 * neither a secret nor a password that was just confirmed is kept for later.
 */
function keptArgs(documents: OpenDocuments, { doctype, action, args }: WaitingCall): Record<string, unknown> | null {
  const { actions = {} } = documents.type(doctype)
  const declared = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (declared === undefined || !waitsForJob(declared) || declared.reauth) return null
  const fields = Object.entries(declared.args ?? {})
  if (fields.some(([, { fieldtype }]) => fieldtype === 'Password')) return null
  const names = new Set([...fields.map(([name]) => name), ...(declared.confirm_field ? ['confirm_name'] : [])])
  const kept = Object.fromEntries(Object.entries(args).filter(([name]) => names.has(name)))
  return JSON.stringify(kept).length <= maxArgsLength ? kept : null
}

/** Inserts the job that waits. Throws the refusal if it can't wait. */
async function insertWaiting(
  environment: WaitingEnvironment,
  session: Session,
  call: WaitingCall,
  refusal: LockedError,
): Promise<ActionResult> {
  const { refused, holder } = refusal
  if (refused === null) throw refusal
  const { reference_doctype, reference_name } = refused
  return environment.documents().transaction(session, async (tx) => {
    // A document that the call itself made is gone with its transaction: nothing could wait for it.
    const reference = await tx.get(reference_doctype, reference_name, { lock: true })
    if (reference === null || (await countWaiting(tx, reference_doctype, reference_name)) >= maxWaitingPerDocument)
      throw refusal
    const job = await tx.insert(
      JobDoctype,
      {
        organization: refused.organization,
        job_type: refused.type,
        label: refused.label,
        status: 'Queued',
        reference_doctype,
        reference_name,
        reference_title: refused.reference_title,
        reference_address: refused.reference_address ?? null,
        steps: [],
        args: refused.args,
        usual_seconds: medianSeconds(environment.durations, refused.type),
        waiting_call: call,
        waits_since: formatTimestamp(environment.clock.now()),
        waits_for: holder.name,
        waits_for_label: holder.label,
        waits_for_title: holder.reference_title,
      },
      { activity: false },
    )
    // What it waits for may have ended meanwhile.
    tx.afterCommit(() => environment.watch?.soon())
    return { job: job.name }
  })
}
