import type { Feature } from '#server/contracts/feature.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import { repeat, type RepeatingTask } from '#server/jobs/clock.ts'
import { platformAdmins } from './chain-heads.ts'
import { openHeadExportContext, type HeadExportContext, type HeadExportDeps } from './head-export-context.ts'
import { digestOf } from './head-lines.ts'
import { checkpointMail } from './head-mails.ts'
import { recordHeads } from './head-recording.ts'

/** Records the heads of the activity log outside the database while the process runs. */
export interface HeadExport extends Feature {
  readonly schedules: readonly ScheduledWork[]
  /** Emails the newest lines to the platform admins, unless nothing changed since the last email. */
  mailCheckpoint(): Promise<void>
  /** Records changes since the last run, and raises an alarm if recorded entries are missing or different. */
  record(): Promise<void>
  start(): void
  /** Records once more, then stops. */
  stop(): Promise<void>
}

/** Only changes since the last recording can be rewritten undetected, so this is short. */
const everyMs = 3_600_000
/** Maximum number of lines per email; the newest are sent. */
const maxMailed = 100

/** Creates the export; it runs only after `start`. */
export function createHeadExport(deps: HeadExportDeps): HeadExport {
  const { clock, log } = deps
  const context = openHeadExportContext(deps)
  /** Digest of the newest line of the last checkpoint email. */
  let mailed: string | null = null
  let running: RepeatingTask | null = null
  let turn: Promise<unknown> = Promise.resolve()

  /** Serialized: two concurrent runs would both continue from the same last line. */
  function serialize(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }
  const record = (): Promise<void> => serialize(() => recordHeads(context))
  const recordOrLog = async (): Promise<void> => {
    try {
      await record()
    } catch (error) {
      log.error('The heads of the activity log could not be recorded', { error })
    }
  }
  const mailCheckpoint = (): Promise<void> =>
    serialize(async () => {
      mailed = await recordAndMail(context, mailed)
    })

  return {
    record,
    mailCheckpoint,
    schedules: deps.mailsCheckpoints ? [{ name: 'audit.checkpoint', everySeconds: 86_400, run: mailCheckpoint }] : [],
    start() {
      running ??= repeat(clock, everyMs, recordOrLog)
      running.soon()
    },
    async stop() {
      if (running === null) return
      await running.stop()
      running = null
      await recordOrLog()
    },
  }
}

/**
 * Records, then emails the newest lines to the platform admins unless the newest was in the last email. Resolves to the
 * digest of the newest line that was emailed.
 */
async function recordAndMail(context: HeadExportContext, mailed: string | null): Promise<string | null> {
  const { db, send, sender } = context.deps
  await recordHeads(context)
  const last = context.file?.last
  if (!context.file || !last || mailed === digestOf(last)) return mailed
  const newest = [...context.file.heads.values()].toSorted((a, b) => a.n - b.n).slice(-maxMailed)
  for (const to of await platformAdmins(db)) await send(checkpointMail(sender, to, newest))
  return digestOf(last)
}
