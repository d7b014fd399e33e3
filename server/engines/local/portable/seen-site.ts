/** What a site shows of itself: its pages as visitors see them, and what its WordPress counts. */
import { setTimeout as delay } from 'node:timers/promises'
import { EngineError, type StepContext } from '../../engine.ts'
import {
  contentCounts,
  lateAnswer,
  noAnswer,
  noCounts,
  seePages,
  type PageAnswer,
  type SeenPage,
} from '../../seen-pages.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import { thisMachine } from '../../site-ref.ts'
import { requestSeconds } from '../limits.ts'
import type { LocalContext } from '../local-context.ts'
import { requestSite, requestTimeoutMs } from '../site-operations.ts'
import { pageHeader } from '../sites/pages.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

/** After this time a site that was ended runs again. */
const secondTryMs = 1_000

const sitesCode = (error: unknown): boolean => error instanceof EngineError && error.code === 'unavailable'

/** What the script `links` finds, without the site's own code if that fails. */
export function findLinks(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const call = (safe: boolean) => runScript(context, record, { script: 'links', input: { safe }, signal })
  return call(false).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!sitesCode(error)) throw error
    return call(true)
  })
}

/** Whether a request since `started` that the site did not answer was ended because it took too long. */
export function wasTooSlow({ options }: LocalContext, started: number): boolean {
  const limit = Math.min((options.requestSeconds ?? requestSeconds) * 1_000, requestTimeoutMs)
  return performance.now() - started > limit - 1_000
}

/** Requests pages of a site of this machine; see `seePages`. What the engine shows instead of a page is no answer of the site. */
export function seeLocalPages(
  context: LocalContext,
  record: SiteRecord,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<SeenPage[]> {
  return seePages(paths, async (path) => {
    const answer = await answerOf(context, record, path, signal)
    if (answer !== noAnswer) return answer
    // It may have been ended for what somebody else asked it.
    await delay(secondTryMs, null, { signal }).catch(() => signal.throwIfAborted())
    return answerOf(context, record, path, signal)
  })
}

async function answerOf(
  context: LocalContext,
  record: SiteRecord,
  path: string,
  signal: AbortSignal,
): Promise<PageAnswer> {
  const started = performance.now()
  try {
    const answer = await requestSite(context, { ...record, server: thisMachine }, path, { signal })
    if (answer.headers[pageHeader] === undefined) return answer
  } catch (error) {
    signal.throwIfAborted()
    if (!sitesCode(error)) throw error
  }
  return wasTooSlow(context, started) ? lateAnswer : noAnswer
}

/** What a part of a site shows; something else if the site's code fails, which must not keep anybody from packing the site. */
export async function ifItWorks<T>(
  { log, signal }: Pick<StepContext, 'log' | 'signal'>,
  work: (signal: AbortSignal) => Promise<T>,
  otherwise: T,
): Promise<T> {
  try {
    return await work(signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!sitesCode(error)) throw error
    log(`The site could not be looked at: ${String(error)}`)
    return otherwise
  }
}

/** What WordPress says it has, whatever its plugins say; see `contentCounts`. */
export async function countContent(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
  onAnyMachine = false,
): Promise<SiteManifest['counts']> {
  if (record.siteType !== 'wp') return noCounts
  const facts = await runScript(context, record, { script: 'inspect', input: { safe: true }, signal })
  return contentCounts(facts, onAnyMachine)
}
