import { EeError, namedSite, recordEffect, textOption, type EeContext } from './ee-context.ts'
import { formatItems } from './format.ts'
import { servicesPath } from './layout.ts'
import { put } from './machine.ts'

const wrongSchedule = 'Schedule format should be same as Linux cron or schedule helper syntax(Check help for this)'

/** The scheduler reads this file again with each change. */
function writeConfig({ database, machine }: EeContext): void {
  const jobs = database.all('SELECT * FROM cron ORDER BY id')
  const sections = jobs.map(
    (one) =>
      `[job-exec "${one['site_url']}-${one['id']}"]\nschedule = ${one['schedule']}\ncommand = ${one['command']}\n`,
  )
  put(machine.path(`${servicesPath}/cron/conf/config.ini`), sections.join('\n'))
}

function checkedCommand(command: string): string {
  if (command.includes(';')) throw new EeError('Command chaining using `;` - semi-colon is not supported currently.')
  if (command.includes('#')) throw new EeError('EasyEngine does not support commands with #')
  return command.includes('sh -c') ? command : `sh -c '${command}'`
}

/** `ee cron create`: five fields get a leading field of seconds. */
export function cronCreate(context: EeContext): void {
  const isHost = context.args[0] === 'host'
  const site = isHost ? null : namedSite(context, { mustBeEnabled: true })
  if (site?.site_type === 'html') throw new EeError(`${site.site_url} does not have PHP container.`)
  const schedule = textOption(context, 'schedule')?.trim() ?? ''
  const isNamed = schedule.startsWith('@')
  if (!isNamed && schedule.split(/ +/).length !== 5) throw new EeError(wrongSchedule)
  const row = {
    site_url: site?.site_url ?? 'host',
    user: textOption(context, 'user') ?? (isHost ? null : 'www-data'),
    command: checkedCommand(textOption(context, 'command') ?? ''),
    schedule: isNamed ? schedule : `0 ${schedule}`,
  }
  context.database.insert('cron', row)
  writeConfig(context)
  recordEffect(context, `cron-create ${row.site_url}`)
  context.success('Cron created successfully')
}

/** `ee cron update`: [inf] a schedule needs five characters besides spaces, and gets no field of seconds. */
export function cronUpdate(context: EeContext): void {
  const { database, args } = context
  const command = textOption(context, 'command')
  const schedule = textOption(context, 'schedule')
  if (schedule !== null && !schedule.trim().startsWith('@') && schedule.replaceAll(' ', '').length !== 5)
    throw new EeError(wrongSchedule)
  const changes = Object.entries({
    site_url: textOption(context, 'site'),
    command: command === null ? null : checkedCommand(command),
    schedule,
    user: textOption(context, 'user'),
  }).filter(([, value]) => value !== null)
  if (changes.length === 0)
    throw new EeError('You should specify at least one of - site, command, schedule or user to update')
  for (const [name, value] of changes) database.run(`UPDATE cron SET ${name} = ? WHERE id = ?`, value, args[0] ?? '')
  writeConfig(context)
  recordEffect(context, `cron-update ${args[0]}`)
  context.success('Cron update Successfully')
}

/** `ee cron list`. */
export function cronList(context: EeContext): void {
  const { database, args, options, machine } = context
  if (args[0] === undefined && options['all'] !== true)
    throw new EeError('Could not find the site you wish to run cron list command on.')
  const jobs = database.all(
    'SELECT * FROM cron WHERE ? IS NULL OR site_url = ? ORDER BY id',
    args[0] ?? null,
    args[0] ?? null,
  )
  if (jobs.length === 0) throw new EeError('No cron jobs found.')
  machine.out(formatItems(jobs, ['id', 'site_url', 'user', 'command', 'schedule'], 'table'))
}

function named({ database, args }: EeContext, problem: string) {
  const job = database.all('SELECT * FROM cron WHERE id = ?', args[0] ?? '')[0]
  if (!job) throw new EeError(`${problem} ${args[0]}`)
  return job
}

/** `ee cron run-now`. */
export function cronRunNow(context: EeContext): void {
  const job = named(context, 'No such cron with id')
  recordEffect(context, `cron-run ${job['id']}`)
}

/** `ee cron delete`. */
export function cronDelete(context: EeContext): void {
  const job = named(context, 'Unable to find cron with id')
  context.database.run('DELETE FROM cron WHERE id = ?', job['id'] ?? null)
  writeConfig(context)
  recordEffect(context, `cron-delete ${job['id']}`)
  context.success(`Deleted cron with id ${job['id']}`)
}
