/** From the click on "Open admin" or "Log in as this user" to the page of wp-admin, on a site that is awake. */
import { request, type IncomingHttpHeaders } from 'node:http'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, createWordPress, median, signUpOwner, timed, type BenchOwner } from './bench-product.ts'

/** Figures of both ways in; the page of wp-admin alone is the baseline. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: benchSettings })
  try {
    const owner = await signUpOwner(product)
    const site = await createWordPress(owner, 'front')
    const cookie = await signIn(product, owner, site, {})
    const [own, other, alone] = [[], [], []] as [number[], number[], number[]]
    for (let round = 0; round < 9; round += 1) {
      own.push(await timed(() => open(product, owner, site, {})))
      other.push(await timed(() => open(product, owner, site, { user: 'owner' })))
      alone.push(await timed(() => admin(product, cookie)))
    }
    return [
      { name: 'Open admin, click to wp-admin, median of 9', value: median(own) / 1000, unit: 's (2)' },
      { name: 'Log in as a user, the same', value: median(other) / 1000, unit: 's (2)' },
      { name: 'Open admin / the page of wp-admin alone', value: median(own) / median(alone), unit: 'ratio', limit: 4 },
    ]
  } finally {
    await product.close()
  }
}

async function open(product: Product, owner: BenchOwner, site: string, args: object): Promise<void> {
  await admin(product, await signIn(product, owner, site, args))
}

/** Uses a new link; returns the cookies of the session. */
async function signIn(product: Product, { browser }: BenchOwner, site: string, args: object): Promise<string> {
  const { message } = await browser.app.call().post<{ message: { url: string } }>('run_doc_method', {
    dt: 'Site',
    dn: site,
    method: 'login_link',
    args: JSON.stringify(args),
  })
  const { pathname, search } = new URL(message.url)
  const { headers } = await get(product, pathname + search)
  const cookies = (headers['set-cookie'] ?? []).map((text) => text.split(';')[0])
  if (cookies.length === 0) throw new Error('The link signed nobody in.')
  return cookies.join('; ')
}

async function admin(product: Product, cookie: string): Promise<void> {
  const { status, body } = await get(product, '/wp-admin/', cookie)
  if (status !== 200 || !body.includes('</html>')) throw new Error(`wp-admin answered ${status}.`)
}

function get(
  { port }: Product,
  path: string,
  cookie = '',
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: `front.localhost:${port}`, cookie }
    request({ host: '127.0.0.1', port, path, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => (body += text))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
      response.once('error', reject)
    })
      .once('error', reject)
      .end()
  })
}
