import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserStarts, fixtureCache as cacheDir, fixtureUid, startFixtureBrowser } from './browser-fixture.ts'
import { killOrphanedBrowser } from './browser-process.ts'
import { groupResidentMb } from './process-group.ts'

interface Note {
  folder: string
  pid: number
}

/** Processes with the browser's folder on their command line, except zombies. */
async function processesOf(folder: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (/^\d+$/.test(name) && command.includes(folder)) found.push(Number(name))
  }
  return found
}

/** Processes of a group with their seccomp mode; those that end meanwhile are skipped. */
async function commandsOf(group: number): Promise<{ command: string; filters: string | undefined }[]> {
  const read = (name: string, file: string) => readFile(`/proc/${name}/${file}`, 'latin1').catch(() => '')
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const fields = (await read(name, 'stat')).split(') ')[1]?.split(' ')
        if (Number(fields?.[2]) !== group) return []
        const command = (await read(name, 'cmdline')).replaceAll('\0', ' ')
        return [{ command, filters: /^Seccomp:\t(\d)/m.exec(await read(name, 'status'))?.[1] }]
      }),
  )
  return all.flat()
}

/** Waits until `holds` returns true. Limited by the test's own timeout. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(20)
}

// `/proc` lists the remaining processes; other systems have no equivalent.
describe.skipIf(process.platform !== 'linux' || !(await browserStarts()))('a browser of ours', () => {
  let folder: string
  let noteFile: string
  const noted = async (): Promise<Note> => JSON.parse(await readFile(noteFile, 'utf8')) as Note
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'browser-process-'))
    noteFile = join(folder, 'browser.json')
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('runs under its own account with the sandbox on, and leaves nothing when it is closed', async () => {
    const browser = await startFixtureBrowser(noteFile, cacheDir)
    const note = await noted()
    const status = await readFile(`/proc/${note.pid}/status`, 'utf8')
    const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1])
    expect(uid).toBe(fixtureUid ?? process.getuid?.())
    expect((await stat(note.folder)).mode & 0o777).toBe(0o700)
    expect(await groupResidentMb(note.pid)).toBeGreaterThan(50)
    await browser.devtools.send('Target.createTarget', { url: 'about:blank' })
    // A new renderer enables its filter only then. 2: the kernel filters its system calls.
    await until(async () => {
      const renderers = (await commandsOf(note.pid)).filter(({ command }) => command.includes('--type=renderer'))
      return renderers.length > 0 && renderers.every(({ filters }) => filters === '2')
    })
    expect((await commandsOf(note.pid)).some(({ command }) => command.includes('--no-sandbox'))).toBe(false)
    await browser.close()
    expect(await processesOf(note.folder)).toEqual([])
    expect(existsSync(note.folder)).toBe(false)
    expect(existsSync(noteFile)).toBe(false)
    await expect(browser.devtools.send('Browser.getVersion')).rejects.toThrow()
  })

  /** A browser whose parent is killed after `before`. */
  async function startOrphanedBrowser(before: (pid: number) => void): Promise<Note> {
    const starter = spawn(process.execPath, [join(import.meta.dirname, 'browser-fixture.ts'), noteFile, cacheDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(starter.stdout, 'data')
    const note = await noted()
    expect(await processesOf(note.folder)).toContain(note.pid)
    before(note.pid)
    const exited = once(starter, 'exit')
    starter.kill('SIGKILL')
    await exited
    return note
  }

  it('exits when its parent is killed; the next start removes its files', async () => {
    const note = await startOrphanedBrowser(() => undefined)
    await until(async () => (await processesOf(note.folder)).length === 0)
    await killOrphanedBrowser(noteFile)
    expect(existsSync(note.folder)).toBe(false)
    expect(existsSync(noteFile)).toBe(false)
  })

  it('one that does not even notice is ended by the next start', async () => {
    const note = await startOrphanedBrowser((pid) => process.kill(pid, 'SIGSTOP'))
    expect(await processesOf(note.folder)).toContain(note.pid)
    await killOrphanedBrowser(noteFile)
    expect(await processesOf(note.folder)).toEqual([])
    expect(existsSync(note.folder)).toBe(false)
  })
})
