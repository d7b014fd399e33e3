import type { Doctype } from '#shared/doctype.ts'

/** `of`, computed once per doctype: descriptions don't change, and every call asks for the same lists of their fields. */
export function perDoctype<Value>(of: (type: Doctype) => Value): (type: Doctype) => Value {
  const known = new WeakMap<Doctype, { readonly value: Value }>()
  return (type) => {
    const found = known.get(type)
    if (found) return found.value
    const value = of(type)
    known.set(type, { value })
    return value
  }
}
