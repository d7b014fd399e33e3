import { act, type ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { InstallationFacts } from '#shared/responses/installation.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { ApiError } from '#web/lib/api/api-error.ts'
import { testRender } from '#web/lib/browser/test-render.ts'
import { pseudoTranslator } from '#web/lib/i18n/pseudo-language.ts'
import { MemoryRouter } from 'react-router'
import { signedOut } from '#web/lib/session/session.tsx'
import { sentenceTranslator, type SentenceTranslator } from '#web/lib/i18n/translate-sentence.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { CloudTab } from './cloud-tab.tsx'
import { GithubTab } from './connection-tabs.tsx'
import { SshTab } from './ssh-tab.tsx'

const page = testRender()
const known = vi.hoisted(() => ({
  facts: undefined as unknown,
  error: null as unknown,
  translate: null as SentenceTranslator | null,
}))
vi.mock('#web/lib/i18n/translation.ts', () => ({
  translator: null,
  get translateSentence() {
    return known.translate
  },
}))
vi.mock('./facts.ts', () => ({ useInstallationFacts: () => ({ data: known.facts, error: known.error }) }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useSession: () => ({
    ...signedOut,
    user: 'ada@acme.example',
    organization: { name: 'acme', title: 'Acme', role: 'Organization Admin', owner: true },
  }),
}))
vi.mock('#web/lib/api/frappe.tsx', async (original) => ({
  ...(await original<Record<string, unknown>>()),
  useList: () => ({ data: [] }),
  useDoc: () => ({ data: undefined, reload: () => Promise.resolve() }),
}))

const facts: InstallationFacts = {
  egress_ips: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  bot_name: 'easydash-bot',
  default_public_key: 'ssh-ed25519 AAAA easydash',
}
const organization = { name: 'acme', title: 'Acme', connections: {} } as unknown as Organization
const draw = (tab: ReactNode) =>
  act(async () =>
    page.root.render(
      <MemoryRouter>
        <TooltipProvider>{tab}</TooltipProvider>
      </MemoryRouter>,
    ),
  )
const card = (name: string) => page.place.querySelector(`[aria-label="${name}"]`)

beforeEach(() => {
  known.facts = facts
  known.error = null
  known.translate = null
})

test('each cloud leads to where its keys and their permissions are described', async () => {
  await draw(<CloudTab organization={organization} wpc={false} />)
  const links = ['Hetzner', 'DigitalOcean', 'AWS'].map((name) => card(name)?.querySelector('a')?.getAttribute('href'))
  expect(links).toEqual([
    expect.stringMatching(/^https:\/\/docs\.hetzner\.com\//),
    expect.stringMatching(/^https:\/\/docs\.digitalocean\.com\//),
    expect.stringMatching(/^https:\/\/docs\.aws\.amazon\.com\//),
  ])
})

test('a key that is refused leads there, too; one that works does not', async () => {
  const check = (outcome: 'ok' | 'wrong_scope') => ({
    set_at: null,
    check: {
      outcome,
      message: '',
      advice: null,
      status: 200,
      took_ms: 1,
      checked_at: '2026-01-01 00:00:00',
      stored: true,
    },
  })
  const connections = { hetzner: check('wrong_scope'), digitalocean: check('ok') }
  const connected = {
    ...organization,
    hcloud_token: '*****',
    do_token: '*****',
    connections,
  } as unknown as Organization
  await draw(<CloudTab organization={connected} wpc={false} />)
  expect(card('Hetzner')?.querySelector('a')?.getAttribute('href')).toMatch(/^https:\/\/docs\.hetzner\.com\//)
  expect(card('DigitalOcean')?.querySelector('a')).toBeNull()
})

test('what a test found is said in the language of the reader; one of old, without parts, in English', async () => {
  const key = 'Hetzner does not accept the key (401): “no such token”.'
  const found = {
    outcome: 'wrong_key',
    message: key,
    message_parts: { template: '{0} does not accept the key (401): “{1}”.', values: ['Hetzner', 'no such token'] },
    advice: 'Make a new one.',
    advice_parts: { template: 'Make a new one.' },
    status: 401,
    took_ms: 1,
    checked_at: '2026-01-01 00:00:00',
    stored: true,
  }
  const old = { ...found, outcome: 'ok', message: 'The token works.', message_parts: undefined, advice: null }
  const connected = {
    ...organization,
    hcloud_token: '*****',
    do_token: '*****',
    connections: { hetzner: { set_at: null, check: found }, digitalocean: { set_at: null, check: old } },
  } as unknown as Organization
  const said = (name: string) => [...(card(name)?.querySelectorAll('[lang=en]') ?? [])].map((one) => one.textContent)
  await draw(<CloudTab organization={connected} wpc={false} />)
  expect(said('Hetzner')).toEqual([key, 'Make a new one.'])
  known.translate = sentenceTranslator(pseudoTranslator, 'en-XA')
  await draw(<CloudTab organization={{ ...connected }} wpc={false} />)
  expect(said('Hetzner')).toEqual([])
  expect(page.place.textContent).not.toContain('accept the key')
  expect(card('Hetzner')?.textContent).toMatch(/\[Hetzner đóéš ñóŧ áççéƥŧ .*“no such token”.*\[Ṁáķé á ñéŵ óñé\./)
  expect(said('DigitalOcean')).toEqual(['The token works.'])
})

test('the addresses to allow, the bot account and the default key are said', async () => {
  await draw(<CloudTab organization={organization} wpc={false} />)
  for (const address of facts.egress_ips) expect(page.place.textContent).toContain(address)
  await draw(<GithubTab organization={organization} />)
  expect(page.place.textContent).toContain('easydash-bot')
  await draw(<SshTab organization={organization} />)
  expect(page.place.textContent).toContain('ssh-ed25519 AAAA easydash')
})

test('an operator who named no addresses and no key is said, and left out', async () => {
  known.facts = { ...facts, egress_ips: [], default_public_key: null }
  await draw(<CloudTab organization={organization} wpc={false} />)
  expect(page.place.textContent).toContain('EASYDASH_EGRESS_IPS')
  await draw(<SshTab organization={organization} />)
  expect(page.place.textContent).not.toContain('ssh-ed25519 AAAA')
})

test('addresses that could not be read are said, not waited for', async () => {
  known.facts = undefined
  known.error = new ApiError('Away')
  await draw(<CloudTab organization={organization} wpc={false} />)
  expect(page.place.textContent).toContain('The addresses could not be read')
})
