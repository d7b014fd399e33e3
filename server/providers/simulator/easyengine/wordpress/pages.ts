import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SiteRow } from '../database.ts'
import { documentRoot, sitePath } from '../layout.ts'
import { readIfThere, trapOf, type Machine } from '../machine.ts'
import { leaveUnlessNeeded, loginPluginPath, takeLink, type StoredLink } from './login-plugin.ts'
import { hasDatabase, readDatabase, writeDatabase, type WordPressState, type WordPressUser } from './state.ts'

/** A request of a visitor, as far as the simulated sites look at it. */
export interface PageRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly cookies: Readonly<Record<string, string>>
  /** Fields of a form. */
  readonly form: URLSearchParams
}

/** A response to a visitor. */
export interface Page {
  readonly status: number
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string | string[]>>
}

type Root = Pick<Machine, 'path' | 'root'>

const html = (title: string, body: string, language: string): string =>
  `<!doctype html>\n<html lang="${language}">\n<head><meta charset="utf-8"><title>${escape(title)}</title></head>\n<body>${body}</body>\n</html>\n`

export const page = (status: number, title: string, body = `<h1>${escape(title)}</h1>`, language = 'en'): Page => ({
  status,
  body: html(title, body, language),
  headers: { 'content-type': 'text/html; charset=UTF-8' },
})

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Sends a visitor to another page of the same site. */
export const redirect = (location: string, cookies: string[] = []): Page => ({
  status: 302,
  body: '',
  headers: { location, 'set-cookie': cookies },
})

/** Where a session is: its cookie names user and secret, and the database knows the secret. */
const cookieName = 'wordpress_logged_in_simulated'

/** The response of a simulated WordPress. */
export function wordpressPage(machine: Root, site: SiteRow, request: PageRequest): Page {
  const root = documentRoot(machine, site)
  if (!existsSync(root)) return page(404, '404 Not Found')
  const name = site['db_name'] ?? ''
  const state = hasDatabase(machine, name) ? readDatabase(machine, name) : null
  if (state === null) {
    logPhp(machine, site, 'PHP Warning:  mysqli_real_connect(): (HY000/1049): Unknown database')
    return page(500, 'Database Error', '<h1>Error establishing a database connection</h1>')
  }
  const fatal = trapOf(machine.root, 'php_fatal')
  if (fatal === '' || fatal === site.site_url) {
    logPhp(
      machine,
      site,
      'PHP Fatal error:  Uncaught Error: Call to undefined function simulated_failure() in /var/www/htdocs/wp-content/plugins/hello.php:3',
    )
    return page(500, 'WordPress &rsaquo; Error', '<p>There has been a critical error on this website.</p>')
  }
  if (existsSync(join(root, '.maintenance')))
    return page(503, 'Maintenance', '<h1>Briefly unavailable for scheduled maintenance. Check back in a minute.</h1>')
  const token = request.query.get('easydash-login')
  if (token !== null && request.method === 'GET' && existsSync(join(root, loginPluginPath)))
    return unkept(useLink(machine, site, { state, token }))
  leaveUnlessNeeded(root)
  return pageOf(state, request, (changed) => writeDatabase(machine, name, changed))
}

function pageOf(state: WordPressState, request: PageRequest, save: (state: WordPressState) => void): Page {
  const user = signedInUser(state, request)
  const title = state.options['blogname'] ?? ''
  const { path } = request
  if (path === '/wp-login.php') return loginPage(state, request, save)
  if (/^\/wp-admin(?:\/|$)/.test(path)) {
    if (!user) return redirect(`/wp-login.php?redirect_to=${encodeURIComponent(path)}`)
    const greeting = `<div id="wpadminbar">Howdy, ${escape(user.display_name)}</div><h1>Dashboard</h1>`
    return page(200, `Dashboard ‹ ${title} — WordPress`, greeting)
  }
  if (path === '/' || path === '/index.php') {
    const bar = user ? `<div id="wpadminbar">Howdy, ${escape(user.display_name)}</div>` : ''
    const robots = state.options['blog_public'] === '0' ? '<meta name="robots" content="noindex, nofollow">' : ''
    return page(
      200,
      title,
      `${robots}${bar}<h1>${escape(title)}</h1><p>${escape(state.options['blogdescription'] ?? '')}</p>`,
      (state.options['WPLANG'] || 'en').replaceAll('_', '-'),
    )
  }
  if (path === '/robots.txt')
    return { status: 200, body: 'User-agent: *\nDisallow: /wp-admin/\n', headers: { 'content-type': 'text/plain' } }
  if (path === '/wp-cron.php') return { status: 200, body: '' }
  return page(404, `Page not found – ${title}`, '<h1>Page not found</h1>')
}

