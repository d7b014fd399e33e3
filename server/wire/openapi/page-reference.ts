import { markup, type Html } from '../pages/markup.ts'
import { fieldLabel, tenantField, type Doctype } from '#shared/doctype.ts'
import { peopleScope, returnsPeople } from '#shared/people.ts'
import type { Field } from '#shared/fields.ts'
import type { JsonSchema, ParameterNote } from '#shared/json-schema.ts'
import { jsonSchemaOf } from '#shared/schema.ts'
import type { Method } from '#server/contracts/method.ts'
import type { Registry } from '../methods/method-registry.ts'
import { actionArguments, actionResult, actionDescription } from './actions.ts'
import { listPath, shownFields } from './doctypes.ts'
import { fieldDescription } from './fields.ts'
import { accessDescriptions, groupOf, methodGroups, parametersOf, shortNameOf, tokenScopeOf } from './methods.ts'
import { code, renderMarkup, paragraphs, table } from './page-html.ts'
import { rolesWith } from './roles.ts'

/** All methods, grouped by `methodGroups`. */
export function methodsSection(registry: Registry): Html {
  return markup`<section aria-labelledby="methods">
    <h2 id="methods">Methods</h2>
    <p>At <code>/api/method/NAME</code>. What is
      called with GET can be called with PUT and DELETE as well. A verb that does not do answers 403, like a method that
      does not exist.</p>
    ${methodGroups.map((group) => {
      const methods = registry.all
        .filter(({ name }) => groupOf(name) === group)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      return methods.length === 0
        ? null
        : markup`<h3 id="${groupAnchor(group)}">${group}</h3>
            ${methods.map((method) => methodEntry(method, registry))}`
    })}
  </section>`
}

/** Anchor of a method group. */
export const groupAnchor = (group: string): string => group.toLowerCase().replaceAll(' ', '-')

function methodEntry(method: Method, registry: Registry): Html {
  const notes = Object.entries(parametersOf(method))
  const short = shortNameOf(method, registry)
  const scope = tokenScopeOf(method)
  return markup`<article>
    <h4 id="${method.name}"><code>${method.name}</code> <small>${method.verbs.join(', ')}</small></h4>
    ${paragraphs(method.description)}
    <p class="facts">
      ${accessDescriptions[method.access]} API tokens:
      ${scope === null ? 'no' : scope === 'any' ? 'any' : markup`with ${code(scope)}`}${
        scope !== null && scope !== peopleScope && returnsPeople(method.returns)
          ? markup` and ${code(peopleScope)}`
          : null
      }.
      ${short === null ? null : markup`Short name ${code(short)}.`}
    </p>
    ${notes.length === 0 ? null : table(`Parameters of ${method.name}`, ['Parameter', 'Value', 'Meaning'], notes.map(parameterRow))}
    ${describeResponse(method)}
  </article> `
}

function parameterRow([name, note]: readonly [string, ParameterNote]) {
  return [
    markup`${code(name)}${note.reqd ? markup` <em>required</em>` : null}`,
    shapeHtml(note.schema),
    renderMarkup(note.description),
  ]
}

function describeResponse({ returns: schema, extras = {} }: Method): Html | null {
  const returns = jsonSchemaOf(schema)
  const lines = [
    returns === undefined
      ? null
      : returns.format === 'binary'
        ? markup`<p>Answers with the file itself.</p>`
        : returns.type === 'null'
          ? markup`<p>Answers without <code>message</code>.</p>`
          : markup`<p>
            <code>message</code>:
            ${renderMarkup(shapeText(returns))}${
              returns.description === undefined ? null : markup`. ${renderMarkup(returns.description)}`
            }
          </p>`,
    ...Object.entries(extras).map(
      ([key, extra]) => markup`<p>${code(key)}: ${renderMarkup(shapeText(jsonSchemaOf(extra)))}</p>`,
    ),
  ]
  return markup`${lines}`
}

/** All doctypes with their fields and actions. */
export function doctypesSection(doctypes: readonly Doctype[]): Html {
  return markup`<section aria-labelledby="doctypes">
    <h2 id="doctypes">Doctypes</h2>
    <p>
      Every document also has <code>name</code>, <code>owner</code>, <code>creation</code>, <code>modified</code>,
      <code>modified_by</code>, <code>docstatus</code> (always 0), <code>idx</code> and <code>doctype</code>, which the
      server sets. What a role can do may depend on the document (some documents): members see sites of their own and
      shared ones, for example. A number beside a type is the most characters it holds.
    </p>
    ${doctypes.map(doctypeEntry)}
  </section>`
}

