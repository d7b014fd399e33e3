/** Rejected before they are read: bodies, queries and heads, by their size and number. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ask } from '../raw.ts'

let booted: Booted
let owner: Browser

beforeAll(async () => {
  booted = await boot({ randomRequests: true, secondListener: true })
  await booted.organization('acme')
  owner = await booted.signedIn('owner@acme.example')
})
afterAll(async () => {
  expect(booted.logged).toEqual([])
  await booted.close()
})

const form = 'application/x-www-form-urlencoded'
const kib = 1024
const count = '/api/method/frappe.client.get_count'

/** Status and message of a call by a guest or the owner. */
async function post(who: 'guest' | 'owner', path: string, type: string, body: string, isChunked = false) {
  const headers = {
    'content-type': type,
    accept: 'application/json',
    ...(isChunked ? { 'transfer-encoding': 'chunked' } : {}),
    ...(who === 'owner' ? { cookie: owner.cookieHeader(), 'x-frappe-csrf-token': owner.csrfToken ?? '' } : {}),
  }
  const { status, body: text } = await ask(booted.port, { path, method: 'POST', headers, body })
  return [status, (JSON.parse(text) as { exception?: string }).exception ?? '']
}

const tooLarge = [413, expect.stringContaining('too large')]
const tooMany = [417, expect.stringContaining('more than 1000 parameters')]
const login = '/api/method/login'

