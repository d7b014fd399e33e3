import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { OrganizationList } from './organization-list.tsx'

const acme = { name: 'acme', title: 'Acme Studio', role: 'Organization Admin' } as const
const globex = { name: 'globex', title: 'Globex', role: 'Organization User' } as const
const api = apiServer()
const switchOrganization = 'easydash.easydash.doctype.user_meta.user_meta.switch_organization'
const assign = vi.fn<(to: string) => void>()
let user: Rendered['user']

function Toasts() {
  return useToasts().history.map(({ id, title, variant }) => <i key={id}>{`${variant}: ${title}`}</i>)
}

beforeEach(() => {
  clearToasts()
  assign.mockReset()
  vi.spyOn(location, 'assign').mockImplementation((to) => assign(String(to)))
  const session = { ...owner, organization: { ...acme, owner: true }, organizations: [acme, globex] }
  user = renderAs(
    session,
    <>
      <OrganizationList onDone={() => undefined} />
      <Toasts />
    </>,
  ).user
})
afterEach(() => vi.restoreAllMocks())

const serve = (reply: Reply) => api.on(switchOrganization, () => reply)
const box = () => screen.getByPlaceholderText('Search organization')
const options = () => screen.getAllByRole('option').map((one) => one.textContent)
const choose = (title: RegExp) => user.click(screen.getByRole('option', { name: title }))

test('is searched by title and slug, in the specified words', async () => {
  await user.type(box(), ' GLOB ')
  expect(options()).toEqual([expect.stringContaining('Globex')])
  await user.clear(box())
  await user.type(box(), 'nothing such')
  expect(screen.getByText('Organization not found.')).toBeTruthy()
  expect(screen.getByRole('link').textContent).toBe('Create organization')
  expect(screen.getByRole('link').getAttribute('href')).toBe('/organization/create')
})

test('selecting the current organization does nothing', async () => {
  serve({ message: null })
  await choose(/Acme Studio/)
  expect(await screen.findByText('info: Already In The Selected Organization')).toBeTruthy()
  expect(api.calls).toEqual([])
})

test('switching organizations reloads everything', async () => {
  serve({ message: null })
  await choose(/Globex/)
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/web/'))
  expect(api.calls).toMatchObject([{ name: switchOrganization, body: { organization: 'globex' } }])
})

test('a failure is reported, and nothing is reloaded', async () => {
  serve({ status: 403, body: { exception: 'frappe.exceptions.PermissionError: You left it' } })
  await choose(/Globex/)
  expect(await screen.findByText('danger: Error Switching Organization')).toBeTruthy()
  expect(assign).not.toHaveBeenCalled()
})
