import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { StdioOptions } from 'node:child_process'
import { systemErrorCode } from './startup-error.ts'

/** O_CLOEXEC as Linux numbers it, the same on every processor we support: what has it ends where a program is started. */
const closeOnExec = 0o2000000

/**
 * Open files that whoever started this program left to it by accident (`exec 200>lock` of a shell), and which every
 * program that we start would get as well. Node closes those that follow the usual three without a gap.
 */
function strayDescriptors(): number[] {
  // Elsewhere Node hands on nothing but what is named (macOS, POSIX_SPAWN_CLOEXEC_DEFAULT).
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor))
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0
  } catch (error) {
    // The one that read the folder.
    if (systemErrorCode(error) === 'ENOENT') return true
    throw error
  }
}

let strays: readonly number[] | null = null

/**
 * Starts a program that gets no open file but those named; in the places of others it finds an empty one.
 * @param stdio what it gets, as `spawn` takes it
 * @param start starts the program with the options given
 */
export function withoutStrays<T>(stdio: Exclude<StdioOptions, string>, start: (stdio: StdioOptions) => T): T {
  // All of them are as old as this process: what it opens itself is never handed on.
  strays ??= strayDescriptors()
  const nothing = openSync('/dev/null', 'r')
  try {
    const all = [...stdio]
    for (const descriptor of strays) {
      while (all.length < descriptor) all.push('ignore')
      if (descriptor >= stdio.length) all[descriptor] = nothing
    }
    return start(all)
  } finally {
    closeSync(nothing)
  }
}
