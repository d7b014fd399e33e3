import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { debounceMs } from '#web/lib/api/debounce.ts'
import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import type { SearchMode } from '#web/lib/browser/typed-ahead.ts'
import { clearVisits } from '#web/lib/routing/recent-storage.ts'
import { rememberUse, rememberVisit } from '#web/lib/routing/recent.ts'
import { routes } from '#web/routes.tsx'
import { ScreensProvider } from '../frame/screens.tsx'
import { useGroups } from './use-groups.tsx'

const api = apiServer()
const rows: Record<string, Record<string, unknown>> = {
  Site: { name: 's1', domain: 'se-shop', status: 'Live', site_type: 'html' },
  Server: { name: 'v1', hostname: 'se-one', status: 'Healthy' },
  User: { name: 'sena@acme.example', full_name: 'Sena', user_image: null },
}
beforeEach(() =>
  // Each doctype has one row, which is found by what any of its fields contains.
  api.on('frappe.desk.reportview.get', ({ body }) => {
    const row = rows[String(body['doctype'])] ?? {}
    const found = Object.values(row).join(' ').includes(termOf(body))
    return { message: { keys: Object.keys(row), values: found ? [Object.values(row)] : [], user_info: {} } }
  }),
)
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** The term of a search request. */
function termOf({ filters, or_filters }: Record<string, unknown>): string {
  return /%(.*?)%/.exec(JSON.stringify([filters, or_filters]))?.[1] ?? ''
}
const requests = (doctype: string) => api.calls.filter(({ body }) => body['doctype'] === doctype)

const handlers = {
  openAdmin: () => undefined,
  start: () => undefined,
  help: () => undefined,
  toggleSidebar: () => undefined,
}
function Groups({ text, mode }: { text: string; mode: SearchMode }) {
  const { groups, state } = useGroups(text, mode, handlers)
  const others = groups.filter(({ key }) => key !== 'actions').flatMap(({ options }) => options)
  const acts = groups.find(({ key }) => key === 'actions')?.options ?? []
  return (
    <>
      <output>{`${state}: ${groups.map(({ label }) => label).join(' ')}`}</output>
      {others.map(({ id, title }) => (
        <p key={id}>{title}</p>
      ))}
      <ul>
        {acts.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
    </>
  )
}
const shown = () => screen.getByRole('status').textContent

const search = (text: string, mode: SearchMode = 'navigation') => (
  <ScreensProvider routes={routes}>
    <Groups text={text} mode={mode} />
  </ScreensProvider>
)
function setup(role: OrganizationRole, text: string, ee = true) {
  const organization = { name: 'acme', title: 'Acme', role, owner: false }
  return renderAs({ ...owner, modules: { ee, wpc: false }, organization }, search(text))
}
const ready = () => waitFor(() => expect(shown()).toMatch(/^ready/))

test.each([
  ['Organization Admin', 'Pages Sites Servers Users'],
  ['Organization Manager', 'Pages Sites Servers Users'],
  ['Organization User', 'Pages Sites Servers'],
] as const)('%s finds %s', async (role, groups) => {
  setup(role, 'se')
  await waitFor(() => expect(shown()?.replace(' Actions', '')).toBe(`ready: ${groups}`))
  expect(requests('User').length > 0).toBe(role !== 'Organization User')
})

test('without the module no servers are requested', async () => {
  setup('Organization Admin', 'se', false)
  await ready()
  expect(requests('Site').length).toBeGreaterThan(0)
  expect(requests('Server')).toEqual([])
  expect(shown()).not.toContain('Servers')
})

test('without the module its page and visited servers are not offered', async () => {
  rememberVisit(owner.user ?? '', 'acme', { kind: 'server', title: 'one.example', href: '/server/one' })
  const { rerender } = setup('Organization Admin', 'servers', false)
  await ready()
  expect(screen.queryByText('Servers')).toBeNull()
  rerender(search(''))
  await ready()
  expect(screen.queryByText('one.example')).toBeNull()
})

test('a search starts 300 ms after the last key press', async () => {
  const { rerender } = setup('Organization Admin', 's')
  await ready()
  const sent = vi.spyOn(globalThis, 'fetch')
  vi.useFakeTimers()
  rerender(search('se'))
  await act(() => vi.advanceTimersByTimeAsync(debounceMs - 1))
  expect(shown()).toMatch(/^waiting/)
  expect(sent).not.toHaveBeenCalled()
  await act(() => vi.advanceTimersByTimeAsync(1))
  vi.useRealTimers()
  await ready()
  expect(requests('Site').map(({ body }) => termOf(body))).toContain('se')
})

test.each([
  ['arch', ['Archive se-shop…']],
  ['arch se-shop', ['Archive se-shop…']],
  ['se-shop archive', ['Archive se-shop…']],
  ['archiv', ['Archive se-shop…']],
  ['delete se-shop', ['Archive se-shop…']],
  ['remove se-shop', ['Archive se-shop…']],
  ['arch other', []],
])('%j: only actions that match all words are offered', async (text, acts) => {
  setup('Organization Admin', text)
  await ready()
  expect(screen.queryAllByRole('listitem').map((line) => line.textContent)).toEqual(acts)
  expect(shown()).toBe(acts.length > 0 ? 'ready: Actions' : 'ready: ')
})

test('every command that the text finds is offered; without a text there are a few', async () => {
  const others = ['beta', 'gamma', 'delta'].map((name) => ({ name, title: name, role: 'Organization User' as const }))
  const { rerender } = renderAs({ ...owner, organizations: others }, search('organization'))
  await ready()
  const acts = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
  // Eight tabs of settings come first.
  expect(acts()[7]).toBe('Organization settings: Activity')
  expect(acts()).toEqual(expect.arrayContaining(others.map(({ title }) => `Switch to ${title}`)))
  rerender(search(''))
  await ready()
  expect(acts()).toHaveLength(8)
})

test('what this person does most comes first, until they log out', async () => {
  const acts = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
  const { rerender } = setup('Organization Admin', '')
  rerender(search('', 'actions'))
  await ready()
  const before = acts()
  expect(before[0]).toBe('Create Site')
  expect(before).not.toContain('Archive se-shop…')
  for (const id of ['command-logout', 'command-logout', 'archive-s1', 'archive-elsewhere'])
    rememberUse(String(owner.user), 'acme', id)
  rerender(search('', 'actions'))
  expect(acts().slice(0, 3)).toEqual(['Logout', 'Archive se-shop…', 'Create Site'])
  clearVisits()
  rerender(search('', 'actions'))
  expect(acts()).toEqual(before)
})
