import type { Tx } from '#server/contracts/transaction.ts'
import { systemSession } from '#server/jobs/session.ts'
import { renderMail } from '#server/platform/mail/render-mail.ts'
import type { Machine, Provider } from '#server/providers/provider.ts'
import { isActionFailure } from '#server/providers/provider-error.ts'
import { ConnectionDoctype, type Connection, type OrphanMachine } from '#shared/doctypes/connection.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { sameValue } from '#shared/same-value.ts'
import { serverLabel } from '../provision/machine-labels.ts'
import type { ServersContext } from '../servers-context.ts'

/**
 * Says which of an account's machines no server belongs to. Those whose creation failed or was canceled are deleted: nobody wants
 * them. Whose creation isn't known, for example because an older database was put back, stays.
 */
export async function reportOrphans(
  { deps }: ServersContext,
  connection: Connection,
  vendor: Provider,
  found: readonly Machine[],
): Promise<void> {
  const transaction = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(systemSession('schedule'), work)
  // Read after the list: the row of a server is older than its machine.
  const { lost, failed } = await transaction((tx) => withoutServer(tx, found))
  const before = connection.orphans ?? []
  const orphans: OrphanMachine[] = []
  for (const machine of lost) {
    if (await isGone(vendor, machine)) continue
    const known = before.find(({ id }) => id === machine.id)
    orphans.push(known ?? (await orphanOf(vendor, machine, failed.has(serverOf(machine)))))
  }
  if (!sameValue(orphans, before))
    await transaction(async (tx) => {
      await tx.update(ConnectionDoctype, connection.name, { orphans }, { hooks: false, activity: false })
      const news = orphans.filter((one) => !before.includes(one))
      if (news.length > 0)
        for (const to of await adminsOf(tx, connection.organization))
          await deps.mailer.send(tx.trx, orphanMail(deps.sender, to, vendor.label, news))
    })
  for (const { id, deleted } of orphans) if (deleted) await vendor.machines.delete(id)
}

/** A list can be older than the machine's end. One that could not be started, which observing it throws, is there. */
async function isGone(vendor: Provider, { id }: Machine): Promise<boolean> {
  try {
    const now = await vendor.machines.observe(id)
    return now === null || now.status === 'deleting'
  } catch (error) {
    if (isActionFailure(error)) return false
    throw error
  }
}

const serverOf = ({ labels }: Machine): string => labels[serverLabel] ?? ''

/** The machines that are those of no server, and the names of servers that are gone because their creation did not succeed. */
async function withoutServer(
  tx: Tx,
  found: readonly Machine[],
): Promise<{ lost: readonly Machine[]; failed: ReadonlySet<string> }> {
  const names = [...new Set(found.map(serverOf))]
  const rows = await tx.listFields(ServerDoctype, ['name', 'provider_id', 'status'], [['name', 'in', names]])
  const lost = found.filter(
    (machine) =>
      !rows.some(
        ({ name, provider_id, status }) =>
          name === serverOf(machine) &&
          status !== 'Decommissioned' &&
          (provider_id === null || provider_id === machine.id),
      ),
  )
  const jobs = await tx.listFields(
    JobDoctype,
    ['reference_name', 'status'],
    [
      ['job_type', '=', 'server.create'],
      ['reference_name', 'in', names],
    ],
  )
  const failed = names.filter((name) => {
    const own = jobs.filter(({ reference_name }) => reference_name === name)
    const hasFailed = own.length > 0 && own.every(({ status }) => status === 'Failed' || status === 'Cancelled')
    return hasFailed && !rows.some((row) => row.name === name)
  })
  return { lost, failed: new Set(failed) }
}

async function orphanOf(
  vendor: Provider,
  { id, name, type, region }: Machine,
  deleted: boolean,
): Promise<OrphanMachine> {
  const price = (await vendor.machineTypes(region)).find((one) => one.name === type)?.price ?? null
  return { id, name, type, region, price: price && `${price.monthly} ${price.currency}`, deleted }
}

/** Email addresses of the owner and the admins of an organization. */
async function adminsOf(tx: Tx, organization: string): Promise<string[]> {
  const members = await tx.list(OrganizationMemberDoctype, [
    ['parent', '=', organization],
    ['organization_role', '=', 'Organization Admin'],
  ])
  const users = await tx.listFields(
    UserDoctype,
    ['name'],
    [
      ['name', 'in', members.map(({ user }) => user)],
      ['enabled', '=', 1],
      ['email_verified', '=', 1],
    ],
  )
  return users.map(({ name }) => name)
}

function orphanMail(
  sender: ServersContext['deps']['sender'],
  to: string,
  provider: string,
  orphans: readonly OrphanMachine[],
) {
  const kept = orphans.some(({ deleted }) => !deleted)
  return renderMail(sender, {
    to,
    kind: 'orphan_machine',
    subject: `Machines without a server at ${provider}`,
    before: [`${sender.productName} ordered these machines at ${provider}, but no server belongs to them:`],
    details: orphans.map(({ name, type, region, price, deleted }) => [
      name,
      `${type} in ${region}, ${price === null ? 'at an unknown price' : `${price} per month`}, ${deleted ? 'being deleted' : 'running'}`,
    ]),
    button: { label: 'Open the connections', url: `${sender.url}/web/organization#cloud_providers` },
    after: [
      kept
        ? `What is running costs money. Delete it in the console of ${provider}, unless you use it.`
        : 'Their creation had failed or was canceled.',
    ],
  })
}
