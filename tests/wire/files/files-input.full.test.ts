import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { bootFiles, onSite, png, send, uploaded, type FilesFixture, type FormFile } from './files-fixture.ts'

let booted: Booted
let member: Browser
let site: string
let contents: FilesFixture['contents']

beforeAll(async () => {
  ;({ booted, member, site, contents } = await bootFiles())
})
afterAll(() => booted?.close())

describe('names', () => {
  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Windows\\evil.exe', 'evil.exe'],
    ['..', 'file'],
    ['a\u202egnp.exe', 'agnp.exe'],
    ['株式会社 é 😀.pdf', '株式会社 é 😀.pdf'],
    [`${'n'.repeat(400)}.png`, `${'n'.repeat(136)}.png`],
  ])('%j becomes %j', async (sent, kept) => {
    const response = await send(member, onSite(site, { file_name: sent }), [['x.png', png]])
    expect(response.body.message).toMatchObject({ file_name: kept })
    const form = await send(member, onSite(site), [[sent, png]])
    expect(form.status).toBe(200)
    expect(form.body.message?.file_name).not.toMatch(/[/\\]|\.\.$/)
  })
})

describe('bad input', () => {
  it('says what is missing or wrong', async () => {
    const cases: [Record<string, string>, FormFile[], number, string][] = [
      [{}, [], 417, 'file'],
      [onSite(site), [['x.png', '']], 417, 'file'],
      [onSite(site), [['x.png', png, 'other']], 417, 'file'],
      [
        onSite(site),
        [
          ['a.png', png],
          ['b.png', png],
        ],
        417,
        'file',
      ],
      [{ doctype: 'Site' }, [['x.png', png]], 417, 'docname'],
      [{ docname: site }, [['x.png', png]], 417, 'doctype'],
      [onSite(site, { fieldname: 'nope' }), [['x.png', png]], 417, 'fieldname'],
      [onSite(site, { is_private: 'maybe' }), [['x.png', png]], 417, 'is_private'],
      [onSite(site, { method: 'frappe.x.y' }), [['x.png', png]], 417, 'method'],
      [onSite(site, { file_url: 'javascript:alert(1)' }), [], 417, 'file_url'],
      [onSite(site, { file_url: '/private/files/../../keys' }), [], 404, 'file_url'],
      [onSite(site), [['x.bin', Buffer.alloc(10 * 1024 * 1024 + 1)]], 413, 'file'],
    ]
    const before = await contents()
    for (const [fields, files, status, field] of cases)
      expect([fields, await send(member, fields, files)]).toMatchObject([fields, { status, body: { field } }])
    expect(await contents()).toEqual(before)
  })

  it('takes exactly 10 MiB', async () => {
    await uploaded(member, onSite(site), 'x.bin', Buffer.alloc(10 * 1024 * 1024))
  })

  it('refuses forged and foreign requests, and keeps nothing of them', async () => {
    const before = await contents()
    const forged = { ...member, csrfToken: 'x' }
    expect(await send(forged, onSite(site), [['x.png', png]])).toMatchObject({ status: 400 })
    expect(await contents()).toEqual(before)
    const wrongVerb = await member.fetch('/api/method/upload_file', { headers: { accept: 'application/json' } })
    expect(wrongVerb.status).toBe(403)
    const json = await member.fetch('/api/method/upload_file', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-frappe-csrf-token': member.csrfToken ?? '' },
      body: JSON.stringify({ ...onSite(site), file: { path: '/etc/passwd' }, upload: { fileName: 'x' } }),
    })
    expect(json.status).toBe(417)
  })

  it.each([
    ['no end', '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc'],
    ['no boundary', 'abc'],
    ['no headers', '--b\r\n\r\n\r\n--b--\r\n'],
    [
      'a NUL in the name',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a\0b"\r\n\r\nabc\r\n--b--\r\n',
    ],
    ['a prototype name', '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nabc\r\n--b--\r\n'],
  ])('a body with %s is a 4xx and leaves nothing', async (_what, body) => {
    const before = await contents()
    const response = await member.fetch('/api/method/upload_file', {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        'x-frappe-csrf-token': member.csrfToken ?? '',
        accept: 'application/json',
      },
      body,
    })
    expect(response.status).toBe(417)
    expect(await response.json()).toHaveProperty('exc_type')
    expect(await contents()).toEqual(before)
  })

  it('an upload that breaks off leaves nothing', async () => {
    const before = await contents()
    const arrived = () => readdir(join(booted.filesDir, 'incoming')).then((names) => names.length)
    const sent = request({
      port: booted.port,
      host: '127.0.0.1',
      path: '/api/method/upload_file',
      method: 'POST',
      headers: {
        cookie: member.cookieHeader(),
        'x-frappe-csrf-token': member.csrfToken ?? '',
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': '1000000',
      },
    })
    sent.on('error', () => undefined)
    sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n')
    sent.write('a'.repeat(300_000))
    await expect.poll(arrived).toBe(1)
    sent.destroy()
    await expect.poll(arrived).toBe(0)
    expect(await contents()).toEqual(before)
  })
})
