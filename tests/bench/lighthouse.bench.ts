/**
 * Lighthouse on the login page and the sites list, as a desktop and as a phone on slow 4G. Lighthouse is no dependency of
 * the project (185 MB): `npm exec` fetches it at an exact version, outside the project's tree (inside it, it finds packages
 * of ours in place of its own and fails).
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figure } from '../../scripts/bench-run.ts'
import { findBrowser } from '../e2e/harness-browser.ts'
import { startProduct, type Product } from '../e2e/harness.ts'

const run = promisify(execFile)
/** 13 wants a newer Chromium than the one from npm. */
const lighthouseVersion = '12.8.2'
const account = { first_name: 'Lee', email: 'lee@example.com', password: 'Correct-Horse-42!' }

interface Report {
  categories: Record<string, { score: number }>
  audits: Record<string, { numericValue?: number }>
}

/** Scores from 0 to 1 (shown as what is missing to 1, so that less is better) and the largest paint in milliseconds. */
export async function bench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-lighthouse-'))
  const product = await startProduct()
  try {
    const cookie = await signUp(product)
    const figures: Figure[] = []
    for (const preset of ['desktop', 'phone'] as const) {
      for (const [name, path, headers] of [
        ['login', '/web/login', {}],
        ['sites list', '/web/site', { Cookie: cookie }],
      ] as const) {
        const report = await measure(folder, `${product.url}${path}`, preset, headers)
        const score = (category: string) => report.categories[category]?.score ?? 0
        const least = preset === 'desktop' ? { limit: 0.05 } : {}
        figures.push(
          { name: `${name}, ${preset}: 1 − performance`, value: 1 - score('performance'), unit: 'ratio', ...least },
          { name: `${name}, ${preset}: 1 − accessibility`, value: 1 - score('accessibility'), unit: 'ratio', limit: 0 },
          {
            name: `${name}, ${preset}: largest paint`,
            value: report.audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
            unit: 'ms',
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

/** The first account with an organization; returns the cookie header. */
async function signUp(product: Product): Promise<string> {
  const setup_token = new URL(product.setupLink ?? '').searchParams.get('setup')
  const jar = new Map<string, string>()
  const call = async (path: string, body: unknown, csrf = '') => {
    const answer = await fetch(`${product.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: header(jar), 'x-frappe-csrf-token': csrf },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      jar.set(name, value)
    }
  }
  await call('/api/method/sign_up', { ...account, setup_token, termsAndCondition: true })
  const page = await fetch(`${product.url}/web`, { headers: { cookie: header(jar), accept: 'text/html' } })
  const csrf = /csrf_token\s*=\s*"([^"]+)"/.exec(await page.text())?.[1] ?? ''
  await call('/api/resource/Organization', { title: 'Bench' }, csrf)
  return header(jar)
}

function header(jar: ReadonlyMap<string, string>): string {
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
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
  return JSON.parse(await readFile(output, 'utf8')) as Report
}
