import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { chooseOrganization } from '#web/lib/session/organizations.ts'
import type * as SessionModule from '#web/lib/session/session.tsx'
import { OrganizationSwitched } from './organization-switched.tsx'

vi.mock('#web/lib/session/organizations.ts', () => ({ chooseOrganization: vi.fn(() => Promise.resolve()) }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<typeof SessionModule>()),
  useSession: () => ({
    organization: { name: 'acme', title: 'Acme' },
    organizations: [{ name: 'other', title: 'Other' }],
  }),
}))

const screen = testRender()

test('the question needs no code of its own to come, whose absence would count as an answer', async () => {
  act(() => screen.root.render(<OrganizationSwitched to="other" />))
  const dialog = document.querySelector('[role=alertdialog]')
  expect(dialog?.textContent).toContain('You work in Other now')
  expect(chooseOrganization).not.toHaveBeenCalled()
  const back = [...(dialog?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Back to Acme')
  await act(async () => back?.click())
  expect(chooseOrganization).toHaveBeenCalledWith('acme')
})
