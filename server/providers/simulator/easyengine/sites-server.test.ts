import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestMachine } from './easyengine-fixture.ts'
import { serveSites, type SitesServer } from './sites-server.ts'

const t = createTestMachine()
let isOn = true
let server: SitesServer
beforeAll(async () => {
  server = await serveSites(() => (isOn ? [t.root] : []))
  await t.site('shop.example', '--title=<Shop>', '--admin-user=ann', '--admin-pass=correct1horse')
})
afterAll(async () => {
  await server.close()
  t.remove()
})

/** Requests a page; null if the connection closes. */
function get(
  path: string,
  { host = 'shop.example.localhost:8090', form = '', ...headers }: Record<string, string> = {},
) {
  return new Promise<{ status: number; body: string; location: string; cookie: string }>((resolve, reject) => {
    const options = { port: server.port, host: '127.0.0.1', path, method: form === '' ? 'GET' : 'POST' }
    const sent = request({ ...options, headers: { host, ...headers } }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => {
        const { location = '', 'set-cookie': cookies = [] } = response.headers
        resolve({ status: response.statusCode ?? 0, body, location, cookie: cookies[0]?.split(';')[0] ?? '' })
      })
    })
    sent.on('error', reject)
    sent.end(form)
  })
}
const wordpress = '/opt/easyengine/sites/shop.example/app/htdocs/wp-content'

test('a site answers by its domain, and to nobody by another one', async () => {
  for (const host of ['shop.example', 'shop.example.localhost:8090']) {
    const { status, body } = await get('/', { host })
    expect([host, status, body]).toEqual([host, 200, expect.stringMatching(/<title>&lt;Shop&gt;<\/title>.*<\/html>/s)])
  }
  expect((await get('/', { host: 'other.example' })).status).toBe(503)
  expect((await get('/missing')).status).toBe(404)
  expect((await get('/wp-config.php')).body).not.toContain('DB_PASSWORD')
  expect((await get('/wp-admin/')).location).toBe('/wp-login.php?redirect_to=%2Fwp-admin%2F')
  const { cookie, location } = await get('/wp-login.php', { form: 'log=ann&pwd=correct1horse' })
  expect([location, (await get('/wp-admin/', { cookie })).body]).toEqual([
    '/wp-admin/',
    expect.stringContaining('Howdy, ann'),
  ])
  expect((await get('/wp-login.php', { form: 'log=ann&pwd=wrong' })).cookie).toBe('')
  expect(t.read('opt/easyengine/sites/shop.example/logs/nginx/access.log')).toMatch(/"GET \/missing HTTP\/1\.1" 404 /)
})

test('a login link works once, and only with the plugin', async () => {
  const place = (token: string, expires: number) => {
    const hash = createHash('sha256').update(token).digest('hex')
    const link = {
      hash,
      expires,
      key: 'account-1',
      role: 'administrator',
      login: 'eve',
      name: 'Eve',
      email: 'eve@a.example',
    }
    t.write(`${wordpress}/easydash-login/${hash}.php`, `<?php exit; ?>\n${JSON.stringify(link)}`)
  }
  const soon = Date.now() / 1000 + 30
  place('first', soon)
  expect(await get('/?easydash-login=first')).toMatchObject({ status: 200, cookie: '' })
  t.write(`${wordpress}/mu-plugins/easydash-login.php`, '<?php\n')
  const { cookie, location } = await get('/?easydash-login=first')
  expect([location, (await get('/wp-admin/', { cookie })).body]).toEqual([
    '/wp-admin/',
    expect.stringContaining('Howdy, Eve'),
  ])
  expect(await get('/?easydash-login=first')).toMatchObject({ location: '/', cookie: '' })
  place('late', soon - 60)
  expect(await get('/?easydash-login=late')).toMatchObject({ location: '/', cookie: '' })
  const { out } = await t.wp('shop.example', ['easydash', 'sync'], {
    input: '{"keep":[],"pause":[],"remove":["account-1"],"reassignTo":"ann"}',
  })
  expect([JSON.parse(out), (await get('/wp-admin/', { cookie })).status]).toEqual([
    { removed: 1, gone: ['account-1'] },
    302,
  ])
})

test('authentication, fatal errors, disabled sites and a machine that is off', async () => {
  await t.ee('auth create shop.example --user=guest --pass=secret')
  const authorization = `Basic ${Buffer.from('guest:secret').toString('base64')}`
  expect([(await get('/')).status, (await get('/', { authorization })).status]).toEqual([401, 200])
  await t.ee('auth delete shop.example')
  t.setTraps('php_fatal=shop.example')
  expect((await get('/')).status).toBe(500)
  expect(t.read('opt/easyengine/sites/shop.example/logs/php/error.log')).toContain('PHP Fatal error')
  t.setTraps()
  await t.ee('site disable shop.example')
  expect((await get('/')).status).toBe(503)
  isOn = false
  await expect(get('/')).rejects.toThrow(/socket hang up|ECONNRESET/)
})
