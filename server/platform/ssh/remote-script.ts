import { readFileSync } from 'node:fs'
import { singleQuoted } from './quote.ts'

/** Reads scripts of the folder `remote`, without their comments, as one script. */
function load(...names: readonly string[]): string {
  return ['environment', ...names]
    .flatMap((name) => readFileSync(new URL(`remote/${name}.sh`, import.meta.url), 'utf8').split('\n'))
    .filter((line) => line !== '' && !line.trimStart().startsWith('#'))
    .join('\n')
}

/** What runs on servers. Each script says in its file what its arguments are, and answers with a line that starts with `easydash`. */
export const remoteScripts = {
  read: load('input', 'read'),
  send: load('send'),
  run: load('processes', 'input', 'claim', 'run'),
  start: load('start'),
  supervise: load('processes', 'input', 'claim', 'supervise'),
  leader: load('leader'),
  follow: load('processes', 'follow'),
  cancel: load('processes', 'cancel'),
  remove: load('processes', 'remove'),
}

/** The command line that runs a script as root. `words` are its arguments, quoted. */
export function scriptLine(user: string, script: string, words: string): string {
  return `exec ${user === 'root' ? '' : 'sudo -n '}/bin/sh -c ${singleQuoted(script)} easydash ${words}`
}

/** The answer of a script. */
export interface RemoteAnswer {
  readonly words: readonly string[]
  /** What the command printed. */
  readonly rest: Buffer
}

const answer = 'easydash '
const lineFeed = 0x0a
/** Login shells may print something before. */
const maxNoiseBytes = 64 * 1024

/** Finds the answer of a script in its output; null if it did not run. */
export function parseAnswer(output: Buffer): RemoteAnswer | null {
  for (let at = 0; at < Math.min(output.length, maxNoiseBytes);) {
    const end = output.indexOf(lineFeed, at)
    if (end < 0) return null
    const line = output.toString('latin1', at, Math.min(end, at + 200))
    if (line.startsWith(answer)) return { words: line.slice(answer.length).split(' '), rest: output.subarray(end + 1) }
    at = end + 1
  }
  return null
}
