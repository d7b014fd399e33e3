import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { withinLimit } from '#server/platform/files/within-limit.ts'
import { withMinimumDuration } from '#server/platform/secrets/minimum-duration.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { nothing } from '#shared/schema.ts'
import type { AccountServices } from '../account-services.ts'
import { loginAddressMail } from '../mails.ts'
import { accountName, impersonate } from '../sessions/impersonation.ts'
import { requestDetails } from '../sign-in/request-details.ts'
import { admissibleMember } from './admit-member.ts'
import { loginAddress, settingsOf } from './provider-settings.ts'

/** How long a request takes at least, so that its duration does not tell whether an email was sent. */
const minMs = 150

/** For members who know their email address, but not where their organization logs in. */
export function mailLoginAddressMethod(services: AccountServices): Method {
  return defineMethod({
    name: 'easydash.api.login_provider.mail_address',
    access: 'guest',
    verbs: ['POST'],
    description:
      'Sends the login address of their organization to a member whom its provider can log in. The response is the same for every address.',
    params: { user: data({ reqd: true, length: 254 }) },
    returns: nothing,
    async run(params, context) {
      const user = accountName(params.user)
      if (user === '') throw new AppError('invalid', msg`Enter your email address.`, { field: 'user' })
      await services.rateLimiter.hit('login_address_ip', { address: context.ip })
      const mailsOne = await withinLimit(services.rateLimiter.hit('login_address_mail', user))
      await withMinimumDuration(
        minMs,
        async () => {
          if (mailsOne) await mailAddress(services, user, context)
        },
        services.sleep,
      )
      return undefined
    },
  })
}

async function mailAddress(services: AccountServices, user: string, context: MethodContext): Promise<void> {
  await services.documents().transaction(impersonate(user, context), async (tx) => {
    const found = await providerOf(services, tx, user)
    if (!found) return
    const details = requestDetails(services, context)
    await services.mailer.send(tx.trx, loginAddressMail(services.config, user, found, details))
  })
}

/** Where an account can log in through a provider, which is one of its only organization; null if nowhere. */
async function providerOf(services: AccountServices, tx: Tx, user: string) {
  const [member, ...others] = await tx.list(OrganizationMemberDoctype, [['user', '=', user]])
  if (!member || others.length > 0) return null
  const organization = await tx.get(OrganizationDoctype, member.parent)
  const settings = await settingsOf(tx, organization)
  if (!organization?.login_key || !settings) return null
  if ('refused' in (await admissibleMember(tx, organization, user))) return null
  return { address: loginAddress(services, organization.login_key), host: new URL(settings.issuer).host }
}
