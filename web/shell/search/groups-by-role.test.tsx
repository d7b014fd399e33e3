import { act } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { debounceMs } from '#web/lib/api/debounce.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut, type OrganizationRole } from '#web/lib/session/session.tsx'
import { routes } from '#web/routes.tsx'
import { ScreensProvider } from '../frame/screens.tsx'
import { useGroups } from './use-groups.tsx'

const page = testRender()
const now = vi.hoisted(() => ({ session: null as unknown }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => now.session,
}))
/** Search requests by group; null requests nothing. */
const asked = vi.hoisted(() => ({ sites: [] as unknown[], servers: [] as unknown[], users: [] as unknown[] }))
vi.mock('./use-rows.ts', async (original) => {
  const source = (group: keyof typeof asked, row: object) => (term: string | null) => {
    asked[group].push(term)
    const words = Object.values(row).join(' ')
    return { rows: term !== null && words.includes(term) ? [row] : [], loading: false }
  }
  return {
    ...(await original<Record<string, unknown>>()),
    useSites: source('sites', { name: 's1', domain: 'se-shop', status: 'Live', site_type: 'html' }),
    useServers: source('servers', { name: 'v1', hostname: 'se-one', status: 'Healthy' }),
    useUsers: source('users', { name: 'sena@acme.example', full_name: 'Sena', user_image: null }),
  }
})

beforeEach(() => {
  vi.useFakeTimers()
  for (const terms of Object.values(asked)) terms.length = 0
})
afterEach(() => vi.useRealTimers())

const doing = { openAdmin: () => undefined, start: () => undefined }
function Groups({ text }: { text: string }) {
  const { groups, state } = useGroups(text, 'places', doing)
  const acts = groups.find(({ key }) => key === 'actions')?.options ?? []
  return (
    <>
      <output>{`${state}: ${groups.map(({ label }) => label).join(' ')}`}</output>
      <ul>
        {acts.map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
    </>
  )
}
const shown = () => page.place.querySelector('output')?.textContent

function draw(role: OrganizationRole, text: string, ee = true): void {
  now.session = {
    ...signedOut,
    user: 'ann@acme.example',
    verified: true,
    modules: { ee, wpc: false },
    organization: { name: 'acme', title: 'Acme', role, owner: false },
  }
  act(() =>
    page.root.render(
      <MemoryRouter>
        <ScreensProvider routes={routes}>
          <Groups text={text} />
        </ScreensProvider>
      </MemoryRouter>,
    ),
  )
}

test.each([
  ['Organization Admin', 'Sites Servers Users Pages'],
  ['Organization Manager', 'Sites Servers Users Pages'],
  ['Organization User', 'Sites Servers Pages'],
] as const)('%s finds %s', (role, groups) => {
  draw(role, 'se')
  expect(shown()?.replace(' Actions', '')).toBe(`ready: ${groups}`)
  if (role === 'Organization User') expect(asked.users.every((term) => term === null)).toBe(true)
})

test('without the module nobody asks for servers', () => {
  draw('Organization Admin', 'se', false)
  expect(asked.servers.every((term) => term === null)).toBe(true)
  expect(shown()).not.toContain('Servers')
})

test('what is typed is looked up after 300 ms of rest', () => {
  draw('Organization Admin', 's')
  for (const terms of Object.values(asked)) terms.length = 0
  draw('Organization Admin', 'se')
  act(() => void vi.advanceTimersByTime(debounceMs - 1))
  expect(shown()).toMatch(/^waiting/)
  expect(asked.sites).not.toContain('se')
  act(() => void vi.advanceTimersByTime(1))
  expect(shown()).toMatch(/^ready/)
  expect(asked.sites).toContain('se')
})

test.each([
  ['delete', ['Delete site · se-shop…']],
  ['delete se-shop', ['Delete site · se-shop…']],
  ['site delete', ['Delete site · se-shop…']],
  ['delete site', ['Delete site · se-shop…']],
  ['delete other', []],
])('%j: the action by its words, and nothing else', (text, acts) => {
  draw('Organization Admin', text)
  expect([...page.place.querySelectorAll('li')].map((line) => line.textContent)).toEqual(acts)
  expect(shown()).toBe(acts.length > 0 ? 'ready: Actions' : 'ready: ')
})
