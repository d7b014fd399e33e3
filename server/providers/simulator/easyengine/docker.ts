import { statSync } from 'node:fs'
import { containersOf, findContainer, type Container } from './containers.ts'
import { openDatabase, type EasyEngineDatabase } from './database.ts'
import { dockerExec } from './docker-exec.ts'
import { dockerOptions } from './docker-options.ts'
import { removeVolume, volumesOfSite } from './layout.ts'
import { note, put, readIfThere, type Machine } from './machine.ts'
import { misbehaves } from './sqlite3.ts'
import { dockerRun, ranContainers, removeRan } from './proof-containers.ts'
import { renderTemplate, UnknownTemplate } from './template.ts'

/** The program `docker` as Easydash uses it: `version`, `ps`, `inspect`, `exec`, `run`, `restart`, `rm`, `volume`. */
export async function docker(machine: Machine, argv: readonly string[]): Promise<number> {
  const [command, ...words] = argv
  if (machine.trap('docker_down') === '') {
    machine.err('Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n')
    return 1
  }
  const database = openDatabase(machine)
  try {
    switch (command) {
      case 'version':
        return version(machine, words)
      case 'ps':
        return ps(machine, database, words)
      case 'inspect':
        return inspect(machine, database, words)
      case 'exec':
        return await dockerExec(machine, database, words)
      case 'run':
        return dockerRun(machine, words)
      case 'restart':
        return restart(machine, database, words)
      case 'rm':
        return remove(machine, database, words)
      case 'volume':
        return volume(machine, words)
      default:
        return refuse(machine, `docker: '${command ?? ''}' is not a docker command.\nSee 'docker --help'`)
    }
  } catch (error) {
    if (!(error instanceof UnknownTemplate)) throw error
    return refuse(machine, `template parsing error: ${error.message}`)
  } finally {
    database.close()
  }
}

/** Records a call that is not simulated, and fails as Docker does. */
function refuse(machine: Machine, text: string): number {
  note(machine.root, 'violations.log', text.split('\n')[0] ?? '')
  machine.err(`${text}\n`)
  return 1
}

/** The program `docker-compose`. */
export function dockerCompose(machine: Machine, argv: readonly string[]): number {
  if (argv[0] !== 'version') return refuse(machine, `docker-compose: ${argv[0] ?? ''} is not simulated`)
  machine.out(argv.includes('--short') ? '2.27.0\n' : 'Docker Compose version v2.27.0\n')
  return 0
}

function version(machine: Machine, words: readonly string[]): number {
  const { options, unknown } = dockerOptions(words, ['--format', '-f'], [])
  if (unknown !== null) return refuse(machine, `unknown flag: ${unknown}`)
  const format = options[0]?.[1]
  if (format === undefined) machine.out('Client:\n Version: 27.5.1\n\nServer:\n Engine:\n  Version: 27.5.1\n')
  else machine.out(`${renderTemplate(format, { Server: { Version: '27.5.1' }, Client: { Version: '27.5.1' } })}\n`)
  return 0
}

const psFlags = ['-a', '--all', '-q', '--quiet', '--no-trunc', '-aq', '-qa']

function ps(machine: Machine, database: EasyEngineDatabase, words: readonly string[]): number {
  const { options, rest, unknown } = dockerOptions(words, ['--filter', '-f', '--format'], psFlags)
  if (unknown !== null || rest.length > 0) return refuse(machine, `docker ps: unknown ${unknown ?? 'argument'}`)
  const has = (...names: string[]) => options.some(([name]) => names.includes(name))
  const isAll = has('-a', '--all', '-aq', '-qa') || options.some(([, value]) => value.startsWith('status='))
  const isKilled = ({ name }: Container) => machine.trap('container_killed') === name
  let containers = [...containersOf(database), ...ranContainers(machine)].filter((one) => isAll || !isKilled(one))
  let format = 'table'
  for (const [name, value] of options) {
    if (name === '--format') format = value
    else if (name === '--filter' || name === '-f') {
      const matches = filterOf(value, isKilled)
      if (!matches) return refuse(machine, `docker ps: filter ${value.split('=')[0]} is not simulated`)
      containers = containers.filter(matches)
    }
  }
  const isWhole = has('--no-trunc')
  const facts = containers.map((one) => psFacts(one, isWhole, isKilled(one)))
  if (format !== 'table' && misbehaves(machine)) return 0
  if (has('-q', '--quiet', '-aq', '-qa')) machine.out(facts.map(({ ID }) => `${ID}\n`).join(''))
  else if (format === 'table')
    machine.out(
      `CONTAINER ID   IMAGE   STATUS   NAMES\n${facts.map((one) => `${one.ID}   ${one.Image}   ${one.Status}   ${one.Names}\n`).join('')}`,
    )
  else
    machine.out(
      facts.map((one) => `${format === 'json' ? JSON.stringify(one) : renderTemplate(format, one)}\n`).join(''),
    )
  return 0
}

function filterOf(
  filter: string,
  isKilled: (container: Container) => boolean,
): ((container: Container) => boolean) | null {
  const [kind, name = '', ...rest] = filter.split('=')
  const value = rest.join('=')
  if (kind === 'label') return ({ labels }) => (rest.length > 0 ? labels[name] === value : labels[name] !== undefined)
  if (kind === 'name') return (container) => container.name.includes(name.replaceAll(/[\^$/]/g, ''))
  if (kind === 'status') return (container) => name === (isKilled(container) ? 'exited' : 'running')
  return null
}

