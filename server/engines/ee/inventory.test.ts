import fc from 'fast-check'
import { expect, test } from 'vitest'
import { thisMachine, type SiteRef } from '../site-ref.ts'
import { aliasesOf, hostedSites, parseInventory, siteIn, type EeRow } from './inventory.ts'

const row = (site_url: string, more: Record<string, unknown> = {}) => ({
  ...{ site_url, site_type: 'wp', app_sub_type: 'wp', site_enabled: '1', site_ssl: '', php_version: '8.4' },
  ...{ db_name: 'own', site_container_fs_path: '/var/www/htdocs', app_admin_username: 'ada', ...more },
})
const printed = (rows: unknown, marks = '') => `${JSON.stringify(rows)}\n\n--marks\n${marks}`
const site = (domain: string, more: Partial<SiteRef> = {}): SiteRef => ({
  ...{ id: 'abcdefghij', domain, siteType: 'wp', phpVersion: '8.4', server: thisMachine },
  ...more,
})
const read = (rows: unknown, marks?: string) => {
  const inventory = parseInventory(printed(rows, marks))
  if (inventory === null) throw new Error('It cannot be read.')
  return inventory
}

test('a server without sites prints no JSON at all', () => {
  expect(parseInventory('\n\n--marks\n')).toEqual({ rows: [], marks: new Map() })
})

test('a site is ours by the name of its database, by its mark if it has none, or if it was found there', () => {
  const rows = [
    ...[row('a.example'), row('b.example', { db_name: 'ed_abcdefghij_0a1b' })],
    row('c.example', { site_type: 'html', db_name: null }),
    row('p.example', { site_type: 'php', db_name: '', app_admin_email: 'ed_abcdefghij_0a1b@p.example' }),
    row('q.example', { site_type: 'php', db_name: '', app_admin_email: 'admin@q.example' }),
  ]
  const inventory = read(
    rows,
    'c.example abcdefghij live\np.example abcdefghij live\nq.example abcdefghij live\nd.example zzzzzzzzzz new\n',
  )
  expect(siteIn(inventory, site('a.example'))).toMatchObject({ row: null, clash: 'a.example' })
  expect(siteIn(inventory, site('a.example', { isFound: true }))).toMatchObject({ row: rows[0], clash: null })
  expect(siteIn(inventory, site('b.example'))).toMatchObject({ row: rows[1], mark: null, clash: null })
  expect(siteIn(inventory, site('c.example'))).toMatchObject({ row: rows[2], mark: 'live', clash: null })
  expect(siteIn(inventory, site('p.example'))).toMatchObject({ row: rows[3], mark: 'live', clash: null })
  expect(siteIn(inventory, site('q.example'))).toMatchObject({ row: null, clash: 'q.example' })
  // Another one is being made.
  expect(siteIn(inventory, site('d.example'))).toMatchObject({ row: null, clash: 'd.example' })
  // Somebody made it anew on the server.
  for (const state of ['new', 'live'])
    expect(siteIn(read([row('a.example')], `a.example abcdefghij ${state}\n`), site('a.example'))).toMatchObject({
      ...{ row: null, clash: 'a.example' },
    })
  // The mark of another site counts more than that it was found.
  const other = read([row('a.example')], 'a.example zzzzzzzzzz live\n')
  expect(siteIn(other, site('a.example', { isFound: true })).row).toBeNull()
})

test('the aliases of a site are compared in lower case', () => {
  const rows = [row('a.example', { alias_domains: 'a.example,WWW.a.example, Shop.example,www.a.example,A.example' })]
  expect(aliasesOf(rows[0] as EeRow)).toEqual(['www.a.example', 'shop.example'])
  expect(siteIn(read(rows), site('shop.example'))).toMatchObject({ row: null, clash: 'shop.example' })
})

test.each([
  ['a-b.example', 'ab.example'],
  ['a.b.example', 'a-b.example'],
])('%s and %s clash: EasyEngine would mix up their files', (one, other) => {
  expect(siteIn(read([row(one)]), site(other)).clash).toBe(one)
  expect(siteIn(read([], `${one} zzzzzzzzzz new\n`), site(other)).clash).toBe(one)
})

test('sites are listed with what they are to us', () => {
  const rows = [row('a.example'), row('b.example', { db_name: 'ed_bbbbbbbbbb_1', site_enabled: 0 }), row('c.example')]
  const listed = hostedSites(read(rows, 'c.example cccccccccc archived\nd.example dddddddddd new\n'))
  expect(listed.map(({ id, domain, state }) => `${id} ${domain} ${state}`)).toEqual([
    'dddddddddd d.example creating',
    'null a.example running',
    'bbbbbbbbbb b.example asleep',
    'null c.example archived',
  ])
})

test('rows that name no site, and marks that are none, are left out', () => {
  const hostile = [
    row('../../etc'),
    row('a.example; reboot'),
    row('ok.example'),
    row('x.example', { site_container_fs_path: '/var/www/htdocs/../..' }),
    { ...row('y.example'), site_type: 'cgi' },
    17,
  ]
  const inventory = read(hostile, '../x abcdefghij live\nok.example short live\nok.example abcdefghij root\n')
  expect(inventory.rows.map(({ site_url }) => site_url)).toEqual(['ok.example'])
  expect(inventory.marks.size).toBe(0)
})

test('nonsense is no inventory', () => {
  for (const text of ['', 'nonsense', '{}', '[', '[]', '<html>\n--marks\n', '{"a":1}\n--marks\n'])
    expect(parseInventory(text), text).toBeNull()
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      const found = parseInventory(`${text}\n--marks\n`)
      if (found !== null) expect(found.rows).toEqual(expect.any(Array))
    }),
  )
})
