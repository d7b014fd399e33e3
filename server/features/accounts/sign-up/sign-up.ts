import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { widestAddressGroup } from '#server/platform/network/address-groups.ts'
import type { QueueGroup } from '#server/platform/fair-queue.ts'
import { withinLimit } from '#server/platform/files/within-limit.ts'
import { signUpResponse, type SignUpResponse } from '#shared/responses/sign-up.ts'
import { AppError } from '#shared/errors.ts'
import { check, data, select } from '#shared/fields.ts'
import { checkEmail } from '#shared/rules/formats.ts'
import { planNames, type PlanName } from '#shared/rules/plans.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { accountActivity } from '../account-activity.ts'
import { accountName, impersonate } from '../sessions/impersonation.ts'
import { insertAccount, type NewAccount } from './create-account.ts'
import { withMinimumDuration } from '#server/platform/secrets/minimum-duration.ts'
import { accountExistsMail, verificationMail } from '../mails.ts'
import { issueToken, useToken } from './one-time-tokens.ts'
import { requestDetails } from '../sign-in/request-details.ts'
import { hasMailServer, type AccountServices } from '../account-services.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

/** Longer than any sign-up path takes on an idle machine: hashing and writing a few rows. */
const LEAST_MS = 400

/** Whether the installation has an account. Once true, the result is cached. */
export function accountsExist(documents: () => Documents): () => Promise<boolean> {
  let known = false
  return async () => {
    known ||= await documents().transaction(systemSession('schedule'), anyAccount)
    return known
  }
}

async function anyAccount(tx: Tx): Promise<boolean> {
  const found = await tx.listFields(UserDoctype, ['name'], [], { order_by: 'name', limit: 1 })
  return found.length > 0
}

interface SignUpRequest {
  email: string
  password: string
  first_name: string
  last_name: string | null
  accept_newsletter: 0 | 1
  org_sku: PlanName | null
}

/** `sign_up`: creates the first account with the setup token, and later ones once their mailbox is verified. */
export function signUpMethod(services: AccountServices, hasAccounts: () => Promise<boolean>): Method {
  return defineMethod({
    name: 'easydash.api.account.sign_up',
    access: 'guest',
    verbs: ['POST'],
    description:
      'Makes an account. The first one of an installation needs the setup token from the terminal and is signed in; later ones verify their email address first.',
    params: {
      first_name: data({ length: 60 }),
      last_name: data({ length: 60 }),
      email: data({ length: 254 }),
      password: data({ length: 1000 }),
      accept_newsletter: check(),
      termsAndCondition: check(),
      invite_token: data({ length: 200 }),
      setup_token: data({ length: 200 }),
      org_sku: select(planNames),
    },
    returns: signUpResponse,
    async run(params, context): Promise<SignUpResponse> {
      const setupToken = typeof params.setup_token === 'string' ? params.setup_token : ''
      const isFirst = !(await hasAccounts())
      const inviteToken = typeof params.invite_token === 'string' ? params.invite_token : ''
      assertSignUpOpen(services, isFirst, setupToken, inviteToken)
      const wanted = signUpRequestOf(params)
      if (isFirst) return signUpFirst(services, wanted, setupToken, context)
      await services.rateLimiter.hit('signup_ip', { address: context.ip })
      // Checked before any lookup by address: only the invitation matters here.
      const invitation = inviteToken === '' ? null : await invitationFor(services, inviteToken, wanted.email, context)
      await withMinimumDuration(LEAST_MS, () => signUpLater(services, wanted, invitation, context), services.sleep)
      const mailServer = hasMailServer(services)
      return {
        status: 'check_mail',
        message: mailServer
          ? `Check your email: we sent a message to ${wanted.email}.`
          : invitation !== null
            ? 'Log in. The people who invited you confirm your account.'
            : `This installation doesn’t send email. Ask a platform admin for the message to ${wanted.email}.`,
        redirect: '/web/login',
        mail_server: mailServer,
      }
    },
  })
}

/** The invitation for a token. It permits signing up, but does not prove who owns the mailbox. */
function invitationFor(
  services: AccountServices,
  token: string,
  email: string,
  context: MethodContext,
): Promise<string> {
  return services.documents().transaction(context.session, (tx) => services.invitations.check(tx, token, email))
}

function assertSignUpOpen(services: AccountServices, isFirst: boolean, setupToken: string, inviteToken: string): void {
  if (isFirst && setupToken === '') {
    throw new AppError('forbidden', msg`The first account needs the one-time setup link.`, {
      nextAction: msg`Open the link printed in the terminal where Easydash was started; starting it again prints a new one.`,
    })
  }
  if (!isFirst && setupToken !== '') throw usedSetupLink()
  if (!isFirst && services.config.signup === 'invite' && inviteToken === '') {
    throw new AppError('forbidden', msg`New accounts need an invitation here.`, {
      nextAction: msg`Ask somebody with an account to invite you.`,
    })
  }
}

function usedSetupLink(): AppError {
  return new AppError('gone', msg`This setup link is not valid any more.`, {
    excType: 'LinkExpired',
    nextAction: msg`While there is no account, the terminal shows a new link at each start; afterwards log in.`,
  })
}

