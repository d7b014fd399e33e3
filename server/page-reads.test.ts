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
  expect(pageReads(ann, path)).toEqual(addresses)
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
  expect(pageReads(ann, path)).toEqual([])
})

test('who has no right to read anything asks for nothing', () => {
  expect(pageReads(sessionOf('Guest', null, { kind: 'guest', verified: false }), '/web/site/s1')).toEqual([])
  expect(pageReads({ ...ann, verified: false }, '/web/site/s1')).toEqual([])
  expect(pageReads({ ...ann, organization: null }, '/web/organization')).toEqual([])
})
