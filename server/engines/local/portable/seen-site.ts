/** What a site shows of itself: its pages as visitors see them, and what its WordPress counts. */
import { EngineError, type StepContext } from '../../engine.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import { thisMachine } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { requestSite } from '../site-operations.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'
import { countOf, tuplesOf } from './script-results.ts'

/** A page that was requested. */
export interface SeenPage extends Readonly<SiteManifest['pages'][number]> {
  /** Whether it is HTML to its end: PHP that fails in the middle leaves a page without it. */
  readonly isWhole: boolean
}

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

/** Pages to look at, with their titles: the homepage, and up to four others that `findLinks` found. */
export const pagesToSee = (links: Readonly<Record<string, unknown>> | null): string[][] => [
  ['/', ''],
  ...tuplesOf(links?.['pages'] ?? []).slice(0, 4),
]

/** A path as it can be requested. */
export function encodedPath(path: string): string {
  try {
    return encodeURI(decodeURI(path))
  } catch {
    return encodeURI(path)
  }
}

/** Requests pages one after the other. One that does not answer has the status 0. */
export async function seePages(
  context: LocalContext,
  record: SiteRecord,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<SeenPage[]> {
  const seen: SeenPage[] = []
  for (const path of paths) {
    const answer = isPath(path) ? await answerOf(context, record, path, signal) : noAnswer
    seen.push({
      path,
      status: answer.status,
      title: titleOf(answer.body),
      isWhole: /<\/html>\s*(?:<!--[^>]{0,2000}-->\s*){0,20}$/i.test(answer.body.slice(-20_000)),
    })
  }
  return seen
}

const noAnswer = { status: 0, body: '' } as const

/** Manifests can come from anywhere. */
const isPath = (path: string): boolean => /^\/(?!\/)/.test(path) && path.isWellFormed()

async function answerOf(
  context: LocalContext,
  record: SiteRecord,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  try {
    return await requestSite(context, { ...record, server: thisMachine }, encodedPath(path), { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (sitesCode(error)) return noAnswer
    throw error
  }
}

const titleOf = (html: string): string =>
  /<title\b[^>]{0,200}>([^<]{0,2000})/i.exec(html)?.[1]?.replaceAll(/\s+/g, ' ').trim().slice(0, 300) ?? ''

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

/** What a site without WordPress has. */
export const noCounts: SiteManifest['counts'] = {
  ...{ posts: 0, pages: 0, comments: 0, uploads: 0 },
  ...{ plugins: 0, themes: 0, users: 0 },
}

/** What WordPress says it has, whatever its plugins say. */
export async function countContent(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<SiteManifest['counts']> {
  if (record.siteType !== 'wp') return noCounts
  const facts = await runScript(context, record, { script: 'inspect', input: { safe: true }, signal })
  const counts = (facts['counts'] ?? {}) as Record<string, unknown>
  const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)
  return {
    posts: countOf(counts['post']),
    pages: countOf(counts['page']),
    comments: countOf(counts['comment']),
    uploads: countOf(counts['attachment']),
    plugins: lengthOf(facts['plugins']),
    themes: lengthOf(facts['themes']),
    users: countOf(counts['user']),
  }
}
