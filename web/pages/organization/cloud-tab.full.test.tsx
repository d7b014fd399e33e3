import { waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, test } from 'vitest'
import type { InstallationInfo } from '#shared/responses/installation.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { CloudTab } from './cloud-tab.tsx'
import { GithubTab, SlackTab } from './connection-tabs.tsx'
import { SshTab } from './ssh-tab.tsx'

const api = apiServer()
const installation: InstallationInfo = {
  egress_ips: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  bot_name: 'easydash-bot',
  default_public_key: 'ssh-ed25519 AAAA easydash',
}
const organization = { name: 'acme', title: 'Acme' } as unknown as Organization
const serve = (values: InstallationInfo) => api.on('easydash.api.connections.facts', () => ({ message: values }))
let connections: Record<string, unknown>[]
/** Renders a tab; resolves when all its requests are completed. */
async function setup(tab: ReactNode): Promise<HTMLElement> {
  const { container } = renderAs(owner, <TooltipProvider>{tab}</TooltipProvider>)
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  return container
}
let shown: HTMLElement
const card = (name: string) => shown.querySelector(`section[aria-label="${name}"]`)

beforeEach(() => {
  connections = []
  serve(installation)
  api.on('frappe.client.get_list', ({ body }) => ({ message: body['doctype'] === 'Connection' ? connections : [] }))
  api.on('resource/Organization/acme', () => ({ data: organization }))
})

test('each cloud links to its documentation of keys and permissions', async () => {
  shown = await setup(<CloudTab organization={organization} wpc={false} />)
  const links = ['Hetzner', 'DigitalOcean', 'AWS'].map((name) => card(name)?.querySelector('a')?.getAttribute('href'))
  expect(links).toEqual([
    expect.stringMatching(/^https:\/\/docs\.hetzner\.com\//),
    expect.stringMatching(/^https:\/\/docs\.digitalocean\.com\//),
    expect.stringMatching(/^https:\/\/docs\.aws\.amazon\.com\//),
  ])
})

test('a rejected key links there, too; a working one does not', async () => {
  const of = (kind: string, outcome: string) => ({ name: kind, kind, label: kind, outcome, message: 'Seen.' })
  connections = [of('Hetzner', 'wrong_scope'), of('DigitalOcean', 'ok')]
  shown = await setup(<CloudTab organization={organization} wpc={false} />)
  expect(card('Hetzner')?.querySelector('a')?.getAttribute('href')).toMatch(/^https:\/\/docs\.hetzner\.com\//)
  expect(card('DigitalOcean')?.querySelector('a')).toBeNull()
})

test('a test result available only in English is marked as English', async () => {
  const message = 'Hetzner does not accept the key (401): “no such token”.'
  const message_i18n = { id: '{0} does not accept the key (401): “{1}”.', values: ['Hetzner', 'no such token'] }
  const advice = 'Make a new one.'
  const found = { outcome: 'wrong_key', message, message_i18n, advice, advice_i18n: { id: advice } }
  connections = [{ name: 'h1', kind: 'Hetzner', label: 'Main', ...found }]
  shown = await setup(<CloudTab organization={organization} wpc={false} />)
  const marked = [...(card('Hetzner')?.querySelectorAll('[lang=en]') ?? [])].map((one) => one.textContent)
  expect(marked).toEqual([message, advice])
})

test('Slack notifications can be chosen once messages can be posted', async () => {
  const boxes = () => shown.querySelectorAll('input[type=checkbox]').length
  for (const [values, expected] of [
    [{ slack_token: '*****' }, 0],
    [{ slack_token: '*****', slack_channel: '#ops' }, 4],
    [{ slack_webhook_url: '*****' }, 4],
  ] as const) {
    shown = await setup(<SlackTab organization={{ ...organization, ...values }} />)
    expect(boxes()).toBe(expected)
  }
})

test('the IP addresses to allow, the bot account and the default key are shown', async () => {
  shown = await setup(<CloudTab organization={organization} wpc={false} />)
  for (const address of installation.egress_ips) expect(shown.textContent).toContain(address)
  shown = await setup(<GithubTab organization={organization} />)
  expect(shown.textContent).toContain('easydash-bot')
  shown = await setup(<SshTab organization={organization} />)
  expect(shown.textContent).toContain('ssh-ed25519 AAAA easydash')
})

test('an installation that names no addresses shows no card for them', async () => {
  serve({ ...installation, egress_ips: [] })
  shown = await setup(<CloudTab organization={organization} wpc={false} />)
  expect(shown.textContent).not.toMatch(/Addresses to allow|EASYDASH_EGRESS_IPS/)
})

test('addresses and connections that failed to load are reported', async () => {
  api.on('easydash.api.connections.facts', () => ({ status: 403, body: { exception: 'Away' } }))
  api.on('frappe.client.get_list', () => ({ status: 403, body: { exception: 'Away' } }))
  shown = await setup(<CloudTab organization={organization} wpc={false} />)
  expect(shown.textContent).toContain('The addresses could not be read')
  expect(shown.textContent).toContain('The connections did not load')
})
