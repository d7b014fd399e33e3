import { useState } from 'react'
import type * as z from 'zod/mini'
import { planChange, type SubscriptionStatus } from '#shared/responses/billing.ts'
import { isOnRequest, type PlanName } from '#shared/rules/plans.ts'
import { ApiError, toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'

/** When a plan change takes effect: now, or at the end of the current period. */
export type ChangeTime = 'now' | 'period_end'

/** What a change of plan answered. */
export type PlanChange = z.infer<typeof planChange>

const methods = {
  move: 'change_plan',
  undo: 'undo_plan',
  cancel: 'cancel_plan',
  reactivate: 'reactivate_plan',
} as const

/** The actions on a plan. Each shows its outcome in a toast and returns what was done; null if it failed. */
export interface PlanActions {
  /** The action in progress. */
  readonly busy: keyof typeof methods | null
  /** Without a toast if the payment has to be confirmed first. */
  move(plan: PlanName, when: ChangeTime): Promise<PlanChange | null>
  /** Takes back a scheduled change. */
  undo(): Promise<PlanChange | null>
  cancel(): Promise<PlanChange | null>
  reactivate(): Promise<PlanChange | null>
}

/** Actions on the current organization's plan; `reload` refetches it. */
export function usePlanActions(status: SubscriptionStatus | undefined, reload: () => Promise<void>): PlanActions {
  const [busy, setBusy] = useState<PlanActions['busy']>(null)

  const act = async (
    name: keyof typeof methods,
    params: Record<string, unknown>,
    title: string,
    undo?: () => Promise<PlanChange | null>,
  ): Promise<PlanChange | null> => {
    setBusy(name)
    try {
      const change = checkedResult(planChange, await call(`easydash.api.billing.${methods[name]}`, params))
      await reload()
      if (change.payment?.state === 'failed')
        throw new ApiError(change.payment.message ?? t('change.not_paid'), { nextAction: t('change.not_paid_next') })
      if (change.payment?.state !== 'authentication_needed')
        showToast({
          title,
          description: change.message,
          variant: 'success',
          ...(undo && { action: undoButton({ undo: async () => void (await undo()) }) }),
        })
      return change
    } catch (error) {
      showToast({ title: t('change.failed_title'), description: fullMessage(toApiError(error)), variant: 'danger' })
      return null
    } finally {
      setBusy(null)
    }
  }

  const undo = () => act('undo', {}, t('change.undone_title'))

  const move = (plan: PlanName, when: ChangeTime, undoable = true): Promise<PlanChange | null> => {
    const before = status
    // If a change was pending, returning to the plan alone wouldn't restore the previous state, so no undo is offered.
    const plain = before !== undefined && !before.is_canceled && !before.is_scheduled
    const back = before?.plan_name
    const offered = before?.plans.find(({ name }) => name === back)
    // A plan on request can't be chosen again.
    const returnable = offered !== undefined && !isOnRequest(offered)
    const canUndo = undoable && plain && back !== undefined && back !== plan
    // A payment isn't taken back with the plan.
    const returns =
      canUndo && returnable && before.payment_provider === null ? () => move(back, 'now', false) : undefined
    const title = t(when === 'period_end' ? 'change.scheduled_title' : 'change.done_title')
    return act('move', { plan, when }, title, when === 'period_end' && canUndo ? undo : returns)
  }

  return {
    busy,
    move,
    undo,
    cancel: () =>
      act(
        'cancel',
        {},
        t('change.canceled_title'),
        status?.is_scheduled ? undefined : () => act('reactivate', {}, t('change.reactivated_title')),
      ),
    reactivate: () => act('reactivate', {}, t('change.reactivated_title')),
  }
}
