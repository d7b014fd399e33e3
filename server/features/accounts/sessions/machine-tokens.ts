import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { tableRef } from '#server/documents/documents.ts'
import type { MachineSubject, MachineTokens } from '#server/contracts/machine-tokens.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db, Tx } from '#server/contracts/transaction.ts'
import { hashToken, newToken } from '#server/platform/secrets/tokens.ts'

/** Format of our tokens; anything else is not looked up. */
const tokenPattern = /^[\w-]{43}$/

/** Tokens of servers and webhooks. They carry no rights: what a machine may do is decided where it is served. */
export function createMachineTokens(db: Db): MachineTokens {
  return { issue, revoke, resolve: (subject, token, ip) => resolve(db, subject, token, ip) }
}

async function issue(tx: Tx, { kind, name, organization }: MachineSubject): Promise<string> {
  const token = newToken()
  await sql`insert into easydash_machine_token (id, hash, kind, subject, organization)
    values (${randomBytes(8).toString('hex')}, ${hashToken(token)}, ${kind}, ${name}, ${organization})`.execute(tx.trx)
  return token
}

async function revoke(tx: Tx, { kind, name }: Pick<MachineSubject, 'kind' | 'name'>): Promise<number> {
  const revoked = await sql`update easydash_machine_token set revoked = now()
    where kind = ${kind} and subject = ${name} and revoked is null`.execute(tx.trx)
  return Number(revoked.numAffectedRows ?? 0n)
}

async function resolve(
  db: Db,
  { kind, name }: Pick<MachineSubject, 'kind' | 'name'>,
  token: string,
  ip: string,
): Promise<Session | null> {
  if (!tokenPattern.test(token)) return null
  // One statement, so that a revoked token and a disabled organization are seen at the same moment.
  const { rows } = await sql<{ id: string; organization: string | null }>`select t.id, t.organization
    from easydash_machine_token t
    where t.hash = ${hashToken(token)} and t.kind = ${kind} and t.subject = ${name} and t.revoked is null
    and (t.organization is null or exists (select 1 from ${tableRef('Organization')} o
      where o.name = t.organization and o.enabled = 1))
    and (t.kind <> 'server' or exists (select 1 from ${tableRef('Server')} s
      where s.name = t.subject and s.organization = t.organization and s.status <> 'Decommissioned'))`.execute(db)
  const [found] = rows
  if (!found) return null
  return {
    user: `${kind}:${name}`,
    kind,
    organization: found.organization,
    platformAdmin: false,
    verified: false,
    fullName: `${kind}:${name}`,
    via: kind,
    ip,
    id: `machine:${found.id}`,
    machine: name,
    reauthAt: null,
  }
}
