import { isIPv4, isIPv6 } from 'node:net'
import * as z from 'zod/mini'
import type { Machine } from '../provider.ts'
import { actionFailure } from '../provider-error.ts'
import { nullIfMissing, wordsOf } from '../vendor-api.ts'
import { kindOfCode } from './aws-error.ts'
import {
  askEc2Pages,
  filtersOf,
  listOf,
  nextToken,
  text,
  type Ec2,
  type Ec2Parameters,
  type Ec2Request,
} from './ec2-api.ts'

export const instance = z.object({
  // It becomes part of our id.
  instanceId: z.string().check(z.regex(/^i-[0-9a-f]{8,17}$/)),
  instanceState: z.object({ name: text }),
  instanceType: text,
  launchTime: text,
  ipAddress: z.optional(text),
  ipv6Address: z.optional(text),
  rootDeviceName: z.optional(text),
  blockDeviceMapping: z.optional(listOf(z.object({ deviceName: text, ebs: z.object({ volumeId: text }) }))),
  stateReason: z.optional(z.object({ code: text, message: z.string() })),
  tagSet: z.optional(listOf(z.object({ key: text, value: text }))),
})
export type Instance = z.infer<typeof instance>

const reservations = z.object({
  reservationSet: listOf(z.object({ instancesSet: listOf(instance) })),
  nextToken,
})

export async function describeInstances(
  ec2: Ec2,
  region: string,
  parameters: Ec2Parameters,
  signal?: AbortSignal,
): Promise<Instance[]> {
  const request: Ec2Request = { action: 'DescribeInstances', region, parameters, signal }
  return askEc2Pages(ec2, request, reservations, (page) => page.reservationSet.flatMap((one) => one.instancesSet))
}

/** The machines of a region that have a label, without those that are gone. */
export async function machinesIn(
  ec2: Ec2,
  region: string,
  { name, value }: { readonly name: string; readonly value?: string },
  signal?: AbortSignal,
): Promise<Machine[]> {
  const label: Record<string, string[]> = value === undefined ? { 'tag-key': [name] } : { [`tag:${name}`]: [value] }
  const Filter = filtersOf({ ...label, 'instance-state-name': [...statuses.keys()] })
  const found = await describeInstances(ec2, region, { Filter, MaxResults: '1000' }, signal)
  return found.map((one) => machineOf(region, one))
}

/** An id of ours, e.g. `eu-central-1/i-0abc…`: what EC2 has is known in its region only. */
export const idIn = (region: string, id: string) => `${region}/${id}`

/** Region and id at EC2 of an id of ours. */
export function placeOf(id: string): { readonly region: string; readonly id: string } {
  const [, region, own] = /^([a-z0-9-]{1,40})\/((?:i|snap)-[0-9a-f]{8,17})$/.exec(id) ?? []
  if (region === undefined || own === undefined) throw new Error(`Not an id of a machine or snapshot: ${id}`)
  return { region, id: own }
}

/** The instance of a machine; null if it is gone. One that was terminated is shown for about an hour. */
export async function instanceOf(ec2: Ec2, machine: string, signal?: AbortSignal): Promise<Instance | null> {
  const { region, id } = placeOf(machine)
  const [found] = (await nullIfMissing(describeInstances(ec2, region, { InstanceId: [id] }, signal))) ?? []
  if (found?.instanceState.name !== 'terminated') return found ?? null
  const { code, message } = found.stateReason ?? { code: '', message: '' }
  // Somebody's wish, e.g. `Client.UserInitiatedShutdown`. All others are problems of its start.
  if (code === '' || code.includes('Initiated')) return null
  const kind = kindOfCode(code.replace(/^(?:Client|Server)\./, '')) ?? null
  throw actionFailure(kind, 'AWS', wordsOf([ec2.account.accessKey, ec2.account.secretKey], message))
}

/** What is stopping is not off yet: it can neither be changed nor started. */
const statuses: ReadonlyMap<string, Machine['status']> = new Map([
  ['pending', 'starting'],
  ['running', 'running'],
  ['stopping', 'unknown'],
  ['stopped', 'off'],
  ['shutting-down', 'deleting'],
])

export function machineOf(region: string, found: Instance): Machine {
  const tags = Object.fromEntries((found.tagSet ?? []).map(({ key, value }) => [key, value]))
  const { Name: name = found.instanceId, ...labels } = tags
  const { ipAddress = '', ipv6Address = '' } = found
  return {
    id: idIn(region, found.instanceId),
    name,
    status: statuses.get(found.instanceState.name) ?? 'unknown',
    ipv4: isIPv4(ipAddress) ? ipAddress : null,
    ipv6: isIPv6(ipv6Address) ? ipv6Address : null,
    region,
    type: found.instanceType,
    labels,
    // Of its last start, which is all that EC2 tells.
    createdAt: found.launchTime,
  }
}
