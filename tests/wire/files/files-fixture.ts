/** Two organizations with sites to attach files to, and their users. */
import { readdir } from 'node:fs/promises'
import { expect } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

/** The smallest PNG. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Fixture of the file tests. */
export interface FilesFixture {
  readonly booted: Booted
  readonly owner: Browser
  readonly manager: Browser
  /** A plain member; `site` is their own. */
  readonly member: Browser
  /** Owner of the other organization. */
  readonly stranger: Browser
  readonly site: string
  /** A site of the same organization that the member cannot read. */
  readonly hidden: string
  /** A site of the other organization. */
  readonly foreign: string
  /** All stored contents, including unfinished ones. */
  contents(): Promise<string[]>
}

/** Boots the fixture. */
export async function bootFiles(): Promise<FilesFixture> {
  const booted = await boot()
  await booted.organization('acme', {
    'member@acme.example': 'Organization User',
    'manager@acme.example': 'Organization Manager',
    'gone@acme.example': 'Organization Admin',
  })
  await booted.organization('globex')
  const sites = await booted.documents.transaction(booted.system, async (tx) => {
    const made: string[] = []
    for (const [organization, owners] of [
      ['acme', ['member@acme.example', 'owner@acme.example']],
      ['globex', ['owner@globex.example']],
    ] as const) {
      const hostname = `${organization}.test`
      const server = await tx.insert(ServerDoctype, { organization, hostname, status: 'Healthy' })
      for (const owner of owners) {
        const domain = `${owner.split('@')[0]}-${organization}.localhost`
        const values = { organization, server: server.name, domain, site_type: 'html' }
        made.push((await tx.insert('Site', values, { owner })).name)
      }
    }
    return made
  })
  const [site = '', hidden = '', foreign = ''] = sites
  return {
    booted,
    site,
    hidden,
    foreign,
    owner: await booted.signedIn('owner@acme.example'),
    manager: await booted.signedIn('manager@acme.example'),
    member: await booted.signedIn('member@acme.example'),
    stranger: await booted.signedIn('owner@globex.example'),
    async contents() {
      const all = await readdir(booted.filesDir, { recursive: true }).catch(() => [])
      return all.filter((name) => /[0-9a-f]{40}/.test(name))
    },
  }
}

/** Response of an upload. */
export interface UploadResponse {
  status: number
  body: { message?: Record<string, unknown>; exc_type?: string; field?: string; [key: string]: unknown }
}

/** A file in a form: name, content, part name. */
export type FormFile = readonly [name: string, content: Buffer | string, part?: string]

/** Sends a form like a browser. */
export async function send(
  browser: Browser,
  fields: Record<string, string>,
  files: readonly FormFile[] = [],
): Promise<UploadResponse> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, content, part = 'file'] of files)
    form.append(part, new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (browser.csrfToken) headers['x-frappe-csrf-token'] = browser.csrfToken
  const response = await browser.fetch('/api/method/upload_file', { method: 'POST', body: form, headers })
  return { status: response.status, body: (await response.json()) as UploadResponse['body'] }
}

/** Uploads a file that must be accepted; returns the File document. */
export async function uploaded(
  browser: Browser,
  fields: Record<string, string>,
  name = 'x.png',
  content: Buffer | string = png,
): Promise<Record<string, unknown> & { name: string; file_url: string }> {
  const response = await send(browser, fields, [[name, content]])
  expect(response).toMatchObject({ status: 200 })
  return response.body.message as Record<string, unknown> & { name: string; file_url: string }
}

/** Fields that attach a file to a site. */
export function onSite(name: string, extra: Record<string, string> = {}): Record<string, string> {
  return { doctype: 'Site', docname: name, ...extra }
}
