import type { SiteRow } from './database.ts'
import { note, put, readIfThere, type Machine } from './machine.ts'
import { databaseFile, hasDatabase } from './wordpress/state.ts'
import { statementsIn } from './wordpress/wp-database.ts'

/** Which of MariaDB's programs a script of a shell is to find and run; null for any other script. */
export const mariadbProgramIn = (script: string): string | null =>
  /^exec "\$\(command -v (mariadb|mariadb-dump) \|\| command -v mysql(?:dump)?\)" "\$@"$/.exec(script)?.[1] ?? null

/** A call of one of these in the PHP of a site. */
interface Call {
  readonly name: string
  /** Options, then the name of the database. */
  readonly words: readonly string[]
  /** Of the environment. */
  readonly password: string
}

/** `mariadb-dump` and `mariadb`, as Easydash calls them on the database of a PHP site. */
export function mariadbProgram(machine: Machine, site: SiteRow, { name, words, password }: Call): number {
  const [first] = words
  if (first !== '--no-defaults' || words.some((word) => /^(?:-p|--password)/.test(word))) {
    note(
      machine.root,
      'violations.log',
      `${name}: files of the site say how it works, or anybody can read the password`,
    )
    return 1
  }
  const database = words.at(-1) ?? ''
  const login = ['host', 'port', 'user'].map((key) => words.find((word) => word.startsWith(`--${key}=`))?.split('=')[1])
  const known = [site['db_host'], site['db_port'], site['db_user'], site['db_password'], site['db_name']]
  if (JSON.stringify([...login, password, database]) !== JSON.stringify(known) || !hasDatabase(machine, database)) {
    machine.err(`ERROR 1045 (28000): Access denied for user '${login[2]}'\n`)
    return 1
  }
  const { tables = {}, routines = [] } = storedIn(machine, database)
  if (name === 'mariadb-dump') {
    const texts = Object.entries(tables).map(([table, text]) => `DROP TABLE IF EXISTS \`${table}\`;\n${text}\n`)
    machine.out(`/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump, simulated\nSET NAMES utf8mb4;\n`)
    machine.out(`${texts.join('')}-- Dump completed on 2026-01-01 12:00:00\n`)
    return 0
  }
  const text = machine.readInput()
  if (text.startsWith("SELECT CONCAT(LOWER(ROUTINE_TYPE), ' ', ROUTINE_NAME)")) {
    machine.out(routines.map((one) => `${one}\n`).join(''))
    return 0
  }
  return load(machine, database, { tables, routines }, text)
}

/** The database of a PHP site. */
interface Stored {
  /** Each as a dump has it. */
  readonly tables?: Readonly<Record<string, string>>
  /** Kinds and names of procedures, functions and events. */
  readonly routines?: readonly string[]
}

const storedIn = (machine: Machine, database: string): Stored =>
  (JSON.parse(readIfThere(machine.path(databaseFile(database))) ?? 'null') ?? {}) as Stored

/** Statements that remove all tables, then a dump: nothing else is simulated. */
function load(machine: Machine, database: string, { tables = {}, routines }: Stored, text: string): number {
  const begin = /^(?:(?:SET|PREPARE|EXECUTE) .*\n)+/.exec(text)?.[0] ?? ''
  // Everything up to what the server does not understand counts.
  const [read = '', ...rest] = text.slice(begin.length).split(/^\* '$/m)
  const kept = begin.includes('DROP TABLE') ? {} : tables
  const now = { ...kept, ...Object.fromEntries(statementsIn(read)) }
  put(machine.path(databaseFile(database)), JSON.stringify({ tables: now, routines }))
  if (rest.length === 0) return 0
  machine.err('ERROR 1064 (42000) at line 1: You have an error in your SQL syntax\n')
  return 1
}
