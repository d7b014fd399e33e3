import { act, type ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import type { User } from '#shared/doctypes/user.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { MemoryRouter } from 'react-router'
import { signedOut } from '#web/lib/session/session.tsx'
import { RolesTab } from './roles-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const page = testRender()
const answers = vi.hoisted(() => ({ list: {} as object, doc: {} as object, method: {} as object }))
vi.mock('#web/lib/api/frappe.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useList: () => answers.list,
  useDoc: () => answers.doc,
  useMethod: () => answers.method,
}))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => ({
    ...signedOut,
    user: 'ann@acme.example',
    organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true },
  }),
}))
const user = { name: 'ann@acme.example', first_name: 'Ann', full_name: 'Ann', language: 'en' } as User
const failed = { data: undefined, error: new ApiError('Away'), isLoading: false, reload: () => Promise.resolve() }
const read = (data: unknown) => ({ ...failed, data, error: null })

const draw = async (tab: ReactNode) => {
  await act(async () => page.root.render(<MemoryRouter>{tab}</MemoryRouter>))
  return page.place.textContent
}

test('settings: each part that could not be read says so, none waits on', async () => {
  Object.assign(answers, { list: failed, doc: failed, method: failed })
  const shown = await draw(<SettingsTab user={user} />)
  for (const words of [
    'Your keys could not be read',
    'Your tokens could not be read',
    'Your external usernames could not be read',
  ])
    expect(shown).toContain(words)
  expect(page.place.querySelector('.sk')).toBeNull()
})

test('role: neither the member nor the organization is waited for in vain', async () => {
  Object.assign(answers, { list: failed, doc: read({ _owner: user.name }) })
  expect(await draw(<RolesTab user={user} />)).toContain('The role could not be read')
  Object.assign(answers, { list: read([{ name: 'r1', organization_role: 'Organization User' }]), doc: failed })
  expect(await draw(<RolesTab user={user} />)).toContain('The role could not be read')
})
