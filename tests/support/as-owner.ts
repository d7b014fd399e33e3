import { execFileSync } from 'node:child_process'

/** Uid of `nobody`: root can read everything, this user can't. */
const nobody = 65_534

/**
 * Runs a module as the ordinary user who owns a folder and returns its JSON output. If the tests run as root, the folder is
 * first given to another user.
 */
export function runAsOwner(folder: string, code: string): unknown {
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
  if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { ...user, encoding: 'utf8' }),
  ) as unknown
}