function loginPage(
  state: WordPressState,
  { method, form, query }: PageRequest,
  save: (state: WordPressState) => void,
): Page {
  const fields =
    '<input name="log"><input name="pwd" type="password"><input type="submit" id="wp-submit" value="Log In">'
  const draw = (problem: string) =>
    page(
      200,
      `Log In ‹ ${state.options['blogname']} — WordPress`,
      `${problem}<form id="loginform" method="post">${fields}</form>`,
    )
  if (method !== 'POST') return draw('')
  const user = state.users.find(({ user_login: login }) => login === form.get('log'))
  if (!user || user.password === '' || user.password !== form.get('pwd'))
    return draw('<div id="login_error">Error: The password you entered is incorrect.</div>')
  const target = query.get('redirect_to') ?? '/wp-admin/'
  return redirect(target.startsWith('/') && !target.startsWith('//') ? target : '/wp-admin/', [
    signIn(state, user, save),
  ])
}

const sessionHash = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Begins a session of a user; returns its cookie. */
export function signIn(state: WordPressState, user: WordPressUser, save: (state: WordPressState) => void): string {
  const secret = randomBytes(16).toString('hex')
  user.sessions = [...(user.sessions ?? []), sessionHash(secret)]
  save(state)
  return `${cookieName}=${encodeURIComponent(`${user.user_login}|${secret}`)}; Path=/; HttpOnly; SameSite=Lax`
}

function signedInUser(state: WordPressState, { cookies }: PageRequest): WordPressUser | null {
  const [login, secret = ''] = (cookies[cookieName] ?? '').split('|')
  const user = state.users.find((one) => one.user_login === login)
  return user?.sessions?.includes(sessionHash(secret)) === true ? user : null
}

/** Answers of links are neither stored nor told to others. */
const unkept = (given: Page): Page => ({
  ...given,
  headers: { ...given.headers, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
})

/** Stands for the must-use plugin that Easydash places: a link signs in once, and everything else leads to the homepage. */
function useLink(
  machine: Root,
  site: SiteRow,
  { state, token }: { readonly state: WordPressState; readonly token: string },
): Page {
  const link = takeLink(documentRoot(machine, site), sessionHash(token))
  if (link === null) return redirect('/')
  const user = (link.as ?? null) === null ? ownUser(state, link) : actedAs(state, link)
  if (user === null || user === 'missing') return redirect('/')
  const cookie = signIn(state, user, (changed) => writeDatabase(machine, site['db_name'] ?? '', changed))
  return redirect('/wp-admin/', [cookie])
}

/** The user that the person may act as; null if they may not. */
export function actedAs(
  { users }: WordPressState,
  { as, key, role }: { readonly as?: string | null; readonly key: string; readonly role: string },
): WordPressUser | 'missing' | null {
  const user = users.find(({ user_login: login }) => login === as)
  if (!user) return 'missing'
  const isAbove = role !== 'administrator' && user.roles === 'administrator'
  return isAbove || (user.account !== undefined && user.account !== key) ? null : user
}

function ownUser(state: WordPressState, link: StoredLink): WordPressUser {
  const found = state.users.find(({ account }) => account === link.key)
  if (found) {
    found.roles = link.role
    return found
  }
  const taken = new Set([link.reserved?.toLowerCase(), ...state.users.map((one) => one.user_login)])
  let login = link.login
  for (let number = 2; taken.has(login); number += 1) login = `${link.login}-${number}`
  const user: WordPressUser = {
    ID: Math.max(0, ...state.users.map(({ ID }) => ID)) + 1,
    user_login: login,
    user_email: state.users.some(({ user_email: email }) => email === link.email) ? '' : link.email,
    display_name: link.name,
    user_registered: new Date().toISOString().slice(0, 19).replace('T', ' '),
    roles: link.role,
    password: '',
    account: link.key,
  }
  state.users.push(user)
  return user
}

function logPhp(machine: Root, site: SiteRow, text: string): void {
  const folder = sitePath(machine, site.site_url, 'logs/php')
  // What backups are tried out in keeps none.
  if (existsSync(folder)) appendFileSync(join(folder, 'error.log'), `[${new Date().toUTCString()}] ${text}\n`)
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  txt: 'text/plain',
  svg: 'image/svg+xml',
  png: 'image/png',
  zip: 'application/zip',
}

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'))

/** What is served of hidden folders, too: these rules precede the one for them. Source: EasyEngine/site-type-wp, main.conf.mustache. */
const beforeHidden = /\.(?:php|svg|png|zip)$/

/** A file below the document root; null if there is none that nginx shows. */
export function staticPage(machine: Root, site: SiteRow, path: string): Page | null {
  const type = types[/\.(\w+)$/.exec(path)?.[1] ?? '']
  if (type === undefined || (isHidden(path) && !beforeHidden.test(path))) return null
  const file = join(documentRoot(machine, site), path)
  return existsSync(file) ? { status: 200, body: readFileSync(file), headers: { 'content-type': type } } : null
}

/** A site without WordPress: its index, in which no PHP runs. */
export function plainPage(machine: Root, site: SiteRow, path: string): Page {
  const root = documentRoot(machine, site)
  const index = path === '/' ? ['index.html', ...(site.site_type === 'php' ? ['index.php'] : [])] : []
  const text = index.map((name) => readIfThere(join(root, name))).find((one) => one !== null)
  if (text === undefined || text === null) return page(404, '404 Not Found')
  const body = text.replaceAll(/<\?(?:php|=).*?\?>/gs, '')
  return { status: 200, body, headers: { 'content-type': 'text/html; charset=UTF-8' } }
}
