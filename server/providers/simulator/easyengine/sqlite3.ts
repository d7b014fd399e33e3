import { DatabaseSync } from 'node:sqlite'
import { note, type Machine } from './machine.ts'

/** The program `sqlite3` as Easydash uses it: `sqlite3 -readonly -json FILE SQL`. */
export function sqlite3(machine: Machine, argv: readonly string[]): number {
  const [readOnly, format, file, sql, ...more] = argv
  if (readOnly !== '-readonly' || format !== '-json' || file === undefined || sql === undefined || more.length > 0) {
    note(machine.root, 'violations.log', 'sqlite3: only -readonly -json FILE SQL is simulated')
    machine.err('Error: unknown option\n')
    return 1
  }
  if (misbehaves(machine)) return 0
  try {
    const database = new DatabaseSync(machine.path(file), { readOnly: true, timeout: 5000 })
    const found = database.prepare(sql).all()
    database.close()
    const rows = machine.trap('other_site') === null ? found : ofOthers(found)
    // No rows are printed as nothing.
    if (rows.length > 0) machine.out(`[${rows.map((row) => JSON.stringify(row)).join(',\n')}]\n`)
    return 0
  } catch (error) {
    machine.err(`Error: in prepare, ${(error as Error).message}\n`)
    return 1
  }
}

type Rows = ReturnType<ReturnType<DatabaseSync['prepare']>['all']>

/** Each row under the domain of another site. */
const ofOthers = (rows: Rows): Rows =>
  rows.map((row, at) =>
    row['site_url'] === undefined
      ? row
      : { ...row, site_url: rows.length > 1 ? (rows[(at + 1) % rows.length]?.['site_url'] ?? null) : 'other.example' },
  )

/** Prints what is no JSON, or never ends, where a trap says so. Returns whether it did. */
export function misbehaves(machine: Machine): boolean {
  if (machine.trap('nonsense_json') !== null) {
    machine.out('<br />\nWarning: Undefined array key [{"site":\n')
    return true
  }
  if (machine.trap('endless_output') === null) return false
  const endless = () => {
    while (process.stdout.write(`${'[{"site":"endless.example"},'.repeat(2000)}\n`));
  }
  process.stdout.on('drain', endless).on('error', () => process.exit(1))
  endless()
  return true
}
