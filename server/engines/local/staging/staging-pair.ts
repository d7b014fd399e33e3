import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { existingRecord } from '../sites/site-store.ts'
import type { Pair } from './merge-database.ts'

/** The records of a site and its staging site. Throws EngineError `conflict` if nothing can be pushed between them now. */
export function readyPair({ store }: Pick<LocalContext, 'store'>, live: SiteRef, staging: SiteRef): Pair {
  const pair = { live: existingRecord(store, live), staging: existingRecord(store, staging) }
  const { stagingOf } = pair.staging
  if (stagingOf?.id !== pair.live.id)
    throw new EngineError('conflict', msg`The site is no staging site of the other one.`, {
      nextAction: msg`Create a staging site.`,
    })
  for (const { state, stopped } of [pair.live, pair.staging])
    if (state !== 'ready' || stopped === true)
      throw new EngineError('conflict', msg`Only sites that are ready can be compared.`, {
        nextAction: msg`Wait until both sites are ready.`,
      })
  // What staging started with is as its database had it then.
  if (pair.live.database !== pair.staging.database)
    throw new EngineError('conflict', msg`The database of one of the two sites was moved since staging was created.`, {
      nextAction: msg`Move it back, or create a new staging site and bring your changes there.`,
    })
  // Every address in the database would count as a change.
  if (stagingOf.domain !== pair.live.domain || stagingOf.own !== pair.staging.domain)
    throw new EngineError('conflict', msg`One of the two sites got another primary domain since staging was created.`, {
      nextAction: msg`Create a new staging site, and bring your changes there.`,
    })
  return pair
}
