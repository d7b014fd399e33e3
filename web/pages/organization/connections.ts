import { createElement } from 'react'
import {
  connectionFields,
  connectionKinds,
  connectionNameOf,
  type ConnectionCheck,
  type ConnectionName,
} from '#shared/doctypes/connections.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { docKey, listKey } from '#web/lib/api/data-keys.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import type { Tone } from '#web/ui/status.tsx'
import { tConnection } from './connection-messages.ts'

/** The cloud providers, in card order. */
export const cloudConnections = ['hetzner', 'digitalocean', 'aws', 'wpc'] as const

/** Fields of a connection's form in order. */
export const formFields: Readonly<Record<ConnectionName, readonly string[]>> = {
  ...connectionFields,
  wpc: ['wpc_client_id', 'wpc_api_key'],
  github: [...connectionFields.github, 'github_webhook_secret'],
  bucket: [...connectionFields.bucket, 'bucket_price', 'bucket_price_currency'],
}

/** Fields that its test does not use. */
const untestedFields: readonly string[] = [
  'bot_github_name',
  'bot_github_email',
  'github_webhook_secret',
  'slack_channel',
  'bucket_price',
  'bucket_price_currency',
]

/** Fields whose values a test needs to be about. */
export const testedFields = (name: ConnectionName) =>
  formFields[name].filter((field) => !untestedFields.includes(field))

/** Connections of the current organization, oldest first, live. `keys`: the user can see them. */
export function useConnections(keys = true) {
  return useList(keys ? 'Connection' : null, {
    fields: [
      ...(['name', 'kind', 'label', 'is_default', 'outcome', 'checked_at', 'orphans'] as const),
      ...(['message', 'message_i18n', 'advice', 'advice_i18n'] as const),
    ],
    order_by: 'creation asc',
    limit: 0,
  })
}

/** A connection as lists have it: without its credentials. */
export type ListedConnection = NonNullable<ReturnType<typeof useConnections>['data']>[number]

/** The connections of a service. */
export const connectionsOf = (connections: readonly ListedConnection[], name: ConnectionName) =>
  connections.filter(({ kind }) => kind === connectionKinds[name])

/** Reads the connections again, the organization, whose fields are those of the default ones, and the stores that they are. */
export async function refetchConnections(organization: string): Promise<void> {
  const stores = ['method', 'easydash.api.backups.stores']
  await refetchAll(listKey('Connection'), ['doc', 'Connection'], docKey('Organization', organization), stores)
}

/** State of a service: no connection; or of a connection: not tested, or the result of its last test. */
export type ConnectionState = 'none' | 'untested' | ConnectionCheck['outcome']

/** Returns the state of a connection. */
export const stateOf = ({ outcome }: Pick<ListedConnection, 'outcome'>): ConnectionState => outcome ?? 'untested'

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

const listed = (names: readonly ConnectionName[]) => names.map((name) => tConnection(`name.${name}`)).join(', ')

/** Summary cards of the connections of some services. `servers`: number of their servers, null while loading. */
export function connectionSummary(
  connections: readonly ListedConnection[],
  names: readonly ConnectionName[],
  servers: number | null,
): SummaryCard[] {
  const shown = names.flatMap((name) => connectionsOf(connections, name))
  const connected = names.filter((name) => connectionsOf(shown, name).length > 0)
  const missing = names.filter((name) => !connected.includes(name))
  const withTone = (tone: Tone) => shown.find((one) => stateTones[stateOf(one)] === tone)
  const problem = withTone('bad') ?? withTone('warn')
  const untested = shown.filter((one) => stateOf(one) === 'untested').map(({ label }) => label)
  const newest = shown
    .flatMap(({ checked_at }) => checked_at ?? [])
    .toSorted()
    .at(-1)
  const detail = problem
    ? problem.message && createElement(LocalizedText, { text: problem.message, i18n: problem.message_i18n })
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
            value: tConnection(stateOf(problem) === 'wrong_key' ? 'a.rejected' : 'a.broken', { name: problem.label }),
            tone: stateTones[stateOf(problem)],
          }
        : shown.length === 0
          ? { value: tConnection('a.nothing_to_test') }
          : untested.length > 0
            ? { value: tConnection('a.untested', { names: untested.join(', ') }), tone: 'none' as const }
            : { value: tConnection('a.all_tested', { count: shown.length }), tone: 'ok' as const }),
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
export function hasConnectionProblem(
  connections: readonly ListedConnection[],
  names: readonly ConnectionName[],
): boolean {
  return connections.some((one) => {
    const name = connectionNameOf(one.kind)
    return name !== undefined && names.includes(name) && stateTones[stateOf(one)] === 'bad'
  })
}
