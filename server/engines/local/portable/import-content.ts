import { randomBytes } from 'node:crypto'
import type { StepContext } from '../../engine.ts'
import { EngineError } from '../../engine.ts'
import { countOf, tuplesOf } from '../../script-results.ts'
import type { WxrContent } from '../archives/wxr/wxr-sql.ts'
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
/** What a single file may take is in the script; making smaller pictures comes on top. */
const callMs = 180_000
/** Calls in a row that the site's PHP did not survive. */
const maxFailures = 5
const maxNamed = 20

/** Fetches the media files that an export of content names. What can't be fetched is missing, and in the report. Can be repeated. */
export async function fetchMedia(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const { signal, log } = step
  const until = context.now() + allMs
  const call = (forget: boolean) =>
    runScript(context, record, {
      script: 'media',
      input: { seconds: callSeconds, forget },
      signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
    })
  let [fetched, missing, failures, isDone] = [0, 0, 0, false]
  while (!isDone) {
    try {
      const found = await call(false)
      const left = countOf(found['left'])
      fetched += countOf(found['fetched'])
      for (const [file = '', reason = ''] of tuplesOf(found['failed'])) {
        missing += 1
        if (missing <= maxNamed) log(`Not fetched: ${file}: ${reason}`)
      }
      failures = 0
      isDone = left === 0 || found['unreachable'] === true || context.now() > until
      step.progress((fetched + missing) / (fetched + missing + left + 1))
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
      failures += 1
      isDone = failures >= maxFailures || context.now() > until
    }
  }
  const left = countOf((await call(true))['left'])
  if (fetched + missing > 0) log(`Fetched ${fetched} media files; ${missing} could not be fetched`)
  if (left > 0) log(`${left} media files were not fetched: their site could not be reached, or it took too long`)
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
