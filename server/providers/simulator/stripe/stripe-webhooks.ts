import { createHmac } from 'node:crypto'

export type Json = Readonly<Record<string, unknown>>

export interface StripeEvent {
  readonly id: string
  readonly type: string
  readonly created: number
  /** The object as it was then. */
  readonly object: Json
  isDelivered: boolean
}

/** How events are sent. All are as the vendor's may be: late, twice, in another order, or never. */
export interface Webhooks {
  /** Null: nowhere. */
  url: string | null
  /** What happens to a new event. Default: it is sent once, after those before it. */
  plan: (event: StripeEvent) => 'send' | 'send_twice' | 'hold' | 'lose'
  /** Those that wait, the plan's and those nobody took. */
  readonly held: StripeEvent[]
  /** Sends one, whether it was sent before or not. Returns the status of the answer, 0 if there is none. */
  send(event: StripeEvent): Promise<number>
  /** Resolves when nothing is under way. */
  settled(): Promise<void>
}

/** How long a receiver may take. */
const deadlineMs = 20_000

const apiVersion = '2026-10-28.endive'

export const eventBody = ({ id, type, created, object, isDelivered }: StripeEvent): Json => ({
  id,
  object: 'event',
  api_version: apiVersion,
  created,
  livemode: false,
  pending_webhooks: isDelivered ? 0 : 1,
  request: { id: null, idempotency_key: null },
  type,
  data: { object },
})

/** The header `Stripe-Signature` of a body. */
export function signatureOf(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

export function createWebhooks(options: { readonly webhookSecret: string; readonly now: () => number }): Webhooks {
  /** One after the other, so that their order is a matter of the plan. */
  let queue: Promise<unknown> = Promise.resolve()

  async function post(event: StripeEvent): Promise<number> {
    if (webhooks.url === null) return 0
    const body = JSON.stringify(eventBody(event))
    const signature = signatureOf(options.webhookSecret, Math.floor(options.now() / 1000), body)
    try {
      const { status } = await fetch(webhooks.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(deadlineMs),
      })
      return status
    } catch {
      // A receiver that is down is what retries are for: it waits among the held ones.
      return 0
    }
  }

  const webhooks: Webhooks = {
    url: null,
    plan: () => 'send',
    held: [],
    send(event) {
      const place = webhooks.held.indexOf(event)
      if (place >= 0) webhooks.held.splice(place, 1)
      const sent = queue.then(async () => {
        const status = await post(event)
        if (status >= 200 && status < 300) event.isDelivered = true
        else if (webhooks.url !== null) webhooks.held.push(event)
        return status
      })
      queue = sent
      return sent
    },
    async settled() {
      for (let last: unknown = null; last !== queue;) {
        last = queue
        await last
      }
    },
  }
  return webhooks
}
