import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'

/** Throws EngineError `conflict` if another site has one of the names. */
export function assertFree(store: SiteStore, record: Pick<SiteRecord, 'id'>, names: readonly string[]): void {
  for (const name of names) {
    const other = store.byDomain(name)
    if (other === undefined || other.id === record.id) continue
    throw new EngineError('conflict', msg`Another site of this machine has the name ${name}.`, {
      nextAction: msg`Choose another name.`,
    })
  }
}
