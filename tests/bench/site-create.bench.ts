/**
 * Creating a WordPress site, waking a sleeping one, and its warm page, compared with the same PHP engine alone. The
 * product's limits (6 s, 2 s, 0.15 s) assume an idle machine, so the gates are ratios.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import {
  allAsleep,
  benchSettings,
  createWordPress,
  deleteSite,
  lowerQuartile,
  median,
  signUpOwner,
  timed,
  visit,
  visitHome,
} from './bench-product.ts'
import type { DirectOrder } from './php-direct.ts'

const asset = '/wp-includes/js/jquery/jquery.min.js'

/** Figures of one WordPress site, starting with its creation. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: { ...benchSettings, EASYDASH_SITE_IDLE_MINUTES: '0.05' } })
  try {
    const owner = await signUpOwner(product)
    // The first creation may download and unpack WordPress.
    const first = await createWordPress(owner, 'first')
    await deleteSite(owner, first)
    const creations: number[] = []
    let site = ''
    for (const name of ['one', 'two', 'three']) {
      creations.push(
        await timed(async () => {
          site = await createWordPress(owner, name)
        }),
      )
    }
    const wakes: number[] = []
    for (let round = 0; round < 3; round += 1) {
      await allAsleep(product)
      wakes.push(await timed(() => visitHome(product, 'three')))
    }
    const { median: through, ratio } = await warmPages(product, site)
    const assets = await staticAssets(product, site)
    return [
      { name: 'create to Live, median of 3', value: median(creations) / 1000, unit: 's (6)' },
      { name: 'wake with first page, median of 3', value: median(wakes) / 1000, unit: 's (2)' },
      { name: 'warm page, median', value: through / 1000, unit: 's (0.15)' },
      { name: 'warm page / PHP engine alone', value: ratio, unit: 'ratio', limit: 1.15 },
      { name: 'static file, lower quartile', value: assets.ours, unit: 'ms' },
      { name: 'static file / sent by WordPress', value: assets.ours / assets.wordpress, unit: 'ratio', limit: 0.05 },
      { name: 'static file / sent by a bare PHP script', value: assets.ours / assets.bare, unit: 'ratio' },
    ]
  } finally {
    await product.close()
  }
}

/** 40 pages through the product (median in ms) and 40 from the engine alone, alternating so that both see the same load. */
async function warmPages(product: Product, site: string): Promise<{ median: number; ratio: number }> {
  const child = fork(new URL('./php-direct.ts', import.meta.url), [], {
    execArgv: ['--liftoff-only', '--disable-warning=ExperimentalWarning', '--disable-warning=DEP0111'],
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The PHP engine alone did not run.')))
  const ask = async (message: DirectOrder | 'page'): Promise<number> => {
    child.send(message)
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [number]
    return answer
  }
  try {
    await ask({
      folder: join(product.dataDir, 'local', 'sites', site),
      url: `http://three.localhost:${product.port}`,
      phpVersion: '8.4',
    })
    const through: number[] = []
    const direct: number[] = []
    for (let round = 0; round < 50; round += 1) {
      const [ours, theirs] = [await timed(() => visitHome(product, 'three')), await ask('page')]
      if (round < 10) continue
      through.push(ours)
      direct.push(theirs)
    }
    return { median: median(through), ratio: lowerQuartile(through) / lowerQuartile(direct) }
  } finally {
    ended.catch(() => undefined)
    child.disconnect()
  }
}

/** Milliseconds of a script file (lower quartiles): as served by the product, by a bare PHP script, and by WordPress. */
async function staticAssets(
  product: Product,
  site: string,
): Promise<{ ours: number; bare: number; wordpress: number }> {
  const www = join(product.dataDir, 'local', 'sites', site, 'www')
  const send = `header('content-type: text/javascript'); readfile('/wordpress${asset}'); exit;`
  await writeFile(join(www, 'asset.php'), `<?php ${send}\n`)
  const plugin = `<?php add_action('init', function () { if (isset($_GET['asset'])) { ${send} } });\n`
  await writeFile(join(www, 'wp-content', 'mu-plugins', 'asset.php'), plugin)
  const measurements = [asset, '/asset.php', '/?asset=1'].map((path) => ({ path, times: [] as number[] }))
  for (let round = 0; round < 60; round += 1) {
    for (const { path, times } of measurements) {
      const took = await timed(async () => {
        const { status, body } = await visit(product, 'three', path)
        if (status !== 200 || body.length < 50_000) throw new Error(`${path} answered ${status}.`)
      })
      if (round >= 10) times.push(took)
    }
  }
  const [ours = 0, bare = 0, wordpress = 0] = measurements.map(({ times }) => lowerQuartile(times))
  return { ours, bare, wordpress }
}
