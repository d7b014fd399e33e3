import { expect, test } from 'vitest'
import { sessionOf } from '../tests/support/documents.ts'
import { pageReads } from './page-reads.ts'

const ann = sessionOf('ann@acme.example', 'acme')
const as = (org_role: string, is_owner = false) => ({
  metadata: { org_role, is_owner },
  modules: { ee: true },
  meta: { preferences: {} },
})
const owner = as('Organization Admin', true)

test.each([
  ['/web/site/s1', ['/api/resource/Site/s1']],
  ['/web/site/s1/', ['/api/resource/Site/s1']],
  ['/web/server/srv', ['/api/resource/Server/srv']],
  ['/web/user/bob%40acme.example', ['/api/resource/User/bob%40acme.example']],
  ['/web/site/..%2F..%2Fmethod', ['/api/resource/Site/..%2F..%2Fmethod']],
  ['/web/organization', ['/api/resource/Organization/acme']],
])('%s reads what it is about', (path, addresses) => {
  expect(pageReads(ann, path, owner)).toEqual(addresses)
})

test.each(['/web/site/create', '/web/site/s1/more', '/web/server/create', '/web/site/%E0%A4%A', '/x'])(
  '%s asks by its script alone',
  (path) => {
    expect(pageReads(ann, path, owner)).toEqual([])
  },
)

test('who has no right to read anything asks for nothing', () => {
  expect(pageReads(sessionOf('Guest', null, { kind: 'guest', verified: false }), '/web/site/s1', owner)).toEqual([])
  expect(pageReads({ ...ann, verified: false }, '/web/site/s1', owner)).toEqual([])
  expect(pageReads({ ...ann, organization: null }, '/web/organization', owner)).toEqual([])
})

test.each([
  ['/web/billing', 4, 0, 0, 0],
  ['/web/organization', 1, 1, 0, 0],
  ['/web/server/srv', 1, 1, 1, 0],
  ['/web/site/s1', 1, 1, 1, 1],
])('%s is read for who may stay there: owner %i, admin %i, manager %i, member %i', (path, ...wanted) => {
  const people = [owner, as('Organization Admin'), as('Organization Manager'), as('Organization User')]
  expect(people.map((reader) => pageReads(ann, path, reader).length)).toEqual(wanted)
  expect(pageReads(ann, path, null)).toEqual([])
})

const listed = (addresses: readonly string[]) =>
  addresses.map((address) => new URL(address, 'http://localhost').searchParams.get('doctype'))

test.each([
  ['Organization Admin', { ee: true }, ['Server', 'Server', 'Server']],
  ['Organization User', { ee: true }, ['Server', 'Server']],
  ['Organization Admin', { ee: false }, []],
])('the dashboard of an %s with %j reads what it shows', (org_role, modules, servers) => {
  const reads = pageReads(ann, '/web', { metadata: { org_role }, modules, meta: {} })
  expect(listed(reads).filter((doctype) => doctype === 'Server')).toEqual(servers)
  expect(listed(reads).filter((doctype) => doctype !== 'Server')).toEqual([
    'Site',
    'Site',
    'Site',
    'Site',
    'Job',
    'Job',
  ])
})

test.each(['', '/', '/website'])('%j is no page of the app and asks for nothing', (path) => {
  expect(pageReads(ann, path, owner)).toEqual([])
})

test.each(['Site', 'Server'])('the list of a %s begins with the rows nobody chose otherwise', (doctype) => {
  const path = `/web/${doctype.toLowerCase()}`
  const [read, ...more] = pageReads(ann, path, owner)
  const { searchParams } = new URL(read ?? '', 'http://localhost')
  expect(more).toEqual([])
  expect(searchParams.get('doctype')).toBe(doctype)
  expect(searchParams.get('limit_page_length')).toBe('20')
  expect(pageReads(ann, `${path}/`, owner)).toEqual([read])
})

test('a list is asked for by its script alone where the address, the person or the role says more', () => {
  expect(pageReads(ann, '/web/site', owner, 'status=%5B%22%3D%22%2C%22Live%22%5D')).toEqual([])
  const keeps = (lists: unknown) => ({ ...owner, meta: { preferences: { lists } } })
  expect(pageReads(ann, '/web/site', keeps({ Site: { status: 'none' } }))).toEqual([])
  expect(
    pageReads(ann, '/web/site', keeps({ Server: { status: 'none' }, Site: { columns: ['health'] } })),
  ).toHaveLength(1)
  expect(pageReads(ann, '/web/site', keeps(null))).toHaveLength(1)
  expect(pageReads(ann, '/web/site', as('Organization User'))).toEqual([])
  expect(pageReads(ann, '/web/server', { ...owner, modules: { ee: false } })).toEqual([])
})
