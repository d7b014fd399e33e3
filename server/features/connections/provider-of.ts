import type { Tx } from '#server/contracts/transaction.ts'
import type { Provider } from '#server/providers/provider.ts'
import type { Providers } from '#server/providers/providers.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { connectionKinds, connectionNameOf } from '#shared/doctypes/connections.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { credentialsOf, defaultOf } from './stored-connections.ts'

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
