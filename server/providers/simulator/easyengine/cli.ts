import { confirm, EeError, recordEffect, type EeContext } from './ee-context.ts'
import { formatItems, drawTable } from './format.ts'
import { put, readIfThere, type Machine } from './machine.ts'
import { misbehaves } from './sqlite3.ts'

const versionFile = '/var/lib/simulated/easyengine'
const newest = '4.12.0'

/** The version of EasyEngine on a machine. */
export const versionOf = (machine: Machine): string => readIfThere(machine.path(versionFile))?.trim() ?? '4.10.2'

/** `ee cli version`. */
export const cliVersion = ({ machine }: EeContext): void => machine.out(`EE ${versionOf(machine)}\n`)

/**
 * Converts the database to the version of EasyEngine and gets its images, unless that was done. Without Docker it does nothing, and says nothing.
 * Source: EasyEngine/easyengine, php/EE/Runner.php (init_ee, maybe_trigger_migration).
 */
function migrate({ machine, database }: EeContext): void {
  const version = versionOf(machine)
  if (machine.trap('docker_down') !== null) return
  if (database.all("SELECT value FROM options WHERE key = 'version'")[0]?.['value'] === version) return
  if (machine.trap('pull_fails') !== null) throw new EeError(`Unable to pull easyengine/nginx:v${version}`)
  database.run("INSERT OR REPLACE INTO options (key, value) VALUES ('version', ?)", version)
}

/** `ee cli info`. */
export function cliInfo(context: EeContext): void {
  const { machine, options } = context
  migrate(context)
  const facts = {
    php_binary_path: '/usr/bin/php8.3',
    global_config_path: '/opt/easyengine/config/config.yml',
    project_config_path: null,
    ee_dir_path: 'phar://ee.phar',
    ee_packages_dir_path: null,
    ee_version: versionOf(machine),
    system_os: 'Linux 6.8.0-60-generic x86_64',
    shell: '/bin/bash',
  }
  if (options['format'] !== 'json')
    return machine.out(drawTable(Object.entries(facts).map(([name, value]) => [name, value ?? ''])))
  if (!misbehaves(machine)) machine.out(`${JSON.stringify(facts)}\n`)
}

/** `ee cli check-update`. */
export function cliCheckUpdate(context: EeContext): void {
  const { machine, options } = context
  const version = versionOf(machine)
  if (version === newest) {
    if (options['format'] === 'table') context.success('EasyEngine is at the latest version.')
    return
  }
  const item = { version: newest, update_type: 'minor', package_url: `https://example.invalid/ee-${newest}.phar` }
  const fields = String(options['field'] ?? options['fields'] ?? 'version,update_type,package_url').split(',')
  machine.out(formatItems([item], fields, String(options['format'])))
}

/** `ee cli update`. */
export function cliUpdate(context: EeContext): void {
  const { machine } = context
  confirm(context, 'Are you sure you want to continue?')
  if (versionOf(machine) === newest) return context.success('EasyEngine is at the latest version.')
  context.log('Updating EasyEngine to new version. This might take some time.')
  put(machine.path(versionFile), newest)
  recordEffect(context, `cli-update ${newest}`)
  context.success(`Updated EE to ${newest}.`)
}
