import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, float, json, link, secret, select, text, type Field } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { planCurrencies } from '../rules/plans.ts'
import { connectionFields, connectionKinds, connectionOutcomes } from './connections.ts'

/** The fields of all kinds (`connectionFields` says which has which), under the names they also have on the organization. */
export const credentials = {
  hcloud_token: secret({ label: 'Hetzner Cloud token' }),
  do_token: secret({ label: 'DigitalOcean token' }),
  aws_access_key: secret({ label: 'AWS access key' }),
  aws_secret_key: secret({ label: 'AWS secret key' }),
  wpc_api_key: secret({ label: 'WP Cloud API key' }),
  wpc_client_id: data({ label: 'WP Cloud client ID' }),
  bucket_name: data(),
  bucket_region: data(),
  bucket_endpoint: data({ format: 'url' }),
  bucket_access_key: secret(),
  bucket_secret_key: secret(),
  bot_github_token: secret({ label: 'GitHub bot token' }),
  bot_github_org_name: data({ label: 'GitHub organization' }),
  bot_github_teams: text({ label: 'GitHub teams' }),
  bot_github_name: data({ label: 'GitHub bot name' }),
  bot_github_email: data({ format: 'email', label: 'GitHub bot email' }),
  slack_token: secret({ label: 'Slack bot token' }),
  slack_webhook_url: secret({
    format: 'url',
    label: 'Slack webhook URL',
    description: 'Used instead of the bot token.',
  }),
  slack_channel: data({ length: 80, label: 'Slack channel', description: 'Where the bot posts.' }),
}

/** The fields of all connections as optional arguments of a test: these values are tested without being stored. */
export function typedCredentials(): Record<string, Field> {
  const fields = Object.values(connectionFields).flat()
  return Object.fromEntries(
    fields.map((name) => {
      const { format } = credentials[name]
      return [name, name === 'bot_github_teams' ? text() : secret(format === undefined ? {} : { format })]
    }),
  )
}

/** Result of the last test. */
const tested = { read_only: true, server_owned: true } as const

/** A machine that no server belongs to. */
export interface OrphanMachine {
  /** At its provider, as are name, type and region. */
  readonly id: string
  readonly name: string
  readonly type: string
  readonly region: string
  /** Per month, with its currency; null if not known. */
  readonly price: string | null
  /** Whether Easydash deletes it, because its creation failed or was canceled. */
  readonly deleted: boolean
}

/**
 * Credentials of an organization for a vendor or a store. There can be several of a kind, of which one is the default: it is
 * used where none is named, and the organization's own fields of these names read and write it.
 */
export const ConnectionDoctype = doctype('Connection', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'organization',
  naming: 'random',
  title_field: 'label',
  plural: 'Connections',
  // Which one is the default is decided under the lock of the organization.
  with_organization: true,
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    kind: select(Object.values(connectionKinds), {
      reqd: true,
      set_only_once: true,
      in_list_view: true,
      in_standard_filter: true,
    }),
    label: data({ reqd: true, length: 80, in_list_view: true, description: 'Its kind, if left out.' }),
    is_default: check({ label: 'Default', description: 'Making one the default ends that of another of its kind.' }),
    status: select(['Connected', 'Failed', 'Not Tested'], { ...tested, default: 'Not Tested', in_list_view: true }),
    outcome: select(connectionOutcomes, { ...tested }),
    /** What the vendor answered. Names of teams, which can be many, are repeated in it. */
    message: text({ ...tested, length: 20_000 }),
    message_i18n: json<MessageDescriptor>({ ...tested }),
    advice: text({ ...tested }),
    advice_i18n: json<MessageDescriptor>({ ...tested }),
    checked_at: datetime({ ...tested, label: 'Last tested' }),
    set_at: datetime({ ...tested, label: 'Credentials changed' }),
    /** Machines of this installation that the account has and no server belongs to. */
    orphans: json<OrphanMachine[]>({ ...tested }),
    /** Archives in the folder of the organization in a bucket that no backup here describes. */
    unknown_archives: json<{ readonly count: number; readonly bytes: number }>({ ...tested }),
    ...credentials,
    /** What GitHub signs its calls of `/webhooks/github` with. */
    github_webhook_secret: secret({ label: 'GitHub webhook secret' }),
    /** What a bucket costs, as its owner entered it: vendors have no call for it. */
    bucket_price: float({
      min: 0,
      max: 1_000,
      label: 'Price per GB and month',
      description: 'Of a bucket: for showing what its backups cost.',
    }),
    bucket_price_currency: select(planCurrencies, { label: 'Currency' }),
  },
  list: { order_by: 'creation asc' },
  permissions: {
    Owner: { read: true, create: true, write: true, delete: true },
    'Organization Admin': { read: true, create: true, write: true, delete: true },
  },
  indexes: [
    { fields: ['organization', 'kind'], unique: true, where: 'is_default = 1' },
    { fields: ['organization', 'kind', 'label'], unique: true },
  ],
  actions: {
    test: {
      label: 'Test',
      activity: 'tested a connection',
      allow: { Owner: true, 'Organization Admin': true },
      args: typedCredentials(),
      hidden: true,
      returns: 'ConnectionCheck',
    },
  },
})

/** A connection document. */
export type Connection = Doc<typeof ConnectionDoctype>

/** A field that holds credentials of some kind. */
export type ConnectionField = keyof typeof credentials
