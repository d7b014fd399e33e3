import { EeError, type EeContext } from './ee-context.ts'
import { put, readIfThere, type Machine } from './machine.ts'

const file = '/opt/easyengine/config/config.yml'

function readAll(machine: Machine): Map<string, string> {
  const lines = readIfThere(machine.path(file))?.split('\n') ?? []
  return new Map(
    lines.flatMap((line) => {
      const [, key, value] = /^([\w-]+): (.*)$/.exec(line) ?? []
      return key !== undefined && value !== undefined
        ? [[key, value.replaceAll(/^'|'$/g, '').replaceAll("''", "'")]]
        : []
    }),
  )
}

/** A setting of `ee`: a global option of this call, else its configuration file, else what it starts with. */
export function setting({ options, machine, contract }: EeContext, key: string): string | null {
  const given = options[key]
  if (typeof given === 'string') return given
  return readAll(machine).get(key) ?? contract.config_keys.find((one) => one.key === key)?.default ?? null
}

/** `ee config get`. */
export function configGet({ args, machine }: EeContext): void {
  const value = readAll(machine).get(args[0] ?? '')
  if (!value) throw new EeError(`No config value with key '${args[0]}' set`)
  machine.out(`${value}\n`)
}

/** `ee config set`. */
export function configSet({ args: [key = '', value = ''], machine }: EeContext): void {
  const all = readAll(machine).set(key, value)
  const lines = [...all].map(
    ([name, text]) => `${name}: ${/^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`}\n`,
  )
  put(machine.path(file), lines.join(''))
}
