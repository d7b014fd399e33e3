import { randomBytes } from 'node:crypto'
import type { StepContext } from '../../engine.ts'
import { EngineError } from '../../engine.ts'
import { countOf, rowsOf, tuplesOf } from '../../script-results.ts'
import type { WxrContent } from '../archives/wxr/wxr-sql.ts'
import { requestSeconds } from '../limits.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

/** Used where the export has no author. */
const noAuthor = { login: 'admin', email: 'admin@example.com', name: 'admin' }

/** Installs an empty WordPress for content without a database of its own. Removes what an earlier attempt left. */
export async function installForContent(
  context: LocalContext,
  record: SiteRecord,
  { title, admin }: WxrContent,
  step: StepContext,
): Promise<void> {
  const { signal } = step
  if (record.database === 'mysql') await context.mysql.empty(record.id, signal)
  else await runScript(context, record, { script: 'import', input: { reset: true }, signal })
  const { login, email } = admin ?? noAuthor
  const input = {
    title: title ?? record.domain,
    user: login,
    email: email || noAuthor.email,
    // Nobody gets to know it: the owner logs in by a link.
    password: randomBytes(32).toString('base64url'),
  }
  await runScript(context, record, { script: 'install', input, signal })
  step.log(`Installed WordPress; ${login} is its administrator`)
}

/** After this time, a file is not begun: a call of the script shows progress, and the whole ends before its step does. */
const [callSeconds, allMs] = [15, 1_500_000]
/** A file is given up before the process is, with what making smaller pictures takes on top. */
const secondsLess = 12
const callMs = 180_000
/** Calls in a row that the site's PHP did not survive, or after which nothing was less. */
const maxFailures = 5
const maxNamed = 20
/** What files leave of a site's quota for its database, which says what they are (bytes). */
const databaseRoom = 32 * 1024 ** 2

/** Fetches the media files that an export of content names. What can't be fetched is missing, and in the report. Can be repeated. */
export async function fetchMedia(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const { signal, log } = step
  const until = context.now() + allMs
  const most = Math.max(5, (context.options.requestSeconds ?? requestSeconds) - secondsLess)
  let [fetched, missing, failures, last] = [0, 0, 0, Infinity]
  let hosts: readonly (readonly [string, number])[] = []
  while (last > 0 && failures < maxFailures && context.now() < until) {
    context.storage.invalidate(record.id)
    const { bytes } = await context.storage.room(record)
    const room = Math.max(0, Math.min(bytes, Number.MAX_SAFE_INTEGER) - databaseRoom)
    const input = { seconds: callSeconds, most, hosts: Object.fromEntries(hosts), room }
    const found = await callMedia(context, record, input, signal)
    if (found === null) {
      failures += 1
      // One that crashed too often is not started for a minute.
      await context.awake.sleep(record.id)
      continue
    }
    const left = countOf(found['left'])
    hosts = rowsOf(found['hosts'])
    fetched += countOf(found['fetched'])
    for (const [file = '', reason = ''] of tuplesOf(found['failed'])) {
      missing += 1
      if (missing <= maxNamed) log(`Not fetched: ${file}: ${reason}`)
    }
    failures = left < last ? 0 : failures + 1
    last = left
    step.progress((fetched + missing) / (fetched + missing + left + 1))
  }
  const left = countOf((await callMedia(context, record, { forget: true }, signal))?.['left'])
  if (fetched + missing > 0) log(`Fetched ${fetched} media files; ${missing} could not be fetched`)
  if (left > 0) log(`${left} media files were not fetched: there was no time or no room left, or PHP stopped`)
}

/** Calls the script; null if the site's PHP did not survive it, or took too long. */
async function callMedia(
  context: LocalContext,
  record: SiteRecord,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  const within = AbortSignal.timeout(callMs)
  try {
    return await runScript(context, record, { script: 'media', input, signal: AbortSignal.any([signal, within]) })
  } catch (error) {
    signal.throwIfAborted()
    if (within.aborted || (error instanceof EngineError && error.code === 'unavailable')) return null
    throw error
  }
}

/** What the rows of the content don't say, and what WordPress counts by itself. */
export async function finishContent(
  context: LocalContext,
  record: SiteRecord,
  { title, tagline, sticky, admin }: WxrContent,
  signal: AbortSignal,
): Promise<void> {
  const { login, name } = admin ?? noAuthor
  await runScript(context, record, { script: 'content', input: { title, tagline, sticky, login, name }, signal })
}
