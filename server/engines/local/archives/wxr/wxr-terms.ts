import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { msg } from '#shared/localized-message.ts'
import { insertOf } from './sql-row.ts'
import { textOf, type WxrNode } from './wxr-reader.ts'

/** Terms of one file. */
const maxTerms = 100_000
/** How each kind of element calls its parts. */
const kinds = {
  'wp:category': {
    slug: 'category_nicename',
    name: 'cat_name',
    about: 'category_description',
    parent: 'category_parent',
  },
  'wp:tag': { slug: 'tag_slug', name: 'tag_name', about: 'tag_description', parent: null },
  'wp:term': { slug: 'term_slug', name: 'term_name', about: 'term_description', parent: 'term_parent' },
} as const

interface Term {
  readonly id: number
  readonly taxonomy: string
  readonly slug: string
  readonly name: string
  readonly about: string
  /** Slug of the term above it. */
  readonly parent: string
  readonly meta: readonly (readonly [string, string])[]
}

/** Categories, tags, menus and other terms of a WXR file. */
export interface WxrTerms {
  /** A term that the channel has. Its rows come with the first item, when all are known. */
  declare(node: WxrNode): string[]
  /** The rows of the terms of an item, those of terms that were not declared, too. */
  relate(post: number, item: WxrNode): string[]
  /** The rows that did not come with an item. */
  rest(): string[]
}

/** Collects terms. A term and its row in the taxonomy have one id, as in a WordPress without shared terms. */
export function createTerms(): WxrTerms {
  const terms = new Map<string, Term>()
  const ids = new Set<number>()
  let waiting: Term[] = []
  let [last, lastMeta] = [0, 0]
  const keyOf = (taxonomy: string, slug: string): string => `${taxonomy}\0${slug}`

  function add(term: Omit<Term, 'id'>, wanted: number): Term {
    if (terms.size >= maxTerms) throw tooMany()
    const id = wanted > 0 && !ids.has(wanted) ? wanted : last + 1
    last = Math.max(last, id)
    ids.add(id)
    const added = { ...term, id }
    terms.set(keyOf(term.taxonomy, term.slug), added)
    waiting.push(added)
    return added
  }

  function idOf(taxonomy: string, slug: string, name: string): number {
    const known = terms.get(keyOf(taxonomy, slug))
    return (known ?? add({ taxonomy, slug, name, about: '', parent: '', meta: [] }, 0)).id
  }

  function rowsOf(term: Term): string[] {
    const { id, taxonomy, slug, name, about, parent } = term
    const above = parent === '' || parent === slug ? 0 : idOf(taxonomy, parent, parent)
    return [
      insertOf('terms', { term_id: id, name, slug, term_group: 0 }),
      insertOf('term_taxonomy', {
        ...{ term_taxonomy_id: id, term_id: id, taxonomy, description: about, parent: above, count: 0 },
      }),
      ...term.meta.map(([key, value]) => {
        lastMeta += 1
        return insertOf('termmeta', { meta_id: lastMeta, term_id: id, meta_key: key, meta_value: value })
      }),
    ]
  }

  /** Writing one can add the one above it. */
  function rest(): string[] {
    const rows: string[] = []
    while (waiting.length > 0) {
      const now = waiting
      waiting = []
      for (const term of now) rows.push(...rowsOf(term))
    }
    return rows
  }

  return {
    declare(node) {
      const kind = kinds[node.name as keyof typeof kinds]
      const part = (name: string | null): string => (name === null ? '' : textOf(node, `wp:${name}`))
      const taxonomy =
        { 'wp:category': 'category', 'wp:tag': 'post_tag' }[node.name] ?? part('term_taxonomy').trim().slice(0, 32)
      const slug = part(kind.slug).trim().slice(0, 200)
      if (taxonomy === '' || slug === '' || terms.has(keyOf(taxonomy, slug))) return []
      const meta = node.children
        .filter(({ name }) => name === 'wp:termmeta')
        .map((one) => [textOf(one, 'wp:meta_key').slice(0, 255), textOf(one, 'wp:meta_value')] as const)
      const id = /^[1-9]\d{0,14}$/.exec(part('term_id').trim())?.[0]
      add(
        {
          ...{ taxonomy, slug, meta, name: part(kind.name).slice(0, 200) || slug, about: part(kind.about) },
          parent: part(kind.parent).trim().slice(0, 200),
        },
        id === undefined ? 0 : Number(id),
      )
      return []
    },
    relate(post, item) {
      const found = new Set<number>()
      for (const { name, attributes, text } of item.children) {
        const taxonomy = (attributes.get('domain') ?? '').slice(0, 32)
        const slug = (attributes.get('nicename') ?? '').slice(0, 200)
        if (name === 'category' && taxonomy !== '' && slug !== '')
          found.add(idOf(taxonomy, slug, text.trim().slice(0, 200) || slug))
      }
      const related = [...found].map((id) =>
        insertOf('term_relationships', { object_id: post, term_taxonomy_id: id, term_order: 0 }),
      )
      return [...rest(), ...related]
    },
    rest,
  }
}

function tooMany(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`This WordPress export has more than ${maxTerms} terms.`,
    msg`Export the content in parts.`,
  )
}
