import { setTimeout as sleep } from 'node:timers/promises'
import { ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import type { Connection } from '#shared/doctypes/connection.ts'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { msg } from '#shared/localized-message.ts'
import {
  checkOf,
  type ConnectionTest,
  type ConnectionTestContext,
  type ConnectionTestResult,
  type ConnectionValues,
} from './connection-test.ts'
import { connectionTests, runConnectionTest } from './connection-tests.ts'
import { missingSecretsResult, valuesToTest } from './destination.ts'
import { credentialsOf, storeCheck } from './stored-connections.ts'

/** Dependencies of tests that people start. */
export interface TestDeps {
  readonly context: ConnectionTestContext
  readonly rateLimiter: Pick<RateLimiter, 'hit'>
  readonly log: Log
  /** Minimum duration of the test when an organization's own endpoint is unreachable. Default 2 s. */
  readonly minMs?: number
}

/** What is tested: a stored connection, typed values, or the values of one with some typed in place of them. */
interface Tested {
  readonly organization: string
  readonly name: ConnectionName
  readonly connection: Connection | null
  /** Arguments of the action; those that are unset or a mask stand for the stored values. */
  readonly typed: Readonly<Record<string, unknown>>
}

/** Tests a connection for an action, whose permission was checked. The result is stored if it is about the stored values. */
export async function testConnection(
  deps: TestDeps,
  tx: Tx,
  { organization, name, connection, typed: given }: Tested,
): Promise<ExternalCall> {
  const connectionTest = connectionTests[name]
  await deps.rateLimiter.hit('connection_test', organization, tx.trx)
  const known = connection ? await credentialsOf(tx, connection) : {}
  const stored = Object.fromEntries(connectionTest.fields.map((field) => [field, known[field] ?? '']))
  const typed = Object.fromEntries(
    connectionTest.fields.flatMap((field) => {
      const value = given[field]
      return typeof value === 'string' && !/^\*+$/.test(value) ? [[field, value.trim()]] : []
    }),
  )
  const values = valuesToTest(connectionTest, stored, typed)
  const isStored = connectionTest.fields.every((field) => values[field] === stored[field])
  return new ExternalCall(async () => {
    const started = performance.now()
    const found =
      missingSecretsResult(connectionTest, stored, values) ?? (await testWithConstantTime(deps, connectionTest, values))
    const took_ms = Math.round(performance.now() - started)
    const check = checkOf(found, { took_ms, checked_at: formatTimestamp(Date.now()), stored: isStored })
    if (!connection || !isStored || found.outcome === 'missing') return { ...check }
    return async (_doc, { tx: ending }) => {
      await storeCheck(ending, connection.name, connectionTest, { check, values })
      return { ...check }
    }
  })
}

/** Runs the test; if an endpoint chosen by the organization is unreachable, the duration does not reveal why. */
async function testWithConstantTime(
  deps: TestDeps,
  connectionTest: ConnectionTest,
  values: ConnectionValues,
): Promise<ConnectionTestResult> {
  const isOwn = connectionTest.destination !== undefined && values[connectionTest.destination.field] !== ''
  if (!isOwn) return runTest(deps, connectionTest, values)
  const least = sleep(deps.minMs ?? 2000)
  const found = await runTest(deps, connectionTest, values)
  if (found.outcome === 'unreachable') await least
  return found
}

/** Runs the test; an internal error becomes a result, too. */
function runTest(
  { context, log }: TestDeps,
  connectionTest: ConnectionTest,
  values: ConnectionValues,
): Promise<ConnectionTestResult> {
  return runConnectionTest(connectionTest, values, context).catch((error: unknown) => {
    log.error('A test of a connection failed', { connection: connectionTest.name, error })
    return {
      outcome: 'unexpected',
      message: msg`The test of ${connectionTest.vendor} could not be finished.`,
      advice: msg`Try again. The log of this installation says more.`,
      status: null,
    }
  })
}
