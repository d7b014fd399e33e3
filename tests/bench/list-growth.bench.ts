/**
 * How list, search, suggestions and counts grow: an organization with 100,000 sites beside one with 1,000, in one database with
 * 1,000 further organizations.
 */
import type { Session } from '#server/contracts/session.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { siteAttention } from '#shared/rules/site-attention.ts'
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
  count: ({ t }, session) => t.documents.count(session, 'Site', { filters: listed, limit }),
  'rare text in the palette': ({ t }, session, at) => {
    const or_filters = ['domain', 'title'].map((field) => [field, 'like', `%${partOfName(100 + at)}%`])
    return t.documents.list(session, 'Site', { fields, or_filters, order_by: 'modified desc', limit: 5 })
  },
  'text of all rows': ({ t }, session) => {
    const or_filters = ['domain', 'title', 'usr_alias_domains'].map((field) => [field, 'like', '%journal%'])
    return t.documents.list(session, 'Site', {
      fields,
      filters: listed,
      or_filters,
      order_by: 'creation desc',
      limit: 20,
    })
  },
  'two letters of many rows': ({ t }, session) =>
    t.documents.list(session, 'Site', {
      fields,
      filters: [['domain', 'like', '%77%']],
      order_by: 'creation desc',
      limit: 20,
    }),
  'list of a member': ({ t }, { organization }) =>
    t.documents.list(memberOf(organization), 'Site', {
      fields,
      filters: listed,
      order_by: 'attention desc, creation desc',
      limit: 20,
    }),
  'count of a member': ({ t }, { organization }) =>
    t.documents.count(memberOf(organization), 'Site', { filters: listed, limit }),
  search_link: ({ t }, session, at) => t.documents.search(session, 'Site', { txt: partOfName(100 + at) }),
  // One row in nine has one of these pairs of hexadecimal digits somewhere.
  'search_link, text of many rows': ({ t }, session, at) =>
    t.documents.search(session, 'Site', { txt: (at % 16).toString(16).repeat(2) }),
  'search_link, text of all rows': ({ t }, session) => t.documents.search(session, 'Site', { txt: 'journal' }),
  'search_link, two letters of no row': ({ t }, session) => t.documents.search(session, 'Site', { txt: 'zq' }),
  'search_link, no text': ({ t }, session) => t.documents.search(session, 'Site', { txt: '' }),
}

/** A member who sees as many own sites in each organization. */
const ownSites = 200
const memberOf = (organization: string | null): Session => sessionOf(`member@${organization}.example`, organization)

/** Counts stop there, above the number that the screens show. */
const limit = 1001

const down = [
  ['status', '=', 'Live'],
  ['health', '=', 'Down'],
]

