import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import { ask, sendBytes } from '../raw.ts'
import type { Browser } from '../browser.ts'

const runs = process.env['EASYDASH_TEST_LONG'] === '1' ? 20_000 : 600
const settings = { seed: 20_260_101, numRuns: runs }

let booted: Booted
let browser: Browser
beforeAll(async () => {
  booted = await boot({ randomRequests: true })
  await booted.organization('acme')
  browser = await booted.signedIn('owner@acme.example')
})
afterAll(async () => {
  // Internal errors behind responses that looked fine would show here.
  expect(booted.logged).toEqual([])
  await booted.close()
})

const nasty = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '\u0000',
  '\ud800',
  '%',
  '%00',
  '%zz',
  '%ff',
  '%c0%80',
  '../',
  '..%2f',
  '//',
  '\\',
  ';',
  "'",
  '"',
  '`',
  '<script>',
  '{',
  '[',
  '[[',
  '{"a":',
  'null',
  'NaN',
  '1e999',
  '-1',
  '99999999999999999999',
  '*',
  'count(*)',
  'name as x',
  '`tabServer`.`name`',
  'Server',
  'Organization',
  'User',
  'Activity',
  'Job',
  'owner@acme.example',
  'acme',
  'name',
  'modified desc',
  'like',
  'between',
  'timespan',
  '\r\n',
  '😀',
  ' ',
  '',
)
const word = fc.oneof(
  { weight: 3, arbitrary: nasty },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
)
const json = fc.oneof(
  { weight: 2, arbitrary: fc.array(fc.array(word, { maxLength: 5 }), { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(word, fc.oneof(word, fc.array(word, { maxLength: 3 }), fc.integer(), fc.constant(null))),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) },
)
const names = fc.constantFrom(
  'doctype',
  'name',
  'docname',
  'fields',
  'filters',
  'or_filters',
  'order_by',
  'group_by',
  'limit',
  'limit_page_length',
  'limit_start',
  'as_dict',
  'fieldname',
  'value',
  'doc',
  'docs',
  'args',
  'method',
  'dt',
  'dn',
  'txt',
  'searchfield',
  'page_length',
  'start',
  'perm_type',
  'cmd',
  'run_method',
  'data',
  'usr',
  'pwd',
  '_',
  'csrf_token',
  'aggregate_function',
  'aggregate_on_field',
  'new_password',
  'key',
  'email',
  'user',
  'organization',
  'slug',
  'title',
  'hostname',
  'modified',
  'token',
)
const methods = fc.constantFrom(
  'ping',
  'run_doc_method',
  'frappe.client.get_list',
  'frappe.client.get_count',
  'frappe.client.get',
  'frappe.client.get_value',
  'frappe.client.get_single_value',
  'frappe.client.set_value',
  'frappe.client.insert',
  'frappe.client.insert_many',
  'frappe.client.save',
  'frappe.client.delete',
  'frappe.client.bulk_update',
  'frappe.client.has_permission',
  'frappe.client.get_doc_permissions',
  'frappe.client.validate_link',
  'frappe.desk.reportview.get',
  'frappe.desk.reportview.get_list',
  'frappe.desk.reportview.get_count',
  'frappe.desk.search.search_link',
  'frappe.auth.get_logged_user',
  'easydash.api.session.boot',
  'enabled_modules',
  'is_verified',
  'get_current_user_organization_metadata',
  'switch_organization',
  'is_slug_available',
  'get_subscription_status',
  'get_cloud_provider_metadata',
  'get_user_profile',
  'set_customer_details',
  'upload_file',
  'frappe.client.rename_doc',
  'frappe.client.submit',
  'frappe.client.cancel',
  'verify_email',
  'login',
  'sign_up',
)
const encoded = word.map((text) => encodeURIComponent(text.toWellFormed()))
const path = fc.oneof(
  { weight: 4, arbitrary: methods.map((name) => `/api/method/${name}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('Server', 'Organization', 'User', 'Job', 'Activity', 'Site'), encoded)
      .map(([doctype, name]) => `/api/resource/${doctype}/${name}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/api/resource/Server',
      '/api/resource/Organization',
      '/api/resource/User',
      '/',
      '/web',
      '/web/assets/app-1.js',
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(
        fc.oneof(
          encoded,
          fc.constantFrom('api', 'method', 'resource', 'v1', 'web', 'assets', '%', '%ff', '%00', '..', '.', ''),
        ),
        { maxLength: 6 },
      )
      .map((parts) => `/${parts.join('/')}`),
  },
)
const anything = fc.dictionary(
  names,
  fc.oneof(
    word,
    json,
    json.map((value) => JSON.stringify(value)),
  ),
  { maxKeys: 6 },
)
/** Parameters a call needs before it looks at the others. */
const target = fc.constantFrom<Record<string, unknown>>(
  {},
  { doctype: 'Server' },
  { doctype: 'Organization', name: 'acme', docname: 'acme' },
  { doctype: 'User', name: 'owner@acme.example', fieldname: 'full_name' },
  { dt: 'Organization', dn: 'acme', method: 'nope' },
  { doctype: 'Organization', txt: 'a' },
  { doc: { doctype: 'User', name: 'owner@acme.example' } },
)
const params = fc.tuple(target, anything).map(([known, further]) => ({ ...further, ...known }))

const query = (values: Record<string, unknown>) =>
  Object.entries(values)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed())}`,
    )
    .join('&')
/** JSON that keeps unpaired surrogates and NULs. */
const wire = (value: unknown) => JSON.stringify(value)
/** Parts whose names and values may break the multipart format. */
const parts = (values: Record<string, unknown>) =>
  Object.entries(values)
    .map(
      ([name, value]) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"${name === 'doc' ? '; filename="x"' : ''}\r\n\r\n${typeof value === 'string' ? value : wire(value)}\r\n`,
    )
    .join('')
