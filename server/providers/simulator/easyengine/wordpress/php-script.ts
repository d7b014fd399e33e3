import { inflateRawSync } from 'node:zlib'
import type { SiteRow } from '../database.ts'
import { documentRoot } from '../layout.ts'
import { note, type Machine } from '../machine.ts'
import { bringPackage, packageScript } from './script-packages.ts'
import { ScriptEnd, ScriptKilled, type ScriptContext, type ScriptHandler } from './script-context.ts'
import { consoleScript } from './script-console.ts'
import { changeScript } from './script-change.ts'
import { coreScript, upgradeScript } from './script-core.ts'
import { browseScript } from './script-database.ts'
import { checksumScript, contentScript, deletedScript } from './script-files.ts'
import { languagesScript, optionsScript, settleScript, undoOptionsScript } from './script-options.ts'
import { enterScript, visitScript } from './script-proof.ts'
import { sqlScript } from './script-sql.ts'
import { healthScript, inspectScript, linksScript, loginScript, peopleScript, pluginsScript } from './script-reads.ts'
import { hasDatabase, readDatabase, writeDatabase } from './state.ts'

/** Stand for Easydash' scripts: what each does to a WordPress is proved on real ones, by the tests of the local engine. */
const handlers: Readonly<Record<string, ScriptHandler>> = {
  inspect: inspectScript,
  links: linksScript,
  plugins: pluginsScript,
  people: peopleScript,
  health: healthScript,
  login: loginScript,
  change: changeScript,
  deleted: deletedScript,
  package: packageScript,
  bring: bringPackage,
  options: optionsScript,
  'options-undo': undoOptionsScript,
  languages: languagesScript,
  checksum: checksumScript,
  content: contentScript,
  core: coreScript,
  browse: browseScript,
  sql: sqlScript,
  console: consoleScript,
  upgrade: upgradeScript,
  settle: settleScript,
  visit: visitScript,
  enter: enterScript,
}

/** Scripts that run without WordPress. */
const withoutWordPress: ReadonlySet<string> = new Set([
  'deleted',
  'checksum',
  'content',
  'core',
  'browse',
  'sql',
  'visit',
])

/** `php` with one of Easydash' scripts as its standard input, which begins with the name and the input. */
export async function phpScript(machine: Machine, site: SiteRow, folder: string): Promise<number> {
  const program = machine.readInput()
  const [, name = '', json = ''] =
    /^<\?php \/\* easydash: ([a-z-]+) \*\/\n\$_SERVER\['EASYDASH_INPUT'\] = gzinflate\( base64_decode\( '([\w+/=]*)' \) \);\n/.exec(
      program,
    ) ?? []
  const handler = handlers[name]
  const [, mark = ''] = /define\( 'EASYDASH_MARK', '([^']+)' \)/.exec(program) ?? []
  const database = site['db_name'] ?? ''
  const state = hasDatabase(machine, database) ? readDatabase(machine, database) : null
  if (
    !handler ||
    folder !== site.site_container_fs_path ||
    program.includes(`require '${folder}/wp-load.php'`) === withoutWordPress.has(name)
  ) {
    note(machine.root, 'violations.log', `php: ${name || 'a program that'} is not simulated`)
    return 255
  }
  const input = JSON.parse(inflateRawSync(Buffer.from(json, 'base64')).toString('utf8')) as Record<string, unknown>
  const print = (result: unknown) => machine.out(`\n${mark}${Buffer.from(JSON.stringify(result)).toString('base64')}\n`)
  const fatal = machine.trap('php_fatal')
  if (
    state === null ||
    ((fatal === '' || fatal === site.site_url) && input['safe'] !== true && !withoutWordPress.has(name))
  ) {
    const why =
      state === null
        ? 'Error establishing a database connection'
        : 'Uncaught Error: Call to undefined function simulated_failure()'
    print({ fatal: why, file: 'wp-content/plugins/hello.php', line: 3 })
    return 255
  }
  const context: ScriptContext = { machine, site, state, root: documentRoot(machine, site) }
  const before = JSON.stringify(state)
  try {
    print(await handler(context, input))
  } catch (error) {
    if (error instanceof ScriptKilled) return error.code
    if (!(error instanceof ScriptEnd)) throw error
    print(error.result)
  }
  if (JSON.stringify(state) !== before) writeDatabase(machine, database, state)
  return 0
}
