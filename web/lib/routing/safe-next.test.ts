import { expect, test } from 'vitest'
import { safeNext } from './safe-next.ts'

test.each([
  ['/site?status=Live#x', '/site?status=Live#x'],
  ['/', '/'],
  ['/site/abc?job=1', '/site/abc?job=1'],
])('%s is accepted', (next, path) => expect(safeNext(next)).toBe(path))

test.each([
  null,
  '',
  'site',
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '/../../evil',
  '/../api/method/logout',
  '/login',
  '/signup',
])('%s is rejected', (next) => {
  const path = safeNext(next)
  // Any result stays below /web of this origin.
  if (path !== null)
    expect(new URL(`/web${path}`, location.origin).href).toMatch(new RegExp(`^${location.origin}/web/`))
  else expect(path).toBeNull()
})
test('rejects other sites and paths outside the app', () => {
  expect([safeNext('https://evil.example'), safeNext('/../api/method/logout'), safeNext('/login')]).toEqual([
    null,
    null,
    null,
  ])
})
