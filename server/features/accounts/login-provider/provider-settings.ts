import { randomInt } from 'node:crypto'
import { controller, ExternalCall, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { checkTenantUrl } from '#server/platform/network/fetch.ts'
import { withMinimumDuration } from '#server/platform/secrets/minimum-duration.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { AccountServices } from '../account-services.ts'
import { checkClient, discoverProvider, type ProviderNetwork, type ProviderSettings } from './openid-provider.ts'
import { listLinks, removeLinks } from './provider-links.ts'

/** Most domains of one organization. */
const maxDomains = 50
/** How long a test takes at least, so that its duration tells nothing about addresses that did not answer. */
const minTestMs = 2000
/** Letters that people do not confuse, when they type the key of a login address. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const keyLength = 16

/** How the providers of organizations are reached. */
export function providerNetwork({ config, providerNetwork: tested }: AccountServices): ProviderNetwork {
  const { allowPrivateCidrs = [], addressMap = {} } = config
  return { allowPrivateCidrs, addressMap, ...tested }
}

/** Where providers send browsers back to; it is registered there. */
export const redirectUriOf = ({ config }: Pick<AccountServices, 'config'>): string => `${config.url}/web/sso/callback`

/** Where the members of an organization log in through its provider. */
export const loginAddress = ({ config }: Pick<AccountServices, 'config'>, key: string): string =>
  `${config.url}/web/sso/${key}`

/** An organization's provider, ready to be used; null if it has none or is disabled. */
export async function settingsOf(tx: Tx, organization: Organization | null): Promise<ProviderSettings | null> {
  if (organization?.enabled !== 1) return null
  const { login_issuer: issuer, client_id: clientId } = organization
  const clientSecret = await tx.secret(OrganizationDoctype, organization.name, 'client_secret')
  return issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : null
}

/** Whether any organization has a login provider. */
export async function hasLoginProviders(documents: AccountServices['documents']): Promise<boolean> {
  const filters = [
    ['login_key', 'is', 'set'],
    ['enabled', '=', 1],
  ] as const
  return documents().transaction(
    systemSession('schedule'),
    async (tx) => (await tx.count(OrganizationDoctype, filters)) > 0,
  )
}

/** Whether an email address may log in through the provider of an organization. */
export function isAllowedAddress(
  { login_domains: domains }: Pick<Organization, 'login_domains'>,
  email: string,
): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return (domains ?? '').split('\n').includes(domain)
}

/** Settings, test, address and links of the provider that the members of an organization log in with. */
export function loginProviderController(services: AccountServices): Controller {
  return controller(OrganizationDoctype, {
    // Without a client there is no provider, whoever removed its credentials.
    async validate(doc) {
      if (doc.client_id === null) Object.assign(doc, { login_issuer: null, login_domains: null, login_key: null })
    },

    async on_update(doc, before, { tx }) {
      // Subjects mean nothing at another provider: there the same one can be somebody else.
      if (doc.login_issuer !== before.login_issuer) await removeLinks(services.sessions, tx, { organization: doc.name })
    },

    async after_delete(doc, { tx }) {
      await removeLinks(services.sessions, tx, { organization: doc.name })
    },

    actions: {
      async set_login_provider(doc, args, { tx }) {
        const settings = await typedSettings(services, tx, doc, args)
        const key = doc.login_key ?? newLoginKey()
        await tx.update(OrganizationDoctype, doc.name, {
          login_issuer: settings.issuer,
          client_id: settings.clientId,
          client_secret: settings.clientSecret,
          login_domains: domainsOf(args.domains).join('\n'),
          login_key: key,
        })
        return { address: loginAddress(services, key) }
      },

      async test_login_provider(doc, args, { tx }) {
        await services.rateLimiter.hit('connection_test', doc.name, tx.trx)
        const settings = await typedSettings(services, tx, doc, args)
        return new ExternalCall(() => testProvider(services, settings), {
          detail: msg`${new URL(settings.issuer).host}`,
        })
      },

      async renew_login_address(doc, _args, { tx }) {
        if (doc.login_key === null) throw noProvider()
        const key = newLoginKey()
        await tx.update(OrganizationDoctype, doc.name, { login_key: key })
        return { address: loginAddress(services, key) }
      },

      list_login_links: (doc, _args, { tx }) => listLinks(tx.trx, doc.name),

      async remove_login_link(doc, { user }, { tx }) {
        const removed = await removeLinks(services.sessions, tx, { organization: doc.name, user })
        if (removed === 0)
          throw new AppError('invalid', msg`This member is not linked to the login provider.`, {
            field: 'user',
            excType: 'ValidationError',
          })
        return null
      },
    },
  })
}

