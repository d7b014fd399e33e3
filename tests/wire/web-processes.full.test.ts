/** `npm start` with two web processes on one port. */
import { readFile } from 'node:fs/promises'
import { Agent, request, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { createBrowser, type Browser } from './browser.ts'

const password = 'tulip-brass-91-walnut-fjord'
const limit = 400
let product: Product
let owner: Browser
const sockets: Socket[] = []

beforeAll(async () => {
  product = await startProduct({
    env: {
      EASYDASH_WEB_PROCESSES: '2',
      EASYDASH_THUMBNAILS: 'off',
      EASYDASH_RATE_LIMITS: JSON.stringify({
        api_user: { limit, seconds: 3600 },
        signup_ip: { limit: 100, seconds: 3600 },
      }),
    },
  })
  owner = await signUp('owner@two.example', new URL(product.setupLink ?? '').searchParams.get('setup'))
  await owner.app.db().createDoc('Organization', { title: 'Two', slug: 'two' })
  await owner.loadPage()
})
afterAll(async () => {
  for (const socket of sockets) socket.close()
  await product.close()
})

async function signUp(email: string, setup_token: string | null = null): Promise<Browser> {
  const browser = createBrowser(product.url)
  await browser.loadPage('/web/signup')
  await browser.app.call().post('easydash.api.account.sign_up', {
    first_name: 'Test',
    last_name: 'Person',
    email,
    password,
    termsAndCondition: true,
    accept_newsletter: false,
    ...(setup_token === null ? {} : { setup_token }),
  })
  await browser.loadPage()
  return browser
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

/** A request on a connection of its own: the processes take connections in turn. */
function onNewConnection(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent: new Agent({ keepAlive: false }), host: '127.0.0.1', port: product.port, path, headers }
    request({ ...options, headers: { host: `localhost:${product.port}`, ...headers } }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.once('error', reject)
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }))
    })
      .once('error', reject)
      .end()
  })
}

/** The same request on four connections, two of each process. */
const onEach = (path: string, headers: Record<string, string> = {}) =>
  Promise.all(Array.from({ length: 4 }, () => onNewConnection(path, headers)))

const whoami = '/api/method/frappe.auth.get_logged_user'

async function dial(browser: Browser, transports: string[], query = {}): Promise<Socket> {
  const socket = io(`${product.url}/localhost`, {
    extraHeaders: { cookie: browser.cookieHeader() },
    forceNew: true,
    query,
    transports,
  })
  sockets.push(socket)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('connect_error', reject)
  })
  return socket
}

/** The number of the process in which a socket is. */
const processOf = (socket: Socket): string => String(socket.io.engine.id).split('.')[0] ?? ''

/** A socket in each process, once the second one takes connections. */
async function dialEach(browser: Browser, transports: string[]): Promise<Map<string, Socket>> {
  const found = new Map<string, Socket>()
  let tries = 0
  await expect
    .poll(
      async () => {
        // A dial is several connections: without others between them each could begin in the same process.
        for (let at = 0; at < tries % 3; at += 1) await onNewConnection('/healthz')
        tries += 1
        const socket = await dial(browser, transports)
        found.get(processOf(socket))?.close()
        found.set(processOf(socket), socket)
        return [...found.keys()].toSorted()
      },
      { timeout: 20_000 },
    )
    .toEqual(['0', '1'])
  return found
}

test.each([['websocket'], ['polling']])('a socket of streams is in the main process, by %s', async (transport) => {
  await dialEach(owner, [transport])
  for (let round = 0; round < 4; round += 1) {
    const socket = await dial(owner, [transport], { streams: 1 })
    expect(processOf(socket)).toBe('0')
    const answer = await socket.emitWithAck('stream_open', 1, 'server-terminal', {})
    expect(answer).toMatchObject({
      error: { exception: expect.stringContaining('This terminal has expired.') as string },
    })
  }
})

const webProcesses = async () =>
  (await product.processes()).filter(({ command }) => command.includes('web-process.ts')).map(({ pid }) => pid)

const log = () => readFile(join(product.dataDir, 'logs', 'easydash.log'), 'utf8')

test('a session is known in both, and ended in both, at once', async () => {
  await dialEach(owner, ['websocket'])
  const browser = createBrowser(product.url)
  for (let round = 0; round < 5; round += 1) {
    await browser.app.auth().loginWithUsernamePassword({ username: 'owner@two.example', password })
    const headers = { cookie: browser.cookieHeader() }
    for (const { status, body } of await onEach(whoami, headers)) {
      expect(status).toBe(200)
      expect(body).toContain('owner@two.example')
    }
    await browser.loadPage()
    await browser.app.auth().logout()
    for (const { status } of await onEach(whoami, headers)) expect(status).toBe(403)
    browser.cookies.clear()
  }
})

