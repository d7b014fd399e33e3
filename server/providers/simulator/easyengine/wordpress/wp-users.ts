import { documentRoot } from '../layout.ts'
import { readIfThere } from '../machine.ts'
import { dropLinks, leaveUnlessNeeded, loginPluginPath } from './login-plugin.ts'
import type { WordPressUser } from './state.ts'
import { printItems, WpError, wpText, type WpContext } from './wp-context.ts'

const roles = ['administrator', 'editor', 'author', 'contributor', 'subscriber']
const fields = ['ID', 'user_login', 'display_name', 'user_email', 'user_registered', 'roles']

/** By id, login name or email address. */
function userOf({ state }: WpContext, word: string): WordPressUser {
  const user = state.users.find(
    ({ ID, user_login: login, user_email: email }) => String(ID) === word || login === word || email === word,
  )
  if (!user) throw new WpError(`Invalid user ID, email or login: '${word}'`)
  return user
}

function checkRole(role: string): string {
  if (!roles.includes(role)) throw new WpError(`Role doesn't exist: ${role}`)
  return role
}

function create(context: WpContext): void {
  const { state, words, options, machine } = context
  const [login = '', email = ''] = words
  if (state.users.some((one) => one.user_login === login))
    throw new WpError(`The '${login}' username is already registered.`)
  if (state.users.some((one) => one.user_email === email))
    throw new WpError('Sorry, that email address is already used!')
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new WpError(`The '${email}' email address is invalid.`)
  const ID = Math.max(0, ...state.users.map((one) => one.ID)) + 1
  state.users.push({
    ID,
    user_login: login,
    user_email: email,
    display_name: wpText(context, 'display_name') ?? login,
    user_registered: new Date().toISOString().slice(0, 19).replace('T', ' '),
    roles: checkRole(wpText(context, 'role') ?? 'subscriber'),
    password: passwordOf(context) ?? '',
  })
  if (options['porcelain'] === true) machine.out(`${ID}\n`)
  else context.success(`Created user ${ID}.`)
}

/** `--prompt=user_pass` reads it from standard input, so that it is no argument. */
const passwordOf = (context: WpContext): string | null =>
  wpText(context, 'prompt') === 'user_pass' ? context.machine.readLine() : wpText(context, 'user_pass')

function remove(context: WpContext): void {
  const { state, words } = context
  const reassign = wpText(context, 'reassign')
  if (reassign === null && context.options['yes'] !== true) {
    context.machine.out('--reassign parameter not passed. All associated posts will be deleted. Proceed? [y/n] ')
    if (context.machine.readLine()?.trim() !== 'y') return
  }
  if (reassign !== null) userOf(context, reassign)
  for (const word of words) {
    const { ID } = userOf(context, word)
    state.users = state.users.filter((one) => one.ID !== ID)
    context.success(`Removed user ${ID} from ${state.options['siteurl']}.`)
  }
}

function update(context: WpContext): void {
  for (const word of context.words) {
    const user = userOf(context, word)
    const role = wpText(context, 'role')
    if (role !== null) user.roles = checkRole(role)
    user.user_email = wpText(context, 'user_email') ?? user.user_email
    user.display_name = wpText(context, 'display_name') ?? user.display_name
    user.password = passwordOf(context) ?? user.password
    context.success(`Updated user ${user.ID}.`)
  }
}

/** Our must-use plugin brings commands of its own. */
function checkPlugin({ machine, site }: WpContext): void {
  if (readIfThere(`${documentRoot(machine, site)}/${loginPluginPath}`) === null)
    throw new WpError("'easydash' is not a registered wp command. See 'wp help' for available commands.")
}

/** Users that links made follow lists of people; the last administrator stays, without sessions. */
function sync(context: WpContext): void {
  checkPlugin(context)
  const { state, machine, site } = context
  const root = documentRoot(machine, site)
  const { keep, pause, remove } = JSON.parse(machine.readInput()) as {
    readonly keep: readonly { readonly key: string; readonly role: string }[]
    readonly pause: readonly string[]
    readonly remove: readonly string[]
  }
  // Unused links end with the rights of their people.
  dropLinks(root, (link) => {
    const role = keep.find(({ key }) => key === link.key)?.role
    return role === undefined || (role !== link.role && role !== 'administrator')
  })
  let removed = 0
  for (const user of state.users.filter(({ account }) => account !== undefined)) {
    const role = keep.find(({ key }) => key === user.account)?.role ?? (pause.includes(user.account ?? '') ? '' : null)
    const isLast = state.users.filter(({ roles: own }) => own === 'administrator').every((one) => one === user)
    delete user.sessions
    if (role !== null) {
      user.roles = role
      continue
    }
    if (isLast) delete user.account
    else state.users = state.users.filter((one) => one !== user)
    removed += 1
  }
  const holds = (key: string) => state.users.some(({ account, roles: own }) => account === key && own !== '')
  machine.out(`${JSON.stringify({ removed, gone: [...pause, ...remove].filter((key) => !holds(key)) })}\n`)
  leaveUnlessNeeded(root)
}

export const userCommands = {
  'user list': (context: WpContext) => {
    const role = wpText(context, 'role')
    printItems(
      context,
      context.state.users.filter((one) => role === null || one.roles === role).map((one) => shown(one)),
      fields,
    )
  },
  'user get': (context: WpContext) => printItems(context, [shown(userOf(context, context.words[0] ?? ''))], fields),
  'user create': create,
  'user update': update,
  'user set-role': (context: WpContext) => {
    const [word = '', role = 'subscriber'] = context.words
    const user = userOf(context, word)
    user.roles = checkRole(role)
    context.success(`Added ${user.user_login} (${user.ID}) to ${context.state.options['siteurl']} as ${role}.`)
  },
  'user delete': remove,
  'easydash sync': sync,
  'user session destroy': (context: WpContext) => {
    delete userOf(context, context.words[0] ?? '').sessions
    context.success('Destroyed all sessions.')
  },
}

function shown({
  password: _,
  account: _account,
  sessions: _sessions,
  ...user
}: WordPressUser): Readonly<Record<string, unknown>> {
  return user
}
