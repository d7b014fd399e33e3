import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { bootFiles, onSite, png, send, uploaded, type FilesFixture } from './files-fixture.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let booted: Booted
let owner: Browser
let member: Browser
let manager: Browser
let stranger: Browser
let site: string
let hidden: string
let foreign: string
let contents: FilesFixture['contents']

beforeAll(async () => {
  ;({ booted, owner, member, manager, stranger, site, hidden, foreign, contents } = await bootFiles())
  await booted.person('new@example.com', { verified: false })
  await booted.person('alone@example.com')
  await booted.person('root@example.com', { platformAdmin: true })
})
afterAll(() => booted?.close())

const statusOf = async (browser: Browser, path: string) => (await browser.fetch(path)).status

it('sends a text as it is, with its length', async () => {
  // Starts like compressed bytes.
  const text = `80 days. ${'around the world '.repeat(300)}`
  const { data } = (await member.app.file().uploadFile(new File([text], 'days.txt', { type: 'text/plain' }), {
    doctype: 'Site',
    docname: site,
    isPrivate: true,
  })) as { data: { message: { file_url: string } } }
  const response = await member.fetch(data.message.file_url)
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(response.headers.get('content-length')).toBe(String(text.length))
  expect(await response.text()).toBe(text)
})

describe('ranges of a file', () => {
  const text = Array.from({ length: 200_000 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('')
  let url = ''
  let etag = ''
  beforeAll(async () => {
    const { data } = (await member.app.file().uploadFile(new File([text], 'letters.txt', { type: 'text/plain' }), {
      doctype: 'Site',
      docname: site,
      isPrivate: true,
    })) as { data: { message: { file_url: string } } }
    url = data.message.file_url
    etag = (await member.fetch(url, { method: 'HEAD' })).headers.get('etag') as string
  })
  const part = (headers: Record<string, string>) => member.fetch(url, { headers })

  it.each([
    ['bytes=150000-', 150_000, 200_000],
    ['bytes=10-19', 10, 20],
    ['bytes=-7', 199_993, 200_000],
  ])('%s', async (range, start, end) => {
    const response = await part({ range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/200000`)
    expect(response.headers.get('content-length')).toBe(String(end - start))
    expect(await response.text()).toBe(text.slice(start, end))
  })

  it('says that it sends ranges, and what does not exist', async () => {
    const whole = await part({})
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    expect(await whole.text()).toBe(text)
    const beyond = await part({ range: 'bytes=200000-' })
    expect(beyond.status).toBe(416)
    expect(beyond.headers.get('content-range')).toBe('bytes */200000')
  })

  it('sends the whole if the content is another one, and never more to others', async () => {
    expect((await part({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
    const changed = await part({ range: 'bytes=0-1', 'if-range': '"other"' })
    expect(changed.status).toBe(200)
    expect(await changed.text()).toBe(text)
    expect((await stranger.fetch(url, { headers: { range: 'bytes=0-1' } })).status).toBe(404)
  })
})

describe('frappe-js-sdk', () => {
  it('uploads with the file API and gets the File document', async () => {
    const file = new File([new Uint8Array(png)], 'Büro 株.png', { type: 'image/png' })
    const { data } = (await member.app
      .file()
      .uploadFile(file, { doctype: 'Site', docname: site, fieldname: 'domain', isPrivate: true, folder: 'Home' })) as {
      data: { message: Record<string, unknown> }
    }
    expect(data.message).toMatchObject({
      doctype: 'File',
      owner: 'member@acme.example',
      file_name: 'Büro 株.png',
      file_size: png.length,
      is_private: 1,
      is_folder: 0,
      docstatus: 0,
      folder: 'Home',
      file_type: 'PNG',
      attached_to_doctype: 'Site',
      attached_to_name: site,
      attached_to_field: 'domain',
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      file_url: expect.stringMatching(/^\/private\/files\/[0-9a-f]{40}\.png$/),
    })
    expect(data.message).not.toHaveProperty('stored_name')
    expect(data.message).not.toHaveProperty('organization')
    const got = await member.fetch(String(data.message.file_url))
    expect(Buffer.from(await got.arrayBuffer()).equals(png)).toBe(true)
  })

  it('gets the refusal in its own shape', async () => {
    const file = new File([new Uint8Array(png)], 'x.png')
    const error = await sdkError(member.app.file().uploadFile(file, { doctype: 'Site', docname: hidden }))
    expect(error.httpStatus).toBe(403)
    expect(error.exc_type).toBe('PermissionError')
  })
})

describe('permissions', () => {
  it('a private file is its readers’ and its owner’s, guests get 403', async () => {
    const { file_url: url, name } = await uploaded(member, onSite(site))
    for (const one of [member, owner, manager]) expect(await statusOf(one, url)).toBe(200)
    expect(await statusOf(stranger, url)).toBe(404)
    expect(await statusOf(booted.browser(), url)).toBe(403)
    expect(await statusOf(booted.browser(), '/private/files/nothing.png')).toBe(403)
    for (const email of ['alone@example.com', 'new@example.com', 'root@example.com'])
      expect(await statusOf(await booted.signedIn(email), url)).toBe(404)
    expect((await stranger.fetch(`/api/resource/File/${name}`)).status).toBe(404)
    expect((await owner.fetch(`/api/resource/File/${name}`)).status).toBe(200)
    const listed = async (browser: Browser) => {
      const rows = await browser.app.db().getDocList('File', { fields: ['name'], limit: 0 })
      return rows.some((row) => row.name === name)
    }
    expect([await listed(owner), await listed(member), await listed(stranger)]).toEqual([true, true, false])
    // A private file has no public URL.
    expect(await statusOf(member, url.replace('/private', ''))).toBe(404)
  })

  it('reading a file needs read access to its document, changing or deleting it write access', async () => {
    const file = await uploaded(owner, onSite(hidden))
    expect(await statusOf(member, file.file_url)).toBe(403)
    expect(await statusOf(member, `/api/resource/File/${file.name}`)).toBe(403)
    const rows = await member.app.db().getDocList('File', { fields: ['name'], limit: 0 })
    expect(rows.map((row) => row.name)).not.toContain(file.name)
    const ofOrganization = await uploaded(owner, { doctype: 'Organization', docname: 'acme' })
    expect(await statusOf(manager, ofOrganization.file_url)).toBe(200)
    const db = manager.app.db()
    expect((await sdkError(db.deleteDoc('File', ofOrganization.name))).httpStatus).toBe(403)
    expect((await sdkError(db.updateDoc('File', ofOrganization.name, { file_name: 'x' }))).httpStatus).toBe(403)
    expect(await statusOf(owner, ofOrganization.file_url)).toBe(200)
  })

  it('attaching needs the write permission on the document', async () => {
    expect(await send(stranger, onSite(site), [['x.png', png]])).toMatchObject({ status: 404 })
    expect(await send(member, onSite(foreign), [['x.png', png]])).toMatchObject({ status: 404 })
    expect(await send(member, onSite('nothinghere'), [['x.png', png]])).toMatchObject({ status: 404 })
    const before = (await contents()).length
    const denied = await send(manager, { doctype: 'Organization', docname: 'acme' }, [['x.png', png]])
    expect(denied).toMatchObject({ status: 403, body: { exc_type: 'PermissionError' } })
    expect(denied.body._error_message).toContain('Organization')
    expect(await send(owner, { doctype: 'Job', docname: 'x' }, [['x.png', png]])).toMatchObject({ status: 404 })
    expect(await send(booted.browser(), onSite(site), [['x.png', png]])).toMatchObject({ status: 403 })
    expect((await contents()).length).toBe(before)
    await uploaded(owner, { doctype: 'Organization', docname: 'acme' })
  })

  it('a refused upload is on record', async () => {
    await send(manager, { doctype: 'Organization', docname: 'acme' }, [['x.png', png]])
    const rows = await owner.app.db().getDocList('Activity', {
      fields: ['action', 'actor'],
      filters: [['result', '=', 'Denied']],
    })
    expect(rows).toContainEqual({ action: 'Organization.write', actor: 'manager@acme.example' })
  })

  it('the picture of a person is seen by colleagues only', async () => {
    const { file_url: url } = await uploaded(member, { doctype: 'User', docname: 'member@acme.example' })
    await member.app.db().updateDoc('User', 'member@acme.example', { user_image: url })
    const elsewhere = member.app
      .db()
      .updateDoc('User', 'member@acme.example', { user_image: '/files/../api/method/ping' })
    expect((await sdkError(elsewhere)).httpStatus).toBe(417)
    expect(await statusOf(owner, url)).toBe(200)
    expect(await statusOf(stranger, url)).toBe(404)
    expect((await send(owner, { doctype: 'User', docname: 'member@acme.example' }, [['x.png', png]])).status).toBe(403)
    const unverified = await booted.signedIn('new@example.com')
    const own = await uploaded(unverified, { doctype: 'User', docname: 'new@example.com' })
    expect(await statusOf(unverified, own.file_url)).toBe(200)
  })

  it('a file attached to nothing is its owner’s alone', async () => {
    const { file_url: url, name } = await uploaded(member, {})
    expect(await statusOf(member, url)).toBe(200)
    expect(await statusOf(owner, url)).toBe(403)
    expect((await send(await booted.signedIn('alone@example.com'), {}, [['x.png', png]])).status).toBe(403)
    expect((await owner.fetch(`/api/resource/File/${name}`)).status).toBe(403)
  })

  it('former members lose the organization’s files, their own ones too', async () => {
    const gone = await booted.signedIn('gone@acme.example')
    const { file_url: url } = await uploaded(gone, onSite(site))
    await booted.documents.transaction(booted.system, async (tx) => {
      const row = await tx.find(OrganizationMemberDoctype, [['user', '=', 'gone@acme.example']])
      await tx.delete(OrganizationMemberDoctype, row?.name as string)
    })
    expect(await statusOf(gone, url)).toBe(404)
    expect(await statusOf(owner, url)).toBe(200)
  })

  it('cannot be made or moved by the generic calls', async () => {
    const error = await sdkError(
      owner.app.db().createDoc('File', { file_name: 'x', file_url: '/etc/passwd', stored_name: '../../etc/passwd' }),
    )
    expect(error.httpStatus).toBe(403)
    const { name, file_url: url } = await uploaded(member, onSite(site))
    const update = (values: object) => member.app.db().updateDoc('File', name, values)
    for (const chosen of [{ attached_to_name: hidden }, { is_private: 0 }, { file_url: '/files/other.png' }])
      expect((await sdkError(update(chosen))).httpStatus).toBe(403)
    await update({ file_name: 'new.png', stored_name: 'x' })
    expect(await (await member.fetch(`/api/resource/File/${name}`)).json()).toMatchObject({
      data: { file_name: 'new.png', attached_to_name: site, is_private: 1, file_url: url },
    })
    expect(await statusOf(member, '/private/files/..%2f..%2fkeys')).toBe(404)
  })
})

describe('how files are served', () => {
  const fetched = async (name: string, content: Buffer | string, extra: Record<string, string> = {}) => {
    const { file_url: url } = await uploaded(member, onSite(site, extra), name, content)
    return { url, response: await member.fetch(url) }
  }

  it('pictures as what their content says, as attachments like everything', async () => {
    const { response } = await fetched('evil.html', png)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const tag = response.headers.get('etag') ?? ''
    expect((await member.fetch(response.url, { headers: { 'if-none-match': tag } })).status).toBe(304)
    expect((await member.fetch(response.url, { method: 'HEAD' })).headers.get('content-length')).toBe(
      String(png.length),
    )
  })

  it.each([
    ['x.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['x.html', '<!doctype html><script>alert(1)</script>'],
    ['x.png', '<html><script>alert(1)</script></html>'],
    ['x.xml', '<?xml version="1.0"?><x/>'],
    ['x.pdf', '%PDF-1.7 …'],
    ['x.js', 'alert(1)'],
    ['x.bin', Buffer.from([0, 1, 2, 3])],
  ])('%s is saved, never shown', async (name, content) => {
    const { response } = await fetched(name, content, { is_private: '0' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(response.headers.get('content-type')).not.toMatch(/html|svg|xml|script|image/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  })

  it('public ones to everybody who has the address', async () => {
    const { url } = await fetched('x.png', png, { is_private: '0' })
    expect(url).toMatch(/^\/files\/[0-9a-f]{40}\.png$/)
    expect(await statusOf(booted.browser(), url)).toBe(200)
    expect(await statusOf(booted.browser(), url.replace('/files', '/private/files'))).toBe(403)
  })

  it('download_file streams what the gate allows', async () => {
    const { url } = await fetched('Bericht "1".txt', 'hello')
    const path = `/api/method/frappe.handler.download_file?file_url=${encodeURIComponent(url)}`
    const response = await owner.fetch(path)
    expect(await response.text()).toBe('hello')
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="Bericht _1_.txt"; filename*=UTF-8''Bericht%20%221%22.txt`,
    )
    expect((await stranger.fetch(path)).status).toBe(404)
    expect((await booted.browser().fetch(path)).status).toBe(403)
    for (const bad of ['', '/etc/passwd', '/private/files/../keys', 'https://example.com/x', '/files/%00'])
      expect((await owner.fetch(`/api/method/frappe.handler.download_file?file_url=${bad}`)).status).toBeOneOf([
        404, 417,
      ])
  })
})

describe('frappe.client.attach_file', () => {
  const attach = (browser: Browser, args: Record<string, unknown>) =>
    browser.app.call().post<{ message: Record<string, unknown> }>('frappe.client.attach_file', args)

  it('stores text or base64 and writes the address into a field', async () => {
    const text = await attach(member, { ...onSite(site), filename: 'a.txt', filedata: 'grüße' })
    expect(await (await member.fetch(String(text.message.file_url))).text()).toBe('grüße')
    const picture = await attach(member, {
      doctype: 'User',
      docname: 'member@acme.example',
      filename: 'me.png',
      filedata: `data:image/png;base64,${png.toString('base64')}`,
      decode_base64: 1,
      docfield: 'user_image',
    })
    expect(picture.message).toMatchObject({ file_type: 'PNG', attached_to_field: 'user_image', is_private: 1 })
    const user = await member.app.db().getDoc('User', 'member@acme.example')
    expect(user.user_image).toBe(picture.message.file_url)
  })

  it('leaves no file behind when the field may not be written', async () => {
    const before = (await contents()).length
    const args = { ...onSite(site), filename: 'a.txt', filedata: 'x', docfield: 'domain' }
    expect((await sdkError(attach(member, args))).httpStatus).toBeOneOf([403, 417])
    await expect.poll(async () => (await contents()).length).toBe(before)
    expect((await sdkError(attach(member, { ...args, filedata: '%%%', decode_base64: 1 }))).field).toBe('filedata')
    expect((await sdkError(attach(stranger, args))).httpStatus).toBe(404)
  })
})

describe('links and copies', () => {
  it('an address elsewhere is only linked, one of ours is copied for who may read it', async () => {
    const linked = await send(member, onSite(site, { file_url: 'https://example.com/a/logo.png?x=1' }))
    expect(linked.body.message).toMatchObject({
      file_url: 'https://example.com/a/logo.png?x=1',
      file_name: 'logo.png',
      file_size: 0,
    })
    const { file_url: url } = await uploaded(member, onSite(site))
    const copied = await send(owner, onSite(hidden, { file_url: url }))
    expect(copied.body.message).toMatchObject({ file_type: 'PNG', file_size: png.length })
    expect(copied.body.message?.file_url).not.toBe(url)
    expect(await statusOf(owner, String(copied.body.message?.file_url))).toBe(200)
    expect((await send(stranger, onSite(foreign, { file_url: url }))).status).toBe(404)
  })
})

describe('their end', () => {
  it('content, document and attached document end together', async () => {
    const { name, file_url: url } = await uploaded(member, onSite(site))
    const stored = url.split('/').at(-1) as string
    const path = join(booted.filesDir, stored.slice(0, 2), stored)
    expect((await stat(path)).mode & 0o077).toBe(0)
    expect((await stat(booted.filesDir)).mode & 0o777).toBe(0o700)
    await member.app.db().deleteDoc('File', name)
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await statusOf(member, url)).toBe(404)

    const other = await uploaded(owner, onSite(hidden))
    await booted.documents.transaction(booted.system, (tx) => tx.delete(SiteDoctype, hidden))
    expect(await statusOf(owner, other.file_url)).toBe(404)
    expect(await contents()).not.toContainEqual(expect.stringContaining(other.file_url.split('/').at(-1) as string))
  })
})
