import { ExternalCall, type ActionEntry, type ActionResult } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { inSystem, nowOf, type PaidDeps } from '../deps.ts'
import { lockedSubscription, newMark } from './customer.ts'

/** Longer than a change can take: what a killed process left is given up then. */
const claimMs = 180_000
const deadlineMs = 90_000

/** Throws while a change is under way. `row` is locked by the caller. */
export function assertNoChange(row: Pick<Subscription, 'change' | 'change_until'>, now: number): void {
  if (row.change === null || row.change_until === null || row.change_until <= formatTimestamp(now)) return
  throw new AppError('conflict', msg`The plan is being changed already.`, {
    nextAction: msg`Wait until that has ended, then look what the plan is.`,
  })
}

/**
 * A change of a plan at the provider, outside of every transaction. The row, which the caller has locked, says that it is
 * under way, so that two of them do not meet there. `mark` makes its requests known when they are repeated.
 */
export async function claimedChange(
  deps: PaidDeps,
  tx: Tx,
  row: Subscription,
  entry: ActionEntry,
  make: (mark: string) => Promise<ActionResult>,
): Promise<ExternalCall> {
  const now = nowOf(deps)
  assertNoChange(row, now)
  const mark = newMark()
  await tx.updateColumns(SubscriptionDoctype, row.name, {
    change: mark,
    change_until: formatTimestamp(now + claimMs),
  })
  const release = () =>
    inSystem(deps, async (later) => {
      const { change } = await lockedSubscription(later, row.name)
      if (change === mark)
        await later.updateColumns(SubscriptionDoctype, row.name, { change: null, change_until: null })
    })
  return new ExternalCall(
    async () => {
      crashPoint('billing/claimed')
      try {
        return await make(mark)
      } finally {
        await release()
        crashPoint('billing/released')
      }
    },
    entry,
    deadlineMs,
  )
}
