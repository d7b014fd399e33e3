import type { ScheduledWork } from '#server/contracts/schedule.ts'
import { isPaid, type BillingDeps, type PaidDeps } from '../deps.ts'
import { tellPayers } from './customer.ts'
import { comparePlans, followDuePlans } from './payment-schedules.ts'
import { processEvents } from './webhook.ts'

/** Work that is done in this process as soon as there is some, one run at a time. */
export interface WokenWork {
  wake(): void
  run(): Promise<void>
  stop(): Promise<void>
}

/** What is done when it is woken. Nothing runs yet. */
export interface PaymentWork {
  /** Follows events. */
  readonly events: WokenWork
  /** Tells who pays. */
  readonly payers: WokenWork
}

/** Creates it. */
export const paymentWork = (deps: BillingDeps): PaymentWork => ({
  events: wokenWork(deps, processEvents, 'Events of the payment provider could not be followed'),
  payers: wokenWork(deps, tellPayers, 'The payment provider could not be told who pays'),
})

function wokenWork(deps: BillingDeps, work: (deps: PaidDeps) => Promise<void>, failed: string): WokenWork {
  let running: Promise<void> | null = null
  let again = false
  const run = async () => {
    if (!isPaid(deps)) return
    do {
      again = false
      await work(deps)
    } while (again)
  }
  const wake = () => {
    again = true
    running ??= run()
      .catch((error: unknown) => deps.log.error(failed, { error }))
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
export const paidSchedules = (deps: PaidDeps, { events, payers }: PaymentWork): ScheduledWork[] => [
  {
    name: 'billing.payments',
    everySeconds: 60,
    atStart: true,
    async run() {
      await events.run()
      await followDuePlans(deps)
      await payers.run()
    },
  },
  { name: 'billing.compare', everySeconds: 6 * 3600, atStart: true, run: () => comparePlans(deps) },
]
