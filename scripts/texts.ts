/** All user-facing texts, for translators: `npm run texts`. */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeGrant, pluralLabel, singularLabel } from '#server/documents/permissions/rule-messages.ts'
import { typesByName } from '#server/contracts/type-by-name.ts'
import { fieldLabel } from '#shared/doctype.ts'
import { stepStatuses } from '#shared/doctypes/job.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Field } from '#shared/fields.ts'
import { toDescriptor, type LocalizedMessage, type MessageDescriptor } from '#shared/localized-message.ts'
import { textsIn, type SourceText } from './source-texts.ts'

const root = join(import.meta.dirname, '..')

/** Properties that contain a text: of jobs and their steps, capabilities, pages, shortcuts, scopes, API calls. */
const serverProperties = new Set(['label', 'reason', 'continueAnyway'])
const properties = new Set([...serverProperties, 'title', 'short', 'hint', 'text', 'confirm', 'failure'])

/** Tables of texts that are translated through `translateText`, by file. */
const tables: Readonly<Record<string, readonly string[]>> = {
  'server/engines/ee/lacks.ts': ['eeLacks', 'noScreenshots', 'serverLacks'],
  'server/engines/facets.ts': ['notSupported'],
  'server/engines/local/capabilities.ts': ['localLacks', 'noContainers'],
  'shared/activity-wording.ts': ['otherActivities'],
  'shared/rules/job-labels.ts': ['labelsWithTitleFirst', 'labelsWithTitleLast'],
  'shared/rules/password-strength.ts': ['levelOfScore'],
  'shared/rules/role-labels.ts': ['roleLabels'],
  'shared/rules/token-scopes.ts': ['tokenScopes'],
  'web/documents/query/list-query.ts': ['optionLabels', 'roleLabels'],
  'web/lib/i18n/format.ts': ['byteUnits'],
  'web/pages/terms/messages.ts': ['terms'],
  'web/pages/user/sessions-card.tsx': ['deviceKinds'],
}

let sources: Promise<SourceText[]> | null = null

/** Every text in the product's sources, with its locations. Texts of tests and of the command line are excluded. */
export const sourceTexts = (): Promise<SourceText[]> => (sources ??= readSources())

async function readSources(): Promise<SourceText[]> {
  const found: SourceText[] = []
  const unused = new Set(Object.keys(tables))
  for await (const file of glob(['shared/**/*.ts', 'server/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: root })) {
    const path = file.replaceAll('\\', '/')
    if (/\.test\.tsx?$|^server\/(?:cli|platform\/config)|^shared\/sentence\.ts$/.test(path)) continue
    unused.delete(path)
    const source = await readFile(join(root, path), 'utf8')
    found.push(
      ...textsIn({
        path,
        source,
        tables: tables[path] ?? [],
        properties: path.startsWith('server/') ? serverProperties : properties,
      }),
    )
  }
  if (unused.size > 0) throw new Error(`These tables of texts no longer exist: ${[...unused].join(', ')}`)
  return found
}

const fieldTexts = (name: string, field: Field): string[] => [
  fieldLabel(name, field),
  ...(field.description ? [field.description] : []),
  ...(field.fieldtype === 'Select' && Array.isArray(field.options) ? (field.options as string[]) : []),
]

/** Operations that can be denied, in addition to actions. */
const operations = ['read', 'create', 'write', 'delete', 'share']

/** Texts of the doctypes: names, labels, options, confirmations. */
export function describedTexts(): string[] {
  const described = doctypes.flatMap((type) => [
    type.name,
    type.name.toLowerCase(),
    ...(type.plural ? [type.plural] : []),
    ...Object.values(type.refused ?? {}),
    ...Object.entries(type.fields).flatMap(([name, field]) => fieldTexts(name, field)),
    ...Object.entries(type.actions ?? {}).flatMap(([name, action]) => [
      name,
      action.label,
      ...(action.keywords ?? []),
      ...(action.activity ? [action.activity] : []),
      ...(action.confirm ? [action.confirm] : []),
      ...(action.phrase ? [action.phrase] : []),
      ...Object.entries(action.args ?? {}).flatMap(([name, field]) => fieldTexts(name, field)),
    ]),
  ])
  return [...operations, ...stepStatuses, ...described]
}

/** Every id of a sentence, including nested ones. */
function idsIn(message: LocalizedMessage): string[] {
  const inside = (value: unknown): string[] =>
    Array.isArray(value) ? value.flatMap(inside) : typeof value === 'object' ? ofParts(value as MessageDescriptor) : []
  const ofParts = ({ id, values = [] }: MessageDescriptor): string[] => [id, ...inside(values)]
  return ofParts(toDescriptor(message))
}

/** Texts from doctypes in permission explanations: "saved views", "whose category is development". */
function explainedTexts(): string[] {
  const typeByName = typesByName(doctypes)
  return doctypes.flatMap((type) => {
    const grants = [
      ...Object.values(type.permissions).flatMap((one) => [one.read, one.create, one.write, one.delete]),
      ...Object.values(type.actions ?? {}).flatMap(({ allow }) => Object.values(allow)),
    ]
    const rules = grants.map((grant) => describeGrant(grant ?? false, type, typeByName))
    return [singularLabel(type), pluralLabel(type), ...rules.filter((rule) => rule !== null)].flatMap(idsIn)
  })
}

/** Every text once, in alphabetical order: what a translation must contain. */
export async function allTexts(): Promise<string[]> {
  const all = [...(await sourceTexts()).map(({ english }) => english), ...describedTexts(), ...explainedTexts()]
  return [...new Set(all)].filter((text) => text !== '').toSorted((a, b) => (a < b ? -1 : 1))
}
