import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureAdminToolsUser } from './auth.ts'
import type { SiteRow } from './database.ts'
import { domainOf, EeError, namedSite, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { documentRoot, sitePath } from './layout.ts'
import { readIfThere } from './machine.ts'

function mailhogSite({ database, args }: EeContext): SiteRow {
  const site = database.site(domainOf(args[0]))
  if (site?.site_enabled !== '1') throw new EeError(`Site ${args[0]} does not exist / is not enabled.`)
  if (site.site_type === 'html')
    throw new EeError(`${site.site_url} site does not have support to enable/disable mailhog.`)
  return site
}

/** `ee mailhog enable` and `ee mailhog disable`. */
export const mailhogSwitch =
  (isWanted: boolean) =>
  (context: EeContext): void => {
    if (isWanted) ensureAdminToolsUser(context)
    const site = mailhogSite(context)
    const isUp = site['mailhog_enabled'] === '1'
    if (isUp === isWanted && context.options['force'] !== true)
      throw new EeError(`Mailhog is already ${isUp ? 'up' : 'down'}.`)
    context.database.updateSite(site.site_url, { mailhog_enabled: isWanted ? 1 : 0 })
    recordEffect(context, `mailhog ${site.site_url} ${isWanted ? 'on' : 'off'}`)
    context.success(`Mailhog ${isWanted ? 'enabled' : 'disabled'} for ${site.site_url} site`)
  }

/** `ee mailhog status`. */
export function mailhogStatus(context: EeContext): void {
  const site = mailhogSite(context)
  context.log(`Mailhog is ${site['mailhog_enabled'] === '1' ? 'UP' : 'DOWN'} for ${site.site_url} site.`)
}

const services = ['nginx-proxy', 'db', 'redis', 'newrelic-daemon', 'cron']

/** `ee service enable|disable|restart|reload|refresh`: only nginx-proxy reloads. */
export const serviceCommand =
  (verb: string) =>
  (context: EeContext): void => {
    const [name] = context.args
    if (verb !== 'refresh' && !services.includes(name ?? '')) throw new EeError(`Unable to find service ${name}.`)
    if (verb === 'reload' && name !== 'nginx-proxy') throw new EeError(`${name} can not be reloaded.`)
    recordEffect(context, `service ${verb} ${name ?? ''}`.trimEnd())
    context.success(`Service ${name ?? ''} ${verb} done.`.replace('  ', ' '))
  }

const logFolder = '/opt/easyengine/logs'

/** `ee log show`: the last lines, then it never ends. */
export async function logShow(context: EeContext): Promise<void> {
  const { machine, options, args } = context
  const files: string[] = []
  if (options['cli'] === true) files.push(machine.path(`${logFolder}/ee.log`))
  if (args[0] !== undefined) {
    const site = namedSite(context, { mustBeEnabled: true })
    const isAll = !['nginx', 'php', 'wp'].some((name) => options[name] === true)
    for (const name of ['nginx', 'php']) {
      const folder = sitePath(machine, site.site_url, `logs/${name}`)
      if ((isAll || options[name] === true) && existsSync(folder))
        files.push(
          ...readdirSync(folder)
            .filter((file) => isChosen(context, file))
            .map((file) => join(folder, file)),
        )
    }
    if (options['wp'] === true) files.push(join(documentRoot(machine, site), 'wp-content/debug.log'))
  }
  for (const file of files) {
    const lines = readIfThere(file)?.trimEnd().split('\n') ?? []
    machine.out(`==> ${file} <==\n${lines.slice(-Number(textOption(context, 'n'))).join('\n')}\n`)
  }
  await new Promise<never>(() => setInterval(() => undefined, 60_000))
}

const isChosen = ({ options }: EeContext, file: string): boolean =>
  ['access', 'error'].every((name) => options[name] !== true) ||
  ['access', 'error'].some((name) => options[name] === true && file.startsWith(name))
