import { readContract } from './contract.ts'
import { openDatabase } from './database.ts'
import { authCreate, authDelete, authList, authUpdate } from './auth.ts'
import { siteBackup } from './backups.ts'
import { cliCheckUpdate, cliInfo, cliUpdate, cliVersion, versionOf } from './cli.ts'
import { siteClone, siteSync } from './copies.ts'
import { cronCreate, cronDelete, cronList, cronRunNow, cronUpdate } from './cron.ts'
import { Declined, EeError, type EeContext } from './ee-context.ts'
import { note, put, readIfThere, type Machine } from './machine.ts'
import { parseCall } from './parse-call.ts'
import { logShow, mailhogStatus, mailhogSwitch, serviceCommand } from './services.ts'
import { configGet, configSet } from './settings.ts'
import { siteCreate } from './site-create.ts'
import { siteDelete } from './site-delete.ts'
import { siteInfo, siteList } from './site-info.ts'
import { siteClean, siteDisable, siteEnable, siteRefresh, siteReload, siteRestart } from './site-power.ts'
import { siteRestore } from './site-restore.ts'
import { sslInfo, sslRenew, sslVerify } from './site-ssl.ts'
import { siteUpdate } from './site-update.ts'

type Handler = (context: EeContext) => void | Promise<void>

/** Commands that change nothing. */
const reading: Readonly<Record<string, Handler>> = {
  'site list': siteList,
  'site info': siteInfo,
  'site ssl-info': sslInfo,
  'auth list': authList,
  'config get': configGet,
  'cron list': cronList,
  'mailhog status': mailhogStatus,
  'log show': logShow,
  'cli version': cliVersion,
  'cli info': cliInfo,
  'cli check-update': cliCheckUpdate,
}

/** Commands that change the server: one at a time, because EasyEngine itself has no lock. */
const changing: Readonly<Record<string, Handler>> = {
  'site create': siteCreate,
  'site delete': siteDelete,
  'site update': siteUpdate,
  'site enable': siteEnable,
  'site disable': siteDisable,
  'site refresh': siteRefresh,
  'site restart': siteRestart,
  'site reload': siteReload,
  'site clean': siteClean,
  'site ssl-verify': sslVerify,
  'site ssl-renew': sslRenew,
  'auth create': authCreate,
  'auth update': authUpdate,
  'auth delete': authDelete,
  'site backup': siteBackup,
  'site restore': siteRestore,
  'site clone': siteClone,
  'site sync': siteSync,
  'cron create': cronCreate,
  'cron update': cronUpdate,
  'cron run-now': cronRunNow,
  'cron delete': cronDelete,
  'mailhog enable': mailhogSwitch(true),
  'mailhog disable': mailhogSwitch(false),
  'service enable': serviceCommand('enable'),
  'service disable': serviceCommand('disable'),
  'service restart': serviceCommand('restart'),
  'service reload': serviceCommand('reload'),
  'service refresh': serviceCommand('refresh'),
  'config set': configSet,
  'cli update': cliUpdate,
}

/** The program `ee`. Returns its exit code. */
export async function ee(machine: Machine, argv: readonly string[]): Promise<number> {
  const database = openDatabase(machine)
  try {
    const contract = readContract(versionOf(machine))
    const call = parseCall(contract, argv, (domain) => database.site(domain)?.site_type ?? null)
    const name = call.command?.path.join(' ') ?? ''
    const violation = (text: string) =>
      note(machine.root, 'violations.log', `ee ${name || call.args.slice(0, 2).join(' ')}: ${text}`)
    for (const text of call.violations) violation(text)
    if (machine.looksForUpdates) violation('without EE_DISABLE_AUTO_CHECK_UPDATE on a terminal')
    for (const text of call.warnings) machine.err(`Warning: ${text}\n`)
    if (call.fatal !== null) {
      if (call.fatal.isUsage) machine.out(`${call.fatal.text}\n`)
      else machine.err(`Error: ${call.fatal.text}\n`)
      return 1
    }
    if (call.command === null) {
      machine.out(call.options['version'] === true ? 'EE 4.10.2\n' : 'usage: ee <command>\n')
      return 0
    }
    note(machine.root, 'ee.log', `ee ${name} ${call.args.join(' ')}`.trimEnd())
    if (machine.trap('docker_down') !== null && call.command.path[0] !== 'cli') {
      machine.err('Error: Docker not installed or not running (checked 4 times).\n')
      return 0
    }
    const handler = reading[name] ?? changing[name]
    if (!handler) {
      violation('is not simulated')
      machine.err(`Error: ${name} is not simulated.\n`)
      return 1
    }
    const quiet = call.options['quiet'] === true
    const line = (text: string) => (quiet ? undefined : machine.out(`${text}\n`))
    const context: EeContext = {
      contract,
      machine,
      database,
      args: call.args,
      options: call.options,
      log: line,
      success: (text) => line(`Success: ${text}`),
      warning: (text) => (quiet ? undefined : machine.err(`Warning: ${text}\n`)),
    }
    const isChange = name in changing && call.options['list'] !== true
    return await run(context, handler, { isChange, violation })
  } finally {
    database.close()
  }
}

async function run(
  context: EeContext,
  handler: Handler,
  { isChange, violation }: { readonly isChange: boolean; readonly violation: (text: string) => void },
): Promise<number> {
  const { machine } = context
  if (isChange) {
    const other = Number(readIfThere(machine.path(changingFile)) ?? '')
    if (other > 0 && isRunning(other)) violation('while another command changes the server')
    put(machine.path(changingFile), String(process.pid))
  }
  try {
    await handler(context)
    return 0
  } catch (error) {
    if (error instanceof Declined) return 0
    if (!(error instanceof EeError)) throw error
    if (error.message !== '') machine.err(`Error: ${error.message}\n`)
    return machine.trap('exit_zero') === null ? 1 : 0
  } finally {
    if (isChange) put(machine.path(changingFile), '')
  }
}

const changingFile = '/var/lib/simulated/changing'

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    // It has ended.
    return false
  }
}
