/**
 * How list, search, suggestions and count grow: an organization with 100,000 sites beside one with 1,000, in one database with
 * 1,000 further organizations.
 */
import type { Session } from '#server/contracts/session.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addSites, analyze, openRows, partOfName, quantile, timed, type Rows } from './site-rows.ts'

const rounds = 60
const listed = [['status', '!=', 'Archived']]
const fields = ['name', 'domain', 'title', 'status', 'health', 'server', 'php_version', 'wordpress_version', 'creation']

/** What the screens ask for. `at` varies the text that is searched. */
const reads: Record<string, (rows: Rows, session: Session, at: number) => Promise<unknown>> = {
  list: ({ t }, session) =>
    t.documents.list(session, 'Site', {
      fields,
      filters: listed,
      order_by: 'attention desc, creation desc',
      limit: 20,
    }),
  'list by name': ({ t }, session) =>
    t.documents.list(session, 'Site', { fields, filters: listed, order_by: 'domain asc', limit: 20 }),
  search: ({ t }, session, at) => {
    const text = `%${partOfName(100 + at)}%`
    const or_filters = ['domain', 'title', 'usr_alias_domains'].map((field) => [field, 'like', text])
    return t.documents.list(session, 'Site', {
      fields,
      filters: listed,
      or_filters,
      order_by: 'creation desc',
      limit: 20,
    })
  },
  search_link: ({ t }, session, at) => t.documents.search(session, 'Site', { txt: partOfName(100 + at) }),
  count: ({ t }, session) => t.documents.count(session, 'Site', { filters: listed, limit: 1001 }),
}

/** Medians in milliseconds, and their ratios. */
export async function bench(): Promise<Figure[]> {
  const rows = await openRows()
  try {
    for (const [organization, count] of [
      ['small', 1000],
      ['large', 100_000],
    ] as const) {
      await rows.t.organization(organization)
      await addSites(rows.database, organization, count)
    }
    for (let at = 0; at < 1000; at += 1) await addSites(rows.database, `other${at}`, 20)
    await analyze(rows.database)
    const figures: Figure[] = []
    for (const [name, read] of Object.entries(reads)) {
      const times = { small: [] as number[], large: [] as number[] }
      // In turns, so that both meet the same moments of the machine.
      for (let at = 0; at < rounds + 10; at += 1)
        for (const organization of ['small', 'large'] as const) {
          const session = sessionOf(`owner@${organization}.example`, organization)
          const ms = await timed(() => read(rows, session, at))
          if (at >= 10) times[organization].push(ms)
        }
      const [small, large] = [quantile(times.small, 0.5), quantile(times.large, 0.5)]
      figures.push(
        { name: `${name}, 1,000 sites`, value: small, unit: 'ms' },
        { name: `${name}, 100,000 sites`, value: large, unit: 'ms' },
        { name: `${name}: 100,000 / 1,000 sites`, value: large / small, unit: 'ratio', limit: 1.5 },
      )
    }
    return figures
  } finally {
    await rows.close()
  }
}
