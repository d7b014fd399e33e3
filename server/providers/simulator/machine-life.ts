import type { SimulatedCloud } from './simulated-cloud.ts'

/** What somebody asks of a machine. `launch` is `create` and `start` in one. */
export type EventKind = 'launch' | 'create' | 'start' | 'stop' | 'reset' | 'change_type' | 'snapshot' | 'delete'

export interface MachineEvent<T> {
  readonly id: number
  readonly kind: EventKind
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly to: number
  readonly fails: boolean
  /** The type a machine gets. */
  readonly type?: T | undefined
}

/** A machine; what it is at a time follows from what was asked of it. */
export interface SimulatedMachine<T> {
  readonly id: number
  readonly name: string
  readonly firstType: T
  /** Null: an address that leads nowhere. */
  readonly ipv4: string | null
  /** In order; one begins when the one before has ended. */
  readonly events: MachineEvent<T>[]
}

export type MachineState = 'new' | 'starting' | 'on' | 'stopping' | 'off' | 'deleting' | 'gone'

/** How long it takes in milliseconds, and the states meanwhile and afterwards. Null: as before. */
const kinds: Readonly<
  Record<EventKind, { ms: number; meanwhile: MachineState | null; afterwards: MachineState | null }>
> = {
  launch: { ms: 7000, meanwhile: 'new', afterwards: 'on' },
  create: { ms: 4000, meanwhile: 'new', afterwards: 'off' },
  start: { ms: 3000, meanwhile: 'starting', afterwards: 'on' },
  stop: { ms: 2000, meanwhile: 'stopping', afterwards: 'off' },
  reset: { ms: 3000, meanwhile: 'starting', afterwards: 'on' },
  change_type: { ms: 10_000, meanwhile: 'off', afterwards: 'off' },
  snapshot: { ms: 5000, meanwhile: null, afterwards: null },
  delete: { ms: 1000, meanwhile: 'deleting', afterwards: 'gone' },
}

/** Asks something of a machine, after what it was asked for before. */
export function ask<T>(
  { events, ipv4 }: SimulatedMachine<T>,
  { now, cloud, ...event }: Omit<MachineEvent<T>, 'from' | 'to'> & { now: number; cloud: Power | undefined },
): MachineEvent<T> {
  const from = Math.max(now, events.at(-1)?.to ?? 0)
  const asked: MachineEvent<T> = { ...event, from, to: from + kinds[event.kind].ms }
  events.push(asked)
  if (cloud && ipv4 !== null && !event.fails) carryOut(cloud, ipv4, event.kind)
  return asked
}

type Power = Pick<SimulatedCloud, 'stop' | 'power'>

function carryOut(cloud: Power, address: string, kind: EventKind): void {
  if (kind === 'delete') cloud.stop(address)
  if (kind === 'stop' || kind === 'reset') cloud.power(address, false)
  if (kind === 'start' || kind === 'reset') cloud.power(address, true)
}

export function stateAt<T>(now: number, { events }: SimulatedMachine<T>): MachineState {
  let state: MachineState = 'new'
  for (const { kind, from, to, fails } of events) {
    if (now < from) break
    if (now < to) return kinds[kind].meanwhile ?? state
    if (!fails) state = kinds[kind].afterwards ?? state
  }
  return state
}

export const createdAt = <T>({ events }: SimulatedMachine<T>): number => events[0]?.from ?? 0

/** Whether it is busy: then the vendors allow nothing else. */
export const isBusy = <T>(now: number, { events }: SimulatedMachine<T>): boolean => now < (events.at(-1)?.to ?? 0)

export function typeAt<T>(now: number, { firstType, events }: SimulatedMachine<T>): T {
  return events.findLast(({ type, fails, to }) => type !== undefined && !fails && to <= now)?.type ?? firstType
}

/** Names of the machines that are not being deleted. */
export const namesOf = <T>(now: number, machines: readonly SimulatedMachine<T>[]): string[] =>
  machines.filter((machine) => !['deleting', 'gone'].includes(stateAt(now, machine))).map(({ name }) => name)
