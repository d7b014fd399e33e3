import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '#server/platform/log.ts'
import type { AwakeSites } from './awake-sites.ts'
import { createSiteProxy } from './proxy.ts'
import type { SiteProcess } from './site-process-handle.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'

/** A proxy before a process that answers with whatever bytes it is told to. */
describe('answers of a site’s process', () => {
  let folder: string
  let bytes = ''
  const process = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(bytes, 'latin1'))
  })
  const front = createHttpServer()

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'proxy-'))
    const socket = join(folder, 'site.sock')
    await new Promise<void>((resolve) => {
      process.listen(socket, resolve)
    })
    const record = { id: 'a', siteType: 'php', state: 'ready' } as SiteRecord
    const site = { socket, agent: new Agent(), exited: new Promise<null>(() => undefined) } as unknown as SiteProcess
    const proxy = createSiteProxy({
      store: { byDomain: () => record, paths: () => ({ www: folder }) } as unknown as SiteStore,
      awake: { hold: () => () => undefined, wake: async () => site } as unknown as AwakeSites,
      log: silentLog,
      userOf: () => null,
      sitesDomain: 'localhost',
      protocol: 'http',
      visited: () => undefined,
      login: async () => undefined,
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

  const ask = async (answer: string): Promise<number> => {
    bytes = answer
    const { port } = front.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/x.php`, { headers: { host: 'a.localhost' } })
    await response.arrayBuffer()
    return response.status
  }

  it.each([
    ['a status that is none', 'HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 042 Low\r\nContent-Length: 0\r\n\r\n'],
    ['a taken-over connection', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['an upgrade nobody asked for', 'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['an interim answer and no more', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['no HTTP', 'what?\r\n\r\n'],
    ['a header name that is none', 'HTTP/1.1 200 OK\r\nBad Name: x\r\nContent-Length: 0\r\n\r\n'],
  ])('become an error page: %s', async (_name, answer) => {
    expect(await ask(answer)).toBe(502)
    expect(await ask('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')).toBe(200)
  })
})
