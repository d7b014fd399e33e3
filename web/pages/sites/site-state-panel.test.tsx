import { act } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { DocStatus } from '#web/documents/list/cells.tsx'
import { testRender, eventually } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut, type OrganizationRole } from '#web/lib/session/session.tsx'
import { SiteStatePanel } from './site-state-panel.tsx'

const page = testRender()
const now = vi.hoisted(() => ({ session: null as unknown, own: false, asked: [] as string[] }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => now.session,
}))

beforeEach(() => {
  now.asked = []
})

/** Renders the page of a site locked by a job. Each test uses a different job, because reads are cached. */
async function draw(role: OrganizationRole, job: string, own: boolean): Promise<void> {
  now.session = {
    ...signedOut,
    user: 'ann@x.example',
    organization: { name: 'acme', title: 'Acme', role, owner: false },
  }
  vi.stubGlobal('fetch', async (address: string | URL) => {
    const { pathname } = new URL(address, 'http://x.example')
    now.asked.push(pathname)
    const doc = { name: job, status: 'Running', label: 'Archive blog', steps: [] }
    if (pathname.includes('/api/resource/Job/')) return Response.json({ data: doc })
    return Response.json({ message: own ? [{ name: job }] : [] })
  })
  const site = { name: 's1', status: 'Updating', locked_by_job: job } as Site
  await act(async () =>
    page.root.render(
      <MemoryRouter>
        <SiteStatePanel site={site} />
        <DocStatus doctype="Site" value="Updating" job={job} />
      </MemoryRouter>,
    ),
  )
}
const reads = (job: string) => now.asked.filter((path) => path.endsWith(`/api/resource/Job/${job}`)).length

test('a member does not ask for the job of somebody else', async () => {
  await draw('Organization User', 'theirs', false)
  await eventually(() => expect(page.place.textContent).toContain('This site is being worked on'))
  expect(page.place.querySelector('a')).toBeNull()
  expect(reads('theirs')).toBe(0)
})

test.each([
  ['Organization User', 'own', true],
  ['Organization Manager', 'any', false],
] as const)('%s sees how far the job “%s” is', async (role, job, own) => {
  await draw(role, job, own)
  await eventually(() => expect(page.place.textContent).toContain('Archive blog'))
  expect(page.place.querySelector('button')).not.toBeNull()
  expect(page.place.querySelector('a')?.getAttribute('href')).toContain(`job=${job}`)
  expect(reads(job)).toBeGreaterThan(0)
})

test.each([
  ['full', 'This site is full'],
  ['log_full', 'The error log of this site is full'],
  ['outbox_full', 'The captured email of this site is full'],
  ['disk_full', 'nearly full'],
  ['ok', ''],
] as const)('a live site whose storage is %s says so', async (state, told) => {
  const site = { name: 's1', status: 'Live', locked_by_job: null, storage: { state } } as Site
  await act(async () =>
    page.root.render(
      <MemoryRouter>
        <SiteStatePanel site={site} />
      </MemoryRouter>,
    ),
  )
  if (told === '') expect(page.place.textContent).toBe('')
  else expect(page.place.textContent).toContain(told)
})
