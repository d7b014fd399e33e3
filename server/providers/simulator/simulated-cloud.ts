import { mkdir, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  newHostKeys,
  startSimulatedServer,
  type SimulatedServer,
  type SimulatedServerOptions,
} from '#server/platform/ssh/simulated-server.ts'
import { serveSites, type SitesServer } from './easyengine/sites-server.ts'
import { machineEnvironment, makeMachine } from './machine-files.ts'

/** A machine that somebody ordered. */
export interface OrderedMachine {
  readonly name: string
  readonly vcpu: number
  readonly ramBytes: number
  readonly diskBytes: number
  /** Public keys, as lines. */
  readonly keys: readonly string[]
  readonly userData: string
}

/** Addresses of simulated machines, each behind a port of this machine. */
export interface SimulatedCloud {
  /** Where an address leads, as EASYDASH_ADDRESS_MAP has it: SSH, and the sites of EasyEngine. */
  readonly addressMap: Readonly<Record<string, string>>
  /** Where browsers reach the sites of all machines; `{domain}` stands for the domain. */
  readonly sitesUrl: string
  /** Takes an address for a machine, which answers there a moment later; null if all are taken. */
  start(machine: OrderedMachine): string | null
  /** The machine at an address is gone. */
  stop(address: string): void
  /** Breaks the SSH connections of all machines, as for the SSH server of one. */
  dropConnections: SimulatedServer['dropConnections']
  /** Turns a machine off (it closes every connection) or on. */
  power(address: string, isOn: boolean): void
  close(): Promise<void>
}

interface Place {
  readonly address: string
  readonly root: string
  readonly server: SimulatedServer
  readonly sites: SitesServer
  isTaken: boolean
  isOn: boolean
  /** Resolves when its machine is whole. */
  ready: Promise<void>
}

/**
 * Opens the addresses `198.18.0.1` and following (RFC 2544: for tests of network devices), with a folder for each machine. `shells`:
 * terminals of machines are shells of this machine. `breaks`: as for the SSH server of a machine.
 */
export async function startSimulatedCloud(
  folder: string,
  addresses: number,
  options: Pick<SimulatedServerOptions, 'shells' | 'breaks'> = {},
): Promise<SimulatedCloud> {
  const places = await Promise.all(
    Array.from({ length: addresses }, (_, at) => open(folder, `198.18.0.${at + 1}`, options)),
  )
  const all = await serveSites(() => places.filter(({ isOn }) => isOn).map(({ root }) => root))
  return {
    addressMap: Object.fromEntries(
      places.flatMap(({ address, server, sites }) => [
        [`${address}:22`, `127.0.0.1:${server.port}`],
        [`${address}:80`, `127.0.0.1:${sites.port}`],
        [`${address}:443`, `127.0.0.1:${sites.securePort}`],
      ]),
    ),
    sitesUrl: `http://{domain}.localhost:${all.port}`,
    start(machine) {
      const place = places.find(({ isTaken }) => !isTaken)
      if (!place) return null
      Object.assign(place, { isTaken: true, isOn: true, ready: fill(place, machine) })
      return place.address
    },
    stop(address) {
      const place = places.find((one) => one.address === address)
      if (!place) return
      place.isOn = false
      place.server.dropConnections()
      void place.ready
        .then(() => rm(place.root, { recursive: true, force: true }))
        .then(() => {
          place.isTaken = false
        })
    },
    dropConnections(how) {
      for (const { server } of places) server.dropConnections(how)
    },
    power(address, isOn) {
      const place = places.find((one) => one.address === address)
      if (!place) return
      place.isOn = isOn
      if (!isOn) place.server.dropConnections()
    },
    async close() {
      await Promise.all([all, ...places.flatMap(({ server, sites }) => [server, sites])].map((one) => one.close()))
    },
  }
}

/** A place without a machine, or with one that is off, closes every connection. */
async function open(
  folder: string,
  address: string,
  options: Pick<SimulatedServerOptions, 'shells' | 'breaks'>,
): Promise<Place> {
  const root = join(folder, address)
  const read = (path: string): string => {
    try {
      return readFileSync(join(root, path), 'utf8')
    } catch {
      // No machine there, or not yet.
      return ''
    }
  }
  const place = { address, root, isTaken: false, isOn: true, ready: Promise.resolve() }
  const server = await startSimulatedServer({
    ...options,
    authorizedKeys: () =>
      read('root/.ssh/authorized_keys')
        .split('\n')
        .filter((line) => line.startsWith('ssh-')),
    hostKey: () => (place.isOn && read('etc/ssh/ssh_host_ed25519_key')) || null,
    bootId: () => read('proc/sys/kernel/random/boot_id'),
    env: machineEnvironment(root),
  })
  const sites = await serveSites(() => (place.isOn ? [root] : []))
  return Object.assign(place, { server, sites })
}

async function fill({ root }: Place, machine: OrderedMachine): Promise<void> {
  await mkdir(root, { recursive: true })
  const own = newHostKeys()
  const next = newHostKeys()
  await makeMachine(root, {
    ...machine,
    hostname: machine.name,
    hostKey: hostKeyIn(machine.userData) ?? own.private,
    nextHostKey: { private: next.private, public: next.public.trim() },
  })
}

/** The host key that cloud-init is told to use. */
function hostKeyIn(userData: string): string | null {
  const [, block] = /^ {2}ed25519_private: \|\n((?: {4}.*\n)+)/m.exec(userData) ?? []
  return block === undefined ? null : block.replaceAll(/^ {4}/gm, '')
}
