import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processCommand, processIdentity } from '#server/platform/processes/processes.ts'
import type { LocalEngineLog } from '../options.ts'
import { killAndWait } from '../sandbox/process-tree.ts'

/**
 * Records the running processes of sites on disk. A site's process ends when its engine is gone, but only once its PHP
 * yields: an endless loop, or an installation in progress, outlives a killed engine where no sandbox ends it (`sandbox.ts`). The
 * next engine uses these notes to end it before touching the site.
 */
export interface ProcessNotes {
  /** Throws if the note can't be written. */
  add(pid: number): void
  /** Never throws: a leftover note refers to a process that is gone. */
  remove(pid: number): void
}

/** Ends processes left by an earlier engine of this folder, then starts with new notes. */
export async function openProcessNotes(folder: string, log: LocalEngineLog): Promise<ProcessNotes> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    await killIfSameProcess(Number(name), readFileSync(path, 'utf8'), log)
    rmSync(path, { force: true })
  }
  return {
    add: (pid) => writeFileSync(join(folder, String(pid)), processIdentity(pid) ?? '', { mode: 0o600 }),
    remove: (pid) => {
      try {
        rmSync(join(folder, String(pid)), { force: true })
      } catch (error) {
        log.warn('The note of a site’s process could not be removed', { pid, error })
      }
    },
  }
}

/** The id may belong to another process by now, even one started at the same tick after a reboot. */
async function killIfSameProcess(pid: number, identity: string, log: LocalEngineLog): Promise<void> {
  const same = Number.isInteger(pid) && pid > 1 && identity !== '' && processIdentity(pid) === identity
  if (!same || !(processCommand(pid) ?? '').includes('site-process')) return
  log.warn('A site’s process outlived a killed engine and is ended', { pid })
  await killAndWait({ pid, identity })
}
