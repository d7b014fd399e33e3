import type { ScheduledWork } from '#server/contracts/schedule.ts'
import { isPaid, type BillingDeps, type PaidDeps } from '../deps.ts'
import { tellPayers } from './customer.ts'
import { comparePlans, followDuePlans } from './payment-schedules.ts'
import { processEvents } from './webhook.ts'

/** Follows events, and tells who pays, in this process as soon as there is something, one run at a time. */
export interface EventWork {
  wake(): void
  run(): Promise<void>
  stop(): Promise<void>
}

/** Creates it; nothing runs yet. */
export function eventWork(deps: BillingDeps): EventWork {
  let running: Promise<void> | null = null
  let again = false
  const run = async () => {
    if (!isPaid(deps)) return
    do {
      again = false
      await processEvents(deps)
      await tellPayers(deps)
    } while (again)
  }
  const wake = () => {
    again = true
    running ??= run()
      .catch((error: unknown) =>
        deps.log.error('Events of the payment provider could not be followed, nor it told who pays', { error }),
      )
      .finally(() => {
        running = null
      })
  }
  return {
    wake,
    async run() {
      wake()
      await running
    },
    async stop() {
      await running
    },
  }
}

/** What repeats while plans are paid for. */
export const paidSchedules = (deps: PaidDeps, events: EventWork): ScheduledWork[] => [
  {
    name: 'billing.payments',
    everySeconds: 60,
    atStart: true,
    async run() {
      await events.run()
      await followDuePlans(deps)
    },
  },
  { name: 'billing.compare', everySeconds: 6 * 3600, atStart: true, run: () => comparePlans(deps) },
]
