import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { CoreTarget, WordPressCore } from '../wordpress-core.ts'
import type { FakeContext } from './fake-context.ts'
import { fakeStep } from './fake-steps.ts'
import { existingSite, existingWordPress, writeSite } from './fake-store.ts'
import { newWordPress, pageBreakingVersion, type FakeWordPress } from './fake-wordpress-state.ts'

/** Versions that its wordpress.org has; with one of them the pages of a site fail. */
const versions = ['6.7.2', pageBreakingVersion, '6.5.5', '6.4.3']

/** Versions of WordPress in the site's file. */
export function createFakeCore(context: FakeContext): WordPressCore {
  return {
    versions: async (site) => ({
      installed: open(context, site).facts.version,
      reached: true,
      offers: versions.map((version) => ({
        version,
        stored: version === '6.5.5',
        state: version === versions[0] ? 'latest' : 'outdated',
      })),
    }),
    changeSteps: (site, to) => changeSteps(context, site, to),
    finishChange: async (site) => {
      const operation = open(context, site).core?.operation
      change(context, site, (wordpress) => {
        if (!wordpress.core) return
        const { version } = wordpress.core.before
        wordpress.facts.previous = { version, at: Math.round(context.now() / 1000), database: true }
        delete wordpress.core
      })
      if (operation !== undefined) writeSite(context, { ...existingSite(context, site), settled: operation })
    },
    undoChange: async (site, operation) => {
      if (!open(context, site).core && existingSite(context, site).settled === operation) return 'finished'
      change(context, site, (wordpress) => {
        if (!wordpress.core) return
        Object.assign(wordpress.facts, wordpress.core.before)
        delete wordpress.core
      })
      return 'undone'
    },
  }
}

function changeSteps(context: FakeContext, site: SiteRef, to: CoreTarget): EngineStep[] {
  const step = (key: string, label: string, work: (wordpress: FakeWordPress, step: StepContext) => void) => {
    const named: EngineStep = fakeStep(context, site, key, label, () => undefined)
    return {
      ...named,
      run: async (own: StepContext) => {
        await named.run(own)
        change(context, site, (wordpress) => work(claim(wordpress, own.operationId), own))
      },
    }
  }
  const replace = (wordpress: FakeWordPress) => {
    const { facts, core } = wordpress
    if ('previous' in to) {
      const kept = core?.before.previous ?? null
      if (kept === null) throw nothingKept()
      facts.version = kept.version
    } else facts.version = to.version
    wordpress.changed = []
  }
  return [
    step('target', 'Check the version', ({ facts }) => {
      if ('previous' in to) {
        if (facts.previous === null) throw nothingKept()
      } else if (!versions.includes(to.version)) {
        throw new EngineError('invalid', msg`${to.version} is no version of WordPress that runs here.`, {
          nextAction: msg`Choose another version.`,
        })
      }
    }),
    step('pause', 'Keep visitors out', () => undefined),
    step('replace', 'Exchange the files', replace),
    step('verify', 'Check the version that runs', replace),
  ]
}

/** The WordPress, whose change began now or before. */
function claim(wordpress: FakeWordPress, operation: string): FakeWordPress {
  const { version, previous } = wordpress.facts
  wordpress.core ??= { operation, before: { version, previous } }
  if (wordpress.core.operation === operation) return wordpress
  throw new EngineError('conflict', msg`The version of WordPress can only be changed while the site is ready.`, {
    nextAction: msg`Wait until the site is ready.`,
  })
}

function open(context: FakeContext, site: SiteRef): FakeWordPress {
  const known = existingWordPress(context, site)
  return known.management ?? newWordPress(known.adminUser)
}

function change(context: FakeContext, site: SiteRef, work: (wordpress: FakeWordPress) => void): void {
  const wordpress = open(context, site)
  work(wordpress)
  writeSite(context, { ...existingSite(context, site), management: wordpress })
}

const nothingKept = () =>
  new EngineError('not_found', msg`No earlier version of WordPress is kept.`, { nextAction: msg`Refresh the page.` })
