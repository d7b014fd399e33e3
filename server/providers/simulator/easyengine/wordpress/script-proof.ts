import { plainPage, signIn, staticPage, wordpressPage } from './pages.ts'
import type { ScriptHandler } from './script-context.ts'
import { writeDatabase } from './state.ts'

/** A page as the web server of the container answers. */
export const visitScript: ScriptHandler = ({ machine, site }, { path, cookie }) => {
  const url = new URL(String(path), 'http://site.invalid')
  const pairs = String(cookie)
    .split('; ')
    .map((one): [string, string] => [one.split('=')[0] ?? '', decodeURIComponent(one.split('=')[1] ?? '')])
  const about = { method: 'GET', path: url.pathname, query: url.searchParams, form: new URLSearchParams() }
  const given =
    staticPage(machine, site, url.pathname) ??
    (site.site_type === 'wp'
      ? wordpressPage(machine, site, { ...about, cookies: Object.fromEntries(pairs) })
      : plainPage(machine, site, url.pathname))
  const location = given.headers?.['location']
  const body = Buffer.from(given.body).toString('base64')
  return { status: given.status, location: typeof location === 'string' ? location : '', seconds: 0, body }
}

/** A made-up administrator who is signed in. */
export const enterScript: ScriptHandler = ({ machine, site, state }, { login }) => {
  const user = {
    ...{ ID: Math.max(0, ...state.users.map(({ ID }) => ID)) + 1, user_login: String(login), user_email: '' },
    ...{ display_name: '', user_registered: new Date().toISOString().slice(0, 19).replace('T', ' ') },
    ...{ roles: 'administrator', password: '' },
  }
  state.users.push(user)
  const cookie = signIn(state, user, (changed) => writeDatabase(machine, site['db_name'] ?? '', changed))
  return { cookie: cookie.split(';')[0] ?? '' }
}
