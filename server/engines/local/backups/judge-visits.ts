/** Whether the backup of a site shows and does what the site did: pages, and the log-in of an administrator. */
import { randomBytes } from 'node:crypto'
import type { BackupDefect } from '#shared/rules/backups.ts'
import type { ManifestSummary } from '../../site-manifest.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { findLinks, seeLocalPages, wasTooSlow } from '../portable/seen-site.ts'
import { requestTimeoutMs } from '../site-operations.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { pageHeader } from '../sites/pages.ts'
import { runScript } from '../wordpress/run-script.ts'

const maxRedirects = 3

/** What was found out so far. */
export interface Found {
  readonly defects: BackupDefect[]
  readonly seen: { readonly what: string; readonly expected: number; readonly found: number }[]
  /** Why there is something that could not be compared. */
  readonly unjudged: string[]
}

/** What judges need. */
export interface Judged {
  readonly manifest: ManifestSummary
  readonly found: Found
  readonly signal: AbortSignal
}

/** The site could not be judged: here it takes longer than requests may take. */
export class TooSlow extends Error {
  override readonly message = 'This machine took too long to show the site, so not everything could be compared.'
}

/**
 * A made-up administrator signs in with a link, and opens the dashboard. Nothing of them stays. Throws TooSlow.
 */
export async function judgeLogin(
  context: LocalContext,
  record: SiteRecord,
  found: Found,
  signal: AbortSignal,
): Promise<void> {
  const { login: heir } = await findLinks(context, record, signal)
  // Without another administrator the made-up one could not be removed again.
  if (typeof heir !== 'string') return
  const login = `easydash-${randomBytes(6).toString('hex')}`
  const person = {
    ...{ key: randomBytes(12).toString('hex'), role: 'administrator' as const, reserved: heir },
    ...{ login, name: login, email: `${login}@example.com` },
  }
  const siteUrl = localSiteUrl(context.options, record)
  const link = new URL(await context.links.create(record, person, 60, { siteUrl }))
  const get = async (path: string, cookie?: string) => {
    const started = performance.now()
    try {
      const answer = await context.ownRequests.get(link.host, path, {
        ...{ timeoutMs: requestTimeoutMs, signal },
        ...(cookie === undefined ? {} : { cookie }),
      })
      if (answer.headers[pageHeader] === undefined || !wasTooSlow(context, started)) return answer
    } catch (error) {
      signal.throwIfAborted()
      if (!wasTooSlow(context, started)) throw error
    }
    throw new TooSlow()
  }
  try {
    const entered = await get(`${link.pathname}${link.search}`)
    // Cookies are names and values; what follows each one says how long it lasts, and where.
    const cookie = [
      ...(entered.headers['set-cookie'] ?? '').matchAll(/(?:^|, )(wordpress[\w-]{0,100}=[^;,\s]{1,4000})/g),
    ]
      .map(([, pair]) => pair)
      .join('; ')
    let path = '/wp-admin/'
    let page = await get(path, cookie)
    for (let step = 0; step < maxRedirects && page.status >= 300 && page.status < 400; step += 1) {
      const target = new URL(page.headers['location'] ?? '', `${siteUrl}${path}`)
      if (target.host !== link.host) break
      path = `${target.pathname}${target.search}`
      page = await get(path, cookie)
    }
    const isIn = page.status === 200 && path.startsWith('/wp-admin/')
    found.seen.push({ what: 'login', expected: 1, found: isIn ? 1 : 0 })
    if (!isIn)
      found.defects.push({
        defect: 'An administrator can’t log in',
        evidence: `${path.replace(/\?.*/s, '').slice(0, 200)} answered with status ${page.status}`,
      })
  } finally {
    const change = { kind: 'delete_user', login, reassign_to: heir }
    await runScript(context, record, { script: 'change', input: { change, safe: true } })
  }
}

/** Compares its pages with what was seen of them when it was backed up. */
export async function judgePages(
  context: LocalContext,
  record: SiteRecord,
  { manifest, found, signal }: Judged,
): Promise<void> {
  const { pages } = manifest
  const now = await seeLocalPages(
    context,
    record,
    pages.map(({ path }) => path),
    signal,
  )
  let good = 0
  // A site can be called like its address.
  const [own, original] = [localSiteUrl(context.options, record), manifest.url].map((url) => new URL(url).host)
  for (const [at, { path, status, title }] of pages.entries()) {
    const page = now[at]
    if (page === undefined) continue
    const add = (defect: string, evidence: string): void => void found.defects.push({ defect, evidence })
    if (page.isLate) found.unjudged.push(new TooSlow().message)
    else if (page.status !== status)
      add(
        'A page answers with another status than when it was backed up',
        `${path}: ${page.status === 0 ? 'no answer' : page.status} instead of ${status}`,
      )
    else if (page.title.replaceAll(own ?? '', original ?? '') !== title)
      add('A page has another title than when it was backed up', `${path}: “${page.title}” instead of “${title}”`)
    else if (record.siteType === 'wp' && status === 200 && title !== '' && !page.isWhole)
      add('A page breaks off before its end', path)
    else good += 1
  }
  found.seen.push({ what: 'visited', expected: pages.length, found: good })
}
