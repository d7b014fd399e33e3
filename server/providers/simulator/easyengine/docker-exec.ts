import { areCertificatesValid } from './certificates.ts'
import { findContainer, type Container } from './containers.ts'
import { spawnSync } from 'node:child_process'
import type { EasyEngineDatabase } from './database.ts'
import { dockerOptions } from './docker-options.ts'
import { globalDatabase } from './global-db.ts'
import { containerPath } from './layout.ts'
import { note, type Machine } from './machine.ts'
import { mariadbProgram, mariadbProgramIn } from './mariadb.ts'
import { generateProxy } from './proxy-passwords.ts'
import { inRan } from './proof-containers.ts'
import { redisCli } from './redis.ts'
import { isNginxConfigValid } from './site-power.ts'
import { phpScript } from './wordpress/php-script.ts'
import { wp } from './wordpress/wp.ts'

const valued = ['-u', '--user', '-w', '--workdir', '-e', '--env']
const flags = ['-i', '--interactive', '-t', '--tty', '-it', '-ti']

/** `docker exec`: WP-CLI in the PHP container, tests and reloads of nginx and PHP. */
export async function dockerExec(
  machine: Machine,
  database: EasyEngineDatabase,
  words: readonly string[],
): Promise<number> {
  const { options, rest, unknown } = dockerOptions(words, valued, flags)
  // A limit of time changes nothing here.
  const [name = '', program = '', ...args] =
    rest[1] === 'timeout' ? [rest[0] ?? '', ...withoutLimit(rest.slice(2))] : rest
  if (unknown !== null || program === '') return notSimulated(machine, `unknown flag: ${unknown ?? 'no command'}`)
  const option = (...names: string[]) => options.findLast(([key]) => names.includes(key))?.[1]
  const ran = await inRan(machine, name, { program, args, user: option('-u', '--user') })
  if (ran !== null) return ran
  const container = findContainer(database, name)
  if (!container) {
    machine.err(`Error response from daemon: No such container: ${name}\n`)
    return 1
  }
  if (option('-t', '--tty', '-it', '-ti') !== undefined && !machine.isTerminal) {
    machine.err('the input device is not a TTY\n')
    return 1
  }
  if (program === 'wp' && container.service === 'php' && container.site) {
    const user = option('-u', '--user')
    const folder = option('-w', '--workdir') ?? '/var/www/htdocs'
    if (user !== 'www-data') {
      note(machine.root, 'violations.log', 'docker exec: WP-CLI as another user than www-data')
      machine.err('Error: YIKES! It looks like you are running this as root.\n')
      return 1
    }
    return wp(machine, container.site, { folder, argv: args })
  }
  if (program === 'php' && args.join(' ') === '-d memory_limit=512M' && container.service === 'php' && container.site) {
    const folder = option('-w', '--workdir') ?? '/var/www/htdocs'
    if (option('-u', '--user') !== 'www-data') return notSimulated(machine, 'PHP as another user than www-data')
    return phpScript(machine, container.site, folder)
  }
  const mariadb = program === 'sh' ? mariadbProgramIn(args[1] ?? '') : null
  if (mariadb !== null && container.service === 'php' && container.site) {
    // Of the name alone, Docker passes on the variable that it has itself.
    const password = option('-e', '--env') === 'MYSQL_PWD' ? (process.env['MYSQL_PWD'] ?? '') : ''
    return mariadbProgram(machine, container.site, { name: mariadb, words: args.slice(3), password })
  }
  if (program === 'sh' && container.service === 'php' && container.site)
    return inShell(
      machine,
      containerPath(machine, container.site, option('-w', '--workdir') ?? '/var/www/htdocs'),
      args,
    )
  if (program === 'redis-cli') {
    const said = redisCli(machine, container.site, args)
    if (said === null || !/^(?:global-)?redis$/.test(container.service))
      return notSimulated(machine, 'this use of Redis')
    machine.out(machine.trap('redis_fails') === null ? said : 'ERR unknown command\n')
    return 0
  }
  const answered = program === 'sh' && container.service === 'global-db' ? globalDatabase(machine, args) : null
  return answered ?? other(machine, container, [program, ...args].join(' '))
}

/** What `timeout` runs: KILL-AFTER may precede its seconds. */
const withoutLimit = (args: readonly string[]): readonly string[] => {
  const rest = args[0] === '-k' && /^\d+$/.test(args[1] ?? '') ? args.slice(2) : args
  return /^\d+$/.test(rest[0] ?? '') ? rest.slice(1) : args
}

/** A script in a folder of the container: this machine's shell, so it must not name paths of the container. */
function inShell(machine: Machine, folder: string, args: readonly string[]): number {
  if (args.some((word) => word.includes('/var/www')))
    return notSimulated(machine, 'a path of the container in a script')
  const { status } = spawnSync('/bin/sh', args, { cwd: folder, stdio: 'inherit', env: { PATH: '/usr/bin:/bin' } })
  return status ?? 137
}

/** What EasyEngine itself calls. Source: EasyEngine/site-command, src/helper/site-utils.php. */
const proxyReload =
  '/app/docker-entrypoint.sh /usr/local/bin/docker-gen /app/nginx.tmpl /etc/nginx/conf.d/default.conf; /usr/sbin/nginx -s reload'

function other(machine: Machine, { service, site, name }: Container, command: string): number {
  const isNginx = service === 'nginx' || service === 'global-nginx-proxy'
  if (isNginx && (command === 'nginx -t' || command === 'nginx -s reload')) {
    const isValid = site === null ? areCertificatesValid(machine) : isNginxConfigValid({ machine }, site.site_url)
    const file = '/usr/local/openresty/nginx/conf/nginx.conf'
    machine.err(
      isValid
        ? `nginx: configuration file ${file} test is successful\n`
        : `nginx: [emerg] invalid directive\nnginx: configuration file ${file} test failed\n`,
    )
    if (isValid && command === 'nginx -s reload') note(machine.root, 'effects.log', `docker reload ${name}`)
    return isValid ? 0 : 1
  }
  if (service === 'global-nginx-proxy' && command === `sh -c ${proxyReload}`) {
    generateProxy(machine)
    return 0
  }
  const [, purged] = /^find \/var\/cache\/nginx\/([a-z0-9.-]+) -type f -delete$/.exec(command) ?? []
  if (service === 'global-nginx-proxy' && purged !== undefined) {
    note(machine.root, 'effects.log', `purge ${purged}`)
    return 0
  }
  if (service === 'php' && command === 'kill -USR2 1') {
    note(machine.root, 'effects.log', `docker reload ${name}`)
    return 0
  }
  return notSimulated(machine, `${command.split(' ')[0]} in ${service}`)
}

function notSimulated(machine: Machine, what: string): number {
  note(machine.root, 'violations.log', `docker exec: ${what} is not simulated`)
  machine.err(`OCI runtime exec failed: exec failed: ${what}: executable file not found in $PATH: unknown\n`)
  return 126
}
