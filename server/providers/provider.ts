/**
 * The contract of cloud providers. A provider is one vendor for one account; it takes plain values and returns plain results
 * and knows no documents, sessions or jobs. Every method can be repeated after a crash: reads change nothing, `create` finds
 * what it made before, `delete` of what is gone is done.
 *
 * Methods throw `ProviderError`, or the guarded fetch's AppError if there was no answer at all. An aborted signal ends them
 * with its reason, also between two attempts.
 */
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { ProviderRegion } from './provider-regions.ts'

/** A vendor for one account. */
export interface Provider {
  readonly name: 'hetzner' | 'digitalocean' | 'aws'
  /** As in the field `cloud_provider` of a server. */
  readonly label: 'Hetzner' | 'DigitalOcean' | 'AWS'
  /** The cheapest authenticated read, tried once: what the credentials give access to, as a sentence. */
  check(signal?: AbortSignal): Promise<LocalizedMessage>
  /** All regions, including those the account can't use now. The country is '' if it isn't known. */
  regions(signal?: AbortSignal): Promise<Region[]>
  /** The vendor's machine types as seen from a region. */
  machineTypes(region: string, signal?: AbortSignal): Promise<MachineType[]>
  readonly machines: Machines
}

export interface Region extends ProviderRegion {
  /** Whether the account can create machines there. */
  readonly available: boolean
}

export interface MachineType {
  /** As the vendor's API names it, e.g. `cx23`. */
  readonly name: string
  readonly vcpu: number
  readonly ramBytes: number
  /** Null if the disk is not part of the type but chosen with the machine. */
  readonly diskBytes: number | null
  readonly architecture: 'x86' | 'arm'
  /** Null if the vendor doesn't tell it. */
  readonly price: MachinePrice | null
  readonly available: boolean
  /** Why it is not available; otherwise null. */
  readonly reason: LocalizedMessage | null
}

/** Net prices, without value-added tax, of a machine with its public IPv4 address. Decimal numbers such as `4.61`. */
export interface MachinePrice {
  readonly hourly: string
  readonly monthly: string
  /** ISO 4217. */
  readonly currency: string
}

/** The life of machines; all run Ubuntu 24.04 LTS. */
export interface Machines {
  /**
   * Makes the vendor know a public SSH key in OpenSSH format for machines in a region, whatever its name there. Returns the vendor's
   * id of it.
   */
  ensureKey(publicKey: string, region: string, signal?: AbortSignal): Promise<string>
  /** Creates the machine of an operation, or returns the one it made before. It is not running yet. */
  create(order: MachineOrder, signal?: AbortSignal): Promise<Machine>
  /** The machine as it is now; null if it doesn't exist. Throws if the vendor couldn't do what it was asked for last. */
  observe(id: string, signal?: AbortSignal): Promise<Machine | null>
  /** Resolves when the vendor has accepted it or doesn't have the machine; `observe` returns null when it is gone. */
  delete(id: string, signal?: AbortSignal): Promise<void>
  /** The account's machines that have a label, in any region; with any value if none is given. */
  list(label: { readonly name: string; readonly value?: string }, signal?: AbortSignal): Promise<Machine[]>
  /** Cuts its power; done if it is off. The machine is asked to shut down by SSH before that. */
  powerOff(id: string, signal?: AbortSignal): Promise<void>
  /** Starts it; done if it runs. Its address may be another one afterwards. */
  powerOn(id: string, signal?: AbortSignal): Promise<void>
  /** Restarts a machine that no longer answers, as by its reset button. */
  reset(id: string, signal?: AbortSignal): Promise<void>
  /** Gives a machine that is off another type, and keeps its disk; done if it has that type. */
  changeType(id: string, type: string, signal?: AbortSignal): Promise<void>
  /** Orders an image of a machine's disk, or returns the one the operation made before. */
  snapshot(order: SnapshotOrder, signal?: AbortSignal): Promise<Snapshot>
  /** The snapshot as it is now; null if it doesn't exist. */
  observeSnapshot(id: string, signal?: AbortSignal): Promise<Snapshot | null>
}

export interface MachineOrder {
  /** Id of the operation, `[a-z0-9]{1,32}`. Creates with the same id make one machine. */
  readonly operation: string
  /** What the vendor's console should show; the vendor's name of the machine is made of it. */
  readonly name: string
  readonly region: string
  readonly type: string
  /** Size of the disk where it is chosen with the machine, in units of 2^30 bytes. */
  readonly diskGigabytes: number
  /** Ids of `ensureKey`, at least one, so that the vendor sets no password. */
  readonly keys: readonly string[]
  /** For cloud-init. The vendor stores it, so it must not contain secrets. */
  readonly userData: string
  /** More labels: `[A-Za-z0-9._-]`, at most 63 characters. */
  readonly labels: Readonly<Record<string, string>>
}

/** Label of every machine and snapshot made here, where vendors have labels for them; its value is the operation. */
export const operationLabel = 'easydash-op'

export interface Machine {
  readonly id: string
  readonly name: string
  readonly status: 'starting' | 'running' | 'off' | 'deleting' | 'unknown'
  readonly ipv4: string | null
  readonly ipv6: string | null
  readonly region: string
  readonly type: string
  readonly labels: Readonly<Record<string, string>>
  /** ISO 8601. */
  readonly createdAt: string
}

export interface SnapshotOrder {
  /** Id of the operation, `[a-z0-9]{1,32}`. */
  readonly operation: string
  readonly machine: string
  /** What the vendor's console should show. */
  readonly label: string
}

export interface Snapshot {
  readonly id: string
  readonly status: 'creating' | 'ready'
  /** Null while the vendor doesn't tell it. */
  readonly sizeBytes: number | null
}
