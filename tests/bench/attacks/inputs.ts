/** Small and large inputs that are expensive to parse. */
import { repeatedly, type Attack, type AttackRequest } from './attack.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const kib = 1024
const mib = 1024 * kib

/** By guests, eight in parallel. */
const byGuests = (name: string, shot: AttackRequest): Attack => ({ name, run: (target) => repeatedly(target, 8, shot) })

/** By a signed-in user, four in parallel. */
const byOwner = (name: string, shot: AttackRequest): Attack => ({
  name,
  run: (target) => repeatedly(target, 4, { ...shot, headers: { ...shot.headers, ...target.owner } }),
})

const login = '/api/method/login'
const list = '/api/method/frappe.client.get_list'
const insert = '/api/resource/Saved%20View'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const view = (text: string) =>
  JSON.stringify({
    organization: 'bench',
    title: text.slice(0, 100),
    reference_doctype: 'Site',
    filters: Array.from({ length: 50 }, () => ['title', 'like', text.slice(0, 400)]),
    order_by: text,
    columns: [text],
  })

function parts(count: number, size: number): AttackRequest {
  const one = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'\r\n-'.repeat(size / 3)}\r\n`
  return {
    path: '/api/method/upload_file',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: `${one.repeat(count)}--b--\r\n`,
  }
}

/** All input attacks. */
export const inputAttacks: readonly Attack[] = [
  byGuests('a& as a form, 64 KB, strangers', { path: login, headers: form, body: 'a&'.repeat(32 * kib - 10) }),
  byGuests('a& as a form, 24 MB, strangers', { path: login, headers: form, body: 'a&'.repeat(12 * mib) }),
  byOwner('a& as a form, 1 MB', { path: list, headers: form, body: 'a&'.repeat(512 * kib - 10) }),
  byOwner('a& as a form, 24 MB', { path: list, headers: form, body: 'a&'.repeat(12 * mib) }),
  byGuests('a& as a query', { path: `/api/method/ping?${'a&'.repeat(15 * kib)}`, method: 'GET' }),
  byGuests('%61& as the query of a page', { path: `/web/login?${'%61&'.repeat(7 * kib)}`, method: 'GET' }),
  byOwner('a saved view of -a, 30 KB', { path: insert, headers: json, body: view('-a'.repeat(15 * kib)) }),
  byOwner('a saved view of -a, 4 MB', { path: insert, headers: json, body: view('-a'.repeat(0.9 * mib)) }),
  byOwner('fields of brackets and spaces', {
    path: list,
    headers: json,
    body: JSON.stringify({ doctype: 'Site', fields: Array.from({ length: 100 }, () => `count(${' '.repeat(290)}`) }),
  }),
  byGuests('nested JSON, 64 KB, strangers', { path: login, headers: json, body: nested(32 * kib - 10) }),
  byOwner('nested JSON, 4 MB', { path: list, headers: json, body: nested(1.9 * mib) }),
  byOwner('JSON of many values, 4 MB', { path: list, headers: json, body: `{"a":[${'1,'.repeat(1.9 * mib)}1]}` }),
  byOwner('JSON of escapes, 4 MB', { path: list, headers: json, body: `{"doctype":"${'\\"'.repeat(1.9 * mib)}"}` }),
  byOwner('JSON of one text, 4 MB', { path: list, headers: json, body: `{"doctype":"${'x'.repeat(3.9 * mib)}"}` }),
  byOwner('JSON of one text, 24 MB', { path: list, headers: json, body: `{"doctype":"${'x'.repeat(24 * mib)}"}` }),
  byOwner('JSON inside of JSON, 4 MB', {
    path: list,
    headers: json,
    body: JSON.stringify({ doctype: 'Site', filters: `[${'["a","=",1],'.repeat(4000)}"${'\\"'.repeat(900 * kib)}"]` }),
  }),
  byOwner('base64 of a file, 13 MB', {
    path: '/api/method/frappe.client.attach_file',
    headers: json,
    body: JSON.stringify({
      filename: 'a',
      doctype: 'Site',
      docname: 'x',
      decode_base64: 1,
      filedata: 'A'.repeat(13 * mib),
    }),
  }),
  byGuests('multipart of many parts, 64 KB, strangers', parts(900, 12)),
  byOwner('multipart of many parts, 20 MB', parts(200_000, 48)),
  byOwner('multipart that nearly ends, 20 MB', parts(20, mib)),
  byOwner('a chunked body in tiny pieces', { path: list, headers: json, isChunked: true, body: ' '.repeat(mib) }),
]
