import { confirmed, linkSent, waitingFor, type Confirmed, type LinkSent } from '#shared/responses/verification.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { UserDoctype, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { nothing } from '#shared/schema.ts'
import { checkEmail } from '#shared/rules/formats.ts'
import { msg } from '#shared/localized-message.ts'
import { accountName, impersonate } from '../sessions/impersonation.ts'
import { withMinimumDuration } from '#server/platform/secrets/minimum-duration.ts'
import { tryPassword } from '../sign-in/limited-tries.ts'
import { accountExistsMail, verificationMail } from '../mails.ts'
import {
  dropTokens,
  issueToken,
  newestToken,
  ownInvitation,
  peekToken,
  useToken,
  type TokenRow,
} from './one-time-tokens.ts'
import { renameUser } from '../rename-user.ts'
import { requestDetails } from '../sign-in/request-details.ts'
import { hasMailServer, type AccountServices } from '../account-services.ts'
import { completeSignUp, markVerified } from './complete-sign-up.ts'

const LEAST_MS = 150

/** Methods for verifying email addresses. */
export function verificationMethods(services: AccountServices): Method[] {
  return [
    defineMethod({
      name: 'easydash.api.account.verify_email',
      access: 'guest',
      verbs: ['POST'],
      description:
        'Verifies the email address a link was sent to. The link works once, signed in or not. After sign-ups with different passwords for the address the password of the sign-up must be sent along; else a new one is chosen at `redirect`.',
      returns: confirmed,
      params: { token: data({ reqd: true, length: 200 }), password: data({ length: 1000 }) },
      run: ({ token, password }, context) =>
        verify(services, String(token), typeof password === 'string' ? password : null, context),
    }),
    defineMethod({
      name: 'easydash.api.account.resend_verification',
      access: 'self',
      verbs: ['POST'],
      description: 'Sends the verification email again, to the address that is not confirmed yet.',
      returns: linkSent,
      async run(_params, context): Promise<LinkSent> {
        const { user } = context.session
        const email = (await pendingEmail(services, user)) ?? user
        if (!(await isVerified(services, user, context))) await sendLink(services, user, email, context)
        return { email, mail_server: hasMailServer(services) }
      },
    }),
    defineMethod({
      name: 'easydash.api.account.change_unverified_email',
      access: 'self',
      verbs: ['POST'],
      description:
        'Sends the verification mail of a new account to another address. The account takes that name when the link is followed.',
      returns: linkSent,
      params: { email: data({ reqd: true, length: 254 }) },
      async run(params, context) {
        const { user } = context.session
        const email = accountName(params.email)
        const problem = checkEmail(email)
        if (problem) throw new AppError('invalid', problem, { field: 'email', excType: 'InvalidEmailAddressError' })
        if (await isVerified(services, user, context)) {
          throw new AppError('invalid', msg`Your email address is verified already.`, { field: 'email' })
        }
        await sendLink(services, user, email, context)
        return { email, mail_server: hasMailServer(services) }
      },
    }),
    defineMethod({
      name: 'easydash.api.account.waiting_for',
      access: 'self',
      verbs: ['GET', 'POST'],
      description:
        'Who confirms the caller where no email can: the organization and the person of the invitation that was used, or that it has ended. Null with a mail server, and without an invitation.',
      returns: z.nullable(waitingFor),
      async run(_params, { session, documents }) {
        if (hasMailServer(services)) return null
        const invitation = await ownInvitation(services.database.db, session.user)
        if (invitation === null) return null
        return documents.transaction(session, (tx) => services.invitations.waitingFor(tx, invitation))
      },
    }),
    defineMethod({
      name: 'easydash.api.account.ask_for_confirmation',
      access: 'self',
      verbs: ['POST'],
      description:
        'Without a mail server: asks the people of an invitation to confirm the caller, whose unverified account it is for.',
      params: { token: data({ reqd: true, length: 200 }) },
      returns: nothing,
      run: ({ token }, context) => askForConfirmation(services, String(token), context),
    }),
    defineMethod({
      name: 'easydash.api.user.is_verified',
      access: 'self',
      verbs: ['GET', 'POST'],
      description:
        'Whether the caller has verified an email address. It answers about the caller only, whatever address is sent.',
      returns: z.boolean(),
      params: { email: data({ length: 254 }) },
      run: (_params, context) => isVerified(services, context.session.user, context),
    }),
  ]
}

async function askForConfirmation(services: AccountServices, token: string, context: MethodContext): Promise<null> {
  const { session } = context
  if (hasMailServer(services))
    throw new AppError('invalid', msg`Your address is confirmed by email here.`, { field: 'token' })
  return services.documents().transaction(impersonate(session.user, context), async (tx) => {
    await transactionLock(tx, `account:${session.user}`)
    const invitation = await services.invitations.check(tx, token, session.user)
    await services.invitations.signedUp(tx, invitation)
    // The page of an invitation asks by itself, each time that it is opened.
    if ((await ownInvitation(tx.trx, session.user)) === invitation) return null
    await services.rateLimiter.hit('verify_account', `${session.user} session ${session.id}`, tx.trx)
    await issueToken(tx.trx, 'verify', session.user, { invitation })
    return null
  })
}

