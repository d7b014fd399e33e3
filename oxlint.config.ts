import { existsSync, readdirSync } from 'node:fs'
import { defineConfig } from 'oxlint'

/**
 * Who may import whom: the only place where it is written. A room may import itself, `shared`, and the rooms listed.
 * Everything else, a relative path out of the room included, is an error. Tests may reach further (see below).
 */
const arrows = {
  'server/platform': [],
  'server/contracts': [],
  'server/documents': ['server/contracts', 'server/platform'],
  'server/jobs': ['server/documents', 'server/contracts', 'server/platform'],
  'server/engines': ['server/platform'],
  'server/providers': ['server/platform'],
  'server/features': [
    'server/engines',
    'server/providers',
    'server/jobs',
    'server/documents',
    'server/contracts',
    'server/platform',
  ],
  'server/wire': ['server/documents', 'server/contracts', 'server/platform'],
  'server/transfer': ['server/engines', 'server/platform'],
  'web/lib': [],
  'web/ui': ['web/lib'],
  'web/documents': ['web/ui', 'web/lib'],
  'web/features': ['web/documents', 'web/ui', 'web/lib'],
  'web/tours': ['web/lib'],
  'web/shell': ['web/tours', 'web/features', 'web/documents', 'web/ui', 'web/lib'],
  'web/pages': ['web/features', 'web/documents', 'web/ui', 'web/lib'],
} as const satisfies Record<string, readonly string[]>

/** Rooms whose folders do not know one another: features meet through documents and events, pages through links. */
const separateFolders = new Set(['server/features', 'server/engines', 'server/providers', 'web/features', 'web/pages'])

const rooms = Object.keys(arrows)

interface Forbidden {
  regex: string
  message: string
}

const acrossRooms = 'Across rooms import by name: #server/…, #shared/…, #tests/…, #web/….'

/** Rooms with one public module: others import that module and nothing else of the room. */
const publicModules = { 'server/documents': 'documents' } as const satisfies Partial<
  Record<keyof typeof arrows, string>
>

/** Deep imports of rooms that have a public module, for files outside of these rooms. */
function deepImports(room: string | null): Forbidden[] {
  return Object.entries(publicModules).flatMap(([name, module]) => {
    const others = modulesOf(name).filter((one) => one !== module)
    const message = `Of ${name} import ${module}.ts only.`
    return name === room ? [] : [{ regex: `^#${name}/(?:.+/|${oneOf(others)}\\.ts$)`, message }]
  })
}

/** Tests beside what they test reach the fixtures by name too. */
const testsByName: Forbidden = { regex: '^(?:\\.\\./)+tests/', message: acrossRooms }

/** The two halves of the product stay apart even in tests. */
const notInServerTests: Forbidden = { regex: '#web/|/web/', message: 'Not in a test either.' }

const oneOf = (names: readonly (string | undefined)[]): string => `(?:${names.join('|')})`

/** What no file of the room may import. */
function forbiddenIn(room: keyof typeof arrows): Forbidden[] {
  const allowed: readonly string[] = [room, ...arrows[room]]
  const other = room.startsWith('web/') ? 'server' : 'web'
  const own = room.startsWith('web/') ? 'web' : 'server'
  const closed = rooms.filter((name) => name.startsWith(`${own}/`) && !allowed.includes(name))
  const roomFolders = rooms.filter((name) => name.startsWith(`${own}/`)).map((name) => name.split('/')[1])
  return [
    {
      regex: `^#${oneOf(closed)}/`,
      message: `Arrows point down only: ${room} may import shared${allowed
        .slice(1)
        .map((name) => `, ${name}`)
        .join('')}.`,
    },
    { regex: `^#${own}/(?:cli/|[^/]+$)`, message: 'The composition root imports rooms, never the other way round.' },
    { regex: `^#${other}/`, message: 'server and web meet in shared and on the wire only.' },
    {
      regex: `^(?:\\.\\./)+${oneOf(['server', 'web', 'shared', ...roomFolders])}/`,
      message: acrossRooms,
    },
    ...deepImports(room),
    { regex: '^#tests/|^(?:\\.\\./)+tests/', message: 'Only tests import from tests.' },
    {
      regex: '^frappe-(?:react|js)-sdk$',
      message: 'Read by #web/lib/api/frappe.tsx, write by #web/lib/api/api.ts (decision 36).',
    },
  ]
}

/** One override per room, and one more per folder of a room whose folders are separate. */
function arrowOverrides() {
  return (Object.keys(arrows) as (keyof typeof arrows)[]).flatMap((room) => {
    const override = (files: string, patterns: Forbidden[]) => ({
      files: [files],
      rules: { 'no-restricted-imports': ['error', { patterns }] as ['error', { patterns: Forbidden[] }] },
    })
    const folders = separateFolders.has(room) ? foldersOf(room) : []
    return [
      override(`${room}/**`, forbiddenIn(room)),
      ...folders.flatMap((folder) => {
        const siblings = folders.filter((name) => name !== folder)
        if (siblings.length === 0) return []
        const message = `Folders of ${room} do not import one another.`
        return override(`${room}/${folder}/**`, [
          ...forbiddenIn(room),
          { regex: `^#${room}/${oneOf(siblings)}/`, message },
          { regex: `^(?:\\.\\./)+${oneOf(siblings)}/`, message },
        ])
      }),
    ]
  })
}

