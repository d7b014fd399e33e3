/** How much an organization may write per hour, by every entry point. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'

let booted: Booted
let owner: Browser
let stranger: Browser
const limit = 200_000
beforeAll(async () => {
  booted = await boot({
    env: {
      EASYDASH_RATE_LIMITS: JSON.stringify({
        written_bytes: { limit, seconds: 3600 },
        api_user: { limit: 100_000, seconds: 1 },
        login_ip: { limit: 100, seconds: 1 },
      }),
    },
  })
  for (const slug of ['acme', 'globex', 'third']) await booted.organization(slug)
  owner = await booted.signedIn('owner@acme.example')
  stranger = await booted.signedIn('owner@globex.example')
})
afterAll(() => booted?.close())

const upload = (browser: Browser, bytes: number) => {
  const form = new FormData()
  form.set('file', new Blob(['x'.repeat(bytes)]), 'x.txt')
  return browser.fetch('/api/method/upload_file', {
    method: 'POST',
    body: form,
    headers: { 'x-frappe-csrf-token': browser.csrfToken ?? '', accept: 'application/json' },
  })
}
const view = (browser: Browser, organization: string, bytes: number) =>
  browser.fetch('/api/resource/Saved%20View', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'x-frappe-csrf-token': browser.csrfToken ?? '',
    },
    body: JSON.stringify({
      organization,
      title: 'v',
      reference_doctype: 'Site',
      filters: Array.from({ length: Math.ceil(bytes / 420) }, () => ['domain', 'like', 'x'.repeat(400)]),
    }),
  })

it('counts uploads, documents and their activity together, and says when to come back', async () => {
  expect((await upload(owner, 120_000)).status).toBe(200)
  let written = 0
  let last: Response
  do {
    last = await view(owner, 'acme', 12_000)
    if (last.status === 200) written += 1
  } while (last.status === 200 && written < 50)
  expect(written).toBeGreaterThanOrEqual(4)
  expect(written).toBeLessThanOrEqual(6)
  expect(last.status).toBe(429)
  expect(await last.json()).toMatchObject({ code: 'rate_limited', exc_type: 'RateLimitExceededError' })
  const wait = Number(last.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(2 * 3600)
  // Nothing is kept of rejected writes, including files.
  expect((await upload(owner, 100_000)).status).toBe(429)
  const files = await owner.app.db().getDocList('File', { fields: ['file_size'] })
  expect(files).toEqual([{ file_size: 120_000 }])
  // Reading still works.
  expect((await owner.fetch('/api/method/frappe.auth.get_logged_user')).status).toBe(200)
})

it('is each organization’s own', async () => {
  expect((await upload(stranger, 100_000)).status).toBe(200)
  expect((await view(stranger, 'globex', 12_000)).status).toBe(200)
})

it('cannot be gone around by one write that is larger than all of it', async () => {
  const third = await booted.signedIn('owner@third.example')
  const response = await upload(third, limit + 1)
  expect(response.status).toBe(429)
  expect(Number(response.headers.get('retry-after'))).toBe(3600)
})
