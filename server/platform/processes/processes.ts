import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { systemErrorCode } from './startup-error.ts'

/** Whether a process with this id exists (including other users' processes). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
}

function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** Whether a process has ended but its entry is kept until its parent asks for it, which some process 1 never does. */
export function isZombie(pid: number): boolean {
  return process.platform === 'linux' && statFields(pid)?.[0] === 'Z'
}

function ps(pid: number, column: string): string | null {
  try {
    return (
      execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      }).trim() || null
    )
  } catch {
    return null
  }
}

/**
 * Distinguishes two processes that had the same id at different times (by start time); null if there is no such process.
 * Compare for equality only.
 */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') return statFields(pid)?.[19] ?? null
  return ps(pid, 'lstart')
}

/** Name of the program a process runs, e.g. `postgres`; null if there is no such process. */
export function processName(pid: number): string | null {
  if (process.platform !== 'linux') return ps(pid, 'comm')?.split('/').at(-1) ?? null
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return null
  }
}

/** Working directory of a process; null if the system does not report it or there is no such process. */
export function processFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

/** Command line of a process, arguments separated by spaces; null if there is no such process. */
export function processCommand(pid: number): string | null {
  if (process.platform !== 'linux') return ps(pid, 'command')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return null
  }
}