/** The new address that an unverified account is waiting to verify; null if it is the account's own. */
export async function pendingEmail(services: Pick<AccountServices, 'database'>, user: string): Promise<string | null> {
  return (await newestToken(services.database.db, 'verify', user))?.data.email ?? null
}

async function isVerified(services: AccountServices, user: string, context: MethodContext): Promise<boolean> {
  const account = await services.documents().transaction(impersonate(user, context), (tx) => tx.get(UserDoctype, user))
  return account?.email_verified === 1
}

/** Sends a verification link. Only the owner of an address learns that it already has an account. */
async function sendLink(services: AccountServices, user: string, email: string, context: MethodContext): Promise<void> {
  // Limited per session: other people who signed up with this address have their own limit.
  await services.rateLimiter.hit('verify_account', `${user} session ${context.session.id}`)
  await services.rateLimiter.hit(email === user ? 'verify_mail' : 'change_mail', email)
  const details = requestDetails(services, context)
  const send = () =>
    services.documents().transaction(impersonate(user, context), async (tx) => {
      const other = email === user ? null : await tx.get(UserDoctype, email)
      // A resent link still joins the organization whose invitation was used.
      const invitation = await ownInvitation(tx.trx, user)
      const own = invitation === null ? {} : { invitation }
      const token = await issueToken(tx.trx, 'verify', user, email === user ? own : { email })
      await services.mailer.send(
        tx.trx,
        other
          ? accountExistsMail(services.config, email, details)
          : verificationMail(services.config, email, token, details, email === user ? null : user),
      )
    })
  await withMinimumDuration(LEAST_MS, send, services.sleep)
}

function expired(): AppError {
  return new AppError('gone', msg`This link was used already or is older than 24 hours.`, {
    excType: 'LinkExpired',
    nextAction: msg`Log in; if your address is not verified yet, ask for a new link there.`,
  })
}

async function verify(
  services: AccountServices,
  token: string,
  password: string | null,
  context: MethodContext,
): Promise<Confirmed> {
  const { session } = context
  const open = await peekToken(services.database.db, 'verify', token)
  if (!open?.user) throw expired()
  const knowsPassword = password !== null && (await isPasswordOf(services, open, password, context))
  const isOwnSession = session.id !== null && session.user === open.user
  const done = await services.documents().transaction(impersonate(open.user, context), async (tx) => {
    await transactionLock(tx, `account:${open.user}`)
    const row = await useToken(tx.trx, 'verify', token)
    if (!row?.user || row.user !== open.user) throw expired()
    const account = await tx.get(UserDoctype, row.user, { lock: true })
    if (!account || account.email_verified === 1 || account.enabled !== 1) throw expired()
    const email = await takeAddress(tx, row, account)
    const proof = { session: isOwnSession ? session.id : null, knowsPassword }
    const key = await completeSignUp(services, tx, { name: email }, row, proof)
    await markVerified(tx, account, email)
    const { invitation } = row.data
    if (invitation !== undefined) await services.invitations.joinVerified(tx, invitation, email)
    await services.sessions.changed(tx, row.user)
    // The session gains permissions here, so its cookie is rotated.
    if (isOwnSession && session.id !== null) await services.sessions.confirmAndRotate(tx, session.id, false)
    return { email, key }
  })
  const { email, key } = done
  if (isOwnSession) await context.signIn(email)
  else await context.rememberDevice(email)
  if (key !== null) return { email, redirect: `/web/reset-password?key=${key}`, choose_password: true }
  return { email, redirect: isOwnSession ? '/web' : '/web/login', choose_password: false }
}

/** Whether the password matches the link's sign-up. Throws if it does not; counts against the login limits. */
async function isPasswordOf(
  services: AccountServices,
  { user, data }: TokenRow,
  password: string,
  context: MethodContext,
): Promise<boolean> {
  const right = await tryPassword(services, user ?? '', context, async (group) => {
    const isRight = data.signUp
      ? await services.credentials.matches(data.signUp.password_hash, password, group)
      : await services.credentials.check(user ?? '', password, group)
    return isRight || null
  })
  if (right === null)
    throw new AppError('invalid', msg`This is not the password of this sign-up.`, {
      field: 'password',
      excType: 'ValidationError',
      nextAction: msg`Leave it empty to choose a new one.`,
    })
  return true
}

/** Changes the account's address to the one the link was sent to. Another account may have taken it meanwhile. */
async function takeAddress(tx: Tx, row: TokenRow, account: User): Promise<string> {
  const email = row.data.email ?? account.name
  if (email === account.name) return email
  await transactionLock(tx, `account:${email}`)
  const other = await tx.get(UserDoctype, email)
  if (other) throw expired()
  // A reset key sent to the old address must not work for the renamed account.
  await dropTokens(tx.trx, 'reset', account.name)
  await renameUser(tx, account.name, email)
  return email
}
