import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { platformMethod } from './methods.ts'
import { OrganizationDrawer } from './organization-drawer.tsx'

const api = apiServer()

const organization: PlatformOrganization = {
  name: 'acme',
  title: 'Acme',
  creation: '2026-01-01 00:00:00',
  owner: 'ann@acme.example',
  members: 2,
  plan: 'Free',
  enabled: 1,
  usage: { site: 1, server: 1 },
  limits: { site: 3, server: 1 },
  overrides: { site: null, server: null },
  site_quotas: { disk_mb: null, files: null, log_mb: null, outbox_mb: null },
  modules: { ee: true, wpc: false },
  local_engine: 0,
  vip: 0,
  customer_url: 'https://payments.example/customers/cus_1',
}

test('both modules of an organization have a switch', async () => {
  api.on('resource/Platform%20Settings/platform', () => ({ data: { name: 'platform', plans_enabled: 0 } }))
  renderAs(
    { ...owner, platformAdmin: true },
    <TooltipProvider>
      <OrganizationDrawer
        name="acme"
        shown={{ ...organization, modules: { ee: true, wpc: false } }}
        onClose={() => undefined}
        onChanged={() => Promise.resolve()}
      />
    </TooltipProvider>,
  )
  expect(await screen.findByRole('switch', { name: 'Servers' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Customer at the payment provider' }).getAttribute('href')).toBe(
    organization.customer_url,
  )
  expect(screen.getByRole('switch', { name: 'WP Cloud', checked: false })).toBeTruthy()
})

test('a changed plan is saved once per click, and the button is busy meanwhile', async () => {
  const onChanged = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const reply = Promise.withResolvers<Reply>()
  api.on('resource/Platform%20Settings/platform', () => ({ data: { name: 'platform', plans_enabled: 1 } }))
  api.on(platformMethod('set_plan'), () => reply.promise)
  const { user } = renderAs(
    { ...owner, platformAdmin: true },
    <TooltipProvider>
      <OrganizationDrawer name="acme" shown={organization} onClose={() => undefined} onChanged={onChanged} />
    </TooltipProvider>,
  )
  const plan = within(await screen.findByRole('region', { name: 'Plan' }))
  const select = plan.getByRole<HTMLSelectElement>('combobox')
  const button = plan.getByRole<HTMLButtonElement>('button', { name: 'Set plan' })
  expect(select.value).toBe('Free')
  expect(button.disabled).toBe(true)
  await user.selectOptions(select, 'Pro')
  expect(button.disabled).toBe(false)
  fireEvent.submit(select)
  fireEvent.submit(select)
  const sets = () => api.calls.filter(({ name }) => name === platformMethod('set_plan')).map(({ body }) => body)
  await waitFor(() => expect(sets()).toEqual([{ organization: 'acme', plan: 'Pro' }]))
  expect(button.getAttribute('aria-busy')).toBe('true')
  reply.resolve({ message: null })
  await waitFor(() => expect(button.getAttribute('aria-busy')).toBeNull())
  expect(onChanged).toHaveBeenCalledOnce()
  expect(select.value).toBe('Pro')
})

test('the VIP template is given and taken', async () => {
  api.on('resource/Platform%20Settings/platform', () => ({ data: { name: 'platform', plans_enabled: 0 } }))
  api.on(platformMethod('set_vip'), () => ({ message: { organization: 'acme', enabled: 1 } }))
  const { user } = renderAs(
    { ...owner, platformAdmin: true },
    <TooltipProvider>
      <OrganizationDrawer
        name="acme"
        shown={organization}
        onClose={() => undefined}
        onChanged={() => Promise.resolve()}
      />
    </TooltipProvider>,
  )
  await user.click(await screen.findByRole('switch', { name: 'VIP template' }))
  const sets = () => api.calls.filter(({ name }) => name === platformMethod('set_vip')).map(({ body }) => body)
  await waitFor(() => expect(sets()).toEqual([{ organization: 'acme', enabled: 1 }]))
})
