import { expect, test } from 'vitest'
import { sessionOf } from '../tests/support/documents.ts'
import { pageReads } from './page-reads.ts'

const ann = sessionOf('ann@acme.example', 'acme')

test.each([
  ['/web/site/s1', ['/api/resource/Site/s1']],
  ['/web/site/s1/', ['/api/resource/Site/s1']],
  ['/web/server/srv', ['/api/resource/Server/srv']],
  ['/web/user/bob%40acme.example', ['/api/resource/User/bob%40acme.example']],
  ['/web/site/..%2F..%2Fmethod', ['/api/resource/Site/..%2F..%2Fmethod']],
  ['/web/organization', ['/api/resource/Organization/acme']],
])('%s reads what it is about', (path, addresses) => {
  expect(pageReads(ann, path, null)).toEqual(addresses)
})

test.each([
  '/web',
  '/web/site',
  '/web/site/create',
  '/web/site/s1/more',
  '/web/server/create',
  '/web/site/%E0%A4%A',
  '/x',
])('%s asks by its script alone', (path) => {
  expect(pageReads(ann, path, null)).toEqual([])
})

test('who has no right to read anything asks for nothing', () => {
  expect(pageReads(sessionOf('Guest', null, { kind: 'guest', verified: false }), '/web/site/s1', null)).toEqual([])
  expect(pageReads({ ...ann, verified: false }, '/web/site/s1', null)).toEqual([])
  expect(pageReads({ ...ann, organization: null }, '/web/organization', null)).toEqual([])
})

const listed = (addresses: readonly string[]) =>
  addresses.map((address) => new URL(address, 'http://localhost').searchParams.get('doctype'))

test.each([
  ['Organization Admin', { ee: true }, ['Server', 'Server', 'Server']],
  ['Organization User', { ee: true }, ['Server', 'Server']],
  ['Organization Admin', { ee: false }, []],
])('the dashboard of an %s with %j reads what it shows', (org_role, modules, servers) => {
  const reads = pageReads(ann, '/web', { metadata: { org_role }, modules })
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
  expect(pageReads(ann, path, { metadata: { org_role: 'Organization Admin' }, modules: { ee: true } })).toEqual([])
})
