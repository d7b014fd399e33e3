/**
 * API tokens and files: `files:read` and `files:write`, in addition to the scope of the document the file is attached to.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Browser } from '../browser.ts'
import { bootFiles, onSite, png, uploaded, type FilesFixture } from '../files/files-fixture.ts'

let s: FilesFixture
beforeAll(async () => {
  s = await bootFiles()
})
afterAll(() => s.booted.close())

async function token(browser: Browser, scopes: string[], organization = 'acme'): Promise<string> {
  const made = await browser.app
    .call()
    .post<{ message: { token: string } }>('easydash.api.tokens.create', { title: 'Files', organization, scopes })
  return `token ${made.message.token}`
}

async function upload(authorization: string, fields: Record<string, string>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(png)]), 'by-token.png')
  const response = await fetch(new URL('/api/method/upload_file', s.booted.url), {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  const body = (await response.json()) as { message?: Record<string, string>; exc_type?: string }
  return { status: response.status, text: JSON.stringify(body), file: body.message ?? {} }
}

async function get(authorization: string, path: string) {
  const response = await fetch(new URL(path, s.booted.url), { headers: { authorization } })
  return { status: response.status, text: await response.text() }
}
const names = async (authorization: string) => {
  const { text } = await get(authorization, '/api/resource/File?limit=100')
  return (JSON.parse(text) as { data: { name: string }[] }).data.map(({ name }) => name)
}

it('uploading needs the right to write files and the right to write the document', async () => {
  for (const scopes of [
    ['sites:write'],
    ['files:write'],
    ['files:read', 'sites:write'],
    ['files:write', 'sites:read'],
  ]) {
    const response = await upload(await token(s.owner, scopes), onSite(s.site))
    expect([scopes, response.status]).toEqual([scopes, 403])
    expect(response.text).toMatch(/scope (?:files|sites):write/)
  }
  const auth = await token(s.owner, ['files:write', 'sites:write'])
  const { status, file } = await upload(auth, onSite(s.site))
  expect(status).toBe(200)
  expect(file).toMatchObject({ attached_to_name: s.site, owner: 'owner@acme.example' })
  expect((await get(auth, file['file_url'] ?? '')).status).toBe(200)
  // Files of other organizations, and of documents the token's owner cannot see, stay hidden.
  expect((await upload(auth, onSite(s.foreign))).status).toBe(404)
  const members = await token(s.member, ['files:write', 'sites:write'])
  expect((await upload(members, onSite(s.hidden))).status).toBe(403)
  expect((await upload(auth, { doctype: 'User', docname: 'owner@acme.example' })).status).toBe(403)
})

it('reading opens files of documents the other scopes let it see, and no others', async () => {
  const ofSite = await uploaded(s.member, onSite(s.site))
  const ofOrganization = await uploaded(s.owner, { doctype: 'Organization', docname: 'acme' })
  const auth = await token(s.manager, ['files:read', 'sites:read'])
  expect(await names(auth)).toContain(ofSite.name)
  expect(await names(auth)).not.toContain(ofOrganization.name)
  expect((await get(auth, ofSite.file_url)).status).toBe(200)
  expect((await get(auth, ofOrganization.file_url)).status).toBe(403)
  expect((await get(auth, `/api/resource/File/${ofSite.name}`)).status).toBe(200)
  const blind = await token(s.manager, ['sites:write', 'organization:read'])
  for (const path of [ofSite.file_url, `/api/resource/File/${ofSite.name}`, '/api/resource/File']) {
    const { status, text } = await get(blind, path)
    expect([path, status]).toEqual([path, 403])
    expect(text).toContain('files:read')
  }
  const remove = (authorization: string) =>
    fetch(new URL(`/api/resource/File/${ofSite.name}`, s.booted.url), { method: 'DELETE', headers: { authorization } })
  expect((await remove(auth)).status).toBe(403)
  expect((await remove(await token(s.manager, ['files:write', 'sites:read']))).status).toBe(403)
  expect((await remove(await token(s.manager, ['files:write', 'sites:write']))).status).toBe(202)
})

it('personal documents and those of other organizations do not exist for a token', async () => {
  const portrait = await uploaded(s.owner, { doctype: 'User', docname: 'owner@acme.example' })
  const foreign = await uploaded(s.stranger, onSite(s.foreign))
  const auth = await token(s.owner, ['files:write', 'members:write', 'sites:write', 'organization:write'])
  for (const { name, file_url } of [portrait, foreign]) {
    expect(await names(auth)).not.toContain(name)
    expect((await get(auth, `/api/resource/File/${name}`)).status).toBe(404)
    expect((await get(auth, file_url)).status).toBe(404)
  }
  expect((await s.owner.fetch(portrait.file_url)).status).toBe(200)
})

it('a file attached to nothing belongs to the organization of the token and to its maker', async () => {
  const auth = await token(s.owner, ['files:write'])
  const { status, file } = await upload(auth, {})
  expect(status).toBe(200)
  expect(await names(auth)).toContain(file['name'])
  const others = await token(s.manager, ['files:write'])
  expect(await names(others)).not.toContain(file['name'])
  expect((await get(others, file['file_url'] ?? '')).status).toBe(403)
})
