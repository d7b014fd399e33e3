import { createHash } from 'node:crypto'
import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteLogs } from '#server/engines/site-logs.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import { errorMessage } from '#server/jobs/failure.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { readHomepage } from './homepage.ts'
import { checkChangedPage, checkLogAction, isWhole, type PageCheckResult } from './page-check.ts'
import { changeJobs, updateJobs } from './wordpress/site-change.ts'
import { phpErrorOf, type PhpError } from './wordpress-health/php-errors.ts'

/** Logs that PHP reports errors in: in debug mode, WordPress sends them to one of its own. */
const errorLogs = ['php', 'debug'] as const

/** Most chunks of a log that one check reads. */
const maxChunks = 8
/** By how much the clock of a server may differ from ours. */
const skewMs = 60_000

/**
 * The first step of jobs that change the code of a site: keeps what it is like, for `checkChangedCode`. Never fails because of the site: what
 * failed before is not compared.
 */
export function lookBeforeStep(engine: Engine, site: SiteRef): JobStepDefinition {
  return {
    key: 'look_before',
    label: 'Load the homepage as it is',
    deadlineSeconds: 120,
    async run(step) {
      await keepLogEnds(engine, site, step)
      step.keep({ page_was_whole: await isWholeNow(engine, site, step.signal) })
      const { logs } = engine
      if (logs === undefined) return
      await ifReadable(step, async () => {
        for (const log of errorLogs)
          step.keep({ [`${log}_marks`]: marksOf((await newErrors(logs, site, step, log)).map(({ text }) => text)) })
      })
      await keepLogEnds(engine, site, step)
    },
  }
}

async function isWholeNow(engine: Engine, site: SiteRef, signal: AbortSignal): Promise<boolean> {
  try {
    const { problem, response } = await readHomepage(engine, site, { signal, timeoutMs: 30_000 })
    return problem === null && isWhole(response)
  } catch {
    signal.throwIfAborted()
    return false
  }
}

/** Keeps where the logs end: what PHP reports from here on is new. */
export async function keepLogEnds(engine: Engine, site: SiteRef, step: JobContext): Promise<void> {
  const { logs } = engine
  if (logs === undefined) return
  await ifReadable(step, async () => {
    for (const log of errorLogs) step.keep({ [`${log}_log`]: (await logs.read(site, log, { from: 'end' })).end })
  })
}

/**
 * Requests a site right after its code was changed. An error after a page has begun shows neither in its status nor, often, in what can be
 * seen of it: so a page that had an end must have one, and PHP must not have reported an error that is new.
 */
export async function checkChangedCode(engine: Engine, site: SiteRef, step: JobContext): Promise<PageCheckResult> {
  const result = await checkChangedPage(engine, site, step.signal, step.kept['page_was_whole'] === true)
  const { logs } = engine
  const error = logs && (await ifReadable(step, () => newError(logs, site, step)))
  if (!error) return result
  throw new AppError('unavailable', msg`PHP reports an error that was not there before: “${error.text}”`, {
    nextAction: checkLogAction,
  })
}

/** The site can work although its logs can't be read. */
async function ifReadable<T>(step: JobContext, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    step.signal.throwIfAborted()
    step.log(`The error log could not be read: ${errorMessage(error).text}`)
    return null
  }
}

async function newError(logs: SiteLogs, site: SiteRef, step: JobContext): Promise<PhpError | null> {
  for (const log of errorLogs) {
    const found = await newErrors(logs, site, step, log)
    if (found.length === 0) continue
    const known = await knownForms(logs, site, step, log)
    const shown = String(step.kept[`${log}_marks`] ?? '').split(' ')
    const error = found.find(({ text }) => !known.has(formOf(text)) && !shown.includes(markOf(text)))
    if (error) return error
  }
  return null
}

type ErrorLog = (typeof errorLogs)[number]

const endOf = (step: JobContext, log: ErrorLog): string | null => {
  const end = step.kept[`${log}_log`]
  return typeof end === 'string' ? end : null
}

/** Errors since the end that was kept. */
async function newErrors(logs: SiteLogs, site: SiteRef, step: JobContext, log: ErrorLog): Promise<PhpError[]> {
  const found: PhpError[] = []
  let after = endOf(step, log)
  for (let count = 0; after !== null && count < maxChunks; count += 1) {
    const chunk = await logs.read(site, log, { after })
    found.push(...errorsIn(chunk.lines))
    after = chunk.more ? chunk.end : null
  }
  return found
}

const errorsIn = (lines: readonly string[]): PhpError[] => lines.flatMap((line) => phpErrorOf(line) ?? [])

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

/**
 * Errors that the site has anyway: those before the end that was kept. Not those from the time of jobs like this one, nor of this one: an
 * update that was taken back because of an error would pass when it is tried again.
 */
async function knownForms(
  logs: SiteLogs,
  site: SiteRef,
  step: JobContext,
  log: ErrorLog,
): Promise<ReadonlySet<string>> {
  const end = endOf(step, log)
  const before = end === null ? [] : errorsIn((await logs.read(site, log, { before: end })).lines)
  if (before.length === 0) return new Set()
  const jobs = await step.transaction((tx) =>
    tx.listFields(
      JobDoctype,
      ['creation', 'ended'],
      [
        ['reference_doctype', '=', 'Site'],
        ['reference_name', '=', step.referenceName],
        ['job_type', 'in', codeJobs],
      ],
      { order_by: 'creation desc', limit: 200 },
    ),
  )
  const isOfJob = ({ at }: PhpError) =>
    jobs.some(({ creation, ended }) => {
      const until = ended === null ? Infinity : parseTimestamp(ended)
      return at >= parseTimestamp(creation) - skewMs && at <= until + skewMs
    })
  return new Set(before.filter((one) => !Number.isNaN(one.at) && !isOfJob(one)).map(({ text }) => formOf(text)))
}

/** Jobs that change the code of a site. */
const codeJobs = [...Object.values(changeJobs).map(({ job }) => job), ...Object.values(updateJobs), 'site.change_core']
