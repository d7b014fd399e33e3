import type { MachineTokens } from '#server/contracts/machine-tokens.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Server } from '#shared/doctypes/server.ts'

/** Makes a token of a server, which ends the one before. */
export async function makeToken(
  machineTokens: MachineTokens,
  tx: Tx,
  { name, organization }: Pick<Server, 'name' | 'organization'>,
): Promise<string> {
  const subject = { kind: 'server', name, organization } as const
  await machineTokens.revoke(tx, subject)
  return joinToken(name, await machineTokens.issue(tx, subject))
}

/** Of a server and the secret of its machine token: a token that itself names the server. */
const joinToken = (server: string, secret: string): string => `${server}.${secret}`

/** The parts of a token; empty ones if it is none. */
export function splitToken(token: string): { server: string; secret: string } {
  const [, server = '', secret = ''] = /^([a-z0-9]{1,32})\.([\w-]{43})$/.exec(token) ?? []
  return { server, secret }
}
