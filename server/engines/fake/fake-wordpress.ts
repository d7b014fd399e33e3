import { msg } from '#shared/localized-message.ts'
import { usersPerPage } from '#shared/responses/wordpress.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { WordPressManagement } from '../wordpress.ts'
import { assertSupported, type FakeContext } from './fake-context.ts'
import type { FakeSite } from './fake-site.ts'
import { clearFakeCache } from './fake-files.ts'
import { fakeLoginLink } from './fake-pages.ts'
import { fakeNetworkSites } from './fake-network-state.ts'
import { runningWordPress, writeSite } from './fake-store.ts'
import { applyChange, findUser } from './fake-wordpress-change.ts'
import { newWordPress, type FakeWordPress } from './fake-wordpress-state.ts'

/** Manages the WordPress that is stored in a fake site's file. */
export function fakeWordPressManagement(context: FakeContext): WordPressManagement {
  const open = (site: SiteRef): { known: FakeSite; wordpress: FakeWordPress } => {
    const known = runningWordPress(context, site)
    return { known, wordpress: known.management ?? newWordPress(known.adminUser) }
  }
  return {
    inspect: async (site) => {
      const { known, wordpress } = open(site)
      return { ...wordpress.facts, sites: fakeNetworkSites(context, known), broken: null }
    },
    plugins: async (site) => open(site).wordpress.facts.plugins,
    async users(site, { search, page }) {
      const { users } = open(site).wordpress
      const found = users.filter(({ login, email, name }) =>
        [login, email, name].some((text) => text.toLowerCase().includes(search.toLowerCase())),
      )
      return { total: found.length, rows: found.slice(page * usersPerPage, (page + 1) * usersPerPage) }
    },
    async change(site, change, { operationId } = {}) {
      const isCron = change.kind === 'run_event' || change.kind === 'pause_events'
      assertSupported(context, site.server, isCron ? 'cron' : 'wordpress')
      const { known, wordpress } = open(site)
      if (operationId !== undefined && change.kind.startsWith('delete_'))
        wordpress.deletion ??= { operationId, facts: structuredClone(packagesOf(wordpress)) }
      else if (operationId !== undefined && wordpress.before?.operationId !== operationId)
        wordpress.before = { operationId, active: activeOf(wordpress), network: networkOf(wordpress) }
      const ran = applyChange(wordpress, change)
      if (change.kind === 'flush_cache') clearFakeCache(context, site.id)
      writeSite(context, { ...known, management: wordpress })
      return { ran }
    },
    async undo(site, operationId) {
      const { known, wordpress } = open(site)
      const { before, deletion, facts } = wordpress
      if (deletion?.operationId === operationId) {
        Object.assign(facts, deletion.facts)
        delete wordpress.deletion
        writeSite(context, { ...known, management: wordpress })
      }
      if (before?.operationId !== operationId) return
      for (const one of [...facts.plugins, ...facts.themes]) one.active = before.active.includes(one.id)
      for (const one of facts.plugins) one.network = before.network.includes(one.id)
      for (const one of facts.themes) one.in_use = one.active
      delete wordpress.before
      writeSite(context, { ...known, management: wordpress })
    },
    async finish(site, operationId) {
      const { known, wordpress } = open(site)
      if (wordpress.deletion?.operationId !== operationId) return
      delete wordpress.deletion
      writeSite(context, { ...known, management: wordpress })
    },
    async setPassword(site, login) {
      findUser(open(site).wordpress, login)
    },
    async loginAs(site, person, login, ttlSeconds) {
      const { known, wordpress } = open(site)
      if (known.users?.some((one) => one.login === login && one.key !== person.key)) throw ofAnotherPerson()
      const { roles } = findUser(wordpress, login)
      if (person.role === 'editor' && roles.includes('administrator')) throw aboveThem()
      return fakeLoginLink(context, site, person, ttlSeconds, { as: login })
    },
    async verifyChecksums(site) {
      const { wordpress } = open(site)
      return {
        version: wordpress.facts.version,
        source: 'package',
        checked: 2_666,
        changed: wordpress.changed.filter((path) => !path.startsWith('wp-content/')),
        added: [],
        missing: [],
        truncated: false,
      }
    },
  }
}

const packagesOf = ({ facts: { plugins, themes } }: FakeWordPress) => ({ plugins, themes })

const activeOf = ({ facts }: FakeWordPress) =>
  [...facts.plugins, ...facts.themes].flatMap(({ id, active }) => (active ? [id] : []))

const networkOf = ({ facts }: FakeWordPress) => facts.plugins.filter(({ network }) => network).map(({ id }) => id)

const ofAnotherPerson = () =>
  new EngineError('conflict', msg`This user belongs to another person, who alone signs in as it.`, {
    nextAction: msg`Choose another user.`,
  })

const aboveThem = () =>
  new EngineError('conflict', msg`This user may do more in WordPress than you.`, {
    nextAction: msg`Choose another user, or ask somebody who manages the site.`,
  })
