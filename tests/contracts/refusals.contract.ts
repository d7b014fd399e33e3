import { expect, it } from 'vitest'
import type { CapabilityName, SiteSpec } from '#server/engines/engine.ts'
import { capabilitiesOf, capabilityFacets, hasFacets } from '#server/engines/facets.ts'
import type { SiteKind } from '#server/engines/site-ref.ts'
import { failureOf } from './engine-failure.ts'
import { can, gatedCapabilities, testedServer, type TestedEngine } from './needs.ts'
import { runSteps } from './run-steps.ts'

/** What the contract of missing capabilities runs on. */
interface RefusalsUnderTest {
  readonly engine: TestedEngine
  readonly wp: SiteSpec
  readonly html: SiteSpec
  newSpec(kind: SiteKind, changes?: Partial<SiteSpec>): SiteSpec
  now(): number
}

type Calls = (under: RefusalsUnderTest) => readonly (() => unknown)[]

/**
 * What an engine without a capability refuses although it has the facets: that depends on what is installed on the server, or on
 * the values of the call. Everything else takes a facet that it does not have.
 */
const refused: Readonly<Partial<Record<CapabilityName, Calls>>> = {
  create_php: ({ engine, newSpec }) => [() => engine.createSteps(newSpec('php'))],
  thumbnail: ({ engine, html }) => [() => engine.thumbnail(html, AbortSignal.timeout(300_000))],
  cron: ({ engine, wp }) => [
    () => engine.wordpress.change(wp, { kind: 'pause_events', paused: true }),
    () => engine.wordpress.change(wp, { kind: 'run_event', id: `1|${'0'.repeat(32)}|wp_version_check` }),
  ],
  wordpress: ({ engine, wp }) => [() => engine.wordpress.change(wp, { kind: 'flush_cache' })],
  php_limits: ({ engine, wp }) => [
    () => engine.settings.change(wp, { memoryMb: 128 }),
    () => engine.settings.change(wp, { uploadMb: 8 }),
  ],
  debug_mode: ({ engine, wp, now }) => [() => engine.settings.change(wp, { debugUntil: now() + 60_000 })],
  maintenance: ({ engine, wp, html }) =>
    [wp, html].map((site) => () => engine.settings.change(site, { maintenance: true })),
  http_auth: ({ engine, wp, html }) =>
    [wp, html].map((site) => () => engine.settings.change(site, { httpAuth: { user: 'a', password: 'a-password' } })),
  protections: ({ engine, wp }) => [() => engine.settings.change(wp, { protections: ['no_file_editing'] })],
  clone: ({ engine, wp, html, newSpec }) =>
    [wp, html].map((site) => () => engine.copies.cloneSteps(site, { ...copyOf(site, newSpec), title: null })),
  staging: ({ engine, wp, newSpec }) => {
    const staging = { httpAuth: { user: 'preview', password: 'a-long-password-of-staging' } }
    return [() => engine.copies.cloneSteps(wp, { ...copyOf(wp, newSpec), title: null, staging })]
  },
  create_multisite: ({ engine, newSpec }) => [() => engine.createSteps(newSpec('wp', { multisite: 'subdir' }))],
  object_cache: ({ engine, newSpec }) => [() => engine.createSteps(newSpec('wp', { objectCache: true }))],
  vip: ({ engine, newSpec }) => [() => engine.createSteps(newSpec('wp', { vip: true }))],
  wordpress_choice: ({ engine, newSpec }) => [
    () => engine.createSteps(newSpec('wp', { locale: 'de_DE' })),
    () => engine.createSteps(newSpec('wp', { wordpressVersion: 'latest' })),
  ],
  php_database: ({ engine, newSpec }) =>
    can(engine, 'create_php') ? [() => engine.createSteps(newSpec('php', { withDatabase: true }))] : [],
  mysql: ({ engine, wp, newSpec }) => [
    () => engine.createSteps(newSpec('wp', { database: 'mysql' })),
    ...(hasFacets(engine, 'databaseMoves') ? [() => engine.databaseMoves.steps(wp, 'mysql')] : []),
  ],
}

function copyOf(site: SiteSpec, newSpec: RefusalsUnderTest['newSpec']): SiteSpec {
  const { id, domain } = newSpec(site.siteType)
  return { ...site, id, domain }
}

/** Begins what a call does: runs its steps, if it has some. */
async function begin(call: () => unknown): Promise<unknown> {
  const result = call()
  return Array.isArray(result) ? runSteps(result) : result
}

/**
 * What every engine does about capabilities that it lacks: the tests of these are skipped, and it refuses with the reason that it
 * declares, so that nothing half works.
 */
export function describeRefusals(under: () => RefusalsUnderTest): void {
  it('refuses, with the declared reason, whatever needs a capability it lacks', async (context) => {
    const { engine } = under()
    const all = capabilitiesOf(engine, testedServer())
    const calls = gatedCapabilities.flatMap((name) => {
      const capability = all[name]
      // What is called is the first facet, or `createSteps`, which is none.
      const isCallable =
        name === 'create_multisite' || name === 'mysql' || hasFacets(engine, ...capabilityFacets[name].slice(0, 1))
      const made = capability.supported || !isCallable ? [] : (refused[name]?.(under()) ?? [])
      return made.map((call) => [capability.supported ? '' : capability.reason, call] as const)
    })
    if (calls.length === 0) context.skip('It has all of them.')
    for (const [reason, call] of calls) {
      const error = await failureOf(() => begin(call)).catch((cause: unknown) => {
        throw new Error(`Not refused as unsupported: ${String(call)}`, { cause })
      })
      // It may be a part of a sentence.
      expect([error.code, error.message], String(call)).toEqual(['unsupported', expect.stringContaining(reason)])
    }
  })
}
