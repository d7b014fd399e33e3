import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MemoryRouter } from 'react-router'
import type * as SessionModule from '#web/lib/session/session.tsx'
import { signedOut, type Session } from '#web/lib/session/session.tsx'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { OrganizationList } from './organization-list.tsx'

const { useSession } = vi.hoisted(() => ({ useSession: vi.fn<() => Session>() }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<typeof SessionModule>()),
  useSession,
}))

const acme = { name: 'acme', title: 'Acme Studio', role: 'Organization Admin' } as const
const globex = { name: 'globex', title: 'Globex', role: 'Organization User' } as const
let root: Root
let place: HTMLElement
let asked: string[]
const assign = vi.fn<(to: string) => void>()

function Toasts() {
  return useToasts().history.map(({ id, title, variant }) => <i key={id}>{`${variant}: ${title}`}</i>)
}

beforeEach(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  clearToasts()
  asked = []
  assign.mockReset()
  vi.spyOn(location, 'assign').mockImplementation((to) => assign(String(to)))
  useSession.mockReturnValue({ ...signedOut, organization: { ...acme, owner: true }, organizations: [acme, globex] })
  place = document.createElement('div')
  document.body.append(place)
  root = createRoot(place)
  await act(async () =>
    root.render(
      <MemoryRouter>
        <OrganizationList onDone={() => undefined} />
        <Toasts />
      </MemoryRouter>,
    ),
  )
})
afterEach(() => {
  act(() => root.unmount())
  place.remove()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

function serve(status: number, body: unknown): void {
  vi.stubGlobal('fetch', async (path: string, { body: sent }: { body: string }) => {
    asked.push(`${path.split('.').at(-1)} ${sent}`)
    return Response.json(body, { status })
  })
}

function option(title: string): HTMLElement {
  const found = [...place.querySelectorAll<HTMLElement>('[role=option]')].find((one) => one.textContent.includes(title))
  if (!found) throw new Error(`No option ${title}`)
  return found
}

async function type(text: string): Promise<void> {
  const box = place.querySelector('input')
  if (!box) throw new Error('No box')
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(box, text)
    box.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

test('is searched by title and slug, in the fixed words', async () => {
  expect(place.querySelector('input')?.placeholder).toBe('Search organization')
  await type(' GLOB ')
  expect([...place.querySelectorAll('[role=option]')].map((one) => one.textContent)).toEqual([
    expect.stringContaining('Globex'),
  ])
  await type('nothing such')
  expect(place.textContent).toContain('Organization not found.')
  expect(place.querySelector('a')?.textContent).toBe('Create organization')
  expect(place.querySelector('a')?.getAttribute('href')).toBe('/organization/create')
})

test('the one that is open already is not switched to', async () => {
  serve(200, { message: null })
  await act(async () => option('Acme Studio').click())
  expect(asked).toEqual([])
  expect(place.textContent).toContain('info: Already In The Selected Organization')
})

test('another one is switched to, and everything is loaded anew', async () => {
  serve(200, { message: null })
  await act(async () => option('Globex').click())
  expect(asked).toEqual(['switch_organization {"organization":"globex"}'])
  expect(assign).toHaveBeenCalledWith('/web/')
})

test('a failure is told, and nothing is loaded anew', async () => {
  serve(403, { exception: 'frappe.exceptions.PermissionError: You left it' })
  await act(async () => option('Globex').click())
  expect(place.textContent).toContain('danger: Error Switching Organization')
  expect(assign).not.toHaveBeenCalled()
})
