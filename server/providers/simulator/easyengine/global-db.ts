import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { note, readIfThere, type Machine } from './machine.ts'
import { databaseFile, userFile } from './wordpress/state.ts'

/** What the container of MariaDB is to run: its client as root, with the password that only its environment has. */
const client =
  'MYSQL_PWD=$MYSQL_ROOT_PASSWORD exec "$(command -v mariadb || command -v mysql)" --no-defaults --user=root --batch --raw --skip-column-names'

const showDatabases = /^show databases like '([a-z0-9]+)\\_([a-z0-9]+)\\_%';$/
const selectUsers =
  /^select concat\('drop user if exists ', quote\(User\), '@', quote\(Host\), ';'\) from mysql\.db where Db = '(\w+)' and User not in \(select User from mysql\.db where Db <> '\1'\);$/
const dropDatabase = /^drop database if exists `(\w+)`;$/
const dropUser = /^drop user if exists '([\w.-]+)'@'%';$/

/** `docker exec -i services_global-db_1 sh -c …` as Easydash calls it; null for any other script. */
export function globalDatabase(machine: Machine, args: readonly string[]): number | null {
  if (args[0] !== '-c' || args[1] !== client) return null
  for (const line of machine.readInput().split('\n').filter(Boolean)) {
    const output = execute(machine, line)
    if (output === null) {
      note(machine.root, 'violations.log', `mariadb: ${line} is not simulated`)
      machine.err('ERROR 1064 (42000) at line 1: You have an error in your SQL syntax\n')
      return 1
    }
    machine.out(output.map((one) => `${one}\n`).join(''))
  }
  return 0
}

/** The rows of a statement; null for one that is not simulated. */
function execute(machine: Machine, line: string): string[] | null {
  const [, ...beginning] = showDatabases.exec(line) ?? []
  if (beginning.length > 0)
    return named(machine, databaseFile('x')).filter((one) => one.startsWith(`${beginning.join('_')}_`))
  const of = selectUsers.exec(line)?.[1]
  if (of !== undefined) {
    const user = readIfThere(machine.path(userFile(of)))
    return user === null ? [] : [`drop user if exists '${user}'@'%';`]
  }
  const database = dropDatabase.exec(line)?.[1]
  if (database !== undefined) {
    rmSync(machine.path(databaseFile(database)))
    return []
  }
  const user = dropUser.exec(line)?.[1]
  if (user === undefined) return null
  for (const one of named(machine, userFile('x')))
    if (readIfThere(machine.path(userFile(one))) === user) rmSync(machine.path(userFile(one)))
  return []
}

/** Databases that have a file beside that of one. */
function named(machine: Machine, file: string): string[] {
  const folder = machine.path(dirname(file))
  return existsSync(folder) ? readdirSync(folder).map((name) => name.split('.')[0] ?? '') : []
}
