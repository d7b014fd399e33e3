import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { hashToken, sameSecret } from '#server/platform/secrets/tokens.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data, json, text } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { registeredDocument, serverList, siteList } from '#shared/responses/easyengine.ts'
import { connectNew, freeName } from '../new-server.ts'
import type { ServersContext } from '../servers-context.ts'
import { callingServer } from './calling-server.ts'
import { listOf, recordFound } from './found-site.ts'

const organization = data({ reqd: true, description: 'Slug of the organization.' })
const guests = { access: 'guest', verbs: ['POST'] } as const

/** Runs work for the organization whose token the call shows. Every wrong answer is the same. */
async function as<T>(
  { deps }: ServersContext,
  call: MethodContext,
  slug: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  await deps.rateLimiter.hit('easyengine', { address: call.ip })
  return deps.documents().transaction(systemSession('job'), async (tx) => {
    const hash = (await tx.get(OrganizationDoctype, slug))?.access_token_sha256_hash ?? null
    const shown = call.machineToken ?? ''
    const isRight =
      hash !== null && [shown, ...shown.split(':')].some((one) => one !== '' && sameSecret(hashToken(one), hash))
    if (!isRight)
      throw new AppError('unauthorized', msg`The token is not that of this organization.`, {
        nextAction: msg`Create a server access token in the settings of the organization.`,
      })
    return work(tx)
  })
}

const live = (tx: Tx, slug: string) =>
  tx.list(ServerDoctype, [
    ['organization', '=', slug],
    ['engine', '=', 'ee'],
    ['status', '!=', 'Decommissioned'],
  ])

/**
 * What `ee dash init` of a stock EasyEngine calls (docs/contracts: EasyEngine, section 8): it asks which servers and sites are known and
 * adds those that are not. It shows the server access token of the organization in the header `Token`, which it writes as two parts.
 */
export const easyengineMethods = (context: ServersContext): Method[] => [
  ...serverMethods(context),
  ...siteMethods(context),
]

const serverMethods = (context: ServersContext): Method[] => [
  defineMethod({
    name: 'easydash.easydash.doctype.server.server.get_server_list',
    ...guests,
    params: { organization },
    description: 'Servers of the organization, for EasyEngine.',
    returns: serverList,
    run: ({ organization: slug }, call) =>
      as(context, call, slug, async (tx) =>
        (await live(tx, slug)).map(({ name, hostname, public_ipv4 }) => ({ name, hostname, public_ipv4 })),
      ),
  }),
  defineMethod({
    name: 'easydash.easydash.doctype.server.server.add_server',
    ...guests,
    params: {
      organization,
      hostname: data({ reqd: true, length: 253 }),
      public_ipv4: data({ reqd: true, format: 'ipv4' }),
      ee_version: data({ length: 40 }),
    },
    description: 'Adds a server that runs EasyEngine, for EasyEngine. One that is known stays as it is.',
    returns: registeredDocument,
    run: ({ organization: slug, ...announced }, call) =>
      as(context, call, slug, async (tx) => {
        const known = (await live(tx, slug)).find((one) => one.public_ipv4 === announced.public_ipv4)
        if (known) return { name: known.name }
        const server = await tx.insert(ServerDoctype, {
          organization: slug,
          hostname: await freeName(tx, { organization: slug, hostname: announced.hostname.toLowerCase() }),
          machine_hostname: announced.hostname,
          cloud_provider: 'Custom',
          server_category: 'production',
          public_ipv4: announced.public_ipv4,
          public_ipv4_server_import: announced.public_ipv4,
          is_imported_with_ee: 1,
          easyengine: announced.ee_version ?? null,
        })
        await connectNew(context, tx, server)
        return { name: server.name }
      }),
  }),
]

const siteMethods = (context: ServersContext): Method[] => [
  defineMethod({
    name: 'easydash.easydash.doctype.site.site.get_site_list',
    ...guests,
    params: { organization },
    description: 'Sites of the organization, for EasyEngine.',
    returns: siteList,
    run: ({ organization: slug }, call) =>
      as(context, call, slug, async (tx) => {
        const sites = await tx.list(SiteDoctype, [
          ['organization', '=', slug],
          ['status', '!=', 'Archived'],
        ])
        return sites.map(({ name, domain }) => ({ name, domain }))
      }),
  }),
  defineMethod({
    name: 'easydash.easydash.doctype.site.site.add_site',
    ...guests,
    params: {
      organization,
      domain: data({ reqd: true, length: 253 }),
      server: data({ reqd: true, length: 253, description: 'Host name of the machine, which was added before.' }),
      site_type: data({ reqd: true, length: 20 }),
      enabled: json<unknown>({ description: 'Whether it is served.' }),
      alias_domains: text(),
      php_version: data({ length: 20 }),
    },
    description: 'Adds a site of a server, for EasyEngine. One that is known stays as it is.',
    returns: registeredDocument,
    run: ({ organization: slug, domain, server: hostname, ...more }, call) =>
      as(context, call, slug, async (tx) => {
        const server = callingServer(await live(tx, slug), hostname, call.ip)
        if (!server)
          throw new AppError('invalid', msg`Could not find Server: ${hostname}`, {
            field: 'server',
            nextAction: msg`Add the server first. If it is there, select “Refresh metrics” on its page, then retry.`,
          })
        const added = await recordFound(tx, server, {
          domain,
          type: more.site_type,
          php: more.php_version ?? '',
          isEnabled: isTrue(more.enabled ?? true),
          aliases: listOf(more.alias_domains ?? ''),
          title: null,
          adminUser: null,
        })
        if (added === null)
          throw new AppError('invalid', msg`A site needs a domain, and the type wp, php or html.`, {
            field: 'domain',
          })
        const site = await tx.find(SiteDoctype, [
          ['server', '=', server.name],
          ['domain', '=', domain.toLowerCase()],
        ])
        return { name: site?.name ?? '' }
      }),
  }),
]

/** PHP sends truth in several ways. */
const isTrue = (value: unknown): boolean => value === true || value === 1 || value === '1' || value === 'true'