/** Validates the form; throws one error with a message per invalid field. */
function signUpRequestOf(params: Record<string, unknown>): SignUpRequest {
  const text = (name: string) => (typeof params[name] === 'string' ? (params[name] as string).trim() : '')
  const email = accountName(params.email)
  const password = typeof params.password === 'string' ? params.password : ''
  const messages = [
    {
      field: 'first_name',
      message: text('first_name') === '' ? msg`Enter your first name.` : longer(text('first_name'), 60),
    },
    { field: 'last_name', message: longer(text('last_name'), 60) },
    { field: 'email', message: checkEmail(email) },
    { field: 'password', message: password === '' ? msg`Choose a password.` : null },
    {
      field: 'termsAndCondition',
      message: isTrue(params.termsAndCondition) ? null : msg`Accept the terms to sign up.`,
    },
    { field: 'org_sku', message: plan(text('org_sku')) === undefined ? msg`There is no such plan.` : null },
  ].filter((one): one is { field: string; message: LocalizedMessage } => one.message !== null)
  const first = messages[0]
  if (first) throw new AppError('invalid', first.message, { field: first.field, messages, excType: 'ValidationError' })
  return {
    email,
    password,
    first_name: text('first_name'),
    last_name: text('last_name') || null,
    accept_newsletter: isTrue(params.accept_newsletter) ? 1 : 0,
    org_sku: plan(text('org_sku')) ?? null,
  }
}

const isTrue = (value: unknown) => value === 1 || value === true || value === '1' || value === 'true'
const longer = (text: string, most: number) => ([...text].length > most ? `Use ${most} characters at the most.` : null)

/** The requested plan; null for none, undefined if unknown. */
function plan(name: string): PlanName | null | undefined {
  return name === '' ? null : planNames.find((known) => known === name)
}

/** Queue for password hashing, shared by everybody at the same address. */
const unknownCallerGroup = ({ ip }: MethodContext): QueueGroup => ({ key: widestAddressGroup(ip), known: false })

async function accountOf(
  services: AccountServices,
  wanted: SignUpRequest,
  rights: { verified: boolean; platformAdmin: boolean },
  group: QueueGroup,
): Promise<NewAccount> {
  const { password, ...account } = wanted
  const passwordHash = await services.credentials.hash(
    password,
    [wanted.first_name, wanted.last_name ?? '', wanted.email, services.config.productName],
    'password',
    group,
  )
  return { ...account, ...rights, passwordHash }
}

/** Concurrent first sign-ups are serialized and the token works once, so only one succeeds. */
async function signUpFirst(
  services: AccountServices,
  wanted: SignUpRequest,
  setupToken: string,
  context: MethodContext,
): Promise<SignUpResponse> {
  const account = await accountOf(
    services,
    wanted,
    { verified: true, platformAdmin: true },
    unknownCallerGroup(context),
  )
  await services.documents().transaction(impersonate(wanted.email, context), async (tx) => {
    await transactionLock(tx, 'first-account')
    if (await anyAccount(tx)) throw usedSetupLink()
    if (!(await useToken(tx.trx, 'setup', setupToken))) throw usedSetupLink()
    await insertAccount(services, tx, account)
    await tx.activity(accountActivity('account.login', wanted.email, { result: 'Done' }))
  })
  await context.signIn(wanted.email)
  return { status: 'signed_in', message: 'Welcome.', redirect: '/web', mail_server: hasMailServer(services) }
}

/** Known and unknown addresses must be indistinguishable to everybody except the mailbox owner. */
async function signUpLater(
  services: AccountServices,
  wanted: SignUpRequest,
  invitation: string | null,
  context: MethodContext,
): Promise<void> {
  const account = await accountOf(
    services,
    wanted,
    { verified: false, platformAdmin: false },
    unknownCallerGroup(context),
  )
  const { email } = wanted
  const details = requestDetails(services, context)
  // Counted and checked for every address, so that all take the same time. The sign-up is stored even if no email is sent:
  // links sent earlier then require a new password, because somebody signed up with a different one.
  const mails = await withinLimit(services.rateLimiter.hit('verify_mail', email))
  const isSamePassword = await services.credentials.check(email, wanted.password, unknownCallerGroup(context))
  await services.documents().transaction(impersonate(email, context), async (tx) => {
    await transactionLock(tx, `account:${email}`)
    const known = await tx.get(UserDoctype, email)
    // Noted for every address, so that the invitation does not tell which of them have an account.
    if (invitation !== null && !hasMailServer(services)) await services.invitations.signedUp(tx, invitation)
    if (known?.email_verified) {
      if (mails) await services.mailer.send(tx.trx, accountExistsMail(services.config, email, details))
      return
    }
    if (!known) await insertAccount(services, tx, account)
    // Somebody who signs up with another person's address must not be able to choose that person's password. So each link
    // carries the password and names of its own sign-up, and `completeSignUp` decides. Signing up again with the same password
    // keeps the hash.
    const stored = isSamePassword ? await services.credentials.current(tx.trx, email) : null
    const signUp = {
      password_hash: stored ?? account.passwordHash,
      first_name: account.first_name,
      last_name: account.last_name,
      accept_newsletter: account.accept_newsletter,
      org_sku: account.org_sku,
    }
    const token = await issueToken(tx.trx, 'verify', email, { signUp, ...(invitation !== null && { invitation }) })
    if (mails) await services.mailer.send(tx.trx, verificationMail(services.config, email, token, details))
  })
}
