import type { Method, MethodContext } from '#server/documents/types.ts'
import type { User } from '#shared/doctypes/user.ts'
import { AppError } from '#shared/errors.ts'
import { nothingShape, textShape } from '#shared/json-schema.ts'
import { data } from '#shared/fields.ts'
import { accountName, actingAs } from './acting.ts'
import type { AccountsRoom } from './room.ts'

/** `login`, `logout` and the two forms of "who am I". */
export function loginMethods(room: AccountsRoom): Method[] {
  return [
    {
      name: 'login',
      access: 'guest',
      verbs: ['POST'],
      description: 'Starts a session with e-mail address and password. Wrong address and wrong password answer alike.',
      returns: { const: 'Logged In' },
      extras: { home_page: textShape, full_name: textShape },
      params: { usr: data({ length: 254 }), pwd: data({ length: 1000 }), otp: data(), tmp_id: data(), device: data() },
      run: (params, context) => login(room, params, context),
    },
    {
      name: 'logout',
      access: 'guest',
      verbs: ['POST'],
      description: 'Ends the session of the caller.',
      returns: nothingShape,
      async run(_params, context) {
        const { user, id } = context.session
        if (id !== null) await record(room, context, 'account.logout', user, 'Done')
        await context.signOut()
        return null
      },
    },
    {
      name: 'frappe.auth.get_logged_user',
      access: 'self',
      tokens: 'any',
      verbs: ['GET', 'POST'],
      description: 'The e-mail address of the caller.',
      returns: textShape,
      run: (_params, context) => Promise.resolve(context.session.user),
    },
  ]
}

/** Writes what happened to an account into the activity log, outside organizations. */
export async function record(
  room: AccountsRoom,
  context: MethodContext,
  action: string,
  user: string,
  result: 'Done' | 'Denied',
): Promise<void> {
  await room.documents().transaction(actingAs(user, context), (tx) =>
    tx.activity({
      action,
      actor: user,
      result,
      reference_doctype: 'User',
      reference_name: user,
      reference_title: user,
    }),
  )
}

/**
 * Checks a password under the limits for failures. A try counts before its check and is taken back after success, so
 * that many tries at the same moment cannot pass together.
 */
export async function checkLimited(room: AccountsRoom, user: string, password: string, ip: string): Promise<boolean> {
  const account = `${user} ${ip}`
  await room.rateLimiter.hit('login_ip', ip)
  try {
    await room.rateLimiter.hit('login_account', account)
  } catch (error) {
    // Turned away without a check: that is no further failure of the address.
    await room.rateLimiter.refund('login_ip', ip)
    throw error
  }
  const right = await room.credentials.check(user, password)
  if (right) {
    await room.rateLimiter.refund('login_account', account)
    await room.rateLimiter.refund('login_ip', ip)
  }
  return right
}

async function login(room: AccountsRoom, params: Record<string, unknown>, context: MethodContext): Promise<string> {
  const user = accountName(params['usr'])
  const password = typeof params['pwd'] === 'string' ? params['pwd'] : ''
  if (user === '' || password === '')
    throw new AppError('unauthorized', 'Incomplete login details', { excType: 'AuthenticationError' })
  const right = await checkLimited(room, user, password, context.ip)
  const account = await room.documents().transaction(actingAs(user, context), (tx) => tx.get<User>('User', user))
  if (!right || account?.enabled !== 1) {
    // What was typed is kept only when it is an account: people type passwords into the wrong field.
    await record(room, context, 'account.login', account ? user : 'Guest', 'Denied')
    throw new AppError('unauthorized', 'Invalid login credentials', { excType: 'AuthenticationError' })
  }
  await record(room, context, 'account.login', user, 'Done')
  await context.signIn(user)
  context.extra('home_page', '/web')
  context.extra('full_name', account.full_name ?? user)
  return 'Logged In'
}
