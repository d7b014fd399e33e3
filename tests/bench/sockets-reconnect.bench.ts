/**
 * A restart with 2,000 open connections of 200 users: how long until all clients are reconnected and resubscribed, and how
 * the API responds meanwhile. The budgets (30 s, p95 of 1 s) assume an idle machine and are only reported; the gate is that
 * all clients reconnect on their own.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import { benchSettings, signUpOwner, timed } from './bench-product.ts'
import { addMembers, connectTo, memberEmail, openSession } from './fleet.ts'
import { createLoader, quantile, sendOrThrow, type Loader } from './load.ts'
import { processorMsOf } from './processor-time.ts'
import type { ClientsOrder, ClientsState } from './socket-clients.ts'

const connections = 2000
const people = 200
/** Maximum wait; more than three times the budget means that it hangs. */
const reconnectTimeoutMs = 100_000
const whoami = '/api/method/frappe.auth.get_logged_user'
const list = '/api/resource/Site?fields=["name","domain","status"]'

/** Figures of one graceful stop and start. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: benchSettings })
  const clients = fork(new URL('./socket-clients.ts', import.meta.url))
  const loader = createLoader(product.port, 32)
  try {
    await signUpOwner(product)
    const database = await connectTo(product)
    const cookies: string[] = []
    try {
      await addMembers(database, people, 'Organization Manager')
      for (let at = 1; at <= people; at += 1) cookies.push(await openSession(database, memberEmail(at)))
    } finally {
      await database.end()
    }
    const everyone = watch(clients)
    clients.send({
      port: product.port,
      cookies: Array.from({ length: connections }, (_, at) => cookies[at % people] ?? ''),
    } satisfies ClientsOrder)
    await everyone.until('all are connected', ({ ready }) => ready === connections)

    const before = await probe(loader, cookies[0] ?? '', () => delay(3000))
    await product.stop()
    await everyone.until('all are gone', ({ ready }) => ready === 0)
    let back = 0
    const start = await timed(() => product.restart())
    let during: number[] = []
    const price = await processorMsOf(product, async () => {
      during = await probe(loader, cookies[0] ?? '', async () => {
        back = await timed(() => everyone.until('all are back', ({ ready }) => ready === connections))
      })
    })
    return [
      { name: 'connections', value: connections, unit: '' },
      { name: 'start', value: start / 1000, unit: 's' },
      { name: 'all back after it', value: back / 1000, unit: 's (30)' },
      { name: 'API meanwhile, p95', value: quantile(during, 0.95), unit: 'ms (1000)' },
      { name: 'API meanwhile, slowest', value: Math.max(...during), unit: 'ms' },
      { name: 'API with all connected, p95', value: quantile(before, 0.95), unit: 'ms' },
      { name: 'processor time meanwhile, all processes', value: price / 1000, unit: 's' },
      { name: 'clients that gave up', value: everyone.state().rejected, unit: '', limit: 0 },
    ]
  } finally {
    loader.close()
    const ended = once(clients, 'exit')
    clients.disconnect()
    await ended
    await product.close()
  }
}

function watch(clients: ChildProcess): {
  state(): ClientsState
  until(what: string, reached: (state: ClientsState) => boolean): Promise<void>
} {
  let state: ClientsState = { ready: 0, lost: 0, rejected: 0 }
  clients.on('message', (message: ClientsState) => (state = message))
  return {
    state: () => state,
    async until(what, reached) {
      const deadline = performance.now() + reconnectTimeoutMs
      while (!reached(state)) {
        if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}: ${JSON.stringify(state)}`)
        await delay(20)
      }
    },
  }
}

/** Milliseconds of calls of two kinds, 40 a second, until `work` is done. */
async function probe(loader: Loader, cookie: string, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const open: Promise<void>[] = []
  let working = true
  const worked = work().finally(() => (working = false))
  while (working) {
    for (const path of [whoami, list]) {
      open.push(
        sendOrThrow(loader, { path, headers: { cookie } }).then(({ took }) => {
          times.push(took)
        }),
      )
    }
    await delay(50)
  }
  await Promise.all([worked, ...open])
  return times
}
