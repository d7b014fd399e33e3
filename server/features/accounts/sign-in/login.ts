import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { UserDoctype, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import * as z from 'zod/mini'
import { caller, described, nothing } from '#shared/schema.ts'
import { data } from '#shared/fields.ts'
import { msg, untranslated, type LocalizedMessage } from '#shared/localized-message.ts'
import { accountActivity, recordAccountEvent } from '../account-activity.ts'
import { accountName, impersonate } from '../sessions/impersonation.ts'
import { isNewSignInOrigin } from './known-sign-ins.ts'
import { closeLoginStep, loginStepOf, openLoginStep } from './login-step.ts'
import { tryCode, tryPassword } from './limited-tries.ts'
import { newSignInMail } from '../mails.ts'
import { signInOrigin, requestDetails } from './request-details.ts'
import type { AccountServices } from '../account-services.ts'

/** What a login answers, however the person proved who they are. */
export const loginAnswer = {
  returns: z.nullable(z.literal('Logged In')),
  extras: {
    home_page: z.string(),
    full_name: caller,
    verification: described(
      z.object({ method: z.string(), setup: z.boolean(), prompt: z.string(), token_delivery: z.boolean() }),
      'A code is required; there is no session yet',
    ),
    tmp_id: described(z.string(), 'Names the attempt for three minutes'),
  },
}

/** How somebody proved who they are: by the password or by a login provider. */
type Proof = NonNullable<Parameters<MethodContext['signIn']>[1]>

/** `login`, `logout` and `get_logged_user`. */
export function loginMethods(services: AccountServices): Method[] {
  return [
    defineMethod({
      name: 'login',
      access: 'guest',
      verbs: ['POST'],
      description:
        'Starts a session with email address and password. Wrong address and wrong password answer alike. With a second factor the answer is `verification` and `tmp_id`; a second call with `otp` and `tmp_id` then starts the session.',
      ...loginAnswer,
      params: { usr: data({ length: 254 }), pwd: data({ length: 1000 }), otp: data(), tmp_id: data(), device: data() },
      run: (params, context) => login(services, params, context),
    }),
    defineMethod({
      name: 'logout',
      access: 'guest',
      verbs: ['POST'],
      description: 'Ends the session of the caller.',
      returns: nothing,
      async run(_params, context) {
        const { user, id } = context.session
        if (id !== null) await recordAccountEvent(services, context, 'account.logout', user, 'Done')
        await context.signOut()
        return null
      },
    }),
    loggedUserMethod,
  ]
}

/** Who the caller is. */
export const loggedUserMethod: Method = defineMethod({
  name: 'frappe.auth.get_logged_user',
  access: 'self',
  tokens: 'any',
  verbs: ['GET', 'POST'],
  description: 'The email address of the caller.',
  returns: z.string(),
  run: (_params, context) => Promise.resolve(context.session.user),
})

async function login(
  services: AccountServices,
  params: { usr?: string; pwd?: string; otp?: string; tmp_id?: string },
  context: MethodContext,
): Promise<'Logged In' | undefined> {
  const tmpId = params.tmp_id ?? ''
  if (tmpId !== '') return verifyCode(services, tmpId, params.otp ?? '', context)
  const user = accountName(params.usr)
  const password = params.pwd ?? ''
  if (user === '' || password === '') throw loginError(msg`Incomplete login details`)
  const proof = await tryPassword(services, user, context, (group) =>
    services.credentials.verify(user, password, group),
  )
  const account = await accountOf(services, user, context)
  if (proof === null || account?.enabled !== 1) {
    // The typed name is logged only if it is an account, because people type passwords into the wrong field.
    await recordAccountEvent(services, context, 'account.login', account ? user : 'Guest', 'Denied')
    throw loginError(msg`Invalid login credentials`)
  }
  return afterProof(services, account, { provenWith: proof }, context)
}

/** Starts the session of whoever proved who they are, or answers that a code of the second factor is needed. */
export async function afterProof(
  services: AccountServices,
  account: User,
  proof: Proof,
  context: MethodContext,
): Promise<'Logged In' | undefined> {
  const { db } = services.database
  const { enabled } = await services.secondFactors.state(db, account.name)
  if (!enabled) return finishLogin(services, account, proof, context)
  const verification = {
    method: 'OTP App',
    setup: true,
    prompt: 'Enter the code of your authenticator app, or a recovery code.',
    token_delivery: true,
  }
  context.extra('verification', verification)
  context.extra('tmp_id', await openLoginStep(db, account.name, proof.providerLink))
  return undefined
}

/** The code after the password; the attempt id stands for the user and password of the first step. */
async function verifyCode(
  services: AccountServices,
  tmpId: string,
  otp: string,
  context: MethodContext,
): Promise<'Logged In' | undefined> {
  const step = await loginStepOf(services.database.db, tmpId)
  if (step === null) throw loginError(msg`Login session expired, refresh page to retry`)
  const { user, providerLink } = step
  const used = await tryCode(services, user, context, () =>
    services.documents().transaction(impersonate(user, context), async (tx) => {
      const kind = await services.secondFactors.use(tx.trx, user, otp)
      // If two correct codes arrive at the same time, only one logs in.
      if (kind !== null && !(await closeLoginStep(tx.trx, tmpId)))
        throw loginError(msg`Login session expired, refresh page to retry`)
      return kind === null ? null : await services.credentials.version(tx.trx, user)
    }),
  )
  if (used === null) {
    await recordAccountEvent(services, context, 'account.login', user, 'Denied')
    throw loginError(msg`Incorrect Verification code`)
  }
  const account = await accountOf(services, user, context)
  if (account?.enabled !== 1) throw loginError(msg`Invalid login credentials`)
  return finishLogin(services, account, providerLink === null ? { provenWith: used } : { providerLink }, context)
}

function loginError(message: LocalizedMessage): AppError {
  return new AppError('unauthorized', message, { excType: 'AuthenticationError' })
}

function accountOf(services: AccountServices, user: string, context: MethodContext): Promise<User | null> {
  return services.documents().transaction(impersonate(user, context), (tx) => tx.get(UserDoctype, user))
}

/** Starts the session, and emails the owner if the location is new. */
async function finishLogin(
  services: AccountServices,
  account: User,
  proof: Proof,
  context: MethodContext,
): Promise<'Logged In'> {
  const user = account.name
  await services.documents().transaction(impersonate(user, context), async (tx) => {
    const action = proof.providerLink === undefined ? 'account.login' : 'account.provider_login'
    await tx.activity(accountActivity(action, user, { result: 'Done' }))
    if (!(await isNewSignInOrigin(tx.trx, user, signInOrigin(services, context)))) return
    const details = requestDetails(services, context)
    const detail = untranslated(details.flatMap(([label, value]) => (label === 'Time' ? [] : [value])).join(', '))
    await tx.activity({ ...accountActivity('account.new_sign_in', user), detail })
    await services.mailer.send(tx.trx, newSignInMail(services.config, user, context.ip, details))
  })
  await context.signIn(user, proof)
  context.extra('home_page', '/web')
  context.extra('full_name', account.full_name ?? user)
  return 'Logged In'
}
