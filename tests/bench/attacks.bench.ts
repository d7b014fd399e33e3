/**
 * Whether the dashboard still responds under attack: `/healthz`, requested ten times a second by a separate process, must
 * respond within 250 ms during each attack. `npm run bench -- attacks` runs all attacks, `ATTACK=text npm run bench --
 * attacks` those with the text in their name. The machine has two cores for product, database, attacker and prober.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Figure } from '../../scripts/bench-run.ts'
import { blockedTasks } from '#tests/e2e/support/blocked-tasks.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { freePort } from '#tests/wire/booted.ts'
import type { Attack, Target } from './attacks/attack.ts'
import { connectionAttacks } from './attacks/connections.ts'
import { dataAttacks } from './attacks/data.ts'
import type { Probe } from './attacks/health-prober.ts'
import { inputAttacks } from './attacks/inputs.ts'
import { benchSettings, signUpOwner } from './bench-product.ts'
import { connectTo } from './fleet.ts'

/** All attacks. */
const attacks: readonly Attack[] = [...inputAttacks, ...connectionAttacks, ...dataAttacks]

/** Duration of each attack. */
const attackMs = 5000
/** Maximum response time of `/healthz`. */
const limitMs = 250

/** The slowest response of `/healthz` during each attack, in milliseconds. */
export async function bench(): Promise<Figure[]> {
  const wanted = process.env['ATTACK'] ?? ''
  const chosen = attacks.filter(({ name }) => name.includes(wanted))
  const socketPort = await freePort()
  const product = await startProduct({ mayBlock: true, env: { ...benchSettings, SOCKETIO_PORT: String(socketPort) } })
  const prober = await startProber(product)
  try {
    const { browser } = await signUpOwner(product)
    const owner = { cookie: browser.cookieHeader(), 'x-frappe-csrf-token': browser.csrfToken ?? '' }
    const target = { port: product.port, socketPort, owner }
    const figures: Figure[] = []
    figures.push(figure('nothing', await during(prober, () => delay(attackMs))))
    for (const attack of chosen) {
      await prepare(attack, product)
      figures.push(figure(attack.name, await during(prober, () => carryOut(attack, target))))
      // After-effects must not count against the next attack.
      await delay(1000)
    }
    return figures
  } finally {
    prober.stop()
    for (const one of await blockedTasks(product.dataDir)) process.stdout.write(`blocked: ${one}\n`)
    await product.close()
  }
}

async function prepare(attack: Attack, product: Product): Promise<void> {
  if (!attack.prepare) return
  const database = await connectTo(product)
  try {
    await attack.prepare(database)
  } finally {
    await database.end()
  }
}

async function carryOut(attack: Attack, target: Omit<Target, 'signal'>): Promise<void> {
  await attack.run({ ...target, signal: AbortSignal.timeout(attackMs) })
}

function figure(name: string, probes: readonly Probe[]): Figure {
  const failed = probes.filter(({ status }) => status !== 200).length
  if (failed > 0 || probes.length === 0)
    throw new Error(`/healthz failed ${failed} of ${probes.length} times during: ${name}`)
  const value = Math.max(...probes.map(({ tookMs }) => tookMs))
  return { name, value, unit: 'ms', limit: limitMs }
}

interface Prober {
  /** Called for each response; null while nothing is measured. */
  onProbe: ((probe: Probe) => void) | null
  stop(): void
}

async function startProber(product: Product): Promise<Prober> {
  const child = fork(join(import.meta.dirname, 'attacks', 'health-prober.ts'))
  const prober: Prober = { onProbe: null, stop: () => void child.kill() }
  child.on('message', (probe: Probe) => prober.onProbe?.(probe))
  child.send(product.port)
  await once(child, 'message')
  return prober
}

/** The responses while the work runs. */
async function during(prober: Prober, work: () => Promise<unknown>): Promise<Probe[]> {
  const probes: Probe[] = []
  prober.onProbe = (probe) => probes.push(probe)
  await work()
  prober.onProbe = null
  return probes
}
