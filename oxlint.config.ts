import { existsSync, readdirSync } from 'node:fs'
import { defineConfig } from 'oxlint'

/**
 * Import rules of the layers, defined only here. A layer may import itself, `shared`, and the layers listed.
 * Everything else, a relative path out of the layer included, is an error. Tests may reach further (see below).
 */
const allowedImports = {
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

/** Layers whose folders do not know one another: features meet through documents and events, pages through links. */
const separateFolders = new Set(['server/features', 'server/engines', 'server/providers', 'web/features', 'web/pages'])

const layers = Object.keys(allowedImports)

interface Forbidden {
  regex: string
  message: string
}

const acrossLayers = 'Across layers import by name: #server/…, #shared/…, #tests/…, #web/….'

/** Layers with one public module: others import that module and nothing else of the layer. */
const publicModules = { 'server/documents': 'documents' } as const satisfies Partial<
  Record<keyof typeof allowedImports, string>
>

/** Deep imports of layers that have a public module, for files outside of these layers. */
function deepImports(layer: string | null): Forbidden[] {
  return Object.entries(publicModules).flatMap(([name, module]) => {
    const others = modulesOf(name).filter((one) => one !== module)
    const message = `Of ${name} import ${module}.ts only.`
    return name === layer ? [] : [{ regex: `^#${name}/(?:.+/|${oneOf(others)}\\.ts$)`, message }]
  })
}

/** Tests beside what they test reach the fixtures by name too. */
const testsByName: Forbidden = { regex: '^(?:\\.\\./)+tests/', message: acrossLayers }

/** The two halves of the product stay apart even in tests. */
const notInServerTests: Forbidden = { regex: '#web/|/web/', message: 'Not in a test either.' }

const oneOf = (names: readonly (string | undefined)[]): string => `(?:${names.join('|')})`

/** Simulated vendors run in tests and, from the composition root, in the demo. */
const simulators: Forbidden = {
  regex: '^(?:#server/providers|\\.)/simulator/',
  message: 'The product never depends on simulated vendors.',
}

/** What no file of the layer may import. */
function forbiddenIn(layer: keyof typeof allowedImports): Forbidden[] {
  const allowed: readonly string[] = [layer, ...allowedImports[layer]]
  const other = layer.startsWith('web/') ? 'server' : 'web'
  const own = layer.startsWith('web/') ? 'web' : 'server'
  const closed = layers.filter((name) => name.startsWith(`${own}/`) && !allowed.includes(name))
  const layerFolders = layers.filter((name) => name.startsWith(`${own}/`)).map((name) => name.split('/')[1])
  return [
    {
      regex: `^#${oneOf(closed)}/`,
      message: `Imports point down only: ${layer} may import shared${allowed
        .slice(1)
        .map((name) => `, ${name}`)
        .join('')}.`,
    },
    { regex: `^#${own}/(?:cli/|[^/]+$)`, message: 'The composition root imports layers, never the other way round.' },
    { regex: `^#${other}/`, message: 'server and web meet in shared and on the wire only.' },
    {
      regex: `^(?:\\.\\./)+${oneOf(['server', 'web', 'shared', ...layerFolders])}/`,
      message: acrossLayers,
    },
    ...deepImports(layer),
    simulators,
    { regex: '^#tests/|^(?:\\.\\./)+tests/', message: 'Only tests import from tests.' },
    {
      regex: '^frappe-(?:react|js)-sdk$',
      message: 'Read by #web/lib/api/frappe.tsx, write by #web/lib/api/api.ts (decision 36).',
    },
  ]
}

/** One override per layer, and one more per folder of a layer whose folders are separate. */
function layerOverrides() {
  return (Object.keys(allowedImports) as (keyof typeof allowedImports)[]).flatMap((layer) => {
    const override = (files: string, patterns: Forbidden[]) => ({
      files: [files],
      rules: { 'no-restricted-imports': ['error', { patterns }] as ['error', { patterns: Forbidden[] }] },
    })
    const folders = separateFolders.has(layer) ? foldersOf(layer) : []
    return [
      override(`${layer}/**`, forbiddenIn(layer)),
      ...folders.flatMap((folder) => {
        const siblings = folders.filter((name) => name !== folder)
        if (siblings.length === 0) return []
        const message = `Folders of ${layer} do not import one another.`
        return override(`${layer}/${folder}/**`, [
          ...forbiddenIn(layer),
          { regex: `^#${layer}/${oneOf(siblings)}/`, message },
          { regex: `^(?:\\.\\./)+${oneOf(siblings)}/`, message },
        ])
      }),
    ]
  })
}

/** Names of the modules at the top of a layer, without `.ts`. */
function modulesOf(layer: string): string[] {
  return readdirSync(new URL(layer, import.meta.url))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
}

function foldersOf(layer: string): string[] {
  const path = new URL(layer, import.meta.url)
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

    // Module structure.
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
              {
                regex: '^(?:#server|#tests|#web|node:)',
                message: 'shared is pure: no I/O, no imports of other layers.',
              },
              {
                regex: '^(?:\\.\\./)+(?:server|tests|web)/',
                message: 'shared is pure: no I/O, no imports of other layers.',
              },
            ],
          },
        ],
      },
    },
    ...layerOverrides(),
    {
      // The composition root and the commands.
      files: ['server/*.ts', 'server/cli/**'],
      rules: { 'no-restricted-imports': ['error', { patterns: deepImports(null) }] },
    },
    {
      // A test may take its fixtures from a higher layer; the two halves of the product stay apart even there.
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
        'server/wire/request/parsers.property.full.test.ts',
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
    { files: ['*.config.ts', 'scripts/*-reporter.ts'], rules: { 'import/no-default-export': 'off' } },
    { files: ['scripts/**', 'tests/**'], rules: { 'no-console': 'off' } },
  ],
})
