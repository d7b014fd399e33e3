/**
 * Lighthouse on the login page and the screens of an organization with 200 sites, as a desktop and as a phone on slow 4G.
 * Lighthouse is not a dependency of the project (185 MB): `npm exec` fetches an exact version outside of the project folder
 * (inside it, it would resolve our packages instead of its own and fail). Scores are gates; the largest paint is reported
 * with its budget (docs/benchmarks.md).
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figure } from '../../scripts/bench-run.ts'
import { findBrowser } from '#tests/e2e/support/harness-browser.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, signUpOwner } from './bench-product.ts'
import { addMembers, addSites, connectTo, openSession } from './fleet.ts'

const run = promisify(execFile)
/** Version 13 needs a newer Chromium than the one from npm. */
const lighthouseVersion = '12.8.2'
const sites = 200
/** Largest paint in milliseconds. */
const budgets = { desktop: { login: 1500, others: 1500 }, phone: { login: 2500, others: 3500 } } as const

interface Report {
  finalDisplayedUrl: string
  categories: Record<string, { score: number }>
  audits: Record<string, { numericValue?: number }>
}

/** Scores from 0 to 1 (reported as the difference to 1, so that less is better) and the largest paint in milliseconds. */
export async function bench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-lighthouse-'))
  const product = await startProduct({ env: benchSettings })
  try {
    const Cookie = await fill(product)
    const screens = [
      ['login', '/web/login', {}],
      ['dashboard', '/web', { Cookie }],
      ['sites list', '/web/site', { Cookie }],
      ['site', '/web/site/s000000001', { Cookie }],
      ['users', '/web/user', { Cookie }],
      ['organization', '/web/organization', { Cookie }],
      ['billing', '/web/billing', { Cookie }],
    ] as const
    const figures: Figure[] = []
    for (const preset of ['desktop', 'phone'] as const) {
      for (const [name, path, headers] of screens) {
        const report = await measure(folder, `${product.url}${path}`, preset, headers)
        const score = (category: string) => report.categories[category]?.score ?? 0
        const least = preset === 'desktop' ? { limit: 0.05 } : {}
        figures.push(
          { name: `${name}, ${preset}: 1 − performance`, value: 1 - score('performance'), unit: 'ratio', ...least },
          { name: `${name}, ${preset}: 1 − accessibility`, value: 1 - score('accessibility'), unit: 'ratio', limit: 0 },
          {
            name: `${name}, ${preset}: largest paint`,
            value: report.audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
            unit: `ms (${budgets[preset][name === 'login' ? 'login' : 'others']})`,
          },
        )
      }
    }
    return figures
  } finally {
    await product.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Fills the owner's organization with members and sites; resolves with the owner's cookie header. */
async function fill(product: Product): Promise<string> {
  const owner = await signUpOwner(product)
  const client = await connectTo(product)
  try {
    await addMembers(client, 20, 'Organization User')
    await addSites(client, sites, owner.server, 20)
    // The normal dashboard, without the tour of the first visit.
    await owner.browser.app
      .db()
      .updateDoc('User Meta', 'owner@bench.example', { preferences: { tours_seen: ['onboardingv2'] } })
    return await openSession(client, 'owner@bench.example')
  } finally {
    await client.end()
  }
}

async function measure(
  folder: string,
  url: string,
  preset: 'desktop' | 'phone',
  headers: Record<string, string>,
): Promise<Report> {
  const output = join(folder, 'report.json')
  const browser = await findBrowser()
  const options = [
    ...(preset === 'desktop' ? ['--preset=desktop'] : []),
    '--quiet',
    '--output=json',
    `--output-path=${output}`,
    '--only-categories=performance,accessibility',
    `--extra-headers=${JSON.stringify(headers)}`,
    '--chrome-flags=--headless --no-sandbox --disable-gpu',
  ]
  await run(
    'npm',
    ['exec', '--yes', `--package=lighthouse@${lighthouseVersion}`, '--', 'lighthouse', url, ...options],
    {
      cwd: folder,
      env: { ...process.env, ...browser.env, CHROME_PATH: browser.executablePath },
      timeout: 240_000,
    },
  )
  const report = JSON.parse(await readFile(output, 'utf8')) as Report
  // After a redirect, the figures would be those of another page.
  if (new URL(report.finalDisplayedUrl).pathname !== new URL(url).pathname)
    throw new Error(`${url} led to ${report.finalDisplayedUrl}.`)
  return report
}
