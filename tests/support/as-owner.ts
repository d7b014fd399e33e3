import { execFileSync } from 'node:child_process'

/** Root may read everything; somebody else cannot (`nobody`). */
const nobody = 65_534

/**
 * Runs a module as the ordinary user whom a folder belongs to, and gives back what it prints as JSON. As root the folder
 * is handed over to another user first.
 */
export function runAsOwner(folder: string, code: string): unknown {
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { ...user, encoding: 'utf8' }),
  ) as unknown
}