describe('bodies', () => {
  it('of strangers have 64 KiB, whatever their kind', async () => {
    for (const isChunked of [false, true]) {
      const text = 'x'.repeat(63 * kib)
      const more = 'x'.repeat(65 * kib)
      expect(await post('guest', login, form, `unknown=${text}`, isChunked)).toEqual([401, expect.any(String)])
      expect(await post('guest', login, form, `usr=${more}`, isChunked)).toEqual(tooLarge)
      expect(await post('guest', login, 'application/json', JSON.stringify({ usr: more }), isChunked)).toEqual(tooLarge)
    }
  })

  it('of people who are signed in have 1 MiB as a form, 4 MiB as JSON', async () => {
    for (const isChunked of [false, true]) {
      const text = 'x'.repeat(1023 * kib)
      const more = 'x'.repeat(1025 * kib)
      const ok = [200, '']
      expect(await post('owner', count, form, `doctype=Site&unknown=${text}`, isChunked)).toEqual(ok)
      expect(await post('owner', count, form, `doctype=Site&unknown=${more}`, isChunked)).toEqual(tooLarge)
      const json = JSON.stringify({ doctype: 'Site', unknown: more })
      expect(await post('owner', count, 'application/json', json, isChunked)).toEqual(ok)
      const larger = JSON.stringify({ doctype: 'Site', unknown: 'x'.repeat(4 * kib * kib) })
      expect(await post('owner', count, 'application/json', larger, isChunked)).toEqual(tooLarge)
    }
  })

  it('of an upload’s size are for the method of the upload alone, whatever cmd says', async () => {
    const large = (cmd: object) => JSON.stringify({ doctype: 'Site', filedata: 'x'.repeat(5 * kib * kib), ...cmd })
    const other = [417, expect.stringContaining('No other method')]
    const cmd = 'frappe.client.get_count'
    for (const path of ['/api/method/attach_file', '/api/v1/method/frappe.client.attach_file/']) {
      expect(await post('owner', path, 'application/json', large({ cmd }))).toEqual(other)
      expect(await post('owner', `${path}?cmd=${cmd}`, form, 'doctype=Site')).toEqual(other)
      const [status, sentence] = await post('owner', path, 'application/json', large({ cmd: 'attach_file' }))
      expect([status, sentence]).toEqual([417, expect.stringContaining('filename')])
    }
    expect(await post('owner', '/api/method/upload_file', form, `cmd=${cmd}&doctype=Site`)).toEqual(other)
  })

  it('that break off are no failure of ours', async () => {
    const begun = `POST ${login} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const arrived = new Promise((resolve) => booted.wire.fastify.server.once('request', resolve))
    const socket = connect(booted.port, '127.0.0.1', () => socket.write(`${begun}Content-Length: 100\r\n\r\n{"usr":`))
    const request = (await arrived) as IncomingMessage
    const over = new Promise((resolve) => request.once('close', resolve))
    socket.destroy()
    await over
    // Its effects have happened when a later request gets a response.
    expect((await ask(booted.port, { path: '/api/method/ping' })).status).toBe(200)
    expect(booted.logged).toEqual([])
  })

  it('and queries are refused by the number of their parameters', async () => {
    expect(await post('guest', login, form, 'a&'.repeat(32 * kib))).toEqual(tooMany)
    expect(await post('owner', count, form, 'a&'.repeat(512 * kib))).toEqual(tooMany)
    expect(await post('guest', `/api/method/ping?${'a&'.repeat(8 * kib)}`, form, '')).toEqual(tooMany)
    const page = await ask(booted.port, {
      path: `/web/login?%61&${'a&'.repeat(8 * kib)}`,
      headers: { accept: 'text/html' },
    })
    expect(page.status).toBe(417)
  })
})

describe('multipart bodies', () => {
  const parts = (number: number) =>
    `${'--b\r\nContent-Disposition: form-data; name="doctype"\r\n\r\nSite\r\n'.repeat(number)}--b--\r\n`
  const type = 'multipart/form-data; boundary=b'

  it('have 200 fields, of strangers 20', async () => {
    expect(await post('owner', count, type, parts(190))).toEqual([200, ''])
    expect(await post('owner', count, type, parts(210))).toEqual(tooLarge)
    expect(await post('guest', '/api/method/ping', type, parts(19))).toEqual([200, ''])
    expect(await post('guest', '/api/method/ping', type, parts(30))).toEqual(tooLarge)
  })

  it('have a separator of 70 characters', async () => {
    const long = 'b'.repeat(71)
    const body = `--${long}--\r\n`
    expect((await post('owner', count, `multipart/form-data; boundary=${long}`, body))[0]).toBe(417)
  })
})

describe('parameters', () => {
  it.each([
    ['filters', JSON.stringify(JSON.stringify([['title', '=', 'x'.repeat(64 * kib)]]))],
    ['filters', { title: 'x'.repeat(5000) }],
    ['filters', [['title', 'in', 'a,'.repeat(100_000)]]],
    ['filters', [['title', 'like', 'x'.repeat(1000)]]],
    ['fields', JSON.stringify(JSON.stringify(['x'.repeat(64 * kib)]))],
    ['fields', Array.from({ length: 100 }, () => `count(${' '.repeat(280)}`)],
    ['order_by', 'name '.repeat(1000)],
  ])('%s that hold too much are refused', async (name, value) => {
    const body = JSON.stringify({ doctype: 'Site', [name]: value })
    const response = await post('owner', '/api/method/frappe.client.get_list', 'application/json', body)
    expect(response).toEqual([417, expect.any(String)])
  })
})

describe('connections', () => {
  it('that say nothing, half of a head or half of a body keep nobody from being served, on either port', async () => {
    const head = `POST ${login} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const sockets: Socket[] = []
    for (const port of [booted.port, booted.socketioPort ?? 0]) {
      for (const begin of ['', head, `${head}Content-Length: 1000\r\n\r\n{`]) {
        for (let number = 0; number < 200; number += 1) {
          const socket = connect(port, '127.0.0.1').on('error', () => undefined)
          if (begin !== '') socket.write(begin)
          sockets.push(socket)
        }
      }
    }
    const connecting = sockets.filter((socket) => socket.connecting)
    await Promise.all(connecting.map((socket) => once(socket, 'connect')))
    expect((await ask(booted.port, { path: '/healthz' })).status).toBe(200)
    expect((await ask(booted.socketioPort ?? 0, { path: '/socket.io/?EIO=4&transport=polling' })).status).toBe(200)
    expect(await post('guest', login, form, 'usr=ann@example.com&pwd=no')).toEqual([401, expect.any(String)])
    await Promise.all(sockets.map((socket) => once(socket.destroy(), 'close')))
  })
})

describe('heads', () => {
  it('have 200 lines', async () => {
    const lines = (number: number) => Object.fromEntries(Array.from({ length: number }, (_, at) => [`x-${at}`, '1']))
    const ping = { path: '/api/method/ping' }
    expect((await ask(booted.port, { ...ping, headers: lines(190) })).status).toBe(200)
    expect((await ask(booted.port, { ...ping, headers: lines(210) })).status).toBe(431)
  })

  it('may hold many cookies, and the session among them is found', async () => {
    const many = Array.from({ length: 1500 }, (_, at) => `c${at}=1`).join('; ')
    const cookie = `${many}; ${owner.cookieHeader()}; ${'; '.repeat(2000)}`
    const path = '/api/method/frappe.auth.get_logged_user'
    expect((await ask(booted.port, { path, headers: { cookie } })).body).toContain('owner@acme.example')
  })
})
