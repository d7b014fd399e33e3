/**
 * Ten users sign in every second, each at the cost of a 64 MiB Argon2id hash, while a hundred calls a second continue. The
 * budget (p95 of 20 ms) assumes an idle machine with two cores and is only reported; the gate is the processor time of a
 * login against that of a bare Node server for the same hash.
 */
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import { withBareServer } from './bare.ts'
import { signUpOwner } from './bench-product.ts'
import { addMembers, connectTo, sharedPassword, memberEmail, openSession } from './fleet.ts'
import { atRate, createLoader, quantile, sendOrThrow, type Call } from './load.ts'
import { processorMs, processorMsOf } from './processor-time.ts'

const logins = { perSecond: 10, seconds: 20 }
const calls = { perSecond: 100, seconds: 20 }
const members = 199
const whoami = '/api/method/frappe.auth.get_logged_user'

interface Measured {
  logins: number[]
  calls: number[]
  rejected: number
  /** Completed logins per second. */
  perSecond: number
}

/** Figures of both kinds of concurrent calls, with the default limits. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: { EASYDASH_RATE_LIMITS: '' } })
  try {
    await signUpOwner(product)
    const database = await connectTo(product)
    let cookie: string
    try {
      await addMembers(database, members, 'Organization User')
      cookie = await openSession(database, 'owner@bench.example')
    } finally {
      await database.end()
    }
    const login = (at: number): Call => ({
      method: 'POST',
      path: '/api/method/login',
      headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
      body: JSON.stringify({ usr: memberEmail(1 + (at % members)), pwd: sharedPassword }),
    })
    const ours = await measure(product.port, login, { path: whoami, headers: { cookie } })
    const oneLogin = await priceOf(product.port, login, (work) => processorMsOf(product, work))
    const hash = (): Call => ({ method: 'POST', path: '/' })
    const [bare, oneHash] = await withBareServer(async (port, pid) => [
      await measure(port, hash, { path: '/' }),
      await priceOf(port, hash, async (work) => {
        const before = await processorMs(pid)
        await work()
        return (await processorMs(pid)) - before
      }),
    ])
    return [
      { name: 'logins asked for', value: logins.perSecond, unit: '/s' },
      { name: 'logins that ended', value: ours.perSecond, unit: '/s (10)' },
      { name: 'login, p95', value: quantile(ours.logins, 0.95), unit: 'ms' },
      { name: 'login, median', value: quantile(ours.logins, 0.5), unit: 'ms' },
      { name: 'whoami meanwhile, p95', value: quantile(ours.calls, 0.95), unit: 'ms (20)' },
      { name: 'whoami meanwhile, median', value: quantile(ours.calls, 0.5), unit: 'ms' },
      { name: 'bare server with the same hashes, hash p95', value: quantile(bare.logins, 0.95), unit: 'ms' },
      { name: 'bare server with the same hashes, call p95', value: quantile(bare.calls, 0.95), unit: 'ms' },
      { name: 'logins refused', value: ours.rejected, unit: '' },
      { name: 'processor time of a login, all processes', value: oneLogin, unit: 'ms' },
      { name: 'processor time of a hash, bare server', value: oneHash, unit: 'ms' },
      { name: 'login / hash, processor time', value: oneLogin / oneHash, unit: 'ratio', limit: 1.25 },
    ]
  } finally {
    await product.close()
  }
}

async function measure(port: number, login: (at: number) => Call, call: Call): Promise<Measured> {
  const [loginLoader, desk] = [createLoader(port, 64), createLoader(port, 32)]
  const measured: Measured = { logins: [], calls: [], rejected: 0, perSecond: 0 }
  try {
    // Ten warm-up calls of each kind.
    for (let at = 0; at < 10; at += 1) {
      await sendOrThrow(desk, call)
      await sendOrThrow(loginLoader, login(at))
    }
    const from = performance.now()
    let ended = from
    await Promise.all([
      atRate(logins.perSecond, logins.seconds, async (at) => {
        const { status, took } = await loginLoader.send(login(10 + at))
        ended = performance.now()
        if (status === 200) measured.logins.push(took)
        else measured.rejected += 1
      }),
      atRate(calls.perSecond, calls.seconds, async () => {
        measured.calls.push((await sendOrThrow(desk, call)).took)
      }),
    ])
    measured.perSecond = (measured.logins.length / Math.max(ended - from, logins.seconds * 1000)) * 1000
    return measured
  } finally {
    loginLoader.close()
    desk.close()
  }
}

/** Processor time of one login in milliseconds, one at a time. */
async function priceOf(
  port: number,
  login: (at: number) => Call,
  used: (work: () => Promise<unknown>) => Promise<number>,
): Promise<number> {
  const loader = createLoader(port, 1)
  const rounds = 20
  try {
    return (
      (await used(async () => {
        for (let at = 0; at < rounds; at += 1) await sendOrThrow(loader, login(at))
      })) / rounds
    )
  } finally {
    loader.close()
  }
}
