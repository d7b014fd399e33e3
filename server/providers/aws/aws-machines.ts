import * as z from 'zod/mini'
import type { Ec2Action } from '#shared/rules/ec2-policy.ts'
import type { Machine, Machines } from '../provider.ts'
import { nullIfMissing } from '../vendor-api.ts'
import { instanceOf, machineOf, machinesIn, placeOf } from './aws-instances.ts'
import { createMachine, ensureKey } from './aws-orders.ts'
import { observeSnapshot, snapshot } from './aws-snapshots.ts'
import { askEc2, describeRegions, type Ec2, type Ec2Parameters } from './ec2-api.ts'

export function awsMachines(ec2: Ec2): Machines {
  /** Changes an instance. EC2 does nothing if it is so already. */
  const change = async (
    action: Ec2Action,
    machine: string,
    parametersOf: (id: string) => Ec2Parameters,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const { region, id } = placeOf(machine)
    await askEc2(ec2, { action, region, parameters: parametersOf(id), signal }, z.object({ requestId: z.string() }))
  }
  const InstanceIds = (id: string) => ({ InstanceId: [id] })
  return {
    ensureKey: (publicKey, region, signal) => ensureKey(ec2, { publicKey, region }, signal),
    create: (order, signal) => createMachine(ec2, order, signal),
    observe: (id, signal) => observe(ec2, id, signal),
    async delete(id, signal) {
      await nullIfMissing(change('TerminateInstances', id, InstanceIds, signal))
    },
    list: (label, signal) => list(ec2, label, signal),
    powerOff: (id, signal) => change('StopInstances', id, (one) => ({ ...InstanceIds(one), Force: 'true' }), signal),
    powerOn: (id, signal) => change('StartInstances', id, InstanceIds, signal),
    reset: (id, signal) => change('RebootInstances', id, InstanceIds, signal),
    changeType: (id, type, signal) =>
      change('ModifyInstanceAttribute', id, (one) => ({ InstanceId: one, InstanceType: { Value: type } }), signal),
    snapshot: (order, signal) => snapshot(ec2, order, signal),
    observeSnapshot: (id, signal) => observeSnapshot(ec2, id, signal),
  }
}

async function observe(ec2: Ec2, id: string, signal?: AbortSignal): Promise<Machine | null> {
  const found = await instanceOf(ec2, id, signal)
  return found && machineOf(placeOf(id).region, found)
}

/** Regions that are asked at the same time. */
const regionsAtOnce = 6

async function list(ec2: Ec2, label: Parameters<Machines['list']>[0], signal?: AbortSignal): Promise<Machine[]> {
  const regions = await describeRegions(ec2, { signal })
  const found: Machine[] = []
  for (let at = 0; at < regions.length; at += regionsAtOnce) {
    const some = regions.slice(at, at + regionsAtOnce)
    const lists = await Promise.all(some.map(({ regionName }) => machinesIn(ec2, regionName, label, signal)))
    found.push(...lists.flat())
  }
  return found
}
