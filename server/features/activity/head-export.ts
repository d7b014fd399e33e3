import { randomBytes } from 'node:crypto'
import type { Db } from '#server/documents/types.ts'
import { repeat, type Clock, type Repeated } from '#server/jobs/clock.ts'
import { safeFetch } from '#server/platform/fetch.ts'
import type { Log } from '#server/platform/log.ts'
import type { Mail } from '#server/platform/mail.ts'
import type { MailSender } from '#server/platform/mail-letter.ts'
import { chainName, currentHeads, platformAdmins, rewrittenChains, type Head } from './chain-heads.ts'
import { appendLines, headFilePath, sizeOf, stateOf } from './head-file.ts'
import { digestOf, sealLine, textOf, type HeadLine, type LineSeals } from './head-lines.ts'
import { alarmMail, checkpointMail } from './head-mails.ts'

/** What the export of heads needs. */
export interface HeadExportDeps {
  readonly db: Db
  readonly dataDir: string
  readonly seals: LineSeals
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly sender: MailSender
  readonly send: (mail: Mail) => Promise<void>
  /** `EASYDASH_AUDIT_HEADS_URL`: gets each new line. */
  readonly url: string | null
}

/** Records the heads of the activity log outside the database, for as long as the process runs. */
export interface HeadExport {
  /** Records what has changed since the last time, and raises the alarm where what was recorded is no longer there. */
  record(): Promise<void>
  /** Mails the newest lines to the platform admins, unless nothing has changed since the last mail. */
  mailCheckpoint(): Promise<void>
  start(): void
  /** Records once more. */
  stop(): Promise<void>
}

/** What happened after the last recording can be rewritten unnoticed: not much. */
const everyMs = 3_600_000
/** Lines of one mail, the newest ones. */
const mostMailed = 100
/** Lines kept for a service that does not answer. A later one proves those before it. */
const mostWaiting = 10_000

interface FileState {
  readonly id: string
  last: HeadLine | null
  readonly heads: Map<string, HeadLine>
  bytes: number
}

/** Creates the export; nothing runs before `start`. */
export function createHeadExport(deps: HeadExportDeps): HeadExport {
  const { db, clock, log } = deps
  const path = headFilePath(deps.dataDir)
  const told = new Set<string>()
  let state: FileState | null = null
  let mailed: string | null = null
  let waiting: HeadLine[] = []
  let running: Repeated | null = null

  /** Once for each finding in the life of the process: it stays until somebody has looked. */
  async function alarm(findings: readonly string[]): Promise<void> {
    const fresh = findings.filter((finding) => !told.has(finding))
    if (fresh.length === 0) return
    for (const finding of fresh) told.add(finding)
    log.error('The activity log does not agree with what was recorded of it', { findings: fresh })
    for (const to of await platformAdmins(db)) await deps.send(alarmMail(deps.sender, to, fresh))
  }

  async function load(): Promise<FileState> {
    const { last, heads, problem, bytes } = await stateOf(path)
    if (problem !== null) await alarm([`${path}: ${problem}`])
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
    if (deps.url !== null) waiting = [...waiting, ...lines].slice(-mostWaiting)
  }

  async function record(): Promise<void> {
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
    if (deps.url === null || waiting.length === 0) return
    const sent = waiting
    try {
      const { status } = await safeFetch(deps.url, {
        profile: 'operator',
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: `${sent.map(textOf).join('\n')}\n`,
      })
      if (status < 200 || status > 299) throw new Error(`The service answered ${status}.`)
      waiting = waiting.filter((line) => !sent.includes(line))
    } catch (error) {
      log.warn('The heads of the activity log could not be sent to EASYDASH_AUDIT_HEADS_URL; they are sent later', {
        error,
        lines: sent.length,
      })
    }
  }

  const recordOrLog = async (): Promise<void> => {
    try {
      await record()
    } catch (error) {
      log.error('The heads of the activity log could not be recorded', { error })
    }
  }

  return {
    record,
    async mailCheckpoint() {
      await record()
      const last = state?.last
      if (!state || !last || mailed === digestOf(last)) return
      const newest = [...state.heads.values()].toSorted((a, b) => a.n - b.n).slice(-mostMailed)
      for (const to of await platformAdmins(db)) await deps.send(checkpointMail(deps.sender, to, newest))
      mailed = digestOf(last)
    },
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