function psFacts({ id, name, image, labels }: Container, isWhole: boolean, isKilled: boolean) {
  return {
    ID: isWhole ? id : id.slice(0, 12),
    Names: name,
    Image: image,
    State: isKilled ? 'exited' : 'running',
    Status: isKilled ? 'Exited (137) 5 minutes ago' : 'Up 2 hours',
    Labels: Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  }
}

function inspect(machine: Machine, database: EasyEngineDatabase, words: readonly string[]): number {
  const { options, rest, unknown } = dockerOptions(words, ['--format', '-f', '--type'], ['--size', '-s'])
  if (unknown !== null) return refuse(machine, `docker inspect: unknown flag: ${unknown}`)
  const found = rest.map((word) => findContainer(database, word))
  const facts = found.flatMap((one) => (one ? [inspectFacts(machine, one)] : []))
  const format = options.find(([name]) => name === '--format' || name === '-f')?.[1]
  if (format === undefined || format === 'json') machine.out(`${JSON.stringify(facts)}\n`)
  else machine.out(facts.map((one) => `${renderTemplate(format, one)}\n`).join(''))
  const missing = rest.find((_, at) => found[at] === null)
  if (missing === undefined) return 0
  machine.err(`Error: No such object: ${missing}\n`)
  return 1
}

function inspectFacts(machine: Machine, { id, name, image, labels, site }: Container) {
  const isKilled = machine.trap('container_killed') === name
  return {
    Id: id,
    Name: `/${name}`,
    Config: { Image: image, Labels: labels },
    State: {
      Status: isKilled ? 'exited' : 'running',
      ...{ Running: !isKilled, Paused: false, Restarting: false, ExitCode: isKilled ? 137 : 0 },
      StartedAt: startOf(machine, name, site),
      FinishedAt: isKilled ? new Date(Date.now() - 300_000).toISOString() : '0001-01-01T00:00:00Z',
    },
    RestartCount: isKilled ? 3 : 0,
    NetworkSettings: { Networks: site ? { [site.site_url]: {}, 'ee-global-frontend-network': {} } : {} },
  }
}

/** Where the restarts of containers are kept: a file for each, with the time. */
const startsFolder = '/var/lib/simulated/starts'

/** When a container was started: at its last restart, or when its site, for global ones the first site, was made. */
function startOf(machine: Machine, name: string, site: Container['site']): string {
  const restarted = readIfThere(machine.path(`${startsFolder}/${name}`))
  if (restarted !== null) return restarted
  const folder = machine.path(site ? `/opt/easyengine/sites/${site.site_url}` : '/opt/easyengine/sites')
  const { birthtime } = statSync(folder, { throwIfNoEntry: false }) ?? { birthtime: new Date() }
  return birthtime.toISOString()
}

function restart(machine: Machine, database: EasyEngineDatabase, words: readonly string[]): number {
  for (const word of words) {
    const container = findContainer(database, word)
    if (!container) {
      machine.err(`Error response from daemon: No such container: ${word}\n`)
      return 1
    }
    note(machine.root, 'effects.log', `docker restart ${container.name}`)
    put(machine.path(`${startsFolder}/${container.name}`), new Date().toISOString())
    machine.out(`${word}\n`)
  }
  return 0
}

/** A container of an enabled site comes back with its site, so only those of a half-made one can be removed here. */
function remove(machine: Machine, database: EasyEngineDatabase, words: readonly string[]): number {
  const { rest: given, unknown } = dockerOptions(words, [], ['-f', '--force', '-v', '--volumes'])
  if (unknown !== null) return refuse(machine, `docker rm: unknown flag: ${unknown}`)
  const rest = given.filter((word) => !removeRan(machine, word))
  const found = rest.map((word) => findContainer(database, word))
  if (found.some((one) => one?.site)) return refuse(machine, 'docker rm: a container of a site that EasyEngine has')
  machine.out(given.map((word) => `${word}\n`).join(''))
  return 0
}

/** `docker volume ls -q --filter label=io.easyengine.site=DOMAIN`, and `docker volume rm`. */
function volume(machine: Machine, [verb, ...words]: readonly string[]): number {
  if (verb === 'ls') {
    const { options, rest, unknown } = dockerOptions(words, ['--filter', '-f'], ['-q', '--quiet'])
    const label = /^label=io\.easyengine\.site=(.+)$/.exec(
      options.find(([name]) => ['--filter', '-f'].includes(name))?.[1] ?? '',
    )
    if (unknown !== null || rest.length > 0 || !label)
      return refuse(machine, 'docker volume ls: only by the label of a site')
    machine.out(
      volumesOfSite(machine, label[1] ?? '')
        .map((name) => `${name}\n`)
        .join(''),
    )
    return 0
  }
  const { rest, unknown } = dockerOptions(words, [], ['-f', '--force'])
  if (verb !== 'rm' || unknown !== null) return refuse(machine, `docker volume ${verb ?? ''} is not simulated`)
  for (const name of rest) removeVolume(machine, name)
  machine.out(rest.map((name) => `${name}\n`).join(''))
  return 0
}
