import { setTimeout as sleep } from 'node:timers/promises'
import { installationInfo, type InstallationInfo } from '#shared/responses/installation.ts'
import { controller, ExternalCall, type HookContext } from '#server/contracts/controller.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Feature } from '#server/contracts/feature.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Resolver } from '#server/platform/network/safe-connect.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import type { ConnectionCheck, Connections } from '#shared/doctypes/connections.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { msg } from '#shared/localized-message.ts'
import { clearSecretsOnHostChange, missingSecretsResult, valuesToTest } from './destination.ts'
import { checkOf, type ConnectionTestResult, type ConnectionTest, type ConnectionValues } from './connection-test.ts'
import { runConnectionTest, connectionTestContext, connectionTests } from './connection-tests.ts'
import { installationKeyTable } from './installation-key.ts'
import { slackNotifications } from './slack-notifications.ts'
import { type Args } from '#shared/doctype.ts'

/** Dependencies of the connections feature. */
export interface ConnectionsDeps {
  readonly config: Pick<Config, 'endpoints' | 'egressIps' | 'botName' | 'url'> &
    Pick<Config, 'allowPrivateCidrs' | 'addressMap'>
  readonly documents: () => Documents
  readonly rateLimiter: Pick<RateLimiter, 'hit'>
  /** Public SSH key that this installation signs in to servers with. */
  publicKey(): Promise<string>
  readonly log: Log
  /** Request timeout for a vendor. Default 10 s, because a user waits. */
  readonly timeoutMs?: number
  /** Minimum duration of the test when an organization's own endpoint is unreachable. Default 2 s. */
  readonly minMs?: number
  /** DNS resolver; the system's by default. */
  readonly resolve?: Resolver
}

/** Connections of organizations to vendors: on-demand connection tests, and Slack notifications. */
export function createConnections(deps: ConnectionsDeps): Feature {
  const { config } = deps
  const context = connectionTestContext(config, deps.timeoutMs, deps.resolve)

  /** Runs the test; an internal error becomes a result, too. */
  const runTest = (connectionTest: ConnectionTest, values: ConnectionValues): Promise<ConnectionTestResult> =>
    runConnectionTest(connectionTest, values, context).catch((error: unknown) => {
      deps.log.error('A test of a connection failed', { connection: connectionTest.name, error })
      return {
        outcome: 'unexpected',
        message: msg`The test of ${connectionTest.vendor} could not be finished.`,
        advice: msg`Try again. The log of this installation says more.`,
        status: null,
      }
    })

  /** Like `runTest`, but if an endpoint chosen by the organization is unreachable, the duration does not reveal why. */
  async function testWithConstantTime(
    connectionTest: ConnectionTest,
    values: ConnectionValues,
  ): Promise<ConnectionTestResult> {
    const isOwn = connectionTest.destination !== undefined && values[connectionTest.destination.field] !== ''
    if (!isOwn) return runTest(connectionTest, values)
    const least = sleep(deps.minMs ?? 2000)
    const found = await runTest(connectionTest, values)
    if (found.outcome === 'unreachable') await least
    return found
  }

  /** The store has checked permission and logs the action. */
  async function test(
    doc: Organization,
    { connection, ...given }: Args<typeof OrganizationDoctype, 'test_connection'>,
    { tx }: HookContext,
  ): Promise<ExternalCall> {
    const connectionTest = connectionTests[connection]
    const entered: Readonly<Record<string, unknown>> = given
    await deps.rateLimiter.hit('connection_test', doc.name, tx.trx)
    const stored = await storedValues(doc, connectionTest, tx)
    const typed = Object.fromEntries(
      connectionTest.fields.flatMap((field) => {
        const value = entered[field]
        return typeof value === 'string' && !/^\*+$/.test(value) ? [[field, value.trim()]] : []
      }),
    )
    const values = valuesToTest(connectionTest, stored, typed)
    const isStored = connectionTest.fields.every((field) => values[field] === stored[field])
    return new ExternalCall(async () => {
      const started = performance.now()
      const found =
        missingSecretsResult(connectionTest, stored, values) ?? (await testWithConstantTime(connectionTest, values))
      const took_ms = Math.round(performance.now() - started)
      const check = checkOf(found, { took_ms, checked_at: formatTimestamp(Date.now()), stored: isStored })
      if (!isStored || found.outcome === 'missing') return { ...check }
      return async (_doc, { tx: ending }) => {
        await writeCheck(ending, doc.name, connectionTest, { check, values })
        return { ...check }
      }
    })
  }

  return {
    tables: installationKeyTable,
    controllers: [controller(OrganizationDoctype, { validate, actions: { test_connection: test } })],
    methods: [installationMethod(deps)],
    schedules: [{ name: 'connections.slack', everySeconds: 15, run: slackNotifications({ ...deps, context }) }],
  }
}

