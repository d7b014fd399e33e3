import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of its own, in memory, that can be made full; null where this process may not mount one. */
export function ownDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  const mount = (...args: string[]) => execFileSync('mount', [...args, folder], { stdio: 'ignore' })
  try {
    mount('-t', 'tmpfs', '-o', 'size=4g', 'tmpfs')
  } catch {
    rmdirSync(folder)
    return null
  }
  return {
    folder,
    /** Leaves no room at all. It fails if somebody writes between the two, which is begun again. */
    fill() {
      for (let tries = 0; ; tries += 1)
        try {
          const { blocks, bfree, bsize } = statfsSync(folder)
          mount('-o', `remount,size=${(blocks - bfree) * bsize}`)
          return
        } catch (error) {
          if (tries > 100) throw error
        }
    },
    makeRoom: () => mount('-o', 'remount,size=4g'),
    end() {
      execFileSync('umount', [folder])
      rmdirSync(folder)
    },
  }
}
