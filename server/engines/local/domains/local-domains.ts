import { msg } from '#shared/localized-message.ts'
import { maxAliases } from '#shared/rules/site-aliases.ts'
import { EngineError } from '../../engine.ts'
import type { EngineAlias, EngineDomains, SiteDomains } from '../../site-domains.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { assertOneName } from '../network/network-host.ts'
import { existingRecord } from '../sites/site-store.ts'
import { assertFree } from './assert-free.ts'
import { changeSteps, finishChange, undoChange } from './change-steps.ts'
import { findAddresses } from './find-addresses.ts'
import { isSiteDomain } from './host-names.ts'
import { servedHosts } from './served-hosts.ts'

/** Names of local sites: in the site's record, which the proxy follows. */
export function createLocalDomains(context: LocalContext): SiteDomains {
  return {
    read: async (site) => domainsOf(existingRecord(context.store, site)),
    setAliases: (site, aliases) => setAliases(context, site, aliases),
    findAddresses: (site, to, after, signal) => findAddresses(context, site, to, after, signal),
    changeSteps: (site, to, aliases) => {
      assertNames([to, ...aliases.map(({ domain }) => domain)])
      return changeSteps(context, site, to, aliases)
    },
    finishChange: (site) => finishChange(context, site),
    undoChange: (site) => undoChange(context, site),
  }
}

function domainsOf({ domain, aliases = [], move }: SiteRecord): EngineDomains {
  return { domain: move?.from ?? domain, aliases: move?.aliases ?? aliases, changingTo: move?.to ?? null }
}

async function setAliases(context: LocalContext, site: SiteRef, aliases: readonly EngineAlias[]): Promise<void> {
  const { store, awake, options } = context
  const record = existingRecord(store, site)
  const names = aliases.map(({ domain }) => domain)
  assertNames(names)
  assertFree(store, record, names)
  assertOneName(record, aliases)
  const changed = await store.change(record.id, (now) => {
    if (now.move !== undefined)
      throw new EngineError('conflict', msg`The primary domain of the site is being changed.`, {
        nextAction: msg`Wait until that is done.`,
      })
    const { aliases: _before, ...rest } = now
    const own = aliases.filter(({ domain }) => domain !== now.domain)
    return own.length === 0 ? rest : { ...rest, aliases: own.map(({ domain, mode }) => ({ domain, mode })) }
  })
  if (changed !== null) awake.running(record.id)?.setServed(servedHosts(options, changed))
}

function assertNames(names: readonly string[]): void {
  if (names.length <= maxAliases && names.every(isSiteDomain) && new Set(names).size === names.length) return
  throw new EngineError('invalid', msg`These are no valid names of a site.`, { nextAction: msg`Choose other names.` })
}
