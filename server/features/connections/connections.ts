import * as z from 'zod/mini'
import { installationInfo, type InstallationInfo } from '#shared/responses/installation.ts'
import { controller } from '#server/contracts/controller.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { S3Bucket } from '#server/providers/aws/s3-bucket.ts'
import type { GitHub } from '#server/providers/github/github.ts'
import type { Provider } from '#server/providers/provider.ts'
import type { WpCloud } from '#server/providers/wpcloud/wpcloud.ts'
import type { Feature } from '#server/contracts/feature.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Resolver } from '#server/platform/network/safe-connect.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { connectionKinds, connectionNameOf } from '#shared/doctypes/connections.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { bucketOf } from './bucket-of.ts'
import { connectionController } from './connection-controller.ts'
import { connectionTestContext } from './connection-tests.ts'
import { installationKeyTable } from './installation-key.ts'
import { organizationConnections } from './organization-connections.ts'
import { slackNotifications } from './slack-notifications.ts'
import { gitHubOf, gitHubSecretOf, providerOf, withProvider, wpCloudOf } from './provider-of.ts'
import { defaultOf } from './stored-connections.ts'

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

/** What the connections feature provides to the composition root. */
export interface Connections extends Feature {
  /** See `providerOf`. */
  providerOf(tx: Tx, account: Parameters<typeof providerOf>[2]): Promise<Provider>
  /** See `wpCloudOf`. */
  wpCloudOf(tx: Tx, account: Parameters<typeof wpCloudOf>[2]): Promise<WpCloud>
  /** See `gitHubOf`. */
  gitHubOf(tx: Tx, organization: string): Promise<GitHub>
  /** See `gitHubSecretOf`. */
  gitHubSecretOf(tx: Tx, organization: string): Promise<string | null>
  /** See `bucketOf`. */
  bucketOf(tx: Tx, organization: string, connection: string): Promise<S3Bucket>
  /** See `withProvider`. */
  withProvider(connection: Connection, work: (provider: Provider) => Promise<void>): Promise<void>
}

/** Connections of organizations to vendors: their credentials, on-demand tests, and Slack notifications. */
export function createConnections(deps: ConnectionsDeps): Connections {
  const context = connectionTestContext(deps.config, deps.timeoutMs, deps.resolve)
  return {
    providerOf: (tx, account) => providerOf(context.providers, tx, account),
    wpCloudOf: (tx, account) => wpCloudOf(context.providers, tx, account),
    gitHubOf: (tx, organization) => gitHubOf(context.providers, tx, organization),
    gitHubSecretOf,
    bucketOf: (tx, organization, connection) => bucketOf(deps, tx, organization, connection),
    withProvider: (connection, work) => withProvider({ ...deps, context }, connection, work),
    tables: installationKeyTable,
    controllers: [
      connectionController({ ...deps, context }),
      organizationConnections({ ...deps, context }),
      servers,
      wpcSites,
    ],
    methods: [installationMethod(deps), githubOrganization],
    schedules: [{ name: 'connections.slack', everySeconds: 15, run: slackNotifications({ ...deps, context }) }],
  }
}

/** Name of the organization at GitHub that the bot works in: of the default connection, '' if there is none. */
const githubOrganization = defineMethod({
  name: 'easydash.api.site.utils.get_github_org_name',
  access: 'member',
  verbs: ['GET', 'POST'],
  tokens: 'organization:read',
  params: { organization: data({ length: 64, description: 'Default: the chosen one.' }) },
  description: 'The GitHub organization of the default GitHub connection; empty without one.',
  returns: z.string(),
  async run({ organization }, { session, documents }) {
    const name = organization ?? session.organization ?? ''
    await documents.get(session, OrganizationDoctype, name)
    const connection = await documents.transaction(session, (tx) => defaultOf(tx, name, connectionKinds.github))
    return connection?.bot_github_org_name ?? ''
  },
})

/** A server names the connection of its provider that it is ordered with. */
const servers = controller(ServerDoctype, {
  async before_insert(doc, { tx }) {
    const name = connectionNameOf(doc.cloud_provider)
    if (!name && doc.connection === null) return
    await chooseConnection(tx, doc, doc.cloud_provider)
  },
})

/** A site at WP Cloud names the connection of its account. */
const wpcSites = controller(WpcSiteDoctype, {
  before_insert: (doc, { tx }) => chooseConnection(tx, doc, connectionKinds.wpc),
})

/** Names the default connection of a kind, unless one of this kind is named. Throws `invalid` for any other. */
async function chooseConnection(
  tx: Tx,
  doc: { readonly organization: string; connection: string | null },
  kind: string | null,
): Promise<void> {
  const name = connectionNameOf(kind)
  // Connections change under this lock: it is not deleted while the document is inserted.
  await tx.get(OrganizationDoctype, doc.organization, { lock: true })
  if (name && doc.connection === null) {
    doc.connection = (await defaultOf(tx, doc.organization, connectionKinds[name]))?.name ?? null
    return
  }
  const connection = await tx.get(ConnectionDoctype, doc.connection ?? '')
  if (connection?.organization === doc.organization && connection.kind === kind) return
  throw new AppError('invalid', msg`The connection is none of the provider ${String(kind)}.`, {
    field: 'connection',
    excType: 'ValidationError',
    nextAction: msg`Choose one of the organization’s connections of this kind, or leave it out.`,
  })
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
