import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { boot, freePort, password, type Booted } from '../booted.ts'
import { ask } from '../raw.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot({
    env: {
      EASYDASH_URL: 'https://dash.example',
      TRUSTED_PROXIES: '127.0.0.0/8',
      EASYDASH_RATE_LIMITS: JSON.stringify({ api_user: { limit: 3, seconds: 600 } }),
    },
  })
  await booted.person('ann@example.com')
})
afterAll(() => booted.close())

/** A request as forwarded by a TLS proxy. */
const proxied = (
  path: string,
  ip: string,
  extra: { method?: string; headers?: Record<string, string>; body?: string } = {},
) =>
  ask(booted.port, {
    path,
    ...extra,
    headers: {
      host: 'inner:8080',
      'x-forwarded-for': ip,
      'x-forwarded-host': 'dash.example',
      'x-forwarded-proto': 'https',
      accept: 'application/json',
      ...extra.headers,
    },
  })

it('limits calls of each caller, says when to come back, and does not count whoami', async () => {
  for (let call = 0; call < 3; call += 1) expect((await proxied('/api/method/ping', '203.0.113.1')).status).toBe(200)
  const limited = await proxied('/api/method/ping', '203.0.113.1')
  expect(limited.status).toBe(429)
  expect(JSON.parse(limited.body)).toMatchObject({ exc_type: 'TooManyRequestsError', code: 'rate_limited' })
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
  expect(limited.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' })
  expect(Number(limited.headers['x-ratelimit-reset'])).toBeGreaterThan(0)
  for (const path of ['/?cmd=ping', '/web?a=1&c%6Dd=ping'])
    expect((await proxied(path, '203.0.113.1')).status).toBe(429)
  expect((await proxied('/api/method/frappe.auth.get_logged_user', '203.0.113.1')).status).toBe(403)
  expect((await proxied('/api/method/ping', '203.0.113.2')).status).toBe(200)
  expect((await proxied('/web', '203.0.113.1')).status).toBe(200)
})

it('marks cookies secure and knows its own name behind a TLS proxy', async () => {
  const login = await proxied('/api/method/login', '203.0.113.3', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://dash.example' },
    body: JSON.stringify({ usr: 'ann@example.com', pwd: password }),
  })
  expect(login.status).toBe(200)
  for (const line of login.headers['set-cookie'] ?? []) expect(line).toContain('; Secure')
  const page = await proxied('/web', '203.0.113.3')
  expect(page.status).toBe(200)
  expect(page.headers['strict-transport-security']).toContain('max-age')
  expect((await ask(booted.port, { path: '/web', headers: { host: 'inner:8080' } })).headers.location).toBe(
    'https://dash.example/web',
  )
})

it('says in one sentence that the port is in use and what to do', async () => {
  const port = await freePort()
  const portHolder = createServer()
  await new Promise<void>((resolve) => {
    portHolder.listen(port, '127.0.0.1', resolve)
  })
  try {
    const failure = await booted.another(port).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(StartupError)
    expect(failure).toMatchObject({
      message: `Port ${port} on 127.0.0.1 is already in use by another program.`,
      nextAction: `Stop that program, or choose another port: PORT=${port + 1} npm start`,
    })
  } finally {
    await new Promise((resolve) => {
      portHolder.close(resolve)
    })
  }
})
