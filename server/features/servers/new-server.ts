import { sql } from 'kysely'
import type { HookContext } from '#server/contracts/controller.ts'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { enqueueFor } from './job-parts.ts'
import { failureValues } from './server-fields.ts'
import type { ServersContext } from './servers-context.ts'

const noAddress = msg`It has no address yet. Enter its public IPv4 address, then Easydash connects to it.`

/** A machine to be ordered needs a place and a size; somebody's own one without an address waits for it. */
export async function prepareNew(context: ServersContext, doc: Server, { session, tx }: HookContext): Promise<void> {
  if (doc.engine_host !== null) return
  // Who adds it answers for it.
  if (session.kind !== 'system') doc._owner = session.user
  const { cloud_provider: provider } = doc
  if (provider !== null && provider !== 'Custom') {
    if (session.kind === 'system') return
    assertOrderable(doc)
    // Without an account nothing can be ordered.
    await context.deps.providerOf(tx, doc)
    return
  }
  if (!/^[a-z_][a-z0-9_-]{0,31}$/.test(doc.ssh_user ?? 'root'))
    throw new AppError('invalid', msg`A user has lower-case letters, digits, - and _.`, { field: 'ssh_user' })
  if (doc.public_ipv4 === null)
    Object.assign(doc, failureValues('Disconnected', noAddress, formatTimestamp(context.clock.now())))
}

/** Throws `invalid` for what can't be the region or the type of a machine at any provider. */
export function assertOrderable(doc: Pick<Server, 'vm_region' | 'vm_type'>): void {
  for (const field of ['vm_region', 'vm_type'] as const)
    if (!/^[a-z0-9][a-z0-9._-]{0,59}$/i.test(doc[field] ?? ''))
      throw new AppError('invalid', field === 'vm_region' ? msg`Choose a region.` : msg`Choose a machine type.`, {
        field,
      })
}

/** Numbers servers of one name, before the index is made that allows none. Two could be added at the same moment. */
export async function numberNamesakes(trx: Trx): Promise<void> {
  const { rows } = await sql<{ is_before: boolean }>`select to_regclass('tab_server') is not null
    and to_regclass('u_server_organization_hostname') is null as is_before`.execute(trx)
  if (rows[0]?.is_before !== true) return
  await sql`update tab_server t set hostname = t.hostname || '-' || twin.number || '-' || t.name from (
      select name, row_number() over (partition by organization, hostname order by creation, name) as number
      from tab_server where status is distinct from 'Decommissioned') twin
    where twin.name = t.name and twin.number > 1`.execute(trx)
}

/**
 * The name of a server that its machine says, with a number if another server of the organization is called so, whichever engine runs
 * its sites. `name`: the row that it is for, if there is one.
 */
export async function freeName(
  tx: Tx,
  { organization, hostname, name = '' }: Pick<Server, 'organization' | 'hostname'> & { readonly name?: string },
): Promise<string> {
  const others = await tx.listFields(
    ServerDoctype,
    ['hostname'],
    [
      ['organization', '=', organization],
      ['status', '!=', 'Decommissioned'],
      ['name', '!=', name],
    ],
  )
  const taken = new Set(others.map((other) => other.hostname.toLowerCase()))
  let free = hostname
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${hostname}-${number}`
  return free
}

/** Starts the job that makes a machine a server; null if there is nothing to connect to. */
export async function connectNew(context: ServersContext, tx: Tx, doc: Server): Promise<string | null> {
  const isOwn = doc.cloud_provider === null || doc.cloud_provider === 'Custom'
  if (doc.engine_host !== null || doc.ssh_host_key !== null || (isOwn && doc.public_ipv4 === null)) return null
  return enqueueFor(context, tx, doc, { type: 'server.create' })
}
