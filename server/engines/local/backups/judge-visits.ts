/** Whether the backup of a site shows and does what the site did: pages, and the log-in of an administrator. */
import { randomBytes } from 'node:crypto'
import { compareConfiguration, compareDashboard, comparePages, TooSlow, type Found } from '../../backup-verdict.ts'
import type { ManifestSummary } from '../../site-manifest.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { findLinks, seeLocalPages, wasTooSlow } from '../portable/seen-site.ts'
import { requestTimeoutMs } from '../site-operations.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { pageHeader } from '../sites/pages.ts'
import { runScript } from '../wordpress/run-script.ts'

/** What judges need. */
export interface Judged {
  readonly manifest: ManifestSummary
  readonly found: Found
  readonly signal: AbortSignal
}

/**
 * Looks at the configuration; then a made-up administrator signs in with a link, and opens the dashboard. Nothing of them stays. Throws TooSlow.
 */
export async function judgeLogin(
  context: LocalContext,
  record: SiteRecord,
  { manifest, found, signal }: Judged,
): Promise<void> {
  const { login: heir, prefix, home, keys } = await findLinks(context, record, signal)
  const siteUrl = localSiteUrl(context.options, record)
  compareConfiguration(found, manifest, { prefix, home, keys, url: siteUrl })
  // Without another administrator the made-up one could not be removed again.
  if (typeof heir !== 'string') {
    found.unjudged.push('WordPress has no administrator, so nobody could log in.')
    return
  }
  const login = `easydash-${randomBytes(6).toString('hex')}`
  const person = {
    ...{ key: randomBytes(12).toString('hex'), role: 'administrator' as const, reserved: heir },
    ...{ login, name: login, email: `${login}@example.com` },
  }
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
    await compareDashboard(found, siteUrl, async (path) => {
      const { status, headers } = await get(path, cookie)
      return { status, location: headers['location'] ?? '' }
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
  // A site can be called like its address.
  const [own, original] = [localSiteUrl(context.options, record), manifest.url].map((url) => new URL(url).host)
  comparePages(found, manifest, now, (title) => title.replaceAll(own ?? '', original ?? ''))
}
