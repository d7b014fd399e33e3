import * as z from 'zod/mini'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { data, int, json, select } from '#shared/fields.ts'
import { shortcutGroups } from '#shared/shortcuts.ts'
import type { Method } from '#server/contracts/method.ts'
import { boot, type Booted } from './booted.ts'
import { ask } from './raw.ts'

const sitesSeen: string[] = []
const method = (name: string, run: Method['run'], extra: Partial<Method> = {}): Method => ({
  name: `test.${name}`,
  access: 'guest',
  verbs: ['GET', 'POST'],
  description: 'For tests.',
  run,
  ...extra,
})
let release: () => void = () => undefined
let entered: () => void = () => undefined
const hold = new Promise<void>((resolve) => {
  release = resolve
})
const inside = new Promise<void>((resolve) => {
  entered = resolve
})

let booted: Booted
let ready = true
beforeAll(async () => {
  booted = await boot({
    health: {
      ready: () => Promise.resolve({ ok: ready, checks: { database: ready ? 'ok' : 'not reachable' } }),
      metrics: () => 'easydash_up 1\n',
    },
    sites: {
      ownsHost: (host) => /^[^.]+\.localhost(?::\d+)?$/.test(host),
      handleRequest(request, response) {
        sitesSeen.push(`${request.method} ${request.url}`)
        let body = ''
        request.on('data', (chunk) => {
          body += String(chunk)
        })
        request.on('end', () => response.writeHead(200, { 'x-site': 'yes' }).end(`site got ${body}`))
      },
    },
    methods: [
      method('crash', () => {
        throw new Error('secret detail of the database')
      }),
      method('nothing', () => Promise.resolve(null)),
      method('typed', (params) => Promise.resolve(params), {
        params: { text: data({ reqd: true, length: 5 }), number: int(), list: json(), kind: select(['a', 'b']) },
      }),
      method(
        'noticed',
        (_params, context) => {
          context.notice('All good', 'Done')
          context.extra('more', 1)
          return Promise.resolve('x')
        },
        { extras: { more: z.int() } },
      ),
      method('member', () => Promise.resolve(1), { access: 'member' }),
      method('verified', () => Promise.resolve(1), { access: 'verified' }),
      method('platform', () => Promise.resolve(1), { access: 'platform' }),
      method('held', async () => {
        entered()
        await hold
        return 'finished'
      }),
    ],
  })
  await booted.person('ann@example.com')
  await booted.person('new@example.com', { verified: false })
  await booted.person('root@example.com', { platformAdmin: true })
})
afterAll(() => booted.close())

const host = () => `localhost:${booted.port}`
const get = (path: string, headers: Record<string, string> = {}) =>
  ask(booted.port, { path, headers: { host: host(), ...headers } })
const call = (path: string, headers: Record<string, string> = {}) =>
  get(path, { accept: 'application/json', ...headers })

