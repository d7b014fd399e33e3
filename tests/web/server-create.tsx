/** The page that creates servers, with responses of a server whose vendors have what is needed. */
import { screen } from '@testing-library/react'
import { beforeEach } from 'vitest'
import { useLocation } from 'react-router'
import { apiServer, type Call, type Reply } from './api.ts'
import { owner, renderAs } from './screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ServerCreatePage } from '#web/pages/servers/create/server-create-page.tsx'

export const api = apiServer()
export const controller = 'easydash.easydash.doctype.server.server'
const gigabyte = 1024 ** 3
export const session = { ...owner, modules: { ee: true, wpc: false } }
export const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGDXn7kWhhH3FdvxzF5mz+vM7kpOrF8YvJmJ0Rk1cL2p easydash'
export const fingerprint = 'SHA256:9fQzb77L0kEZp2aw9Mc1A'
export const custom = { hostname: 'web-1', server_category: 'development', cloud_provider: 'Custom' }

export const machine = (name: string, ram: number, price: number, reason: string | null = null) => ({
  name,
  label: name.toUpperCase(),
  architecture: 'x86',
  cpu: ram / 2,
  ram: ram * gigabyte,
  disk: 10 * ram * gigabyte,
  price_monthly: price,
  price_hourly: price / 700,
  currency: 'EUR',
  available: reason === null,
  reason,
})
export const accounts = [
  { name: 'c1', kind: 'Hetzner', label: 'Studio', is_default: 1, status: 'Connected' },
  { name: 'c2', kind: 'Hetzner', label: 'Client', is_default: 0, status: 'Connected' },
  {
    name: 'c3',
    kind: 'DigitalOcean',
    label: 'Old',
    is_default: 1,
    status: 'Failed',
    message: 'Unable to authenticate you',
  },
].map((row) => ({ checked_at: '2026-11-21 14:00:00.000000', message: null, ...row }))
export const check = (key: string, state: string, detail: string | null = null) => ({ key, label: key, state, detail })

export const calls = (name: string, verb = 'POST') =>
  api.calls.filter((call) => call.name === name && call.verb === verb)
export const inserted = () => calls('resource/Server').map(({ body }) => body)

/** Responses of a server whose vendors have what is needed here. `lists`: rows by doctype. */
export function serve(lists: Record<string, unknown[]> = {}): void {
  const rows: Record<string, unknown[]> = { Connection: accounts, ...lists }
  const list = ({ body }: Call): Reply => ({ message: rows[String(body['doctype'])] ?? [] })
  api.on('frappe.client.get_list', list)
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme', default_authorized_keys: key } }))
  api.on(`${controller}.get_cloud_provider_metadata`, () => ({
    message: {
      Hetzner: {
        countries: [
          { code: 'FI', name: 'Finland', regions: [{ regionCode: 'hel1', regionDescription: 'Helsinki' }] },
          {
            code: 'DE',
            name: 'Germany',
            regions: [
              { regionCode: 'fsn1', regionDescription: 'Falkenstein' },
              { regionCode: 'nbg1', regionDescription: 'Nuremberg' },
            ],
          },
        ],
        regions: { fsn1: { region_description: 'Falkenstein', country: 'DE' } },
        images: ['Ubuntu 24.04 LTS'],
      },
      DigitalOcean: { countries: [], regions: {}, images: [] },
      AWS: {
        countries: [
          { code: 'DE', name: 'Germany', regions: [{ regionCode: 'eu-central-1', regionDescription: 'Frankfurt' }] },
        ],
        regions: {},
        images: [],
      },
      Custom: { countries: [], regions: {}, images: [] },
    },
  }))
  api.on(`${controller}.get_machine_types`, () => ({
    message: [
      machine('cx42', 16, 16.4),
      machine('cx22', 4, 3.79),
      machine('cx12', 2, 3.2, 'Hetzner has none left.'),
      machine('cax31', 8, 20),
    ],
  }))
  api.on('easydash.api.connections.facts', () => ({
    message: { egress_ips: [], bot_name: 'bot', default_public_key: key },
  }))
  api.on('resource/Server', () => ({ data: { name: 's1', job: 'j1' } }))
}

function Where() {
  const { pathname, search, hash } = useLocation()
  return <output aria-label="Address">{pathname + search + hash}</output>
}
export const address = () => screen.getByRole('status', { name: 'Address' }).textContent

export function setup(at = '/server/create', who = session) {
  const rendered = renderAs(
    who,
    <TooltipProvider>
      <ServerCreatePage />
      <Where />
    </TooltipProvider>,
    at,
  )
  return rendered
}
export const radio = (name: RegExp | string) => screen.findByRole<HTMLInputElement>('radio', { name })
export const submit = (name: RegExp) =>
  screen.getAllByRole<HTMLButtonElement>('button', { name })[0] as HTMLButtonElement

beforeEach(() => {
  sessionStorage.clear()
  serve()
})

/** Fills in the first step for a machine at Hetzner in Falkenstein, and leads to the second one. */
export async function atHetzner() {
  const rendered = setup()
  const { user } = rendered
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Web 1')
  await user.click(await radio(/^Hetzner/))
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Account' }), 'Client')
  await user.click(await radio('Germany'))
  await user.click(await radio(/^Falkenstein/))
  await user.click(submit(/^Continue/))
  await screen.findByRole('heading', { name: 'Configurations' })
  return rendered
}
