/** A value as WordPress stores it. */
export type PhpValue = string | number | boolean | PhpValues
interface PhpValues {
  readonly [key: string]: PhpValue
}

/** Text as PHP's `serialize` writes it. Keys that are whole numbers become integers, as in PHP. */
export function serialized(value: PhpValue): string {
  if (typeof value === 'boolean') return `b:${value ? 1 : 0};`
  if (typeof value === 'number') return `i:${value};`
  if (typeof value === 'string') return `s:${Buffer.byteLength(value)}:"${value}";`
  const entries = Object.entries(value)
  const keyOf = (key: string) => serialized(/^(?:0|[1-9]\d{0,17})$/.test(key) ? Number(key) : key)
  return `a:${entries.length}:{${entries.map(([key, one]) => keyOf(key) + serialized(one)).join('')}}`
}

/** A list as an array of PHP. */
export const phpList = (values: readonly PhpValue[]): PhpValue =>
  Object.fromEntries(values.map((value, at) => [String(at), value]))
