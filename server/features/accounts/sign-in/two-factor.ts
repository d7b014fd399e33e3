import { encode } from 'uqr'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { factorSetup, factorStatus, type FactorSetup, type FactorStatus } from '#shared/responses/two-factor.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { described } from '#shared/schema.ts'
import { msg, plural } from '#shared/localized-message.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { accountActivity } from '../account-activity.ts'
import { impersonate } from '../sessions/impersonation.ts'
import { needFreshPassword } from '../passwords/fresh-password.ts'
import { secondFactorMail, type SecondFactorChange } from '../mails.ts'
import { requestDetails } from './request-details.ts'
import type { AccountServices } from '../account-services.ts'
import { otpauthUrl } from './totp.ts'

const codesSchema = z.object({
  recovery_codes: described(z.array(z.string()), 'Each replaces a code once; shown this once'),
})

/** Methods for turning the caller's own second factor on and off. All changes need a recently confirmed password. */
export function twoFactorMethods(services: AccountServices): Method[] {
  const name = (last: string) => `easydash.api.two_factor.${last}`
  return [
    defineMethod({
      name: name('status'),
      access: 'self',
      verbs: ['GET', 'POST'],
      description: 'Whether the caller logs in with two-factor authentication, and how many recovery codes are left.',
      returns: factorStatus,
      async run(_params, { session }): Promise<FactorStatus> {
        const { enabled, since, recoveryCodesLeft } = await services.secondFactors.state(
          services.database.db,
          session.user,
        )
        return {
          enabled,
          since: since === null ? null : formatTimestamp(since),
          recovery_codes_left: recoveryCodesLeft,
        }
      },
    }),
    defineMethod({
      name: name('begin'),
      access: 'verified',
      verbs: ['POST'],
      description:
        'Makes a secret for an authenticator app. It counts once a code of it was confirmed. Needs a fresh password.',
      returns: factorSetup,
      run: (_params, context) => begin(services, context),
    }),
    defineMethod({
      name: name('confirm'),
      access: 'verified',
      verbs: ['POST'],
      description:
        'Turns on two-factor authentication with a code of the secret that was started. The password must have been checked recently.',
      params: { otp: data({ reqd: true, length: 20 }) },
      returns: codesSchema,
      run: ({ otp }, context) => confirm(services, String(otp), context),
    }),
    defineMethod({
      name: name('disable'),
      access: 'verified',
      verbs: ['POST'],
      description: 'Turns off two-factor authentication. The password must have been checked recently.',
      returns: z.object({ enabled: z.literal(false) }),
      async run(_params, context) {
        needFreshPassword(context.session)
        await changed(services, context, 'off', async (tx) => {
          await assertNotRequired(tx, context.session.user)
          if (!(await services.secondFactors.disable(tx.trx, context.session.user))) throw twoFactorOffError()
        })
        return { enabled: false } as const
      },
    }),
    defineMethod({
      name: name('new_recovery_codes'),
      access: 'verified',
      verbs: ['POST'],
      description:
        'Creates ten recovery codes; earlier ones stop working. The password must have been checked recently.',
      returns: codesSchema,
      async run(_params, context) {
        needFreshPassword(context.session)
        const codes = await changed(services, context, 'codes', async (tx) => {
          const { enabled } = await services.secondFactors.state(tx.trx, context.session.user)
          if (!enabled) throw twoFactorOffError()
          return services.secondFactors.newRecoveryCodes(tx.trx, context.session.user)
        })
        return { recovery_codes: codes }
      },
    }),
  ]
}

/** Throws if an organization of the user requires two-factor authentication. */
async function assertNotRequired(tx: Tx, user: string): Promise<void> {
  const memberships = await tx.list(OrganizationMemberDoctype, [['user', '=', user]], { order_by: 'parent asc' })
  const requiring: Organization[] = []
  // Locked: none of them can begin to require it before this ends.
  for (const { parent } of memberships) {
    const organization = await tx.get(OrganizationDoctype, parent, { lock: true })
    if (organization?.require_two_factor === 1) requiring.push(organization)
  }
  if (requiring.length === 0) return
  throw new AppError(
    'forbidden',
    plural(
      requiring.length,
      msg`${requiring.map(({ title }) => title)} requires two-factor authentication of its members.`,
      msg`${requiring.map(({ title }) => title)} require two-factor authentication of their members.`,
    ),
    { nextAction: msg`Ask an admin there to end that, or leave the organization.` },
  )
}

function twoFactorOffError(): AppError {
  return new AppError('invalid', msg`Two-factor authentication is not on.`, { excType: 'ValidationError' })
}

async function begin(services: AccountServices, context: MethodContext): Promise<FactorSetup> {
  needFreshPassword(context.session)
  const { user } = context.session
  const secret = await services
    .documents()
    .transaction(impersonate(user, context), (tx) => services.secondFactors.begin(tx.trx, user))
  if (secret === null) {
    throw new AppError('invalid', msg`Two-factor authentication is already on.`, {
      excType: 'ValidationError',
      nextAction: msg`Turn it off to change to another app.`,
    })
  }
  const url = otpauthUrl(secret, user, services.config.productName)
  return { secret, otpauth_url: url, qr: qrPath(url) }
}

async function confirm(services: AccountServices, otp: string, context: MethodContext) {
  needFreshPassword(context.session)
  const { user, id } = context.session
  await services.rateLimiter.hit('two_factor', user)
  const codes = await changed(services, context, 'on', async (tx) => {
    if (!(await services.secondFactors.confirm(tx.trx, user, otp))) {
      throw new AppError('invalid', msg`This code is not right.`, {
        field: 'otp',
        excType: 'ValidationError',
        nextAction: msg`Enter the code that the app shows now. The clocks of phone and server must agree.`,
      })
    }
    // Anyone who knew only the password must be logged out, and logins in progress must fail.
    await services.credentials.renew(tx.trx, user)
    await services.sessions.endAll(tx, user, id)
    if (id !== null) await services.sessions.confirmAndRotate(tx, id, true)
    return services.secondFactors.newRecoveryCodes(tx.trx, user)
  })
  await services.rateLimiter.refund('two_factor', user)
  await context.signIn(user)
  return { recovery_codes: codes }
}

const actions: Readonly<Record<SecondFactorChange, string>> = {
  on: 'account.enable_two_factor',
  off: 'account.disable_two_factor',
  codes: 'account.new_recovery_codes',
}

/** Runs the work in a transaction that also logs the change and emails the user. */
function changed<T>(
  services: AccountServices,
  context: MethodContext,
  change: SecondFactorChange,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { user } = context.session
  return services.documents().transaction(impersonate(user, context), async (tx) => {
    const result = await work(tx)
    // Whether the user lacks what an organization requires is part of the session.
    await services.sessions.changed(tx, user)
    await tx.activity(accountActivity(actions[change], user))
    await services.mailer.send(
      tx.trx,
      secondFactorMail(services.config, user, change, requestDetails(services, context)),
    )
    return result
  })
}

/** A QR code as one SVG path: a square of side 1 per dark module, including the quiet zone. */
function qrPath(text: string): { size: number; path: string } {
  const { size, data: rows } = encode(text, { ecc: 'M', border: 4 })
  const runs = rows.flatMap((row, y) =>
    row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).filter((part) => part !== ''),
  )
  return { size, path: runs.join('') }
}
