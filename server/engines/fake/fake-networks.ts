import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import type { SiteNetworks } from '../site-network.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import type { FakeSite } from './fake-site.ts'
import { assertFakeOneName, isFakeNetwork, withNetwork } from './fake-network-state.ts'
import { fakeStep } from './fake-steps.ts'
import { existingSite, existingWordPress, writeSite } from './fake-store.ts'

/** Networks are a mark in the site's file. */
export function createFakeNetworks(context: FakeContext): SiteNetworks {
  return {
    convertSteps: (site) => convertSteps(context, site),
    finishConversion: async (site) => {
      const { conversion: _done, ...known } = existingSite(context, site)
      writeSite(context, known)
    },
    undoConversion: async (site) => {
      const { conversion, ...known } = existingSite(context, site)
      if (conversion === undefined) return isFakeNetwork(known) ? 'finished' : 'undone'
      const { before } = conversion
      const { management: _network, ...rest } = known
      writeSite(context, before === null ? rest : { ...rest, management: before })
      return 'undone'
    },
    isNetwork: async (site) => {
      const known = existingSite(context, site)
      return known.conversion === undefined && isFakeNetwork(known)
    },
  }
}

function convertSteps(context: FakeContext, site: SiteRef): EngineStep[] {
  existingWordPress(context, site)
  const step = (key: string, label: string, work: (known: FakeSite) => FakeSite) =>
    fakeStep(context, site, key, label, () => {
      const now = existingSite(context, site)
      if (now.conversion === undefined && isFakeNetwork(now)) return
      assertConvertible(now)
      writeSite(context, work({ ...now, conversion: now.conversion ?? { before: now.management ?? null } }))
    })
  return [
    step('pause', 'Keep visitors out', (now) => now),
    step('network', 'Turn on multisite', (now) => withNetwork(now)),
    step('check', 'Check that the site answers', (now) => withNetwork(now)),
  ]
}

function assertConvertible(known: FakeSite): void {
  if (known.state !== 'running' || known.stagingOf !== undefined)
    throw new EngineError('conflict', msg`A site can only become a network while it is ready.`, {
      nextAction: msg`Wait until the site is ready.`,
    })
  assertFakeOneName(true, known.aliases ?? [])
}
