import type { SiteRef } from '#server/engines/site-ref.ts'
import { onServerNow, type SiteJobArgs, type SiteJobContext } from '../job-parts.ts'

/** Arguments of a job that works on two sites. */
export type PairArgs = SiteJobArgs & {
  /** The other one, as it was when the job started. */
  readonly other: SiteRef
}

/** The other site of a job, on its server as it is now. */
export const otherOf = (context: Pick<SiteJobContext, 'transaction'> & { readonly args: PairArgs }): Promise<SiteRef> =>
  onServerNow(context, context.args.other)
