import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { LoginLinksCard } from './login-links-card.tsx'

const api = apiServer()
afterEach(() => {
  vi.restoreAllMocks()
})

const link = {
  organization: 'acme',
  title: 'Acme',
  host: 'login.example',
  linked: '2026-01-01 10:00:00.000000',
  last_used: null,
}

const card = (onUnlinked: () => void) => (
  <TooltipProvider>
    <LoginLinksCard onUnlinked={onUnlinked} />
  </TooltipProvider>
)

test.each([
  ['another session stays on the page', false],
  ['the session that began through it ends at the login page', true],
])('unlinking says what it ends, and asks: %s', async (_what, logged_out) => {
  const rows = [[link], []]
  api.on('easydash.api.login_provider.links', () => ({ message: rows.shift() ?? [] }))
  api.on('easydash.api.login_provider.unlink', () => ({ message: { logged_out } }))
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  const onUnlinked = vi.fn<() => void>()
  const { user } = renderAs(owner, card(onUnlinked))
  await user.click(await screen.findByRole('button', { name: 'Unlink login.example…' }))
  expect(screen.getByRole('alertdialog').textContent).toContain('Your sessions that began through the provider end.')
  await user.click(screen.getByRole('button', { name: 'Unlink' }))
  await waitFor(() => expect(assign.mock.calls).toEqual(logged_out ? [['/web/login']] : []))
  if (logged_out) return
  await waitFor(() => expect(screen.queryByText('login.example')).toBeNull())
  expect(onUnlinked).toHaveBeenCalledOnce()
})

test('without a provider there is no card', async () => {
  api.on('easydash.api.login_provider.links', () => ({ message: [] }))
  const { container } = renderAs(
    owner,
    card(() => undefined),
  )
  await waitFor(() => expect(api.calls).toHaveLength(1))
  expect(container.textContent).toBe('')
})
