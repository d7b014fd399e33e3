import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readContract, type ContractCommand, type ContractOption } from './contract.ts'
import { parseCall } from './parse-call.ts'

const contract = readContract('4.12.0')

/** A call that the contract allows, in the parts that mutations change. */
interface ValidCall {
  readonly command: ContractCommand
  readonly kind: string
  readonly positional: readonly string[]
  readonly options: readonly string[]
}

const word = fc.stringMatching(/^[a-z0-9][a-z0-9.:/@-]{0,20}$/)

function optionOf({ name, takes_value: takes, values }: ContractOption): fc.Arbitrary<string> {
  const given = (values ? fc.constantFrom(...values) : word).map((value) => `${name}=${value}`)
  if (takes === 'none') return fc.constant(name)
  return takes === 'optional' ? fc.oneof(given, fc.constant(name)) : given
}

/** Global options that no command declares itself. */
const globals = ['--quiet', '--no-color', '--le-mail=a@b.example', '--env=production']

const calls: fc.Arbitrary<ValidCall> = fc.constantFrom(...contract.commands).chain((command) => {
  const kind = command.site_types?.length === 1 ? (command.site_types[0] ?? 'html') : 'html'
  const isCreate = command.path.join(' ') === 'site create'
  const required = command.options.filter((one) => one.required === true)
  const others = command.options.filter((one) => one.required !== true && !(isCreate && one.name === '--type'))
  const positional = command.positional.map((one) =>
    one.required ? fc.array(word, { minLength: 1, maxLength: one.repeat ? 3 : 1 }) : fc.array(word, { maxLength: 1 }),
  )
  return fc.record({
    command: fc.constant(command),
    kind: fc.constant(kind),
    positional: fc.tuple(...positional).map((all) => all.flat()),
    options: fc
      .tuple(fc.tuple(...required.map((one) => optionOf(one))), fc.subarray(others), fc.subarray(globals))
      .chain(([fixed, chosen, global]) =>
        fc
          .tuple(...chosen.map((one) => optionOf(one)))
          .map((some) => [...(isCreate ? [`--type=${kind}`] : []), ...fixed, ...some, ...global]),
      ),
  })
})

const wordsOf = ({ command, positional, options }: ValidCall): string[] => [...command.path, ...positional, ...options]
const parse = (call: Pick<ValidCall, 'kind'>, words: readonly string[]) => parseCall(contract, words, () => call.kind)

test('every call that the contract allows passes, with its options anywhere after the command', () => {
  const seen = new Set<ContractCommand>()
  const mixed = calls.chain((call) =>
    fc.shuffledSubarray([...call.options], { minLength: call.options.length }).map((options) => ({ call, options })),
  )
  fc.assert(
    fc.property(mixed, ({ call, options }) => {
      const { command, kind, positional } = call
      seen.add(command)
      const parsed = parse({ kind }, [...command.path, ...options, ...positional])
      expect(parsed).toMatchObject({ command: { path: command.path }, args: positional, violations: [], fatal: null })
      for (const option of options.filter((one) => one.includes('=')))
        expect(parsed.options[option.slice(2, option.indexOf('='))]).toBe(option.slice(option.indexOf('=') + 1))
    }),
    { numRuns: 600 },
  )
  expect(seen.size).toBeGreaterThan(contract.commands.length * 0.9)
})

type Mutation = (call: ValidCall) => { readonly words: readonly string[]; readonly isFatal: boolean } | null

const fatal = (words: readonly string[]) => ({ words, isFatal: true })

/** Ways to leave the contract; null where a command has nothing to change like that. */
const mutations: Readonly<Record<string, Mutation>> = {
  'unknown option': (call) => fatal([...wordsOf(call), '--bogus=1']),
  'unknown command': ({ command, positional }) =>
    fatal([`${command.path[0]}x`, ...command.path.slice(1), ...positional]),
  'unknown subcommand': ({ command, positional }) =>
    command.path.length > 1 ? fatal([command.path[0] ?? '', `${command.path[1]}x`, ...positional]) : null,
  'option before the command': ({ command, positional }) => {
    const own = command.options.find((one) => one.takes_value !== 'none' && one.values && !one.declared_as_flag)
    return own ? fatal([`${own.name}=${own.values?.[0]}`, ...command.path, ...positional]) : null
  },
  'value that is not offered': (call) => {
    const option = call.command.options.find((one) => one.values)
    if (!option) return null
    const others = call.options.filter((one) => one.split('=')[0] !== option.name)
    return fatal([...call.command.path, ...call.positional, ...others, `${option.name}=bogus`])
  },
  'missing positional': (call) =>
    call.command.positional.some((one) => one.required) ? fatal([...call.command.path, ...call.options]) : null,
  'value after a space': ({ command, positional, options }) => {
    const option = command.options.find((one) => one.takes_value === 'required')
    if (!option || command.positional.some((one) => one.repeat)) return null
    const full = command.positional.map((_, at) => positional[at] ?? 'a.example')
    return fatal([
      ...command.path,
      ...full,
      ...options.filter((one) => one.split('=')[0] !== option.name),
      option.name,
      'value',
    ])
  },
  'missing required option': (call) => {
    const option = call.command.options.find((one) => one.required === true)
    return option
      ? fatal(wordsOf({ ...call, options: call.options.filter((one) => !one.startsWith(option.name)) }))
      : null
  },
  'flag with a value': (call) => {
    const flag = call.command.options.find((one) => one.takes_value === 'none')
    // EasyEngine's parser lets it pass.
    return flag ? { words: [...wordsOf(call), `${flag.name}=1`], isFatal: false } : null
  },
}

test.each(Object.entries(mutations))('a call with a mutation is a violation: %s', (_, mutate) => {
  // Few commands have something to leave out.
  const mutable = calls.filter((call) => mutate(call) !== null)
  fc.assert(
    fc.property(mutable, (call) => {
      const { words = [], isFatal } = mutate(call) ?? {}
      const parsed = parse(call, words)
      expect(parsed.violations, words.join(' ')).not.toEqual([])
      if (isFatal) expect(parsed.fatal, words.join(' ')).not.toBeNull()
    }),
    { numRuns: 40 },
  )
})

test('without a type, the version of --php is lost as in EasyEngine', () => {
  const { options, fatal: end } = parse({ kind: 'html' }, ['site', 'create', 'a.example', '--php=8.3'])
  expect([options['php'], end]).toEqual(['8.3', null])
})
