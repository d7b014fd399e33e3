import { expect, it } from 'vitest'
import { statusLook } from '#web/documents/values/status-tones.ts'
import {
  attentionItems as itemsOf,
  criticalDiskUsage,
  type AttentionServer,
  type AttentionSite,
  type ReasonCounts,
} from './attention.ts'
import { attentionTotal, worstProblem } from './attention-counts.ts'

const uncounted: ReasonCounts = { failed: new Map(), down: new Map(), suspended: new Map() }
const attentionItems = (
  sites: readonly AttentionSite[],
  servers: readonly AttentionServer[],
  counts: Partial<ReasonCounts> = {},
) => itemsOf(sites, servers, { ...uncounted, ...counts })

const site = (name: string, values: Partial<AttentionSite>): AttentionSite => ({
  name,
  owner: 'ann@acme.example',
  server: 'v1',
  locked_by_job: null,
  suspended_at: null,
  domain: name,
  title: null,
  status: 'Live',
  health: 'Up',
  failure_reason: null,
  failure_reason_i18n: null,
  modified: '2025-11-20 10:00:00.000000',
  failure_since: null,
  wordpress_checksum: 'Verified',
  wordpress_health: 'Good',
  wordpress_problem: null,
  ...values,
})
const server = (
  name: string,
  status: AttentionServer['status'],
  values: Partial<AttentionServer> = {},
): AttentionServer => ({
  name,
  owner: 'ann@acme.example',
  locked_by_job: null,
  hostname: name,
  status,
  modified: '2025-11-20 12:00:00.000000',
  ...values,
})

it('ranks the most severe first, then the longest, and omits healthy sites', () => {
  const items = attentionItems(
    [
      site('fine', {}),
      site('paused', { status: 'Suspended', modified: '2025-11-01 10:00:00.000000' }),
      site('new-failure', { status: 'Failed', modified: '2025-11-20 11:00:00.000000' }),
      site('old-failure', {
        status: 'Failed',
        modified: '2025-11-19 11:00:00.000000',
        failure_reason: 'The disk is full.',
      }),
      site('silent', { health: 'Down', failure_since: '2025-11-20 09:00:00.000000' }),
    ],
    [server('good', 'Healthy'), server('lost', 'Disconnected'), server('slow', 'Degraded')],
  )
  expect(items.map((item) => item.key)).toEqual([
    'site old-failure',
    'site silent',
    'site new-failure',
    'server lost',
    'site paused',
    'server slow',
  ])
  expect(items[0]).toMatchObject({ reason: 'The disk is full.', retrySite: 'old-failure', href: '/site/old-failure' })
})

it('offers what may help one site: a restart if it is down, to resume it if its owners suspended it', () => {
  const since = '2025-11-20 10:00:00.000000'
  const items = attentionItems(
    [
      site('down', { health: 'Down' }),
      site('away', { health: 'Down', server: 'v2' }),
      site('paused', { status: 'Suspended', suspended_at: since }),
      site('full', { status: 'Suspended' }),
      site('changed', { wordpress_checksum: 'Modified' }),
      ...['a', 'b'].map((name) => site(name, { health: 'Down', failure_reason: 'No answer.' })),
    ],
    [server('v1', 'Degraded'), server('v2', 'Disconnected')],
  )
  expect(Object.fromEntries(items.map(({ title, help, href }) => [title, [help?.action ?? null, href]]))).toEqual({
    'down is down': ['restart', '/site/down'],
    // No job reaches its server.
    'away is down': [null, '/site/away'],
    'v1 is degraded': [null, '/server/v1'],
    'v2 is disconnected': [null, '/server/v2'],
    'paused is suspended': ['resume', '/site/paused'],
    'full is suspended': [null, '/site/full'],
    // The report says which files.
    'Files changed on changed': [null, '/site/changed#wordpress'],
    '2 sites are down': [null, expect.stringContaining('/site?')],
  })
})

it('combines sites that failed for the same reason, with a link to exactly these', () => {
  const why = { status: 'Failed', failure_reason: 'The disk is full.' } as const
  const items = attentionItems(
    [
      site('b', { ...why, modified: '2025-11-19 11:00:00.000000' }),
      site('a', why),
      site('other', { status: 'Failed', failure_reason: 'No answer.' }),
      site('unknown-1', { status: 'Failed' }),
      site('unknown-2', { status: 'Failed' }),
    ],
    [],
  )
  expect(items.map(({ title }) => title)).toEqual([
    '2 sites failed',
    'other failed',
    'unknown-1 failed',
    'unknown-2 failed',
  ])
  expect(items[0]).toMatchObject({ reason: 'The disk is full.', since: '2025-11-19 11:00:00.000000', retrySite: null })
  expect(decodeURIComponent(items[0]?.href ?? '')).toContain('failure_reason=["=","The+disk+is+full."]')
})

it('combines sites that are down for the same reason, apart from those that failed for it', () => {
  const reason = { failure_reason: 'The page answered with status 500.' }
  const items = attentionItems(
    [
      site('a', { ...reason, health: 'Down' }),
      site('b', { ...reason, health: 'Down' }),
      site('failed', { ...reason, status: 'Failed' }),
      site('other', { health: 'Down', failure_reason: 'No answer.' }),
      site('working', reason),
    ],
    [],
  )
  expect(items.map(({ title }) => title)).toEqual(['2 sites are down', 'failed failed', 'other is down'])
  const href = decodeURIComponent(items[0]?.href ?? '')
  for (const filter of ['status=["=","Live"]', 'health=["=","Down"]', 'failure_reason=["=","The+page+answered'])
    expect(href).toContain(filter)
})