/** Names of the modules at the top of a room, without `.ts`. */
function modulesOf(room: string): string[] {
  return readdirSync(new URL(room, import.meta.url))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
}

function foldersOf(room: string): string[] {
  const path = new URL(room, import.meta.url)
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
}

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'react', 'jsx-a11y', 'vitest'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist/**', 'build/**', 'data/**', 'demo-data/**', 'test-results/**', 'coverage/**'],
  rules: {
    // Promises and types: what a reviewer cannot see by eye.
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    // Passing on what was caught is fine.
    'typescript/only-throw-error': ['error', { allowThrowingUnknown: true }],
    'typescript/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
    'no-var': 'error',
    'prefer-const': 'error',
    'no-empty': 'error',
    'no-console': 'error',
    // A file past this needs its reason in the comment that switches the rule off.
    'max-lines': ['error', { max: 300 }],
    // More than this is one object with names.
    'max-params': ['error', { max: 5 }],

    // The shape of the house.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'import/no-self-import': 'error',
    'import/extensions': ['error', 'ignorePackages'],
    'oxc/no-barrel-file': ['error', { threshold: 0 }],

    // Expectations may live in a function that several tests call, in a loop over cases, and name their case.
    'vitest/no-standalone-expect': 'off',
    'vitest/expect-expect': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/require-to-throw-message': 'off',
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    // Noise in this code: redaction and terminals need control characters, SDK objects are closures without `this`,
    // documents hold `unknown` values whose texts are wanted.
    'no-control-regex': 'off',
    'typescript/unbound-method': 'off',
    'typescript/restrict-template-expressions': 'off',
    'typescript/no-base-to-string': 'off',
    'typescript/no-redundant-type-constituents': 'off',
    // Matters of taste; accessibility itself is tested on the rendered pages.
    'unicorn/prefer-string-starts-ends-with': 'off',
    'unicorn/no-useless-spread': 'off',
    'typescript/no-misused-spread': 'off',
    'vitest/require-mock-type-parameters': 'off',
    'jsx-a11y/no-noninteractive-tabindex': 'off',
    'jsx-a11y/no-autofocus': 'off',
    'jsx-a11y/prefer-tag-over-role': 'off',
    'jsx-a11y/no-noninteractive-element-interactions': 'off',
    'react/set-state-in-effect': 'off',
  },
  overrides: [
    {
      files: ['shared/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              { regex: '^(?:#server|#tests|#web|node:)', message: 'shared is pure: no I/O, no room.' },
              { regex: '^(?:\\.\\./)+(?:server|tests|web)/', message: 'shared is pure: no I/O, no room.' },
            ],
          },
        ],
      },
    },
    ...arrowOverrides(),
    {
      // The composition root and the commands.
      files: ['server/*.ts', 'server/cli/**'],
      rules: { 'no-restricted-imports': ['error', { patterns: deepImports(null) }] },
    },
    {
      // A test may take its fixtures from a higher room; the two halves of the product stay apart even there.
      files: ['server/**/*.test.ts', 'shared/**/*.test.ts'],
      rules: {
        'no-restricted-imports': ['error', { patterns: [notInServerTests, testsByName, ...deepImports(null)] }],
      },
    },
    {
      // Tests of the engine itself; of the parsers, with hostile input beside those of the wire; and of the transfer, which
      // writes rows that no document of this release would have.
      files: [
        'server/documents/**/*.test.ts',
        'server/wire/request/parsers.property.test.ts',
        'server/cli/transfer*.test.ts',
        'server/transfer/unfinished-import.test.ts',
      ],
      rules: { 'no-restricted-imports': ['error', { patterns: [notInServerTests, testsByName] }] },
    },
    {
      files: ['web/**/*.test.ts', 'web/**/*.test.tsx'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [{ regex: '#server/|/server/', message: 'Not in a test either.' }, testsByName] },
        ],
      },
    },
    {
      // A factory that is longer becomes a context and functions that take it; React components are exempt.
      files: ['server/**', 'shared/**'],
      rules: { 'max-lines-per-function': ['error', { max: 100, skipComments: true, skipBlankLines: true }] },
    },
    {
      files: ['**/*.test.ts', '**/*.test.tsx', 'tests/**'],
      rules: { 'max-lines': ['error', { max: 400 }], 'max-lines-per-function': 'off', 'max-params': 'off' },
    },
    { files: ['*.config.ts', 'scripts/*failure-reporter.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['scripts/**', 'tests/**'], rules: { 'no-console': 'off' } },
  ],
})