const bodies = {
  json: { type: 'application/json', of: wire },
  form: { type: 'application/x-www-form-urlencoded', of: query },
  multipart: {
    type: 'multipart/form-data; boundary=b',
    of: (values: Record<string, unknown>) => `${parts(values)}--b--\r\n`,
  },
} as const

it('answers no request of a signed-in user with a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'),
      params,
      params,
      fc.constantFrom('json', 'form', 'multipart', 'none'),
      fc.boolean(),
      async (address, method, first, second, kind, accept) => {
        const unsafe = method !== 'GET' && method !== 'HEAD'
        // Logging out would end the session of the other requests.
        if (`${address}${wire(first)}${wire(second)}`.includes('logout')) return
        const response = await ask(booted.port, {
          path: `${address}?${query(first)}`,
          method,
          headers: {
            host: `localhost:${booted.port}`,
            cookie: browser.cookieHeader(),
            'x-frappe-csrf-token': browser.csrfToken ?? '',
            ...(accept ? { accept: 'application/json' } : {}),
            ...(unsafe && kind !== 'none' ? { 'content-type': bodies[kind].type } : {}),
          },
          ...(unsafe && kind !== 'none' ? { body: bodies[kind].of(second) } : {}),
        })
        expect(response.status).toBeLessThan(500)
        if (accept && address.startsWith('/api') && response.status >= 400 && method !== 'HEAD') {
          expect(JSON.parse(response.body)).toMatchObject({
            exc_type: expect.any(String) as unknown,
            code: expect.any(String) as unknown,
          })
        }
      },
    ),
    settings,
  )
})

it('answers no bytes with a 5xx and stays alive', async () => {
  const line = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('GET', 'POST', 'OPTIONS', 'BREW', ''),
        path,
        fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9', ''),
      )
      .map((parts) => parts.join(' ')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  const header = fc
    .tuple(
      fc.constantFrom(
        'Host',
        'Content-Length',
        'Transfer-Encoding',
        'Content-Type',
        'Cookie',
        'Authorization',
        'Origin',
        'X-Forwarded-For',
        'Expect',
        'Upgrade',
        'Connection',
        'Accept',
      ),
      fc.oneof(
        fc.constantFrom(
          'localhost',
          '-1',
          '5',
          'chunked',
          'application/json',
          'multipart/form-data',
          'multipart/form-data; boundary=b',
          'sid=x; sid=y',
          'token a:b',
          'websocket',
          'Upgrade',
          '100-continue',
        ),
        word,
      ),
    )
    .map(([name, value]) => `${name}: ${value}`)
  const message = fc
    .tuple(line, fc.array(header, { maxLength: 6 }), fc.uint8Array({ maxLength: 60 }))
    .map(([first, headers, body]) =>
      Buffer.concat([Buffer.from(`${[first, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'), body]),
    )
  await fc.assert(
    fc.asyncProperty(message, async (bytes) => {
      // 501 and 505 are Node's own responses for unsupported protocols; an internal error would be 500 and logged.
      expect([500, 502, 503, 504]).not.toContain(await sendBytes(booted.port, bytes))
    }),
    settings,
  )
  expect((await ask(booted.port, { path: '/api/method/ping' })).status).toBe(200)
})
