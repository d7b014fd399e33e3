/**
 * Invalid input at every entry point: a 4xx in the wire's shape that names the field, while other requests are still served.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { body, bootAcme, type Acme } from '../acme.ts'
import type { Browser } from '../browser.ts'
import { ask } from '../raw.ts'

let booted: Acme['booted']
let owner: Browser
let server: string

beforeAll(async () => {
  ;({ booted, owner, server } = await bootAcme())
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const post = (path: string, sent: string | Buffer, type = 'application/json') =>
  body(owner, path, {
    method: 'POST',
    headers: { 'content-type': type, accept: 'application/json', 'x-frappe-csrf-token': owner.csrfToken ?? '' },
    body: sent,
  })
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const list = '/api/method/frappe.client.get_list'

describe('JSON', () => {
  it.each([
    ['nested too deeply', `{"doctype":"Server","filters":${nested(2000)}}`, 'filters'],
    ['nested too deeply in text', JSON.stringify({ doctype: 'Server', filters: nested(2000) }), 'filters'],
    ['too many values', `{"doctype":"Server","fields":[${'1,'.repeat(60_000)}1]}`, undefined],
    ['NUL', '{"doctype":"Server","filters":{"hostname":"a\\u0000b"}}', 'filters'],
    ['a lone surrogate', '{"doctype":"Server","order_by":"\\ud800"}', 'order_by'],
    ['a prototype key', '{"doctype":"Server","filters":{"__proto__":1}}', 'filters'],
    ['a prototype key at the top', '{"constructor":1}', 'constructor'],
    ['a number that is none', '{"doctype":"Server","limit":1e999}', 'limit'],
    ['a wrong type', '{"doctype":{"a":1}}', 'doctype'],
    ['a list for a text', '{"doctype":["Server"]}', 'doctype'],
    ['a prototype name', '{"doctype":"__proto__"}', undefined],
    ['broken', '{"doctype":', undefined],
    ['no object', '"Server"', undefined],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), undefined],
  ])('%s', async (_what, sent, field) => {
    const response = await post(list, sent)
    expect([417, 404]).toContain(response.status)
    expect(response.body).toMatchObject({
      exc_type: expect.any(String) as unknown,
      code: expect.any(String) as unknown,
    })
    if (field !== undefined) expect(response.body['field']).toBe(field)
    expect(JSON.stringify(response.body)).not.toMatch(/\.ts\b|node_modules|select |tab_/)
  })

  it('a large one keeps nobody waiting', async () => {
    const large = `{"doctype":"Server","fields":[${'"name",'.repeat(500_000)}"name"]}`
    const sent = post(list, large)
    const started = await Promise.all([body(owner, '/api/method/ping'), body(owner, '/api/resource/Server')])
    expect(started.map(({ status }) => status)).toEqual([200, 200])
    expect((await sent).status).toBe(417)
  })
})

describe('forms', () => {
  it.each([
    ['a prototype name', 'doctype=Server&__proto__=1', '__proto__'],
    ['a list with a prototype name', 'doctype=Server&__proto__[]=1', '__proto__'],
    ['NUL', 'doctype=Server&order_by=%00', 'order_by'],
    ['malformed JSON in a field', 'doctype=Server&filters=[[', 'filters'],
    ['malformed fields', 'doctype=Server&fields={', 'fields'],
  ])('%s', async (_what, sent, field) => {
    expect(await post(list, sent, 'application/x-www-form-urlencoded')).toMatchObject({ status: 417, body: { field } })
  })

  it('too many parameters, and broken percent signs', async () => {
    const many = Array.from({ length: 1001 }, (_, at) => `a${at}=1`).join('&')
    expect((await post(list, many, 'application/x-www-form-urlencoded')).status).toBe(417)
    expect((await post(list, 'doctype=%zz', 'application/x-www-form-urlencoded')).status).toBe(404)
  })

  it.each([
    ['without a boundary', 'multipart/form-data', '--b--'],
    ['with another boundary', 'multipart/form-data; boundary=c', '--b\r\n\r\n--b--'],
    ['cut off', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\nval'],
    [
      'with a prototype name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\n1\r\n--b--\r\n',
    ],
    [
      'with a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--\r\n',
    ],
    [
      'with a path for a file name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="../../etc/passwd"\r\n\r\n1\r\n--b--\r\n',
    ],
  ])('multipart %s', async (_what, type, sent) => {
    const response = await post(list, sent, type)
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(response.status).toBeLessThan(500)
    expect(response.body).toHaveProperty('exc_type')
  })

  it('reads little of strangers, whether a body says its length or not', async () => {
    const json = { 'content-type': 'application/json', accept: 'application/json' }
    const large = JSON.stringify({ text: 'x'.repeat(70 * 1024) })
    const login = { path: '/api/method/login', method: 'POST' }
    expect((await ask(booted.port, { ...login, headers: json, body: large })).status).toBe(413)
    const sendChunked = (type: string, sent: string) =>
      ask(booted.port, {
        ...login,
        headers: { 'content-type': type, accept: 'application/json', 'transfer-encoding': 'chunked' },
        body: sent,
      })
    expect((await sendChunked('application/json', '{"usr":"ann@example.com","pwd":"no"}')).status).toBe(401)
    expect((await sendChunked('application/json', large)).status).toBe(413)
    expect((await sendChunked('application/x-www-form-urlencoded', `usr=${large}`)).status).toBe(413)
    expect((await sendChunked('multipart/form-data; boundary=b', '--b--')).status).toBe(417)
    const parts = { 'content-type': 'multipart/form-data; boundary=b', accept: 'application/json' }
    const many = `--b\r\nContent-Disposition: form-data; name="usr"\r\n\r\n${'x'.repeat(70 * 1024)}\r\n--b--\r\n`
    expect((await ask(booted.port, { ...login, headers: parts, body: many })).status).toBe(413)
  })

  it('60 MiB are 413 at once, for a file and for anything else', async () => {
    const length = { 'content-length': String(60 * 1024 * 1024), accept: 'application/json' }
    for (const [path, type] of [
      ['/api/method/upload_file', 'multipart/form-data; boundary=b'],
      [list, 'application/json'],
    ] as const) {
      const response = await ask(booted.port, {
        path,
        method: 'POST',
        headers: {
          ...length,
          'content-type': type,
          cookie: owner.cookieHeader(),
          'x-frappe-csrf-token': owner.csrfToken ?? '',
        },
      })
      expect([path, response.status]).toEqual([path, 413])
      expect(JSON.parse(response.body)).toMatchObject({ code: 'too_large' })
    }
  })
})

describe('addresses', () => {
  it.each([
    ['/api/method/../../etc/passwd', [403, 404]],
    ['/api/method/%2e%2e%2f%2e%2e%2fetc%2fpasswd', [403]],
    ['/api/resource/Server/..%2f..%2fUser', [404]],
    ['/api/resource/Server/%00', [417]],
    ['/api/resource/Server/%ff', [417]],
    ['/api/resource/Server/%zz', [417]],
    ['/api/resource/%2e%2e/x', [404]],
    ['/api/resource/__proto__/x', [404]],
    [`/api/resource/Server/${'x'.repeat(3000)}`, [404]],
    ['/api/method/__proto__', [403]],
    ['/api//method/ping', [404]],
    ['/api/v1/v1/method/ping', [404]],
    ['/api/v2/method/ping', [404]],
    ['//evil.example/api', [404]],
    ['/api\\method\\ping', [404]],
    ['/files/../../etc/passwd', [404]],
    ['/private/files/..%2f..%2fetc%2fpasswd', [403, 404]],
  ])('%s', async (path, statuses) => {
    const response = await ask(booted.port, {
      path,
      headers: { accept: 'application/json', cookie: owner.cookieHeader(), host: `localhost:${booted.port}` },
    })
    expect(statuses).toContain(response.status)
    expect(JSON.parse(response.body)).toMatchObject({ exc_type: expect.any(String) as unknown })
    expect(response.body).not.toMatch(/root:|node_modules|\.ts\b/)
  })

  it('a document that is not there names neither another one nor a place', async () => {
    const response = await body(owner, `/api/resource/Server/${server}%27%20or%20%271%27=%271`)
    expect(response.status).toBe(404)
  })
})
