import * as z from 'zod/mini'
import { operationLabel, type Snapshot, type SnapshotOrder } from '../provider.ts'
import { actionFailure, ProviderError } from '../provider-error.ts'
import { createOnce, listLagMs, nullIfMissing, wordsOf } from '../vendor-api.ts'
import { idIn, instanceOf, placeOf } from './aws-instances.ts'
import { tagsOf } from './aws-orders.ts'
import {
  askEc2,
  askEc2Pages,
  filtersOf,
  listOf,
  nextToken,
  regionApi,
  text,
  wholeNumber,
  type Ec2,
  type Ec2Request,
} from './ec2-api.ts'

const snapshotFields = z.object({
  snapshotId: z.string().check(z.regex(/^snap-[0-9a-f]{8,17}$/)),
  status: text,
  statusMessage: z.optional(z.string()),
  fullSnapshotSizeInBytes: z.optional(wholeNumber),
})
const snapshots = z.object({ snapshotSet: listOf(snapshotFields), nextToken })

/** A snapshot of the root disk, the only one that Easydash orders. */
export async function snapshot(ec2: Ec2, order: SnapshotOrder, signal?: AbortSignal): Promise<Snapshot> {
  const { region } = placeOf(order.machine)
  let wasAsked = false
  const find = async () => {
    // No token prevents a second snapshot.
    if (wasAsked) await ec2.transport.sleep(listLagMs, signal)
    // Not one that failed.
    const Filter = filtersOf({ [`tag:${operationLabel}`]: [order.operation], status: ['pending', 'completed'] })
    const request: Ec2Request = { action: 'DescribeSnapshots', region, parameters: { Owner: ['self'], Filter }, signal }
    const [found] = await askEc2Pages(ec2, request, snapshots, (page) => page.snapshotSet)
    return found ? snapshotOf(ec2, region, found) : null
  }
  const create = async () => {
    const parameters = {
      VolumeId: await rootDisk(ec2, order.machine, signal),
      Description: order.label,
      TagSpecification: [
        { ResourceType: 'snapshot', Tag: tagsOf({ Name: order.label, [operationLabel]: order.operation }) },
      ],
    }
    wasAsked = true
    const request: Ec2Request = { action: 'CreateSnapshot', region, parameters, tries: 1, signal }
    return snapshotOf(ec2, region, await askEc2(ec2, request, snapshotFields))
  }
  return createOnce(regionApi(ec2, region, 'CreateSnapshot'), { find, create }, signal)
}

async function rootDisk(ec2: Ec2, machine: string, signal?: AbortSignal): Promise<string> {
  const found = await instanceOf(ec2, machine, signal)
  const root = found?.blockDeviceMapping?.find(({ deviceName }) => deviceName === found.rootDeviceName)
  if (root) return root.ebs.volumeId
  throw new ProviderError('not_found', { vendor: 'AWS', status: 200, words: placeOf(machine).id })
}

export async function observeSnapshot(ec2: Ec2, snapshotId: string, signal?: AbortSignal): Promise<Snapshot | null> {
  const { region, id } = placeOf(snapshotId)
  const request: Ec2Request = { action: 'DescribeSnapshots', region, parameters: { SnapshotId: [id] }, signal }
  const found = await nullIfMissing(askEc2(ec2, request, snapshots))
  return found?.snapshotSet[0] ? snapshotOf(ec2, region, found.snapshotSet[0]) : null
}

function snapshotOf({ account }: Ec2, region: string, found: z.infer<typeof snapshotFields>): Snapshot {
  if (found.status === 'error')
    throw actionFailure(null, 'AWS', wordsOf([account.accessKey, account.secretKey], found.statusMessage))
  return {
    id: idIn(region, found.snapshotId),
    status: found.status === 'completed' ? 'ready' : 'creating',
    sizeBytes: found.fullSnapshotSizeInBytes ?? null,
  }
}
