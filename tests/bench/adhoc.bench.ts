import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findBrowser } from '#tests/e2e/support/harness-browser.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import { benchSettings, signUpOwner } from './bench-product.ts'
import { addMembers, addSites, connectTo, openSession } from './fleet.ts'
const run = promisify(execFile)
export async function bench() {
  const product = await startProduct({ env: benchSettings })
  try {
    const owner = await signUpOwner(product)
    const client = await connectTo(product)
    await addMembers(client, 20, 'Organization User')
    await addSites(client, 200, owner.server, 20)
    await owner.browser.app
      .db()
      .updateDoc('User Meta', 'owner@bench.example', { preferences: { tours_seen: ['onboardingv2'] } })
    const Cookie = await openSession(client, 'owner@bench.example')
    await client.end()
    const browser = await findBrowser()
    const screens = (process.env['ADHOC'] ?? 'dashboard=/web,sites=/web/site,site=/web/site/s000000001,users=/web/user')
      .split(',')
      .map((x) => x.split('='))
    for (const [name, path] of screens) {
      const lcps = []
      for (let i = 0; i < Number(process.env['ROUNDS'] ?? 1); i++) {
        const output = `/tmp/out/lh-${name}.json`
        await run(
          'npm',
          [
            'exec',
            '--yes',
            '--package=lighthouse@12.8.2',
            '--',
            'lighthouse',
            `${product.url}${path}`,
            '--quiet',
            '--output=json',
            `--output-path=${output}`,
            '--only-categories=performance',
            `--extra-headers=${JSON.stringify({ Cookie })}`,
            '--chrome-flags=--headless --no-sandbox --disable-gpu',
          ],
          {
            cwd: '/tmp/out',
            env: { ...process.env, ...browser.env, CHROME_PATH: browser.executablePath },
            timeout: 240_000,
          },
        )
        const r = JSON.parse(await readFile(output, 'utf8'))
        lcps.push(
          `${Math.round(r.audits['largest-contentful-paint'].numericValue)}/${Math.round(r.audits['first-contentful-paint'].numericValue)}/tbt${Math.round(r.audits['total-blocking-time'].numericValue)}`,
        )
      }
      console.log(name, lcps.join(' '))
    }
    return []
  } finally {
    await product.close()
  }
}
