import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { runSql } from '#server/platform/mysql/mysql-client.ts'
import { portOf } from '#server/platform/network/port-of.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { operatorsServer, ownServer, type OpenServer } from './admin-login.ts'
import { mysqlCapability, openLocalMysql, type LocalMysql } from './local-mysql.ts'

const programs = await findMysql()
const program = programs?.server ?? null
const signal = () => AbortSignal.timeout(300_000)

test('says what is missing', () => {
  const clients = { client: '/usr/bin/mysql', dump: '/usr/bin/mysqldump' }
  const old = { path: '/x', product: 'MySQL', version: '5.7.44', isRecentEnough: false, install: null } as const
  const reasonOf = (...given: Parameters<typeof mysqlCapability>) => {
    const capability = mysqlCapability(...given)
    return capability.supported ? null : capability.reason
  }
  expect(reasonOf(null, null)).toContain('is not installed')
  expect(reasonOf(null, 'mysql://root@db')).toContain('is not installed')
  expect(reasonOf({ ...clients, server: null }, null)).toContain('has no MariaDB or MySQL server')
  expect(reasonOf({ ...clients, server: null }, 'mysql://root@db')).toBeNull()
  expect(reasonOf({ ...clients, server: old }, null)).toContain('too old. Install MariaDB')
})

test.each([
  ['mysql://root:p%40ss@db.example', { host: 'db.example', port: 3306 }, 'p@ss'],
  ['mariadb://root:x@127.0.0.1:3307', { host: '127.0.0.1', port: 3307 }, 'x'],
  ['mysql://root:x@[::1]:3306', { host: '::1', port: 3306 }, 'x'],
])('reads %s', (url, address, password) => {
  const login = operatorsServer(url, { server: null, client: '', dump: '' }).login()
  expect(login).toMatchObject({ address, user: 'root', password, from: '%' })
})

describe.skipIf(programs === null || program === null)(
  'the operator’s server (skipped where none is installed)',
  () => {
    let dataDir = ''
    let server: OpenServer
    let proxy: Server
    let mysql: LocalMysql
    beforeAll(async () => {
      if (programs === null || program === null) return
      dataDir = await mkdtemp(join(tmpdir(), 'mysql-url-'))
      server = await ownServer(programs, program, { dataDir, log: silentLog })
      const { address, password } = server.login()
      proxy = createServer((near) => {
        const far = connect('path' in address ? address.path : '')
        for (const socket of [near, far]) socket.on('error', () => near.destroy())
        near.pipe(far).pipe(near)
      })
      proxy.listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      const url = `mysql://root:${password}@127.0.0.1:${portOf(proxy)}`
      mysql = await openLocalMysql({ dataDir, log: silentLog, url })
    })
    afterAll(async () => {
      await mysql.stop()
      proxy.close()
      await server.stop()
      await removeOutsideFolders(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    })

    test('has a database for each site, whose dump is complete, and which disappears with it', async () => {
      if (programs === null) return
      const site = 'abcdefghij'
      const login = await mysql.create(site)
      const address = await mysql.address()
      const as = { ...server.login(), ...login, address }
      const content = Readable.from(["CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES (1, 'ü\\n\\\\! id');\n"])
      await mysql.load(login, { content, signal: signal() })
      expect(await runSql(as, 'SELECT DATABASE(), CURRENT_USER();')).toEqual([['NULL', `${login.user}@%`]])
      const path = join(dataDir, 'dump.sql')
      await mysql.dump(site, { path, signal: signal(), maxBytes: 100_000_000 })
      expect(await readFile(path, 'utf8')).toContain("(1,'ü\\n\\\\! id')")
      await mysql.empty(site)
      expect(await runSql(as, `SHOW TABLES FROM ${login.database};`)).toEqual([])
      await mysql.setLocked(site, true)
      await expect(runSql(as, 'SELECT 1;')).rejects.toThrow(/locked/i)
      await mysql.drop(site)
      await mysql.drop(site)
      await expect(runSql(as, 'SELECT 1;')).rejects.toMatchObject({ code: 1045 })
    })

    test('runs no program that a dump names', async () => {
      const login = await mysql.create('abcdefghij')
      const content = Readable.from([
        `\\! touch ${join(dataDir, 'escaped')}\nsystem touch ${join(dataDir, 'escaped')};\n`,
      ])
      await expect(mysql.load(login, { content, signal: signal() })).rejects.toMatchObject({ code: 'unavailable' })
      await expect(readFile(join(dataDir, 'escaped'))).rejects.toMatchObject({ code: 'ENOENT' })
    })
  },
)
