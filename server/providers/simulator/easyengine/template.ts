/** A template that is not simulated. */
export class UnknownTemplate extends Error {}

/** Renders a template of Docker's `--format`: fields, `json`, `index` and `.Label`. */
export function renderTemplate(template: string, value: unknown): string {
  return template
    .replaceAll('\\t', '\t')
    .replaceAll(/\{\{(.*?)\}\}/g, (_, expression: string) => text(evaluate(expression.trim(), value)))
}

const text = (value: unknown): string =>
  value === undefined || value === null
    ? '<no value>'
    : typeof value === 'object'
      ? `map${JSON.stringify(value)}`
      : String(value)

function evaluate(expression: string, value: unknown): unknown {
  const [, inner] = /^\((.+)\)$/.exec(expression) ?? []
  if (inner !== undefined) return evaluate(inner, value)
  const [, jsonOf] = /^json (.+)$/.exec(expression) ?? []
  if (jsonOf !== undefined) return JSON.stringify(evaluate(jsonOf, value))
  const [, indexOf, key] = /^index (\S+) "([^"]+)"$/.exec(expression) ?? []
  if (indexOf !== undefined && key !== undefined) return field(evaluate(indexOf, value), key) ?? ''
  const [, label] = /^\.Label "([^"]+)"$/.exec(expression) ?? []
  if (label !== undefined) {
    const labels = String(field(value, 'Labels')).split(',')
    return labels.find((one) => one.startsWith(`${label}=`))?.slice(label.length + 1) ?? ''
  }
  if (expression === '.') return value
  if (!/^(?:\.\w+)+$/.test(expression)) throw new UnknownTemplate(expression)
  let found = value
  for (const name of expression.slice(1).split('.')) {
    found = field(found, name)
    if (found === undefined) throw new UnknownTemplate(expression)
  }
  return found
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