it('sites with a common problem have it since the first of them has, whenever their rows were changed', () => {
  const since = (day: number) => `2025-11-${day} 10:00:00.000000`
  const why = { health: 'Down', failure_reason: 'No answer.' } as const
  const items = attentionItems(
    [
      site('alone', { health: 'Down', failure_since: since(13) }),
      site('edited', { ...why, failure_since: since(12), modified: since(20) }),
      site('second', { ...why, failure_since: since(14), modified: since(11) }),
    ],
    [],
  )
  expect(items.map((item) => [item.title, item.since])).toEqual([
    ['2 sites are down', since(12)],
    ['alone is down', since(13)],
  ])
})

it('a group has all sites of its reason, also those that were not read, and suspended ones as failed ones', () => {
  const why = { failure_reason: 'No answer.' } as const
  const limits = { status: 'Suspended', failure_reason: 'Over its quota.' } as const
  const items = attentionItems([site('read', { ...why, health: 'Down' }), site('a', limits), site('b', limits)], [], {
    down: new Map([[why.failure_reason, 74]]),
    suspended: new Map([[limits.failure_reason, 38]]),
  })
  expect(items.map(({ title, tone }) => [title, tone])).toEqual([
    ['74 sites are down', 'bad'],
    ['38 sites are suspended', 'warn'],
  ])
  expect(decodeURIComponent(items[1]?.href ?? '')).toContain('status=["=","Suspended"]')
})

it('does not report a site as down if its status says otherwise', () => {
  expect(
    attentionItems(
      [
        site('packed', { status: 'Archived', health: 'Down' }),
        site('coming', { status: 'Setting Up', health: 'Down' }),
      ],
      [],
    ),
  ).toEqual([])
})

it('offers to measure an unhealthy server, and lists core files and disks that need attention', () => {
  const items = attentionItems(
    [site('changed', { wordpress_checksum: 'Modified' })],
    [server('lost', 'Disconnected'), server('tight', 'Healthy', { disk: 100, disk_free: 8 })],
  )
  expect(items.map((item) => [item.key, item.tone, item.measure?.name ?? null])).toEqual([
    ['site changed', 'bad', null],
    ['server lost', 'bad', 'lost'],
    ['server tight', 'warn', 'tight'],
  ])
  expect(items[2]?.title).toMatch(/^Disk on tight is 92\s?% full$/)
  expect(criticalDiskUsage({ disk: 100, disk_free: 11 })).toBeNull()
  expect(criticalDiskUsage({ disk: 0, disk_free: 0 })).toBeNull()
  expect(criticalDiskUsage({ disk: 100 })).toBeNull()
})

it('says what is wrong with a WordPress that answers, below everything that does not work', () => {
  const problem = { wordpress_health: 'Needs Attention', wordpress_problem: 'late_events' } as const
  const items = attentionItems([site('late', problem), site('gone', { ...problem, health: 'Down' })], [])
  expect(items.map(({ title, reason, tone, href }) => [title, reason, tone, href])).toEqual([
    ['gone is down', 'It did not answer our last request', 'bad', '/site/gone'],
    ['WordPress on late needs attention', 'Scheduled events are late', 'warn', '/site/late#wordpress'],
  ])
})

it('shows the most severe first and counts the rest', () => {
  const none = { sites: 0, down: 0, failed: 0, modified: 0, unwell: 0, suspended: 0, servers: 0, full: 0, wpc: 0 }
  expect(worstProblem(none)).toBeNull()
  expect(worstProblem({ ...none, sites: 6, down: 1, failed: 3, suspended: 2 })).toEqual({
    text: '1 site is down',
    tone: 'bad',
    others: 5,
  })
  expect(worstProblem({ ...none, sites: 1200, failed: 1200, servers: 1 })).toMatchObject({
    text: expect.stringMatching(/^1.?200 sites failed$/),
    others: 1,
  })
  expect(worstProblem({ ...none, sites: Infinity, down: Infinity, failed: 3 })).toEqual({
    text: '1,000+ sites are down',
    tone: 'bad',
    others: 0,
  })
  expect(worstProblem({ ...none, sites: 1, suspended: 1 })).toMatchObject({ tone: 'warn', others: 0 })
  expect(attentionTotal({ ...none, sites: 17, down: 1, failed: 2, servers: 3, full: 1 })).toBe(21)
  expect(worstProblem({ ...none, full: 2 })).toMatchObject({ text: '2 servers are almost full', others: 0 })
})

it('sites at WP Cloud that failed or are suspended are among them', () => {
  const failed = {
    ...{
      name: 'w1',
      domain: 'one.example',
      status: 'Failed' as const,
      failure_reason: null,
      failure_reason_i18n: null,
    },
    ...{ failure_since: null, modified: '2025-11-20 11:00:00.000000' },
  } as const
  const paused = { ...failed, name: 'w2', domain: 'two.example', status: 'Suspended' } as const
  const stopped = site('paused', { status: 'Suspended' })
  const items = itemsOf([stopped], [], uncounted, [paused, failed])
  expect(items.map(({ title, tone, href }) => [title, tone, href])).toEqual([
    ['one.example failed', 'bad', '/site/w1'],
    ['paused is suspended', 'warn', '/site/paused'],
    ['two.example is suspended', 'warn', '/site/w2'],
  ])
})

it('a degraded server is a warning, one that is failed or disconnected is bad', () => {
  const toneOf = (status: AttentionServer['status']) => attentionItems([], [server('box', status)])[0]?.tone
  expect([toneOf('Degraded'), toneOf('Disconnected'), toneOf('Failed')]).toEqual(['warn', 'bad', 'bad'])
  expect(statusLook('Server', 'status', 'Degraded')?.tone).toBe('warn')
})
