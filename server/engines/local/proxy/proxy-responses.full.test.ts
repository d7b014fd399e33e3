import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer as createHttpServer } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { untranslated, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { EngineError } from '../../engine.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import { fetchFrom } from '../engine-fixture.ts'
import { maxWaitingVisitors } from '../limits.ts'
import { createSiteProxy } from './proxy.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** A proxy in front of a process that responds with arbitrary bytes. */
describe('answers of a site’s process', () => {
  let folder: string
  let bytes = ''
  let killed = 0
  let notStarting: LocalizedMessage | null = null
  const waiting: Socket[] = []
  const process = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => (bytes === '' ? waiting.push(socket) : socket.end(bytes, 'latin1')))
  })
  const front = createHttpServer()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxy-'))
    const socket = join(folder, 'site.sock')
    await new Promise<void>((resolve) => {
      process.listen(socket, resolve)
    })
    const record = (id: string) =>
      ({ id, siteType: 'php', state: id === 'archived' ? 'archived' : 'ready' }) as SiteRecord
    const site = {
      socket,
      agent: new Agent(),
      exited: Promise.resolve(null),
      kill: () => void (killed += 1),
      overdue: () => null,
      hasBegun: () => true,
    } as unknown as SiteProcess
    const proxy = createSiteProxy({
      store: { byDomain: record, paths: () => ({ www: folder }) } as unknown as SiteStore,
      awake: {
        hold: () => () => undefined,
        running: () => null,
        wake: async () => {
          if (notStarting !== null) throw new EngineError('unavailable', notStarting, { nextAction: msg`Wait.` })
          return site
        },
      } as unknown as AwakeSites,
      log: silentLog,
      userOf: () => null,
      sitesDomain: 'localhost',
      protocol: 'http',
      urlOf: () => 'http://a.localhost',
      visited: () => undefined,
      now: Date.now,
      recordAccess: () => undefined,
      login: async () => null,
    })
    front.on('request', proxy.handleRequest)
    await new Promise<void>((resolve) => {
      front.listen(0, '127.0.0.1', resolve)
    })
  })
  afterAll(async () => {
    process.close()
    front.close()
    await rm(folder, { recursive: true })
  })

  const visit = (site: string) => fetchFrom((front.address() as AddressInfo).port, `${site}.localhost`, '/x.php')
  const ask = async (response: string): Promise<number> => {
    bytes = response
    return (await visit('a')).status
  }

  it.each([
    ['a status that is none', 'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 042 Low\r\nContent-Length: 0\r\n\r\n'],
    ['a taken-over connection', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['an interim answer and no more', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['no HTTP', 'what?\r\n\r\n'],
    ['a header name that is none', 'HTTP/1.1 200 OK\r\nBad Name: x\r\nContent-Length: 0\r\n\r\n'],
  ])('become an error page: %s', async (_name, response) => {
    expect(await ask(response)).toBe(502)
    expect(await ask(ok)).toBe(200)
  })

  it.each([
    ['interim answers without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)],
    ['a body in countless pieces', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(9000)}`],
  ])('end the process: %s', async (_name, response) => {
    killed = 0
    await ask(response).catch(() => 0)
    expect(killed).toBeGreaterThan(0)
    killed = 0
    expect(await ask(ok)).toBe(200)
    // The maximum for a page.
    expect(await ask(`HTTP/1.1 103 Early Hints\r\n\r\n${ok}`)).toBe(200)
    expect(killed).toBe(0)
  })

  it.each([
    [msg`The site’s process ran out of memory.`, 'The site’s process ran out of memory. It is started again in 4 s.'],
    [untranslated('Error: no table customers in /srv/shop.db'), 'Its owners can see why in their dashboard.'],
  ])('are missing for a reason in our own words, never in those of its code', async (reason, shown) => {
    notStarting = msg`${reason} It is started again in ${4} s.`
    const response = await visit('a')
    notStarting = null
    expect(response.status).toBe(503)
    expect(response.body).toContain(`<p>${shown}</p>`)
    expect(response.body).not.toContain('customers')
  })

  it('end the connection where the rest of a body would be read for nothing, and no other', async () => {
    const connectionHeader = async (head: string): Promise<string> => {
      const socket = connect((front.address() as AddressInfo).port, '127.0.0.1')
      socket.write(`${head} / HTTP/1.1\r\nHost: archived.localhost\r\n`)
      socket.write(head === 'POST' ? 'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n' : '\r\n')
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return /^connection: (.*)$/im.exec(String(answer))?.[1] ?? ''
    }
    expect(await connectionHeader('POST')).toBe('close')
    expect(await connectionHeader('GET')).toBe('keep-alive')
  })

  it('are waited for by a bounded number of visitors of one site', async () => {
    bytes = ''
    const visits = Array.from({ length: maxWaitingVisitors }, () => visit('a'))
    await expect.poll(() => waiting.length).toBe(maxWaitingVisitors)

    const rejected = await visit('a')
    expect(rejected.status).toBe(503)
    expect(rejected.headers['retry-after']).toBe('10')
    expect(rejected.body).toContain('This site is busy')
    const other = visit('b')
    await expect.poll(() => waiting.length).toBe(maxWaitingVisitors + 1)

    for (const socket of waiting.splice(0)) socket.end(ok)
    for (const response of await Promise.all([...visits, other])) expect(response.status).toBe(200)
    expect(await ask(ok)).toBe(200)
  })
})
