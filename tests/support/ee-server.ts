import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEeContext, type EeContext, type EeEngineOptions } from '#server/engines/ee/ee-context.ts'
import { createEeEngine, type EeEngine } from '#server/engines/ee/ee-engine.ts'
import type { SiteSpec } from '#server/engines/engine.ts'
import type { Screenshots } from '#server/engines/screenshots.ts'
import { installationKey, type ServerRef } from '#server/engines/site-ref.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { publicKeyLine } from '#server/platform/ssh/client-key.ts'
import type { BreakMoment } from '#server/platform/ssh/simulated-server.ts'
import { createSsh } from '#server/platform/ssh/ssh.ts'
import { addEasyEngine } from '#server/providers/simulator/machine-files.ts'
import { startSimulatedCloud, type SimulatedCloud } from '#server/providers/simulator/simulated-cloud.ts'
import { runSteps } from '../contracts/run-steps.ts'
import { simulatedCatalogue } from './simulated-catalogue.ts'

const pair = generateKeyPairSync('ed25519')
const privateKey = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const timers = {
  setTimeout: (fn: () => void, ms: number) => setTimeout(fn, ms),
  clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
}

/** Where processes find a simulated server, and what they sign in with. */
export interface EePlace {
  readonly addressMap: SimulatedCloud['addressMap']
  readonly privateKey: string
  /** For archives on this machine. */
  readonly folder: string
  /** Base URL of the store of buckets; null or missing: there is none. */
  readonly awsS3?: string | null
  /** Backups are tried out on this machine, which can judge none of them. */
  readonly triesOut?: boolean
}

/** What the engine of a process is made with. */
export const eeOptions = ({ addressMap, privateKey: key, folder }: EePlace): EeEngineOptions => ({
  config: { addressMap, allowPrivateCidrs: [] },
  sitesUrlPattern: null,
  packedFolder: join(folder, 'packed'),
  importsFolder: join(folder, 'imports'),
  readCredentials: async () => key,
  catalogue: simulatedCatalogue,
  screenshots: null,
  log: silentLog,
})

/** A simulated server with EasyEngine, and the engine that works on it. */
export interface EeServer {
  readonly place: EePlace
  readonly engine: EeEngine
  /** As the engine has one, for tests of its parts. */
  readonly context: EeContext
  readonly server: ServerRef
  readonly cloud: SimulatedCloud
  /** The folder that stands for `/` of the server. */
  readonly root: string
  /** What the simulated programs found wrong with their calls. */
  violations(): Promise<readonly string[]>
  /** What changed on the server, in order. */
  effects(): Promise<readonly string[]>
  /** Runs EasyEngine on the server, as a person there does. */
  ee(...words: readonly string[]): Promise<void>
  /** A plain HTML site that does not exist yet, with names of its own. */
  newSpec(changes?: Partial<SiteSpec>): SiteSpec
  /** Creates it. */
  create(changes?: Partial<SiteSpec>): Promise<SiteSpec>
  /** Switches traps of the simulated server on, see `trapNames`. */
  setTraps(...traps: readonly string[]): Promise<void>
  end(): Promise<void>
}

const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')

/** Starts a simulated server with EasyEngine. `screenshots`: who takes those of its sites. `breaks`: when its connections break. */
export async function startEeServer(
  screenshots: Screenshots | null = null,
  breaks: () => BreakMoment | null = () => null,
): Promise<EeServer> {
  const folder = await mkdtemp(join(tmpdir(), 'ee-'))
  const cloud = await startSimulatedCloud(folder, 1, { breaks })
  const machine = { name: 'server-1', vcpu: 2, ramBytes: 4 * 1024 ** 3, diskBytes: 40 * 1024 ** 3 }
  const address = cloud.start({ ...machine, keys: [publicKeyLine(pair.publicKey)], userData: '' })
  if (address === null) throw new Error('The simulated cloud is full.')
  const config = { addressMap: cloud.addressMap, allowPrivateCidrs: [] }
  const ssh = createSsh({ config, readKey: async () => privateKey, timers, log: silentLog })
  const hostKey = await untilReady(() => ssh.firstContact({ address, port: 22 }))
  const root = join(folder, address)
  await addEasyEngine(root)
  const ref = { id: 'server0001', address, port: 22, user: 'root', hostKey: hostKey.line }
  // As the installer does: it makes EasyEngine's database.
  const ee = async (...words: readonly string[]) => {
    const { code, stderr } = await ssh.run(ref, ['ee', ...words], { deadlineMs: 30_000 })
    if (code !== 0) throw new Error(stderr)
  }
  // It can answer before it has the keys of those who may enter.
  await untilReady(() => ee('cli', 'info'))
  const server: ServerRef = { ...ref, credentials: installationKey, facts: {} }
  const place: EePlace = { addressMap: cloud.addressMap, privateKey, folder }
  const options = { ...eeOptions(place), screenshots }
  const engine = createEeEngine(options)
  const context = createEeContext(options)
  let counter = 0
  const newSpec = (changes: Partial<SiteSpec> = {}): SiteSpec => {
    counter += 1
    const id = `site${String(counter).padStart(6, '0')}`
    return eeSpec(server, { id, domain: `site-${counter}.example.com`, siteType: 'html', ...changes })
  }
  return {
    ...{ place, engine, context },
    server,
    ee,
    newSpec,
    async create(changes) {
      const spec = newSpec(changes)
      await runSteps(engine.createSteps(spec))
      return spec
    },
    cloud,
    root,
    violations: () => linesOf(join(root, 'var/lib/simulated/violations.log')),
    effects: () => linesOf(join(root, 'var/lib/simulated/effects.log')),
    setTraps: (...traps) => writeFile(join(root, 'var/lib/simulated/traps'), traps.map((one) => `${one}\n`).join('')),
    async end() {
      ssh.close()
      context.ssh.close()
      await engine.stop()
      await cloud.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A machine answers a moment after it was ordered. */
async function untilReady<T>(work: () => Promise<T>): Promise<T> {
  for (let left = 100; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** A WordPress site to be created there. */
export function eeSpec(server: ServerRef, changes: Partial<SiteSpec> = {}): SiteSpec {
  return {
    ...{
      id: 'sitesiteaa',
      domain: 'shop.example.com',
      siteType: 'wp',
      phpVersion: '8.3',
      server,
      title: `Ann's "Shop"`,
    },
    ...{ adminUser: 'ann', adminEmail: 'ann@example.com', adminPassword: 'Abcdefghijklmnopqrstuvw1', ...changes },
  }
}
