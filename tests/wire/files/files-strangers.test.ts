import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { bootFiles, onSite, png, send, uploaded, type FilesFixture } from './files-fixture.ts'

let booted: Booted
let owner: Browser
let stranger: Browser
let hidden: string
let contents: FilesFixture['contents']

beforeAll(async () => {
  ;({ booted, owner, stranger, hidden, contents } = await bootFiles())
  await booted.person('new@example.com', { verified: false })
  await booted.person('alone@example.com')
})
afterAll(() => booted?.close())

describe('files and people we know little of', () => {
  it('an account anybody can make is no place to put files for the world, and no person one for many', async () => {
    const before = (await contents()).length
    const unverified = await booted.signedIn('new@example.com')
    const target = { doctype: 'User', docname: 'new@example.com' }
    expect(await send(unverified, { ...target, is_private: '0' }, [['x.png', png]])).toMatchObject({ status: 403 })
    expect((await contents()).length).toBe(before)
    const alone = await booted.signedIn('alone@example.com')
    const own = { doctype: 'User', docname: 'alone@example.com', is_private: '0' }
    const made = []
    for (let n = 0; n < 20; n += 1) made.push(await uploaded(alone, own))
    expect(await send(alone, own, [['x.png', png]])).toMatchObject({ status: 417, body: { code: 'limit_reached' } })
    await alone.app.db().deleteDoc('File', made[0]?.name as string)
    await uploaded(alone, own)
    expect((await contents()).length).toBe(before + 20)
  })

  it('a foreign private file answers like none, without the name of its document', async () => {
    const { file_url: url, name } = await uploaded(owner, onSite(hidden))
    const tried = await send(stranger, { file_url: url }, [])
    const none = await send(stranger, { file_url: `/private/files/${'0'.repeat(40)}.png` }, [])
    expect(tried).toEqual(none)
    expect(tried.status).toBe(404)
    expect(JSON.stringify(tried)).not.toContain(name)
  })
})
