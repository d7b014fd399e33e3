import { useState } from 'react'
import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import type { PlanName } from '#shared/rules/plans.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t } from './messages.ts'

/** When a plan change takes effect: now, or at the end of the current period. */
export type ChangeTime = 'now' | 'period_end'

/** The three actions on a plan. Each shows its outcome in a toast and returns whether it succeeded. */
export interface PlanActions {
  /** The action in progress. */
  readonly busy: 'move' | 'cancel' | 'reactivate' | null
  move(plan: PlanName, when: ChangeTime): Promise<boolean>
  cancel(): Promise<boolean>
  reactivate(): Promise<boolean>
}

/** Actions on the current organization's plan; `reload` refetches it. */
export function usePlanActions(status: SubscriptionStatus | undefined, reload: () => Promise<void>): PlanActions {
  const [busy, setBusy] = useState<PlanActions['busy']>(null)

  const act = async (
    name: NonNullable<PlanActions['busy']>,
    params: Record<string, unknown>,
    title: string,
    undo?: () => Promise<boolean>,
  ): Promise<boolean> => {
    setBusy(name)
    const method = { move: 'change_plan', cancel: 'cancel_plan', reactivate: 'reactivate_plan' }[name]
    try {
      const { message } = await call<{ message: string }>(`easydash.api.billing.${method}`, params)
      await reload()
      showToast({
        title,
        description: message,
        variant: 'success',
        ...(undo && { action: undoButton({ undo: async () => void (await undo()) }) }),
      })
      return true
    } catch (error) {
      showToast({ title: t('change.failed_title'), description: fullMessage(toApiError(error)), variant: 'danger' })
      return false
    } finally {
      setBusy(null)
    }
  }

  const move = (plan: PlanName, when: ChangeTime, undoable = true): Promise<boolean> => {
    const before = status
    // If a change was pending, returning to the plan alone wouldn't restore the previous state, so no undo is offered.
    const plain = before !== undefined && !before.is_canceled && !before.is_scheduled
    const back = before?.plan_name
    return act(
      'move',
      { plan, when },
      t('change.done_title'),
      undoable && plain && back !== undefined && back !== plan ? () => move(back, 'now', false) : undefined,
    )
  }

  return {
    busy,
    move,
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