/** Anchor of a doctype. */
export const doctypeAnchor = (name: string): string => `doctype-${name.toLowerCase().replaceAll(' ', '-')}`

function doctypeEntry(type: Doctype): Html {
  const actions = Object.entries(type.actions ?? {})
  return markup`<article>
    <h3 id="${doctypeAnchor(type.name)}">${type.name}</h3>
    <p>
      <code>${listPath(type)}</code>${type.is_child ? ' (rows of a table of another document)' : null}.
      ${
        type.area === undefined
          ? 'Closed to API tokens.'
          : markup`API tokens: ${code(`${type.area}:read`)}, ${code(`${type.area}:write`)}.`
      }
    </p>
    ${table(
      `Roles of ${type.name}`,
      ['Operation', 'Roles'],
      (['read', 'create', 'write', 'delete'] as const).map((operation) => [operation, rolesWith(type, operation)]),
    )}
    ${table(
      `Fields of ${type.name}`,
      ['Field', 'Type', 'Meaning'],
      shownFields(type).map(([name, field]) => [
        markup`${code(name)}${field.reqd && name !== tenantField(type) ? markup` <em>required</em>` : null}`,
        typeText(field),
        renderMarkup(fieldDescription(name, field)),
      ]),
    )}
    ${
      actions.length === 0
        ? null
        : markup`<h4>Actions of ${type.name}</h4>
            <p>
              By <a href="#run_doc_method"><code>run_doc_method</code></a> with <code>dt</code>, <code>dn</code>,
              <code>method</code> and <code>args</code>, or by POST to the document with <code>run_method</code> and the
              arguments beside it. Those that change nothing can also be run by GET.
            </p>
            <ul>
              ${actions.map(([key, action]) => {
                const { properties, required } = actionArguments(action)
                const args = Object.entries(properties)
                return markup`<li>
                  ${renderMarkup(actionDescription(key, action))}${
                    args.length === 0
                      ? null
                      : markup` Arguments:
                        ${args.map(
                          ([name, schema], at) =>
                            markup`${at === 0 ? '' : ', '}${code(name)} (${schema.title ?? fieldLabel(name, {})},
                            ${shapeHtml(schema)}${required.includes(name) ? ', required' : ''})`,
                        )}.`
                  }
                  Answers ${renderMarkup(shapeText(actionResult(action)))}.
                </li> `
              })}
            </ul>`
    }
  </article> `
}

function typeText({ fieldtype, options, length = 140 }: Field): string {
  if (Array.isArray(options)) return `one of ${options.join(', ')}`
  return fieldtype === 'Data' || fieldtype.endsWith('Text') ? `${fieldtype}, ${length}` : fieldtype
}

const shapeHtml = (schema: JsonSchema): Html => renderMarkup(shapeText(schema))

const named: Readonly<Record<string, string>> = {
  Flag: 'yes or no',
  WholeNumber: 'whole number',
  Number: 'number',
  DatetimeInput: 'point in time, UTC',
  Json: 'any JSON',
  Filters: 'filters',
  FieldList: 'fields',
  Document: 'document',
  Rows: 'rows',
}

/** A short description of a schema. */
function shapeText(schema: JsonSchema, depth = 0): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return named[name] ?? name
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) {
    const values = schema.enum.filter((value) => value !== null && value !== '')
    const list = values.map((value) => `\`${String(value)}\``).join(', ')
    return `${values.length > 1 ? 'one of ' : ''}${list}${schema.enum.includes(null) ? ' or null' : ''}`
  }
  if (schema.format === 'binary') return 'file, in a multipart body'
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map((one) => shapeText(one, depth + 1)))].join(' or ')
  const all = schema.type === undefined ? [] : [schema.type].flat()
  // If text is accepted, its other input forms are not listed.
  const types = all.length > 2 && all.includes('string') ? ['string' as const] : all
  const names = types.map((type) => {
    if (type === 'array') return `list of ${schema.items === undefined ? 'values' : shapeText(schema.items, depth + 1)}`
    if (type === 'object') return objectText(schema, depth)
    return typeNames[type as keyof typeof typeNames]
  })
  return names.length === 0 ? 'any JSON' : names.join(' or ')
}

const typeNames = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  null: 'null',
} as const

function objectText(schema: JsonSchema, depth: number): string {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) return 'object'
  if (depth > 3) return `{${properties.map(([name]) => name).join(', ')}}`
  return `{${properties
    .map(([name, value]) => `**${name}**${schema.required?.includes(name) ? '' : '?'}: ${shapeText(value, depth + 1)}`)
    .join('; ')}}`
}