describe('pages', () => {
  it('fills the app page with nonce, token and boot data that cannot break out', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const response = await browser.fetch('/web/site/x?a=1')
    const html = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(policy).not.toContain('unsafe-inline')
    expect(policy).toContain("frame-ancestors 'none'")
    for (const tag of html.match(/<(?:script|link)\b[^>]*>/g) ?? []) expect(tag).toContain(`nonce="${nonce}"`)
    expect(html.match(/<script\b/g)).toHaveLength(2)
    expect(html).not.toMatch(/__BOOT__|\{\{/)
    expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`)
    expect(html).toContain('"for":"ann@example.com"')
    expect(html).toContain('\\u003c/script\\u003e\\u003c!--__NONCE__')
    expect(browser.csrfToken).toMatch(/^[\w-]{43}$/)
    expect(html).toContain(`window.csrf_token = "${browser.csrfToken}"`)
    const again = /'nonce-([^']+)'/.exec(
      (await browser.fetch('/web')).headers.get('content-security-policy') ?? '',
    )?.[1]
    expect(again).not.toBe(nonce)
    expect((await get('/web/login')).body).toContain('window.csrf_token = ""')
  })

  it('serves built files for ever, compressed when possible, and never a page in their place', async () => {
    const script = await get('/web/assets/app-1.js', { 'accept-encoding': 'br' })
    expect(script).toMatchObject({
      status: 200,
      headers: { 'content-encoding': 'br', 'cache-control': 'public, max-age=31536000, immutable' },
    })
    expect(script.headers['set-cookie']).toBeUndefined()
    expect(script.headers['content-type']).toContain('javascript')
    expect((await get('/web/assets/app-1.js')).headers['content-encoding']).toBeUndefined()
    expect((await get('/web/favicon.svg')).headers['content-type']).toContain('image/svg+xml')
    for (const path of [
      '/web/assets/app-2.js',
      '/web/assets/',
      '/web/nope.js',
      '/web/.vite/manifest.json',
      '/web/index.html',
      '/web/assets/../index.html',
      '/web/assets/..%2findex.html',
      '/llms.txt',
      '/web/assets/%2e%2e/%2e%2e/package.json',
    ]) {
      const answer = await get(path, { accept: 'text/html' })
      expect([path, answer.status, answer.headers['content-type']?.startsWith('text/html')]).toEqual([path, 404, false])
      expect(answer.headers['cache-control']).not.toContain('immutable')
    }
    expect((await get('/robots.txt')).body).toBe('User-agent: *\nDisallow: /\n')
    expect((await get('/favicon.ico')).headers.location).toBe('/web/favicon.svg')
    expect((await get('/web/user/ann@example.com')).headers['content-type']).toContain('text/html')
  })

  it('leads / to /web, and pages on a foreign host to the public address', async () => {
    expect(await get('/')).toMatchObject({ status: 302, headers: { location: '/web' } })
    const away = (path: string, name: string) => ask(booted.port, { path, headers: { host: name } })
    expect(await away('/web/login?next=/x', '127.0.0.1')).toMatchObject({
      status: 302,
      headers: { location: `${booted.url}/web/login?next=/x` },
    })
    expect(await away('/', 'evil.example')).toMatchObject({ status: 302, headers: { location: `${booted.url}/web` } })
    expect((await away('//evil.example/x', host())).headers.location).toBeUndefined()
    expect((await away('/api/method/ping', 'evil.example')).status).toBe(200)
    expect((await away('/healthz', 'evil.example')).status).toBe(200)
  })

  it('gives plain pages for help and for what does not exist', async () => {
    const help = await get('/helpdesk')
    expect(help.body).toContain('<h1>Help</h1>')
    expect(help.body).toContain('<a href="/api/docs">')
    for (const { text } of shortcutGroups.flatMap((one) => one.shortcuts)) expect(help.body).toContain(`>${text}</th>`)
    for (const [, path = ''] of help.body.matchAll(/href="(\/helpdesk\/[a-z]+)"/g))
      expect(await get(path), path).toMatchObject({ status: 200, body: expect.stringContaining('</h2>') as string })
    expect(await get('/helpdesk/plan')).toMatchObject({ status: 404 })
    const missing = await get('/nope', { accept: 'text/html' })
    expect([missing.status, missing.headers['content-type']]).toEqual([404, expect.stringContaining('text/html')])
    expect(missing.headers['content-security-policy']).toContain("script-src 'nonce-")
  })
})

describe('hosts of sites', () => {
  it('hands them over untouched, sockets and our own paths included', async () => {
    const answer = await ask(booted.port, {
      path: '/socket.io/?x',
      method: 'POST',
      headers: { host: `blog.${host()}`, cookie: 'sid=1', 'content-type': 'application/json' },
      body: '{broken',
    })
    expect(answer.body).toBe('site got {broken')
    expect(answer.headers['x-site']).toBe('yes')
    expect(answer.headers['content-security-policy']).toBeUndefined()
    expect(answer.headers['set-cookie']).toBeUndefined()
    for (const path of ['/web', '/api/method/ping', '/healthz'])
      expect((await ask(booted.port, { path, headers: { host: 'blog.localhost' } })).body).toBe('site got ')
    expect(sitesSeen).toContain('GET /healthz')
  })

  it.each([
    ['blog.localhost', '/socket.io/', '501 Not Implemented'],
    ['localhost', '/', '400 Bad Request'],
    ['localhost', '/socket.io/?EIO=4&transport=websocket&sid=none', '400 Bad Request'],
    ['localhost', '/socket.io/?EIO=4&transport=websocket&transport=polling', '400 Bad Request'],
  ])('refuses an upgrade at %s%s and closes the connection, whatever its sender does', async (host, path, status) => {
    const opened = once(booted.wire.fastify.server, 'connection') as Promise<[Socket]>
    const socket = connect({ port: booted.port, host: '127.0.0.1', allowHalfOpen: true })
    const [other] = await opened
    const closed = once(other, 'close')
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    )
    const [text] = (await once(socket, 'data')) as [Buffer]
    expect(text.toString()).toContain(`HTTP/1.1 ${status}`)
    await closed
    socket.destroy()
  })
})

describe('health', () => {
  it('tells life, readiness and figures', async () => {
    expect(JSON.parse((await get('/healthz')).body)).toEqual({ status: 'ok' })
    expect(await get('/readyz')).toMatchObject({ status: 200 })
    ready = false
    expect(await get('/readyz')).toMatchObject({
      status: 503,
      body: '{"status":"unavailable","checks":{"database":"not reachable"}}',
    })
    ready = true
    expect(await get('/metrics')).toMatchObject({ status: 200, body: 'easydash_up 1\n' })
    // A page of a foreign name that resolves to this machine (DNS rebinding).
    expect((await call('/metrics', { host: 'rebound.example' })).status).toBe(403)
    // Behind an untrusted proxy, everybody would seem to come from this machine.
    expect((await call('/metrics', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(403)
    expect((await call('/metrics', { 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer wrong' })).status).toBe(
      403,
    )
    expect(
      (await call('/metrics', { 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer metrics-token-of-the-test' }))
        .status,
    ).toBe(200)
  })
})

describe('methods', () => {
  it('leaves message out for null, and adds notices and further keys', async () => {
    expect((await call('/api/method/test.nothing')).body).toBe('{}')
    const {
      message,
      more,
      _server_messages: notices,
    } = JSON.parse((await call('/api/method/test.noticed')).body) as Record<string, unknown>
    expect([message, more]).toEqual(['x', 1])
    expect(JSON.parse((JSON.parse(String(notices)) as string[])[0] ?? '')).toMatchObject({
      message: 'All good',
      title: 'Done',
    })
  })

  it('gives defects no detail, but a number that the log knows', async () => {
    const answer = await call('/api/method/test.crash')
    expect(answer.status).toBe(500)
    expect(answer.body).not.toContain('secret detail')
    expect(answer.body).toContain(String(answer.headers['x-frappe-request-id']))
    expect(booted.logged.join()).toContain('secret detail')
  })

  it('checks parameters by their description', async () => {
    const typed = async (params: Record<string, unknown>) => {
      const answer = await ask(booted.port, {
        path: '/api/method/test.typed',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      })
      return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> }
    }
    expect((await typed({ text: 'a', number: '7', list: '[1]', kind: 'b', unknown: 1 })).body['message']).toEqual({
      text: 'a',
      number: 7,
      list: [1],
      kind: 'b',
    })
    expect((await typed({ text: 5, list: { a: [1] } })).body['message']).toEqual({ text: '5', list: { a: [1] } })
    expect(await typed({})).toMatchObject({ status: 417, body: { field: 'text', exc_type: 'ValidationError' } })
    for (const wrong of [{ text: ['a'] }, { text: { a: 1 } }, { text: 'a', number: 'x' }, { text: 'a', number: 1.5 }]) {
      expect(await typed(wrong)).toMatchObject({ status: 417, body: { exc_type: 'FrappeTypeError' } })
    }
    expect(await typed({ text: 'toolong' })).toMatchObject({
      status: 417,
      body: { exc_type: 'CharacterLengthExceededError' },
    })
    expect(await typed({ text: 'a', kind: 'c' })).toMatchObject({ status: 417, body: { field: 'kind' } })
  })

  it('applies access rules', async () => {
    const status = async (email: string | null, name: string) => {
      const browser = email === null ? booted.browser() : await booted.signedIn(email)
      return (await browser.fetch(`/api/method/test.${name}`)).status
    }
    expect([await status(null, 'verified'), await status(null, 'platform')]).toEqual([403, 403])
    expect([await status('new@example.com', 'verified'), await status('ann@example.com', 'verified')]).toEqual([
      403, 200,
    ])
    expect([await status('ann@example.com', 'member'), await status('ann@example.com', 'platform')]).toEqual([403, 403])
    expect(await status('root@example.com', 'platform')).toBe(200)
  })
})

describe('requests', () => {
  it('answers OPTIONS with nothing and HEAD as GET', async () => {
    for (const path of ['/', '/api/resource/Server', '/api/method/no.such', '/web/x']) {
      expect(await ask(booted.port, { path, method: 'OPTIONS', headers: { host: host() } })).toMatchObject({
        status: 200,
        body: '',
      })
    }
    expect(
      await ask(booted.port, { path: '/api/method/ping', method: 'HEAD', headers: { host: host() } }),
    ).toMatchObject({ status: 200, body: '' })
    expect(await ask(booted.port, { path: '/web', method: 'HEAD', headers: { host: host() } })).toMatchObject({
      status: 200,
      body: '',
    })
    expect(
      (await ask(booted.port, { path: '/api/method/ping', method: 'PATCH', headers: { host: host() } })).status,
    ).toBe(403)
  })

  it('decides between JSON and a page as Frappe does', async () => {
    const type = async (path: string, headers: Record<string, string>) =>
      (await get(path, headers)).headers['content-type']?.split(';')[0]
    expect(await type('/api/nope', {})).toBe('application/json')
    expect(await type('/api/nope', { accept: 'text/html,*/*' })).toBe('text/html')
    expect(await type('/api/nope', { accept: 'text/html, application/json' })).toBe('application/json')
    expect(await type('/nope', { accept: '*/*' })).toBe('text/html')
    expect(await type('/nope', { 'x-requested-with': 'XMLHttpRequest' })).toBe('application/json')
  })

  it('merges form over query, replaces both by JSON, and knows three kinds of bodies', async () => {
    const post = async (query: string, type: string, body: string | Buffer) => {
      const answer = await ask(booted.port, {
        path: `/api/method/test.typed?${query}`,
        method: 'POST',
        headers: { 'content-type': type, accept: 'application/json' },
        body,
      })
      return { status: answer.status, message: (JSON.parse(answer.body) as { message?: unknown }).message }
    }
    const form = 'application/x-www-form-urlencoded'
    expect(await post('text=q&number=1', form, 'text=f')).toEqual({ status: 200, message: { text: 'f', number: 1 } })
    expect((await post('text=q', 'application/json', '{"number":2}')).status).toBe(417)
    expect(await post('text=q', 'application/json; charset=utf-8', '')).toEqual({ status: 200, message: { text: 'q' } })
    expect(await post('text=q', 'application/json', '\uFEFF{"text":"bom"}')).toEqual({
      status: 200,
      message: { text: 'bom' },
    })
    const multipart =
      '--b\r\nContent-Disposition: form-data; name="text"\r\n\r\nm\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\n\r\nPNG\r\n--b--\r\n'
    expect(await post('number=3', 'multipart/form-data; boundary=b', multipart)).toEqual({
      status: 200,
      message: { text: 'm', number: 3 },
    })
    expect((await post('', 'multipart/form-data; boundary=b', multipart.slice(0, 60))).status).toBe(417)
    for (const type of ['text/plain', 'application/xml', 'nonsense'])
      expect((await post('text=q', type, 'x')).status).toBe(415)
    for (const body of [
      '{',
      '1',
      '"x"',
      'null',
      '{"__proto__":{"text":"x"}}',
      '{"text":"a\\u0000"}',
      '{"text":"\\ud800"}',
      Buffer.from([0x7b, 0xff, 0x7d]),
      `${'['.repeat(100)}${']'.repeat(100)}`,
    ]) {
      expect((await post('', 'application/json', body)).status).toBe(417)
    }
    expect((await post('text=a%00', form, '')).status).toBe(417)
  })

  it('refuses more than 25 MB with 413', async () => {
    const answer = await ask(booted.port, {
      path: '/api/method/test.typed',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(26 * 1024 * 1024),
        accept: 'application/json',
      },
    }).catch((error: NodeJS.ErrnoException) => error.code)
    expect(answer).toMatchObject({ status: 413, body: expect.stringContaining('too_large') as unknown })
  })
})

describe('stopping', () => {
  it('finishes what runs, takes nothing new, and ends', async () => {
    const running = call('/api/method/test.held')
    await inside
    const closed = booted.wire.close()
    // The port closes at once, but the running request continues.
    for (;;) {
      const isClosed = await call('/api/method/ping').then(
        () => false,
        () => true,
      )
      if (isClosed) break
    }
    release()
    expect(JSON.parse((await running).body)).toEqual({ message: 'finished' })
    await closed
  })
})
