import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { StdioOptions } from 'node:child_process'
import { systemErrorCode } from './startup-error.ts'

/** Linux's O_CLOEXEC, the same on every processor we support: a descriptor with it is closed when a program is started. */
const closeOnExec = 0o2000000

/**
 * Open files inherited by accident from the parent process (a shell's `exec 200>lock`), which every program we start would
 * inherit, too. Node only closes those that follow the usual three without a gap.
 */
function inheritedDescriptors(): number[] {
  // On other systems Node passes on only the descriptors listed (macOS, POSIX_SPAWN_CLOEXEC_DEFAULT).
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
    // The descriptor that read the folder.
    if (systemErrorCode(error) === 'ENOENT') return true
    throw error
  }
}

let unexpected: readonly number[] | null = null

/**
 * Starts a program that inherits only the listed files; other inherited descriptors are replaced by /dev/null.
 * @param stdio as for `spawn`
 * @param start starts the program with the given options
 */
export function withoutInheritedDescriptors<T>(
  stdio: Exclude<StdioOptions, string>,
  start: (stdio: StdioOptions) => T,
): T {
  // Strays are as old as this process: files it opens itself are never inherited.
  unexpected ??= inheritedDescriptors()
  const nothing = openSync('/dev/null', 'r')
  try {
    const all = [...stdio]
    for (const descriptor of unexpected) {
      while (all.length < descriptor) all.push('ignore')
      if (descriptor >= stdio.length) all[descriptor] = nothing
    }
    return start(all)
  } finally {
    closeSync(nothing)
  }
}
