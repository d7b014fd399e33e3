import { act } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import type * as Data from '#web/lib/api/frappe.tsx'
import { eventually, testRender } from '#web/lib/browser/test-render.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { OrganizationDrawer } from './organization-drawer.tsx'

const page = testRender()
vi.mock('./platform-settings.ts', () => ({ usePlansEnabled: () => true }))
vi.mock('#web/lib/api/frappe.tsx', async (original) => ({
  ...(await original<typeof Data>()),
  useMethod: () => ({ data: undefined, error: null, reload: () => Promise.resolve() }),
}))

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
}

const sent: unknown[] = []
let answer: PromiseWithResolvers<Response>
beforeEach(() => {
  sent.length = 0
  answer = Promise.withResolvers()
  vi.stubGlobal('fetch', (_url: string, options: { body: string }) => {
    sent.push(JSON.parse(options.body))
    return answer.promise
  })
})

function plan(): { select: HTMLSelectElement; button: HTMLButtonElement; form: HTMLFormElement } {
  const form = document.querySelector<HTMLFormElement>('[aria-label=Plan] form')
  const select = form?.querySelector('select')
  const button = form?.querySelector<HTMLButtonElement>('button[type=submit]')
  if (!form || !select || !button) throw new Error('no form')
  return { form, select, button }
}

test('a plan that differs is set once per press, and the button is busy meanwhile', async () => {
  const onChanged = vi.fn<() => Promise<void>>(() => Promise.resolve())
  await act(async () =>
    page.root.render(
      <TooltipProvider>
        <OrganizationDrawer name="acme" shown={organization} onClose={() => undefined} onChanged={onChanged} />
      </TooltipProvider>,
    ),
  )
  await eventually(() => expect(plan().select.value).toBe('Free'))
  expect(plan().button.disabled).toBe(true)
  act(() => {
    plan().select.value = 'Pro'
    plan().select.dispatchEvent(new Event('change', { bubbles: true }))
  })
  expect(plan().button.disabled).toBe(false)
  act(() => {
    plan().form.requestSubmit()
    plan().form.requestSubmit()
  })
  await eventually(() => expect(sent).toEqual([{ organization: 'acme', plan: 'Pro' }]))
  expect(plan().button.getAttribute('aria-busy')).toBe('true')
  await act(async () => answer.resolve(Response.json({ message: null })))
  await eventually(() => expect(plan().button.getAttribute('aria-busy')).toBeNull())
  expect(onChanged).toHaveBeenCalledOnce()
  expect(plan().select.value).toBe('Pro')
})
