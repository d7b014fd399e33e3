import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { GitHub } from '#server/providers/github/github.ts'
import { ProviderError } from '#server/providers/provider-error.ts'
import type { Provider } from '#server/providers/provider.ts'
import type { Providers } from '#server/providers/providers.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { connectionKinds, connectionNameOf } from '#shared/doctypes/connections.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { checkOf, failureResult, type ConnectionTestContext, type ConnectionValues } from './connection-test.ts'
import { connectionTests, missingFields } from './connection-tests.ts'
import { credentialsOf, defaultOf, storeCheck } from './stored-connections.ts'

/**
 * The provider of an account: the connection named, or else the default one of the provider. Throws `invalid` without one, or
 * without its credentials.
 */
export async function providerOf(
  providers: Providers,
  tx: Tx,
  { organization, cloud_provider: kind, connection }: Pick<Server, 'organization' | 'cloud_provider' | 'connection'>,
): Promise<Provider> {
  const name = connectionNameOf(kind)
  const values = await accountValues(tx, { organization, connection, kind })
  switch (name) {
    case 'hetzner':
      return providers.hetzner({ token: values['hcloud_token'] ?? '' })
    case 'digitalocean':
      return providers.digitalocean({ token: values['do_token'] ?? '' })
    case 'aws':
      return providers.aws({ accessKey: values['aws_access_key'] ?? '', secretKey: values['aws_secret_key'] ?? '' })
    default:
      throw new AppError('unsupported', msg`${String(kind)} has no servers.`, { field: 'cloud_provider' })
  }
}

/** The account at WP Cloud, likewise. */
export async function wpCloudOf(
  providers: Providers,
  tx: Tx,
  account: Pick<Server, 'organization' | 'connection'>,
): Promise<WpCloud> {
  const values = await accountValues(tx, { ...account, kind: connectionKinds.wpc })
  return providers.wpcloud({ key: values['wpc_api_key'] ?? '', client: values['wpc_client_id'] ?? '' })
}

/** GitHub, as the organization's default connection sees it. */
export async function gitHubOf(providers: Providers, tx: Tx, organization: string): Promise<GitHub> {
  const values = await accountValues(tx, { organization, connection: null, kind: connectionKinds.github })
  return providers.github({ token: values['bot_github_token'] ?? '' })
}

/** What that connection's webhooks are signed with; null without a connection, or if it has no secret. */
export async function gitHubSecretOf(tx: Tx, organization: string): Promise<string | null> {
  const connection = await defaultOf(tx, organization, connectionKinds.github)
  const secret = connection && (await tx.secret(ConnectionDoctype, connection.name, 'github_webhook_secret'))
  return secret?.trim() || null
}

/**
 * The credentials of the connection named, or else of the organization's default one of the kind. Throws `invalid` without one, or
 * if they were cleared.
 */
async function accountValues(
  tx: Tx,
  { organization, connection, kind }: Pick<Server, 'organization' | 'connection'> & { readonly kind: string | null },
): Promise<ConnectionValues> {
  const name = connectionNameOf(kind)
  const stored =
    connection === null
      ? name && (await defaultOf(tx, organization, connectionKinds[name]))
      : await tx.get(ConnectionDoctype, connection)
  if (!stored || stored.organization !== organization || stored.kind !== kind)
    throw new AppError('invalid', msg`The organization has no connection to ${String(kind)}.`, {
      field: 'connection',
      nextAction: msg`Connect it in the organization’s settings.`,
    })
  const values = await credentialsOf(tx, stored)
  // A connection in use stays when its credentials are cleared.
  if (name && missingFields(connectionTests[name], values).length > 0)
    throw new AppError('invalid', msg`The connection ${stored.label} has no credentials.`, {
      field: 'connection',
      nextAction: msg`Enter them in the organization’s settings.`,
    })
  return values
}

/**
 * Calls the provider of a connection, outside of transactions. Credentials that it refuses make the connection Failed, as a test would.
 * Throws what the call throws.
 */
export async function withProvider(
  { documents, context }: { documents: () => Documents; context: ConnectionTestContext },
  connection: Connection,
  work: (provider: Provider) => Promise<void>,
): Promise<void> {
  const { name, organization, kind } = connection
  const transaction = <T>(run: (tx: Tx) => Promise<T>) => documents().transaction(systemSession('schedule'), run)
  const { provider, values } = await transaction(async (tx) => ({
    provider: await providerOf(context.providers, tx, {
      organization,
      cloud_provider: kind as Server['cloud_provider'],
      connection: name,
    }),
    values: await credentialsOf(tx, connection),
  }))
  try {
    await work(provider)
  } catch (error) {
    if (error instanceof ProviderError && (error.kind === 'wrong_key' || error.kind === 'wrong_scope')) {
      const check = checkOf(failureResult(error), {
        took_ms: 0,
        checked_at: formatTimestamp(Date.now()),
        stored: true,
      })
      await transaction((tx) => storeCheck(tx, name, connectionTests[provider.name], { check, values }))
    }
    throw error
  }
}
