import { reauthSeconds } from '#server/documents/actions.ts'
import type { Method, MethodContext } from '#server/documents/types.ts'
import type { User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { check, data } from '#shared/fields.ts'
import { nothingShape, objectShape, textShape, wholeShape } from '#shared/json-schema.ts'
import { say } from '#shared/sentence.ts'
import { accountName, actingAs } from './acting.ts'
import { oneAtATime } from './create-account.ts'
import { equalTime } from './equal-time.ts'
import { forgetSettings } from './forget-settings.ts'
import { checkLimited, record } from './login.ts'
import { passwordChangedMail, resetMail } from './mails.ts'
import { dropTokens, issueToken, peekToken, settleSignUps, useToken } from './one-time-tokens.ts'
import { requestFacts } from './request-facts.ts'
import { hasMailServer, type AccountsRoom } from './room.ts'

const LEAST_MS = 150

/** The methods around forgotten, changed and confirmed passwords. */
export function passwordMethods(room: AccountsRoom): Method[] {
  return [
    {
      name: 'frappe.core.doctype.user.user.reset_password',
      access: 'guest',
      verbs: ['POST'],
      description: 'Sends a link to choose a new password. Answers alike for every address.',
      returns: nothingShape,
      params: { user: data({ length: 254 }) },
      async run(params, context) {
        const user = accountName(params['user'])
        if (user === '') throw new AppError('invalid', say`Enter your email address.`, { field: 'user' })
        await room.rateLimiter.hit('reset_ip', context.ip)
        await room.rateLimiter.hit('reset_account', user)
        await equalTime(LEAST_MS, () => sendReset(room, user, context))
        context.notice(
          hasMailServer(room)
            ? 'If the address has an account, a link to choose a new password is on its way.'
            : 'If the address has an account, there is a link to choose a new password. This installation sends no mail yet: ask whoever runs it for the link.',
          'Password Email Sent',
        )
        return undefined
      },
    },
    {
      name: 'frappe.core.doctype.user.user.update_password',
      access: 'guest',
      verbs: ['POST'],
      description:
        'Sets a new password, by the key of a mail or by the old password. Ends the other sessions. Answers with the page to go to.',
      returns: textShape,
      params: {
        new_password: data({ reqd: true, length: 1000 }),
        key: data({ length: 200 }),
        old_password: data({ length: 1000 }),
        logout_all_sessions: check(),
      },
      run(params, context) {
        const next = String(params['new_password'] ?? '')
        return typeof params['key'] === 'string' && params['key'] !== ''
          ? setByKey(room, params['key'], next, context)
          : setByOld(room, String(params['old_password'] ?? ''), next, context)
      },
    },
    {
      name: 'easydash.api.account.confirm_password',
      access: 'self',
      verbs: ['POST'],
      description: "Checks the caller's password again; for ten minutes the session may do what needs a fresh check.",
      returns: objectShape({ valid_seconds: wholeShape }),
      params: { password: data({ reqd: true, length: 1000 }) },
      run: (params, context) => confirm(room, String(params['password'] ?? ''), context),
    },
  ]
}

async function sendReset(room: AccountsRoom, user: string, context: MethodContext): Promise<void> {
  await room.documents().transaction(actingAs(user, context), async (tx) => {
    const account = await tx.get<User>('User', user)
    if (account?.enabled !== 1) return
    const key = await issueToken(tx.trx, 'reset', user)
    await room.mailer.send(tx.trx, resetMail(room.config, user, key, requestFacts(room, context)))
    await tx.activity({
      action: 'account.reset_password',
      actor: user,
      result: 'Started',
      reference_doctype: 'User',
      reference_name: user,
      reference_title: user,
    })
  })
}

function expired(): AppError {
  return new AppError('gone', say`This link was used already or is older than 30 minutes.`, {
    excType: 'LinkExpired',
    nextAction: say`Ask for a new one on the page "Forgot password".`,
  })
}

function hashFor(room: AccountsRoom, account: User, password: string): Promise<string> {
  const about = [account.first_name, account.last_name ?? '', account.name, room.config.productName]
  return room.credentials.hash(password, about, 'new_password')
}

/** The key proves the mailbox; every session of the account ends, and the person logs in with the new password. */
async function setByKey(room: AccountsRoom, key: string, next: string, context: MethodContext): Promise<string> {
  const open = await peekToken(room.database.db, 'reset', key)
  const user = open?.user ?? null
  const account =
    user === null
      ? null
      : await room.documents().transaction(actingAs(user, context), (tx) => tx.get<User>('User', user))
  if (!account || account.enabled !== 1) throw expired()
  // A password that is too weak must not use the link up.
  const passwordHash = await hashFor(room, account, next)
  await room.documents().transaction(actingAs(account.name, context), async (tx) => {
    await oneAtATime(tx, `account:${account.name}`)
    if (!(await useToken(tx.trx, 'reset', key))) throw expired()
    await dropTokens(tx.trx, 'reset', account.name)
    await room.credentials.store(tx.trx, account.name, passwordHash)
    await room.sessions.endAll(tx, account.name)
    // The first proof of the mailbox: what stands in the account may be somebody else's, who signed up with its address.
    const stored = await tx.get<User>('User', account.name)
    if (stored?.email_verified !== 1) {
      await settleSignUps(tx.trx, account.name)
      await forgetSettings(room, tx, account.name)
    }
    await room.mailer.send(tx.trx, passwordChangedMail(room.config, account.name, requestFacts(room, context)))
    await tx.activity({
      action: 'account.change_password',
      actor: account.name,
      reference_doctype: 'User',
      reference_name: account.name,
      reference_title: account.name,
    })
  })
  return '/web/login'
}

/** The old password is the fresh check here; the other sessions end and the own one gets a new cookie. */
async function setByOld(room: AccountsRoom, old: string, next: string, context: MethodContext): Promise<string> {
  const { user, id } = context.session
  if (id === null) throw new AppError('forbidden', say`Log in to change your password.`, { excType: 'PermissionError' })
  await refuseWrongPassword(room, user, old, 'old_password', context)
  const account = await room.documents().transaction(actingAs(user, context), (tx) => tx.get<User>('User', user))
  if (!account) throw new AppError('forbidden', say`Log in to change your password.`, { excType: 'PermissionError' })
  const passwordHash = await hashFor(room, account, next)
  await room.documents().transaction(actingAs(user, context), async (tx) => {
    await dropTokens(tx.trx, 'reset', user)
    await room.credentials.store(tx.trx, user, passwordHash)
    await room.sessions.endAll(tx, user, id)
    await room.sessions.confirmAndRotate(tx, id, true)
    await room.mailer.send(tx.trx, passwordChangedMail(room.config, user, requestFacts(room, context)))
    await tx.activity({
      action: 'account.change_password',
      actor: user,
      reference_doctype: 'User',
      reference_name: user,
      reference_title: user,
    })
  })
  await context.signIn(user)
  return '/web'
}

async function confirm(
  room: AccountsRoom,
  password: string,
  context: MethodContext,
): Promise<{ valid_seconds: number }> {
  const { user, id } = context.session
  if (id === null)
    throw new AppError('forbidden', say`Only a logged-in browser can confirm a password.`, {
      excType: 'PermissionError',
    })
  await refuseWrongPassword(room, user, password, 'password', context)
  await room.documents().transaction(actingAs(user, context), (tx) => room.sessions.confirmAndRotate(tx, id, true))
  await context.signIn(user)
  return { valid_seconds: reauthSeconds }
}

async function refuseWrongPassword(
  room: AccountsRoom,
  user: string,
  password: string,
  field: string,
  context: MethodContext,
): Promise<void> {
  if (await checkLimited(room, user, password, context.ip)) return
  await record(room, context, 'account.confirm_password', user, 'Denied')
  throw new AppError('invalid', say`This is not your password.`, { field, excType: 'ValidationError' })
}