/** Counts that the sidebar, the list of sites, the dashboard and a server's page send besides. */
const counts: Record<string, (session: Session) => object> = {
  'count of all': () => ({}),
  'count of archived': () => ({ filters: [['status', '=', 'Archived']] }),
  'count of down': () => ({ filters: down }),
  'count of failed': () => ({ filters: [['status', '=', 'Failed']] }),
  'count of up': () => ({
    filters: [
      ['status', '=', 'Live'],
      ['health', 'in', ['Up', 'Slow', 'Asleep']],
    ],
  }),
  'count of changing': () => ({ filters: [['status', 'in', ['Setting Up', 'Updating', 'Restoring', 'Archiving']]] }),
  'count of modified': () => ({
    filters: [
      ['status', '=', 'Live'],
      ['health', '!=', 'Down'],
      ['wordpress_checksum', '=', 'Modified'],
    ],
  }),
  'count of attention': () => ({ filters: listed, or_filters: siteAttention }),
  'count of favorites': () => ({ filters: [...listed, ['favorite', '=', 1]] }),
  'count of own': ({ user }) => ({ filters: [...listed, ['createdby_email', '=', user]] }),
  'count on a server': ({ organization }) => ({ filters: [...listed, ['server', '=', `server-${organization}`]] }),
}
/** Counts by value, which have no cap: the statements of the dashboard's charts and of the list of servers. */
const grouped: Record<string, object> = {
  status: { filters: [] },
  cloud_provider: { filters: listed },
  wordpress_version: { filters: [...listed, ['site_type', '=', 'wp']] },
  php_version: { filters: [...listed, ['site_type', '!=', 'html']] },
  server: { filters: listed },
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
      const { user } = await rows.t.member(organization, `member@${organization}.example`, 'Organization User')
      await rows.database.pool.query(
        `update tab_site set owner = $1 where name in (
          select name from tab_site where organization = $2 order by creation limit $3)`,
        [user, organization, ownSites],
      )
    }
    for (let at = 0; at < 1000; at += 1) await addSites(rows.database, `other${at}`, 20)
    await analyze(rows.database)
    const figures: Figure[] = []
    const [small, large] = [
      sessionOf('owner@small.example', 'small'),
      sessionOf('owner@large.example', 'large'),
    ] as const
    const both = (read: (session: Session, at: number) => Promise<unknown>) =>
      medians(
        (at) => read(small, at),
        (at) => read(large, at),
      )
    for (const [name, read] of Object.entries(reads)) {
      const ms = await both((session, at) => read(rows, session, at))
      figures.push(
        { name: `${name}, 1,000 sites`, value: ms[0], unit: 'ms' },
        { name: `${name}, 100,000 sites`, value: ms[1], unit: 'ms' },
        { name: `${name}: 100,000 / 1,000 sites`, value: ms[1] / ms[0], unit: 'ratio', limit: 1.5 },
      )
    }
    for (const [name, query] of Object.entries(counts)) {
      // A small organization has fewer of most of these; all of its sites are as many as the cap.
      const [all, some] = await medians(
        () => rows.t.documents.count(small, 'Site', { limit }),
        () => rows.t.documents.count(large, 'Site', { ...query(large), limit }),
      )
      figures.push(
        { name: `${name}, 100,000 sites`, value: some, unit: 'ms' },
        { name: `${name} of 100,000 / 1,000 sites`, value: some / all, unit: 'ratio', limit: 5.5 },
      )
    }
    for (const [name, cap] of [
      ['up to 1,001', { limit }],
      ['exact, on request', {}],
    ] as const) {
      const query = { filters: [['domain', 'like', '%77%']], ...cap }
      const ms = await both((session) => rows.t.documents.count(session, 'Site', query))
      figures.push(
        { name: `count of two letters, ${name}, 1,000 sites`, value: ms[0], unit: 'ms' },
        { name: `count of two letters, ${name}, 100,000 sites`, value: ms[1], unit: 'ms' },
      )
    }
    for (const [field, query] of Object.entries(grouped)) {
      const read = { fields: [field, 'count(name) as n'], group_by: field, order_by: 'n desc', limit: 500, ...query }
      const ms = await both((session) => rows.t.documents.list(session, 'Site', read))
      figures.push(
        { name: `counts by ${field}, 1,000 sites`, value: ms[0], unit: 'ms' },
        { name: `counts by ${field}, 100,000 sites`, value: ms[1], unit: 'ms' },
      )
    }
    return figures
  } finally {
    await rows.close()
  }
}

/** Medians of two reads in milliseconds, made in turns, so that both meet the same moments of the machine. */
async function medians(...read: readonly ((at: number) => Promise<unknown>)[]): Promise<readonly [number, number]> {
  const times = read.map((): number[] => [])
  for (let at = 0; at < rounds + 10; at += 1)
    for (const [index, one] of read.entries()) {
      const ms = await timed(() => one(at))
      if (at >= 10) times[index]?.push(ms)
    }
  return [quantile(times[0] ?? [], 0.5), quantile(times[1] ?? [], 0.5)]
}
