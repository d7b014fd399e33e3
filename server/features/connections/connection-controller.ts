import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import { checkTenantUrl } from '#server/platform/network/fetch.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { ConnectionDoctype, credentials, type Connection } from '#shared/doctypes/connection.ts'
import {
  connectionFields,
  connectionKindOf,
  connectionNameOf,
  type ConnectionName,
} from '#shared/doctypes/connections.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { labelMessage, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { ConnectionTest } from './connection-test.ts'
import { connectionTests, labelOf, missingFields } from './connection-tests.ts'
import { clearSecretsOnHostChange } from './destination.ts'
import { isWebhookUrl } from './slack.ts'
import { testConnection, type TestDeps } from './test-connection.ts'

/** Dependencies of the behavior of connections. */
export interface ConnectionDeps extends TestDeps {
  readonly config: Pick<Config, 'allowPrivateCidrs' | 'addressMap'>
}

/** Far more than an agency has accounts at one vendor: each new one is compared with the others. */
const maxOfKind = 100

/** Transactions in which connections may lack what their kind needs. */
const incompleteIn = new WeakSet<Tx>()

/** For writes of the organization's fields, which come one by one, and for removing credentials of a connection in use. */
export function allowIncomplete(tx: Tx): void {
  incompleteIn.add(tx)
}

/** Behavior of connections: one default of each kind, the fields of the kind, and their test. */
export function connectionController(deps: ConnectionDeps): Controller {
  return controller(ConnectionDoctype, {
    async before_insert(doc, { tx }) {
      // Of two at once the second sees the first. Later writes hold this lock already (`with_organization`).
      if (doc.organization) await tx.get(OrganizationDoctype, doc.organization, { lock: true })
      const others = await tx.listFields(ConnectionDoctype, ['label'], sameKind(doc))
      if (others.length >= maxOfKind)
        throw new AppError('limit_reached', msg`At most ${maxOfKind} connections of a kind are possible.`, {
          nextAction: msg`Remove some that are not used.`,
        })
      if (others.length === 0) doc.is_default = 1
      doc.label ||= freeLabel(
        doc.kind,
        others.map(({ label }) => label),
      )
    },

    async validate(doc, before, { tx }) {
      const name = connectionNameOf(doc.kind)
      if (!name) return
      const connectionTest = connectionTests[name]
      assertOwnFields(doc, before, name)
      clearSecretsOnHostChange(connectionTest, doc, before)
      assertReachable(doc, before, deps)
      if (!incompleteIn.has(tx)) assertComplete(doc, connectionTest)
      forgetCheck(doc, before, connectionTest)
      await passDefault(tx, doc, before)
    },

    async after_delete(doc, { tx }) {
      if (doc.is_default !== 1) return
      const oldest = await tx.find(ConnectionDoctype, sameKind(doc))
      if (oldest) await tx.update(ConnectionDoctype, oldest.name, { is_default: 1 }, { hooks: false, activity: false })
    },

    actions: {
      test: (doc, args, { tx }) => {
        const name = connectionNameOf(doc.kind)
        if (!name) throw new Error(`${doc.name} is a connection of no kind`)
        return testConnection(deps, tx, { organization: doc.organization, name, connection: doc, typed: args })
      },
    },
  })
}

const sameKind = ({ organization, kind }: Connection): FilterTriple[] => [
  ['organization', '=', organization],
  ['kind', '=', kind],
]

/** The kind, or with the lowest number that makes it unique. */
function freeLabel(kind: string, taken: readonly string[]): string {
  let label = kind
  for (let n = 2; taken.includes(label); n += 1) label = `${kind} ${n}`
  return label
}

/** At most one is the default, and one stays it. The index on it is unique, so the old one ends first. */
async function passDefault(tx: Tx, doc: Connection, before: Connection | null): Promise<void> {
  if (before?.is_default === 1 && doc.is_default !== 1)
    throw invalid(
      'is_default',
      msg`One of the connections of a kind is the default.`,
      msg`Make another one the default.`,
    )
  if (doc.is_default !== 1 || before?.is_default === 1) return
  const last = await tx.find(ConnectionDoctype, [...sameKind(doc), ['is_default', '=', 1]])
  if (last) await tx.update(ConnectionDoctype, last.name, { is_default: 0 }, { hooks: false, activity: false })
}

function assertOwnFields(doc: Connection, before: Connection | null, name: ConnectionName): void {
  const own: readonly string[] = connectionFields[name]
  for (const field of Object.keys(credentials) as (keyof typeof credentials)[])
    if (doc[field] !== null && doc[field] !== before?.[field] && !own.includes(field))
      throw invalid(
        field,
        msg`${labelOf(field)} belongs to a connection of the kind ${labelMessage(connectionKindOf(field))}.`,
      )
}

function assertComplete(doc: Connection, connectionTest: ConnectionTest): void {
  const [field] = missingFields(connectionTest, doc)
  if (field) throw new AppError('invalid', msg`${labelOf(field)} is required.`, { field, excType: 'MandatoryError' })
}

/** We will connect to these addresses, so the rules for those that tenants choose apply. */
function assertReachable(doc: Connection, before: Connection | null, { config, context }: ConnectionDeps): void {
  const { bucket_endpoint, slack_webhook_url } = doc
  if (bucket_endpoint !== null && bucket_endpoint !== before?.bucket_endpoint) {
    try {
      checkTenantUrl(bucket_endpoint, config)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const nextAction = msg`Use the https address of a public server.`
      throw new AppError(error.code, error.localized, { field: 'bucket_endpoint', nextAction, cause: error })
    }
  }
  // A mask is the stored one, which was checked.
  const isNew = slack_webhook_url !== null && slack_webhook_url !== before?.slack_webhook_url
  if (isNew && !isWebhookUrl(slack_webhook_url, context.endpoints))
    throw invalid(
      'slack_webhook_url',
      msg`This is no address of a webhook of Slack.`,
      msg`Copy it from the Slack app: it begins with ${context.endpoints.slackWebhooks}/.`,
    )
}

function invalid(field: string, message: LocalizedMessage, nextAction?: LocalizedMessage): AppError {
  return new AppError('invalid', message, { field, excType: 'ValidationError', ...(nextAction && { nextAction }) })
}

/** New credentials are untested. */
function forgetCheck(doc: Connection, before: Connection | null, { fields }: ConnectionTest): void {
  if (fields.every((field) => doc[field] === (before?.[field] ?? null))) return
  const untested = {
    outcome: null,
    message: null,
    message_i18n: null,
    advice: null,
    advice_i18n: null,
    checked_at: null,
  }
  Object.assign(doc, { ...untested, status: 'Not Tested', set_at: formatTimestamp(Date.now()) })
}
