/** A name without spaces, for example of an event or a table: it is not translated, and breaks where there is no room for it. */
export function Identifier({ name }: { name: string }) {
  return (
    <span translate="no" className="wrap-anywhere">
      {name}
    </span>
  )
}
