/** How EC2 reads forms and writes XML (https://smithy.io/2.0/aws/protocols/aws-ec2-query-protocol.html). */
import type { SimulatedResponse } from './simulated-vendor.ts'

const requestId = '1f2e3d4c-0000-4000-8000-a1b2c3d4e5f6'

/** An error of the API. */
export const failure = (
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedResponse => ({
  status,
  type: 'text/xml;charset=UTF-8',
  headers,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error></Errors><RequestID>${requestId}</RequestID></Response>`,
})

export type XmlContent = string | readonly XmlContent[] | { readonly [field: string]: XmlContent }

/** The answer to an action. */
export function answer(action: string, content: Readonly<Record<string, XmlContent>>): SimulatedResponse {
  const fields = xml({ requestId, ...content })
  return {
    status: 200,
    type: 'text/xml;charset=UTF-8',
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${fields}</${action}Response>`,
  }
}

function xml(content: XmlContent): string {
  if (typeof content === 'string') return escaped(content)
  if (Array.isArray(content)) return content.map((item: XmlContent) => `<item>${xml(item)}</item>`).join('')
  return Object.entries(content)
    .map(([name, value]: [string, XmlContent]) => `<${name}>${xml(value)}</${name}>`)
    .join('')
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The values of a list of texts. */
export function listIn(form: URLSearchParams, name: string): string[] {
  return [...form].flatMap(([key, value]) =>
    key.startsWith(`${name}.`) && /^\d+$/.test(key.slice(name.length + 1)) ? [value] : [],
  )
}

/** The tags in the first `TagSpecification`. */
export function tagsIn(form: URLSearchParams): Record<string, string> {
  const tags: Record<string, string> = {}
  for (let at = 1; form.has(`TagSpecification.1.Tag.${at}.Key`); at += 1)
    tags[form.get(`TagSpecification.1.Tag.${at}.Key`) ?? ''] = form.get(`TagSpecification.1.Tag.${at}.Value`) ?? ''
  return tags
}

export const tagSet = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([key, value]) => ({ key, value }))

/** What a filter compares a thing by; undefined: no such filter. */
export type FilterValues<T> = (filter: string) => ((thing: T) => readonly string[]) | undefined

/** Filters of tags, and others. */
export const tagFilters =
  <T extends { readonly tags: Readonly<Record<string, string>> }>(others: FilterValues<T>): FilterValues<T> =>
  (filter) => {
    if (filter === 'tag-key') return ({ tags }) => Object.keys(tags)
    const tag = filter.startsWith('tag:') ? filter.slice('tag:'.length) : null
    return tag === null ? others(filter) : ({ tags }) => (Object.hasOwn(tags, tag) ? [tags[tag] ?? ''] : [])
  }

/** The things that pass the filters of a request; null if the vendor doesn't have one of these. */
export function filtered<T>(form: URLSearchParams, things: readonly T[], valuesOf: FilterValues<T>): T[] | null {
  let found = [...things]
  for (let at = 1; form.has(`Filter.${at}.Name`); at += 1) {
    const values = valuesOf(form.get(`Filter.${at}.Name`) ?? '')
    if (!values) return null
    const wanted = listIn(form, `Filter.${at}.Value`)
    found = found.filter((thing) => values(thing).some((value) => wanted.some((one) => isLike(value, one))))
  }
  return found
}

/** A filter may end with a wildcard. */
const isLike = (value: string, wanted: string) =>
  wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted

/** A page of a list, with the token of the next one. */
export function pageOf<T>(form: URLSearchParams, found: readonly T[], limit: number) {
  const start = Number(form.get('NextToken')?.replace('token-', '') ?? 0)
  const end = start + Math.min(Number(form.get('MaxResults') ?? limit), limit)
  const more: Record<string, string> = end < found.length ? { nextToken: `token-${end}` } : {}
  return { items: found.slice(start, end), more }
}
