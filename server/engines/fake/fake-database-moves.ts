import { msg } from '#shared/localized-message.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { EngineError, type EngineStep } from '../engine.ts'
import type { SiteDatabaseMoves } from '../site-database-moves.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import { fakeStep } from './fake-steps.ts'
import { existingSite, writeSite } from './fake-store.ts'

/** The kind of database in the site's file; the content is the same on both. */
export function createFakeDatabaseMoves(context: FakeContext): SiteDatabaseMoves {
  return {
    kind: async (site) => existingSite(context, site).database ?? 'sqlite',
    steps: (site, to) => moveSteps(context, site, to),
    finish: async (site) => {
      const { databaseMove: _done, ...known } = existingSite(context, site)
      writeSite(context, known)
    },
    undo: async (site) => {
      const { databaseMove, ...known } = existingSite(context, site)
      const database = databaseMove?.from ?? known.database ?? 'sqlite'
      writeSite(context, { ...known, database })
      return database
    },
  }
}

function moveSteps(context: FakeContext, site: SiteRef, to: SiteDatabaseKind): EngineStep[] {
  const step = (key: string, label: string, database: (from: SiteDatabaseKind) => SiteDatabaseKind) =>
    fakeStep(context, site, key, label, () => {
      const known = existingSite(context, site)
      const from = known.databaseMove?.from ?? known.database ?? 'sqlite'
      if (known.state !== 'running' || known.siteType !== 'wp' || from === to)
        throw new EngineError('conflict', msg`The database can only be moved to another one while the site is ready.`, {
          nextAction: msg`Refresh the page.`,
        })
      writeSite(context, { ...known, database: database(from), databaseMove: { from } })
    })
  return [
    step('pause', 'Keep visitors out', (from) => from),
    step('copy', 'Copy the content and compare it', () => to),
    step('check', 'Check that the site answers', () => to),
  ]
}
