/** What a site shows of itself, whatever its engine: its pages as visitors see them, and what its WordPress counts. */
import { isObject } from '#shared/parse-json.ts'
import { countOf, tuplesOf } from './script-results.ts'
import type { SiteManifest } from './site-manifest.ts'

/** A page that was requested. */
export interface SeenPage extends Readonly<SiteManifest['pages'][number]> {
  /** Whether it is HTML to its end: PHP that fails in the middle leaves a page without it. */
  readonly isWhole: boolean
  /** Whether it was ended because it took too long: what it would have shown, nobody knows. */
  readonly isLate: boolean
}

/** What a page answers. */
export interface PageAnswer {
  readonly status: number
  readonly body: string
  readonly isLate?: boolean
}

/** What the script `links` returns. */
export type SeenLinks = Readonly<Record<string, unknown>>

/** Pages to look at, with their titles: the homepage, and up to four others that the script `links` found. */
export const pagesToSee = (links: SeenLinks | null): string[][] => [
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

/** The answer of a page that did not answer. */
export const noAnswer: PageAnswer = { status: 0, body: '' }
/** That of one that took too long. */
export const lateAnswer: PageAnswer = { ...noAnswer, isLate: true }

/** Requests pages one after the other. One that does not answer has the status 0. */
export async function seePages(
  paths: readonly string[],
  answerOf: (path: string) => Promise<PageAnswer>,
): Promise<SeenPage[]> {
  const seen: SeenPage[] = []
  for (const path of paths) {
    seen.push(seenPage(path, isPath(path) ? await answerOf(encodedPath(path)) : noAnswer))
  }
  return seen
}

/** What an answer shows. */
export function seenPage(path: string, { status, body, isLate }: PageAnswer): SeenPage {
  return {
    path,
    status,
    title: titleOf(body),
    isWhole: /<\/html>\s*(?:<!--[^>]{0,2000}-->\s*){0,20}$/i.test(body.slice(-20_000)),
    isLate: isLate === true,
  }
}

/** Themes and WordPress write quotes and dashes of a title in their own way: only letters and digits count. */
export function plainTitle(text: string): string {
  return text
    .replaceAll(/&[#\w]{1,10};/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/** Whether a path can be requested: manifests and lists of pages can come from anywhere. */
export const isPath = (path: string): boolean => /^\/(?!\/)/.test(path) && path.isWellFormed()

const titleOf = (html: string): string =>
  /<title\b[^>]{0,200}>([^<]{0,2000})/i.exec(html)?.[1]?.replaceAll(/\s+/g, ' ').trim().slice(0, 300) ?? ''

/** What a manifest says of pages: of one that did not answer nothing was seen. */
export const answeredPages = (pages: readonly SeenPage[]): SiteManifest['pages'] =>
  pages
    .filter(({ status }) => status > 0)
    .map(({ isWhole, isLate: _isLate, ...page }) => (isWhole ? page : { ...page, whole: false }))

/** Title of a site, as the script `links` found it. */
export const titleIn = (links: SeenLinks | null): string | null =>
  typeof links?.['title'] === 'string' ? links['title'].slice(0, 200) : null

/** What a site without WordPress has. */
export const noCounts: SiteManifest['counts'] = {
  ...{ posts: 0, pages: 0, comments: 0, uploads: 0 },
  ...{ plugins: 0, themes: 0, users: 0 },
}

/** Ours and EasyEngine's: what connects WordPress to where it runs, which backups of sites on servers leave out. */
const isOfMachine = (plugin: unknown): boolean =>
  isObject(plugin) && (plugin['managed'] === true || plugin['id'] === 'object-cache.php')

/**
 * What WordPress says it has, in the result of the script `inspect`.
 * @param onAnyMachine leaves out plugins that are there because of the machine: a backup is counted on another one
 */
export function contentCounts(facts: Readonly<Record<string, unknown>>, onAnyMachine = false): SiteManifest['counts'] {
  const counts = (facts['counts'] ?? {}) as Record<string, unknown>
  const listOf = (list: unknown): unknown[] => (Array.isArray(list) ? list : [])
  const plugins = listOf(facts['plugins'])
  return {
    posts: countOf(counts['post']),
    pages: countOf(counts['page']),
    comments: countOf(counts['comment']),
    uploads: countOf(counts['attachment']),
    plugins: onAnyMachine ? plugins.filter((one) => !isOfMachine(one)).length : plugins.length,
    themes: listOf(facts['themes']).length,
    users: countOf(counts['user']),
  }
}
