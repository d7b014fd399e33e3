import { rmSync } from 'node:fs'
import { isIP } from 'node:net'
import { EeError, namedSite, randomPassword, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { formatItems } from './format.ts'
import { servicesPath } from './layout.ts'
import { put } from './machine.ts'
import { generateProxy } from './proxy-passwords.ts'
import { misbehaves } from './sqlite3.ts'

/** The scope `global` is all sites of the server; the database calls it `default`. */
function scopeOf(context: EeContext): string {
  return context.args[0] === 'global' ? 'default' : namedSite(context, { mustBeEnabled: true }).site_url
}

const usersOf = ({ database }: EeContext, scope: string) =>
  database.all('SELECT username, password FROM auth_users WHERE site_url = ? ORDER BY id', scope)

/** Writes `htpasswd` and the lists of addresses of the proxy again. */
function writeFiles(context: EeContext): void {
  const { database, machine } = context
  const proxy = machine.path(`${servicesPath}/nginx-proxy`)
  const scopes = ['default', ...database.sites().map((site) => site.site_url)]
  for (const scope of scopes) {
    const own = usersOf(context, scope)
    // A site without users of its own has the file of all sites.
    const users = scope === 'default' || own.length === 0 ? own : [...usersOf(context, 'default'), ...own]
    const lines = users.map(({ username, password }) => `${username}:{PLAIN}${password}\n`)
    const file = `${proxy}/htpasswd/${scope}`
    if (lines.length === 0) rmSync(file, { force: true })
    else put(file, lines.join(''))
    const ips = database.all('SELECT ip FROM auth_ips WHERE site_url = ? ORDER BY id', scope)
    const acl = `${proxy}/vhost.d/${scope}_acl`
    if (ips.length === 0) rmSync(acl, { force: true })
    else put(acl, ['satisfy any;', ...ips.map(({ ip }) => `allow ${ip};`), 'deny all;'].join('\n'))
  }
  generateProxy(machine)
}

/** The first site or admin tool makes a user for the admin tools of all sites, unless there is a global one. */
export function ensureAdminToolsUser(context: EeContext): void {
  const scopes = ['default', 'default_admin_tools']
  if (scopes.some((scope) => usersOf(context, scope).length > 0)) return
  context.database.insert('auth_users', {
    site_url: 'default_admin_tools',
    username: 'easyengine',
    password: randomPassword(),
  })
}

function addressesIn(list: string): string[] {
  const addresses = list.split(/[ \n,]+/)
  if (addresses.some((one) => isIP(one.split('/')[0] ?? '') === 0))
    throw new EeError('Please check your list do not have any empty or wrong IP addresses.')
  return addresses
}

/** `ee auth create`: a user, or the first addresses. */
export function authCreate(context: EeContext): void {
  const { database } = context
  const scope = scopeOf(context)
  const ips = textOption(context, 'ip')
  if (ips !== null) {
    const addresses = addressesIn(ips)
    if (database.all('SELECT ip FROM auth_ips WHERE site_url = ?', scope).length > 0)
      throw new EeError(`Whitelist is already created on ${scope}. To update IPs use \`ee auth update\` instead`)
    for (const ip of addresses) database.insert('auth_ips', { site_url: scope, ip })
    writeFiles(context)
    return recordEffect(context, `auth-ip ${scope}`)
  }
  const username = textOption(context, 'user') ?? `ee-${randomPassword(6)}`
  const password = textOption(context, 'pass') ?? randomPassword()
  if (usersOf(context, scope).some((one) => one['username'] === username))
    throw new EeError(`Auth for user ${username} already exists for this site. To update it, use \`ee auth update\`'`)
  // A global name may be taken by no site, and one of a site not by the global scope.
  const others =
    scope === 'default'
      ? database.all("SELECT username FROM auth_users WHERE site_url != 'default_admin_tools'")
      : usersOf(context, 'default')
  if (others.some((one) => one['username'] === username))
    throw new EeError(
      `There already exists an username ${username} on some site or globally. You cannot use this username`,
    )
  // The user of the admin tools becomes one of all sites.
  if (scope === 'default')
    database.run("UPDATE auth_users SET site_url = 'default' WHERE site_url = 'default_admin_tools'")
  database.insert('auth_users', { site_url: scope, username, password })
  writeFiles(context)
  printUser(context, username, password)
  recordEffect(context, `auth ${scope}`)
}

function printUser(context: EeContext, username: string, password: string): void {
  context.log('Reloading global reverse proxy.')
  context.success(`Auth successfully updated for \`${context.args[0]}\` scope. New values added:`)
  context.log(`User: ${username}`)
  context.log(`Pass: ${password}`)
}

/** `ee auth update`: a user's password, or further addresses. */
export function authUpdate(context: EeContext): void {
  const { database } = context
  const scope = scopeOf(context)
  const ips = textOption(context, 'ip')
  if (ips !== null) {
    for (const ip of addressesIn(ips)) {
      const isKnown = database.all('SELECT ip FROM auth_ips WHERE site_url = ? AND ip = ?', scope, ip).length > 0
      if (isKnown) context.log(`${ip} has already been whitelisted on ${scope}. Skipping it.`)
      else database.insert('auth_ips', { site_url: scope, ip })
    }
    writeFiles(context)
    return recordEffect(context, `auth-ip ${scope}`)
  }
  const username = textOption(context, 'user')
  if (username === null) throw new EeError('Please provide auth user with --user flag')
  expectUsers(context, scope, username)
  const password = textOption(context, 'pass') ?? randomPassword()
  database.run('UPDATE auth_users SET password = ? WHERE site_url = ? AND username = ?', password, scope, username)
  writeFiles(context)
  printUser(context, username, password)
  recordEffect(context, `auth ${scope}`)
}

function expectUsers(context: EeContext, scope: string, username: string | null): void {
  const users = usersOf(context, scope).filter((one) => username === null || one['username'] === username)
  const place = scope === 'default' ? 'global' : scope
  if (users.length === 0)
    throw new EeError(`Auth${username === null ? '' : ` for ${username}`} does not exists on ${place}`)
}

/** `ee auth delete`. */
export function authDelete(context: EeContext): void {
  const { database, options } = context
  const scope = scopeOf(context)
  const ip = options['ip']
  if (ip === true) database.run('DELETE FROM auth_ips WHERE site_url = ?', scope)
  else if (typeof ip === 'string')
    for (const address of addressesIn(ip))
      database.run('DELETE FROM auth_ips WHERE site_url = ? AND ip = ?', scope, address)
  else {
    const username = textOption(context, 'user')
    expectUsers(context, scope, username)
    const sql = 'DELETE FROM auth_users WHERE site_url = ? AND (? IS NULL OR username = ?)'
    database.run(sql, scope, username, username)
    context.success(`http auth successfully removed on ${scope}.`)
    context.log('Reloading global reverse proxy.')
  }
  writeFiles(context)
  recordEffect(context, `auth-delete ${scope}`)
}

/** `ee auth list`: users of a site and the global ones, as two documents one after the other. */
export function authList(context: EeContext): void {
  const { database, machine, options } = context
  const scope = scopeOf(context)
  const format = String(options['format'])
  if (format === 'json' && misbehaves(machine)) return
  if (options['ip'] === true)
    return machine.out(formatItems(database.all('SELECT ip FROM auth_ips WHERE site_url = ?', scope), ['ip'], format))
  const adminTools = usersOf(context, 'default_admin_tools')
  const everywhere = adminTools.length > 0 ? adminTools : usersOf(context, 'default')
  if (everywhere.length === 0) throw new EeError('Auth does not exists on global.')
  const fields = ['username', 'password']
  if (scope !== 'default') {
    const own = usersOf(context, scope)
    if (own.length === 0) context.warning(`Auth does not exists on ${scope}`)
    else machine.out(formatItems(own, fields, format))
  }
  if (format === 'table')
    context.log(
      `\nFollowing ${adminTools.length > 0 ? 'auth is applied only on admin-tools.' : 'global auth is enabled on server.'}`,
    )
  machine.out(formatItems(everywhere, fields, format))
}
