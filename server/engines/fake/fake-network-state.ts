import { msg } from '#shared/localized-message.ts'
import type { NetworkSite } from '#shared/responses/wordpress.ts'
import { EngineError, type SiteSpec } from '../engine.ts'
import type { EngineAlias } from '../site-domains.ts'
import { assertSupported, type FakeContext } from './fake-context.ts'
import { fakeSiteUrl } from './fake-pages.ts'
import type { FakeSite } from './fake-site.ts'
import { newWordPress, type FakeWordPress } from './fake-wordpress-state.ts'

/** Throws EngineError `unsupported` if no such network can be made. */
export function assertFakeNetwork(context: FakeContext, { multisite, siteType, server }: SiteSpec): void {
  if (multisite === undefined) return
  if (siteType !== 'wp')
    throw new EngineError('unsupported', msg`No WordPress.`, { nextAction: msg`Create a single site.` })
  assertSupported(context, server, multisite === 'subdom' ? 'multisite_subdomains' : 'create_multisite')
}

/** Whether the site is a network. */
export const isFakeNetwork = ({ management }: FakeSite): boolean => management?.facts.multisite === true

/** The site as a network with one site. */
export function withNetwork(known: FakeSite): FakeSite {
  const wordpress: FakeWordPress = known.management ?? newWordPress(known.adminUser)
  const first: NetworkSite = {
    id: 1,
    title: known.title,
    path: '/',
    url: '',
    main: true,
    state: 'live',
  }
  const sites = wordpress.facts.sites ?? { total: 1, subdomains: false, rows: [first] }
  // As in WordPress, whoever administers the site manages the network.
  const users = wordpress.facts.multisite
    ? wordpress.users
    : wordpress.users.map((user) => ({ ...user, super_admin: user.roles.includes('administrator') }))
  return { ...known, management: { ...wordpress, users, facts: { ...wordpress.facts, multisite: true, sites } } }
}

/** The sites of a network with their addresses, which follow that of the network. */
export function fakeNetworkSites(context: FakeContext, known: FakeSite): FakeWordPress['facts']['sites'] {
  const sites = known.management?.facts.sites ?? null
  if (sites === null) return null
  const url = fakeSiteUrl(context, known)
  return { ...sites, rows: sites.rows.map((row) => ({ ...row, url: row.main ? url : url + row.path.slice(0, -1) })) }
}

/** Throws EngineError `conflict` if a network should answer under another name than its own. */
export function assertFakeOneName(isNetwork: boolean, aliases: readonly EngineAlias[]): void {
  if (!isNetwork || aliases.every(({ mode }) => mode !== 'serve')) return
  throw new EngineError('conflict', msg`A network answers under its primary domain only.`, {
    nextAction: msg`Let its aliases redirect to it.`,
  })
}