async function testProvider(services: AccountServices, settings: ProviderSettings) {
  const network = providerNetwork(services)
  const test = async () => {
    const metadata = await discoverProvider(network, settings)
    const client = await checkClient(network, settings, metadata, redirectUriOf(services))
    return { issuer: metadata.issuer, client }
  }
  return withMinimumDuration(minTestMs, test, services.sleep)
}

interface Typed {
  readonly issuer: string
  readonly client_id: string
  readonly client_secret: string | null
}

/** What was typed, with the stored secret where none was: it is only ever sent to the provider that it was entered for. */
async function typedSettings(
  services: AccountServices,
  tx: Tx,
  doc: Organization,
  { issuer: typedIssuer, client_id, client_secret: typedSecret }: Typed,
): Promise<ProviderSettings> {
  const issuer = issuerOf(typedIssuer, services)
  const clientId = client_id.trim()
  if (!/^[\x21-\x7e]+$/.test(clientId)) throw invalid('client_id', msg`Enter the client ID as the provider shows it.`)
  const isTyped = Boolean(typedSecret) && !/^\*+$/.test(typedSecret ?? '')
  const stored = isTyped ? null : await tx.secret(OrganizationDoctype, doc.name, 'client_secret')
  const clientSecret = isTyped ? (typedSecret ?? '').trim() : (stored ?? '')
  if (clientSecret === '') throw invalid('client_secret', msg`Enter the client secret.`)
  if (!isTyped && issuer !== doc.login_issuer)
    throw invalid('client_secret', msg`Enter the client secret again: the stored one belongs to another issuer.`)
  if (!/^[\x20-\x7e]+$/.test(clientSecret))
    throw invalid('client_secret', msg`Enter the client secret as the provider shows it.`)
  return { issuer, clientId, clientSecret }
}

const wellKnown = '/.well-known/openid-configuration'

/** The issuer that was typed; many copy the address of its description instead. */
function issuerOf(typed: string, services: AccountServices): string {
  const issuer = typed.trim().endsWith(wellKnown) ? typed.trim().slice(0, -wellKnown.length) : typed.trim()
  try {
    checkTenantUrl(issuer, providerNetwork(services))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalid('issuer', error.localized, error.nextAction)
  }
  const { search, hash } = new URL(issuer)
  if (search !== '' || hash !== '') throw invalid('issuer', msg`The issuer is an address without ? and #.`)
  return issuer
}

/** Domains as they are typed: one per line, or with commas between them. */
export function domainsOf(typed: string): string[] {
  const domains = typed
    .split(/[\s,;]+/)
    .map((domain) => domain.replace(/^@/, '').toLowerCase())
    .filter((domain) => domain !== '')
  if (domains.length === 0) throw invalid('domains', msg`Enter at least one email domain of your organization.`)
  if (domains.length > maxDomains) throw invalid('domains', msg`Enter at most ${maxDomains} domains.`)
  for (const domain of domains) {
    const problem = checkDomain(domain)
    if (problem) throw invalid('domains', msg`${domain.slice(0, 100)}: ${problem}`)
  }
  return [...new Set(domains)]
}

function invalid(field: string, message: LocalizedMessage, nextAction?: LocalizedMessage): AppError {
  return new AppError('invalid', message, { field, excType: 'ValidationError', ...(nextAction && { nextAction }) })
}

function noProvider(): AppError {
  return new AppError('invalid', msg`Your organization has no login provider.`, {
    excType: 'ValidationError',
    nextAction: msg`Set one up first.`,
  })
}

function newLoginKey(): string {
  return Array.from({ length: keyLength }, () => letters[randomInt(letters.length)]).join('')
}
