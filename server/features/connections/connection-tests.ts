import type { Config } from '#server/platform/config/config.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import type { Resolver } from '#server/platform/network/safe-connect.ts'
import { createProviders } from '#server/providers/providers.ts'
import { fieldLabel } from '#shared/doctype.ts'
import { credentials, type ConnectionField } from '#shared/doctypes/connection.ts'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { msg, labelMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { bucket } from './bucket.ts'
import { aws, digitalocean, hetzner } from './cloud-providers.ts'
import { github } from './github.ts'
import {
  unreachableResult,
  invalidCredentialsResult,
  type ConnectionTestResult,
  type ConnectionTest,
  type ConnectionTestContext,
  type ConnectionValues,
} from './connection-test.ts'
import { slack } from './slack.ts'
import { wpcloud } from './wpcloud.ts'

/** All connection tests. */
export const connectionTests: Readonly<Record<ConnectionName, ConnectionTest>> = {
  hetzner,
  digitalocean,
  aws,
  wpc: wpcloud,
  bucket,
  github,
  slack,
}

/** Maximum response size: requests are small, so longer responses cannot be valid. */
const maxBytes = 256 * 1024

/** Settings used by connection tests. */
export type ProbeConfig = Pick<Config, 'endpoints' | 'egressIps' | 'allowPrivateCidrs' | 'addressMap'>

/**
 * Creates the context of connection tests. `timeoutMs`: request timeout, default 10 s, because a user waits. `resolve`
 * replaces DNS in tests.
 */
export function connectionTestContext(
  config: ProbeConfig,
  timeoutMs = 10_000,
  resolve?: Resolver,
): ConnectionTestContext {
  return {
    endpoints: {
      awsS3: config.endpoints.awsS3,
      wpcloud: config.endpoints.wpcloud ?? 'https://atomic-api.wordpress.com/api/v1.0',
      github: config.endpoints.github ?? 'https://api.github.com',
      slack: config.endpoints.slack ?? 'https://slack.com/api',
      slackWebhooks: config.endpoints.slack ? new URL(config.endpoints.slack).origin : 'https://hooks.slack.com',
    },
    providers: createProviders(config, { timeoutMs, resolve }),
    egressIps: config.egressIps,
    now: () => new Date(),
    ask: (url, { tenant = false, ...options }) =>
      safeFetch(url, {
        ...options,
        profile: tenant ? 'tenant' : 'operator',
        timeoutMs,
        maxBytes,
        allowPrivateCidrs: config.allowPrivateCidrs,
        addressMap: config.addressMap,
        ...(resolve === undefined ? {} : { resolve }),
      }),
  }
}

/** Fields that a connection still needs. */
export function missingFields(
  { required, alternative }: Pick<ConnectionTest, 'required' | 'alternative'>,
  values: Readonly<Record<string, unknown>>,
): readonly ConnectionField[] {
  return alternative && values[alternative] ? [] : required.filter((field) => !values[field])
}

/** Runs the test, unless required values are missing or contain invalid characters. */
export async function runConnectionTest(
  connectionTest: ConnectionTest,
  values: ConnectionValues,
  context: ConnectionTestContext,
): Promise<ConnectionTestResult> {
  const missing = missingFields(connectionTest, values)
  if (missing.length > 0) {
    const labels = missing.map(labelOf)
    return {
      outcome: 'missing',
      message: msg`There is nothing to test yet: ${labels}.`,
      advice: msg`Enter it first.`,
      status: null,
    }
  }
  const strange = connectionTest.fields.find(
    (field) => field !== 'bot_github_teams' && field !== 'slack_channel' && !/^[\x20-\x7e]*$/.test(values[field] ?? ''),
  )
  if (strange) return invalidCredentialsResult(msg`${labelOf(strange)} holds characters that it cannot have.`)
  try {
    return await connectionTest.run(values, context)
  } catch (error) {
    return unreachableResult(connectionTest, error)
  }
}

/** Label of a connection's field. */
export function labelOf(field: ConnectionField): LocalizedMessage {
  return labelMessage(fieldLabel(field, credentials[field]))
}
