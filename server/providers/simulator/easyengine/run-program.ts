/** Runs a program of a simulated machine: `run-program.ts NAME ARGUMENT…`, with EASYDASH_ROOT. */
import { openssl } from './certificates.ts'
import { docker, dockerCompose } from './docker.ts'
import { ee } from './ee.ts'
import { thisProcess, type Machine } from './machine.ts'
import { rclone } from './rclone.ts'
import { sqlite3 } from './sqlite3.ts'

type Program = (machine: Machine, argv: readonly string[]) => number | Promise<number>

/** What is rarely called is loaded then. */
function archiving(name: 'age' | 'curl' | 'zstd'): Program {
  return async (machine, argv) => (await import('./archive-programs.ts'))[name](machine, argv)
}

const programs: Readonly<Record<string, Program>> = {
  age: archiving('age'),
  curl: archiving('curl'),
  zstd: archiving('zstd'),
  ee,
  docker,
  'docker-compose': dockerCompose,
  openssl,
  rclone,
  sqlite3,
}

const [name = '', ...argv] = process.argv.slice(2)
const program = programs[name]
const root = process.env['EASYDASH_ROOT']
if (!program || root === undefined || root === '') throw new Error(`There is no program ${name} here.`)
// Programs end quietly where nobody reads them any more, as by SIGPIPE.
process.stdout.on('error', () => process.exit(141))
process.exitCode = await program(thisProcess(root), argv)
