import { reauthSeconds } from '#server/contracts/session.ts'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import { withinLimit } from '#server/platform/files/within-limit.ts'
import { UserDoctype, type User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { check, data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { nothing } from '#shared/schema.ts'
import { msg } from '#shared/localized-message.ts'
import { accountActivity, recordAccountEvent } from '../account-activity.ts'
import { accountName, impersonate } from '../sessions/impersonation.ts'
import { withMinimumDuration } from '#server/platform/secrets/minimum-duration.ts'
import { forgetSettings } from '../forget-settings.ts'
import { recognizeDevice, forgetKnownDevices } from '../sign-in/known-devices.ts'
import { tryPasswordInSession } from '../sign-in/limited-tries.ts'
import { isWithdrawn } from './colleague-links.ts'
import { passwordChangedMail, resetMail } from '../mails.ts'
import { dropTokens, issueToken, peekToken, stripPendingSignUps, useToken } from '../sign-up/one-time-tokens.ts'
import { requestDetails } from '../sign-in/request-details.ts'
import { hasMailServer, type AccountServices } from '../account-services.ts'

const LEAST_MS = 150

/** Methods for resetting, changing and confirming passwords. */
export function passwordMethods(services: AccountServices): Method[] {
  return [
    defineMethod({
      name: 'frappe.core.doctype.user.user.reset_password',
      access: 'guest',
      verbs: ['POST'],
      description: 'Sends a link to choose a new password. The response is the same for every address.',
      returns: nothing,
      params: { user: data({ length: 254 }) },
      async run(params, context) {
        const user = accountName(params.user)
        if (user === '') throw new AppError('invalid', msg`Enter your email address.`, { field: 'user' })
        const mailsOne = await mayMail(services, user, context)
        const send = async () => {
          if (mailsOne) await sendReset(services, user, context)
        }
        await withMinimumDuration(LEAST_MS, send, services.sleep)
        context.notice(
          hasMailServer(services)
            ? 'If the address has an account, a link to choose a new password is on its way. The link of an email you got in the last minutes still works.'
            : 'If the address has an account, there is a link to choose a new password. This installation doesn’t send email yet. An admin of your organization can give you another one: it is in your row under Users. Or ask a platform admin for this one: it is under Platform, Outbox.',
          'Password Email Sent',
        )
        return undefined
      },
    }),
    defineMethod({
      name: 'frappe.core.doctype.user.user.update_password',
      access: 'guest',
      verbs: ['POST'],
      description:
        'Sets a new password, by the key of a mail or by the old password. Ends the other sessions. Answers with the page to go to.',
      returns: z.string(),
      params: {
        new_password: data({ reqd: true, length: 1000 }),
        key: data({ length: 200 }),
        old_password: data({ length: 1000 }),
        logout_all_sessions: check(),
      },
      run(params, context) {
        const next = String(params.new_password ?? '')
        return typeof params.key === 'string' && params.key !== ''
          ? setPasswordWithKey(services, params.key, next, context)
          : setPasswordWithOld(services, String(params.old_password ?? ''), next, context)
      },
    }),
    defineMethod({
      name: 'easydash.api.account.check_password_link',
      access: 'guest',
      // Not GET: addresses of requests are logged, and the key would be in it.
      verbs: ['POST'],
      description:
        'Whether the key of a mail still works for `update_password`: answers nothing, or 410 if it was used, expired, or never existed.',
      returns: nothing,
      params: { key: data({ reqd: true, length: 200 }) },
      async run(params, context) {
        await services.rateLimiter.hit('reset_link_ip', { address: context.ip })
        await accountOfKey(services, String(params.key), context)
        return undefined
      },
    }),
    defineMethod({
      name: 'easydash.api.account.confirm_password',
      access: 'self',
      verbs: ['POST'],
      description: "Confirms the caller's password; for ten minutes the session can perform actions that require it.",
      returns: z.object({ valid_seconds: z.int() }),
      params: { password: data({ reqd: true, length: 1000 }) },
      run: (params, context) => confirm(services, String(params.password ?? ''), context),
    }),
  ]
}

/**
 * Counts a request for a reset email, equally for accounts that do not exist. Throws if this requester has made too many;
 * requests by others do not count against them. Returns false if an email requested by strangers was sent a moment ago: its
 * link still works.
 */
async function mayMail(services: AccountServices, user: string, context: MethodContext): Promise<boolean> {
  const { rateLimiter } = services
  const known = await recognizeDevice(services.database.db, user, context)
  if (known.by === 'cookie') {
    await rateLimiter.hit('reset_account', `${user} device ${known.hash}`)
    return true
  }
  await rateLimiter.hit('reset_ip', { address: context.ip })
  await rateLimiter.hit('reset_account', { name: user, address: context.ip })
  return withinLimit(rateLimiter.hit('reset_mail', user))
}

async function sendReset(services: AccountServices, user: string, context: MethodContext): Promise<void> {
  await services.documents().transaction(impersonate(user, context), async (tx) => {
    const account = await tx.get(UserDoctype, user)
    if (account?.enabled !== 1) return
    const key = await issueToken(tx.trx, 'reset', user)
    await services.mailer.send(tx.trx, resetMail(services.config, user, key, requestDetails(services, context)))
    await tx.activity(accountActivity('account.reset_password', user))
  })
}

function expired(): AppError {
  return new AppError('gone', msg`This link was used already, is older than 30 minutes, or was withdrawn.`, {
    excType: 'LinkExpired',
    nextAction: msg`Ask for a new one on the page "Forgot password".`,
  })
}

function hashFor(services: AccountServices, account: User, password: string, turn: string): Promise<string> {
  const about = [account.first_name, account.last_name ?? '', account.name, services.config.productName]
  // Holders of an emailed key or a session count as known.
  return services.credentials.hash(password, about, 'new_password', { key: turn, known: true })
}

/** The account whose password a key can set. Throws AppError `gone`, which is the same for every key that doesn't work. */
async function accountOfKey(services: AccountServices, key: string, context: MethodContext): Promise<User> {
  const open = await peekToken(services.database.db, 'reset', key)
  const user = open?.user ?? null
  if (open === null || user === null) throw expired()
  return services.documents().transaction(impersonate(user, context), async (tx) => {
    const account = await tx.get(UserDoctype, user)
    const { givenBy } = open.data
    if (account?.enabled !== 1 || (givenBy && (await isWithdrawn(tx, givenBy, user)))) throw expired()
    return account
  })
}

/** The key proves ownership of the mailbox, or the word of an admin. All sessions of the account end, and the user logs in with the new password. */
async function setPasswordWithKey(
  services: AccountServices,
  key: string,
  next: string,
  context: MethodContext,
): Promise<string> {
  const account = await accountOfKey(services, key, context)
  // A weak password must not consume the link.
  const passwordHash = await hashFor(services, account, next, `reset ${account.name}`)
  await services.documents().transaction(impersonate(account.name, context), async (tx) => {
    await transactionLock(tx, `account:${account.name}`)
    const used = await useToken(tx.trx, 'reset', key)
    const givenBy = used?.data.givenBy
    if (!used || (givenBy && (await isWithdrawn(tx, givenBy, account.name)))) throw expired()
    await dropTokens(tx.trx, 'reset', account.name)
    await services.credentials.store(tx.trx, account.name, passwordHash, givenBy?.organization ?? null)
    await services.sessions.endAll(tx, account.name)
    await forgetKnownDevices(tx.trx, account.name)
    // The mailbox is proven for the first time: the account's settings may come from somebody else who signed up with this
    // address.
    const stored = await tx.get(UserDoctype, account.name)
    if (stored?.email_verified !== 1) {
      await stripPendingSignUps(tx.trx, account.name)
      await forgetSettings(services, tx, account.name)
    }
    await services.mailer.send(
      tx.trx,
      passwordChangedMail(services.config, account.name, requestDetails(services, context)),
    )
    await tx.activity(
      accountActivity(
        'account.change_password',
        account.name,
        givenBy?.admin === undefined ? {} : { after: { link_given_by: givenBy.admin } },
      ),
    )
  })
  // Failed guesses from elsewhere must not lock the user out now.
  await context.rememberDevice(account.name)
  return '/web/login'
}

/** The old password serves as the confirmation. Other sessions end, and this one gets a new cookie. */
async function setPasswordWithOld(
  services: AccountServices,
  old: string,
  next: string,
  context: MethodContext,
): Promise<string> {
  const { user, id } = context.session
  if (id === null) throw new AppError('forbidden', msg`Log in to change your password.`, { excType: 'PermissionError' })
  const proof = await assertPassword(services, { user, id }, old, 'old_password', context)
  const account = await services.documents().transaction(impersonate(user, context), (tx) => tx.get(UserDoctype, user))
  if (!account) throw new AppError('forbidden', msg`Log in to change your password.`, { excType: 'PermissionError' })
  const passwordHash = await hashFor(services, account, next, `session ${id}`)
  await services.documents().transaction(impersonate(user, context), async (tx) => {
    await transactionLock(tx, `account:${user}`)
    // A concurrent reset by email must win: otherwise anyone who knew the old password could undo it with a change already
    // in progress.
    if ((await services.credentials.version(tx.trx, user)) !== proof) throw wrongPassword('old_password')
    await dropTokens(tx.trx, 'reset', user)
    await services.credentials.store(tx.trx, user, passwordHash)
    await services.sessions.endAll(tx, user, id)
    await forgetKnownDevices(tx.trx, user)
    await services.sessions.confirmAndRotate(tx, id, true)
    await services.mailer.send(tx.trx, passwordChangedMail(services.config, user, requestDetails(services, context)))
    await tx.activity(accountActivity('account.change_password', user))
  })
  await context.signIn(user)
  return '/web'
}

async function confirm(
  services: AccountServices,
  password: string,
  context: MethodContext,
): Promise<{ valid_seconds: number }> {
  const { user, id } = context.session
  if (id === null)
    throw new AppError('forbidden', msg`Only a logged-in browser can confirm a password.`, {
      excType: 'PermissionError',
    })
  await assertPassword(services, { user, id }, password, 'password', context)
  await services
    .documents()
    .transaction(impersonate(user, context), (tx) => services.sessions.confirmAndRotate(tx, id, true))
  await context.signIn(user)
  return { valid_seconds: reauthSeconds }
}

/** @returns the version of the password (`Credentials.version`) */
async function assertPassword(
  services: AccountServices,
  { user, id }: { user: string; id: string },
  password: string,
  field: string,
  context: MethodContext,
): Promise<string> {
  const proof = await tryPasswordInSession(services, user, id, (group) =>
    services.credentials.verify(user, password, group),
  )
  if (proof !== null) return proof
  await recordAccountEvent(services, context, 'account.confirm_password', user, 'Denied')
  throw wrongPassword(field)
}

function wrongPassword(field: string): AppError {
  return new AppError('invalid', msg`This is not your password.`, { field, excType: 'ValidationError' })
}
