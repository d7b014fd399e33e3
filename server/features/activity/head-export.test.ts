import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProductDatabase } from '#tests/support/database.ts'
import { documentsOn, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { Mail } from '#server/platform/mail/mail.ts'
import { platformTables } from '#server/platform/database/platform-tables.ts'
import { createSecrets, type Secrets } from '#server/platform/secrets/secrets.ts'
import { sql } from 'kysely'
import { largest, verifyChains, type ChainReport } from './chain.ts'
import { createHeadExport, type HeadExport } from './head-export.ts'
import { headFilePath, readHeadFile } from './head-file.ts'

let t: TestDocuments
let dataDir: string
let secrets: Secrets
let mails: Mail[]
let errors: string[]
let send: (mail: Mail) => Promise<void>
const owner = sessionOf('owner@acme.example', 'acme')
const db = () => t.test.database.db
const file = () => headFilePath(dataDir)
const texts = async () => (await readFile(file(), 'utf8')).split('\n').filter(Boolean)

beforeAll(async () => {
  t = await documentsOn(await createProductDatabase())
  await platformTables(db())
  for (const name of ['acme', 'globex']) await t.organization(name)
  await sql`update tab_user set role_profile_name = 'Easydash Admin', email_verified = 1`.execute(db())
})
afterAll(() => t?.close())
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'heads-'))
  const secretKeys = `v1:${Buffer.alloc(32, 1).toString('base64')}`
  secrets = await createSecrets({ database: t.test.database, source: { secretKeys, dataDir } })
  mails = []
  errors = []
  send = async (mail) => void mails.push(mail)
})
afterEach(() => rm(dataDir, { recursive: true }))

const act = () => t.documents.save(owner, 'Organization', 'acme', { title: `Title ${Math.random()}` })

function exporter(url: string | null = null): HeadExport {
  return createHeadExport({
    db: db(),
    dataDir,
    seals: secrets,
    mailsCheckpoints: false,
    clock: systemClock,
    log: { ...silentLog, error: (output) => void errors.push(output) },
    sender: { productName: 'Easydash', url: 'http://localhost:8080' },
    send: (mail) => send(mail),
    url,
  })
}

test('records at the same moment follow one another', async () => {
  const heads = exporter()
  await heads.record()
  for (let round = 0; round < 5; round += 1) {
    await act()
    await Promise.all([heads.record(), heads.mailCheckpoint(), heads.record(), heads.mailCheckpoint()])
  }
  expect(await readHeadFile(file())).toMatchObject({ problem: null, last: { n: (await texts()).length } })
  // One email per state to each of the two admins.
  expect(mails).toHaveLength(10)
})

test('one that failed holds up none after it', async () => {
  const heads = exporter()
  await writeFile(join(dataDir, 'audit'), 'in the way')
  await expect(heads.record()).rejects.toBeDefined()
  await rm(join(dataDir, 'audit'))
  await heads.record()
  expect((await readHeadFile(file())).problem).toBeNull()
})

describe('an alarm', () => {
  test.each([
    ['that was found at the start', (content: string) => content.split('\n').slice(1).join('\n'), true],
    ['that was found while it ran', (content: string) => content.slice(0, 100), false],
  ])('%s is mailed again where it failed, and only there', async (_what, change, isFound) => {
    const earlier = exporter()
    await earlier.record()
    const heads = isFound ? exporter() : earlier
    await writeFile(file(), change(await readFile(file(), 'utf8')))
    send = async (mail) => {
      if (mail.to.startsWith('owner@acme')) throw new Error('The mail server is away.')
      mails.push(mail)
    }
    await heads.record()
    await heads.record()
    expect(mails.map(({ to }) => to)).toEqual(['owner@globex.example'])
    send = async (mail) => void mails.push(mail)
    await heads.record()
    await heads.record()
    expect(mails.map(({ to }) => to)).toEqual(['owner@globex.example', 'owner@acme.example'])
    expect(new Set(mails.map((mail) => mail.text)).size).toBe(1)
    expect(errors.filter((output) => output.includes('does not agree'))).toHaveLength(1)
    // Recording continues even if nobody could be notified.
    await act()
    await heads.record()
    expect((await readHeadFile(file())).last?.chain).toBe('acme')
  })
})

describe('a service of the operator', () => {
  let service: Server
  let url: string
  let bodies: string[]
  let status: number
  beforeEach(async () => {
    bodies = []
    status = 503
    service = createServer((request, response) => {
      void text(request).then((body) => {
        if (status === 200) bodies.push(body)
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/heads`
  })
  afterEach(() => service.close())
  const delivered = () => bodies.join('').split('\n').filter(Boolean)

  test('gets each line once, also after it was away', async () => {
    const heads = exporter(url)
    await heads.record()
    expect(bodies).toEqual([])
    status = 200
    await act()
    await heads.record()
    await heads.record()
    expect(delivered()).toEqual(await texts())
  })

  test('gets what was recorded while it was away, also after a restart, and nothing twice', async () => {
    await exporter(url).record()
    await act()
    await exporter(url).record()
    expect(bodies).toEqual([])
    status = 200
    await exporter(url).record()
    expect(delivered()).toEqual(await texts())
    await exporter(url).record()
    await act()
    await exporter(url).record()
    expect(delivered()).toEqual(await texts())
  })

  test('sends a new file from its first line', async () => {
    status = 200
    await exporter(url).record()
    const before = await texts()
    await rm(file())
    await exporter(url).record()
    expect(delivered()).toEqual([...before, ...(await texts())])
  })
})

test('handles very many recorded heads', async () => {
  const many = 300_000
  const recorded = new Map(Array.from({ length: many }, (_, at) => [at + 1_000, { hash: 'x', recorded: 'then' }]))
  const found: ChainReport[] = []
  await verifyChains(db(), (chain) => void found.push(chain), { recorded: new Map([['acme', recorded]]) })
  expect(found.find(({ chain }) => chain === 'acme')?.problem).toContain(`there were ${many + 999} then`)
  expect([largest([]), largest(recorded.keys())]).toEqual([0, many + 999])
})
