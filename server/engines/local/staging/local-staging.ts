import type { SiteStaging } from '../../site-staging.ts'
import type { LocalContext } from '../local-context.ts'
import { existingRecord } from '../sites/site-store.ts'
import { isPushKept } from './kept-push.ts'
import { planSteps } from './plan-steps.ts'
import { pushSteps, rollBackSteps } from './push-steps.ts'
import { changesSincePush } from './since-push.ts'
import { finishPush, undoPush } from './settle-push.ts'

/** Pushes between this machine's sites. */
export function createLocalStaging(context: LocalContext): SiteStaging {
  return {
    read: async (live) => {
      const record = existingRecord(context.store, live)
      const { push, pushed } = record
      const isKept = pushed !== undefined && isPushKept(context, record)
      return { changing: push?.kind === 'push' || push?.kind === 'roll_back', kept: isKept ? { at: pushed.at } : null }
    },
    planSteps: (live, staging, keep) => planSteps(context, live, staging, keep),
    pushSteps: (live, staging, choice) => pushSteps(context, live, staging, choice),
    rollBackSteps: (live) => rollBackSteps(context, live),
    changesSincePush: (live, signal) => changesSincePush(context, live, signal),
    finish: (live) => finishPush(context, live),
    undo: (live, operation) => undoPush(context, live, operation),
  }
}
