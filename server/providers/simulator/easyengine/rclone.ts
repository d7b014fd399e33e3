import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { note, readIfThere, type Machine } from './machine.ts'

const configFile = '/root/.config/rclone/rclone.conf'

/** Sections of rclone's configuration: remotes with their settings. */
export function remotesOf(machine: Pick<Machine, 'path'>): Map<string, Map<string, string>> {
  const remotes = new Map<string, Map<string, string>>()
  let current = new Map<string, string>()
  for (const line of readIfThere(machine.path(configFile))?.split('\n') ?? []) {
    const [, section] = /^\[(.+)\]$/.exec(line.trim()) ?? []
    const [, key, value] = /^(\w+)\s*=\s*(.*)$/.exec(line.trim()) ?? []
    if (section !== undefined) remotes.set(section, (current = new Map()))
    else if (key !== undefined && value !== undefined) current.set(key, value)
  }
  return remotes
}

/** The folder that stands for a place of a remote, `REMOTE:BUCKET/PREFIX`; null if the remote is not configured. */
export function remoteFolder(machine: Pick<Machine, 'path'>, place: string): string | null {
  const [remote, path] = [place.slice(0, place.indexOf(':')), place.slice(place.indexOf(':') + 1)]
  if (!remotesOf(machine).has(remote)) return null
  return machine.path(join('/var/lib/simulated/rclone', remote, normalize(`/${path}`)))
}

/** The program `rclone`: `version`, `listremotes`, `config show`, `lsf`, `size`, `copy`, `purge`. */
export function rclone(machine: Machine, argv: readonly string[]): number {
  const words = argv.filter((word) => !word.startsWith('-'))
  const [command = '', first = '', second = ''] = words
  switch (command) {
    case 'version':
      machine.out('rclone v1.66.0\n')
      return 0
    case 'listremotes':
      machine.out([...remotesOf(machine).keys()].map((name) => `${name}:\n`).join(''))
      return 0
    case 'config':
      return showRemote(machine, second)
    case 'lsf':
      return list(machine, first, argv.includes('--dirs-only'))
    case 'copy':
      return copy(machine, first, second)
    case 'purge':
      return onRemote(machine, first, (folder) => rmSync(folder, { recursive: true, force: true }))
    case 'size':
      return onRemote(machine, first, (folder) => machine.out(`${JSON.stringify(sizeOf(folder))}\n`))
    default:
      note(machine.root, 'violations.log', `rclone: ${command} is not simulated`)
      machine.err(`Error: unknown command "${command}" for "rclone"\n`)
      return 1
  }
}

function showRemote(machine: Machine, name: string): number {
  const settings = remotesOf(machine).get(name)
  if (!settings) {
    machine.err(`Couldn't find type field in config for "${name}"\n`)
    return 1
  }
  machine.out(`[${name}]\n${[...settings].map(([key, value]) => `${key} = ${value}\n`).join('')}`)
  return 0
}

function onRemote(machine: Machine, place: string, act: (folder: string) => void): number {
  const folder = remoteFolder(machine, place)
  if (folder === null || !existsSync(folder)) {
    machine.err(folder === null ? "didn't find section in config file\n" : 'directory not found\n')
    return folder === null ? 1 : 3
  }
  act(folder)
  return 0
}

function list(machine: Machine, place: string, isDirsOnly: boolean): number {
  return onRemote(machine, place, (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true }).filter((one) => !isDirsOnly || one.isDirectory())
    machine.out(entries.map((one) => `${one.name}${one.isDirectory() ? '/' : ''}\n`).join(''))
  })
}

function copy(machine: Machine, from: string, to: string): number {
  const folders = [from, to].map((one) => (/^[\w-]+:/.test(one) ? remoteFolder(machine, one) : machine.path(one)))
  const [source, target] = folders
  if (!source || !target) {
    machine.err("didn't find section in config file\n")
    return 1
  }
  cpSync(source, target, { recursive: true })
  return 0
}

function sizeOf(folder: string): { count: number; bytes: number } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const bytes = files.reduce((sum, one) => sum + statSync(join(one.parentPath, one.name)).size, 0)
  return { count: files.length, bytes }
}