/** The stored, trimmed values for a connection test. */
async function storedValues(
  doc: Organization,
  connectionTest: ConnectionTest,
  tx: HookContext['tx'],
): Promise<ConnectionValues> {
  const values: Record<string, string> = {}
  for (const field of connectionTest.fields) {
    const secret = OrganizationDoctype.fields[field].secret !== undefined
    const value = secret ? await tx.secret(OrganizationDoctype, doc.name, field) : doc[field]
    values[field] = typeof value === 'string' ? value.trim() : ''
  }
  return values
}

/** Stores the result of a test, unless the credentials changed meanwhile: then it does not apply to them. */
async function writeCheck(
  tx: HookContext['tx'],
  organization: string,
  connectionTest: ConnectionTest,
  { check, values }: { check: ConnectionCheck; values: ConnectionValues },
): Promise<void> {
  const now = await tx.get(OrganizationDoctype, organization)
  if (!now || !sameValues(await storedValues(now, connectionTest, tx), values)) return
  const connections: Connections = { ...now.connections }
  connections[connectionTest.name] = { set_at: null, ...connections[connectionTest.name], check }
  await tx.update(OrganizationDoctype, organization, { connections }, { hooks: false, activity: false })
}

const sameValues = (a: ConnectionValues, b: ConnectionValues) => JSON.stringify(a) === JSON.stringify(b)

async function validate(doc: Organization, before: Organization | null): Promise<void> {
  for (const connectionTest of Object.values(connectionTests)) clearSecretsOnHostChange(connectionTest, doc, before)
  forgetChecks(doc, before)
  if (doc.default_authorized_keys !== (before?.default_authorized_keys ?? null)) checkKeys(doc)
}

/** Every server will accept these keys, so each line must be valid. Empty lines and comments are allowed. */
function checkKeys(doc: Organization): void {
  const lines = String(doc.default_authorized_keys ?? '').split('\n')
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue
    const key = parseSshPublicKey(line)
    if (!('problem' in key)) continue
    throw new AppError('invalid', msg`Line ${at + 1}: ${key.problem}`, {
      field: 'default_authorized_keys',
      excType: 'ValidationError',
    })
  }
}

/** New credentials are untested, and their `set_at` is now. */
function forgetChecks(doc: Organization, before: Organization | null): void {
  for (const connectionTest of Object.values(connectionTests)) {
    const changed = connectionTest.fields.filter((field) => (doc[field] ?? null) !== (before?.[field] ?? null))
    if (changed.length === 0) continue
    const connections: Connections = { ...doc.connections }
    const set = connectionTest.required.some((field) => typeof doc[field] === 'string' && doc[field] !== '')
    connections[connectionTest.name] = set ? { set_at: formatTimestamp(Date.now()), check: null } : null
    doc.connections = connections
  }
}

/** Installation data shown on the settings pages. */
const installationMethod = ({ config, publicKey }: ConnectionsDeps): Method =>
  defineMethod({
    name: 'easydash.api.connections.facts',
    access: 'member',
    verbs: ['GET'],
    description:
      'What to allow or add elsewhere: the addresses this installation connects from, its bot account and its default public SSH key.',
    returns: installationInfo,
    run: async (): Promise<InstallationInfo> => ({
      egress_ips: [...config.egressIps],
      bot_name: config.botName,
      default_public_key: await publicKey(),
    }),
  })
