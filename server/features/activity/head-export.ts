import { randomBytes } from 'node:crypto'
import { sizeOf } from '#server/platform/files/size-of.ts'
import type { Feature } from '#server/contracts/feature.ts'
import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Db } from '#server/contracts/transaction.ts'
import { repeat, type Clock, type Repeated } from '#server/jobs/clock.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import type { MailSender } from '#server/platform/mail/mail-letter.ts'
import { chainName, currentHeads, platformAdmins, rewrittenChains, type Head } from './chain-heads.ts'
import { noteDelivered, undelivered } from './delivered.ts'
import { appendLines, headFilePath, stateOf } from './head-file.ts'
import { digestOf, sealLine, textOf, type HeadLine, type LineSeals } from './head-lines.ts'
import { alarmMail, checkpointMail } from './head-mails.ts'

/** Dependencies of the head export. */
export interface HeadExportDeps {
  readonly db: Db
  readonly dataDir: string
  readonly seals: LineSeals
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly sender: MailSender
  readonly send: (mail: Mail) => Promise<void>
  /** Whether the newest lines are emailed to the platform admins every day. */
  readonly mailsCheckpoints: boolean
  /** `EASYDASH_AUDIT_HEADS_URL`: receives each new line. */
  readonly url: string | null
}

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
const mostMailed = 100
/** Maximum number of lines queued for an unreachable service. A later line also proves the earlier ones. */
const mostWaiting = 10_000

interface FileState {
  readonly id: string
  last: HeadLine | null
  readonly heads: Map<string, HeadLine>
  bytes: number
}

/** Creates the export; it runs only after `start`. */
export function createHeadExport(deps: HeadExportDeps): HeadExport {
  const { db, clock, log } = deps
  const path = headFilePath(deps.dataDir)
  /** Findings of this process and who was emailed about them. Kept until the process ends. */
  const findings = new Map<string, Set<string>>()
  let state: FileState | null = null
  let mailed: string | null = null
  /** Lines the service has not received; null before the first load. */
  let waiting: HeadLine[] | null = null
  let running: Repeated | null = null
  let turn: Promise<unknown> = Promise.resolve()

  /** Serialized: two concurrent runs would both continue from the same last line. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  /** Logs each finding once and emails it once to each platform admin; failed emails are retried in the next round. */
  async function alarm(found: readonly string[]): Promise<void> {
    const fresh = found.filter((finding) => !findings.has(finding))
    for (const finding of fresh) findings.set(finding, new Set())
    if (fresh.length > 0) log.error('The activity log does not agree with what was recorded of it', { findings: fresh })
    if (findings.size === 0) return
    for (const to of await platformAdmins(db)) await tell(to)
  }

  async function tell(to: string): Promise<void> {
    const untold = [...findings].flatMap(([finding, told]) => (told.has(to) ? [] : [finding]))
    if (untold.length === 0) return
    try {
      await deps.send(alarmMail(deps.sender, to, untold))
      for (const finding of untold) findings.get(finding)?.add(to)
    } catch (error) {
      log.error('The alarm of the activity log could not be mailed; it is tried again', { error })
    }
  }

  async function load(): Promise<FileState> {
    const { last, heads, problem, bytes } = await stateOf(path)
    if (problem !== null) await alarm([`${path}: ${problem}`])
    if (deps.url !== null) waiting ??= await undelivered(path, mostWaiting)
    return { id: last?.file ?? randomBytes(6).toString('hex'), last, heads: new Map(heads), bytes }
  }

  async function append(file: FileState, heads: readonly Head[]): Promise<void> {
    const lines: HeadLine[] = []
    const at = new Date(clock.now()).toISOString()
    for (const { chain, entries, hash } of heads) {
      const before: HeadLine | null = lines.at(-1) ?? file.last
      const previous = before === null ? '' : digestOf(before)
      const line = { n: (before?.n ?? 0) + 1, file: file.id, at, chain, entries, hash, previous }
      lines.push(await sealLine(line, deps.seals))
    }
    if (lines.length === 0) return
    file.bytes = await appendLines(path, lines)
    file.last = lines.at(-1) ?? file.last
    for (const line of lines) file.heads.set(line.chain, line)
    if (waiting !== null) waiting = [...waiting, ...lines].slice(-mostWaiting)
  }

  async function recordNow(): Promise<void> {
    if (state !== null && (await sizeOf(path)) < state.bytes) {
      await alarm([`${path} was cut or removed after line ${state.last?.n ?? 0}`])
      state = null
    }
    state ??= await load()
    const { heads } = state
    const { current, rewritten } = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        const found = await currentHeads(trx)
        return { current: found, rewritten: await rewrittenChains(trx, [...heads.values()], found) }
      })
    await alarm(
      rewritten.map(({ chain, recorded }) =>
        recorded === null
          ? `${chainName(chain)}: the head of the chain does not know its last entry`
          : `${chainName(chain)}: entry number ${recorded.entries} is gone or another one than on ${recorded.at} (line ${recorded.n} of ${path})`,
      ),
    )
    const broken = new Set(rewritten.map(({ chain }) => chain))
    const changed = current.filter(
      ({ chain, entries }) => !broken.has(chain) && entries !== (heads.get(chain)?.entries ?? 0),
    )
    await append(state, changed)
    await deliver()
  }

  async function deliver(): Promise<void> {
    const sent = waiting ?? []
    const last = sent.at(-1)
    if (deps.url === null || last === undefined) return
    try {
      const { status } = await safeFetch(deps.url, {
        profile: 'operator',
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: `${sent.map(textOf).join('\n')}\n`,
      })
      if (status < 200 || status > 299) throw new Error(`The service answered ${status}.`)
      await noteDelivered(path, last)
      waiting = []
    } catch (error) {
      log.warn('The heads of the activity log could not be sent to EASYDASH_AUDIT_HEADS_URL; they are sent later', {
        error,
        lines: sent.length,
      })
    }
  }

  const record = (): Promise<void> => inTurn(recordNow)
  const recordOrLog = async (): Promise<void> => {
    try {
      await record()
    } catch (error) {
      log.error('The heads of the activity log could not be recorded', { error })
    }
  }

  /** Emails the newest lines to the platform admins, unless nothing changed since the last email. */
  const mailCheckpoint = () =>
    inTurn(async () => {
      await recordNow()
      const last = state?.last
      if (!state || !last || mailed === digestOf(last)) return
      const newest = [...state.heads.values()].toSorted((a, b) => a.n - b.n).slice(-mostMailed)
      for (const to of await platformAdmins(db)) await deps.send(checkpointMail(deps.sender, to, newest))
      mailed = digestOf(last)
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
