/**
 * A process that is killed (SIGKILL) between two writes of a change of a plan, at the provider or in our database: after one comparison our
 * state is the provider's, the same change can be made again, and nobody pays twice.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { amountsOf } from '#server/providers/simulator/stripe/stripe-money.ts'
import { changeAndKill } from '#tests/support/billing-process.ts'
import type { Until } from '#tests/support/killed-process.ts'
import { isLongRun } from '#tests/support/long-run.ts'
import { sdkError, type Browser } from '../browser.ts'
import { openPaidPlans, type PaidPlans } from './paid-plans.ts'
import { expectProvidersState, invoicesOf } from './provider-state.ts'

let p: PaidPlans
beforeAll(async () => {
  p = await openPaidPlans()
})
afterAll(() => p.closeUnharmed())

/** How long a change that a killed process began stops others. */
const claimMs = 180_000

/** What is changed, what is there before, and what of money and plan there is in the end, in cents. */
const changes = {
  start: { before: [], do: ['change_plan', { plan: 'Starter' }], paid: [1200], plan: 'Starter', pending: null },
  upgrade: {
    before: [['change_plan', { plan: 'Starter' }]],
    do: ['change_plan', { plan: 'Growth' }],
    paid: [1200, 2700],
    plan: 'Growth',
    pending: null,
  },
  downgrade: {
    before: [['change_plan', { plan: 'Growth' }]],
    do: ['change_plan', { plan: 'Starter', when: 'period_end' }],
    paid: [3900],
    plan: 'Growth',
    pending: 'Starter',
  },
  // What is scheduled is taken back first.
  'upgrade at once': {
    before: [
      ['change_plan', { plan: 'Starter' }],
      ['change_plan', { plan: 'Growth', when: 'period_end' }],
    ],
    do: ['change_plan', { plan: 'Growth' }],
    paid: [1200, 2700],
    plan: 'Growth',
    pending: null,
  },
  undo: {
    before: [
      ['change_plan', { plan: 'Growth' }],
      ['change_plan', { plan: 'Starter', when: 'period_end' }],
    ],
    do: ['undo_plan', {}],
    paid: [3900],
    plan: 'Growth',
    pending: null,
  },
  cancel: {
    before: [['change_plan', { plan: 'Starter' }]],
    do: ['cancel_plan', {}],
    paid: [1200],
    plan: 'Starter',
    pending: 'Free',
  },
  reactivate: {
    before: [
      ['change_plan', { plan: 'Starter' }],
      ['cancel_plan', {}],
    ],
    do: ['reactivate_plan', {}],
    paid: [1200],
    plan: 'Starter',
    pending: null,
  },
} as const satisfies Record<
  string,
  {
    before: readonly Action[]
    do: Action
    paid: readonly number[]
    plan: string
    pending: string | null
  }
>
type Action = readonly [name: string, args: object]

/** Writes at the provider, in their order. */
const asked: { readonly [change in keyof typeof changes]: readonly string[] } = {
  start: ['subscriptions', 'invoices/'],
  upgrade: ['subscriptions/'],
  downgrade: ['subscription_schedules', 'subscription_schedules/'],
  'upgrade at once': ['subscription_schedules/', 'subscriptions/'],
  undo: ['subscription_schedules/'],
  cancel: ['subscriptions/'],
  reactivate: ['subscriptions/'],
}
const own = ['claimed', 'read', 'applied', 'released']

interface Kill {
  readonly change: keyof typeof changes
  /** Where: at a request, before or after the provider carried it out, or at a crash point. */
  readonly at: string
}

const kills = Object.keys(changes).flatMap((name) => {
  const change = name as keyof typeof changes
  const requests = asked[change].flatMap((one) => [`before ${one}`, `after ${one}`])
  return [...requests, ...own].map((at): Kill => ({ change, at }))
})
const sample: readonly Kill[] = [
  { change: 'start', at: 'after subscriptions' },
  { change: 'start', at: 'after invoices/' },
  { change: 'upgrade', at: 'after subscriptions/' },
  { change: 'upgrade', at: 'read' },
  { change: 'upgrade at once', at: 'after subscription_schedules/' },
  { change: 'downgrade', at: 'before subscription_schedules/' },
  { change: 'cancel', at: 'applied' },
]

const ask = (owner: Browser, [name, args]: Action) => p.post(owner, `easydash.api.billing.${name}`, args)

it.each(isLongRun ? kills : sample)('$change, killed $at', async ({ change, at }) => {
  const { before, do: wanted, paid, plan, pending } = changes[change]
  const { slug, owner } = await p.organization()
  await p.addCard(owner)
  for (const one of before) await ask(owner, one)

  await killed(slug, wanted, at)
  // Whoever asks meanwhile does not meet what it may have left halfway.
  if (at !== 'released') expect(await sdkError(ask(owner, wanted))).toMatchObject({ httpStatus: 409 })
  p.pass(claimMs)
  await p.work('billing.compare')
  await expectProvidersState(p, slug)

  // It may have had its effect.
  const refused = await sdkError(ask(owner, wanted)).catch(() => null)
  if (refused) expect(refused.exception).toMatch(/nothing to (?:undo|reactivate)/)
  await expectProvidersState(p, slug)
  const status = await p.status(owner)
  expect([status.plan_name, status.is_canceled ? 'Free' : (status.scheduled_plan ?? null)]).toEqual([plan, pending])
  expect(invoicesOf(p, slug).flatMap((one) => (one.status === 'paid' ? [amountsOf(one).due] : []))).toEqual(paid)
})

/** No customer, card or intent is made twice either. */
it.each(['before customers', 'after customers', 'after customers/', 'after setup_intents'])(
  'the first card, killed %s',
  async (at) => {
    const { slug, owner } = await p.organization()
    await killed(slug, ['create_setup_intent', {}], at)
    await p.addCard(owner)
    expect([p.customersOf(slug).length, (await p.cards(slug)).length]).toEqual([1, 1])
    await expectProvidersState(p, slug)
  },
)

/** An owner asks a process for something, and it is killed there. */
async function killed(organization: string, [action, args]: Action, at: string): Promise<void> {
  const [moment, request] = at.split(' ')
  const order = {
    connection: p.booted.connection,
    stripe: p.settings,
    now: p.now(),
    organization,
    action,
    args: { ...args },
  }
  if (request === undefined) return changeAndKill(`billing/${at}`, order)
  // Requests about one that is there name it after the slash.
  const isMeant = (path: string) =>
    request.endsWith('/') ? path.startsWith(`/v1/${request}`) : path === `/v1/${request}`
  const until: Until = (kill) =>
    new Promise((resolve) => {
      p.arrival.isGone = ({ method, path }, now) => {
        if (method !== 'POST' || now !== moment || !isMeant(path)) return false
        kill()
        resolve()
        return true
      }
    })
  try {
    await changeAndKill('', order, until)
  } finally {
    p.arrival.isGone = null
  }
}
