import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { data, text } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { described } from '#shared/schema.ts'
import { msg } from '#shared/localized-message.ts'
import { accountActivity } from '../account-activity.ts'
import type { AccountServices } from '../account-services.ts'
import { impersonate } from '../sessions/impersonation.ts'
import { afterProof, loginAnswer } from '../sign-in/login.ts'
import { admitMember, type Admission } from './admit-member.ts'
import { beginLogin, discoverProvider, finishLogin, type ProviderSettings } from './openid-provider.ts'
import { forMember } from './provider-failures.ts'
import { openAttempt, takeAttempt } from './provider-attempts.ts'
import { providerNetwork, redirectUriOf, settingsOf } from './provider-settings.ts'

const key = data({ reqd: true, length: 64, description: 'Last part of the login address.' })

/** Methods for logging in through the provider of an organization. */
export function providerMethods(services: AccountServices): Method[] {
  const name = (last: string) => `easydash.api.login_provider.${last}`
  return [
    defineMethod({
      name: name('show'),
      access: 'guest',
      verbs: ['GET', 'POST'],
      description: 'The host of the login provider behind a login address; not which organization it belongs to.',
      params: { key },
      returns: z.object({ host: z.string() }),
      async run(params, context) {
        await services.rateLimiter.hit('provider_login_ip', { address: context.ip })
        const { settings } = await byKey(services, String(params.key), context)
        return { host: new URL(settings.issuer).host }
      },
    }),
    defineMethod({
      name: name('start'),
      access: 'guest',
      verbs: ['POST'],
      description:
        'Begins a login through the provider behind a login address: the browser goes to `url` and comes back.',
      params: { key },
      returns: z.object({
        url: described(z.url(), 'Of the provider'),
        attempt: described(z.string(), 'To be kept by the browser and sent to `finish`; works for ten minutes'),
      }),
      run: (params, context) => start(services, String(params.key), context),
    }),
    defineMethod({
      name: name('finish'),
      access: 'guest',
      verbs: ['POST'],
      description:
        'Starts a session with what the provider sent the browser back with. With a second factor the answer is `verification` and `tmp_id`, as that of `login`.',
      params: {
        query: text({ reqd: true, length: 6000, description: 'The query of the address the browser came back to.' }),
        attempt: data({ reqd: true, length: 64 }),
      },
      ...loginAnswer,
      run: ({ query, attempt }, context) => finish(services, String(query), String(attempt), context),
    }),
  ]
}

/** The enabled organization with this login address. Unknown addresses, and those of former providers, answer alike. */
async function byKey(
  services: AccountServices,
  loginKey: string,
  context: MethodContext,
): Promise<{ organization: string; settings: ProviderSettings }> {
  const found = await services.documents().transaction(impersonate('Guest', context), async (tx) => {
    const organization = await tx.find(OrganizationDoctype, [['login_key', '=', loginKey.trim().toLowerCase()]])
    const settings = await settingsOf(tx, organization)
    return organization && settings && { organization: organization.name, settings }
  })
  if (found) return found
  throw new AppError('not_found', msg`Nobody logs in at this address.`, {
    field: 'key',
    nextAction: msg`Ask an admin of your organization for its login address, or log in with your password.`,
  })
}

async function start(services: AccountServices, loginKey: string, context: MethodContext) {
  await services.rateLimiter.hit('provider_login_ip', { address: context.ip })
  const { organization, settings } = await byKey(services, loginKey, context)
  const network = providerNetwork(services)
  const { url, pending } = await forMember(async () =>
    beginLogin(network, settings, await discoverProvider(network, settings), redirectUriOf(services)),
  )
  const attempt = await openAttempt(services.database.db, services.secrets, organization, settings, pending)
  return { url, attempt }
}

async function finish(
  services: AccountServices,
  query: string,
  attempt: string,
  context: MethodContext,
): Promise<'Logged In' | undefined> {
  await services.rateLimiter.hit('provider_login_ip', { address: context.ip })
  const returned = new URL(redirectUriOf(services))
  returned.search = new URLSearchParams(query).toString()
  const state = returned.searchParams.get('state') ?? ''
  const taken = await takeAttempt(services.database.db, services.secrets, state, attempt)
  if (!taken) throw expired()
  const settings = await services
    .documents()
    .transaction(impersonate('Guest', context), async (tx) =>
      settingsOf(tx, await tx.get(OrganizationDoctype, taken.organization)),
    )
  if (settings?.issuer !== taken.issuer || settings.clientId !== taken.clientId) throw expired()
  const identity = await forMember(() => finishLogin(providerNetwork(services), settings, taken.pending, returned))
  const admission = await services.documents().transaction(impersonate('Guest', context), async (tx) => {
    const organization = await tx.get(OrganizationDoctype, taken.organization, { lock: true })
    // Meanwhile it may have been disabled, or got another provider.
    if (organization?.enabled !== 1 || organization.login_issuer !== settings.issuer) throw expired()
    const found = await admitMember(tx, organization, identity)
    await record(tx, organization, found)
    return found
  })
  if ('refused' in admission) throw admission.refused
  return afterProof(services, admission.account, { providerLink: admission.link }, context)
}

/** Admins see who was linked and who was refused; people see refusals of their own account. */
async function record(tx: Tx, organization: Organization, admission: Admission): Promise<void> {
  const about = {
    organization: organization.name,
    reference_doctype: 'Organization',
    reference_name: organization.name,
    reference_title: organization.title,
  }
  const actor = admission.account?.name ?? 'Guest'
  if (!('refused' in admission)) {
    if (admission.isNew) await tx.activity({ action: 'account.link_provider', actor, ...about })
    return
  }
  const detail = admission.refused.localized
  await tx.activity({ action: 'account.provider_login', actor, result: 'Denied', detail, ...about })
  if (admission.account) await tx.activity(accountActivity('account.provider_login', actor, { result: 'Denied' }))
}

function expired(): AppError {
  return new AppError('gone', msg`This login was not started in this browser tab, was used already, or has expired.`, {
    nextAction: msg`Start again from the login address of your organization.`,
  })
}
