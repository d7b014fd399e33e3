import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAlive } from '../processes/processes.ts'
import { findMysql } from './find-mysql.ts'
import { runSql, type MysqlLogin } from './mysql-client.ts'
import { mysqlFolder } from './mysql-folder.ts'
import { startMysqlServer, stopMysqlServer, type MysqlServer, type MysqlServerOptions } from './mysql-server.ts'

const programs = await findMysql()
const program = programs?.server ?? null
/** Root's server runs as another user; which one does not matter here. */
const account = process.getuid?.() === 0 ? { uid: 54_999, gid: 54_999 } : null

describe.skipIf(program === null)('a server of our own (skipped where MariaDB or MySQL is not installed)', () => {
  let home = ''
  let options: MysqlServerOptions
  const running: MysqlServer[] = []
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mysql-'))
    await chmod(home, 0o755)
    if (program === null) return
    const folder = mysqlFolder(join(home, 'server'))
    const socket = join(folder.home, 'mysql.sock')
    options = { program, folder, account, socket, logFile: join(home, 'mysql.log') }
  })
  afterAll(async () => {
    for (const server of running) await stopMysqlServer(server)
    await rm(home, { recursive: true, force: true })
  })
  const start = async (): Promise<MysqlServer> => {
    const server = await startMysqlServer(options)
    running.push(server)
    return server
  }
  const login = (server: MysqlServer): MysqlLogin => {
    if (programs === null) throw new Error('Nothing is installed.')
    return { programs, account, address: { path: server.socket }, user: 'root', password: server.password }
  }

  test('takes only its own password, a new one at each start, and keeps its content', async () => {
    const first = await start()
    await runSql(login(first), 'CREATE DATABASE kept; CREATE TABLE kept.t (a int); INSERT INTO kept.t VALUES (7);')
    for (const password of ['', 'root', `${first.password}x`])
      await expect(runSql({ ...login(first), password }, 'SELECT 1;')).rejects.toMatchObject({ code: 1045 })
    await expect(runSql({ ...login(first), user: 'mysql', password: '' }, 'SELECT 1;')).rejects.toMatchObject({
      code: 1045,
    })
    await stopMysqlServer(first)
    expect(isAlive(first.pid)).toBe(false)
    const second = await start()
    expect(second.password).not.toBe(first.password)
    await expect(runSql(login(first), 'SELECT 1;')).rejects.toMatchObject({ code: 1045 })
    expect(await runSql(login(second), 'SELECT a FROM kept.t;')).toEqual([['7']])
    await stopMysqlServer(second)
  })

  test('listens on no port', async () => {
    const server = await start()
    expect(await runSql(login(server), 'SELECT @@skip_networking;')).toEqual([['1']])
    await stopMysqlServer(server)
  })

  test('ends with the process that started it, however that ended, and the next one takes its place', async () => {
    const code = `
      import { startMysqlServer } from ${JSON.stringify(new URL('mysql-server.ts', import.meta.url).href)}
      const server = await startMysqlServer(${JSON.stringify(options)})
      process.stdout.write(String(server.pid), () => process.kill(process.pid, 'SIGKILL'))
    `
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]).catch(
      (error: unknown) => error as { stdout: string },
    )
    const pid = Number(stdout)
    expect(pid).toBeGreaterThan(1)
    await expect.poll(() => isAlive(pid)).toBe(false)
    const server = await start()
    expect(await runSql(login(server), 'SELECT 1;')).toEqual([['1']])
    await stopMysqlServer(server)
  })
})
