import { createElement } from 'react'
import type { Organization } from '#shared/doctypes/organization.ts'
import { connectionFields, type ConnectionCheck, type ConnectionName } from '#shared/doctypes/connections.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import type { Tone } from '#web/ui/status.tsx'
import { tConnection } from './connection-messages.ts'

/** The cloud providers, in card order. */
export const cloudConnections = ['hetzner', 'digitalocean', 'aws', 'wpc'] as const

/** A provider's label in a server's `cloud_provider`. */
export const providerLabels: Partial<Record<ConnectionName, string>> = {
  hetzner: 'Hetzner',
  digitalocean: 'DigitalOcean',
  aws: 'AWS',
}

/** Fields of a connection's card in order, including those its test doesn't use. */
export const cardFields: Readonly<Record<ConnectionName, readonly string[]>> = {
  ...connectionFields,
  wpc: ['wpc_client_id', 'wpc_api_key'],
  bucket: ['bucket_name', 'bucket_region', 'bucket_endpoint', 'bucket_access_key', 'bucket_secret_key'],
  github: ['bot_github_token', 'bot_github_org_name', 'bot_github_teams', 'bot_github_name', 'bot_github_email'],
  slack: ['slack_token', 'slack_channel'],
}

/** State of a connection: no credentials, not tested, or the result of its last test. */
export type ConnectionState = 'none' | 'untested' | ConnectionCheck['outcome']

const secretsOf = (name: ConnectionName) => connectionFields[name].filter((field) => /token|key/.test(field))

/** Returns the state of a connection. */
export function stateOf(organization: Organization, name: ConnectionName): ConnectionState {
  const set = secretsOf(name).some((field) => Boolean(organization[field]))
  if (!set) return 'none'
  return organization.connections?.[name]?.check?.outcome ?? 'untested'
}

/** Tone of each state: temporary problems are warnings, those that need a change are bad. */
export const stateTones: Readonly<Record<ConnectionState, Tone>> = {
  none: 'off',
  untested: 'none',
  ok: 'ok',
  wrong_key: 'bad',
  wrong_scope: 'bad',
  unexpected: 'bad',
  unreachable: 'warn',
  rate_limited: 'warn',
  missing: 'warn',
}

const nameOf = (name: ConnectionName) => tConnection(`name.${name}`)
const listed = (names: readonly ConnectionName[]) => names.map(nameOf).join(', ')

/** Summary cards of some connections. `servers`: number of their servers, null while loading. */
export function connectionSummary(
  organization: Organization,
  names: readonly ConnectionName[],
  servers: number | null,
): SummaryCard[] {
  const states = names.map((name) => ({ name, state: stateOf(organization, name) }))
  const connected = states.filter(({ state }) => state !== 'none').map(({ name }) => name)
  const broken = states.find(({ state }) => stateTones[state] === 'bad')
  const withWarning = states.find(({ state }) => stateTones[state] === 'warn')
  const untested = states.filter(({ state }) => state === 'untested').map(({ name }) => name)
  const missing = states.filter(({ state }) => state === 'none').map(({ name }) => name)
  const newest = connected
    .flatMap((name) => organization.connections?.[name]?.check?.checked_at ?? [])
    .toSorted()
    .at(-1)
  const problem = broken ?? withWarning
  const check = problem && organization.connections?.[problem.name]?.check
  const detail = problem
    ? check && createElement(LocalizedText, { text: check.message, i18n: check.message_i18n })
    : newest && { value: newest, format: (when: string) => tConnection('a.last', { when }) }
  return [
    {
      label: tConnection('q.connected'),
      value: connected.length > 0 ? listed(connected) : tConnection('a.nothing'),
      ...(servers ? { detail: tConnection('a.servers', { count: servers }) } : {}),
    },
    {
      label: tConnection('q.working'),
      ...(problem
        ? {
            value: tConnection(['wrong_key'].includes(problem.state) ? 'a.rejected' : 'a.broken', {
              name: nameOf(problem.name),
            }),
            tone: stateTones[problem.state],
          }
        : connected.length === 0
          ? { value: tConnection('a.nothing_to_test') }
          : untested.length > 0
            ? { value: tConnection('a.untested', { names: listed(untested) }), tone: 'none' as const }
            : { value: tConnection('a.all_tested', { count: connected.length }), tone: 'ok' as const }),
      ...(detail ? { detail } : {}),
    },
    {
      label: tConnection('q.missing'),
      value: missing.length === 0 ? tConnection('a.complete') : tConnection('a.missing', { count: missing.length }),
      ...(missing.length > 0 ? { detail: listed(missing) } : {}),
    },
  ]
}

/** Whether a tab's connections have a problem, to mark its name. */
export function hasConnectionProblem(organization: Organization, names: readonly ConnectionName[]): boolean {
  return names.some((name) => stateTones[stateOf(organization, name)] === 'bad')
}
