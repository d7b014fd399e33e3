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

const isChanging = ({ change, change_until: until }: Pick<Subscription, 'change' | 'change_until'>, now: number) =>
  change !== null && until !== null && until > formatTimestamp(now)

/** Throws while a change is under way. `row` is locked by the caller. */
export function assertNoChange(row: Pick<Subscription, 'change' | 'change_until'>, now: number): void {
  if (!isChanging(row, now)) return
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
  assertNoChange(row, nowOf(deps))
  const mark = await claim(deps, tx, row.name)
  return new ExternalCall(
    async () => {
      crashPoint('billing/claimed')
      try {
        return await make(mark)
      } finally {
        await release(deps, row.name, mark)
        crashPoint('billing/released')
      }
    },
    entry,
    deadlineMs,
  )
}

/**
 * Does something at the provider that a change of the plan must not meet there, such as paying what is open. Returns false, and does
 * nothing, while one is under way.
 */
export async function whileClaimed(
  deps: PaidDeps,
  organization: string,
  work: () => Promise<unknown>,
): Promise<boolean> {
  const mark = await inSystem(deps, async (tx) =>
    isChanging(await lockedSubscription(tx, organization), nowOf(deps)) ? null : claim(deps, tx, organization),
  )
  if (mark === null) return false
  try {
    await work()
    return true
  } finally {
    await release(deps, organization, mark)
  }
}

async function claim(deps: PaidDeps, tx: Tx, organization: string): Promise<string> {
  const mark = newMark()
  const until = formatTimestamp(nowOf(deps) + claimMs)
  await tx.updateColumns(SubscriptionDoctype, organization, { change: mark, change_until: until })
  return mark
}

const release = (deps: PaidDeps, organization: string, mark: string): Promise<void> =>
  inSystem(deps, async (tx) => {
    const { change } = await lockedSubscription(tx, organization)
    if (change === mark) await tx.updateColumns(SubscriptionDoctype, organization, { change: null, change_until: null })
  })
