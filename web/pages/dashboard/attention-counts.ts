import { t } from './messages.ts'

/** Totals as counted by the server; the items above are only the first ones. */
export interface AttentionCounts {
  /** All sites that need attention, as the list's view counts them. */
  readonly sites: number
  readonly down: number
  readonly failed: number
  readonly suspended: number
  /** Sites whose WordPress files differ from the official release. */
  readonly modified: number
  /** Sites whose WordPress needs attention, and nothing more urgent does. */
  readonly unwell: number
  /** Servers with problems, as the list's view counts them. */
  readonly servers: number
  /** Others whose disk is almost full. */
  readonly full: number
  /** Sites at WP Cloud that need attention. */
  readonly wpc: number
}

/** Everything that needs attention. */
export function attentionTotal({ sites, servers, full, wpc }: AttentionCounts): number {
  return sites + servers + full + wpc
}

/** The worst problem as a sentence, and the number of others. Null if nothing needs attention. */
export function worstProblem(counts: AttentionCounts): { text: string; tone: 'bad' | 'warn'; others: number } | null {
  const ranked = [
    ['down', 'bad'],
    ['failed', 'bad'],
    ['modified', 'bad'],
    ['servers', 'bad'],
    ['full', 'bad'],
    ['wpc', 'bad'],
    ['suspended', 'warn'],
    ['unwell', 'warn'],
  ] as const
  const worst = ranked.find(([kind]) => counts[kind] > 0)
  if (!worst) return null
  const [kind, tone] = worst
  const count = counts[kind]
  // Of sites beyond the maximum that is counted, the rest is unknown.
  const others = count === Infinity ? 0 : Math.max(0, attentionTotal(counts) - count)
  return { text: t(`dashboard.broken_${kind}`, { count }), tone, others }
}
