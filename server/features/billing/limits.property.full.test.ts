import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { countedDoctypes, usageOf } from './limits.ts'
import { createOrganizationFixture, type OrganizationFixture } from '#tests/support/organizations.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

let s: OrganizationFixture
beforeEach(async () => {
  s = await createOrganizationFixture()
  for (const slug of ['acme', 'globex']) await s.owner(`owner@${slug}.example`, slug)
})
afterEach(() => s.close())

const site = { doctype: 'Site', title: 'domain', away: 'Archived', values: { server: 'any', site_type: 'html' } }
const server = { doctype: 'Server', title: 'hostname', away: 'Decommissioned', values: {} }
const kinds = { site, server } as const
type Kind = keyof typeof kinds

let made = 0
/** Adds a document as our own code does: as the system. */
const add = (kind: Kind, status: string, organization = 'acme') =>
  s.documents.transaction(s.system, (tx) => {
    const { doctype, title, values } = kinds[kind]
    made += 1
    return tx.insert(doctype, { ...values, organization, status, [title]: `thing-${made}` })
  })
const write = (kind: Kind, name: string, values: Record<string, unknown>, hooks: boolean) =>
  s.documents.transaction(s.system, (tx) => tx.update(kinds[kind].doctype, name, values, { hooks }))
const limit = (site_limit: string, server_limit: string) =>
  s.documents.transaction(s.system, (tx) =>
    tx.update(OrganizationDoctype, 'acme', { site_limit_override: site_limit, server_limit_override: server_limit }),
  )
const usage = () => s.documents.transaction(s.system, (tx) => usageOf(tx, 'acme'))
const successes = (tries: PromiseSettledResult<unknown>[]) => {
  for (const one of tries) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'limit_reached' })
  return tries.filter((one) => one.status === 'fulfilled').length
}

describe.each(['site', 'server'] as const)('8 concurrent ones for a %s', (kind) => {
  const live = kind === 'site' ? 'Live' : 'Healthy'
  const { away } = kinds[kind]
  /** Every write path that adds one, with its starting state. */
  const writePaths: Record<string, () => Promise<() => Promise<unknown>>> = {
    create: async () => () => add(kind, live),
    'un-archive as an edit': async () => {
      const { name } = await add(kind, away)
      return () => write(kind, name, { status: live }, true)
    },
    'un-archive by our own write': async () => {
      const { name } = await add(kind, away)
      return () => write(kind, name, { status: live }, false)
    },
    transfer: async () => {
      const { name } = await add(kind, live, 'globex')
      return () => write(kind, name, { organization: 'acme' }, false)
    },
  }

  beforeEach(() =>
    s.documents.transaction(s.system, (tx) =>
      tx.update(OrganizationDoctype, 'globex', { site_limit_override: '0', server_limit_override: '0' }),
    ),
  )

  test.each(Object.keys(writePaths))('%s: exactly as many as fit come through', async (writePath) => {
    const starts: (() => Promise<unknown>)[] = []
    for (let n = 0; n < 8; n += 1) starts.push(await (writePaths[writePath] as (typeof writePaths)[string])())
    await limit('3', '3')
    expect(successes(await Promise.allSettled(starts.map((start) => start())))).toBe(3)
    expect((await usage())[kind]).toBe(3)
  })

  test('all write paths together, while the limit is lowered: never more than the higher one', async () => {
    const starts: (() => Promise<unknown>)[] = []
    for (const writePath of [...Object.values(writePaths), ...Object.values(writePaths)]) starts.push(await writePath())
    await limit('4', '4')
    const [tries] = await Promise.all([Promise.allSettled(starts.map((start) => start())), limit('2', '2')])
    const through = successes(tries)
    expect(through).toBeGreaterThanOrEqual(2)
    expect(through).toBeLessThanOrEqual(4)
    expect((await usage())[kind]).toBe(through)
    await expect(add(kind, live)).rejects.toMatchObject({ code: 'limit_reached' })
  })
})

test('a limit is never exceeded, in any order of operations', async () => {
  const step = fc.record({
    act: fc.constantFrom('add', 'put away', 'bring back', 'move away', 'move here', 'rename', 'delete'),
    at: fc.nat({ max: 20 }),
    hooks: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      await s.documents.transaction(s.system, async (tx) => {
        for (const { name } of await tx.list(SiteDoctype, [])) await tx.delete(SiteDoctype, name, { activity: false })
      })
      await limit('3', '3')
      for (const { act, at, hooks } of steps) {
        const all = await s.documents.transaction(s.system, (tx) => tx.list(SiteDoctype, []))
        const one = all[at % Math.max(1, all.length)]
        const change = (values: Record<string, unknown>) => (one ? write('site', one.name, values, hooks) : null)
        const acts = {
          add: () => add('site', at % 3 === 0 ? 'Archived' : 'Live'),
          'put away': () => change({ status: 'Archived' }),
          'bring back': () => change({ status: at % 2 === 0 ? 'Live' : 'Restoring' }),
          'move away': () => change({ organization: 'globex' }),
          'move here': () => change({ organization: 'acme' }),
          rename: () => change({ title: `title ${at}` }),
          delete: () => one && s.documents.transaction(s.system, (tx) => tx.delete(SiteDoctype, one.name)),
        }
        await Promise.resolve(acts[act as keyof typeof acts]()).catch((error: unknown) =>
          expect(error).toMatchObject({ code: 'limit_reached' }),
        )
        expect((await usage()).site).toBeLessThanOrEqual(3)
      }
    }),
    { numRuns: 15 },
  )
})

test('a failed deletion from the archive may end in Failed, even at the limit', async () => {
  const { name } = await add('site', 'Archived')
  await limit('1', '1')
  await add('site', 'Live')
  await write('site', name, { status: 'Failed' }, false)
  await expect(add('site', 'Live')).rejects.toMatchObject({ code: 'limit_reached' })
})

describe('no write path is forgotten', () => {
  test('every doctype that is a site or a server counts', () => {
    const things = doctypes.filter(({ name }) => /(?:^|\s)(?:Site|Server)$/.test(name)).map(({ name }) => name)
    expect(countedDoctypes.map(({ doctype }) => doctype).toSorted()).toEqual(things.toSorted())
    for (const { doctype, except } of countedDoctypes) {
      const status = doctypes.find(({ name }) => name === doctype)?.fields['status']
      expect(status?.options).toContain(except)
    }
  })

  test('no SQL of our own makes rows of them or sets what is counted', () => {
    // Guards only run in the store. One allowed file creates rows for load tests, in an organization without limits; the
    // other marks sites that were imported without files, including archived ones, while nothing else runs: it does not free
    // capacity.
    const allowed = ['server/demo-fleet.ts', 'server/transfer/excluded-sites.ts']
    const root = join(import.meta.dirname, '../../..')
    const files = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => join('server', path))
    const past =
      /insert\s+into\s+tab_(?:site|server)\b|update\s+tab_(?:site|server)\b[^`]*?\bset\b[^`]*?\b(?:status|organization)\s*=[^`]*?\bwhere\b/i
    const found = files.filter((path) => past.test(readFileSync(join(root, path), 'utf8')))
    expect(found).toEqual(allowed)
  })
})
