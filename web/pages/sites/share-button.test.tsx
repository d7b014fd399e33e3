import { act, screen, waitForElementToBeRemoved } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { member, renderAs } from '#tests/web/screen.tsx'
import { setOfflineSince } from '#web/lib/api/offline.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ShareButton } from './share-button.tsx'

const api = apiServer()
beforeEach(() => {
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('run_doc_method', () => ({ message: [] }))
})
afterEach(() => act(() => setOfflineSince(null)))

function setup(share: 0 | 1) {
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share } } }))
  return renderAs(
    member,
    <TooltipProvider>
      <ShareButton site={{ name: 's1', domain: 'blog', owner: 'ann@acme.example', status: 'Live' } as Site} />
    </TooltipProvider>,
  )
}
const button = () => screen.findByRole('button', { name: 'Share' })

test('users who cannot share have no button', async () => {
  setup(0)
  // Until the share is known, the server decides.
  await waitForElementToBeRemoved(() => screen.queryByRole('button'))
})

test('while sharing is unavailable the button is inert, and an open dialog stays open', async () => {
  const { user } = setup(1)
  await button()
  act(() => setOfflineSince(1))
  expect((await button()).getAttribute('aria-disabled')).toBe('true')
  await user.click(await button())
  expect(screen.queryByRole('dialog')).toBeNull()
  act(() => setOfflineSince(null))
  await user.click(await button())
  expect(await screen.findByRole('dialog')).toBeTruthy()
  act(() => setOfflineSince(1))
  expect(screen.getByRole('dialog')).toBeTruthy()
})
