import { expect, test } from 'vitest'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { readyPair } from './staging-pair.ts'

const refOf = (id: string, domain: string): SiteRef => ({
  id,
  domain,
  siteType: 'wp',
  phpVersion: '8.3',
  server: thisMachine,
})
const live = refOf('live000000', 'shop')
const staging = refOf('staging000', 'staged')

const pairOf = (databases: Record<'live' | 'staging', Pick<SiteRecord, 'database'>>) => {
  const stagingOf = { id: live.id, domain: live.domain, own: staging.domain }
  const records = [
    { ...live, state: 'ready', ...databases.live },
    { ...staging, state: 'ready', stagingOf, ...databases.staging },
  ]
  const store = { get: (wanted: string) => records.find(({ id }) => id === wanted) } as unknown as LocalContext['store']
  return readyPair({ store }, live, staging)
}

test.each([
  ['SQLite', {}],
  ['MySQL', { database: 'mysql' as const }],
])('two sites on %s can be compared', (_name, database) => {
  expect(pairOf({ live: database, staging: database })).toMatchObject({ live: database, staging: database })
})

test('a site that was moved to another kind of database since is refused with the way out', () => {
  for (const databases of [
    { live: {}, staging: { database: 'mysql' as const } },
    { live: { database: 'mysql' as const }, staging: {} },
  ])
    expect(() => pairOf(databases)).toThrow(
      expect.objectContaining({
        code: 'conflict',
        nextAction: expect.objectContaining({ text: expect.stringContaining('Move it back') }),
      }),
    )
})
