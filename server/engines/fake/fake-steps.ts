import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type SiteSpec, type StepContext } from '../engine.ts'
import { optionalNeeds } from '../facets.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSupported, connect, type FakeContext } from './fake-context.ts'
import { assertNewRef, assertPhp, createKeys, createLabels, untilAborted, type FakeSite } from './fake-site.ts'
import { fakeNamesOf } from './fake-names.ts'
import { assertFakeNetwork, withNetwork } from './fake-network-state.ts'
import { newWordPress } from './fake-wordpress-state.ts'
import { existingSite, readSite, siteIds, writeSite } from './fake-store.ts'

/** The steps of `Engine.createSteps`. */
export function fakeCreateSteps(context: FakeContext, spec: SiteSpec): EngineStep[] {
  assertNewRef(spec)
  assertPhp(spec.phpVersion)
  assertSupported(context, spec.server, `create_${spec.siteType}`, ...optionalNeeds(spec))
  if (spec.database === 'mysql') assertSupported(context, spec.server, 'mysql')
  assertFakeNetwork(context, spec)
  const keys = createKeys[spec.siteType].flatMap((key) =>
    key === 'check' && spec.multisite !== undefined ? ['network', key] : [key],
  )
  return keys.map((key) =>
    fakeStep(context, spec, key, createLabels[key] ?? key, () => {
      const site = claimDomain(context, spec)
      const done = [...new Set([...site.done, key])]
      const state = key === 'check' || site.state === 'running' ? 'running' : 'partial'
      const now = key === 'network' ? withNetwork(site) : site
      writeSite(context, { ...now, done, state })
    }),
  )
}

/** The steps of `Engine.archiveSteps`. */
export function fakeArchiveSteps(context: FakeContext, site: SiteRef): EngineStep[] {
  const remove = fakeStep(context, site, 'remove_files', 'Remove the files', () => {
    existingSite(context, site)
  })
  return [
    fakeStep(context, site, 'stop_site', 'Stop the site', () => {
      writeSite(context, { ...existingSite(context, site), state: 'partial' })
    }),
    fakeStep(context, site, 'pack_files', 'Pack and check the files', () => {
      const known = existingSite(context, site)
      // As with other engines: after its restore it may run.
      writeSite(context, { ...known, state: 'archived', settings: { ...known.settings, suspended: false } })
    }),
    { ...remove, destructive: true },
  ]
}

/** The steps of `Engine.restoreArchiveSteps`. */
export function fakeRestoreSteps(context: FakeContext, site: SiteRef): EngineStep[] {
  const unpack = fakeStep(context, site, 'unpack_files', 'Unpack the files', () => {
    existingSite(context, site)
  })
  return [
    { ...unpack, destructive: true },
    fakeStep(context, site, 'check', 'Check that the site answers', () => {
      writeSite(context, { ...existingSite(context, site), state: 'running' })
    }),
  ]
}

/** A step that runs `work`, unless the site's domain is one that fails at it. */
export function fakeStep(
  context: FakeContext,
  site: SiteRef,
  key: string,
  label: string,
  work: () => void,
): EngineStep {
  return {
    key,
    label,
    run: async (step) => {
      step.signal.throwIfAborted()
      const isRepeated = context.begun.includes(`${site.domain}:${key}`)
      context.begun.push(`${site.domain}:${key}`)
      await connect(context, site.server)
      await failOnPurpose(site.domain, { key, label, isRepeated }, step)
      work()
      step.log(`${label}: done`)
      step.progress(1)
    },
  }
}

/** The reserved domains: `hang-KEY` waits until it is canceled, `fail-KEY` always fails, `flaky-KEY` fails once. */
async function failOnPurpose(
  domain: string,
  { key, label, isRepeated }: { key: string; label: string; isRepeated: boolean },
  { signal }: StepContext,
): Promise<void> {
  const dashed = key.replaceAll('_', '-')
  if (domain === `hang-${dashed}`) await untilAborted(signal)
  if (domain === `fail-${dashed}`)
    throw new EngineError('unavailable', msg`The step "${label}" failed on purpose.`, {
      nextAction: msg`Choose another name.`,
    })
  if (domain === `flaky-${dashed}` && !isRepeated)
    throw new EngineError('unavailable', msg`The step "${label}" failed once.`, {
      retryable: true,
      nextAction: msg`Try again.`,
    })
}

/** The stored site, or a new one. Throws EngineError `conflict` if another site has its domain. */
export function claimDomain(context: FakeContext, spec: SiteSpec): FakeSite {
  const { id, domain, siteType, phpVersion, title, adminUser, database = 'sqlite' } = spec
  const other = siteIds(context)
    .map((one) => readSite(context, one))
    .find((site) => site?.id !== id && fakeNamesOf(site).includes(domain))
  if (other !== undefined)
    throw new EngineError('conflict', msg`Another site of this machine has this name.`, {
      nextAction: msg`Choose another name.`,
    })
  return (
    readSite(context, id) ?? {
      id,
      domain,
      siteType,
      phpVersion,
      title,
      adminUser,
      database,
      ...chosenWordPress(spec),
      done: [],
      state: 'partial',
      reason: null,
    }
  )
}

/** What a new WordPress has by choice. */
function chosenWordPress({ adminUser, locale, wordpressVersion: version }: SiteSpec): Partial<FakeSite> {
  const fresh = newWordPress(adminUser)
  return {
    ...(locale === undefined ? {} : { languages: [locale], wordpress: { language: locale } }),
    ...(version === undefined || version === 'latest'
      ? {}
      : { management: { ...fresh, facts: { ...fresh.facts, version } } }),
  }
}
