import { msg } from '#shared/localized-message.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import type { EngineAlias, SiteDomains } from '../site-domains.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import type { FakeSite } from './fake-site.ts'
import { fakeNamesOf } from './fake-names.ts'
import { assertFakeOneName, isFakeNetwork } from './fake-network-state.ts'
import { fakeStep } from './fake-steps.ts'
import { existingSite, readSite, siteIds, writeSite } from './fake-store.ts'

/** Names in the site's file. The only address in its database is its own. */
export function createFakeDomains(context: FakeContext): SiteDomains {
  return {
    read: async (site) => {
      const { domain, aliases = [], move } = existingSite(context, site)
      return { domain: move?.from ?? domain, aliases: move?.aliases ?? aliases, changingTo: move?.to ?? null }
    },
    setAliases: async (site, aliases) => {
      const known = existingSite(context, site)
      assertNames(aliases.map(({ domain }) => domain))
      assertFree(
        context,
        known,
        aliases.map(({ domain }) => domain),
      )
      assertFakeOneName(isFakeNetwork(known), aliases)
      writeSite(context, { ...known, aliases: [...aliases] })
    },
    findAddresses: async (site, to) => {
      const known = existingSite(context, site)
      const nothing = { tables: [], options: [], examples: [], skipped: 0, after: null }
      if (known.siteType !== 'wp') return nothing
      return {
        ...nothing,
        tables: [{ table: 'wp_options', rows: 2, places: 2 }],
        options: [
          { option: 'home', places: 1 },
          { option: 'siteurl', places: 1 },
        ],
        examples: [{ table: 'wp_options', column: 'home', before: `http://${known.domain}`, after: `http://${to}` }],
      }
    },
    changeSteps: (site, to, aliases) => changeSteps(context, site, to, aliases),
    finishChange: async (site) => {
      const { move: _done, ...known } = existingSite(context, site)
      writeSite(context, known)
    },
    undoChange: async (site) => {
      const { move, ...known } = existingSite(context, site)
      if (move) writeSite(context, { ...known, domain: move.from, aliases: [...move.aliases] })
    },
  }
}

function changeSteps(context: FakeContext, site: SiteRef, to: string, aliases: readonly EngineAlias[]): EngineStep[] {
  assertNames([to, ...aliases.map(({ domain }) => domain)])
  assertFakeOneName(isFakeNetwork(existingSite(context, site)), aliases)
  // Steps fail on purpose for the name to come.
  const step = (key: string, label: string, work: (known: FakeSite) => FakeSite) =>
    fakeStep(context, { ...site, domain: to }, key, label, () => {
      const known = existingSite(context, site)
      if (known.state !== 'running')
        throw new EngineError('conflict', msg`The primary domain can only be changed while the site is ready.`, {
          nextAction: msg`Wait until the site is ready.`,
        })
      assertFree(context, known, [to])
      const move = known.move ?? { from: known.domain, to, aliases: known.aliases ?? [] }
      writeSite(context, work({ ...known, move }))
    })
  return [
    step('pause', 'Keep visitors out', (known) => known),
    ...(site.siteType === 'wp' ? [step('replace_urls', 'Replace the address', (known) => known)] : []),
    step('rename', 'Give the site its new name', (known) => ({ ...known, domain: to, aliases: [...aliases] })),
    step('check', 'Check that the site answers', (known) => known),
  ]
}

function assertNames(names: readonly string[]): void {
  const isName = (name: string) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) || checkDomain(name) === null
  if (names.every(isName) && new Set(names).size === names.length) return
  throw new EngineError('invalid', msg`These are no valid names of a site.`, { nextAction: msg`Choose other names.` })
}

/** Throws EngineError `conflict` if another site has one of the names. */
function assertFree(context: FakeContext, { id }: FakeSite, names: readonly string[]): void {
  const taken = new Set(
    siteIds(context)
      .filter((one) => one !== id)
      .flatMap((one) => fakeNamesOf(readSite(context, one))),
  )
  if (names.some((name) => taken.has(name)))
    throw new EngineError('conflict', msg`Another site of this machine has this name.`, {
      nextAction: msg`Choose another name.`,
    })
}
