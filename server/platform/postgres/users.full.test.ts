import { chmodSync, existsSync, statSync } from 'node:fs'
import { chown, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAlive } from '../processes/processes.ts'
import { abandonedFolders, outsideFolders, prepareLocation } from './location.ts'
import { removePostgres } from './postgres.ts'
import { folders, query, run, start, untilTerminated, useFolders } from './test-server.ts'

useFolders()

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test('below a closed folder the database lives elsewhere, is found again and can be removed', async () => {
    const home = join(folders.root, 'home')
    await mkdir(home, { mode: 0o700 })
    folders.dataDir = join(home, 'clone', 'data')
    const first = await start()
    const [folder] = await outsideFolders(folders.dataDir)
    expect(folder).toMatch(new RegExp(`^${folders.systemDir}/[0-9a-f]{12}$`))
    await query(first, 'create table kept ()')
    await first.stop()
    const second = await start()
    expect(await query(second, "select to_regclass('kept') is not null as found")).toEqual([{ found: true }])
    expect(await outsideFolders(folders.dataDir)).toEqual([folder])
    const browser = join(folders.systemDir, 'chromium-1.2.3')
    await mkdir(browser)
    expect(await abandonedFolders(folders.systemDir)).toEqual([])
    await rm(browser, { recursive: true })
    await rename(folders.dataDir, `${folders.dataDir}-gone`)
    expect(await abandonedFolders(folders.systemDir)).toEqual([folder])
    await rename(`${folders.dataDir}-gone`, folders.dataDir)
    await removePostgres(folders.dataDir, folders.systemDir)
    expect(isAlive(second.pid)).toBe(false)
    expect(await readdir(folders.systemDir)).toEqual(['user-ids'])
    expect(await readdir(join(folders.systemDir, 'user-ids'))).toEqual([])
  })

  test('its location can be requested concurrently', async () => {
    await start()
    const places = await Promise.all(
      Array.from({ length: 20 }, () => prepareLocation(folders.dataDir, folders.systemDir)),
    )
    expect(new Set(places.map(({ cluster }) => cluster)).size).toBe(1)
  })

  test('does not silently replace a missing database elsewhere with an empty one', async () => {
    folders.dataDir = join(folders.root, 'home', 'data')
    await mkdir(join(folders.root, 'home'), { mode: 0o700 })
    await (await start()).stop()
    await rm(folders.systemDir, { recursive: true })
    await expect(start()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringMatching(/ was in .* and is gone\.$/),
    })
    expect(existsSync(folders.systemDir)).toBe(false)
  })

  test('a database that was open and is closed now is refused with the command that helps', async () => {
    await (await start()).stop()
    chmodSync(folders.root, 0o700)
    await expect(start()).rejects.toMatchObject({
      name: 'StartupError',
      nextAction: expect.stringContaining(`chmod o+x ${folders.root}`),
    })
  })

  test('an ordinary user runs it themselves, and root later runs it as that user', async () => {
    await mkdir(folders.dataDir)
    await chown(folders.dataDir, 1, 1)
    const { output, child, ended } = run(untilTerminated, { uid: 1, gid: 1 })
    const pid = Number(await output)
    expect(statSync(`/proc/${pid}`).uid).toBe(1)
    child.kill('SIGTERM')
    await ended
    expect(isAlive(pid)).toBe(false)
    const postgres = await start()
    expect(statSync(`/proc/${postgres.pid}`).uid).toBe(1)
  })

  test('shows a message to another user than the first one', async () => {
    await (await start()).stop()
    chmodSync(join(folders.dataDir, 'postgres'), 0o755)
    await chown(folders.dataDir, 1, 1)
    await chown(join(folders.dataDir, 'postgres-users'), 1, 1)
    expect(await run('await start()', { uid: 1, gid: 1 }).output).toMatch(
      /^StartupError: The database files belong to user id \d+, but Easydash was started by user id 1\. → /,
    )
  })

  test('points a user id unknown to the system to DATABASE_URL', async () => {
    await mkdir(folders.dataDir)
    await chown(folders.dataDir, 54_321, 54_321)
    expect(await run('await start()', { uid: 54_321, gid: 54_321 }).output).toMatch(
      /^StartupError: .*user id 54321 has no entry.*DATABASE_URL/,
    )
    expect(await readdir(folders.dataDir)).toEqual(['postgres-users'])
  })

  test('reports a read-only data folder in one sentence', async () => {
    await mkdir(folders.dataDir, { mode: 0o755 })
    expect(await run('await start()', { uid: 1, gid: 1 }).output).toMatch(
      /^StartupError: The data folder .* cannot be written: permission denied\. → .*EASYDASH_DATA_DIR/,
    )
    expect(await readdir(folders.dataDir)).toEqual([])
  })
})
