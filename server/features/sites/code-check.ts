import { createHash } from 'node:crypto'
import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteLogs } from '#server/engines/site-logs.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { PackageType } from '#server/engines/wordpress-packages.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { errorMessage } from '#server/jobs/failure.ts'
import { withDeadline } from '#server/platform/ssh/deadline.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { readHomepage } from './homepage.ts'
import { checkChangedPage, checkLogAction, isWhole, type PageCheckResult } from './page-check.ts'
import { phpErrorOf } from './wordpress-health/php-errors.ts'

/** Logs that PHP reports errors in: in debug mode, WordPress sends them to one of its own. */
const errorLogs = ['php', 'debug'] as const
type ErrorLog = (typeof errorLogs)[number]

/** Most chunks of a log that one check reads. */
const maxChunks = 8
/** Timeout of the homepage before a change, in milliseconds. */
const pageMs = 30_000
/** Timeout of one look at the logs, in milliseconds. Two of them and a page take much less than a step has. */
const logsMs = 20_000

/**
 * The first step of jobs that change the code of a site: keeps what it is like, for `checkChangedCode`. Never fails because of the site or its
 * server: what failed before is not compared.
 */
export function lookBeforeStep(engine: Engine, site: SiteRef): JobStepDefinition {
  return {
    key: 'look_before',
    label: 'Load the homepage as it is',
    deadlineSeconds: 120,
    async run(step) {
      const { result: page, errors } = await errorsDuring(engine, site, step, () =>
        ifInTime(step, { what: 'The homepage', ms: pageMs }, (signal) =>
          readHomepage(engine, site, { signal, timeoutMs: pageMs }),
        ),
      )
      step.keep({ page_was_whole: page !== null && page.problem === null && isWhole(page.response) })
      // Without a page, it is not known what the code reports.
      if (page === null) return
      for (const [log, texts] of errors) if (texts !== null) step.keep({ [marksIn(log)]: marksOf(texts) })
    },
  }
}

/**
 * Requests a site right after its code was changed. An error after a page has begun shows neither in its status nor, often, in what can be
 * seen of it: so a page that had an end must have one, and PHP must not report an error meanwhile that it did not report with the code
 * before. What it reported until then may come from a visitor of that code: if it matters, this request brings it again. Themes decide how
 * pages end, so only the log tells whether a theme that was changed breaks them off.
 */
export async function checkChangedCode(
  engine: Engine,
  site: SiteRef,
  step: JobContext,
  changed: PackageType | 'core',
): Promise<PageCheckResult> {
  const wasWhole = changed !== 'theme' && step.kept['page_was_whole'] === true
  const { result, errors } = await errorsDuring(engine, site, step, () =>
    checkChangedPage(engine, site, step.signal, wasWhole),
  )
  for (const [log, texts] of errors) {
    const marks = step.kept[marksIn(log)]
    if (typeof marks !== 'string') continue
    const before = new Set(marks.split(' '))
    const text = texts?.find((one) => !before.has(markOf(one)))
    if (text === undefined) continue
    throw new AppError('unavailable', msg`PHP reports an error that was not there before: “${text}”`, {
      nextAction: checkLogAction,
    })
  }
  return result
}

/** What `work` returns, and the errors that PHP reports meanwhile in each log; null for one that can't be read. */
async function errorsDuring<T>(
  { logs }: Pick<Engine, 'logs'>,
  site: SiteRef,
  step: JobContext,
  work: () => Promise<T>,
): Promise<{ result: T; errors: (readonly [ErrorLog, string[] | null])[] }> {
  if (logs === undefined) return { result: await work(), errors: [] }
  const limitOf = (log: ErrorLog) => ({ what: `The log “${log}”`, ms: logsMs })
  const ends = await Promise.all(
    errorLogs.map((log) => ifInTime(step, limitOf(log), async () => (await logs.read(site, log, { from: 'end' })).end)),
  )
  const result = await work()
  const errors = await Promise.all(
    errorLogs.map(async (log, at) => {
      const end = ends[at] ?? null
      if (end === null) return [log, null] as const
      const read = (signal: AbortSignal) => errorsAfter(end, (after) => logs.read(site, log, { after }), signal)
      return [log, await ifInTime(step, limitOf(log), read)] as const
    }),
  )
  return { result, errors }
}

/** Null if it fails or takes too long: a site can work although its logs can't be read, and a slow one, too. */
async function ifInTime<T extends object | string>(
  step: JobContext,
  { what, ms }: { readonly what: string; readonly ms: number },
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const expired = () => new Error(`No answer within ${ms / 1_000} seconds.`)
  try {
    return await withDeadline(systemClock, { ms, expired, signal: step.signal }, read)
  } catch (error) {
    step.signal.throwIfAborted()
    step.log(`${what} could not be read: ${errorMessage(error).text}`)
    return null
  }
}

/** Errors after a position. If the log was emptied or replaced since, what it has now came after it, too. */
async function errorsAfter(
  end: string,
  read: (after: string) => ReturnType<SiteLogs['read']>,
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = []
  let after: string | null = end
  for (let count = 0; after !== null && count < maxChunks; count += 1) {
    signal.throwIfAborted()
    const chunk = await read(after)
    found.push(...chunk.lines.flatMap((line) => phpErrorOf(line)?.text ?? []))
    after = chunk.more ? chunk.end : null
  }
  return found
}

/** Under which name the marks of a log's errors are kept. */
const marksIn = (log: ErrorLog): string => `${log}_marks`

/** What differs each time that an error occurs: sizes, ids, and lines of a file that was changed. */
const formOf = (text: string): string => text.replaceAll(/\d+/g, '0')

/** Short enough for many to be kept; of letters only, which are no secret of anybody. */
const markOf = (text: string): string =>
  createHash('sha256')
    .update(formOf(text))
    .digest('hex')
    .slice(0, 8)
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))

const marksOf = (texts: readonly string[]): string => [...new Set(texts.map(markOf))].slice(0, 50).join(' ')
