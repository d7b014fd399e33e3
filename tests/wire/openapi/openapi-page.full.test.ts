import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { runInShell, shellBlocks } from '#tests/support/api-docs-page.ts'
import { boot, password, type Booted } from '../booted.ts'
import { ask } from '../raw.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'

let booted: Booted
let page: string
let folder: string
beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme')
  await booted.documents.transaction(booted.system, async (tx) => {
    const { name: server } = await tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'one.acme.test',
      status: 'Healthy',
    })
    for (const [domain, status] of [
      ['blog.acme.test', 'Live'],
      ['shop.acme.test', 'Suspended'],
    ]) {
      await tx.insert('Site', { organization: 'acme', server, domain, status, site_type: 'html' })
    }
  })
  page = (await ask(booted.port, { path: '/api/docs', headers: { accept: 'text/html' } })).body
  folder = await mkdtemp(join(tmpdir(), 'easydash-docs-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await booted.close()
  expect(booted.logged).toEqual([])
})

describe('/api/docs', () => {
  it('lets a stranger list sites, by its commands alone', async () => {
    const blocks = shellBlocks(page)
    expect(blocks.length).toBeGreaterThan(3)
    // The only value a reader has to change, and the input where a command waits.
    const own = blocks.map((block) => block.replace('you@example.com', 'owner@acme.example'))
    const run = await runInShell(own, password, folder)
    expect([run.code, run.errors]).toEqual([0, ''])
    expect(run.output).toContain('"message":"Logged In"')
    const lists = [...run.output.matchAll(/\{"data":\[.*?\]\}/g)].map(
      ([text]) => (JSON.parse(text) as { data: { domain: string; status: string }[] }).data,
    )
    expect(lists[0]?.map(({ domain }) => domain).toSorted()).toEqual(['blog.acme.test', 'shop.acme.test'])
    expect(lists[1]).toEqual([{ name: expect.any(String) as string, domain: 'blog.acme.test', status: 'Live' }])
    expect(run.output).not.toContain(password)
    // No credentials are left behind.
    expect(await readdir(folder)).toEqual([])
  })

  it('takes any password', async () => {
    const strange = `"'$(x) \\ &=%+ö ${password}`
    await booted.accounts.createAccount({ email: 'odd@acme.example', first_name: 'Odd', password: strange })
    const own = shellBlocks(page).map((block) => block.replace('you@example.com', 'odd@acme.example'))
    const run = await runInShell(own.slice(0, 2), strange, folder)
    expect(run.output).toContain('"message":"Logged In"')
  })

  it('is a page of its own under the strict policy', async () => {
    const response = await ask(booted.port, { path: '/api/docs/', headers: { accept: 'text/html' } })
    const policy = String(response.headers['content-security-policy'])
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    expect(policy).not.toContain('unsafe-inline')
    expect(response.body).toContain(`<style nonce="${nonce}">`)
    expect(page).not.toContain(nonce)
    expect(response.body).not.toMatch(/<script|style="|\son[a-z]+=/i)
    expect(response.body.match(/(?:src|href)="https?:/g) ?? []).toEqual(
      (response.body.match(new RegExp(`href="${booted.url}`, 'g')) ?? []).map(() => 'href="http:'),
    )
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  it('names every method and doctype, and every link in it leads somewhere', () => {
    const names = booted.wire.methods.map(({ name }) => name)
    expect(names.filter((name) => !page.includes(`id="${name}"`))).toEqual([])
    for (const { name } of doctypes) expect(page).toMatch(new RegExp(`Fields of ${name}\\s*<`))
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const broken = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.includes(id))
    expect(broken).toEqual([])
  })

  it('has one heading of the first level and none that is skipped', () => {
    const levels = [...page.matchAll(/<h([1-6])[\s>]/g)].map(([, level]) => Number(level))
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    const skipped = levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)
    expect(skipped).toEqual([])
  })
})
