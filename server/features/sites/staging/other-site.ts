import { thisMachine, type SiteRef } from '#server/engines/site-ref.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { SiteJobArgs, SiteJobContext } from '../job-parts.ts'
import { serverRef } from '../server-ref.ts'

/** Arguments of a job that works on two sites. */
export type PairArgs = SiteJobArgs & {
  /** The other one, as it was when the job started. */
  readonly other: Omit<SiteRef, 'server'> & { readonly server?: SiteRef['server'] }
}

/** The other site of a job, on its server as it is now. */
export async function otherOf(
  context: Pick<SiteJobContext, 'transaction'> & { readonly args: PairArgs },
): Promise<SiteRef> {
  const { other } = context.args
  const stored = other.server ?? thisMachine
  const server = await context.transaction((tx) => tx.get(ServerDoctype, stored.id))
  return { ...other, server: server ? serverRef(server) : stored }
}
