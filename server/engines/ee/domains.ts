import { msg } from '#shared/localized-message.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { EngineError } from '../engine.ts'
import type { FoundAddresses, SiteDomains } from '../site-domains.ts'
import type { SiteRef } from '../site-ref.ts'
import { ownAliases, setAliases } from './aliases.ts'
import type { EeContext } from './ee-context.ts'
import { finishMove, othersMissing, undoMove } from './move-end.ts'
import { readMove, siteAs, type Move } from './move-state.ts'
import { moveSteps } from './move-steps.ts'
import { isPassing } from './remote.ts'
import { replacements } from './replacements.ts'
import { addressOf } from './request.ts'
import { managedSite } from './scripts.ts'
import { existingSite, workdirOf } from './site-of.ts'
import { askWp } from './wp.ts'

/** Names of sites. EasyEngine cannot give a site another primary domain: another site takes its place, see `move-steps.ts`. */
export function createEeDomains(context: EeContext): SiteDomains {
  return {
    async read(site) {
      const move = await readMove(context, site)
      const ofSite = move?.from === site.domain ? move : null
      const now = ofSite !== null && isSwitched(ofSite) ? siteAs(site, ofSite, 'to') : site
      const { row } = await existingSite(context, now)
      const lost = ofSite?.state === 'finished' ? othersMissing(ofSite.aliases.others, row) : []
      return {
        ...(lost.length > 0 ? { lost } : {}),
        domain: now.domain,
        aliases: await ownAliases(context, now, row),
        changingTo: ofSite !== null && !isSwitched(ofSite) ? ofSite.to : null,
      }
    },
    setAliases: (site, aliases) => setAliases(context, site, aliases),
    findAddresses: (site, to, _after, signal) => findAddresses(context, site, to, signal),
    changeSteps: (site, to, aliases, httpAuth = null) => moveSteps({ context, site, to, aliases, httpAuth }),
    finishChange: (site, signal) => finishMove(context, site, signal),
    undoChange: (site, signal) => undoMove(context, site, signal),
  }
}

const isSwitched = ({ state }: Move): boolean => state === 'switched' || state === 'finished'

const nothing: FoundAddresses = { tables: [], options: [], examples: [], skipped: 0, after: null }

/** Somebody waits for it. */
const findMs = 50_000

/** What WP-CLI would replace, in one part. */
async function findAddresses(
  context: EeContext,
  site: SiteRef,
  to: string,
  signal?: AbortSignal,
): Promise<FoundAddresses> {
  if (site.siteType !== 'wp' || checkDomain(to) !== null) return nothing
  const { isSecure } = await managedSite(context, site, signal)
  const workdir = workdirOf((await existingSite(context, site, signal)).row)
  const urlOf = (domain: string) => addressOf({ domain, isSecure })
  // Addresses without a scheme: those with one are among them.
  const pair = replacements(urlOf(site.domain), urlOf(to)).slice(2)
  const flags = ['--regex', '--regex-flags=i', '--all-tables-with-prefix', '--skip-columns=guid', '--dry-run']
  const args = ['search-replace', ...pair, ...flags, '--skip-plugins', '--skip-themes']
  try {
    const output = await askWp(context, site, { workdir, args, signal, deadlineMs: findMs })
    const found = { ...nothing, tables: countsIn(output) }
    const options: string[] = []
    const examples: FoundAddresses['examples'][number][] = []
    for (const option of found.tables.length === 0 ? [] : ['home', 'siteurl']) {
      const get = ['option', 'get', option, '--skip-plugins', '--skip-themes']
      const before = (await askWp(context, site, { workdir, args: get, signal })).trim().split('\n').at(-1) ?? ''
      if (URL.parse(before)?.host !== site.domain) continue
      options.push(option)
      const after = before.replace(`//${site.domain}`, `//${to}`)
      examples.push({ table: 'options', column: option, before: before.slice(0, 200), after: after.slice(0, 200) })
    }
    return { ...found, options: options.map((option) => ({ option, places: 1 })), examples }
  } catch (error) {
    signal?.throwIfAborted()
    if (!isPassing(error)) throw error
    throw new EngineError('unavailable', msg`The addresses in the database could not be counted in time.`, {
      nextAction: msg`Try again, or change the domain by the API, which does not count them first.`,
      cause: error,
    })
  }
}

/** The columns that `wp search-replace` reports, by their tables: separated by tabs, or in a frame. */
function countsIn(output: string): FoundAddresses['tables'] {
  const tables = new Map<string, { rows: number; places: number }>()
  for (const line of output.split('\n').slice(0, 5_000)) {
    const [, table = '', places = ''] =
      /^\|? *(\w{1,64}) *[|\t] *[^|\t]{1,190}?[|\t] *(\d{1,9}) *[|\t] *(?:PHP|SQL)/.exec(line) ?? []
    const count = Number(places)
    if (table === '' || count === 0) continue
    const { rows, places: before } = tables.get(table) ?? { rows: 0, places: 0 }
    tables.set(table, { rows: Math.max(rows, count), places: before + count })
  }
  return [...tables].slice(0, 150).map(([table, counts]) => ({ table, ...counts }))
}
