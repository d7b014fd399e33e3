import '#tests/web/pseudo-language.ts'
import { waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import type { Organization } from '#shared/doctypes/organization.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { CloudTab } from './cloud-tab.tsx'

const api = apiServer()

test('a test result is shown in the user’s language', async () => {
  const installation = { egress_ips: [], bot_name: 'easydash-bot', default_public_key: 'ssh-ed25519 AAAA easydash' }
  api.on('easydash.api.connections.facts', () => ({ message: installation }))
  const found = {
    outcome: 'wrong_key',
    message: 'Hetzner does not accept the key (401): “no such token”.',
    message_i18n: { id: '{0} does not accept the key (401): “{1}”.', values: ['Hetzner', 'no such token'] },
    advice: 'Make a new one.',
    advice_i18n: { id: 'Make a new one.' },
    checked_at: '2026-01-01 00:00:00',
  }
  const connections = [{ name: 'h1', kind: 'Hetzner', label: 'Hetzner', ...found }]
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Connection' ? connections : [] }))
  const organization = { name: 'acme', title: 'Acme' } as unknown as Organization
  const { container } = renderAs(
    owner,
    <TooltipProvider>
      <CloudTab organization={organization} wpc={false} />
    </TooltipProvider>,
  )
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(container.textContent).not.toContain('accept the key')
  expect(container.textContent).toMatch(/\[Hetzner đóéš ñóŧ áççéƥŧ .*“no such token”.*\[Ṁáķé á ñéŵ óñé\./)
  expect(container.querySelector('[lang=en]')).toBeNull()
})
