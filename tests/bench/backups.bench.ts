/**
 * Backups of default sites, and their proofs with the picture of the homepage: clicked to the end, with sites that are asleep. The product's
 * limits (5 s, 15 s) assume an idle machine; the creation of a site, which takes 5.3 s there, is what they are compared with elsewhere.
 */
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import { allAsleep, backedUp, benchSettings, createWordPress, median, signUpOwner, timed } from './bench-product.ts'

/** Figures of three sites, each backed up twice: the first time as a whole, then what changed. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({
    env: { EASYDASH_RATE_LIMITS: benchSettings.EASYDASH_RATE_LIMITS, EASYDASH_SITE_IDLE_MINUTES: '0.05' },
  })
  try {
    const owner = await signUpOwner(product)
    const creations: number[] = []
    const first: number[] = []
    const later: number[] = []
    const proofs: number[] = []
    for (let round = 0; round < 3; round += 1) {
      let site = ''
      creations.push(await timed(async () => void (site = await createWordPress(owner, `new-${round}`))))
      for (const backups of [first, later]) {
        await allAsleep(product)
        const { backup, proof, made } = await backedUp(owner, site, timed)
        if (made.thumbnail === null) throw new Error('The proof took no picture.')
        backups.push(backup)
        proofs.push(proof)
      }
    }
    const created = median(creations)
    const figures = (name: string, list: readonly number[], seconds: number, limit: number): Figure[] => [
      { name: `${name}, median`, value: median(list) / 1000, unit: `s (${seconds})` },
      { name: `${name} / creation of a site`, value: median(list) / created, unit: 'ratio', limit },
    ]
    return [
      { name: 'creation of a site, median', value: created / 1000, unit: 's' },
      ...figures('first backup', first, 5, 1.1),
      ...figures('backup of what changed', later, 5, 1.1),
      ...figures('proof with its picture', proofs, 15, 2.8),
    ]
  } finally {
    await product.close()
  }
}