test.each([['websocket'], ['polling'], ['polling', 'websocket']])(
  'sockets of both processes hear of a change, by %s %s',
  async (...transports) => {
    const both = await dialEach(owner, transports.filter(Boolean))
    const heard = [...both.values()].map(async (socket) => {
      socket.emit('doc_subscribe', 'Organization', 'two')
      socket.emit('ping')
      await new Promise((resolve) => socket.once('pong', resolve))
      return { update: new Promise((resolve) => socket.once('doc_update', resolve)) }
    })
    const updates = (await Promise.all(heard)).map(({ update }) => update)
    await owner.app.db().updateDoc('Organization', 'two', { title: `Two by ${transports.join(' ')}` })
    for (const update of await Promise.all(updates)) expect(update).toMatchObject({ name: 'two' })
    for (const { status, body } of await onEach('/api/resource/Organization/two', { cookie: owner.cookieHeader() })) {
      expect(status).toBe(200)
      expect(body).toContain(`Two by ${transports.join(' ')}`)
    }
    for (const socket of both.values()) socket.close()
  },
)

test('a limit holds for both processes together', async () => {
  const statuses: number[] = []
  for (let at = 0; at < limit / 4 + 20; at += 1) {
    const answers = await onEach('/api/resource/Organization/two')
    statuses.push(...answers.map(({ status }) => status))
  }
  // A stranger gets nothing, but calls count, by address.
  const passed = statuses.filter((status) => status !== 429).length
  expect(statuses).toContain(429)
  expect(passed).toBeLessThanOrEqual(limit)
  // Those that one process still holds are missing to the other for a moment.
  expect(passed).toBeGreaterThan(limit * 0.9)
})

test('a job runs and its site answers, whichever process takes the connection', async () => {
  const [server] = await owner.app.db().getDocList<{ name: string }>('Server', { fields: ['name'] })
  const site = await owner.app.db().createDoc<Record<string, unknown>>('Site', {
    organization: 'two',
    domain: 'both',
    server: server?.name,
    site_type: 'html',
    title: 'Both',
  })
  await expect
    .poll(async () => (await owner.app.db().getDoc<{ status: string }>('Job', String(site['job']))).status, {
      timeout: 60_000,
    })
    .toBe('Done')
  for (const { status } of await onEach('/', { host: `both.localhost:${product.port}` })) expect(status).toBe(200)
})

test('bodies are passed on, and files come back', async () => {
  const content = 'x'.repeat(3_000_000)
  for (let at = 0; at < 4; at += 1) {
    const form = new FormData()
    form.set('file', new Blob([content]), `file-${at}.txt`)
    form.set('is_private', '1')
    const headers = { 'x-frappe-csrf-token': owner.csrfToken ?? '', connection: 'close' }
    const sent = await owner.fetch('/api/method/upload_file', { method: 'POST', body: form, headers })
    const { message } = (await sent.json()) as { message: { file_url: string } }
    for (const { status, body } of await onEach(message.file_url, { cookie: owner.cookieHeader() })) {
      expect(status).toBe(200)
      expect(body).toHaveLength(content.length)
    }
  }
})

test('whoever writes a header of ours is nobody else', async () => {
  const headers = { 'x-easydash-forwarded': 'guess 203.0.113.7', 'x-forwarded-for': '203.0.113.7' }
  for (const { status } of await onEach('/metrics', headers)) expect(status).toBe(403)
  for (const { status, body } of await onEach('/metrics')) {
    expect(status).toBe(200)
    expect(body).toContain('easydash_web_processes 1')
  }
})

test('a process that dies is replaced, and the log says so', async () => {
  const [pid] = await webProcesses()
  const inIt = (await dialEach(owner, ['websocket'])).get('1')
  const lost = new Promise((resolve) => inIt?.once('disconnect', resolve))
  const back = new Promise((resolve) => inIt?.io.once('reconnect', resolve))
  process.kill(Number(pid), 'SIGKILL')
  // The main process answers meanwhile, also on connections that were on their way to the other one.
  for (const { status } of await onEach(whoami, { cookie: owner.cookieHeader() })) expect(status).toBe(200)
  await lost
  await back
  await dialEach(owner, ['websocket'])
  const [next] = await webProcesses()
  expect(next).not.toBe(pid)
  expect(await log()).toContain('A web process ended unexpectedly; it is started again')
})

test('Ctrl+C ends all of them; without the main process none stays', async () => {
  expect(await product.stop()).toBe(0)
  expect(await product.processes()).toEqual([])
  expect(product.output().match(/Easydash is ready/g)).toHaveLength(1)
  await product.restart()
  await dialEach(owner, ['websocket'])
  const processes = await product.processes()
  const [web] = processes.filter(({ command }) => command.includes('web-process.ts'))
  process.kill(Number(web?.parent), 'SIGKILL')
  await expect.poll(webProcesses).toEqual([])
})
