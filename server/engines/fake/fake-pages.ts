import { randomBytes } from 'node:crypto'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { msg } from '#shared/localized-message.ts'
import {
  EngineError,
  type SiteResponse,
  type SyncedUsers,
  type WordPressPerson,
  type WordPressUserLists,
} from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import { fakePagesWork } from './fake-wordpress-state.ts'
import { fakeNamesOf } from './fake-names.ts'
import { hashOf, type FakeSite } from './fake-site.ts'
import { existingSite, readSite, writeSite } from './fake-store.ts'

/** The site's response to a visitor. */
export function fakeResponse(context: FakeContext, site: SiteRef, path: string): SiteResponse {
  const known = readSite(context, site.id)
  if (known === null || (known.openUntil ?? Infinity) <= context.now()) return page(404, 'No site here')
  if (known.state === 'archived') return page(410, 'This site is archived')
  if (known.settings?.suspended) return page(503, 'This site is suspended')
  if (known.state !== 'running') return page(503, known.reason ?? 'This site is being set up')
  const alias = known.aliases?.find(({ domain }) => domain === site.domain)
  if (alias?.mode === 'redirect') return page(301, '', { location: fakeSiteUrl(context, known) + path })
  if (!fakeNamesOf(known).includes(site.domain)) return page(404, 'No site here')
  if (!fakePagesWork(known.management)) return page(500, 'There has been a critical error')
  if (!path.startsWith('/.easydash/login?')) return pageAt(known, path)
  return redeemLink(context, known, new URL(path, 'http://site').searchParams.get('token') ?? '')
}

function pageAt(known: FakeSite, path: string): SiteResponse {
  const below = known.management?.facts.sites?.rows.find((site) => !site.main && site.path === path)
  if (below !== undefined) return page(200, below.title)
  return page(path === '/' ? 200 : 404, known.wordpress?.title ?? known.title)
}

/** The site's URL without a trailing slash. */
export function fakeSiteUrl({ options }: FakeContext, site: Pick<SiteRef, 'domain'>): string {
  const host = site.domain.includes('.') ? site.domain : `${site.domain}.${options.sitesDomain ?? 'localhost'}`
  return `http://${host}:${options.port ?? 8080}`
}

/** A login link of a running WordPress site; throws EngineError `conflict` for any other. */
export function fakeLoginLink(
  context: FakeContext,
  site: SiteRef,
  person: WordPressPerson,
  ttlSeconds: number,
  { as, to }: { readonly as?: string; readonly to?: 'network' | undefined },
): string {
  const known = existingSite(context, site)
  if (known.siteType !== 'wp' || known.state !== 'running') {
    throw new EngineError('conflict', msg`Only a running WordPress site has a login.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  const token = randomBytes(32).toString('base64url')
  const expiresAt = context.now() + ttlSeconds * 1000
  const isNetwork = to !== undefined && known.management?.facts.multisite === true
  const target = { ...(as === undefined ? {} : { as }), ...(isNetwork ? { to } : {}) }
  context.tokens.set(hashOf(token), { id: known.id, person, ...target, expiresAt })
  return `${fakeSiteUrl(context, site)}/.easydash/login?token=${token}`
}

/** Gives the users that login links created their roles, and removes those of others with their unused links. */
export function fakeSyncUsers(context: FakeContext, site: SiteRef, lists: WordPressUserLists): SyncedUsers {
  const { keep, pause, remove } = lists
  const known = existingSite(context, site)
  const gone = [...pause, ...remove]
  if (known.siteType !== 'wp') return { removed: 0, gone }
  const roles = new Map(keep.map(({ key, role }) => [key, role]))
  for (const [hash, { id, person }] of context.tokens)
    if (id === known.id && roles.get(person.key) !== person.role) context.tokens.delete(hash)
  if (known.state !== 'running') {
    throw new EngineError('conflict', msg`The WordPress users of a site can only be changed while it is ready.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  }
  const before = known.users ?? []
  const users = before.flatMap((user) => {
    const role = roles.get(user.key) ?? (pause.includes(user.key) ? null : undefined)
    return role === undefined ? [] : [{ ...user, role }]
  })
  writeSite(context, { ...known, users })
  return { removed: before.length - users.length, gone }
}

function redeemLink(context: FakeContext, site: FakeSite, token: string): SiteResponse {
  const { tokens, now } = context
  const key = hashOf(token)
  const link = tokens.get(key)
  tokens.delete(key)
  if (link === undefined || link.id !== site.id || link.expiresAt <= now())
    return page(302, site.title, { location: '/' })
  if (link.as !== undefined) return signedIn(site, link.as, link.to)
  const { email: _email, reserved, ...wanted } = link.person
  const known = site.users?.find((user) => user.key === wanted.key)
  const user = known ? { ...known, role: wanted.role } : { ...wanted, login: freeLogin(site, wanted.login, reserved) }
  writeSite(context, { ...site, users: [...(site.users ?? []).filter((one) => one !== known), user] })
  return signedIn(site, user.login, link.to)
}

function signedIn(site: FakeSite, login: string, to: 'network' | undefined): SiteResponse {
  return page(302, site.title, {
    location: to === 'network' ? '/wp-admin/network/' : '/wp-admin/',
    'set-cookie': `fake_login=${login}; path=/; HttpOnly`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
}

function freeLogin({ adminUser, users = [] }: FakeSite, wanted: string, reserved: string): string {
  const taken = [adminUser, reserved.toLowerCase(), ...users.map(({ login }) => login)]
  let login = wanted
  for (let number = 2; taken.includes(login); number += 1) login = `${wanted}-${number}`
  return login
}

function page(status: number, body: string, headers: Record<string, string> = {}): SiteResponse {
  return {
    status,
    body: `<!doctype html><html><head><title>${escapeHtml(body)}</title></head><body></body></html>`,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    ttfbMs: 1,
    tookMs: 1,
  }
}
