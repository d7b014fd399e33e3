/** Writes of many people at the same time, in one organization and in as many as there are people. */
import type pg from 'pg'
import type { Figure } from '../../scripts/bench-run.ts'
import type { Product } from '#tests/e2e/support/harness.ts'
import { addOrganizations, memberEmail, openWritingSession } from './fleet.ts'
import { createLoader, quantile, sendOrThrow } from './load.ts'

const writers = 50
const rounds = 20

/** Name of a live site that `addSites` made (every seventh is), spread over the table. */
export const siteName = (at: number): string => `s${String(7 * (1 + ((Math.abs(at) * 101) % 1428))).padStart(9, '0')}`

/**
 * 50 people write documents at once: of one organization, then of 50. If writes of one organization queued behind each other
 * longer than those of different ones, the first would take longer.
 */
export async function writersAtOnce(
  product: Product,
  database: pg.Client,
  owner: Record<string, string>,
): Promise<Figure[]> {
  const together = await p95Of(product, () => owner)
  await addOrganizations(database, writers)
  const apart: Record<string, string>[] = []
  for (let at = 0; at < writers; at += 1) {
    apart.push(await openWritingSession(database, memberEmail(at + 1)))
    const sites = Array.from({ length: rounds }, (_, round) => siteName(at * rounds + round))
    await database.query('update tab_site set organization = $1 where name = any($2)', [`bench-${at + 1}`, sites])
  }
  const separate = await p95Of(product, (at) => apart[at] ?? {})
  return [
    { name: '50 writers of one organization, p95', value: together, unit: 'ms (150)' },
    { name: '50 writers of 50 organizations, p95', value: separate, unit: 'ms' },
    { name: 'one organization / 50, p95', value: together / separate, unit: 'ratio', limit: 1.5 },
  ]
}

async function p95Of(product: Product, headersOf: (writer: number) => Record<string, string>): Promise<number> {
  const loader = createLoader(product.port, writers)
  const times: number[] = []
  const writer = async (at: number): Promise<void> => {
    for (let round = 0; round < rounds; round += 1) {
      const { took } = await sendOrThrow(loader, {
        method: 'PUT',
        path: `/api/resource/Site/${siteName(at * rounds + round)}`,
        headers: { ...headersOf(at), 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Writer ${at} ${round} ${Date.now()}` }),
      })
      if (round > 1) times.push(took)
    }
  }
  try {
    await Promise.all(Array.from({ length: writers }, (_, at) => writer(at)))
  } finally {
    loader.close()
  }
  return quantile(times, 0.95)
}
